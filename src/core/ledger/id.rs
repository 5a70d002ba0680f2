//! The names of things: every entry and every call carries an id that we mint.

use std::fmt;

/// Names one entry of a session; written `e12`. Unique within the session, never reused.
///
/// A model call is named by the entry that its answer will become, so news of a call that is no longer
/// current can be told apart by this id alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub u64);

/// Names one tool call; written `c7`. Ours: providers repeat theirs, so they are kept beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId(pub u64);

/// A moment: milliseconds since 1970-01-01 UTC. The pure floors are told the time, they never ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Millis(pub u64);

impl Millis {
    /// Milliseconds from `earlier` to `self`; zero when the clock went backwards.
    pub fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl EntryId {
    /// Reads `e12`.
    pub fn parse(text: &str) -> Option<Self> {
        text.strip_prefix('e')?.parse().ok().map(Self)
    }
}

impl CallId {
    /// Reads `c7`.
    pub fn parse(text: &str) -> Option<Self> {
        text.strip_prefix('c')?.parse().ok().map(Self)
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "e{}", self.0)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}
