//! A summary in the place of what was said before: when the context nears the window, when the user asks, and once
//! a session when a provider refuses the prompt as too long.

use crate::budget::Limit;
use crate::context::{self, estimate_tokens, words};
use crate::hooks::Payload;
use crate::ledger::{
    Compaction, CompactionTrigger, Ending, EntryId, Millis, Note, Remark, Tombstone, Transition, Usage,
};
use crate::model::{Draft, FailureClass, ModelFailure, ModelNews, Request};

use super::phase::{Compacting, Parts, Phase, WantedSummary};
use super::step::Step;
use super::summing::{Asking, Rest};
use super::unanswered::Silence;
use super::{Agent, Effect, Live, Operation};

/// How often the request for a summary may be refused as too long; each time it becomes smaller.
const MOST_REFUSALS: u32 = 6;

impl Agent {
    /// The user asks for a compaction between two runs.
    pub(super) fn compact_by_hand(&mut self, step: &mut Step, phase: Phase) -> Phase {
        let refusal = match phase {
            // What was withdrawn is not summarized: no model may see it.
            Phase::Idle if self.history.ledger.project().is_ok_and(|said| said.is_empty()) => {
                "There is nothing to compact yet."
            }
            Phase::Idle if self.tools.discovers => {
                "Still waiting for MCP servers and agents; try again in a moment."
            }
            Phase::Idle => "",
            Phase::AwaitingModel(_)
            | Phase::Dispatching(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)
            | Phase::Discovering(_) => "A turn is running: compact when it has finished.",
        };
        if !refusal.is_empty() {
            step.emit(Live::Refused(refusal.to_owned()));
            return phase;
        }
        self.compact(step, CompactionTrigger::Manual, None)
    }

    /// Whether the request nears the window and a compaction would help.
    pub(super) fn compaction_is_due(&mut self, request: &Request) -> bool {
        let window = self.window();
        let full = u128::from(window) * u128::from(self.settings.compact_at_percent) / 100;
        u128::from(self.measure(request)) > full
            && !self.history.guards().just_compacted
            && !self.models.auto_compaction_failed
            && request.messages.len() > 2
    }

    /// The prompt is too long: one compaction a session can mend that. The transition is the guard: it is in the
    /// ledger before the summary is asked for, and explains the call that follows it too.
    pub(super) fn compact_or_give_up(&mut self, step: &mut Step) -> Phase {
        if self.history.guards().compacted_reactively {
            return self.end(step, Ending::PromptTooLong);
        }
        self.compact(step, CompactionTrigger::Reactive, Some(Transition::ReactiveCompactRetry))
    }

    /// Compacts. `then` is why the model is called afterwards; `None`: it is not.
    pub(super) fn compact(
        &mut self,
        step: &mut Step,
        trigger: CompactionTrigger,
        then: Option<Transition>,
    ) -> Phase {
        self.summarize(step, WantedSummary { trigger, then, retries: 0, refused: 0, parts: None })
    }

