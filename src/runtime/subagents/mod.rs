//! Sub-agents: each is a session with a driver of its own, which reports to the one that started it.

mod life;
mod made_session;
mod report;
mod roster;
mod watched;

pub use made_session::{AfterEnd, MadeSession, MakeRest, MakeSession};
pub(crate) use watched::{cut_short, of_ending};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::timeout;

use super::ports::SubagentPort;
use crate::agent::{Input, Intent, SubagentNews, SubagentStart};
use crate::ledger::{CallId, CutBy};
use made_session::Making;
use report::{not_started, tell};
use roster::{AtWork, ENDED, Roster, locked, waits_for_task};

/// How long sub-agents may take to settle when everything ends.
const LAST_WAIT: Duration = Duration::from_secs(3);

/// Sub-agents in this process. Dropping it ends all of them at once; closing it first lets them settle.
pub struct LocalSubagents {
    maker: Arc<dyn MakeSession>,
    roster: Roster,
    tasks: Arc<Mutex<JoinSet<()>>>,
    /// Those that will be started as soon as that is on record.
    foreseen: Mutex<BTreeMap<CallId, (SubagentStart, Making)>>,
}

impl LocalSubagents {
    /// Sub-agents whose sessions are made by this.
    pub fn new(maker: Arc<dyn MakeSession>) -> Self {
        Self { maker, roster: Roster::default(), tasks: Arc::default(), foreseen: Mutex::default() }
    }

    fn making(&self, start: SubagentStart) -> Making {
        let maker = Arc::clone(&self.maker);
        spawn_blocking(move || maker.make(&start))
    }
}

impl SubagentPort for LocalSubagents {
    fn foresee(&self, start: &SubagentStart) {
        if let Some(rest) = Arc::clone(&self.maker).foresee(start) {
            let making = (start.clone(), spawn_blocking(rest));
            locked(&self.foreseen).insert(start.invocation.call, making);
        }
    }

    fn start(&self, start: SubagentStart, news: mpsc::Sender<Input>) {
        let mut tasks = locked(&self.tasks);
        while tasks.try_join_next().is_some() {}
        locked(&self.roster).insert(start.invocation.call, AtWork::new(news.clone()));
        let foreseen = locked(&self.foreseen).remove(&start.invocation.call);
        let making = match foreseen.filter(|(foreseen, _)| *foreseen == start) {
            Some((_, making)) => making,
            None => self.making(start.clone()),
        };
        tasks.spawn(life::live(making, start, news, Arc::clone(&self.roster)));
    }

    fn tell(&self, call: CallId, intent: Intent) {
        if intent == Intent::Abort {
            return self.stop(call, CutBy::User);
        }
        let mut roster = locked(&self.roster);
        let Some(at_work) = roster.get_mut(&call) else {
            return tracing::debug!("a wish came for the sub-agent of {call}, which is over");
        };
        if at_work.is_over {
            if let Some(words) = intent.given_back() {
                at_work.refuse(call, Some(words), ENDED);
            }
            return;
        }
        let is_early = !at_work.has_task && waits_for_task(&intent);
        match at_work.ends.as_ref().filter(|_| !is_early) {
            Some(ends) => at_work.pass(ends, call, intent),
            None => at_work.held.push(intent),
        }
    }

    fn stop(&self, call: CallId, by: CutBy) {
        if let Some(at_work) = locked(&self.roster).get_mut(&call) {
            at_work.stop(by);
        }
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        let calls: Vec<CallId> = locked(&self.roster).keys().copied().collect();
        calls.into_iter().for_each(|call| self.stop(call, CutBy::SessionEnd));
        let tasks = Arc::clone(&self.tasks);
        Box::pin(async move {
            let mut under_way = std::mem::take(&mut *locked(&tasks));
            let all_over = async { while under_way.join_next().await.is_some() {} };
            timeout(LAST_WAIT, all_over).await.unwrap_or_default();
            under_way.shutdown().await;
        })
    }
}

/// No sub-agents.
pub struct NoSubagents;

impl SubagentPort for NoSubagents {
    fn start(&self, start: SubagentStart, news: mpsc::Sender<Input>) {
        let over = not_started("there are no sub-agents here");
        tokio::spawn(async move {
            tell(&news, start.invocation.call, SubagentNews::Over(over)).await;
        });
    }

    fn tell(&self, _call: CallId, _intent: Intent) {}

    fn stop(&self, _call: CallId, _by: CutBy) {}
}
