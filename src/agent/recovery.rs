//! When a model call fails: withdraw what it left, then wait and try again, or say why not.

use crate::context::words;
use crate::ledger::{Ending, Millis, Note, Remark, Tombstone, Transition};
use crate::model::{FailureClass, ModelFailure};

use super::phase::{Awaiting, BackingOff, Phase};
use super::{Agent, Effect, Live};

/// First wait, in milliseconds; doubled for each further attempt. (protocols: 0.5 s * 2^n.)
const FIRST_WAIT_MS: u64 = 500;
/// Longest wait of our own choosing, in milliseconds.
const LONGEST_WAIT_MS: u64 = 30_000;
/// Longest wait a provider may ask for before it is better to say so and stop, in milliseconds.
const LONGEST_ASKED_MS: u64 = 120_000;

impl Agent {
    /// The stream ended in a failure. Its words are kept under a tombstone: money was spent, and the next
    /// request must not contain them.
    pub(super) fn on_failure(
        &mut self,
        now: Millis,
        awaiting: Awaiting,
        failure: ModelFailure,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let retries = awaiting.retries;
        self.withdraw(now, awaiting, &failure);
        let most = self.books.meter().limits().max_retries_per_model_call;
        let patient = failure.retry_after_ms.is_none_or(|asked| asked <= LONGEST_ASKED_MS);
        if failure.class.is_transient() && retries < most && patient {
            return self.back_off(retries, most, failure, out);
        }
        if failure.class == FailureClass::Overflow {
            self.report_failure(now, &failure, retries);
            return self.compact_or_give_up(now, out);
        }
        if failure.class.may_fall_back() && self.books.fallbacks() < self.settings.fallback.len() {
            return self.fall_back(now, out);
        }
        if failure.class == FailureClass::Exhausted && self.books.guards().is_final {
            // The script of seed 2 may end before the second phase: then the first phase's words are the answer.
            return self.end(now, Ending::Completed, out);
        }
        self.report_failure(now, &failure, retries);
        self.end(now, Ending::ModelError, out)
    }

    /// Another model answers. It cannot go on with a turn that the first one's provider had paused, so it is asked to.
    fn fall_back(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        if self.books.is_paused() {
            return self.go_on_with(now, words::GO_ON, Transition::ModelFallback, out);
        }
        self.call_model(now, Transition::ModelFallback, 0, out)
    }

    fn report_failure(&mut self, now: Millis, failure: &ModelFailure, retries: u64) {
        let tries = if retries == 0 { String::new() } else { format!(" ({retries} retries)") };
        let next = failure.next_step().to_owned();
        self.books.ledger.remark(now, Remark::Error { message: format!("{}{tries}", failure.message), next });
    }

    fn withdraw(&mut self, now: Millis, awaiting: Awaiting, failure: &ModelFailure) {
        let Awaiting { message, draft, estimated_input, model, .. } = awaiting;
        let about = message.to_string();
        if !draft.is_empty() {
            let usage = self.priced(draft.usage(estimated_input));
            let (partial, calls) = draft.abandon(message, model, usage);
            // No call of it is made, so this cannot open one; a refusal would mean that one is open already.
            if let Ok(_no_tokens) = self.books.ledger.assistant(now, partial) {
                let reason = format!("the model call failed: {}", failure.message);
                self.books.ledger.remark(now, Remark::Tombstone(Tombstone { target: message, reason }));
            }
            for call in calls {
                let text =
                    format!("The failed answer held a call of {}, never made: {}", call.name, call.arguments);
                self.books.ledger.remark(now, Remark::Note(Note { about: about.clone(), text }));
            }
        }
        let text = format!("The model call failed: {}", failure.message);
        self.books.ledger.remark(now, Remark::Note(Note { about, text }));
    }

    fn back_off(&mut self, retries: u64, most: u64, failure: ModelFailure, out: &mut Vec<Effect>) -> Phase {
        let wait_ms = failure.retry_after_ms.unwrap_or_else(|| self.jittered(retries));
        let timer = self.mint_timer();
        out.push(Effect::SetTimer(timer, wait_ms));
        let attempt = retries + 1;
        out.push(Effect::Emit(Live::Retrying { attempt, most, wait_ms, reason: failure.message }));
        Phase::BackingOff(BackingOff { timer, retries: attempt })
    }

    /// The wait is over.
    pub(super) fn retry(&mut self, now: Millis, waiting: &BackingOff, out: &mut Vec<Effect>) -> Phase {
        self.call_model(now, Transition::TransientRetry, waiting.retries, out)
    }

    /// Doubling waits, each shortened by up to a quarter so that many clients do not come back at once.
    fn jittered(&mut self, retries: u64) -> u64 {
        let doubled = FIRST_WAIT_MS.saturating_mul(1 << retries.min(16)).min(LONGEST_WAIT_MS);
        // xorshift64: deterministic from the seed, good enough to spread clients.
        self.jitter ^= self.jitter << 13;
        self.jitter ^= self.jitter >> 7;
        self.jitter ^= self.jitter << 17;
        doubled - self.jitter % (doubled / 4)
    }
}
