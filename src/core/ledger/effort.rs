//! How hard a model is to think before it answers.

use std::fmt;

use strum::{IntoStaticStr, VariantArray};

/// A level of effort, the least first. Every model that reasons takes low, medium and high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
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
    #[strum(serialize = "xhigh")]
    XHigh,
    /// As much as it can.
    Max,
}

impl Effort {
    /// All levels, the least first.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// As written in the configuration, and by most protocols.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Reads a level.
    ///
    /// # Errors
    /// A sentence that names the levels there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().copied().find(|level| level.as_str() == text);
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
