//! Hooks in the loop: some are asked and waited for, others are fired and forgotten. All of them see the abort.

use crate::hooks::{
    HookAnswer, HookCall, HookId, HookPoint, Payload, Start, combine_stop, combine_told, combine_user_prompt,
    notes,
};
use crate::ledger::{
    Body, Ending, Entry, EntryId, Injected, Injector, Millis, Note, Remark, Tombstone, Transition,
};

use super::phase::{Consulting, Phase, Question};
use super::{Agent, Effect, Live};

/// Re-entries that stop hooks may force in one run.
const MOST_REENTRIES: u32 = 8;

impl Agent {
    /// Runs the hooks that listen to this, if any do; names the run.
    pub(super) fn run_hooks(&mut self, payload: Payload, out: &mut Vec<Effect>) -> Option<HookId> {
        if !self.settings.hooks.iter().any(|hook| hook.listens(&payload)) {
            return None;
        }
        self.last_hook += 1;
        let id = HookId(self.last_hook);
        out.push(Effect::RunHooks(HookCall { id, payload }));
        Some(id)
    }

    /// Tells hooks and does not wait: what they inject reaches the next turn, or the next message.
    pub(super) fn fire(&mut self, payload: Payload, out: &mut Vec<Effect>) {
        if let Some(id) = self.run_hooks(payload, out) {
            self.fired.insert(id);
        }
    }

    /// Hooks have spoken.
    pub(super) fn on_hooks(
        &mut self,
        now: Millis,
        phase: Phase,
        hook: HookId,
        answers: &[HookAnswer],
        out: &mut Vec<Effect>,
    ) -> Phase {
        match phase {
            Phase::Consulting(consulting) if consulting.hook == hook => {
                self.note_hooks(now, answers);
                self.consulted(now, consulting.question, answers, out)
            }
            Phase::Dispatching(dispatching) if dispatching.waits_for(hook) => {
                self.note_hooks(now, answers);
                self.hooked_tools(now, dispatching, hook, answers, out)
            }
            phase @ (Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::Dispatching(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)
            | Phase::Discovering(_)) => {
                if self.fired.remove(&hook) {
                    self.asides.extend(combine_told(answers).injects);
                    if matches!(phase, Phase::Idle) {
                        return phase;
                    }
                    self.note_hooks(now, answers);
                }
                phase
            }
        }
    }

    /// What people should see of the answers: troubles and remarks.
    pub(super) fn note_hooks(&mut self, now: Millis, answers: &[HookAnswer]) {
        for text in notes(answers) {
            let about = self.books.ledger.last_id();
            self.books.ledger.remark(now, Remark::Note(Note::plain(about, text)));
        }
    }

    /// The user's message is written; hooks may add to it or refuse it before the model is called.
    pub(super) fn before_the_model(&mut self, now: Millis, text: String, out: &mut Vec<Effect>) -> Phase {
        if let Some(source) = self.starting.take()
            && let Some(hook) = self.run_hooks(Payload::SessionStart { source }, out)
        {
            return Self::consult(hook, Question::Start(text), HookPoint::SessionStart, out);
        }
        if let Some(hook) = self.run_hooks(Payload::UserPrompt { prompt: text.clone() }, out) {
            return Self::consult(hook, Question::Prompt(text), HookPoint::UserPrompt, out);
        }
        self.call_model(now, Transition::Submitted, 0, out)
    }

    /// The answer stands: stop hooks may send the model on, or forbid to. They are never asked after an error, a
    /// budget stop or an abort.
    pub(super) fn conclude(&mut self, now: Millis, ending: Ending, out: &mut Vec<Effect>) -> Phase {
        let reentries = self.books.guards().reentries;
        let text = self.books.last_text().to_string();
        let payload = Payload::Stop { text, stop_hook_active: reentries > 0 };
        if reentries >= MOST_REENTRIES {
            if self.settings.hooks.iter().any(|hook| hook.listens(&payload)) {
                self.note(
                    now,
                    format!("stop hooks sent the model on {MOST_REENTRIES} times; they are not asked again"),
                );
            }
            return self.end(now, ending, out);
        }
        match self.run_hooks(payload, out) {
            Some(hook) => Self::consult(hook, Question::Stop(ending), HookPoint::Stop, out),
            None => self.end(now, ending, out),
        }
    }

