//! When a model call fails: withdraw what it left, then wait and try again, or say why not.

use crate::budget::Bound;
use crate::context::words;
use crate::ledger::{Ending, Millis, ModelRef, Note, ProviderLimit, Remark, Tombstone, Transition};
use crate::model::{Action, FailureClass, ModelFailure, NamedTool, ToolCalls};
use crate::tool::ToolKind;

use super::phase::{Awaiting, BackingOff, Phase, WantedSummary};
use super::step::Step;
use super::{Agent, Effect, Live};

/// First wait, in milliseconds; doubled for each further attempt. (protocols: 0.5 s * 2^n.)
const FIRST_WAIT_MS: u64 = 500;
/// Longest wait of our own choosing, in milliseconds.
const LONGEST_WAIT_MS: u64 = 30_000;
/// Longest wait a provider may ask for before it is better to say so and stop, in milliseconds.
const LONGEST_ASKED_MS: u64 = 120_000;

/// What to do when the window is known now, but the session has had its one reactive compaction.
const AGAIN: &str =
    "Send the message again: the window is known now, and the context is compacted before the call.";
/// What to do when a request with the schema of an answer is refused: the protocols name the schema `answer`, a word that nobody here
/// has written.
const SCHEMA_MAY_BE_REFUSED: &str = "Read the provider's message. If it refuses the schema of --output-schema, which it may call \
`answer`, or tools beside a schema: correct the schema, or add `--tools string`, which puts the schema in words.";

impl Agent {
    /// The stream ended in a failure. Its words are kept under a tombstone: money was spent, and the next
    /// request must not contain them.
    pub(super) fn on_failure(&mut self, step: &mut Step, awaiting: Awaiting, failure: ModelFailure) -> Phase {
        let (retries, model) = (awaiting.retries, awaiting.model.clone());
        let (estimated, asked) = (awaiting.estimated_input, awaiting.asked_output);
        self.withdraw(step.now, awaiting, &failure);
        if self.may_retry(retries, &failure) {
            self.tell_failure(step, &failure);
            return self.back_off(step, retries, None, failure);
        }
        if failure.class == FailureClass::Overflow {
            let is_news = self.learn_window(step.now, &model, &failure, estimated);
            if is_news {
                self.tell_choice(step, None);
            }
            return self.on_overflow(step, failure, (retries, asked, is_news));
        }
        if self.learns(step.now, model, &failure) {
            self.tell_failure(step, &failure);
            return self.call_model(step, Transition::TransientRetry, retries + 1);
        }
        if failure.class.may_fall_back() && self.history.fallbacks() < self.chain().count() {
            self.tell_failure(step, &failure);
            return self.fall_back(step);
        }
        if failure.class == FailureClass::Exhausted && self.history.guards().is_final {
            // A script may end before the second phase: then the first phase's words are the answer.
            return self.end(step, Ending::Completed);
        }
        self.report_failure(step.now, &failure, retries);
        self.end(step, Ending::ModelError)
    }

    /// The request does not fit the window. If its prompt alone does, less output is asked for, once an answer; else the
    /// history is compacted, once a session.
    fn on_overflow(
        &mut self,
        step: &mut Step,
        mut failure: ModelFailure,
        (retries, asked, is_news): (u64, u64, bool),
    ) -> Phase {
        if Self::less_output_would_do(&failure, asked)
            && !std::mem::replace(&mut self.models.asked_for_less, true)
        {
            self.tell_failure(step, &failure);
            return self.call_model(step, Transition::TransientRetry, retries + 1);
        }
        // What the compaction mends stays the note that it is.
        if self.history.guards().compacted_reactively {
            if is_news {
                failure.next = AGAIN.to_owned();
            }
            self.report_failure(step.now, &failure, retries);
        } else {
            self.tell_failure(step, &failure);
        }
        self.compact_or_give_up(step)
    }

