//! How much the agent may do without a question: what the policy decides by, and the ledger records.

use std::fmt;

use strum::{IntoStaticStr, VariantArray};

/// How much the agent may do without a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum Mode {
    /// Reads only; everything else is refused.
    Plan,
    /// Reads in the workspace; asks for the rest.
    #[default]
    Ask,
    /// Reads and edits in the workspace; asks for the rest.
    Edit,
    /// Edits in the workspace and runs commands in the sandbox; asks where the sandbox would stand in the way.
    Auto,
    /// No questions. Deny rules still hold.
    Unrestricted,
}

impl Mode {
    /// All of them, the strictest first.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// Why a sub-agent does not get this mode from a session that has a stricter one; `None`: it does.
    pub fn refused_below(self, above: Self) -> Option<String> {
        (self > above).then(|| {
            format!(
                "the mode stays as it is: {} is looser than {}, the mode of the session that started this one",
                self.as_str(),
                above.as_str()
            )
        })
    }

    /// As written in flags, configuration and the status line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// What it lets happen by itself, where no rule speaks.
    pub fn allows(self) -> &'static str {
        match self {
            Self::Plan => "only reads; everything else is refused",
            Self::Ask => "reads in the workspace without asking; asks for the rest",
            Self::Edit => "reads and edits in the workspace without asking; asks for the rest",
            Self::Auto => "edits in the workspace and sandboxed commands without asking; asks for the rest",
            Self::Unrestricted => "everything without asking; deny rules still apply",
        }
    }

    /// Reads a mode's name.
    ///
    /// # Errors
    /// A sentence that names the modes there are.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "plan" => Ok(Self::Plan),
            "ask" => Ok(Self::Ask),
            "edit" => Ok(Self::Edit),
            "unrestricted" => Ok(Self::Unrestricted),
            "auto" => Ok(Self::Auto),
            other => Err(format!("`{other}` is not a mode; use plan, ask, edit, auto or unrestricted")),
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
