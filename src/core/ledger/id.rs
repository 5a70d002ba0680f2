//! The names of things: every entry and every call carries an id that we mint.

use std::fmt;

/// The highest number that an entry or a call can have: the highest that every reader of JSON can count to. Only a file from elsewhere
/// gets so far, and behind the last number there would be none for what comes.
pub(super) const MOST: u64 = 1 << 53;

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
        number(text.strip_prefix('e')?).map(Self)
    }
}

impl CallId {
    /// Reads `c7`.
    pub fn parse(text: &str) -> Option<Self> {
        number(text.strip_prefix('c')?).map(Self)
    }
}

fn number(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|number| *number <= MOST)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_leaves_none_for_what_comes_is_none() {
        assert_eq!(EntryId::parse("e9007199254740992"), Some(EntryId(MOST)));
        assert_eq!(CallId::parse("c9007199254740992"), Some(CallId(MOST)));
        for digits in ["9007199254740993", "18446744073709551615", "18446744073709551616"] {
            assert_eq!(EntryId::parse(&format!("e{digits}")), None);
            assert_eq!(CallId::parse(&format!("c{digits}")), None);
        }
    }
}
