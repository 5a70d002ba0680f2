//! A rule that "always" would take: as it is shown, and as it waits for its decision to be recorded.

use crate::ledger::{CallId, EntryId, Scope};
use crate::view::View;

use super::reply::{RuleLines, RulePlan};
use super::request::Request;
pub use super::rule_reading::RuleReading;
use super::visible_decision::Shown;

/// A rule that is shown in the pane of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedRule {
    /// The request about the call.
    pub request: EntryId,
    /// The rule as it is written.
    pub rule: String,
    /// Whether the call itself would run in the sandbox: what the rule allows runs without it.
    pub leaves_sandbox: bool,
    /// What is accepted for the session instead, where it is no rule: what the sandbox cannot hide.
    pub gaps: Vec<String>,
    /// The earlier calls of the session that it would have covered, in words, the latest first.
    pub covers: Vec<String>,
    /// How long it would hold.
    pub scope: Scope,
    /// What would be written for it to hold longer than the session, once that is known.
    pub plan: Option<RulePlan>,
    /// Whether the last frame showed the file that would be written, for each time that it may hold.
    pub names_files: bool,
    /// How much of it has been in sight.
    pub reading: Option<RuleReading>,
}

impl OfferedRule {
    /// The lines that would be written for it to hold so long; or why there are none; `None` while that is not known.
    pub(super) fn lines(&self) -> Option<&Result<RuleLines, String>> {
        self.lines_for(self.scope)
    }

    /// The same for another scope.
    pub(super) fn lines_for(&self, scope: Scope) -> Option<&Result<RuleLines, String>> {
        let plan = self.plan.as_ref()?;
        Some(if scope == Scope::Project { &plan.project } else { &plan.everywhere })
    }

    /// How it stands on the screen.
    pub(super) fn shown(&self) -> Shown {
        Shown::Rule(
            self.request,
            self.reading.map_or(0, |read| read.from),
            self.reading.map_or(0, |read| read.seen),
        )
    }

    /// Whether something of it, or of what would be written for it, has not been in sight.
    pub(super) fn is_unread(&self) -> bool {
        self.reading.is_some_and(|reading| reading.is_unread())
    }

    /// It is to hold for another time, or what is written for that is known only now: that is another text below the rule.
    pub(super) fn turn(&mut self, is_ripe: bool) {
        self.reading = self.reading.map(|reading| reading.turned(is_ripe));
    }

    /// Whether it is a rule; else it is what the sandbox cannot hide.
    pub(super) fn is_rule(&self) -> bool {
        self.gaps.is_empty()
    }

    /// What the sandbox cannot hide from a call, as it is accepted for the session.
    pub(super) fn of_gaps(request: EntryId, gaps: &[String]) -> Self {
        Self {
            request,
            rule: String::new(),
            leaves_sandbox: false,
            gaps: gaps.to_vec(),
            covers: Vec::new(),
            scope: Scope::Session,
            plan: None,
            names_files: false,
            reading: None,
        }
    }

    /// Whether it can be taken for so long.
    pub(super) fn can_be_taken(&self) -> bool {
        self.scope == Scope::Session || matches!(self.lines(), Some(Ok(_)))
    }
}

/// A rule that was taken for longer than the session: it is written down when the decision is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleToKeep {
    /// The call that it was taken with.
    pub call: CallId,
    /// The rule as it is written.
    pub rule: String,
    /// Where it is kept.
    pub scope: Scope,
    /// What was shown of the file.
    pub lines: String,
}

impl RuleToKeep {
    /// What is to be asked of the session, once the decision is recorded as it was made; of another decision,
    /// nothing. It waits for the record whatever is refused meanwhile: a refusal does not say what it is
    /// about, and what is recorded has to be written.
    pub fn due(kept: &mut Option<Self>, view: &View) -> Option<Request> {
        let panel = view.panel(kept.as_ref()?.call)?;
        let Some(decision) = panel.decision() else {
            kept.take_if(|_| panel.result().is_some());
            return None;
        };
        let Self { rule, scope, lines, .. } = kept.take()?;
        let is_this = decision.scope == scope && decision.taken() == Some(rule.as_str());
        is_this.then_some(Request::KeepRule { rule, scope, lines })
    }
}
