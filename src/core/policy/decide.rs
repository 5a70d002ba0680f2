//! Which rule wins, and what happens where none speaks. This is the one place that says so:
//!
//! 1. A rule that **denies** wins, wherever it comes from.
//! 2. `plan` refuses what does not only look.
//! 3. What was granted for the session, as the exact action, runs: in the sandbox, if that is how it was granted.
//! 4. Where it cannot be told whether a denying rule speaks of a line or a URL, a person is asked.
//! 5. `unrestricted` runs the rest.
//! 6. A rule that **asks** wins over those that permit, wherever they come from.
//! 7. A rule that says **sandbox** wins over one that says **allow**, unless the one that allows is more specific and
//!    is at least as much the user's own word: user (file or flag) over project over session.
//! 8. A permitting rule of a project's file does not count unless its folder is trusted: it can only tighten.
//! 9. Where no rule speaks, the mode decides.
//!
//! A shell line needs that for each of its parts, and is as permitted as its least permitted part. A part that only
//! looks into the workspace needs no rule beside one that has one; a whole line of such parts runs in the sandbox where
//! looking is free, and so does one with a part that looks through git, whose settings can start programs. A person who
//! allows all of `shell`, without a pattern, allows lines that cannot be read too.
//!
//! A rule that denies or asks about the files of `read`, `write` or `edit` speaks of a line that names such a file. A line that
//! reads a whole folder with such a file in it runs in the sandbox, which hides the file; outside of it a person is asked.

use std::cmp::Reverse;

use super::cover::{Fit, speaks_of};
use super::effect;
use super::guarded::is_guarded;
use super::line::{self, Places};
use super::line_starts::LineStarts;
use super::named::NamedFiles;
use super::part::{Permission, weaker};
use super::shell::{self, Command, Reading};
use super::{Decided, Mode, Policy, Rule, RuleKind, Tier, Verdict, fingerprint, grant};
use crate::ledger::Arguments;
use crate::tool::{Preparation, SideEffect, Territory, ToolKind, ToolSpec};

