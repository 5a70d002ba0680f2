//! Sub-agents: each is a session with a driver of its own, which reports to the one that started it.

mod life;
mod watched;

pub(crate) use watched::{cut_short, of_ending};

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::timeout;

use super::ports::SubagentPort;
use super::{Driver, Handles};
use crate::agent::{Effect, Event, Input, Intent, Live, SubagentNews, SubagentReport, SubagentStart};
use crate::ledger::{CallId, CutBy, Outcome, Reach, Spent, TaskState};

/// How long sub-agents may take to settle when everything ends.
const LAST_WAIT: Duration = Duration::from_secs(3);

/// Puts the session of a sub-agent together.
pub trait MakeSession: Send + Sync {
    /// Makes it. May block.
    ///
    /// # Errors
    /// A sentence that says why it cannot be made.
    fn make(&self, start: &SubagentStart) -> Result<MadeSession, String>;

    /// Begins to make it before its start is on record, and says how the rest is made; `None`: making it has a consequence. Nothing of it
    /// stays if that is dropped, or what it makes. Does not block: what makes it may.
    fn foresee(self: Arc<Self>, _start: &SubagentStart) -> Option<MakeRest> {
        None
    }
}

/// Makes the rest of a session. May block.
pub type MakeRest = Box<dyn FnOnce() -> Result<MadeSession, String> + Send>;

/// A session that is being made, on another thread.
type Making = JoinHandle<Result<MadeSession, String>>;

/// A session that is ready to run.
pub struct MadeSession {
    /// Its loop.
    pub driver: Driver,
    /// The loop's other ends.
    pub handles: Handles,
    /// What it does first.
    pub first: Vec<Effect>,
    /// Its task.
    pub task: Intent,
    /// What is done after its end; what it says is added to the report.
    pub after: Option<AfterEnd>,
}

/// What is done after the end of a session. May block.
pub type AfterEnd = Box<dyn FnOnce() -> Option<String> + Send>;

/// The ends of a loop: wishes, Esc, and who else stops it.
#[derive(Clone)]
struct LoopEnds {
    intents: mpsc::Sender<Intent>,
    abort: mpsc::Sender<()>,
    cut: mpsc::Sender<CutBy>,
}

/// What is held of a sub-agent from its start to the end of the session above. Its session may take long to make, and what is wanted of it meanwhile must
/// not be lost: a stop, or a stricter mode.
struct AtWork {
    /// The ends of its loop, once there is one.
    ends: Option<LoopEnds>,
    /// What was wanted of it before, and what was said to it before it had its task.
    held: Vec<Intent>,
    /// Whether its loop has the task: an Esc before that would find nothing to stop.
    has_task: bool,
    /// Who told it to stop, if anyone did.
    stopped: Option<CutBy>,
    /// Its run has ended.
    is_over: bool,
    /// Where news of it go.
    news: mpsc::Sender<Input>,
}

impl AtWork {
    fn new(news: mpsc::Sender<Input>) -> Self {
        Self { ends: None, held: Vec::new(), has_task: false, stopped: None, is_over: false, news }
    }

    /// Who stopped it first is who stopped it; a second time, it waits for nothing any more.
    fn stop(&mut self, by: CutBy) {
        self.stopped.get_or_insert(by);
        let Some(LoopEnds { abort, cut, .. }) = self.ends.as_ref().filter(|_| self.has_task) else { return };
        // A full channel holds the same already.
        match by {
            CutBy::User => abort.try_send(()).unwrap_or_default(),
            by => cut.try_send(by).unwrap_or_default(),
        }
    }

    /// Its run has ended, and it is being settled: it takes nothing any more.
    fn ends(&mut self, call: CallId) {
        (self.is_over, self.ends) = (true, None);
        self.return_held(call);
    }

    /// What was said to it, and it never heard, goes back.
    fn return_held(&mut self, call: CallId) {
        for words in std::mem::take(&mut self.held).into_iter().filter_map(Intent::given_back) {
            self.refuse(call, Some(words), ENDED);
        }
    }