    /// Whether the refusal says how the next request must differ. That is written down, and every later request
    /// heeds it. No lesson is learned twice, a limit in the session and reasoning in the run, so this has an end.
    pub(super) fn learns(&mut self, now: Millis, model: ModelRef, failure: &ModelFailure) -> bool {
        let lesson = match failure.class.action() {
            Action::StripReasoning if !self.history.guards().left_reasoning_out => {
                ProviderLimit::ReasoningRefused
            }
            Action::LowerLimit { most } if self.history.output_limit(&model).is_none() => {
                ProviderLimit::OutputLimit { model, most }
            }
            Action::LeaveOutTool => match self.refused_tool(failure) {
                Some(tool) => ProviderLimit::ToolRefused { tool },
                None => return false,
            },
            Action::StripReasoning
            | Action::LowerLimit { .. }
            | Action::Wait
            | Action::RetrySame
            | Action::Compact
            | Action::StringMode
            | Action::RepairHistory
            | Action::Stop => return false,
        };
        self.learn(now, lesson);
        true
    }

    /// The tool that a refusal names, if it was sent and comes from elsewhere: ours are fit for every provider.
    fn refused_tool(&self, failure: &ModelFailure) -> Option<String> {
        let refused = self.history.refused_tools();
        let mut sent =
            self.tools.registry.shown().iter().map(|tool| &tool.name).filter(|name| !refused.contains(*name));
        let named = match failure.tool.as_deref()? {
            NamedTool::At(place) => sent.nth(*place),
            NamedTool::Called(name) => sent.find(|sent| *sent == name),
        };
        let is_from_elsewhere =
            |name: &&String| self.tools.registry.kind(name).is_some_and(ToolKind::is_from_elsewhere);
        named.filter(is_from_elsewhere).cloned()
    }

    /// Another model answers. It cannot go on with a turn that the first one's provider had paused, so it is asked to.
    fn fall_back(&mut self, step: &mut Step) -> Phase {
        if self.history.is_paused() {
            return self.go_on_with(step, words::GO_ON, Transition::ModelFallback);
        }
        self.call_model(step, Transition::ModelFallback, 0)
    }

    fn report_failure(&mut self, now: Millis, failure: &ModelFailure, retries: u64) {
        let tries = match retries {
            0 => String::new(),
            1 => " (1 retry)".to_owned(),
            many => format!(" ({many} retries)"),
        };
        let (mut message, mut next) = (format!("{}{tries}", failure.message), failure.next_step().to_owned());
        if let Some(asked) = failure.retry_after_ms.filter(|_| !is_patient(failure)) {
            message = format!("{message}; the provider asks to wait {}", span(asked));
            next = format!("Send the message again in {}{}.", span(asked), clock_after(now, asked));
        }
        let has_schema =
            self.settings.answer_schema.is_some() && self.tool_calls_of(self.spec()) == ToolCalls::Native;
        if has_schema && failure.class == FailureClass::BadRequest && failure.next.is_empty() {
            SCHEMA_MAY_BE_REFUSED.clone_into(&mut next);
        }
        if failure.class.action() == Action::RepairHistory {
            let session = &self.settings.session;
            next = format!("Run `countersign sessions check {session}` and report this: it is a bug.");
        }
        self.history.ledger.remark(now, Remark::Error { message, next });
    }

    fn withdraw(&mut self, now: Millis, awaiting: Awaiting, failure: &ModelFailure) {
        let Awaiting { message, draft, estimated_input, model, .. } = awaiting;
        let about = message;
        let reason = format!("the model call failed: {}", failure.message);
        if draft.is_empty() && failure.is_unheard {
            self.count_unheard(now, message, model, estimated_input);
            self.history.ledger.remark(now, Remark::Tombstone(Tombstone { target: message, reason }));
        } else if !draft.is_empty() {
            let usage = self.priced(draft.usage_when_cut(estimated_input));
            let (partial, calls) = draft.abandon(message, model, usage);
            // No call of it is made, so this cannot open one; a refusal would mean that one is open already.
            if let Ok(_no_tokens) = self.history.ledger.assistant(now, partial) {
                self.history.ledger.remark(now, Remark::Tombstone(Tombstone { target: message, reason }));
            }
            for call in calls {
                let text =
                    format!("The failed answer held a call of {}, never made: {}", call.name, call.arguments);
                self.history.ledger.remark(now, Remark::Note(Note::plain(about, text)));
            }
        }
        let text = format!("The model call failed: {}", failure.message);
        let note = Note::of_failed_call(about, failure.recorded(), text);
        self.history.ledger.remark(now, Remark::Note(note));
    }