impl Policy {
    /// Decides about a validated call.
    pub fn decide(&self, tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> Decided {
        match line::command(tool, arguments) {
            Some(command) => self.decide_line(command, tool, arguments, found),
            None => self.decide_other(tool, arguments, found),
        }
    }

    fn decide_line(
        &self,
        command: &str,
        tool: &ToolSpec,
        arguments: &Arguments,
        found: &Preparation,
    ) -> Decided {
        let reading = shell::read(command);
        let effect = effect::of_line(&reading);
        let told =
            |verdict, rule: Option<&Rule>| Decided { verdict, rule: rule.cloned(), effect, is_usual: false };
        let uncovered = || Decided { is_usual: true, ..told(Verdict::Ask(NO_RULE.to_owned()), None) };
        let named = NamedFiles::of(command, &reading, found);
        let starts = LineStarts::of(&reading);
        let fit = |rule: &Rule| fit_of_line(rule, command, &starts, &named, tool);
        let (denies, denying) = self.strictest(RuleKind::Deny, fit);
        if let (Fit::Yes, Some(rule)) = (denies, denying) {
            return told(Verdict::Deny(format!("rule {rule} denies it")), Some(rule));
        }
        let permission = self.permission(command, &reading, tool, found);
        let looks =
            effect == SideEffect::Reads && matches!(permission, Permission::Harmless | Permission::Confined);
        if self.mode == Mode::Plan && !looks {
            return told(Verdict::Deny(PLAN.to_owned()), None);
        }
        let action = fingerprint(&tool.name, arguments);
        if self.granted.contains(&action) {
            return told(Verdict::Allow(GRANTED.to_owned()), None);
        }
        if self.has_sandbox && self.granted_in_sandbox.contains(&action) {
            return told(Verdict::Sandbox(GRANTED.to_owned()), None);
        }
        if let (Fit::Maybe, Some(rule)) = (denies, denying) {
            return told(Verdict::Ask(perhaps_denied(rule)), Some(rule));
        }
        let below = denying.filter(|_| denies == Fit::Below);
        if self.mode == Mode::Unrestricted {
            return match below {
                Some(rule) => told(Verdict::Ask(in_the_folder(rule)), Some(rule)),
                None => told(Verdict::Allow(UNRESTRICTED.to_owned()), None),
            };
        }
        let asks = self.strictest(RuleKind::Ask, fit);
        if let Some((why, rule)) = asking(asks) {
            return told(Verdict::Ask(why), Some(rule));
        }
        let asks_below = || asks.1.filter(|_| asks.0 == Fit::Below);
        match permission {
            Permission::By(rule) => match (self.permitted(rule), below.or_else(asks_below)) {
                (Verdict::Allow(_), Some(kept)) => told(Verdict::Ask(in_the_folder(kept)), Some(kept)),
                (verdict, _) => told(verdict, Some(rule)),
            },
            Permission::Harmless => told(Verdict::Sandbox(harmless(effect).to_owned()), None),
            Permission::Confined if effect == SideEffect::Reads => {
                told(Verdict::Sandbox(READS.to_owned()), None)
            }
            Permission::Confined => told(Verdict::Sandbox(STEERED.to_owned()), None),
            Permission::Uncovered | Permission::Missing(_) if self.is_confinable(&reading) => {
                told(Verdict::Sandbox("auto mode".to_owned()), None)
            }
            Permission::Uncovered => uncovered(),
            Permission::Missing(why) => told(Verdict::Ask(why), None),
        }
    }

    /// The rule that denies a line or asks about it, or could, and whether it surely does.
    pub(super) fn forbidding(
        &self,
        line: &str,
        tool: &ToolSpec,
        found: &Preparation,
    ) -> Option<(&Rule, bool)> {
        let reading = shell::read(line);
        let named = NamedFiles::of(line, &reading, found);
        let starts = LineStarts::of(&reading);
        let fit = |rule: &Rule| fit_of_line(rule, line, &starts, &named, tool);
        let strictest = [RuleKind::Deny, RuleKind::Ask].map(|kind| self.strictest(kind, fit));
        let surely = strictest.iter().find(|(fit, _)| *fit == Fit::Yes);
        let perhaps = || strictest.iter().find(|(fit, _)| *fit == Fit::Maybe);
        let (fit, rule) = surely.or_else(perhaps)?;
        rule.map(|rule| (rule, *fit == Fit::Yes))
    }

    /// The denying or asking rule that speaks most surely of the call, and how surely.
    fn strictest(&self, kind: RuleKind, fit: impl Fn(&Rule) -> Fit) -> (Fit, Option<&Rule>) {
        let rules = self.rules.iter().filter(|rule| rule.kind == kind);
        let fits = rules.map(|rule| (fit(rule), rule));
        let best = fits.max_by_key(|(fit, rule)| (*fit, rule.origin.tier.rank(), rule.specificity()));
        best.map_or((Fit::No, None), |(fit, rule)| (fit, Some(rule)))
    }

    /// What lets the whole line run: the weakest of what lets its parts run.
    fn permission(
        &self,
        line: &str,
        reading: &Reading,
        tool: &ToolSpec,
        found: &Preparation,
    ) -> Permission<'_> {
        if let Some(why) = &reading.unreadable {
            let all = self.winner(|rule| rule.is_for(&tool.name) && rule.pattern.is_none());
            return all.map_or_else(|| Permission::Missing(format!("cannot be read: {why}")), Permission::By);
        }
        let places = Places::of(line, reading, found);
        // Where no part has a rule, none is named: nothing else is to be known of it.
        let has_rule = |command: &Command| self.rule_for(command, tool).is_some();
        let is_usual =
            reading.redirections.iter().all(effect::is_sink) && !reading.commands.iter().any(has_rule);
        // Of several that need a word the worst is named: a person reads the reason beside the effect of the line.
        let mut commands: Vec<&Command> = reading.commands.iter().collect();
        commands.sort_by_key(|command| Reverse(effect::of_command(command).unwrap_or(SideEffect::Sends)));
        let commands = commands.into_iter().map(|command| self.for_command(command, tool, &places, is_usual));
        let files = reading.redirections.iter().map(|file| self.for_file(file, tool, &places));
        let mut weakest = Permission::Harmless;
        for permission in commands.chain(files) {
            weakest = weaker(weakest, permission);
        }
        match weakest {
            // `nohup` makes a file where a terminal would have shown what is said.
            Permission::Harmless
                if effect::of_line(reading) == SideEffect::Writes
                    && !matches!(self.mode, Mode::Edit | Mode::Auto) =>
            {
                Permission::Uncovered
            }
            // What a program reads can make it do more, as the settings of a repository do with git: in the sandbox it
            // still only looks.
            Permission::Harmless | Permission::Confined if !(self.looking_is_free && self.has_sandbox) => {
                Permission::Uncovered
            }
            weakest => weakest,
        }
    }

