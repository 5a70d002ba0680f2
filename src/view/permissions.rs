//! The rules in force, and the calls of the session that they speak of.

use crate::ledger::{Body, CallId, ToolUse};
use crate::policy::{Listed, Origin, Past, Rule, RuleKind, Tier, listing};
use crate::tool::{Preparation, ToolSpec};

use super::View;

/// Most calls that a rule is tried on, the latest: a long session has thousands, and somebody waits for the list.
const MOST_PAST: usize = 500;

/// A call with its tool and what can be said of its path.
type Looked<'v> = (&'v ToolUse, &'v ToolSpec, Preparation);

impl View {
    /// All rules in force: those of the configuration, of the command line, and those that a person took in this
    /// session; strictest first.
    pub fn rules(&self) -> Vec<Listed> {
        let rules: Vec<Rule> = self.settings.rules.iter().cloned().chain(self.taken()).collect();
        let looked = self.looked(None);
        listing(&rules, &past(&looked))
    }

    /// The earlier calls that a rule would have covered, oldest first; `before`: those before this call.
    pub fn covered(&self, rule: &str, before: CallId) -> Vec<CallId> {
        let Ok(rule) = Rule::parse(RuleKind::Allow, rule) else { return Vec::new() };
        let looked = self.looked(Some(before));
        let covered =
            past(&looked).into_iter().filter(|was| rule.matches(was.tool, was.arguments, was.found));
        covered.map(|was| was.call).collect()
    }

    /// The rules that a person took in this session, each once.
    fn taken(&self) -> Vec<Rule> {
        let mut rules: Vec<Rule> = Vec::new();
        for row in &self.rows {
            let Body::ApprovalDecided(decision) = &row.entry.body else { continue };
            if let Some(text) = decision.taken()
                && let Ok(rule) = Rule::parse(RuleKind::Allow, text)
                && !rules.contains(&rule)
            {
                rules.push(rule.from(Origin::of(Tier::Session)));
            }
        }
        rules
    }

    /// The latest calls, in their order, as they were changed last.
    fn looked(&self, before: Option<CallId>) -> Vec<Looked<'_>> {
        let mut looked: Vec<Looked<'_>> = Vec::new();
        for row in self.rows.iter().rev() {
            let (Body::ToolCall(call) | Body::Validation(call) | Body::CallEdited(call)) = &row.entry.body
            else {
                continue;
            };
            let is_known = looked.iter().any(|(known, ..)| known.id == call.id);
            let is_late = before.is_some_and(|before| call.id >= before);
            if let Some(tool) = self.settings.tools.iter().find(|tool| tool.name == call.name)
                && !is_known
                && !is_late
            {
                looked.push((call, tool, Preparation::as_written(tool, &call.arguments)));
            }
            if looked.len() == MOST_PAST {
                break;
            }
        }
        looked.reverse();
        looked
    }
}

fn past<'a>(looked: &'a [Looked<'_>]) -> Vec<Past<'a>> {
    let past = looked.iter().map(|(call, tool, found)| Past {
        call: call.id,
        tool,
        arguments: &call.arguments,
        found,
    });
    past.collect()
}
