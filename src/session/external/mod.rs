//! The external tools of a session: MCP servers and A2A agents, and which of them are missing.

pub(crate) mod agents;
pub(crate) mod mcp;
pub(crate) mod ready;
pub(crate) mod unavailable;
pub(crate) mod variables;

use ready::ReadyPeers;

use crate::config::{AgentEntry, Invocation, McpEntry};
use crate::runtime::a2a::A2aAgent;
use crate::runtime::mcp::{McpServers, McpTools};
use crate::runtime::{Groups, LocalTools, ToolPort};
use crate::tool::Absent;

/// What brings tools to a session.
pub(crate) struct ExternalTools {
    servers: McpServers,
    agents: Vec<A2aAgent>,
    /// Those of whom it is known before anything is started or reached that they bring none.
    absent: Vec<Absent>,
}

impl ExternalTools {
    /// All that the configuration names. Programs will be entered in `groups`.
    pub(crate) fn of(invocation: &Invocation, groups: &Groups) -> Self {
        let ReadyPeers { peers: servers, faults } = ready::all(invocation, mcp::server);
        let mut lacking = unavailable::absent::<McpEntry>(invocation, &faults);
        let ReadyPeers { peers: agents, faults } = ready::all(invocation, agents::agent);
        lacking.extend(unavailable::absent::<AgentEntry>(invocation, &faults));
        let servers = McpServers::new(servers, &mcp::means(invocation, groups));
        Self { servers, agents, absent: lacking }
    }

    /// Whether the loop has to ask for tools.
    pub(crate) fn is_somebody(&self) -> bool {
        let is_told = self.absent.iter().any(|one| one.why.is_told());
        !(self.servers.is_empty() && self.agents.is_empty()) || is_told
    }

    /// Who is configured and known to bring nothing.
    pub(crate) fn absent(&self) -> &[Absent] {
        &self.absent
    }

    /// The MCP servers, which sub-agents use too.
    pub(crate) fn servers(&self) -> McpServers {
        self.servers.clone()
    }

    /// The tools of this machine with theirs behind one port. What is missing is told where tools are asked for.
    pub(crate) fn around(self, local: LocalTools, invocation: &Invocation) -> Box<dyn ToolPort> {
        let local = Box::new(local.lacking(self.absent));
        let tools: Box<dyn ToolPort> =
            if self.servers.is_empty() { local } else { Box::new(McpTools::with(local, self.servers)) };
        agents::around(tools, self.agents, invocation)
    }
}
