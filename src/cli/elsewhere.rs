//! The tools of a session that come from elsewhere: MCP servers and A2A agents, and what of them is missing.

use super::config::{AgentEntry, McpEntry};
use super::peers::{self, Ready};
use super::{Invocation, agents, mcp};
use crate::runtime::a2a::A2aAgent;
use crate::runtime::mcp::McpServer;
use crate::runtime::{Groups, LocalTools, ToolPort};

/// Who brings tools to a session.
pub(super) struct Elsewhere {
    servers: Vec<McpServer>,
    agents: Vec<A2aAgent>,
    /// Those that cannot be started or reached as things are: a sentence each.
    missing: Vec<String>,
}

impl Elsewhere {
    /// All that the configuration names.
    pub(super) fn of(invocation: &Invocation) -> Self {
        let Ready { peers: servers, faults } = peers::all(invocation, mcp::server);
        let mut missing: Vec<String> = peers::missing::<McpEntry>(&faults).collect();
        let Ready { peers: agents, faults } = peers::all(invocation, agents::agent);
        missing.extend(peers::missing::<AgentEntry>(&faults));
        Self { servers, agents, missing }
    }

    /// Whether the loop has to ask for tools.
    pub(super) fn is_somebody(&self) -> bool {
        !(self.servers.is_empty() && self.agents.is_empty() && self.missing.is_empty())
    }

    /// The tools of this machine with theirs behind one port. What is missing is told where tools are asked for.
    pub(super) fn around(
        self,
        local: LocalTools,
        invocation: &Invocation,
        groups: &Groups,
    ) -> Box<dyn ToolPort> {
        let local = Box::new(local.lacking(self.missing));
        let tools = mcp::around(local, self.servers, invocation, groups);
        agents::around(tools, self.agents, invocation)
    }
}
