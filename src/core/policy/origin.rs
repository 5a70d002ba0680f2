//! Where a rule comes from.

use std::fmt;

/// Whose word a rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tier {
    /// Ours.
    BuiltIn,
    /// A key in the pane, for the rest of this session.
    #[default]
    Session,
    /// The project's file, which comes with other people's code.
    Project,
    /// The project's file, which the user was shown and trusts as it stands.
    Trusted,
    /// The user's own file.
    User,
    /// The command line of this run.
    Flag,
}

impl Tier {
    /// Who is heard first where rules disagree: the user, in a file or a flag; the project; the session.
    pub(super) fn rank(self) -> u8 {
        match self {
            Self::BuiltIn => 0,
            Self::Session => 1,
            Self::Project | Self::Trusted => 2,
            Self::User | Self::Flag => 3,
        }
    }

    /// In words, for lists of rules.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::BuiltIn => "built in",
            Self::Session => "this session",
            Self::Project => "the project's file",
            Self::Trusted => "the project's file, which you trust",
            Self::User => "your file",
            Self::Flag => "the command line",
        }
    }
}

/// Whose word a rule is, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Origin {
    /// Whose word.
    pub tier: Tier,
    /// The file, or the flag.
    pub place: Option<String>,
    /// The line in the file, from 1.
    pub line: Option<usize>,
}

impl Origin {
    /// An origin without a place.
    pub fn of(tier: Tier) -> Self {
        Self { tier, place: None, line: None }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.place, self.line) {
            (None, _) => f.write_str(self.tier.as_str()),
            (Some(place), None) => f.write_str(place),
            (Some(place), Some(line)) => write!(f, "{place}:{line}"),
        }
    }
}
