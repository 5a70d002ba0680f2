//! The rules as a list: where each comes from, and which call it last spoke of.

use super::{Origin, Rule, RuleKind};
use crate::ledger::{Arguments, CallId};
use crate::tool::{Preparation, ToolSpec};

/// A call that was made earlier, as it was looked at then.
#[derive(Debug, Clone, Copy)]
pub struct Past<'a> {
    /// Its name.
    pub call: CallId,
    /// Its tool.
    pub tool: &'a ToolSpec,
    /// Its arguments.
    pub arguments: &'a Arguments,
    /// What the look at it said.
    pub found: &'a Preparation,
}

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What the rule says.
    pub kind: RuleKind,
    /// The rule as it is written.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Whether it counts: a project's file cannot permit anything unless it is trusted.
    pub counts: bool,
    /// The last of the calls that it speaks of.
    pub last: Option<CallId>,
}

/// All rules, strictest first, then in their order; the calls are in the order in which they were made.
pub fn listing(rules: &[Rule], past: &[Past<'_>]) -> Vec<Listed> {
    let mut list: Vec<Listed> = rules
        .iter()
        .map(|rule| Listed {
            kind: rule.kind,
            text: rule.to_string(),
            origin: rule.origin.clone(),
            counts: rule.counts(),
            last: last_match(rule, past),
        })
        .collect();
    list.sort_by_key(|listed| std::cmp::Reverse(listed.kind));
    list
}

fn last_match(rule: &Rule, past: &[Past<'_>]) -> Option<CallId> {
    past.iter().rev().find(|was| rule.matches(was.tool, was.arguments, was.found)).map(|was| was.call)
}
