//! MCP servers: programs and addresses that bring tools of their own.

mod server;

pub use server::{McpServer, McpWay};
