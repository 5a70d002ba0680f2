//! What `git` does, subcommand by subcommand.

use super::super::shell::Word;
use super::reads::{has_option, may_be_option};
use crate::tool::SideEffect;

/// Subcommands that look, whatever their operands.
const READING: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "rev-parse",
    "ls-files",
    "ls-tree",
    "blame",
    "describe",
    "shortlog",
    "cat-file",
    "rev-list",
    "merge-base",
    "show-ref",
    "for-each-ref",
    "diff-tree",
    "diff-index",
    "grep",
    "count-objects",
    "version",
    "whatchanged",
];
/// Options that start programs, write files or leave the repository.
const REFUSED: &[&str] = &[
    "output",
    "ext-diff",
    "textconv",
    "no-index",
    "filters",
    "exec",
    "open-files-in-pager",
    "show-signature",
    "upload-pack",
    "contents",
    "ignore-revs-file",
];
const DELETING: &[&str] =
    &["clean", "rm", "gc", "prune", "reset", "restore", "filter-branch", "prune-packed", "repack"];
const SENDING: &[&str] = &[
    "push",
    "fetch",
    "pull",
    "clone",
    "ls-remote",
    "submodule",
    "send-email",
    "request-pull",
    "lfs",
    "svn",
    "p4",
    "credential",
    "remote-http",
    "remote-https",
    "daemon",
    "http-push",
    "send-pack",
    "fetch-pack",
    "archive",
    "imap-send",
];
const RUNNING: &[&str] = &[
    "add",
    "commit",
    "checkout",
    "switch",
    "merge",
    "rebase",
    "cherry-pick",
    "revert",
    "stash",
    "apply",
    "am",
    "mv",
    "init",
    "config",
    "bisect",
    "notes",
    "branch",
    "tag",
    "remote",
    "worktree",
    "reflog",
    "update-index",
    "update-ref",
    "write-tree",
    "commit-tree",
    "hash-object",
    "read-tree",
    "fsck",
    "sparse-checkout",
    "replace",
    "symbolic-ref",
    "format-patch",
    "range-diff",
    "mergetool",
    "difftool",
    "maintenance",
    "bundle",
];

/// `None`: an alias, which may be anything.
pub(super) fn effect(arguments: &[Word]) -> Option<SideEffect> {
    let words: Vec<String> = arguments.iter().map(Word::with_holes).collect();
    let mut words = words.iter().map(String::as_str).peekable();
    if words.peek() == Some(&"--no-pager") {
        words.next();
    }
    let subcommand = words.next()?;
    let rest: Vec<&str> = words.collect();
    let has = |option: &str| rest.contains(&option);
    if subcommand.starts_with('-') {
        // `-c`, `--exec-path`, `--config-env`: they can make any subcommand start a program.
        let sends = rest.iter().any(|word| SENDING.contains(word));
        return Some(match subcommand {
            "--version" => SideEffect::Reads,
            _ if sends => SideEffect::Sends,
            _ => SideEffect::Runs,
        });
    }
    let deletes = match subcommand {
        "branch" | "tag" => rest.iter().any(|word| has_option(word, "dD", &["delete"])),
        "stash" => has("drop") || has("clear"),
        "worktree" => has("remove") || has("prune"),
        "reflog" => has("expire") || has("delete"),
        "update-ref" => has("-d"),
        "checkout" => has("--") || has(".") || has("-f") || has("--force"),
        _ => DELETING.contains(&subcommand),
    };
    if deletes {
        return Some(SideEffect::Deletes);
    }
    let lists = match (subcommand, rest.as_slice()) {
        ("branch" | "tag" | "remote" | "reflog", []) => true,
        ("branch", options) => options.iter().all(|word| {
            matches!(*word, "-a" | "-r" | "-v" | "-vv" | "--list" | "--all" | "--show-current" | "--remotes")
        }),
        ("tag", ["-l" | "--list"]) | ("remote", ["-v"]) | ("stash" | "worktree", ["list"]) => true,
        (name, _) => READING.contains(&name) && arguments.iter().all(is_plain),
    };
    if lists {
        return Some(SideEffect::Reads);
    }
    if SENDING.contains(&subcommand) || (subcommand == "remote" && has("update")) {
        return Some(SideEffect::Sends);
    }
    (RUNNING.contains(&subcommand) || READING.contains(&subcommand)).then_some(SideEffect::Runs)
}

/// No option that does more than look, and no format that asks for signatures to be checked by a program.
fn is_plain(word: &Word) -> bool {
    match word.literal() {
        Some(text) => !has_option(&text, "O", REFUSED) && !text.contains("%G"),
        None => !may_be_option(word),
    }
}
