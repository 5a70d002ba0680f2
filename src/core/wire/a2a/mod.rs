//! A2A, the protocol in which tasks are handed to other agents, as JSON-RPC: its versions 1.0 and 0.3, and the dialect of
//! KAOS, which is neither; bytes only.

mod card;
mod event;
mod listed;
mod part;
mod request;

pub use card::{Card, Interface, NoInterface, Skill};
pub use event::{A2aMessage, Artifact, Event, NoEvent, Task, TaskStatus, read};
pub use listed::find;
pub use part::Part;
pub use request::{Dialect, Outgoing};

/// What the dialect of KAOS is called here.
const KAOS: &str = "kaos";

/// A version of the protocol that is spoken here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// 1.0, and what comes after it under the same first number.
    V1,
    /// 0.3.
    V0_3,
    /// The dialect of KAOS agents: the methods of 1.0, parts like those of 0.3, an answer when the task is over.
    Kaos,
}

impl Version {
    /// The version of this name, whatever its patch.
    fn parse(name: &str) -> Option<Self> {
        match name.trim().split('.').take(2).collect::<Vec<_>>().as_slice() {
            ["1", ..] => Some(Self::V1),
            ["0", "3"] => Some(Self::V0_3),
            [KAOS] => Some(Self::Kaos),
            _ => None,
        }
    }

    /// `1.0`, `0.3` or `kaos`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "1.0",
            Self::V0_3 => "0.3",
            Self::Kaos => KAOS,
        }
    }
}
