//! Where a value came from.

use std::{fmt, path::PathBuf, sync::Arc};

use crate::policy::{Origin, Tier};

/// Where a value came from. Displayed so that a person finds the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Nobody set it.
    Default,
    /// The user's own file.
    User(Arc<PathBuf>, usize),
    /// A file of the project, which may only tighten.
    Project(Arc<PathBuf>, usize),
    /// A file of the project that the user trusts as it stands.
    Trusted(Arc<PathBuf>, usize),
    /// An environment variable.
    Variable(&'static str),
    /// A flag of the command line.
    Flag(&'static str),
}

impl Source {
    /// Whether the user said so when starting this process.
    pub fn is_flag(&self) -> bool {
        matches!(self, Self::Flag(_))
    }

    /// `FILE:LINE` alone, whoever trusts it.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Trusted(path, line) => format!("{}:{line}", path.display()),
            other => other.to_string(),
        }
    }

    /// The same place in the words of the policy.
    pub(super) fn origin(&self) -> Origin {
        let (tier, place, line) = match self {
            Self::Default => (Tier::BuiltIn, None, None),
            Self::User(path, line) => (Tier::User, Some(path.display().to_string()), Some(*line)),
            Self::Project(path, line) => (Tier::Project, Some(path.display().to_string()), Some(*line)),
            Self::Trusted(path, line) => (Tier::Trusted, Some(path.display().to_string()), Some(*line)),
            Self::Variable(name) | Self::Flag(name) => (Tier::Flag, Some((*name).to_owned()), None),
        };
        Origin { tier, place, line }
    }

    /// The same file at another line; other sources have no lines.
    pub(super) fn at(&self, line: usize) -> Self {
        match self {
            Self::User(path, _) => Self::User(Arc::clone(path), line),
            Self::Project(path, _) => Self::Project(Arc::clone(path), line),
            Self::Trusted(path, _) => Self::Trusted(Arc::clone(path), line),
            other @ (Self::Default | Self::Variable(_) | Self::Flag(_)) => other.clone(),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::User(path, line) | Self::Project(path, line) => write!(f, "{}:{line}", path.display()),
            Self::Trusted(path, line) => write!(f, "{}:{line} (trusted)", path.display()),
            Self::Variable(name) => f.write_str(name),
            Self::Flag(name) => f.write_str(name),
        }
    }
}
