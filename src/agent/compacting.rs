//! A summary in the place of what was said before: when the context nears the window, when the user asks, and once
//! a session when a provider refuses the prompt as too long.

use std::sync::Arc;

use crate::budget::Limit;
use crate::context::{self, estimate_tokens, words};
use crate::hooks::Payload;
use crate::ledger::{
    Body, Compaction, CompactionTrigger, Ending, EntryId, Message, Millis, Note, Remark, Tombstone,
    Transition, Usage,
};
use crate::model::{Draft, Effort, FailureClass, ModelFailure, ModelNews, Request};

use super::phase::{Compacting, Phase, Wanted};
use super::{Agent, Effect, Live, Operation};

/// Most tokens of a summary.
const SUMMARY_TOKENS: u64 = 4_096;

impl Agent {
    /// The user asks for a compaction between two runs.
    pub(super) fn compact_by_hand(&mut self, now: Millis, phase: Phase, out: &mut Vec<Effect>) -> Phase {
        let refusal = match phase {
            Phase::Idle if self.books.ledger.entries().is_empty() => "There is nothing to compact yet.",
            Phase::Idle if self.discovers => "Tools from elsewhere are waited for: try again in a moment.",
            Phase::Idle => "",
            Phase::AwaitingModel(_)
            | Phase::Dispatching(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)
            | Phase::Discovering(_) => "A turn is running: compact when it is over.",
        };
        if !refusal.is_empty() {
            out.push(Effect::Emit(Live::Refused(refusal.to_owned())));
            return phase;
        }
        self.compact(now, CompactionTrigger::Manual, None, out)
    }

    /// Whether the request nears the window and a compaction would help.
    pub(super) fn compaction_is_due(&mut self, request: &Request) -> bool {
        let window = u128::from(self.spec().window) * u128::from(self.settings.compact_at_percent) / 100;
        let size = u128::from(estimate_tokens(request).max(self.books.meter().context_tokens()));
        size > window
            && !self.books.guards().just_compacted
            && !self.auto_compaction_failed
            && request.messages.len() > 2
    }

    /// The prompt is too long: one compaction a session can mend that. The transition is the guard: it is in the
    /// ledger before the summary is asked for, and explains the call that follows it too.
    pub(super) fn compact_or_give_up(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        if self.books.guards().compacted_reactively {
            return self.end(now, Ending::PromptTooLong, out);
        }
        self.compact(now, CompactionTrigger::Reactive, Some(Transition::ReactiveCompactRetry), out)
    }

    /// Compacts. `then` is why the model is called afterwards; `None`: it is not.
    pub(super) fn compact(
        &mut self,
        now: Millis,
        trigger: CompactionTrigger,
        then: Option<Transition>,
        out: &mut Vec<Effect>,
    ) -> Phase {
        self.summarize(now, Wanted { trigger, then, retries: 0 }, out)
    }

    /// Asks for the summary, as far as the budgets allow.
    pub(super) fn summarize(&mut self, now: Millis, wanted: Wanted, out: &mut Vec<Effect>) -> Phase {
        let Wanted { trigger, then, .. } = wanted;
        if let Some(limit) = self.books.meter().exhausted(now).filter(|l| *l != Limit::Turns) {
            return self.cannot_compact(now, then, limit.ending(), out);
        }
        let request = match self.request(None) {
            Ok(request) => request,
            Err(unsettled) => return self.give_up(now, &unsettled, out),
        };
        let tokens_before = estimate_tokens(&request).max(self.books.meter().context_tokens());
        let Some(affordable) =
            self.reserve(now, self.spec().price, estimate_tokens(&request), SUMMARY_TOKENS)
        else {
            return self.cannot_compact(now, then, Ending::MaxCost, out);
        };
        if let Some(reason) = why_summarized(wanted) {
            let turn = u32::try_from(self.books.meter().turns()).unwrap_or(u32::MAX);
            self.books.ledger.remark(now, Remark::Transition { turn, reason });
        }
        if wanted.retries == 0 {
            self.fire(Payload::PreCompact { trigger }, out);
        }
        let room = self.summary_room(trigger);
        let asked = asking_for_summary(request, room, affordable);
        let message = self.books.ledger.reserve();
        let estimated_input = estimate_tokens(&asked);
        out.push(Effect::CallModel(message, Box::new(asked)));
        out.push(Effect::Emit(Live::Compacting(trigger)));
        let model = self.spec().model.clone();
        Phase::Compacting(Compacting {
            message,
            draft: Draft::within(self.settings.answer),
            wanted,
            model,
            tokens_before,
            estimated_input,
        })
    }

