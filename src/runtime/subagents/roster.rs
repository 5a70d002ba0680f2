//! The sub-agents that are at work, and what is held of each until its loop can take it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use crate::agent::{Event, Input, Intent, Live, SubagentNews};
use crate::ledger::{CallId, CutBy};

/// The ends of a loop: wishes, Esc, and who else stops it.
#[derive(Clone)]
pub(super) struct LoopEnds {
    pub(super) intents: mpsc::Sender<Intent>,
    pub(super) abort: mpsc::Sender<()>,
    pub(super) cut: mpsc::Sender<CutBy>,
}

/// What is held of a sub-agent from its start to the end of the session above. Its session may take long to make, and what is wanted of it meanwhile must
/// not be lost: a stop, or a stricter mode.
pub(super) struct AtWork {
    /// The ends of its loop, once there is one.
    pub(super) ends: Option<LoopEnds>,
    /// What was wanted of it before, and what was said to it before it had its task.
    pub(super) held: Vec<Intent>,
    /// Whether its loop has the task: an Esc before that would find nothing to stop.
    pub(super) has_task: bool,
    /// Who told it to stop, if anyone did.
    pub(super) stopped: Option<CutBy>,
    /// Its run has ended.
    pub(super) is_over: bool,
    /// Where news of it go.
    news: mpsc::Sender<Input>,
}

impl AtWork {
    pub(super) fn new(news: mpsc::Sender<Input>) -> Self {
        Self { ends: None, held: Vec::new(), has_task: false, stopped: None, is_over: false, news }
    }

    /// Who stopped it first is who stopped it; a second time, it waits for nothing any more.
    pub(super) fn stop(&mut self, by: CutBy) {
        self.stopped.get_or_insert(by);
        let Some(LoopEnds { abort, cut, .. }) = self.ends.as_ref().filter(|_| self.has_task) else { return };
        // A full channel holds the same already.
        match by {
            CutBy::User => abort.try_send(()).unwrap_or_default(),
            by => cut.try_send(by).unwrap_or_default(),
        }
    }

    /// Its run has ended, and it is being settled: it takes nothing any more.
    pub(super) fn ends(&mut self, call: CallId) {
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
    pub(super) fn pass(&self, ends: &LoopEnds, call: CallId, intent: Intent) {
        if let Err(full) = ends.intents.try_send(intent) {
            tracing::warn!("a wish for the sub-agent of {call} was not taken");
            let why = "not accepted: the sub-agent is busy with earlier input; try again";
            self.refuse(call, full.into_inner().given_back(), why);
        }
    }

    /// Says why, and gives the words back.
    pub(super) fn refuse(&self, call: CallId, words: Option<Live>, why: &str) {
        let told = words.into_iter().chain([Live::Refused(why.to_owned())]);
        for live in told {
            let news = Input::Subagent(call, SubagentNews::Told(Box::new(Event::Live(live))));
            if self.news.try_send(news).is_err() {
                tracing::warn!("what was refused of the sub-agent of {call} could not be told");
            }
        }
    }

    /// Its loop has the task. What was said to it meanwhile comes next, unless it is to stop.
    pub(super) fn begins(&mut self, call: CallId) {
        self.has_task = true;
        if let Some(by) = self.stopped {
            return self.stop(by);
        }
        let Some(ends) = self.ends.clone() else { return };
        std::mem::take(&mut self.held).into_iter().for_each(|intent| self.pass(&ends, call, intent));
    }
}

/// Why one takes nothing that has done its work.
pub(super) const ENDED: &str = "not accepted: the sub-agent has ended";

/// Whether it says something or begins something: before its task, that would be its task. A mode is to hold
/// for the task, so it does not wait.
pub(super) fn waits_for_task(intent: &Intent) -> bool {
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

pub(super) type Roster = Arc<Mutex<BTreeMap<CallId, AtWork>>>;

pub(super) fn locked<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
