//! Why a line is decided as it is: each command in it, what it does, and what lets it run. Made by the functions that decide.

use super::line::{self, Places};
use super::line_part::LinePart;
use super::part::Permission;
use super::shell;
use super::{Decided, Mode, Policy, Rule, RuleKind};
use crate::ledger::Arguments;
use crate::tool::{Preparation, SideEffect, ToolSpec};

/// A decision, and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The decision about the whole call.
    pub decided: Decided,
    /// Each command of a shell line and each file that the shell opens, in their order; empty for other calls.
    pub parts: Vec<ExplainedPart>,
    /// Why a part of the line cannot be read with certainty.
    pub unreadable: Option<String>,
}

/// One command of a line, or one file that the shell opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExplainedPart {
    /// What it is, and what it does.
    pub part: LinePart,
    /// What lets it run, or that nothing does; in words.
    pub why: String,
    /// Whether something lets it run, and nothing forbids it.
    pub is_covered: bool,
    /// The rule that decides about it alone, if one does.
    pub rule: Option<Rule>,
}

impl Policy {
    /// Decides about a validated call, and says what about each of its parts.
    pub fn explain(&self, tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> Explanation {
        let decided = self.decide(tool, arguments, found);
        let Some(command) = line::command(tool, arguments) else {
            return Explanation { decided, parts: Vec::new(), unreadable: None };
        };
        let reading = shell::read(command);
        let places = Places::of(command, &reading, found);
        let is_alone = reading.commands.len() + reading.redirections.len() == 1;
        let commands = reading.commands.iter().filter(|command| !command.is_wrapper).map(|command| {
            let part = LinePart::of_command(command, &reading);
            let forbidding = self.forbidding(&part.text, tool, found);
            self.part(part, &self.for_command(command, tool, &places, is_alone), forbidding)
        });
        let files = reading
            .redirections
            .iter()
            .map(|file| self.part(LinePart::of_file(file), &self.for_file(file, tool, &places), None));
        Explanation {
            decided,
            parts: commands.chain(files).collect(),
            unreadable: reading.unreadable.clone(),
        }
    }

    /// What decides about a part if it stood alone, in the order in which the decision looks at it.
    fn part(
        &self,
        part: LinePart,
        permission: &Permission<'_>,
        forbidding: Option<(&Rule, bool)>,
    ) -> ExplainedPart {
        let effect = part.effect;
        let is_for_all = self.mode == Mode::Unrestricted;
        let forbidding = forbidding.filter(|(rule, _)| rule.kind == RuleKind::Deny || !is_for_all);
        let looks =
            effect == SideEffect::Reads && matches!(permission, Permission::Harmless | Permission::Confined);
        let of_rule = |rule: &Rule, is_sure: bool| {
            let does = match (rule.kind, is_sure) {
                (RuleKind::Deny, true) => "denies",
                (RuleKind::Deny, false) => "may deny",
                (_, true) => "asks",
                (_, false) => "may ask",
            };
            (format!("rule {rule} {does} ({})", rule.origin), false, Some(rule.clone()))
        };
        let (why, is_covered, rule) = match (forbidding, permission) {
            (Some((rule, true)), _) if rule.kind == RuleKind::Deny => of_rule(rule, true),
            _ if self.mode == Mode::Plan && !looks => ("mode plan only reads".to_owned(), false, None),
            (Some((rule, is_sure)), _) => of_rule(rule, is_sure),
            _ if is_for_all => ("mode unrestricted runs all".to_owned(), true, None),
            (None, Permission::By(rule)) => {
                (format!("{} rule {rule} ({})", rule.kind.as_str(), rule.origin), true, Some((*rule).clone()))
            }
            (None, Permission::Harmless) if effect == SideEffect::Reads => {
                ("reads in the workspace".to_owned(), true, None)
            }
            (None, Permission::Harmless) => ("edits in the workspace".to_owned(), true, None),
            (None, Permission::Confined) => {
                ("reads through git, whose settings can start programs".to_owned(), true, None)
            }
            (None, Permission::Uncovered) => ("no rule covers it".to_owned(), false, None),
            (None, Permission::Missing(why)) => (why.clone(), false, None),
        };
        ExplainedPart { part, why, is_covered, rule }
    }
}
