//! What is known of an MCP server before anybody has spoken to it.

use std::collections::BTreeMap;

use crate::wire::Secret;

/// A server as it was configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// Its name here: letters, digits, `-` and single `_`; the first part of its tools' names (`mcp__NAME__TOOL`).
    pub name: String,
    /// How it is reached.
    pub way: McpWay,
    /// Its tools that only read, by the server's own names, as a person says; what a server says of itself is not
    /// believed. All others count as sending.
    pub reads: Vec<String>,
    /// Whether it may ask which folder the work is in (`roots` of the protocol).
    pub roots: bool,
    /// What variables gave to its arguments, or to the path of its address: may be keys, which are struck out of what is said of it.
    pub secrets: Vec<Secret>,
    /// How long it may take until its tools are known, in milliseconds.
    pub start_ms: u64,
    /// How long one call may take, in milliseconds; `None`: the loop's limit for tools.
    pub call_ms: Option<u64>,
}

/// How a server is reached. Values may be keys: they are never shown or logged.
#[derive(Clone, PartialEq, Eq)]
pub enum McpWay {
    /// A program that is spoken to through its standard input and output.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        args: Vec<String>,
        /// Variables that it gets beside the filtered environment of programs.
        env: BTreeMap<String, String>,
        /// Whether it runs in the sandbox of commands.
        sandboxed: bool,
        /// Whether it may use the network in the sandbox.
        network: bool,
    },
    /// An address that speaks streamable HTTP.
    Http {
        /// The address.
        url: String,
        /// Headers that are sent with each request.
        headers: BTreeMap<String, String>,
    },
}

impl std::fmt::Debug for McpWay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Command { program, args, env, sandboxed, network } => f
                .debug_struct("Command")
                .field("program", program)
                .field("args", &args.len())
                .field("env", &env.keys())
                .field("sandboxed", sandboxed)
                .field("network", network)
                .finish(),
            Self::Http { url, headers } => f
                .debug_struct("Http")
                .field("url", &url.split(['?', '#']).next())
                .field("headers", &headers.keys())
                .finish(),
        }
    }
}
