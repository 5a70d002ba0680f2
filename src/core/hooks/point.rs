//! The points of a run at which hooks are told, and at some of them asked.

use std::fmt;

use strum::{IntoStaticStr, VariantArray};

/// When a hook runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum HookPoint {
    /// A session begins or is taken up again.
    SessionStart,
    /// The user said something; it may be blocked.
    UserPrompt,
    /// A valid call is about to be decided; it may be denied, asked about or changed.
    PreTool,
    /// A tool has run; what the hook says is feedback for the model.
    PostTool,
    /// The model has spoken. Fired and forgotten: the turn at hand cannot be affected.
    PostSampling,
    /// The model wants to end the turn; it may be sent on.
    Stop,
    /// A model error ends the turn. Told, never asked.
    StopFailure,
    /// A compaction is about to be made.
    PreCompact,
    /// Something waits for the user.
    Notification,
}

impl HookPoint {
    /// All of them, in the order of a run.
    pub const ALL: &'static [Self] = Self::VARIANTS;

    /// As configured and told to hooks.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The name that hook scripts written for other agents look for.
    pub fn event_name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPrompt => "UserPromptSubmit",
            Self::PreTool => "PreToolUse",
            Self::PostTool => "PostToolUse",
            Self::PostSampling => "PostSampling",
            Self::Stop => "Stop",
            Self::StopFailure => "StopFailure",
            Self::PreCompact => "PreCompact",
            Self::Notification => "Notification",
        }
    }

    /// The reverse of [`HookPoint::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|point| point.as_str() == text)
    }

    /// Whether a refusal means something here: the call is denied, the prompt blocked, the end put off, or (after a
    /// tool) the model told.
    pub fn can_refuse(self) -> bool {
        matches!(self, Self::UserPrompt | Self::PreTool | Self::PostTool | Self::Stop)
    }

    /// Whether something waits here for leave to happen: a hook that cannot start, hangs or is killed then refuses it, so that
    /// nothing passes a check that was not made.
    pub fn is_gate(self) -> bool {
        matches!(self, Self::UserPrompt | Self::PreTool)
    }

    /// Whether it is about a tool.
    pub fn is_about_a_tool(self) -> bool {
        matches!(self, Self::PreTool | Self::PostTool)
    }
}

impl fmt::Display for HookPoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_differ() {
        for point in HookPoint::ALL.iter().copied() {
            assert_eq!(HookPoint::parse(point.as_str()), Some(point));
        }
        assert_eq!(HookPoint::parse("PreToolUse"), None);
    }
}