    /// A budget forbids the summary: a run ends by it; between runs that is only said.
    fn cannot_compact(
        &mut self,
        now: Millis,
        then: Option<Transition>,
        ending: Ending,
        out: &mut Vec<Effect>,
    ) -> Phase {
        if then.is_some() {
            return self.end(now, ending, out);
        }
        let limit = Limit::of_ending(ending).map_or(ending.as_str(), Limit::name);
        let text = format!("{limit} is used up: raise it first.");
        out.push(Effect::Emit(Live::Refused(text)));
        self.give_back(out);
        Phase::Idle
    }

    /// Tokens that the request for a summary may have: it must itself fit. A provider that has just refused a
    /// prompt is asked with half of the window.
    fn summary_room(&self, trigger: CompactionTrigger) -> u64 {
        let window = self.spec().window;
        match trigger {
            CompactionTrigger::Reactive => window / 2,
            CompactionTrigger::Auto | CompactionTrigger::Manual => window.saturating_sub(SUMMARY_TOKENS * 2),
        }
    }

    /// News of the summary.
    pub(super) fn on_summary(
        &mut self,
        now: Millis,
        mut compacting: Compacting,
        news: ModelNews,
        out: &mut Vec<Effect>,
    ) -> Phase {
        match news {
            ModelNews::Event(event) => {
                compacting.draft.push(event);
                if let Some(excess) = compacting.draft.excess() {
                    out.push(Effect::Cancel(Operation::Model(compacting.message)));
                    let endless = ModelFailure::new(FailureClass::BadRequest, excess.sentence());
                    return self.summary_failed(now, &compacting, endless, out);
                }
                Phase::Compacting(compacting)
            }
            ModelNews::Failed(failure) => self.summary_failed(now, &compacting, failure, out),
            ModelNews::Finished => {
                let usage = self.priced(compacting.draft.usage(compacting.estimated_input));
                let (message, _calls) =
                    compacting.draft.clone().abandon(compacting.message, compacting.model.clone(), usage);
                let summary = message.text();
                if summary.trim().is_empty() {
                    self.withdraw_summary(now, &compacting, "the summary came back empty");
                    return self.compaction_failed(now, &compacting, "the summary came back empty", out);
                }
                self.replace_by(now, compacting, summary.trim(), usage, out)
            }
        }
    }

    fn replace_by(
        &mut self,
        now: Millis,
        compacting: Compacting,
        summary: &str,
        usage: Usage,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let summary = words::as_summary(summary, &self.last_wish());
        let Compacting { wanted: Wanted { trigger, then, .. }, model, tokens_before, .. } = compacting;
        let replaces_to = self.books.ledger.last_id().unwrap_or(EntryId(0));
        let tokens_after = (summary.len() / 4) as u64;
        let entry = Compaction { trigger, replaces_to, summary, model, usage, tokens_before, tokens_after };
        if let Err(unsettled) = self.books.ledger.compact(now, entry) {
            return self.give_up(now, &unsettled, out);
        }
        match then {
            Some(reason) => self.call_model(now, reason, 0, out),
            None => self.after_a_compaction_by_hand(now, out),
        }
    }

    /// What the user said meanwhile begins a run now.
    fn after_a_compaction_by_hand(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        for said in std::mem::take(&mut self.steering).into_iter().rev() {
            self.queued.push_front(said);
        }
        self.next_in_queue(now, out)
    }

    /// What the user wanted last; the summary keeps it word for word.
    fn last_wish(&self) -> String {
        let entries = self.books.ledger.entries();
        let wish = entries
            .iter()
            .rev()
            .find_map(|e| if let Body::User(m) = &e.body { Some(m.content.clone()) } else { None });
        wish.unwrap_or_default()
    }

