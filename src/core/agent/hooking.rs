//! Hooks in the loop: some are asked and waited for, others are fired and forgotten. All of them see the abort.

use crate::hooks::{
    HookAnswer, HookCall, HookId, HookPoint, Payload, combine_stop, combine_told, combine_user_prompt, notes,
};
use crate::ledger::{
    Body, Ending, Entry, EntryId, Injected, Injector, Millis, Note, Remark, Tombstone, Transition,
    UserMessage,
};
use crate::model::ModelFailure;

use super::phase::{Consulting, Phase, Question};
use super::step::Step;
use super::{Agent, Effect, Live, Operation};

/// Re-entries that stop hooks may force in one run.
const MOST_REENTRIES: u32 = 8;

impl Agent {
    /// Runs the hooks that listen to this, if any do; names the run.
    pub(super) fn run_hooks(&mut self, step: &mut Step, payload: Payload) -> Option<HookId> {
        if !self.settings.hooks.iter().any(|hook| hook.listens(&payload)) {
            return None;
        }
        self.hooks.last += 1;
        let id = HookId(self.hooks.last);
        step.act(Effect::RunHooks(HookCall { id, payload }));
        Some(id)
    }

    /// Tells hooks and does not wait: what they inject reaches the next turn, or the next message.
    pub(super) fn fire(&mut self, step: &mut Step, payload: Payload) {
        if let Some(id) = self.run_hooks(step, payload) {
            self.hooks.fired.insert(id);
        }
    }

    /// Tells hooks of a failed model call after which the run goes on.
    pub(super) fn tell_failure(&mut self, step: &mut Step, failure: &ModelFailure) {
        let reason = Ending::ModelError.as_str().to_owned();
        let error = failure.message.clone();
        self.fire(step, Payload::StopFailure { reason, error, recovering: true });
    }

    /// Esc reaches hooks that nobody waits for, too.
    pub(super) fn cancel_fired(&mut self, step: &mut Step) {
        for hook in std::mem::take(&mut self.hooks.fired) {
            step.cancel(Operation::Hooks(hook));
        }
    }

    /// Hooks have spoken.
    pub(super) fn on_hooks(
        &mut self,
        step: &mut Step,
        phase: Phase,
        hook: HookId,
        answers: &[HookAnswer],
    ) -> Phase {
        match phase {
            Phase::Consulting(consulting) if consulting.hook == hook => {
                self.note_hooks(step.now, answers);
                return self.consulted(step, consulting.question, answers);
            }
            Phase::Dispatching(dispatching) if dispatching.waits_for(hook) => {
                self.note_hooks(step.now, answers);
                return self.hooked_tools(step, dispatching, hook, answers);
            }
            Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::Dispatching(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)
            | Phase::Discovering(_) => {}
        }
        if self.hooks.fired.remove(&hook) {
            self.inbox.from_hooks.extend(combine_told(answers).injects);
            if !matches!(phase, Phase::Idle) {
                self.note_hooks(step.now, answers);
            }
        }
        phase
    }

    /// What people should see of the answers: troubles and remarks.
    pub(super) fn note_hooks(&mut self, now: Millis, answers: &[HookAnswer]) {
        for text in notes(answers) {
            let about = self.history.ledger.last_id();
            self.history.ledger.remark(now, Remark::Note(Note::plain(about, text)));
        }
    }

    /// The user's message is written; hooks may add to it or refuse it before the model is called.
    pub(super) fn before_the_model(&mut self, step: &mut Step, text: String) -> Phase {
        if let Some(source) = self.hooks.starting.take()
            && let Some(hook) = self.run_hooks(step, Payload::SessionStart { source })
        {
            return Self::consult(step, hook, Question::Start(text), HookPoint::SessionStart);
        }
        if let Some(hook) = self.run_hooks(step, Payload::UserPrompt { prompt: text.clone() }) {
            return Self::consult(step, hook, Question::Prompt(text), HookPoint::UserPrompt);
        }
        self.call_model(step, Transition::Submitted, 0)
    }

    /// The answer stands: stop hooks may send the model on, or forbid to. They are never asked after an error, a
    /// budget stop or an abort.
    pub(super) fn conclude(&mut self, step: &mut Step, ending: Ending) -> Phase {
        let reentries = self.history.guards().reentries;
        let text = self.history.last_text().to_string();
        let payload = Payload::Stop { text, stop_hook_active: reentries > 0 };
        if reentries >= MOST_REENTRIES {
            if self.settings.hooks.iter().any(|hook| hook.listens(&payload)) {
                self.note(
                    step.now,
                    format!(
                        "stop hooks made the model continue {MOST_REENTRIES} times; they are not asked \
                        again"
                    ),
                );
            }
            return self.end(step, ending);
        }
        match self.run_hooks(step, payload) {
            Some(hook) => Self::consult(step, hook, Question::Stop(ending), HookPoint::Stop),
            None => self.end(step, ending),
        }
    }

