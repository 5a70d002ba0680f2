//! The tools behind and those that hand tasks to agents behind one port.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, join, join_all};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::agent::A2aAgent;
use super::agent_handle::AgentHandle;
use super::delegation::Handover;
use super::status::A2aStanding;
use crate::ledger::{CallId, Preview};
use crate::runtime::network::Network;
use crate::runtime::ports::{LateNews, ToolPort};
use crate::tool::{
    Absence, Absent, Absentee, Discovered, Invocation, Preparation, Shown, ToolReport, Typed, delegate,
};
use crate::wire::a2a::Outgoing;

/// How long tasks may take to be taken back when everything ends.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// The tools behind and those that hand tasks to agents behind one port. Dropping it ends every conversation at once;
/// closing it first lets tasks be taken back.
pub struct A2aTools {
    inner: Box<dyn ToolPort>,
    agents: Vec<Arc<AgentHandle>>,
    /// Conversations under way, those that nobody waits for among them.
    conversations: Arc<Mutex<JoinSet<()>>>,
    late: OnceLock<LateNews>,
}

impl A2aTools {
    /// Tools named `delegate_to_…` go to these agents, all others to `inner`. Reaches nobody yet.
    pub fn new(inner: Box<dyn ToolPort>, agents: Vec<A2aAgent>, network: Network) -> Self {
        let agents =
            agents.into_iter().map(|agent| Arc::new(AgentHandle::new(agent, network.clone()))).collect();
        Self { inner, agents, conversations: Arc::default(), late: OnceLock::new() }
    }

    /// How each agent stands, in the order of the configuration. Reads the cards of those that are not known, all at once,
    /// each within its own time.
    pub async fn survey(&self) -> Vec<A2aStanding> {
        survey(self.agents.clone()).await
    }

    /// The agent that a tool of this name hands its task to, if it is one of these.
    fn agent(&self, tool: &str) -> Option<&Arc<AgentHandle>> {
        let agent = delegate(tool)?;
        self.agents.iter().find(|kept| kept.agent.name == agent)
    }

    /// What a call hands over.
    fn handover(&self, kept: &Arc<AgentHandle>, invocation: &Invocation) -> Result<Handover, String> {
        let said = |member: &str| invocation.arguments.text(member).filter(|text| !text.is_empty());
        let task = said("task").ok_or("there is no task in the arguments; nothing was sent")?;
        Ok(Handover {
            kept: kept.clone(),
            call: invocation.call,
            message: Outgoing {
                id: invocation.key.clone(),
                text: task.to_owned(),
                task: said("task_id").map(str::to_owned),
            },
            timeout_ms: invocation.timeout_ms,
            max_chars: invocation.max_chars,
            late: self.late.get().cloned(),
        })
    }
}

async fn survey(agents: Vec<Arc<AgentHandle>>) -> Vec<A2aStanding> {
    join_all(agents.iter().map(|kept| kept.standing())).await
}

/// Starts a conversation and waits for its report. Dropped before, it leaves the conversation to take the task back.
async fn converse(
    conversations: Arc<Mutex<JoinSet<()>>>,
    handover: Handover,
    output: mpsc::Sender<Shown>,
) -> ToolReport {
    let (over, report) = oneshot::channel();
    {
        let mut conversations = conversations.lock().unwrap_or_else(PoisonError::into_inner);
        while conversations.try_join_next().is_some() {}
        conversations.spawn(handover.hold(output, over));
    }
    let ended =
        "the conversation with the agent was ended; it may have accepted the task; check before repeating";
    report.await.unwrap_or_else(|_ended| ToolReport::failed(ended).unclear())
}

impl ToolPort for A2aTools {
    fn discover(&self) -> BoxFuture<'static, Discovered> {
        let (others, agents) = (self.inner.discover(), self.agents.clone());
        Box::pin(async move {
            let (mut all, standings) = join(others, survey(agents)).await;
            for standing in standings {
                match standing.found {
                    Ok(found) => all.tools.push(found.tool),
                    Err(sentence) => {
                        all.missing.push(sentence.clone());
                        let who = Absentee::Agent(standing.name);
                        all.absent.push(Absent { who, why: Absence::Unreached, sentence });
                    }
                }
            }
            all
        })
    }

    fn prepare(&self, invocation: Invocation) -> BoxFuture<'static, Preparation> {
        if let Some(kept) = self.agent(&invocation.name) {
            // What an agent would do cannot be looked at; what is sent, and where, is all there is to see.
            let preview = Preview::Recipient(kept.recipient());
            return Box::pin(std::future::ready(Preparation { preview, ..Preparation::default() }));
        }
        self.inner.prepare(invocation)
    }

    fn run(&self, invocation: Invocation, output: mpsc::Sender<Shown>) -> BoxFuture<'static, ToolReport> {
        // Whoever is not there is told of where all other tools are.
        let Some(kept) = self.agent(&invocation.name) else {
            return self.inner.run(invocation, output);
        };
        match self.handover(kept, &invocation) {
            Ok(handover) => Box::pin(converse(self.conversations.clone(), handover, output)),
            Err(why) => {
                let report = ToolReport { is_unsent: true, ..ToolReport::failed(why) };
                Box::pin(std::future::ready(report))
            }
        }
    }

    fn tell_late(&self, to: LateNews) {
        if self.late.set(to.clone()).is_err() {
            tracing::debug!("late updates already have a receiver");
        }
        self.inner.tell_late(to);
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        let conversations = self.conversations.clone();
        let ours = async move {
            let mut under_way =
                std::mem::take(&mut *conversations.lock().unwrap_or_else(PoisonError::into_inner));
            let all_over = async { while under_way.join_next().await.is_some() {} };
            timeout(LAST_WAIT, all_over).await.unwrap_or_default();
            under_way.shutdown().await;
        };
        let others = self.inner.close();
        Box::pin(async move {
            join(others, ours).await;
        })
    }

    /// No agent has a terminal.
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