    /// Tools that run no line: what they open is in their arguments.
    fn decide_other(&self, tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> Decided {
        let effect = tool.effect;
        let told =
            |verdict, rule: Option<&Rule>| Decided { verdict, rule: rule.cloned(), effect, is_usual: false };
        let uncovered = || Decided { is_usual: true, ..told(Verdict::Ask(NO_RULE.to_owned()), None) };
        let fit = |rule: &Rule| rule.fit(tool, arguments, found);
        let (denies, denying) = self.strictest(RuleKind::Deny, fit);
        if let (Fit::Yes, Some(rule)) = (denies, denying) {
            return told(Verdict::Deny(format!("rule {rule} denies it")), Some(rule));
        }
        if self.mode == Mode::Plan && effect != SideEffect::Reads {
            return told(Verdict::Deny(PLAN.to_owned()), None);
        }
        if self.granted.contains(&grant(tool, arguments, found)) {
            return told(Verdict::Allow(GRANTED.to_owned()), None);
        }
        if let (Fit::Maybe, Some(rule)) = (denies, denying) {
            return told(Verdict::Ask(perhaps_denied(rule)), Some(rule));
        }
        if self.mode == Mode::Unrestricted {
            return told(Verdict::Allow(UNRESTRICTED.to_owned()), None);
        }
        if let Some((why, rule)) = asking(self.strictest(RuleKind::Ask, fit)) {
            return told(Verdict::Ask(why), Some(rule));
        }
        let permitting = self.winner(|rule| rule.matches(tool, arguments, found));
        let closed = found.closed_to(effect);
        if let Some(rule) = permitting.filter(|rule| closed.is_none() || rule.pattern.is_some()) {
            let looks_or_edits = matches!(effect, SideEffect::Reads | SideEffect::Writes);
            if rule.kind == RuleKind::Sandbox && !looks_or_edits {
                let why = format!("rule {rule} requires the sandbox, but {} does not run in it", tool.name);
                return told(Verdict::Ask(why), Some(rule));
            }
            return told(self.permitted(rule), Some(rule));
        }
        if let Some((path, territory)) = closed {
            return told(Verdict::Ask(territory.why(path)), None);
        }
        let guarded = found.leads_to.iter().find(|path| is_guarded(path));
        told(
            match (effect, self.mode, guarded) {
                (SideEffect::Reads, _, _) if tool.kind == ToolKind::Subagent => {
                    Verdict::Allow(CALL_BY_CALL.to_owned())
                }
                (SideEffect::Reads, _, _) => Verdict::Allow(READS.to_owned()),
                (SideEffect::Writes, Mode::Edit | Mode::Auto, None) => {
                    Verdict::Allow(format!("{} mode", self.mode))
                }
                (SideEffect::Writes, Mode::Edit | Mode::Auto, Some(path)) => {
                    Verdict::Ask(Territory::Protected.why(path))
                }
                _ => return uncovered(),
            },
            None,
        )
    }

    /// What a permitting rule comes to here.
    fn permitted(&self, rule: &Rule) -> Verdict {
        match rule.kind {
            RuleKind::Sandbox if self.has_sandbox => Verdict::Sandbox(format!("rule {rule}")),
            RuleKind::Sandbox => {
                Verdict::Ask(format!("rule {rule} requires the sandbox, but there is none here"))
            }
            RuleKind::Allow | RuleKind::Ask | RuleKind::Deny if rule.origin.tier == Tier::Session => {
                Verdict::Allow(format!("rule {rule} of this session"))
            }
            RuleKind::Allow | RuleKind::Ask | RuleKind::Deny => Verdict::Allow(format!("rule {rule}")),
        }
    }

    /// Whether `auto` may run the line in the sandbox: it is there, and the line is known not to need more.
    fn is_confinable(&self, reading: &Reading) -> bool {
        let needs_more = |command: &Command| {
            matches!(effect::of_command(command), Some(SideEffect::ChangesPermissions | SideEffect::Sends))
        };
        self.mode == Mode::Auto
            && self.has_sandbox
            && reading.unreadable.is_none()
            && !reading.commands.iter().any(needs_more)
            && !reading.redirections.iter().any(|file| effect::of_redirection(file) == SideEffect::Sends)
    }
}

/// Whether a denying or asking rule speaks of a line, or of a file that it names.
fn fit_of_line(rule: &Rule, line: &str, starts: &LineStarts<'_>, named: &NamedFiles, tool: &ToolSpec) -> Fit {
    match &rule.pattern {
        None if rule.is_for(&tool.name) => Fit::Yes,
        Some(pattern) if rule.is_for(&tool.name) => speaks_of(pattern, line, starts).max(named.fit(rule)),
        _ => named.fit(rule),
    }
}

/// The rule that asks, or could, and its words, of the one that speaks most surely.
fn asking((fit, rule): (Fit, Option<&Rule>)) -> Option<(String, &Rule)> {
    match (fit, rule) {
        (Fit::Yes, Some(rule)) => Some((format!("rule {rule} asks"), rule)),
        (Fit::Maybe, Some(rule)) => Some((format!("it is unclear whether rule {rule} asks"), rule)),
        _ => None,
    }
}

fn perhaps_denied(rule: &Rule) -> String {
    format!("it is unclear whether rule {rule} denies it")
}

/// Outside of the sandbox nothing hides the file.
fn in_the_folder(rule: &Rule) -> String {
    format!(
        "it reads a whole folder, and rule {rule} {} files in it",
        match rule.kind {
            RuleKind::Deny => "denies",
            _ => "asks about",
        }
    )
}

const PLAN: &str = "plan mode only reads; switch the mode to change or run things";
const GRANTED: &str = "allowed for this session";
const UNRESTRICTED: &str = "unrestricted mode";
const STEERED: &str = "a part reads through git, whose settings can start programs";
const READS: &str = "reads in the workspace";
const CALL_BY_CALL: &str = "each of its calls is decided in its own session";
const NO_RULE: &str = "no rule covers it";

fn harmless(effect: SideEffect) -> &'static str {
    if effect == SideEffect::Reads { READS } else { "edits in the workspace" }
}
