//! A2A agents: other agents that tasks are handed to, each behind a tool of its own.

mod agent;
mod conversation;
mod described;
mod exchange;
mod farewell;
mod handover;
mod kept;
mod link;
mod place;
mod report;
mod standing;
mod told;
mod tools;

pub use agent::A2aAgent;
pub use standing::{A2aFound, A2aStanding};
pub use tools::A2aTools;
