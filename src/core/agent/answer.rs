//! What follows an answer that makes no call: a continuation, a nudge, the second phase, or the end.

use crate::budget::{Limit, TokenBudget, Verdict};
use crate::context::words;
use crate::ledger::{Ending, Injected, Injector, Note, Remark, Stop, Transition};

use super::Agent;
use super::phase::Phase;
use super::settings::FinalResponse;
use super::step::Step;

/// Continuations of a cut answer, in a row.
const MOST_CONTINUATIONS: u32 = 3;

/// Pauses of the provider within one turn. Each stands for a series of its own tools, so this is far beyond any use.
const MOST_PAUSES: u32 = 8;

impl Agent {
    /// The model is silent about tools; `said` is what else it said.
    pub(super) fn on_final_words(&mut self, step: &mut Step, stop: &Stop, said: &str) -> Phase {
        match stop {
            Stop::ContextOverflow => {
                self.learn_full_window(step.now);
                self.compact_or_give_up(step)
            }
            Stop::Length if self.history.guards().continuations < MOST_CONTINUATIONS => {
                self.go_on_with(step, words::CONTINUE, Transition::MaxOutputTokensRecovery)
            }
            Stop::Length => self.end(step, Ending::OutputCutOff),
            // What it has said goes back as it is, with no word of ours: the provider goes on with its own turn.
            Stop::Pause if self.history.guards().pauses < MOST_PAUSES => {
                self.call_model(step, Transition::ProviderPause, 0)
            }
            Stop::Pause => self.paused_too_often(step),
            // What the user said meanwhile may be another question. Stop hooks judge answers, and this is none.
            Stop::Refusal if !self.inbox.steering.is_empty() => self.steer(step),
            Stop::Refusal => self.end(step, Ending::ModelRefused),
            Stop::End | Stop::ToolUse | Stop::Interrupted | Stop::Other(_) => {
                if said.trim().is_empty() && !self.continues() {
                    self.on_silence(step)
                } else {
                    self.finish(step)
                }
            }
        }
    }

    fn paused_too_often(&mut self, step: &mut Step) -> Phase {
        let message = format!(
            "The provider paused its answer {} times in one turn without finishing it.",
            MOST_PAUSES + 1
        );
        let next = "Send \"go on\" to continue from there, or ask for less at once.".to_owned();
        self.history.ledger.remark(step.now, Remark::Error { message, next });
        self.end(step, Ending::ModelError)
    }

    /// Whether the last answer, which has no words, was the continuation of one that had: parts of one answer are joined.
    fn continues(&self) -> bool {
        !self.history.last_text().trim().is_empty()
    }

    fn on_silence(&mut self, step: &mut Step) -> Phase {
        if self.history.guards().nudged {
            return self.end(step, Ending::NoFinalAnswerOrToolCall);
        }
        self.go_on_with(step, words::EMPTY, Transition::EmptyAnswerNudge)
    }

    /// The answer stands. Something may still be wanted: what the user said meanwhile, the final response of the
    /// two-phase loop, or more of it, until the token budget is used.
    fn finish(&mut self, step: &mut Step) -> Phase {
        if !self.inbox.steering.is_empty() {
            return self.steer(step);
        }
        if self.history.goal().is_some() {
            return self.on_goal_words(step);
        }
        let has_tools = !self.tools.registry.tools().is_empty();
        let in_two = self.settings.final_response == FinalResponse::Separate && has_tools;
        if in_two && !self.history.guards().is_final {
            return self.go_on_with(step, words::FINAL, Transition::FinalResponse);
        }
        let Some(budget) = self.token_budget() else {
            return self.complete(step);
        };
        let guards = self.history.guards();
        let written = guards.written;
        match guards.returns.check(&budget, written) {
            Verdict::Continue => {
                let text = words::budget_nudge(written, budget.tokens);
                self.inject_and_call(step, Injector::BudgetNudge, text, Transition::BudgetNudge)
            }
            Verdict::Stop { diminishing } => {
                if diminishing {
                    let about = self.history.ledger.last_id();
                    let text = "diminishing_returns: the last continuations each wrote little".to_owned();
                    self.history.ledger.remark(step.now, Remark::Note(Note::plain(about, text)));
                }
                self.end(step, Ending::TokenBudget)
            }
        }
    }

    /// The run is over with this answer, if it satisfies the schema that it may have. One that does not is asked for again,
    /// once.
    fn complete(&mut self, step: &mut Step) -> Phase {
        let Some(schema) = self.settings.answer_schema.clone() else {
            return self.conclude(step, Ending::Completed);
        };
        let Err(why) = schema.check(&self.history.last_text()) else {
            return self.conclude(step, Ending::Completed);
        };
        if !self.history.guards().repaired {
            let text = words::schema_repair(&why, &schema.shown());
            return self.go_on_with(step, &text, Transition::SchemaRepair);
        }
        let message = format!("The answer does not satisfy the output schema, also when asked again: {why}");
        let next = Ending::InvalidAnswer.next_safe_action().to_owned();
        self.history.ledger.remark(step.now, Remark::Error { message, next });
        self.end(step, Ending::InvalidAnswer)
    }

    /// The token budget in force: raises, which the ledger knows, come before what is configured.
    pub(super) fn token_budget(&mut self) -> Option<TokenBudget> {
        let raised = self.history.meter().limits().get(Limit::Tokens);
        let configured = self.settings.token_budget?;
        Some(TokenBudget { tokens: raised.unwrap_or(configured.tokens), ..configured })
    }

    pub(super) fn go_on_with(&mut self, step: &mut Step, text: &str, reason: Transition) -> Phase {
        self.inject_and_call(step, Injector::Continuation, text.to_owned(), reason)
    }

    pub(super) fn inject_and_call(
        &mut self,
        step: &mut Step,
        by: Injector,
        text: String,
        reason: Transition,
    ) -> Phase {
        match self.history.ledger.inject(step.now, Injected::text(by, text)) {
            Ok(_) => self.call_model(step, reason, 0),
            Err(unsettled) => self.give_up(step, &unsettled),
        }
    }
}
