//! What a run left before its end, and what its goal came to: whether it can have ended as it is said to have. What a killed process, a
//! limit or a hook ends leaves nothing that could be held against it.

use super::session_reading::{RunReading, SessionReading};
use crate::ledger::{
    Answerer, AssistantMessage, Checkpoint, Ending, EntryId, Goal, Outcome, Progress, Stop, ToolUse,
    Transition, Validation,
};

impl SessionReading<'_> {
    pub(super) fn run_begins(&mut self, message: EntryId) {
        self.run = RunReading { message: Some(message), ..RunReading::default() };
    }

    pub(super) fn own_command(&mut self) {
        self.run.has_command = true;
    }

    pub(super) fn run_failed(&mut self) {
        self.run.has_error = true;
    }

    pub(super) fn run_hears(&mut self, id: EntryId, said: &AssistantMessage) {
        self.run.last = Some((id, said.stop.clone(), said.calls().next().is_some()));
        self.run.lacks_uses |= self.lacks("hosted") || self.lacks("blocks");
        if said.interrupted {
            self.run.broken = Some(id);
        }
    }

    /// Whether it is not known how often the provider ran something itself.
    pub(super) fn lacks_uses(&self) -> bool {
        self.run.lacks_uses
    }

    pub(super) fn run_withdraws(&mut self, target: EntryId) {
        let run = &mut self.run;
        run.is_withdrawn |= run.message == Some(target);
        if run.broken == Some(target) {
            run.broken = None;
        }
        if run.last.as_ref().is_some_and(|(id, ..)| *id == target) {
            let last = self.answers.iter().rev().find(|(id, _)| *id != target);
            run.last = last.map(|(id, said)| (*id, said.stop.clone(), said.calls().next().is_some()));
        }
    }

    /// Before a model is asked again, an answer that broke off is withdrawn.
    pub(super) fn run_goes_on(&mut self, id: EntryId, reason: Transition) {
        if let Some(broken) = self.run.broken.take().filter(|_| !self.is_foreign) {
            self.fault(
                id,
                format!("a model is asked again, but {broken}, which broke off, is not withdrawn"),
            );
        }
        self.run.was_nudged |= reason == Transition::EmptyAnswerNudge;
        self.run.was_repaired |= reason == Transition::SchemaRepair;
        self.run.is_in_two |= reason == Transition::FinalResponse;
    }

    pub(super) fn run_results(&mut self, outcome: &Outcome, is_check: bool) {
        self.run.has_result = true;
        self.run.has_denial |= matches!(outcome, Outcome::Denied(_));
        if is_check {
            self.run.holds = *outcome == Outcome::Ok;
        }
    }

    pub(super) fn pursues(&mut self, goal: &Goal) {
        self.run.goal = Some(goal.clone());
        self.run.lacks_method = self.lacks("validation_method");
    }

    /// The check of a goal is the command that the goal names.
    pub(super) fn checks(&mut self, id: EntryId, call: &ToolUse) {
        (self.run.is_checked, self.run.holds) = (true, false);
        let Some(goal) = &self.run.goal else {
            return self.fault(id, "a goal is checked, but the run has none");
        };
        let is_known = !self.lacks("arguments") && !self.run.lacks_method;
        let is_another = match &goal.validation_method {
            Validation::Command(command) => call.arguments.text("command") != Some(command),
            Validation::Question => true,
        };
        if is_known && is_another {
            self.fault(id, "the goal is checked differently than it says");
        }
    }

    /// Checkpoints are counted one by one, and say what the check came to.
    pub(super) fn checkpoint(&mut self, id: EntryId, made: &Checkpoint) {
        self.run.checkpoints += 1;
        let (number, is) = (made.number, self.run.checkpoints);
        if number != is {
            self.fault(id, format!("this is said to be checkpoint {number} of the run, and is {is}"));
        }
        let checked = made.done().filter(|done| done.by == Answerer::ValidationCommand);
        let says_yes = checked.and_then(|done| done.answer.as_deref()).map(|answer| answer == "yes");
        if says_yes.is_some_and(|yes| !self.run.is_checked || yes != self.run.holds) {
            self.fault(id, "the checkpoint says something else than the check of the goal came to");
        }
    }

    pub(super) fn progressed(&mut self, id: EntryId, said: &Progress) {
        self.run.says_done = said.done == Some(true);
        let (number, is) = (said.checkpoint, self.run.checkpoints);
        if number != is {
            self.fault(id, format!("this is said to answer checkpoint {number}, and the last one is {is}"));
        }
    }

    /// Whether the run can have ended so.
    pub(super) fn run_ends(&mut self, id: EntryId, reason: Ending) {
        let what = self.cannot_end(reason).filter(|_| !self.is_foreign);
        (self.run.has_error, self.run.last, self.run.broken) = (false, None, None);
        if let Some(what) = what {
            self.fault(id, format!("the run is said to have ended as {}, but {what}", reason.as_str()));
        }
    }

    fn cannot_end(&self, reason: Ending) -> Option<&'static str> {
        let run = &self.run;
        let stopped = |stop: &Stop| run.last.as_ref().is_some_and(|(_, last, _)| last == stop);
        let calls_none = run.last.as_ref().is_some_and(|(_, _, has_calls)| !has_calls);
        if reason.completed() && run.broken.is_some() {
            return Some("an answer in it broke off");
        }
        match reason {
            Ending::Completed if run.goal.is_some() => Some("it pursues a goal"),
            Ending::Completed if !run.has_command && !run.is_in_two && !calls_none => {
                Some("no answer ends it")
            }
            Ending::GoalReached => self.has_not_reached(),
            Ending::BlockedOnUser if run.goal.is_none() => Some("it pursues no goal"),
            Ending::AbortedTools if !run.has_result => Some("no call of it has a result"),
            Ending::ModelError | Ending::InvalidAnswer if !run.has_error => Some("nothing failed"),
            Ending::InvalidAnswer if !run.was_repaired => Some("no other answer was asked for"),
            Ending::OutputCutOff if !stopped(&Stop::Length) => Some("its last answer was not cut off"),
            Ending::ModelRefused if !stopped(&Stop::Refusal) => Some("its last answer is no refusal"),
            Ending::NoFinalAnswerOrToolCall if !run.was_nudged => Some("no other answer was asked for"),
            Ending::PolicyDenied if !run.has_denial && !run.is_withdrawn => Some("nothing in it was denied"),
            _ => None,
        }
    }

    fn has_not_reached(&self) -> Option<&'static str> {
        let run = &self.run;
        let Some(goal) = &run.goal else { return Some("it pursues no goal") };
        if run.lacks_method {
            return None;
        }
        match &goal.validation_method {
            Validation::Command(_) if !run.holds => Some("its check did not succeed"),
            Validation::Question if !run.says_done => Some("its model did not say so"),
            Validation::Command(_) | Validation::Question => None,
        }
    }
}
