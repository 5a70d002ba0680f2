//! How hard a model is to think before it answers.

use std::fmt;

/// A level of effort, the least first. Every model that reasons takes low, medium and high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Not at all.
    None,
    /// As little as can be.
    Minimal,
    /// Little.
    Low,
    /// As the vendor thinks best.
    Medium,
    /// Much.
    High,
    /// More than that.
    XHigh,
    /// As much as it can.
    Max,
}

impl Effort {
    /// All levels, the least first.
    pub const ALL: [Self; 7] =
        [Self::None, Self::Minimal, Self::Low, Self::Medium, Self::High, Self::XHigh, Self::Max];

    /// As written in the configuration, and by most protocols.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::XHigh => "xhigh",
            Self::Max => "max",
        }
    }

    /// Reads a level.
    ///
    /// # Errors
    /// A sentence that names the levels there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|level| level.as_str() == text);
        found.ok_or_else(|| {
            format!("`{text}` is not an effort; use none, minimal, low, medium, high, xhigh or max")
        })
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