    /// Waits for what hooks say, and says so.
    fn consult(step: &mut Step, hook: HookId, question: Question, at: HookPoint) -> Phase {
        step.emit(Live::AskingHooks(at));
        Phase::Consulting(Consulting { hook, question })
    }

    fn consulted(&mut self, step: &mut Step, question: Question, answers: &[HookAnswer]) -> Phase {
        match question {
            Question::Start(text) => {
                self.inbox.from_hooks.extend(combine_told(answers).injects);
                self.before_the_model(step, text)
            }
            Question::Prompt(text) => {
                let said = combine_user_prompt(answers);
                self.inbox.from_hooks.extend(said.injects);
                match said.blocked {
                    Some(reason) => self.refuse_prompt(step, text, reason),
                    None => self.call_model(step, Transition::Submitted, 0),
                }
            }
            Question::Stop(ending) => self.stop_hooks_said(step, ending, answers),
        }
    }

    /// The message stays in the ledger under a tombstone, and goes back to who wrote it.
    fn refuse_prompt(&mut self, step: &mut Step, text: String, reason: String) -> Phase {
        // With a goal's message goes what the model would have been told of it.
        let said = |e: &&std::sync::Arc<Entry>| matches!(e.body, Body::User(_) | Body::Injected(_));
        let targets: Vec<EntryId> = self.history.run().iter().filter(said).map(|e| e.id).collect();
        for target in targets {
            let reason = format!("a hook refused the message: {reason}");
            self.history.ledger.remark(step.now, Remark::Tombstone(Tombstone { target, reason }));
        }
        let next = Ending::MESSAGE_REFUSED.to_owned();
        self.history.ledger.remark(
            step.now,
            Remark::Error { message: format!("A hook refused the message: {reason}"), next },
        );
        let said = |entry: &std::sync::Arc<Entry>| {
            let Body::User(said) = &entry.body else { return None };
            (said.content == text).then(|| UserMessage::clone(said))
        };
        let said = self.history.run().iter().find_map(said).unwrap_or_else(|| text.as_str().into());
        step.emit(Live::Returned(vec![said.without_attachments()]));
        self.end(step, Ending::PolicyDenied)
    }

    /// A blocking message sends the model on, whatever other hooks say: a prevention counts once nothing new blocks. A
    /// message that was delivered before is not repeated.
    fn stop_hooks_said(&mut self, step: &mut Step, ending: Ending, answers: &[HookAnswer]) -> Phase {
        let said = combine_stop(answers);
        self.inbox.from_hooks.extend(said.injects);
        let (old, new): (Vec<_>, Vec<_>) =
            said.blocking.into_iter().partition(|text| self.history.was_injected(Injector::Hook, text));
        if !old.is_empty() {
            self.note(step.now, "a stop hook repeated a message that was already delivered".to_owned());
        }
        for text in &new {
            let injected = Injected::text(Injector::Hook, text);
            if let Err(unsettled) = self.history.ledger.inject(step.now, injected) {
                return self.give_up(step, &unsettled);
            }
        }
        if !new.is_empty() {
            return self.call_model(step, Transition::StopHookBlocking, 0);
        }
        if let Some(reason) = said.prevent {
            self.note(step.now, format!("a stop hook ended the run: {reason}"));
            return self.end(step, Ending::StopHookPrevented);
        }
        self.end(step, ending)
    }

    /// Delivers what hooks had to say beside a turn, and what people have changed in its calls.
    pub(super) fn deliver_asides(&mut self, now: Millis) {
        self.tell_edits(now);
        self.tell_undone(now);
        self.tell_ended(now);
        self.tell_subagents(now);
        for text in std::mem::take(&mut self.inbox.from_hooks) {
            // No call is open when a turn or a message begins; should one be, the words wait for the next.
            if self.history.ledger.inject(now, Injected::text(Injector::Hook, &text)).is_err() {
                self.inbox.from_hooks.push(text);
            }
        }
    }

    pub(super) fn note(&mut self, now: Millis, text: String) {
        let about = self.history.ledger.last_id();
        self.history.ledger.remark(now, Remark::Note(Note::plain(about, text)));
    }
}
