//! An MCP server as it is written.

use std::collections::BTreeMap;

use crate::config::source::Source;
use crate::wire::Secret;

/// A `[mcp_servers.NAME]` as written: what stands in `${…}` is put in when the server is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpEntry {
    /// The program that is the server.
    pub command: Option<String>,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables that it gets beside the filtered environment of programs, by name.
    pub env: BTreeMap<String, Secret>,
    /// Whether it runs in the sandbox of commands.
    pub sandbox: bool,
    /// Whether it may use the network in the sandbox.
    pub network: bool,
    /// The address of a server that is reached by HTTP.
    pub url: Option<String>,
    /// Headers of its requests, by name.
    pub headers: BTreeMap<String, Secret>,
    /// Whether it is offered the session's folder as a root; `None`: as [`McpEntry::offers_roots`] says.
    pub roots: Option<bool>,
    /// Its tools that only read, by the server's own names.
    pub reads: Vec<String>,
    /// How long it may take until its tools are known, in seconds.
    pub start_seconds: u64,
    /// How long one call may take, in seconds; `None`: the loop's limit for tools.
    pub call_seconds: Option<u64>,
    /// Whether it is used.
    pub enabled: bool,
    /// Where it was first spoken of: whose it is.
    pub source: Source,
}
