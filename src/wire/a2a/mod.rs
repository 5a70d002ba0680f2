//! A2A, the protocol in which tasks are handed to other agents, as JSON-RPC: its versions 1.0 and 0.3, bytes only.

mod card;
mod event;
mod part;
mod request;

pub use card::{Card, Interface, NoInterface, Skill};
pub use event::{Artifact, Event, Message, NoEvent, Status, Task, read};
pub use part::Part;
pub use request::{Dialect, Outgoing};

/// A version of the protocol that is spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 1.0, and what comes after it under the same first number.
    V1,
    /// 0.3.
    V0_3,
}

impl Version {
    /// The version of this name, whatever its patch.
    fn parse(name: &str) -> Option<Self> {
        match name.trim().split('.').take(2).collect::<Vec<_>>().as_slice() {
            ["1", ..] => Some(Self::V1),
            ["0", "3"] => Some(Self::V0_3),
            _ => None,
        }
    }

    /// `1.0` or `0.3`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "1.0",
            Self::V0_3 => "0.3",
        }
    }
}
