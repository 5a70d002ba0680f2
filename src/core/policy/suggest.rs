//! "Always": the narrowest rule that is of use, and what it would have covered. Where such a rule would open more than
//! a person can see, there is none.

use super::effect;
use super::guarded::is_guarded;
use super::line;
use super::registry::Past;
use super::shell::{self, Command, HOLE};
use super::web;
use super::{Origin, Rule, RuleKind, Tier};
use crate::ledger::{Arguments, CallId};
use crate::tool::{Preparation, SideEffect, Territory, ToolSpec};

/// A rule that is offered, with what it would have done so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// The rule.
    pub rule: Rule,
    /// The earlier calls that it speaks of.
    pub covers: Vec<CallId>,
}

/// Why no rule is offered for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoRule {
    /// An ask rule, or a deny rule, decides whatever is added; as it is written.
    Decided(String),
    /// The line cannot be read for sure.
    Unreadable,
    /// It sets variables for its commands.
    Variables,
    /// What this program does is not known well enough, whatever its arguments; not yet safe for a screen.
    Unknown(String),
    /// Its commands would need several rules.
    Several,
    /// Other programs run or obey the file.
    Guarded,
    /// No rule would be both narrow and useful.
    Other,
}

/// Tools of which a subcommand says what they do, how many words that takes, and the subcommands that start or fetch
/// whatever their arguments say: those are offered word for word only.
const DEPTHS: &[(&str, usize, &[&str])] = &[
    ("cargo", 1, &["run", "install", "publish", "xtask", "login", "owner", "clean"]),
    (
        "git",
        1,
        // Of these an option starts programs, writes files anywhere, or deletes what the name says nothing of.
        &[
            "config",
            "rebase",
            "bisect",
            "submodule",
            "filter-branch",
            "difftool",
            "mergetool",
            "grep",
            "log",
            "diff",
            "show",
            "whatchanged",
            "diff-tree",
            "diff-index",
            "blame",
            "cat-file",
            "shortlog",
            "rev-list",
            "format-patch",
            "bundle",
            "apply",
            "am",
            "init",
            "checkout",
            "branch",
            "tag",
            "stash",
            "worktree",
            "reflog",
            "update-ref",
            "symbolic-ref",
            "remote",
            "notes",
            "replace",
            "maintenance",
        ],
    ),
    ("npm", 2, &["exec", "x", "init", "create", "publish", "install", "i", "add"]),
    ("pnpm", 2, &["exec", "dlx", "create", "publish", "install", "i", "add"]),
    ("yarn", 2, &["exec", "dlx", "create", "publish", "add"]),
    ("bun", 2, &["x", "create", "publish", "install", "add"]),
    ("go", 1, &["run", "generate", "get", "install", "tool", "env"]),
    ("docker", 1, &["run", "exec", "build", "compose", "push", "login"]),
    ("podman", 1, &["run", "exec", "build", "push", "login"]),
    ("kubectl", 1, &["exec", "run", "apply", "delete", "debug", "create", "edit"]),
    ("dotnet", 1, &["run", "nuget", "tool"]),
    ("poetry", 1, &["run", "publish"]),
    ("bundle", 1, &["exec"]),
];
/// Tools whose arguments are files and filters.
const PLAIN: &[&str] = &[
    "pytest",
    "ruff",
    "mypy",
    "black",
    "isort",
    "flake8",
    "eslint",
    "prettier",
    "tsc",
    "rustfmt",
    "gofmt",
    "jest",
    "vitest",
    "mocha",
    "rspec",
    "shellcheck",
    "shfmt",
    "clang-format",
];
/// Tools that are offered word for word: an argument can make them run anything.
const EXACT: &[&str] =
    &["make", "gmake", "just", "ninja", "cmake", "ctest", "mvn", "gradle", "tox", "rake", "meson"];

