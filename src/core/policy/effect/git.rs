//! What `git` does, subcommand by subcommand.

use super::super::shell::Word;
use super::arguments::{ReadOnlyProgram, has_option};
use super::git_reads;
use crate::tool::SideEffect;

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

/// What else git has by itself. What it does is not looked into.
const OTHERS: &[&str] = &[
    "annotate",
    "bugreport",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "checkout-index",
    "cherry",
    "citool",
    "column",
    "commit-graph",
    "credential-cache",
    "credential-store",
    "diagnose",
    "diff-files",
    "fast-export",
    "fast-import",
    "fmt-merge-msg",
    "get-tar-commit-id",
    "gui",
    "help",
    "hook",
    "index-pack",
    "init-db",
    "instaweb",
    "interpret-trailers",
    "mailinfo",
    "mailsplit",
    "merge-file",
    "merge-tree",
    "mktag",
    "mktree",
    "multi-pack-index",
    "name-rev",
    "pack-objects",
    "pack-redundant",
    "pack-refs",
    "patch-id",
    "quiltimport",
    "receive-pack",
    "refs",
    "repo",
    "replay",
    "rerere",
    "show-branch",
    "show-index",
    "stage",
    "stripspace",
    "unpack-file",
    "unpack-objects",
    "update-server-info",
    "upload-archive",
    "upload-pack",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
];

/// Whether git has a subcommand of this name, so that no alias can have it.
pub(in crate::policy) fn is_subcommand(name: &str) -> bool {
    [DELETING, SENDING, RUNNING, OTHERS].iter().any(|names| names.contains(&name))
        || git_reads::is_known(name)
}

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
        (name, _) => looks(name, arguments),
    };
    if lists {
        return Some(SideEffect::Reads);
    }
    if SENDING.contains(&subcommand) || (subcommand == "remote" && has("update")) {
        return Some(SideEffect::Sends);
    }
    (RUNNING.contains(&subcommand) || git_reads::is_known(subcommand)).then_some(SideEffect::Runs)
}

/// The subcommand and what follows it, if no option stands before it that changes what it means.
pub(super) fn subcommand(arguments: &[Word]) -> Option<(String, &[Word])> {
    let (first, rest) = arguments.split_first()?;
    let (name, rest) = if first.raw == "--no-pager" { rest.split_first()? } else { (first, rest) };
    Some((name.literal()?, rest))
}

/// What a subcommand that looks may be given.
pub(super) fn reader(subcommand: &str) -> Option<ReadOnlyProgram> {
    git_reads::reader(subcommand)
}

/// Whether all its words are known to do no more than look, and no format asks for signatures, which a program checks.
fn looks(name: &str, arguments: &[Word]) -> bool {
    let Some((_, rest)) = subcommand(arguments) else { return false };
    reader(name).is_some_and(|reader| reader.take(rest).is_some())
        && !rest.iter().any(may_check)
        && (name != "for-each-ref" || rest.iter().all(|word| word.literal().is_some()))
}

/// Whether a word may be a format with `%G`, `%+G` or `%(signature)`.
fn may_check(word: &Word) -> bool {
    let text = word.with_holes();
    let asks = text.split('%').skip(1).any(|rest| {
        let name = rest.trim_start_matches(['+', '-', ' ']);
        name.starts_with('G') || rest.starts_with("(signature")
    });
    let is_format = text.starts_with("--format") || text.starts_with("--pretty");
    asks || (is_format && word.literal().is_none())
}
