//! What the user says while a run is under way: delivered with the next tool results, or after the run.

use crate::ledger::{Injected, Transition, UserMessage};

use super::phase::Phase;
use super::step::Step;
use super::{Agent, Live};

impl Agent {
    /// Takes in a message that steers the run.
    pub(super) fn hear_steering(&mut self, step: &mut Step, said: UserMessage) {
        self.inbox.steering.push(said);
        self.tell_queue(step);
    }

    /// Takes in a message for after the run.
    pub(super) fn queue(&mut self, step: &mut Step, phase: Phase, said: UserMessage) -> Phase {
        if matches!(phase, Phase::Idle) {
            return self.submit(step, phase, said);
        }
        let asked = self.spec();
        let refusal = asked.refusal_of(&said.images).or_else(|| self.no_room_for(asked, &said));
        if let Some((what, next)) = refusal {
            Self::not_taken(step, said, format!("{what}: {next}"));
            return phase;
        }
        self.queue_behind(step, said);
        phase
    }

    /// Takes in a message that nothing refuses, for when what runs has ended.
    pub(super) fn queue_behind(&mut self, step: &mut Step, said: UserMessage) {
        self.inbox.queued.push_back(said);
        self.tell_queue(step);
    }

    /// Delivers what steers, and goes on.
    pub(super) fn steer(&mut self, step: &mut Step) -> Phase {
        for said in std::mem::take(&mut self.inbox.steering) {
            let told = self.tell_named(step.now, &said);
            if let Err(unsettled) =
                told.and_then(|()| self.history.ledger.inject(step.now, Injected::steering(said)).map(drop))
            {
                return self.give_up(step, &unsettled);
            }
        }
        self.tell_queue(step);
        self.call_model(step, Transition::Steered, 0)
    }

    /// The run is over and the next message waits: it begins the next run.
    pub(super) fn next_in_queue(&mut self, step: &mut Step) -> Phase {
        let Some(said) = self.inbox.queued.pop_front() else { return Phase::Idle };
        self.tell_queue(step);
        let phase = self.submit(step, Phase::Idle, said);
        // Refused after all: what stands behind it would wait for a run that does not begin.
        if matches!(phase, Phase::Idle) {
            self.give_back(step);
        }
        phase
    }

    /// The run ended otherwise than by an answer: what was not delivered goes back to who wrote it.
    pub(super) fn give_back(&mut self, step: &mut Step) {
        let steering = std::mem::take(&mut self.inbox.steering).into_iter();
        let undelivered = steering.chain(std::mem::take(&mut self.inbox.queued));
        let returned: Vec<UserMessage> = undelivered.map(UserMessage::without_attachments).collect();
        if !returned.is_empty() {
            step.emit(Live::Returned(returned));
            self.tell_queue(step);
        }
    }

    /// What was to be said is refused, and goes back to who wrote it.
    pub(super) fn not_taken(step: &mut Step, said: impl Into<UserMessage>, why: String) {
        // Whoever reads the reason has the words in front of them already.
        step.emit(Live::Returned(vec![said.into().without_attachments()]));
        step.emit(Live::Refused(why));
    }

    /// What a line asks for is refused, and the line goes back to who wrote it.
    pub(super) fn not_obeyed(step: &mut Step, line: impl Into<UserMessage>, why: String) {
        step.emit(Live::ReturnedLine(line.into()));
        step.emit(Live::Refused(why));
    }

    fn tell_queue(&self, step: &mut Step) {
        let steering = self.inbox.steering.clone();
        let queued = self.inbox.queued.iter().cloned().collect();
        step.emit(Live::Waiting { steering, queued });
    }
}
