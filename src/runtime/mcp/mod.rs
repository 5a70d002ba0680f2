//! MCP servers: programs and addresses that bring tools of their own.
//!
//! The official SDK speaks the protocol. Programs are started, heard and ended by this crate, and nothing of the SDK's
//! types leaves this folder.

mod address;
#[expect(deprecated, reason = "roots are, in a version of the protocol that few servers speak yet")]
mod answers;
mod call;
mod checked;
mod ear;
mod kept;
mod lines;
mod link;
mod listing;
mod means;
mod program;
mod report;
mod server;
mod standing;
mod tasks;
mod tools;
mod web;

pub use means::McpMeans;
pub use server::{McpServer, McpWay};
pub use standing::{McpFound, McpStanding};
pub use tools::McpTools;
