//! What bounds the loop's own loops. Read from the ledger, so that resume and re-entry cannot reset it.

use crate::budget::{Limit, Returns};
use crate::ledger::{Body, Change, Entry, Outcome, ProviderLimit, Transition};

/// Facts about the current run and the session that the next continue site must know.
#[derive(Debug, Clone, Default)]
pub(super) struct Guards {
    /// Continuations of a cut answer, in a row.
    pub(super) continuations: u32,
    /// Pauses of the provider since the last turn began.
    pub(super) pauses: u32,
    /// The run has had its one nudge after an empty answer.
    pub(super) nudged: bool,
    /// The run has had its one repair of an answer that did not satisfy its schema.
    pub(super) repaired: bool,
    /// Turns in a row in which every call failed.
    pub(super) failed_turns: u32,
    /// Turns in a row in which every call was of a tool that is not there.
    pub(super) missing_turns: u32,
    /// What the token budget's continuations have brought.
    pub(super) returns: Returns,
    /// Tokens written in the run.
    pub(super) written: u64,
    /// The run is in its second phase: the final response.
    pub(super) is_final: bool,
    /// The reasoning before some point of the run is left out of requests, since a provider refused it.
    pub(super) left_reasoning_out: bool,
    /// How often stop hooks have sent the model on in the run.
    pub(super) reentries: u32,
    /// The session has had its one reactive compaction, or tried to.
    pub(super) compacted_reactively: bool,
    /// A compaction was made and no answer has come since: another would bring nothing.
    pub(super) just_compacted: bool,
    /// Checkpoints of the goal so far, in this run.
    pub(super) checkpoints: u32,
    /// Model turns since the last checkpoint.
    pub(super) turns_since_check: u32,
    /// Checkpoints in a row without a call of the model's that worked.
    pub(super) idle_checks: u32,
    /// The model was asked the questions of a checkpoint and has not gone on since.
    pub(super) asked: bool,
    /// The validation command of a goal was called and nothing was made of it yet.
    pub(super) validating: bool,
    /// The run is one command of the user.
    pub(super) is_own_command: bool,
    calls: u32,
    failed_calls: u32,
    missing_calls: u32,
}

impl Guards {
    /// Takes in one entry. Entries must come in ledger order.
    pub(super) fn read(&mut self, entry: &Entry) {
        match &entry.body {
            Body::User(_) => {
                let (compacted_reactively, just_compacted) = (self.compacted_reactively, self.just_compacted);
                *self = Self { compacted_reactively, just_compacted, ..Self::default() };
            }
            Body::Transition { reason, .. } => self.went_on(*reason),
            Body::Assistant(message) => {
                self.written = self.written.saturating_add(message.usage.output);
                self.just_compacted &= message.interrupted;
            }
            Body::ToolResult(_) if self.validating => {}
            Body::ToolResult(result) => {
                self.calls += 1;
                self.failed_calls += u32::from(result.outcome != Outcome::Ok);
                self.missing_calls += u32::from(result.outcome == Outcome::UnknownTool);
                if result.outcome == Outcome::Ok {
                    self.idle_checks = 0;
                }
            }
            Body::Validation(_) => self.validating = true,
            Body::Command(_) => self.is_own_command = true,
            Body::TurnEnded(_) => self.is_own_command = false,
            Body::Checkpoint(_) => {
                self.checkpoints += 1;
                self.validating = false;
            }
            Body::Compaction(_) => self.just_compacted = true,
            Body::ProviderLimit(_) => {
                self.left_reasoning_out |= ProviderLimit::of(entry) == Some(ProviderLimit::ReasoningRefused)
            }
            // More is wanted: what brought little before does not count any more.
            Body::Change(Change::Budget { limit: Limit::Tokens, .. }) => self.returns.raised(self.written),
            Body::SessionStarted(_)
            | Body::ToolCall(_)
            | Body::CallEdited(_)
            | Body::ApprovalRequested(_)
            | Body::ApprovalDecided(_)
            | Body::DelegationRequested(_)
            | Body::DelegationAnswered(_)
            | Body::Injected(_)
            | Body::Tombstone(_)
            | Body::Note(_)
            | Body::Change(_)
            | Body::Goal(_)
            | Body::Progress(_)
            | Body::Handoff { .. }
            | Body::Error { .. } => {}
        }
    }

    fn went_on(&mut self, reason: Transition) {
        self.validating = false;
        // What is no turn keeps the count: an adversary could else take turns with the other bounds.
        if reason.is_a_turn() {
            self.pauses = 0;
        }
        match reason {
            Transition::ProviderPause => self.pauses += 1,
            Transition::MaxOutputTokensRecovery => self.continuations += 1,
            // Retries and fallbacks repeat a call; a stop hook's re-entry keeps the count.
            Transition::TransientRetry | Transition::ModelFallback => {}
            Transition::StopHookBlocking => self.reentries += 1,
            Transition::ReactiveCompactRetry => self.compacted_reactively = true,
            Transition::EmptyAnswerNudge => self.nudged = true,
            Transition::SchemaRepair => (self.continuations, self.repaired) = (0, true),
            Transition::BudgetNudge => {
                (self.continuations, self.is_final) = (0, false);
                self.returns.continued(self.written);
            }
            Transition::FinalResponse => {
                self.continuations = 0;
                self.is_final = true;
            }
            // What the user adds may need tools again.
            Transition::Steered => (self.continuations, self.is_final) = (0, false),
            Transition::Submitted | Transition::NextTurn | Transition::AutoCompact => self.continuations = 0,
            Transition::GoalCheck => {
                (self.continuations, self.turns_since_check) = (0, 0);
                self.idle_checks += 1;
            }
        }
        if reason.is_a_turn() {
            self.asked = reason == Transition::GoalCheck;
            self.turns_since_check += 1;
        }
        (self.failed_turns, self.missing_turns) = (self.failed_turns_now(), self.missing_turns_now());
        (self.calls, self.failed_calls, self.missing_calls) = (0, 0, 0);
    }

    /// Whether the open call is the loop's own, the check of a goal.
    pub(super) fn is_validating(&self) -> bool {
        self.validating
    }

    /// Turns in a row in which every call failed, the one that has just ended included.
    pub(super) fn failed_turns_now(&self) -> u32 {
        self.turns_of(self.failed_calls, self.failed_turns)
    }

    /// The same, of those in which every call was of a tool that is not there.
    pub(super) fn missing_turns_now(&self) -> u32 {
        self.turns_of(self.missing_calls, self.missing_turns)
    }

    fn turns_of(&self, calls: u32, before: u32) -> u32 {
        match self.calls {
            0 => before,
            all if all == calls => before + 1,
            _ => 0,
        }
    }
}