    /// Asks for the summary, or for its next part, as far as the budgets allow.
    pub(super) fn summarize(&mut self, step: &mut Step, wanted: WantedSummary) -> Phase {
        let (trigger, then) = (wanted.trigger, wanted.then);
        if let Some(limit) = self.history.meter().exhausted(step.now).filter(|l| *l != Limit::Turns) {
            return self.cannot_compact(step, then, limit.ending());
        }
        let asking = self.request(None).and_then(|whole| {
            let tokens_before = self.measure(&whole);
            Ok((tokens_before, self.asking(&wanted, whole)?))
        });
        let (tokens_before, Asking { request: mut asked, covers }) = match asking {
            Ok((tokens_before, Some(asking))) => (tokens_before, asking),
            Ok((_, None)) => return self.no_room_for_summary(step, &wanted),
            Err(unsettled) => return self.give_up(step, &unsettled),
        };
        let estimated_input = estimate_tokens(&asked);
        let size = self.scaled(&asked.model, estimated_input);
        if let Some(why) = self.beyond_input(step.now, size) {
            return self.cannot_read(step, then, why);
        }
        let Some(affordable) = self.reserve(step.now, self.spec().price, estimated_input, asked.max_output)
        else {
            return self.cannot_compact(step, then, Ending::MaxCost);
        };
        asked.max_output = affordable;
        let spec = self.spec().clone();
        // Who asks for a summary by hand has decided to pay for it.
        if then.is_some() && self.price_is_asked(step, &spec, estimated_input) {
            return self.end(step, Ending::PriceAsked);
        }
        self.tell_why_summarized(step.now, &wanted);
        if wanted.retries == 0 && wanted.parts.is_none() {
            self.fire(step, Payload::PreCompact { trigger });
        }
        let message = self.history.ledger.reserve();
        step.act(Effect::CallModel(message, Box::new(asked)));
        step.emit(Live::Compacting(trigger));
        let (model, price) = (self.spec().model.clone(), self.spec().price);
        let draft = Draft::within(self.settings.answer).paid(self.paid(step.now, price, estimated_input));
        Phase::Compacting(Compacting {
            message,
            draft,
            wanted,
            model,
            tokens_before,
            estimated_input,
            covers,
        })
    }

    /// The reason stands in the ledger before the request goes out: of a process that dies meanwhile, it is counted.
    fn tell_why_summarized(&mut self, now: Millis, wanted: &WantedSummary) {
        let Some(reason) = why_summarized(wanted) else {
            let again = wanted.retries > 0 || wanted.parts.is_some();
            let about = self.history.ledger.last_id();
            self.history.ledger.remark(now, Remark::Note(Note::of_summary_asked(about, again)));
            return;
        };
        let turn = u32::try_from(self.history.meter().turns()).unwrap_or(u32::MAX);
        self.history.ledger.remark(now, Remark::Transition { turn, reason });
    }

    fn no_room_for_summary(&mut self, step: &mut Step, wanted: &WantedSummary) -> Phase {
        let about = self.history.ledger.last_id().unwrap_or(EntryId(0));
        let why = format!("a window of {} tokens is too small for a summary", self.window());
        self.compaction_failed(step, about, wanted, &why)
    }

    /// A budget forbids the summary: a run ends by it; between runs that is only said.
    fn cannot_compact(&mut self, step: &mut Step, then: Option<Transition>, ending: Ending) -> Phase {
        if then.is_some() {
            return self.end(step, ending);
        }
        let limit = Limit::of_ending(ending).map_or(ending.as_str(), Limit::name);
        let is_set_aside =
            Limit::of_ending(ending).is_some_and(|limit| self.history.meter().set_aside(limit) > 0);
        let text = match is_set_aside {
            true => {
                format!("What is left of {limit} is set aside: wait until it is free again, or raise it.")
            }
            false => format!("{limit} is used up: raise it first."),
        };
        step.emit(Live::Refused(text));
        self.give_back(step);
        Phase::Idle
    }

    /// So does what it would read.
    fn cannot_read(&mut self, step: &mut Step, then: Option<Transition>, why: String) -> Phase {
        if then.is_some() {
            self.note_on_the_last(step.now, why);
            return self.end(step, Limit::InputTokens.ending());
        }
        step.emit(Live::Refused(format!("{why} Raise it first.")));
        self.give_back(step);
        Phase::Idle
    }

