//! Background commands that end by themselves, or with the process that ran them: written once, and told to the model once,
//! with its next turn or message.

use crate::ledger::{BackgroundStatus, Change, Injected, Injector, Millis, Note, Remark};

use super::step::Step;
use super::{Agent, Effect, Live};

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