    /// Whether the same call may be made again: the failure may pass, retries are left, and the provider does not ask
    /// for more patience than a person has.
    pub(super) fn may_retry(&mut self, retries: u64, failure: &ModelFailure) -> bool {
        retries < self.most_retries(failure) && is_patient(failure)
    }

    fn most_retries(&mut self, failure: &ModelFailure) -> u64 {
        let most = self.history.meter().limits().bound(Bound::ModelRetries);
        match failure.class.action() {
            Action::Wait => most,
            Action::RetrySame => most.min(1),
            Action::Compact
            | Action::StripReasoning
            | Action::LowerLimit { .. }
            | Action::StringMode
            | Action::LeaveOutTool
            | Action::RepairHistory
            | Action::Stop => 0,
        }
    }

    /// Waits, then makes the call again: for an answer, or for the summary that is wanted.
    pub(super) fn back_off(
        &mut self,
        step: &mut Step,
        retries: u64,
        summary: Option<WantedSummary>,
        failure: ModelFailure,
    ) -> Phase {
        let most = self.most_retries(&failure);
        let wait_ms = failure.retry_after_ms.unwrap_or_else(|| self.jittered(retries));
        let timer = self.clock.mint();
        step.act(Effect::SetTimer(timer, wait_ms));
        let attempt = retries + 1;
        let (reason, brief) = (failure.message, failure.brief);
        step.emit(Live::Retrying { attempt, most, wait_ms, reason, brief });
        Phase::BackingOff(BackingOff { timer, retries: attempt, summary })
    }

    /// The wait is over.
    pub(super) fn retry(&mut self, step: &mut Step, waiting: &BackingOff) -> Phase {
        match waiting.summary.clone() {
            Some(wanted) => self.summarize(step, WantedSummary { retries: waiting.retries, ..wanted }),
            None => self.call_model(step, Transition::TransientRetry, waiting.retries),
        }
    }

    /// Doubling waits, each shortened by up to a quarter so that many clients do not come back at once.
    fn jittered(&mut self, retries: u64) -> u64 {
        let doubled = FIRST_WAIT_MS.saturating_mul(1 << retries.min(16)).min(LONGEST_WAIT_MS);
        // xorshift64: deterministic from the seed, good enough to spread clients.
        doubled - self.clock.random() % (doubled / 4)
    }
}

/// Whether the wait that the provider asks for is worth it; it asks for none as a rule.
fn is_patient(failure: &ModelFailure) -> bool {
    failure.retry_after_ms.is_none_or(|asked| asked <= LONGEST_ASKED_MS)
}

/// A long time in words, rounded up: `10 min`, `2 h 5 min`, `3 days`.
fn span(ms: u64) -> String {
    let minutes = ms.div_ceil(60_000);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) if hours < 48 => format!("{hours} h"),
        (hours, minutes) if hours < 48 => format!("{hours} h {minutes} min"),
        _ => format!("{} days", minutes.div_ceil(24 * 60)),
    }
}

/// When that is over, by the clock of the ledger's own times; of a wait of days the hour says nothing.
fn clock_after(now: Millis, ms: u64) -> String {
    let minutes = now.0.saturating_add(ms).div_ceil(60_000) % (24 * 60);
    if ms >= 24 * 3_600_000 {
        return String::new();
    }
    format!(", after {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::{clock_after, span};
    use crate::ledger::Millis;

    #[test]
    fn long_waits_are_told_in_the_units_of_people() {
        let minute = 60_000;
        for (ms, words) in [
            (121_000, "3 min"),
            (10 * minute, "10 min"),
            (120 * minute, "2 h"),
            (125 * minute, "2 h 5 min"),
            ((47 * 60 + 5) * minute, "47 h 5 min"),
            (48 * 60 * minute, "2 days"),
            ((48 * 60 + 5) * minute, "3 days"),
            (72 * 60 * minute, "3 days"),
        ] {
            assert_eq!(span(ms), words);
        }
        assert_eq!(clock_after(Millis(23 * 3_600_000), 90 * minute), ", after 00:30 UTC");
        assert_eq!(clock_after(Millis(0), 48 * 3_600_000), "");
    }
}
