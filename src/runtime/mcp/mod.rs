//! MCP servers: programs and addresses that bring tools of their own.

mod server;
mod standing;
mod tools;

pub use server::{McpServer, McpWay};
pub use standing::{McpFound, McpStanding};
pub use tools::{McpMeans, McpTools};
