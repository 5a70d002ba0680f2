//! What the user says while a run is under way: delivered with the next tool results, or after the run.

use crate::ledger::{Injected, Injector, Millis, Transition, UserMessage};

use super::phase::Phase;
use super::{Agent, Effect, Live};

impl Agent {
    /// Takes in a message that steers the run.
    pub(super) fn hear_steering(&mut self, said: UserMessage, out: &mut Vec<Effect>) {
        self.steering.push(said);
        self.tell_queue(out);
    }

    /// Takes in a message for after the run.
    pub(super) fn queue(
        &mut self,
        now: Millis,
        phase: Phase,
        said: UserMessage,
        out: &mut Vec<Effect>,
    ) -> Phase {
        if matches!(phase, Phase::Idle) {
            return self.submit(now, phase, said, out);
        }
        if let Some((what, next)) = self.spec().refusal_of(&said.images) {
            Self::not_taken(said.content, format!("{what}: {next}"), out);
            return phase;
        }
        self.queued.push_back(said);
        self.tell_queue(out);
        phase
    }

    /// Delivers what steers, and goes on.
    pub(super) fn steer(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        for UserMessage { content, images } in std::mem::take(&mut self.steering) {
            let injected = Injected { by: Injector::Steering, text: content, images };
            if let Err(unsettled) = self.books.ledger.inject(now, injected) {
                return self.give_up(now, &unsettled, out);
            }
        }
        self.tell_queue(out);
        self.call_model(now, Transition::Steered, 0, out)
    }

    /// The run is over and the next message waits: it begins the next run.
    pub(super) fn next_in_queue(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        let Some(said) = self.queued.pop_front() else { return Phase::Idle };
        self.tell_queue(out);
        let phase = self.submit(now, Phase::Idle, said, out);
        // Refused after all: what stands behind it would wait for a run that does not begin.
        if matches!(phase, Phase::Idle) {
            self.give_back(out);
        }
        phase
    }

    /// The run ended otherwise than by an answer: what was not delivered goes back to who wrote it.
    pub(super) fn give_back(&mut self, out: &mut Vec<Effect>) {
        let steering = std::mem::take(&mut self.steering).into_iter();
        let undelivered = steering.chain(std::mem::take(&mut self.queued));
        // The words name the images: sent again, they are read again.
        let texts: Vec<String> = undelivered.map(|said| said.content).collect();
        if !texts.is_empty() {
            out.push(Effect::Emit(Live::Returned(texts)));
            self.tell_queue(out);
        }
    }

    /// What was to be said is refused, and goes back to who wrote it.
    pub(super) fn not_taken(text: String, why: String, out: &mut Vec<Effect>) {
        // Whoever reads the reason has the words in front of them already.
        out.push(Effect::Emit(Live::Returned(vec![text])));
        out.push(Effect::Emit(Live::Refused(why)));
    }

    fn tell_queue(&self, out: &mut Vec<Effect>) {
        let words = |said: &UserMessage| said.content.clone();
        let steering = self.steering.iter().map(words).collect();
        let queued = self.queued.iter().map(words).collect();
        out.push(Effect::Emit(Live::Waiting { steering, queued }));
    }
}
