//! One rule: `tool` or `tool(pattern)`, where `*` stands for any text.

use std::fmt;

use strum::IntoStaticStr;

use super::cover::{Fit, allows, speaks_of};
use super::effect;
use super::line;
use super::line_starts::LineStarts;
use super::origin::{Origin, Tier};
use super::place::{forbids_path, permits_path};
use super::shell::{self, HOLE, Reading};
use super::web;
use super::wildcard::wildcard;
use crate::ledger::Arguments;
use crate::tool::name::{FETCH, READ, SEARCH};
use crate::tool::{DELEGATE_TO, MCP, Preparation, SideEffect, ToolSpec, delegate, mcp};

/// What a rule says, loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum RuleKind {
    /// It may run.
    Allow,
    /// It may run in the sandbox, without asking.
    Sandbox,
    /// A person decides.
    Ask,
    /// It may not run.
    Deny,
}

impl RuleKind {
    /// As written in configuration and lists.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether it lets calls run without a question.
    pub fn permits(self) -> bool {
        matches!(self, Self::Allow | Self::Sandbox)
    }
}

/// A rule of the configuration, the command line or the session. Two that say the same are equal, wherever they come
/// from.
#[derive(Debug, Clone)]
pub struct Rule {
    /// What it says.
    pub kind: RuleKind,
    /// Name of the tool; `*` for all.
    pub tool: String,
    /// Matched against the command of `shell`, the URL of `fetch`, and the path of the tools that take one.
    pub pattern: Option<String>,
    /// Where it comes from.
    pub origin: Origin,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        (self.kind, &self.tool, &self.pattern) == (other.kind, &other.tool, &other.pattern)
    }
}

impl Eq for Rule {}

/// A rule that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadRule(pub String);