    /// News of the summary.
    pub(super) fn on_summary(
        &mut self,
        step: &mut Step,
        mut compacting: Compacting,
        news: ModelNews,
    ) -> Phase {
        match news {
            ModelNews::ToolsRefused => {
                self.tools_refused(step, &compacting.model);
                Phase::Compacting(compacting)
            }
            ModelNews::Event(event) => {
                compacting.draft.push(event);
                if let Some(excess) = compacting.draft.excess() {
                    step.cancel(Operation::Model(compacting.message));
                    let endless = ModelFailure::new(FailureClass::BadRequest, excess.sentence());
                    return self.summary_failed(step, &compacting, endless);
                }
                Phase::Compacting(compacting)
            }
            ModelNews::Failed(failure) => self.summary_failed(step, &compacting, failure),
            ModelNews::Finished => {
                let usage = self.priced(compacting.draft.usage(compacting.estimated_input));
                let (message, _calls) =
                    compacting.draft.clone().abandon(compacting.message, compacting.model.clone(), usage);
                let text = message.text();
                let summary = text.trim();
                if summary.is_empty() {
                    let why = "the summary is empty";
                    self.withdraw_summary(step.now, &compacting, why, Silence::IsTheAnswer);
                    return self.compaction_failed(step, compacting.message, &compacting.wanted, why);
                }
                match compacting.covers {
                    Some(done) => self.next_part(step, compacting, summary.to_owned(), done),
                    None => self.replace_by(step, compacting, summary, usage),
                }
            }
        }
    }

    /// The summary of a part was paid for, so it stays, under a tombstone; the next part goes on from it.
    fn next_part(&mut self, step: &mut Step, compacting: Compacting, summary: String, done: usize) -> Phase {
        let why = "a part of a summary, taken up in the next part";
        self.withdraw_summary(step.now, &compacting, why, Silence::IsTheAnswer);
        let made = compacting.wanted.parts.as_ref().map_or(0, |parts| parts.made) + 1;
        let parts = Some(Parts { summary, done, made });
        self.summarize(step, WantedSummary { retries: 0, parts, ..compacting.wanted })
    }

    fn replace_by(&mut self, step: &mut Step, compacting: Compacting, summary: &str, usage: Usage) -> Phase {
        let Compacting { wanted, model, tokens_before, .. } = compacting;
        let (trigger, then) = (wanted.trigger, wanted.then);
        let rest = self.request(None).and_then(|whole| Ok((self.rest(&wanted, &whole)?, whole)));
        let not_whole = rest.as_ref().ok().and_then(|(rest, _)| rest.not_whole);
        let written = rest.and_then(|(Rest { replaces_to, wish, tokens, .. }, whole)| {
            let summary = words::as_summary(summary, &wish);
            let estimate = context::fixed_tokens(&whole) + (summary.len() / 4) as u64 + tokens;
            let tokens_after = self.scaled(&whole.model, estimate);
            let entry =
                Compaction { trigger, replaces_to, summary, model, usage, tokens_before, tokens_after };
            self.history.ledger.compact(step.now, entry)
        });
        if let Err(unsettled) = written {
            return self.give_up(step, &unsettled);
        }
        if let Some(size) = not_whole {
            self.tell_not_whole(step.now, size);
        }
        match then {
            Some(reason) => self.call_model(step, reason, 0),
            None => self.after_a_compaction_by_hand(step),
        }
    }

    /// What the user said meanwhile begins a run now.
    fn after_a_compaction_by_hand(&mut self, step: &mut Step) -> Phase {
        for said in std::mem::take(&mut self.inbox.steering).into_iter().rev() {
            self.inbox.queued.push_front(said);
        }
        self.next_in_queue(step)
    }

