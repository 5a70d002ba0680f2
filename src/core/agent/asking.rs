//! A question of the model to the user: a call that waits for a person, and whose result is the answer.

use crate::ledger::{Decider, Decision, Millis, Outcome, Settlement, ToolUse};
use crate::tool::ToolKind;

use super::phase::{CallState, Pending};
use super::step::Step;
use super::{Agent, Answer, Live};

/// Why a person is asked.
pub(super) const WHY: &str = "the model asks you";

impl Agent {
    /// A person's answer to a question: words, or none. A question is not allowed or changed.
    pub(super) fn answer_question(&mut self, step: &mut Step, pending: &mut Pending, answer: Answer) {
        match answer {
            Answer::Reply(words) if !words.trim().is_empty() => {
                self.replied(step.now, pending, words);
            }
            Answer::Deny(reason) => pending.state = self.denied(step.now, &pending.call, reason),
            Answer::Nobody(why) => pending.state = self.undecided(step.now, &pending.call, why),
            Answer::Reply(_)
            | Answer::AllowOnce
            | Answer::AllowBecause(_)
            | Answer::AllowSession
            | Answer::AllowSandboxed
            | Answer::Always { .. }
            | Answer::Edit(_) => {
                let why = "a question must be answered or denied";
                step.emit(Live::Refused(why.to_owned()));
            }
        }
    }

    /// Whether the call is a question to the user.
    pub(super) fn is_question(&self, call: &ToolUse) -> bool {
        self.tools.registry.kind(&call.name) == Some(ToolKind::Question)
    }

    /// The answer stands in the decision, so that it is not lost while its result waits for its turn; its receipt says which question
    /// was answered.
    fn replied(&mut self, now: Millis, pending: &mut Pending, words: String) {
        let answer = Some(words.clone());
        let once = Decision::permission(pending.call.id, Decider::User, "");
        pending.receipt = Some(self.receive(now, &pending.call, Decision { answer, ..once }));
        pending.state = CallState::Over(Settlement::synthetic(Outcome::Ok, words));
    }
}
