//! What the user says while a run is under way: delivered with the next tool results, or after the run.

use crate::ledger::{Injected, Injector, Millis, Transition};

use super::phase::Phase;
use super::{Agent, Effect, Live};

impl Agent {
    /// Takes in a message that steers the run.
    pub(super) fn hear_steering(&mut self, text: String, out: &mut Vec<Effect>) {
        self.steering.push(text);
        self.tell_queue(out);
    }

    /// Takes in a message for after the run.
    pub(super) fn queue(&mut self, now: Millis, phase: Phase, text: String, out: &mut Vec<Effect>) -> Phase {
        if matches!(phase, Phase::Idle) {
            return self.submit(now, phase, text, out);
        }
        self.queued.push_back(text);
        self.tell_queue(out);
        phase
    }

    /// Delivers what steers, and goes on.
    pub(super) fn steer(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        for text in std::mem::take(&mut self.steering) {
            if let Err(unsettled) = self.books.ledger.inject(now, Injected { by: Injector::Steering, text }) {
                return self.give_up(now, &unsettled, out);
            }
        }
        self.tell_queue(out);
        self.call_model(now, Transition::Steered, 0, out)
    }

    /// The run is over and the next message waits: it begins the next run.
    pub(super) fn next_in_queue(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        let Some(text) = self.queued.pop_front() else { return Phase::Idle };
        self.tell_queue(out);
        self.submit(now, Phase::Idle, text, out)
    }

    /// The run ended otherwise than by an answer: what was not delivered goes back to who wrote it.
    pub(super) fn give_back(&mut self, out: &mut Vec<Effect>) {
        let mut texts = std::mem::take(&mut self.steering);
        texts.extend(std::mem::take(&mut self.queued));
        if !texts.is_empty() {
            out.push(Effect::Emit(Live::Returned(texts)));
            self.tell_queue(out);
        }
    }

    fn tell_queue(&self, out: &mut Vec<Effect>) {
        let (steering, queued) = (self.steering.clone(), self.queued.iter().cloned().collect());
        out.push(Effect::Emit(Live::Waiting { steering, queued }));
    }
}