    /// As with every model call, a failure that may pass is waited for, and one that teaches something is heeded.
    fn summary_failed(&mut self, step: &mut Step, compacting: &Compacting, failure: ModelFailure) -> Phase {
        let WantedSummary { trigger, retries, refused, .. } = compacting.wanted;
        let about = compacting.message;
        let why = format!("the compaction failed: {}", failure.message);
        self.withdraw_summary(step.now, compacting, &why, Silence::of(failure.is_unheard));
        let waits = self.may_retry(retries, &failure);
        let model = compacting.model.clone();
        if self.learn_window(step.now, &model, &failure, compacting.estimated_input) {
            self.tell_choice(step, None);
        }
        let shrinks = failure.class == FailureClass::Overflow && refused < MOST_REFUSALS;
        if !waits && !shrinks && !self.learns(step.now, model, &failure) {
            let tries = match retries {
                0 => String::new(),
                1 => " (1 retry)".to_owned(),
                many => format!(" ({many} retries)"),
            };
            let why = format!("{}{tries}", failure.message);
            // The end of a run tells of the failure itself.
            if compacting.wanted.then != Some(Transition::ReactiveCompactRetry) {
                self.tell_failure(step, &failure);
            }
            return self.compaction_failed(step, about, &compacting.wanted, &why);
        }
        self.tell_failure(step, &failure);
        let text = format!("The summary failed and is being retried: {}", failure.message);
        let note = Note::of_failed_call(about, failure.recorded(), text);
        self.history.ledger.remark(step.now, Remark::Note(note));
        let wanted = compacting.wanted.clone();
        if shrinks {
            let parts = Some(wanted.parts.unwrap_or_default());
            let wanted = WantedSummary { retries: retries + 1, refused: refused + 1, parts, ..wanted };
            return self.summarize(step, wanted);
        }
        if !waits {
            return self.summarize(step, WantedSummary { retries: retries + 1, ..wanted });
        }
        // Said again, for a note is all that a compaction between runs may end with.
        step.emit(Live::Compacting(trigger));
        self.back_off(step, retries, Some(wanted), failure)
    }

    /// What was written of a summary that replaces nothing: it was paid for, so it stays, under a tombstone.
    pub(super) fn withdraw_summary(
        &mut self,
        now: Millis,
        compacting: &Compacting,
        why: &str,
        silence: Silence,
    ) {
        let (target, model) = (compacting.message, compacting.model.clone());
        match (compacting.draft.is_empty(), silence) {
            (true, Silence::CostsNothing) => return,
            (true, Silence::MayBeBilled) => {
                self.count_unheard(now, target, model, compacting.estimated_input);
            }
            (true, Silence::IsTheAnswer) | (false, _) => {
                let usage = match silence {
                    Silence::IsTheAnswer => compacting.draft.usage(compacting.estimated_input),
                    Silence::CostsNothing | Silence::MayBeBilled => {
                        compacting.draft.usage_when_cut(compacting.estimated_input)
                    }
                };
                let usage = self.priced(usage);
                let (partial, _calls) = compacting.draft.clone().abandon(target, model, usage);
                // It makes no call, so this opens none; a refusal would mean that one is open already.
                let Ok(_no_tokens) = self.history.ledger.assistant(now, partial) else { return };
            }
        }
        self.history.ledger.remark(now, Remark::Tombstone(Tombstone { target, reason: why.to_owned() }));
    }

    fn compaction_failed(
        &mut self,
        step: &mut Step,
        about: EntryId,
        wanted: &WantedSummary,
        why: &str,
    ) -> Phase {
        let text = format!("The compaction failed: {why}");
        let WantedSummary { trigger, then, .. } = *wanted;
        match trigger {
            CompactionTrigger::Auto => {
                self.history.ledger.remark(step.now, Remark::Note(Note::plain(about, text)));
                self.models.auto_compaction_failed = true;
                then.map_or(Phase::Idle, |reason| self.call_model(step, reason, 0))
            }
            CompactionTrigger::Manual | CompactionTrigger::Reactive => {
                let text = if trigger == CompactionTrigger::Reactive {
                    format!("The prompt is too long, and compacting it failed: {why}")
                } else {
                    text
                };
                let next =
                    "Try again, start a new session, or choose a model with a larger window.".to_owned();
                self.history.ledger.remark(step.now, Remark::Error { message: text, next });
                if then.is_none() {
                    self.give_back(step);
                    Phase::Idle
                } else {
                    self.end(step, Ending::PromptTooLong)
                }
            }
        }
    }
}

/// Why the model is asked for a summary, if a run waits for it.
fn why_summarized(wanted: &WantedSummary) -> Option<Transition> {
    let first = wanted.retries == 0;
    match wanted.trigger {
        CompactionTrigger::Manual => None,
        CompactionTrigger::Auto if first => Some(Transition::AutoCompact),
        CompactionTrigger::Reactive if first => Some(Transition::ReactiveCompactRetry),
        CompactionTrigger::Auto | CompactionTrigger::Reactive => Some(Transition::TransientRetry),
    }
}
