//! The tools of a session that come from elsewhere: MCP servers and A2A agents, and who of them is not there.

use super::config::{AgentEntry, McpEntry};
use super::peers::{self, Ready};
use super::{Invocation, agents, mcp};
use crate::runtime::a2a::A2aAgent;
use crate::runtime::mcp::McpServer;
use crate::runtime::{Groups, LocalTools, ToolPort};
use crate::tool::Absent;

/// Who brings tools to a session.
pub(super) struct Elsewhere {
    servers: Vec<McpServer>,
    agents: Vec<A2aAgent>,
    /// Those of whom it is known before anything is started or reached that they bring none.
    absent: Vec<Absent>,
}

impl Elsewhere {
    /// All that the configuration names.
    pub(super) fn of(invocation: &Invocation) -> Self {
        let Ready { peers: servers, faults } = peers::all(invocation, mcp::server);
        let mut absent = peers::absent::<McpEntry>(invocation, &faults);
        let Ready { peers: agents, faults } = peers::all(invocation, agents::agent);
        absent.extend(peers::absent::<AgentEntry>(invocation, &faults));
        Self { servers, agents, absent }
    }

    /// Whether the loop has to ask for tools.
    pub(super) fn is_somebody(&self) -> bool {
        let is_told = self.absent.iter().any(|one| one.why.is_told());
        !(self.servers.is_empty() && self.agents.is_empty()) || is_told
    }

    /// Who is configured and known to bring nothing.
    pub(super) fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// The tools of this machine with theirs behind one port. What is missing is told where tools are asked for.
    pub(super) fn around(
        self,
        local: LocalTools,
        invocation: &Invocation,
        groups: &Groups,
    ) -> Box<dyn ToolPort> {
        let local = Box::new(local.lacking(self.absent));
        let tools = mcp::around(local, self.servers, invocation, groups);
        agents::around(tools, self.agents, invocation)
    }
}
