//! "Always" in lines: the rule is said, with the calls that it would have covered; a line of its own then takes it.

use crate::ledger::{CallId, EntryId, Sandboxing, Scope};
use crate::ui::local::RuleToKeep;
use crate::ui::reply::{RuleLines, RulePlan};
use crate::ui::session_rule::no_rule;
use crate::view::View;

use super::calls::named;
use super::moment::Moment;
use super::output::LinearOutput;
use super::words::{count, plain};

/// Most calls that are said of those that a rule would have covered.
const MOST_COVERED: usize = 8;

/// A rule that was said and not taken.
#[derive(Debug)]
pub(super) struct Said {
    /// The request of the call that it was said for.
    pub(super) request: EntryId,
    /// What the person calls that call.
    pub(super) number: usize,
    /// The rule as it is written.
    pub(super) text: String,
    /// When it stood on the terminal; `None` until it is written.
    pub(super) since: Option<Moment>,
    /// Whether it was said how the rule is taken for the session.
    is_told: bool,
    /// What would be written for it to hold longer than the session, once that was said.
    pub(super) plan: Option<RulePlan>,
}

impl Said {
    /// Whether whoever typed a line at this moment can have heard the rule.
    pub(super) fn was_said(&self, now: Moment) -> bool {
        self.since.is_some_and(|since| now.answers(since))
    }

    /// How it is taken.
    pub(super) fn how(&mut self) -> String {
        let number = self.number;
        match (std::mem::replace(&mut self.is_told, true), self.plan.is_some()) {
            // The rest was said before the files were known.
            (true, true) => format!("always {number}: a project or a everywhere writes it into that file"),
            (_, true) => format!(
                "always {number}: type a again to add it for the rest of this session; a project or a everywhere to write it \
                 into that file; anything else cancels"
            ),
            (_, false) => format!(
                "always {number}: type a again to add it for the rest of this session; anything else cancels"
            ),
        }
    }

    /// What would be written is known: it is said, and counts from then on.
    pub(super) fn planned(&mut self, plan: RulePlan, output: &mut LinearOutput) {
        let number = self.number;
        for (scope, lines) in [(Scope::Project, &plan.project), (Scope::Everywhere, &plan.everywhere)] {
            let said = match lines {
                Ok(RuleLines { file, lines }) => {
                    format!("would write to {file}: {}", lines.replace('\n', " "))
                }
                Err(why) => format!("not possible: {why}"),
            };
            output.say(&format!("always {number}, {}: {}", scope.as_str(), plain(&said)));
        }
        (self.plan, self.since) = (Some(plan), None);
    }

    /// What is written down once the decision is recorded: nothing for the session.
    ///
    /// # Errors
    /// Why it cannot be.
    pub(super) fn to_keep(&self, call: CallId, scope: Scope) -> Result<Option<RuleToKeep>, String> {
        let lines = match (scope, &self.plan) {
            (Scope::Session | Scope::Once, _) => return Ok(None),
            (_, None) => return Err("the configuration is still being read; type it again".to_owned()),
            (Scope::Project, Some(plan)) => &plan.project,
            (Scope::Everywhere, Some(plan)) => &plan.everywhere,
        };
        let RuleLines { lines, .. } = lines.as_ref().map_err(Clone::clone)?;
        Ok(Some(RuleToKeep { call, rule: self.text.clone(), scope, lines: lines.clone() }))
    }
}

/// Says the rule that is offered for a call that waits, or that there is none.
pub(super) fn said(view: &View, request: EntryId, number: usize, output: &mut LinearOutput) -> Option<Said> {
    let (_, asked) = view.waiting().into_iter().find(|(id, _)| *id == request)?;
    let Some(text) = asked.rule.clone() else {
        output.say(&format!("always {number}: {}", plain(&no_rule(view, asked))));
        return None;
    };
    output.say(&format!("always {number}: rule {text}"));
    if asked.sandboxing == Sandboxing::Within {
        output.say(&format!("always {number}: what it allows runs without the sandbox"));
    }
    let covered = covered(view, &text, asked.call);
    let all = count(covered.len() as u64, "earlier call");
    match covered.len() {
        0 => output.say(&format!("always {number}: it would not have matched any earlier call")),
        _ => output.say(&format!("always {number}: {all} it would have matched, latest first:")),
    }
    covered.iter().take(MOST_COVERED).for_each(|call| output.more(call));
    let more = covered.len().saturating_sub(MOST_COVERED);
    if more > 0 {
        output.more(&format!("({} before these)", count(more as u64, "more call")));
    }
    Some(Said { request, number, text, since: None, is_told: false, plan: None })
}

/// The earlier calls of the session that a rule would have covered, the last first, each in words.
fn covered(view: &View, rule: &str, before: CallId) -> Vec<String> {
    let calls = view.covered(rule, before).into_iter().rev();
    calls.filter_map(|call| Some(format!("{call} {}", named(view.panel(call)?)))).collect()
}
