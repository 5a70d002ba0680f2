//! How far the calls of a run came: what an interruption may truthfully say about them.

use strum::IntoStaticStr;

/// How far the calls of a run came, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Reach {
    /// No call was started.
    #[default]
    NothingStarted,
    /// Calls were started, and each ran to its own end.
    NothingCut,
    /// A call was cut short while it ran: by the interruption, or because the process died.
    CutShort,
}

impl Reach {
    /// As recorded.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// The reverse of [`Self::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        [Self::NothingStarted, Self::NothingCut, Self::CutShort]
            .into_iter()
            .find(|reach| reach.as_str() == text)
    }

    /// What whoever goes on must know of the calls of a sub-agent that did not come to its own end.
    pub fn of_calls(self) -> &'static str {
        match self {
            Self::NothingStarted => "none of its calls had been started",
            Self::NothingCut => "none of its calls was cut short",
            Self::CutShort => "effects may be partial; check before repeating",
        }
    }

    /// In words for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::NothingStarted => "no tool was started",
            Self::NothingCut => "no call was cut short",
            Self::CutShort => "effects may be partial",
        }
    }
}
