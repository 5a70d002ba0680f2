//! What lets a part of a shell line run: one of its commands, or a file that the shell opens for it.

use super::cover::allows;
use super::effect;
use super::guarded::is_guarded;
use super::line::{PathTarget, Places, describe};
use super::mention;
use super::place::{forbids_path, permits_path};
use super::shell::{Access, Command, Redirection};
use super::{Mode, Policy, Rule, RuleKind};
use crate::tool::{Territory, ToolSpec};

/// What lets a part run.
pub(super) enum Permission<'r> {
    /// A rule.
    By(&'r Rule),
    /// It only looks, or edits where edits are allowed.
    Harmless,
    /// It only looks, through a program that the repository can make do more: the sandbox sees to that.
    Confined,
    /// Nothing: no rule covers it.
    Uncovered,
    /// Nothing, for a reason of its own; says why.
    Missing(String),
}

impl Policy {
    /// The permitting rule that wins among those that fit.
    pub(super) fn winner(&self, fits: impl Fn(&Rule) -> bool) -> Option<&Rule> {
        let fitting = |kind: RuleKind| {
            let rules = self.rules.iter().filter(move |rule| rule.kind == kind && rule.counts());
            rules.filter(|rule| fits(rule)).max_by_key(|rule| (rule.origin.tier.rank(), rule.specificity()))
        };
        match (fitting(RuleKind::Allow), fitting(RuleKind::Sandbox)) {
            (Some(allow), Some(sandbox)) => {
                let is_own = allow.origin.tier.rank() >= sandbox.origin.tier.rank();
                let is_exception = is_own && allow.specificity() > sandbox.specificity();
                Some(if is_exception { allow } else { sandbox })
            }
            (allow, sandbox) => sandbox.or(allow),
        }
    }

    /// A command of the line.
    pub(super) fn for_command(
        &self,
        command: &Command,
        tool: &ToolSpec,
        places: &Places<'_>,
        is_usual: bool,
    ) -> Permission<'_> {
        match self.rule_for(command, tool) {
            Some(rule) => Permission::By(rule),
            None if places.is_harmless(command) && effect::is_steered(command) => Permission::Confined,
            None if places.is_harmless(command) => Permission::Harmless,
            None if is_usual => Permission::Uncovered,
            None => {
                let words = command.environment.iter().chain(&command.words);
                let words: Vec<&str> = words.map(|word| word.raw.as_str()).collect();
                Permission::Missing(format!("no rule covers `{}`", words.join(" ")))
            }
        }
    }

    /// The rule by which a command of a line may run.
    pub(super) fn rule_for(&self, command: &Command, tool: &ToolSpec) -> Option<&Rule> {
        self.winner(|rule| {
            rule.is_for(&tool.name) && rule.pattern.as_deref().is_none_or(|pattern| allows(pattern, command))
        })
    }

    /// A file that the shell opens needs a rule for its path, or a mode that edits.
    pub(super) fn for_file(
        &self,
        file: &Redirection,
        tool: &ToolSpec,
        places: &Places<'_>,
    ) -> Permission<'_> {
        if effect::is_sink(file) {
            return Permission::Harmless;
        }
        let place = places.of_redirection(file);
        let (PathTarget::Inside(path) | PathTarget::Outside(path)) = &place else {
            let all = self.winner(|rule| rule.is_for(&tool.name) && rule.pattern.is_none());
            return all.map_or_else(
                || Permission::Missing(format!("{}, and it is unclear where that leads", describe(file))),
                Permission::By,
            );
        };
        let (tools, found) = (mention::tools(file.access), places.found());
        let forbids = |rule: &&Rule| {
            !rule.kind.permits()
                && tools.iter().any(|name| rule.is_for(name))
                && rule.tool != "*"
                && rule.pattern.as_deref().is_none_or(|pattern| forbids_path(pattern, path, &found.folders))
        };
        if let Some(rule) = self.rules.iter().find(forbids) {
            return Permission::Missing(format!("{}, and rule {rule} forbids it", describe(file)));
        }
        let by = self.winner(|rule| match &rule.pattern {
            None => rule.is_for(&tool.name),
            Some(pattern) => tools.iter().any(|name| rule.is_for(name)) && permits_path(pattern, path, found),
        });
        let territory = places.territory(path);
        let is_protected = territory == Territory::Protected || is_guarded(path);
        let edits = matches!(self.mode, Mode::Edit | Mode::Auto) && !is_protected;
        match (by, &place) {
            (Some(rule), _) => Permission::By(rule),
            (None, PathTarget::Inside(_)) if file.access == Access::Reads || edits => Permission::Harmless,
            (None, PathTarget::Outside(path)) => Permission::Missing(territory.why(path)),
            _ => Permission::Missing(format!("{}, and no rule covers that", describe(file))),
        }
    }
}

/// Of two permissions the one that lets less happen; the first is named among equals.
pub(super) fn weaker<'r>(first: Permission<'r>, second: Permission<'r>) -> Permission<'r> {
    let strength = |permission: &Permission<'_>| match permission {
        Permission::Harmless => 0,
        Permission::By(rule) if rule.kind == RuleKind::Allow => 1,
        Permission::Confined => 2,
        Permission::By(_) => 3,
        Permission::Uncovered | Permission::Missing(_) => 4,
    };
    if strength(&second) > strength(&first) { second } else { first }
}
