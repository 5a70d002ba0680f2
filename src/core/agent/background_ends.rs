//! Background commands that end by themselves, or with the process that ran them: written once, and told to the model once,
//! with its next turn or message.

use std::collections::{BTreeMap, BTreeSet};

use crate::ledger::{
    BackgroundStatus, Body, CallId, Change, Entry, EntryId, Injected, Injector, Millis, Note, Remark, ToolUse,
};
use crate::tool::name::{SHELL, SHELL_KILL, SHELL_OUTPUT};

use super::step::Step;
use super::{Agent, Effect, Live};

/// What the ledger says of background commands.
#[derive(Debug, Clone, Default)]
pub(super) struct Shells {
    /// Calls without a result yet whose result will speak of one.
    about: BTreeSet<CallId>,
    /// By their ids, each with the call that began it.
    running: BTreeMap<String, CallId>,
    /// Those whose end is written.
    ended: BTreeSet<String>,
    /// Those that a person has stopped.
    stopped: BTreeSet<String>,
    /// The last entry that a fork has of the other session, until it is read.
    forked_at: Option<EntryId>,
    /// Those that ran there.
    elsewhere: BTreeSet<String>,
    /// Of them those of which the model was not told yet, in the order of the notes.
    untold: Vec<BackgroundStatus>,
}

impl Shells {
    /// Takes in one more entry.
    pub(super) fn read(&mut self, entry: &Entry) {
        let body = &entry.body;
        if let Body::ToolCall(call) | Body::CallEdited(call) = body
            && speaks(call)
        {
            self.about.insert(call.id);
        }
        if let Body::Note(note) = body
            && let (Some(standing), Some(call)) = (note.ended().cloned(), note.about.call())
        {
            self.stands(&standing, call);
            self.untold.push(standing);
        }
        if let Body::ToolResult(result) = body
            && self.about.remove(&result.call)
            && let Some(standing) = result.facts.background()
        {
            self.stands(standing, result.call);
            self.untold.retain(|untold| standing.is_running || untold.id != standing.id);
        }
        // They are told one by one, in this order.
        if matches!(body, Body::Injected(said) if said.by == Injector::Background) {
            self.untold.drain(..self.untold.len().min(1));
        }
        // Whatever had ended by then was told before the turn began.
        if matches!(body, Body::Transition { reason, .. } if reason.is_a_turn()) {
            self.untold.clear();
        }
        if let Body::Change(Change::BackgroundStopped { id, .. }) = body {
            self.stopped.insert(id.clone());
        }
        if let Body::SessionStarted(started) = body {
            self.forked_at = started.forked_at();
        }
        if self.forked_at == Some(entry.id) {
            self.forked_at = None;
            self.elsewhere = self.running.keys().cloned().collect();
        }
    }

    fn stands(&mut self, standing: &BackgroundStatus, call: CallId) {
        if standing.is_running {
            self.running.entry(standing.id.clone()).or_insert(call);
        } else {
            self.running.remove(&standing.id);
            self.ended.insert(standing.id.clone());
        }
    }
}

fn speaks(call: &ToolUse) -> bool {
    [SHELL, SHELL_OUTPUT, SHELL_KILL].contains(&call.name.as_str())
}

/// Ends of background commands that this process has heard of.
#[derive(Debug, Default)]
pub(super) struct BackgroundEnds {
    /// Those still to be written, each with the call that began it.
    pub(super) ended: Vec<(CallId, BackgroundStatus)>,
    /// Commands that had ended when this process took the session up.
    of_before: BTreeSet<String>,
}

impl Agent {
    /// A person stops one. That is in the books before it is done; its end is noted when it comes, whoever it was.
    pub(super) fn stop_background(&mut self, step: &mut Step, id: String) {
        let shells = self.history.shells();
        let why = match shells.running.get(&id) {
            Some(_) if shells.stopped.contains(&id) => format!("{id} is being stopped"),
            Some(call) => {
                let call = *call;
                let change = Change::BackgroundStopped { id: id.clone(), call };
                self.history.ledger.remark(step.now, Remark::Change(change));
                return step.act(Effect::StopBackground(call, id));
            }
            None => format!("no background command {id} runs here; /shells lists them"),
        };
        step.emit(Live::Refused(format!("not stopped: {why}")));
    }

    /// Writes the ends that nobody asked about. One whose first call has no result yet waits for it.
    pub(super) fn write_ended(&mut self, now: Millis) {
        for (call, standing) in std::mem::take(&mut self.background.ended) {
            let shells = self.history.shells();
            if shells.ended.contains(&standing.id) {
                continue;
            }
            if shells.running.contains_key(&standing.id) {
                self.history.ledger.remark(now, Remark::Note(Note::of_background(call, standing)));
            } else {
                self.background.ended.push((call, standing));
            }
        }
    }

    /// When a session is taken up: what the earlier process ran is gone with it, and what ran where it was forked from is
    /// not this session's, which is written now. The model is told of that, and of ends that the earlier process had no time to tell, with its first turn.
    pub(super) fn write_lost(&mut self, now: Millis) {
        let shells = self.history.shells().clone();
        for (id, call) in shells.running {
            let standing = match shells.elsewhere.contains(&id) {
                true => BackgroundStatus::left(&id),
                false => BackgroundStatus::lost(&id),
            };
            self.history.ledger.remark(now, Remark::Note(Note::of_background(call, standing)));
        }
        // What these printed nobody can say any more.
        self.background.of_before = self.history.shells().ended.clone();
    }

    /// Tells the model of the ends that no result has told it of, those among them that could be written only now that the
    /// first result is.
    pub(super) fn tell_ended(&mut self, now: Millis) {
        self.write_ended(now);
        for standing in self.history.shells().untold.clone() {
            let id = &standing.id;
            let text = if standing.is_lost && self.history.shells().elsewhere.contains(id) {
                format!(
                    "The background command {id} is not this session's: it was started in the session that this one was \
                     forked from, and may still run there. This session cannot read or stop it. Start \
                     another if it is needed."
                )
            } else if standing.is_lost {
                format!(
                    "The background command {id} is gone: it belonged to an earlier process of this session, \
                     and its exit code is not known. Start it again if it is still needed."
                )
            } else {
                let more = if self.background.of_before.contains(id) {
                    ""
                } else {
                    " shell_output says what it printed."
                };
                format!("The background command {id} has ended: {}.{more}", standing.words)
            };
            // No call is open when a turn begins; should one be, the words wait for the next.
            if self.history.ledger.inject(now, Injected::text(Injector::Background, &text)).is_err() {
                return;
            }
        }
    }
}
