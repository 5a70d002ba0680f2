//! A2A agents: other agents that tasks are handed to, each behind a tool of its own.

mod agent;
mod agent_handle;
mod cancel;
mod card_address;
mod conversation;
mod delegation;
mod described;
mod exchange;
mod link;
mod progress;
mod report;
mod status;
mod tools;

pub use agent::A2aAgent;
pub use status::{A2aFound, A2aStanding};
pub use tools::A2aTools;