impl fmt::Display for BadRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Rule {
    /// Reads `shell(cargo test *)` or `read`. It is the session's until [`Rule::from`] says otherwise.
    ///
    /// # Errors
    /// [`BadRule`] says what is wrong and how a rule looks.
    pub fn parse(kind: RuleKind, text: &str) -> Result<Self, BadRule> {
        let text = text.trim();
        let bad = |what: &str| {
            BadRule(format!(
                "`{text}` is not a rule: {what}; write TOOL or TOOL(PATTERN), as in shell(cargo test *)"
            ))
        };
        let (tool, pattern) = match text.split_once('(') {
            None => (text, None),
            Some((tool, rest)) => {
                let pattern = rest.strip_suffix(')').ok_or_else(|| bad("the closing `)` is missing"))?;
                (tool, Some(pattern.to_owned()))
            }
        };
        if tool.is_empty() || !tool.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '*')) {
            return Err(bad("the tool's name is missing or has invalid characters"));
        }
        if text.contains(HOLE) {
            return Err(bad("it has a character that no command can have"));
        }
        if tool.starts_with(MCP) || tool.starts_with(DELEGATE_TO) {
            check_of_elsewhere(tool, pattern.is_some())
                .map_err(|what| BadRule(format!("`{text}` is not a rule: {what}")))?;
        }
        if let Some(pattern) = pattern.as_deref().filter(|_| tool == FETCH) {
            web::check(pattern, kind.permits()).map_err(|what| {
                BadRule(format!("`{text}` is not a rule: {what}; write {}", web::EXAMPLES))
            })?;
        }
        Ok(Self { kind, tool: tool.to_owned(), pattern, origin: Origin::default() })
    }

    /// The same rule with its origin.
    #[must_use]
    pub fn from(self, origin: Origin) -> Self {
        Self { origin, ..self }
    }

    /// Whether the rule speaks of this call.
    ///
    /// An allowing pattern for `shell` covers a line if each of its commands fits the pattern, or only looks; a
    /// line that writes files, or that cannot be read, is never covered. A denying or asking pattern is tried on
    /// each part of the line, as it is written and as it will be run, so that `true; r''m -rf x` does not slip
    /// past `shell(rm *)`; [`super::Policy::decide`] asks where that cannot be told.
    ///
    /// `cargo test *` allows what begins so and goes on; a bare `cargo test` needs a rule of its own. Rules that
    /// people wrote keep their meaning that way, and an allowing rule says exactly what it covers. A denying or
    /// asking one speaks of the bare command too.
    ///
    /// A pattern for a path allows by where the path leads, symlinks and `..` resolved; it denies or asks by that
    /// and by the path as it was written. A path of the workspace has an absolute name, too. A rule that denies or asks
    /// about files of `read` does so for `search`, which shows what is in them.
    pub fn matches(&self, tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> bool {
        // What `search` shows is what `read` would.
        let is_for_search = || tool.name == SEARCH && self.keeps_files();
        if !self.is_for(&tool.name) && !is_for_search() {
            return false;
        }
        let Some(pattern) = &self.pattern else { return true };
        match line::command(tool, arguments) {
            Some(command) => {
                let reading = shell::read(command);
                if self.kind.permits() {
                    covers(pattern, &reading)
                } else {
                    speaks_of(pattern, command, &LineStarts::of(&reading)) == Fit::Yes
                }
            }
            None => match web::address(tool, arguments) {
                // What a rule for every tool permits are paths.
                Some(url) if self.kind.permits() => self.tool == FETCH && web::allows(pattern, url),
                Some(url) => web::speaks_of(pattern, url) == Fit::Yes,
                None => self.fits_path(pattern, tool, arguments, found),
            },
        }
    }

    /// How surely it speaks of a call that runs no line.
    pub(super) fn fit(&self, tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> Fit {
        let url = web::address(tool, arguments).filter(|_| self.is_for(&tool.name) && !self.kind.permits());
        match (&self.pattern, url) {
            (Some(pattern), Some(url)) => web::speaks_of(pattern, url),
            _ if self.matches(tool, arguments, found) => Fit::Yes,
            _ => Fit::No,
        }
    }

    /// Whether the rule is for tools of this name.
    pub(super) fn is_for(&self, tool: &str) -> bool {
        wildcard(&self.tool, tool)
    }

    /// Whether it keeps some files from being read.
    pub(super) fn keeps_files(&self) -> bool {
        !self.kind.permits() && self.pattern.is_some() && self.is_for(READ)
    }

    fn fits_path(&self, pattern: &str, tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> bool {
        if self.kind.permits() {
            return found.leads_to.iter().any(|path| permits_path(pattern, path, found));
        }
        let written = tool.paths.iter().filter_map(|member| arguments.text(member));
        let mut names = found.leads_to.iter().map(String::as_str).chain(written);
        names.any(|path| forbids_path(pattern, path, &found.folders))
    }

    /// Whether it counts at all: a project's file comes with other people's code, so it can only tighten until the user
    /// trusts it.
    pub(super) fn counts(&self) -> bool {
        !(self.kind.permits() && self.origin.tier == Tier::Project)
    }

    /// How much of a call it fixes: longer patterns say more.
    pub(super) fn specificity(&self) -> usize {
        let fixed = |text: &str| text.chars().filter(|c| *c != '*').count();
        fixed(&self.tool) + self.pattern.as_deref().map_or(0, |pattern| 1 + fixed(pattern))
    }
}

/// Whether a rule for tools of MCP servers, or for those that hand a task to an agent, can speak of any call.
fn check_of_elsewhere(tool: &str, has_pattern: bool) -> Result<(), String> {
    if let Some(agent) = delegate(tool) {
        return match (has_pattern, agent) {
            (true, _) => Err(format!(
                "a pattern matches a command, a URL or a path, and a task for an agent is none of these; \
                write {tool} for all its tasks, or {DELEGATE_TO}* for all agents"
            )),
            (false, "") => Err(format!("it names no agent; write {DELEGATE_TO}* for all agents")),
            (false, _) => Ok(()),
        };
    }
    if has_pattern {
        return Err(format!(
            "a pattern matches a command, a URL or a path, and the arguments of an MCP tool are none of \
            these; write {tool} for all its calls, or {MCP}SERVER__* for all tools of a server"
        ));
    }
    if tool.contains('*') || mcp(tool).is_some_and(|(_, tool)| !tool.is_empty()) {
        return Ok(());
    }
    let server = tool.trim_end_matches('_');
    Err(format!("it names a server and no tool; write {server}__* for all its tools"))
}

/// Whether an allowing pattern covers a whole line on its own, and some of it by more than that it only looks.
fn covers(pattern: &str, reading: &Reading) -> bool {
    let covered = |command: &shell::Command| {
        let looks = effect::of_command(command) == Some(SideEffect::Reads);
        let opens_nothing = effect::operands(command, reading).is_some_and(|files| files.is_empty());
        allows(pattern, command) || (looks && opens_nothing)
    };
    reading.unreadable.is_none()
        && reading.commands.iter().any(|command| allows(pattern, command))
        && reading.commands.iter().all(covered)
        && reading.redirections.iter().all(effect::is_sink)
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pattern {
            None => f.write_str(&self.tool),
            Some(pattern) => write!(f, "{}({pattern})", self.tool),
        }
    }
}

#[cfg(test)]
#[path = "rule_tests.rs"]
mod tests;
