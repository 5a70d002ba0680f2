//! A conversation with MCP servers, as long as a command needs them.

use crate::cli::peers;
use crate::config::Invocation;
use crate::config::fault::Fault;
use crate::runtime::Groups;
use crate::runtime::mcp::{McpServer, McpTools};
use crate::session::external::mcp::means;

/// Runs what speaks with servers to its end, or to a signal; then nothing of them is left.
pub(super) fn conversed<T>(
    invocation: &Invocation,
    servers: Vec<McpServer>,
    talk: impl AsyncFnOnce(&McpTools) -> T,
) -> Result<Option<T>, Fault> {
    let around = |inner, groups: &Groups| McpTools::new(inner, servers, means(invocation, groups));
    peers::conversed(invocation, around, talk)
}