/// The rule to offer for a call, and which of the earlier calls it would have covered.
pub fn suggest(
    tool: &ToolSpec,
    arguments: &Arguments,
    found: &Preparation,
    past: &[Past<'_>],
) -> Option<Suggestion> {
    let pattern = match (line::command(tool, arguments), web::address(tool, arguments)) {
        (Some(command), _) => Some(for_line(command)?),
        (None, Some(url)) => Some(web::server_of(url)?),
        // What a server or an agent does with arguments is known to nobody here: the one tool is as narrow as it gets.
        (None, None) if tool.kind.is_from_elsewhere() => None,
        (None, None) => Some(for_path(tool, found)?),
    };
    let rule =
        Rule { kind: RuleKind::Allow, tool: tool.name.clone(), pattern, origin: Origin::of(Tier::Session) };
    if !rule.matches(tool, arguments, found) {
        return None;
    }
    let covered = past.iter().filter(|was| rule.matches(was.tool, was.arguments, was.found));
    let covers = covered.map(|was| was.call).collect();
    Some(Suggestion { rule, covers })
}

/// Why [`suggest`] finds nothing for a call, as far as the call itself is why.
pub fn why_none(tool: &ToolSpec, arguments: &Arguments, found: &Preparation) -> NoRule {
    match line::command(tool, arguments) {
        Some(command) => why_not_for_line(command),
        None if found.leads_to.iter().any(|path| is_guarded(path)) => NoRule::Guarded,
        None => NoRule::Other,
    }
}

fn why_not_for_line(line: &str) -> NoRule {
    let reading = shell::read(line);
    if reading.unreadable.is_some() {
        return NoRule::Unreadable;
    }
    let asks = |command: &&Command| effect::of_command(command) != Some(SideEffect::Reads);
    let commands: Vec<&Command> = reading.commands.iter().filter(asks).collect();
    if commands.iter().any(|command| !command.environment.is_empty()) {
        return NoRule::Variables;
    }
    match commands.iter().find(|command| for_command(command).is_none()) {
        Some(command) => {
            command.words.first().map_or(NoRule::Other, |name| NoRule::Unknown(name.with_holes()))
        }
        None if commands.len() > 1 => NoRule::Several,
        None => NoRule::Other,
    }
}

/// One command of the line needs a rule; all others only look.
fn for_line(line: &str) -> Option<String> {
    let reading = shell::read(line);
    if reading.unreadable.is_some() {
        return None;
    }
    let asks = |command: &&Command| effect::of_command(command) != Some(SideEffect::Reads);
    let mut patterns = reading.commands.iter().filter(asks).map(for_command);
    let first = patterns.next()??;
    patterns.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

fn for_command(command: &Command) -> Option<String> {
    let words: Vec<String> = command.words.iter().map(shell::Word::with_holes).collect();
    let (name, rest) = words.split_first()?;
    if !command.environment.is_empty() {
        return None;
    }
    let name = name.as_str();
    let does = effect::of_command(command)?;
    let by_subcommand = DEPTHS.iter().find(|(tool, ..)| *tool == name);
    if let Some((_, depth, risky)) = by_subcommand {
        let subcommand = rest.first()?;
        // `npm run build`: the name of the script belongs to it; of `npm test` the first word says it all.
        let depth = if *depth == 2 && matches!(subcommand.as_str(), "run" | "run-script") { 2 } else { 1 };
        let is_mild = matches!(does, SideEffect::Reads | SideEffect::Writes | SideEffect::Runs);
        let sub = rest.get(..depth)?;
        if !is_mild || risky.contains(&subcommand.as_str()) || !sub.iter().all(|word| is_bare(word)) {
            return exactly(&words);
        }
        let head = format!("{name} {}", sub.join(" "));
        return Some(if rest.len() > depth { format!("{head} *") } else { head });
    }
    if PLAIN.contains(&name) {
        return Some(if rest.is_empty() { name.to_owned() } else { format!("{name} *") });
    }
    if EXACT.contains(&name) { exactly(&words) } else { None }
}

/// These words and no others.
fn exactly(words: &[String]) -> Option<String> {
    words.iter().all(|word| is_plain(word)).then(|| words.join(" "))
}

/// A word that can be a subcommand: no option, nothing that only the shell will know.
fn is_bare(word: &str) -> bool {
    !word.starts_with(['-', '+']) && is_plain(word)
}

fn is_plain(word: &str) -> bool {
    !word.is_empty()
        && !word.contains([HOLE, '*', '\'', '"', '\\', '$'])
        && !word.contains(char::is_whitespace)
}

/// The folder of a file in the workspace; beside its root, and outside of it, the file alone.
fn for_path(tool: &ToolSpec, found: &Preparation) -> Option<String> {
    let [path] = found.leads_to.as_slice() else { return None };
    if tool.paths.is_empty() || path.is_empty() || path.contains('*') || is_guarded(path) {
        return None;
    }
    if tool.effect != SideEffect::Reads && tool.effect != SideEffect::Writes {
        return None;
    }
    match path.rsplit_once('/') {
        Some((folder, _)) if found.territory(path) == Territory::Inside && !path.starts_with('/') => {
            Some(format!("{folder}/*"))
        }
        _ => Some(path.clone()),
    }
}
