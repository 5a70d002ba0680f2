//! MCP servers: programs and addresses that bring tools of their own.
//!
//! The official SDK speaks the protocol. Programs are started, heard and ended by this crate, and nothing of the SDK's
//! types leaves this folder.

mod address;
#[expect(deprecated, reason = "roots are, in a version of the protocol that few servers speak yet")]
mod answers;
mod call;
mod checked;
mod launch_context;
mod line_limit;
mod link;
mod listing;
mod managed_server;
mod notification_filter;
mod page;
mod program;
mod report;
mod server;
mod status;
mod streams;
mod tasks;
mod tools;
mod web;

pub use launch_context::McpMeans;
pub use server::{McpServer, McpWay};
pub use status::{McpFound, McpStanding};
pub use tools::{Lent, McpServers, McpTools};