    /// Waits for what hooks say, and says so.
    fn consult(hook: HookId, question: Question, at: HookPoint, out: &mut Vec<Effect>) -> Phase {
        out.push(Effect::Emit(Live::AskingHooks(at)));
        Phase::Consulting(Consulting { hook, question })
    }

    fn consulted(
        &mut self,
        now: Millis,
        question: Question,
        answers: &[HookAnswer],
        out: &mut Vec<Effect>,
    ) -> Phase {
        match question {
            Question::Start(text) => {
                self.asides.extend(combine_told(answers).injects);
                self.before_the_model(now, text, out)
            }
            Question::Prompt(text) => {
                let said = combine_user_prompt(answers);
                self.asides.extend(said.injects);
                match said.blocked {
                    Some(reason) => self.refuse_prompt(now, text, reason, out),
                    None => self.call_model(now, Transition::Submitted, 0, out),
                }
            }
            Question::Stop(ending) => self.stop_hooks_said(now, ending, answers, out),
        }
    }

    /// The message stays in the ledger under a tombstone, and goes back to who wrote it.
    fn refuse_prompt(&mut self, now: Millis, text: String, reason: String, out: &mut Vec<Effect>) -> Phase {
        // With a goal's message goes what the model would have been told of it.
        let said = |e: &&std::sync::Arc<Entry>| matches!(e.body, Body::User(_) | Body::Injected(_));
        let targets: Vec<EntryId> = self.books.run().iter().filter(said).map(|e| e.id).collect();
        for target in targets {
            let reason = format!("a hook refused the message: {reason}");
            self.books.ledger.remark(now, Remark::Tombstone(Tombstone { target, reason }));
        }
        let next = "Change the message, or the hook.".to_owned();
        self.books
            .ledger
            .remark(now, Remark::Error { message: format!("A hook refused the message: {reason}"), next });
        out.push(Effect::Emit(Live::Returned(vec![text])));
        self.end(now, Ending::PolicyDenied, out)
    }

    /// A blocking message sends the model on, whatever other hooks say: a prevention counts once nothing new blocks. A
    /// message that was delivered before is not repeated.
    fn stop_hooks_said(
        &mut self,
        now: Millis,
        ending: Ending,
        answers: &[HookAnswer],
        out: &mut Vec<Effect>,
    ) -> Phase {
        let said = combine_stop(answers);
        self.asides.extend(said.injects);
        let (old, new): (Vec<_>, Vec<_>) =
            said.blocking.into_iter().partition(|text| self.books.was_injected(Injector::Hook, text));
        if !old.is_empty() {
            self.note(now, "a stop hook repeated itself; its message was delivered before".to_owned());
        }
        for text in &new {
            let injected = Injected::text(Injector::Hook, text);
            if let Err(unsettled) = self.books.ledger.inject(now, injected) {
                return self.give_up(now, &unsettled, out);
            }
        }
        if !new.is_empty() {
            return self.call_model(now, Transition::StopHookBlocking, 0, out);
        }
        if let Some(reason) = said.prevent {
            self.note(now, format!("a stop hook ended the run: {reason}"));
            return self.end(now, Ending::StopHookPrevented, out);
        }
        self.end(now, ending, out)
    }

    /// Delivers what hooks had to say beside a turn, and what people have changed in its calls.
    pub(super) fn deliver_asides(&mut self, now: Millis) {
        self.tell_edits(now);
        self.tell_undone(now);
        self.tell_ended(now);
        for text in std::mem::take(&mut self.asides) {
            // No call is open when a turn or a message begins; should one be, the words wait for the next.
            if self.books.ledger.inject(now, Injected::text(Injector::Hook, &text)).is_err() {
                self.asides.push(text);
            }
        }
    }

    pub(super) fn note(&mut self, now: Millis, text: String) {
        let about = self.books.ledger.last_id();
        self.books.ledger.remark(now, Remark::Note(Note::plain(about, text)));
    }

    /// How a session begins, for its first message in this process.
    pub(super) fn begins(resumed: bool) -> Option<Start> {
        Some(if resumed { Start::Resume } else { Start::Startup })
    }
}
