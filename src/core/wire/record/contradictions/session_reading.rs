//! What is known of a session while its entries are read: of its calls, of its tasks, and of the run.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::budget::{Limits, Meter};
use crate::ledger::{
    Arguments, AssistantMessage, CallId, Decider, Ending, EntryId, Escrow, Fault, Goal, LeftOut, Mode,
    Sandboxing, Stop,
};

/// What is known of a call.
#[derive(Default)]
pub(super) struct KnownCall {
    pub(super) name: String,
    /// What the provider calls it.
    pub(super) wire_id: String,
    /// Of a call that changes a file, as it was made or changed last. `None`: nobody wrote down to what it was changed.
    pub(super) arguments: Option<Arguments>,
    /// The task that it hands over, as far as that is known.
    pub(super) task: Option<String>,
    /// Its place among all calls.
    pub(super) number: usize,
    pub(super) is_announced: bool,
    /// A person typed it.
    pub(super) is_own: bool,
    /// It checks a goal.
    pub(super) is_check: bool,
    /// What the last question about it says the sandbox cannot hide. `None`: nobody was asked.
    pub(super) asked: Option<Vec<String>>,
    /// Where it runs if that question is answered with yes.
    pub(super) sandboxing: Sandboxing,
    /// Whether the last decision lets it run only in the sandbox.
    pub(super) sandboxed: Option<bool>,
    /// Why it was denied.
    pub(super) reason: Option<String>,
    /// What a person answered.
    pub(super) answer: Option<String>,
    /// Left out: what a person answered, and what the last question says the sandbox cannot hide.
    pub(super) lacks_answer: bool,
    pub(super) lacks_gaps: bool,
    /// Who decided, whether it may run, and whether the decision is an answer.
    pub(super) decided: Option<(Decider, bool, bool)>,
    pub(super) is_delegated: bool,
}

/// What is known of a task.
#[derive(Debug, Default)]
pub(super) struct TaskReading {
    pub(super) agent: String,
    pub(super) waits: bool,
    /// Whether its end is an error, and what the end says if that is not left out.
    pub(super) ended: Option<(bool, Option<String>)>,
}

/// What is known of the run that a message of the user began.
#[derive(Debug, Default)]
pub(super) struct RunReading {
    pub(super) message: Option<EntryId>,
    pub(super) is_withdrawn: bool,
    pub(super) has_command: bool,
    pub(super) has_result: bool,
    pub(super) has_denial: bool,
    pub(super) goal: Option<Goal>,
    /// How the goal is checked is left out.
    pub(super) lacks_method: bool,
    /// What the provider ran for an answer is left out.
    pub(super) lacks_uses: bool,
    pub(super) checkpoints: u32,
    /// The last check of the goal is under way, or came to this.
    pub(super) is_checked: bool,
    pub(super) holds: bool,
    /// What the model said last of the done condition.
    pub(super) says_done: bool,
    pub(super) was_nudged: bool,
    pub(super) was_repaired: bool,
    pub(super) is_in_two: bool,
    /// Since the run began, or ended last: it can be taken up again.
    pub(super) has_error: bool,
    /// The last answer, and how it stopped.
    pub(super) last: Option<(EntryId, Stop, bool)>,
    /// An answer that broke off, and stands.
    pub(super) broken: Option<EntryId>,
}

/// What is known of a session up to the entry that is read.
pub(super) struct SessionReading<'l> {
    pub(super) left_out: &'l LeftOut,
    pub(super) is_copy: bool,
    pub(super) position: usize,
    pub(super) faults: Vec<(usize, Fault)>,
    pub(super) session: String,
    pub(super) mode: Option<Mode>,
    pub(super) calls: BTreeMap<CallId, KnownCall>,
    pub(super) open: BTreeSet<(usize, CallId)>,
    pub(super) ids: BTreeSet<EntryId>,
    pub(super) withdrawn_early: BTreeSet<EntryId>,
    pub(super) withdrawn: BTreeSet<EntryId>,
    /// Messages of the user, and all else that can be withdrawn.
    pub(super) messages: BTreeSet<EntryId>,
    pub(super) withdrawable: BTreeSet<EntryId>,
    pub(super) escrows: BTreeMap<CallId, (Escrow, bool)>,
    pub(super) tasks: BTreeMap<CallId, TaskReading>,
    /// What stands here was done by another program: until a model is asked here.
    pub(super) is_foreign: bool,
    pub(super) is_own: bool,
    /// How the last run ended, if no other has begun.
    pub(super) ended: Option<Ending>,
    pub(super) not_ok: Vec<(CallId, String)>,
    /// What models said in this run, without what was withdrawn.
    pub(super) answers: Vec<(EntryId, Arc<AssistantMessage>)>,
    /// Those of all runs whose words are left out.
    pub(super) unread: BTreeSet<EntryId>,
    pub(super) run: RunReading,
    pub(super) meter: Meter,
}

impl<'l> SessionReading<'l> {
    pub(super) fn new(left_out: &'l LeftOut, is_copy: bool) -> Self {
        Self {
            left_out,
            is_copy,
            position: 0,
            faults: Vec::new(),
            session: String::new(),
            mode: None,
            calls: BTreeMap::new(),
            open: BTreeSet::new(),
            ids: BTreeSet::new(),
            withdrawn_early: BTreeSet::new(),
            withdrawn: BTreeSet::new(),
            messages: BTreeSet::new(),
            withdrawable: BTreeSet::new(),
            escrows: BTreeMap::new(),
            tasks: BTreeMap::new(),
            is_foreign: false,
            is_own: false,
            ended: None,
            not_ok: Vec::new(),
            answers: Vec::new(),
            unread: BTreeSet::new(),
            run: RunReading::default(),
            meter: Meter::new(Limits::default()),
        }
    }

    /// Whether the entry that is read lacks a field.
    pub(super) fn lacks(&self, name: &str) -> bool {
        self.left_out.lacks(self.position, name)
    }

    /// Nobody can tell what the call is called with now.
    pub(super) fn becomes_unknown(&mut self, call: CallId) {
        self.of(call, |known| {
            (known.task, known.asked, known.arguments) = (None, None, None);
        });
    }

    pub(super) fn of(&mut self, call: CallId, change: impl FnOnce(&mut KnownCall)) {
        if let Some(known) = self.calls.get_mut(&call) {
            change(known);
        }
    }

    pub(super) fn fault(&mut self, entry: EntryId, what: impl Into<String>) {
        self.faults.push((self.position, Fault { entry, what: what.into() }));
    }
}
