//! What follows an answer that makes no call: a continuation, a nudge, the second phase, or the end.

use crate::budget::{Limit, TokenBudget, Verdict};
use crate::context::words;
use crate::ledger::{Ending, Injected, Injector, Millis, Note, Remark, Stop, Transition};

use super::phase::Phase;
use super::settings::FinalResponse;
use super::{Agent, Effect};

/// Continuations of a cut answer, in a row (seed 4: three).
const MOST_CONTINUATIONS: u32 = 3;

/// Pauses of the provider within one turn. Each stands for a series of its own tools, so this is far beyond any use.
const MOST_PAUSES: u32 = 8;

impl Agent {
    /// The model is silent about tools; `said` is what else it said.
    pub(super) fn on_final_words(
        &mut self,
        now: Millis,
        stop: &Stop,
        said: &str,
        out: &mut Vec<Effect>,
    ) -> Phase {
        match stop {
            Stop::ContextOverflow => {
                self.learn_full_window(now);
                self.compact_or_give_up(now, out)
            }
            Stop::Length if self.books.guards().continuations < MOST_CONTINUATIONS => {
                self.go_on_with(now, words::CONTINUE, Transition::MaxOutputTokensRecovery, out)
            }
            Stop::Length => self.end(now, Ending::OutputCutOff, out),
            // What it has said goes back as it is, with no word of ours: the provider goes on with its own turn.
            Stop::Pause if self.books.guards().pauses < MOST_PAUSES => {
                self.call_model(now, Transition::ProviderPause, 0, out)
            }
            Stop::Pause => self.paused_too_often(now, out),
            // What the user said meanwhile may be another question. Stop hooks judge answers, and this is none.
            Stop::Refusal if !self.steering.is_empty() => self.steer(now, out),
            Stop::Refusal => self.end(now, Ending::ModelRefused, out),
            Stop::End | Stop::ToolUse | Stop::Interrupted | Stop::Other(_) => {
                if said.trim().is_empty() && !self.continues() {
                    self.on_silence(now, out)
                } else {
                    self.finish(now, out)
                }
            }
        }
    }

    fn paused_too_often(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        let message = format!(
            "The provider paused its answer {} times in one turn and has not finished it.",
            MOST_PAUSES + 1
        );
        let next = "Send \"go on\" to continue from there, or ask for less at once.".to_owned();
        self.books.ledger.remark(now, Remark::Error { message, next });
        self.end(now, Ending::ModelError, out)
    }

    /// Whether the last answer, which has no words, was the continuation of one that had: parts of one answer are joined.
    fn continues(&self) -> bool {
        !self.books.last_text().trim().is_empty()
    }

    fn on_silence(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        if self.books.guards().nudged {
            return self.end(now, Ending::NoFinalAnswerOrToolCall, out);
        }
        self.go_on_with(now, words::EMPTY, Transition::EmptyAnswerNudge, out)
    }

    /// The answer stands. Something may still be wanted: what the user said meanwhile, the final response of the
    /// two-phase loop, or more of it, until the token budget is used.
    fn finish(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        if !self.steering.is_empty() {
            return self.steer(now, out);
        }
        if self.books.goal().is_some() {
            return self.on_goal_words(now, out);
        }
        let has_tools = !self.registry.tools().is_empty();
        let in_two = self.settings.final_response == FinalResponse::Separate && has_tools;
        if in_two && !self.books.guards().is_final {
            return self.go_on_with(now, words::FINAL, Transition::FinalResponse, out);
        }
        let Some(budget) = self.token_budget() else {
            return self.conclude(now, Ending::Completed, out);
        };
        let guards = self.books.guards();
        let written = guards.written;
        match guards.returns.check(&budget, written) {
            Verdict::Continue => {
                let text = words::budget_nudge(written, budget.tokens);
                self.inject_and_call(now, Injector::BudgetNudge, text, Transition::BudgetNudge, out)
            }
            Verdict::Stop { diminishing } => {
                if diminishing {
                    let about = self.books.ledger.last_id();
                    let text = "diminishing_returns: the last continuations each wrote little".to_owned();
                    self.books.ledger.remark(now, Remark::Note(Note::plain(about, text)));
                }
                self.end(now, Ending::TokenBudget, out)
            }
        }
    }

    /// The token budget in force: raises, which the ledger knows, come before what is configured.
    pub(super) fn token_budget(&mut self) -> Option<TokenBudget> {
        let raised = self.books.meter().limits().get(Limit::Tokens);
        let configured = self.settings.token_budget?;
        Some(TokenBudget { tokens: raised.unwrap_or(configured.tokens), ..configured })
    }

    pub(super) fn go_on_with(
        &mut self,
        now: Millis,
        text: &str,
        reason: Transition,
        out: &mut Vec<Effect>,
    ) -> Phase {
        self.inject_and_call(now, Injector::Continuation, text.to_owned(), reason, out)
    }

    pub(super) fn inject_and_call(
        &mut self,
        now: Millis,
        by: Injector,
        text: String,
        reason: Transition,
        out: &mut Vec<Effect>,
    ) -> Phase {
        match self.books.ledger.inject(now, Injected::text(by, text)) {
            Ok(_) => self.call_model(now, reason, 0, out),
            Err(unsettled) => self.give_up(now, &unsettled, out),
        }
    }
}