    /// As with every model call, a failure that may pass is waited for, and one that teaches something is heeded.
    fn summary_failed(
        &mut self,
        now: Millis,
        compacting: &Compacting,
        failure: ModelFailure,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let Wanted { trigger, retries, .. } = compacting.wanted;
        self.withdraw_summary(now, compacting, &format!("the compaction failed: {}", failure.message));
        let waits = self.may_retry(retries, &failure);
        if !waits && !self.learns(now, compacting.model.clone(), &failure) {
            let tries = if retries == 0 { String::new() } else { format!(" ({retries} retries)") };
            return self.compaction_failed(now, compacting, &format!("{}{tries}", failure.message), out);
        }
        let text = format!("The summary failed, and is tried again: {}", failure.message);
        self.books.ledger.remark(now, Remark::Note(Note { about: compacting.message.to_string(), text }));
        if !waits {
            return self.summarize(now, Wanted { retries: retries + 1, ..compacting.wanted }, out);
        }
        // Said again, for a note is all that a compaction between runs may end with.
        out.push(Effect::Emit(Live::Compacting(trigger)));
        self.back_off(retries, Some(compacting.wanted), failure, out)
    }

    /// What was written of a summary that replaces nothing: it was paid for, so it stays, under a tombstone.
    pub(super) fn withdraw_summary(&mut self, now: Millis, compacting: &Compacting, why: &str) {
        if compacting.draft.is_empty() {
            return;
        }
        let target = compacting.message;
        let usage = self.priced(compacting.draft.usage(compacting.estimated_input));
        let (partial, _calls) = compacting.draft.clone().abandon(target, compacting.model.clone(), usage);
        // It makes no call, so this opens none; a refusal would mean that one is open already.
        if let Ok(_no_tokens) = self.books.ledger.assistant(now, partial) {
            self.books.ledger.remark(now, Remark::Tombstone(Tombstone { target, reason: why.to_owned() }));
        }
    }

    fn compaction_failed(
        &mut self,
        now: Millis,
        compacting: &Compacting,
        why: &str,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let text = format!("The compaction failed: {why}");
        let Wanted { trigger, then, .. } = compacting.wanted;
        match trigger {
            CompactionTrigger::Auto => {
                let about = compacting.message.to_string();
                self.books.ledger.remark(now, Remark::Note(Note { about, text }));
                self.auto_compaction_failed = true;
                then.map_or(Phase::Idle, |reason| self.call_model(now, reason, 0, out))
            }
            CompactionTrigger::Manual | CompactionTrigger::Reactive => {
                let text = if trigger == CompactionTrigger::Reactive {
                    format!("The prompt is too long, and compacting it failed: {why}")
                } else {
                    text
                };
                let next =
                    "Try again, start a new session, or choose a model with a larger window.".to_owned();
                self.books.ledger.remark(now, Remark::Error { message: text, next });
                if then.is_none() {
                    self.give_back(out);
                    Phase::Idle
                } else {
                    self.end(now, Ending::PromptTooLong, out)
                }
            }
        }
    }
}

/// Why the model is asked for a summary. One that nobody's run waits for has its trace in the summary alone.
fn why_summarized(wanted: Wanted) -> Option<Transition> {
    let first = wanted.retries == 0;
    match wanted.trigger {
        CompactionTrigger::Manual => None,
        CompactionTrigger::Auto if first => Some(Transition::AutoCompact),
        CompactionTrigger::Reactive if first => Some(Transition::ReactiveCompactRetry),
        CompactionTrigger::Auto | CompactionTrigger::Reactive => Some(Transition::TransientRetry),
    }
}

/// The conversation with the request for its summary at the end; the oldest messages are left out until it fits.
fn asking_for_summary(mut request: Request, room: u64, most_output: u64) -> Request {
    let question = Message::User(Arc::new(words::SUMMARIZE.into()));
    request.max_output = request.max_output.min(most_output).min(SUMMARY_TOKENS);
    // Thinking counts as output: much of it would leave no room for the summary.
    request.effort = request.effort.map(|level| level.min(Effort::Low));
    while context::estimate_tokens(&request) > room && request.messages.len() > 1 {
        request.messages.remove(0);
        // A history begins with the user, and results never stand without their calls.
        while request.messages.len() > 1 && !matches!(request.messages.first(), Some(Message::User(_))) {
            request.messages.remove(0);
        }
    }
    // One message alone may be larger than the room: then its beginning must do.
    if let [Message::User(only)] = request.messages.as_mut_slice() {
        let most = usize::try_from(room.saturating_mul(3)).unwrap_or(usize::MAX);
        let only = Arc::make_mut(only);
        only.content = only.content.chars().take(most).collect();
        only.images.clear();
    } else if !matches!(request.messages.first(), Some(Message::User(_))) {
        request.messages.clear();
    }
    request.messages.push(question);
    request
}
