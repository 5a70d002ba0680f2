//! The tools of this machine and those of MCP servers behind one port.

use std::sync::Arc;

use futures_util::future::{BoxFuture, join, join_all};
use tokio::sync::mpsc;

use super::call;
use super::launch_context::McpMeans;
use super::managed_server::ManagedServer;
use super::server::McpServer;
use super::status::McpStanding;
use crate::ledger::{CallId, Preview};
use crate::runtime::ports::{LateNews, ToolPort};
use crate::tool::{
    self, Absence, Absent, Absentee, Discovered, Invocation, Preparation, Shown, ToolReport, Typed,
};

/// Servers that a session and its sub-agents use together: each is started once, when it is first needed. Dropping the last
/// one who holds them ends those that were started.
#[derive(Clone, Default)]
pub struct McpServers(Vec<Arc<ManagedServer>>);

impl McpServers {
    /// These servers. Starts nothing yet.
    pub fn new(servers: Vec<McpServer>, means: &McpMeans) -> Self {
        Self(servers.into_iter().map(|server| Arc::new(ManagedServer::new(server, means.clone()))).collect())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Which tools of servers a session has, by the names that models use.
pub type Lent = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The tools of this machine and those of MCP servers behind one port. Dropping it, and what it was asked for, ends
/// the servers that it started, unless others use them too.
pub struct McpTools {
    inner: Box<dyn ToolPort>,
    servers: Vec<Arc<ManagedServer>>,
    /// Of one whose servers are somebody else's: what of them it has.
    lent: Option<Lent>,
}

impl McpTools {
    /// Tools of these servers go to them, all others to `inner`. Starts nothing yet.
    pub fn new(inner: Box<dyn ToolPort>, servers: Vec<McpServer>, means: McpMeans) -> Self {
        Self::with(inner, McpServers::new(servers, &means))
    }

    /// The same with servers that others may be lent.
    pub fn with(inner: Box<dyn ToolPort>, servers: McpServers) -> Self {
        Self { inner, servers: servers.0, lent: None }
    }

    /// The same with servers of somebody else, who closes them: no tools of theirs but these.
    pub fn lent(inner: Box<dyn ToolPort>, servers: McpServers, tools: Lent) -> Self {
        Self { inner, servers: servers.0, lent: Some(tools) }
    }

    /// How each server stands, in the order of the configuration. Starts those that are not started, all at once, each
    /// within its own time.
    pub async fn survey(&self) -> Vec<McpStanding> {
        survey(self.servers.clone()).await
    }

    fn server(&self, tool: &str) -> Option<Arc<ManagedServer>> {
        let (server, _) = tool::mcp(tool)?;
        if self.lent.as_ref().is_some_and(|has| !has(tool)) {
            return None;
        }
        self.servers.iter().find(|kept| kept.server.name == server).cloned()
    }
}

async fn survey(servers: Vec<Arc<ManagedServer>>) -> Vec<McpStanding> {
    join_all(servers.iter().map(|kept| kept.standing())).await
}

impl ToolPort for McpTools {
    fn discover(&self) -> BoxFuture<'static, Discovered> {
        let (ours, servers, lent) = (self.inner.discover(), self.servers.clone(), self.lent.clone());
        Box::pin(async move {
            let mut all = ours.await;
            let has = |tool: &str| lent.as_ref().is_none_or(|has| has(tool));
            for standing in survey(servers).await {
                match standing.found {
                    Ok(found) => {
                        all.tools.extend(found.tools.into_iter().filter(|tool| has(&tool.name)));
                        all.missing.extend(found.left_out);
                    }
                    Err(sentence) => {
                        all.missing.push(sentence.clone());
                        let who = Absentee::Server(standing.name);
                        all.absent.push(Absent { who, why: Absence::Unreached, sentence });
                    }
                }
            }
            all
        })
    }

    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation> {
        if let Some(kept) = self.server(&invocation.name) {
            // What a server would do cannot be looked at; its arguments name no files of ours.
            return Box::pin(async move {
                let preview = Preview::Recipient(kept.recipient());
                let invalid = kept.fault(invocation.name, invocation.arguments).await;
                Preparation { preview, invalid, ..Preparation::default() }
            });
        }
        self.inner.prepare(invocation)
    }

    fn run(&self, invocation: Invocation, output: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        match self.server(&invocation.name) {
            Some(kept) => Box::pin(async move { call::run(&kept, invocation, output).await }),
            // Whoever is not there is told of where all other tools are.
            None => self.inner.run(invocation, output),
        }
    }

    /// A server is told at once that a call is taken back, and is not asked what became of it.
    fn tell_late(&self, to: LateNews) {
        self.inner.tell_late(to);
    }

    /// Sessions at addresses are ended there, and what was taken back last is told; programs end when this is dropped.
    fn close(&self) -> BoxFuture<'static, ()> {
        let servers = if self.lent.is_none() { self.servers.clone() } else { Vec::new() };
        let others = self.inner.close();
        Box::pin(async move {
            join(others, join_all(servers.iter().map(|kept| kept.close()))).await;
        })
    }

    /// No tool of a server has a terminal.
    fn type_into(&self, call: CallId, typed: Typed) {
        self.inner.type_into(call, typed);
    }

    fn stop_background(&self, id: &str) {
        self.inner.stop_background(id);
    }

    fn warm_up(&self) {
        self.inner.warm_up();
    }

    fn over(&self, call: CallId) {
        self.inner.over(call);
    }
}