    /// Its loop is told.
    fn pass(&self, ends: &LoopEnds, call: CallId, intent: Intent) {
        if let Err(full) = ends.intents.try_send(intent) {
            tracing::warn!("a wish for the sub-agent of {call} was not taken");
            let why = "not accepted: the sub-agent is busy with earlier input; try again";
            self.refuse(call, full.into_inner().given_back(), why);
        }
    }

    /// Says why, and gives the words back.
    fn refuse(&self, call: CallId, words: Option<Live>, why: &str) {
        let told = words.into_iter().chain([Live::Refused(why.to_owned())]);
        for live in told {
            let news = Input::Subagent(call, SubagentNews::Told(Box::new(Event::Live(live))));
            if self.news.try_send(news).is_err() {
                tracing::warn!("what was refused of the sub-agent of {call} could not be told");
            }
        }
    }

    /// Its loop has the task. What was said to it meanwhile comes next, unless it is to stop.
    fn begins(&mut self, call: CallId) {
        self.has_task = true;
        if let Some(by) = self.stopped {
            return self.stop(by);
        }
        let Some(ends) = self.ends.clone() else { return };
        std::mem::take(&mut self.held).into_iter().for_each(|intent| self.pass(&ends, call, intent));
    }
}

/// Why one takes nothing that has done its work.
const ENDED: &str = "not accepted: the sub-agent has ended";

/// Whether it says something or begins something: before its task, that would be its task. A mode is to hold
/// for the task, so it does not wait.
fn waits_for_task(intent: &Intent) -> bool {
    match intent {
        Intent::Submit(_)
        | Intent::Queue(_)
        | Intent::Pursue(..)
        | Intent::ResumeGoal(_)
        | Intent::Compact
        | Intent::Command(_)
        | Intent::Race(_)
        | Intent::Adopt(_) => true,
        Intent::Typed { intent, .. } => waits_for_task(intent),
        Intent::Abort
        | Intent::Decide { .. }
        | Intent::Raise { .. }
        | Intent::AcceptPrice { .. }
        | Intent::SetModel(_)
        | Intent::SetEffort(_)
        | Intent::Restored(_)
        | Intent::Revoke(_)
        | Intent::OpenHost(_)
        | Intent::CloseHost(_)
        | Intent::AcceptGaps { .. }
        | Intent::RefuseGaps
        | Intent::Rewind { .. }
        | Intent::Subagent { .. }
        | Intent::Rename(_)
        | Intent::StopBackground(_)
        | Intent::SetMode(_)
        | Intent::TypeInto { .. } => false,
    }
}

type Roster = Arc<Mutex<BTreeMap<CallId, AtWork>>>;

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

/// The report of one that did nothing.
fn not_started(why: &str) -> SubagentReport {
    SubagentReport {
        outcome: Outcome::Failed,
        content: format!("The sub-agent was not started: {}.", why.trim_end_matches('.')),
        cut_chars: 0,
        state: TaskState::Rejected,
        spent: Spent::default(),
        reach: Reach::NothingStarted,
    }
}

/// By whom a sub-agent was stopped, after a comma.
fn stopped_by(by: CutBy) -> &'static str {
    match by {
        CutBy::User => "by the user",
        CutBy::WallTime => "because the time limit of its run was reached",
        CutBy::Approval => "because another call of its run needs an approval",
        CutBy::SessionEnd => "because the session that it worked for ended",
    }
}

/// The report of one that was stopped before it began.
fn stopped_before(by: CutBy, said: Option<&str>) -> SubagentReport {
    let mut content = format!("The sub-agent was stopped before it began, {}.", stopped_by(by));
    content.extend(said.into_iter().flat_map(|said| ["\n\n", said]));
    SubagentReport { content, state: TaskState::Canceled, ..not_started("") }
}

/// Tells the loop. Nobody listens only while it is going down.
async fn tell(news: &mpsc::Sender<Input>, call: CallId, what: SubagentNews) {
    if news.send(Input::Subagent(call, what)).await.is_err() {
        tracing::debug!("a sub-agent reported after the loop had ended");
    }
}

fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
