//! What git's subcommands may be given so that they only look.

use super::arguments::ReadOnlyProgram;
use super::arguments::Takes::{self, Files, PatternAndFiles};

/// Options of all that show commits or differences. Those that write a file, start a program that they name, or open a file
/// that is not of the repository are not among them.
const HISTORY: &str = "-# -pusrtwbacgimzREFW -nSGLUl: -MCBDX? --patch --no-patch --stat? --numstat --shortstat --dirstat? \
    --summary --name-only --name-status --color? --no-color --word-diff? --color-words --color-moved? --raw --patch-with-stat \
    --minimal --patience --histogram --diff-algorithm? --ignore-all-space --ignore-space-change --ignore-blank-lines \
    --ignore-space-at-eol --find-renames? --find-copies? --find-copies-harder --no-renames --cached --staged --merge-base \
    --check --full-index --abbrev? --text --binary --quiet --exit-code --function-context --no-ext-diff --no-textconv \
    --inter-hunk-context? --unified? --diff-filter? --submodule? --ignore-submodules? --src-prefix? --dst-prefix? \
    --no-prefix --line-prefix? --relative? --compact-summary --cc --root --pickaxe-regex --pickaxe-all \
    --oneline --graph --all --branches? --tags? --remotes? --glob? --exclude? --decorate? --no-decorate --merges \
    --no-merges --first-parent --reverse --follow --date-order --topo-order --author-date-order --left-right --left-only \
    --right-only --cherry-pick --cherry --cherry-mark --boundary --abbrev-commit --no-abbrev-commit \
    --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --all-match --invert-grep --full-history \
    --dense --sparse --simplify-merges --simplify-by-decoration --ancestry-path --no-notes --relative-date --parents \
    --children --walk-reflogs --source --count --objects --pretty? --format? --date? --since= --after= --until= --before= \
    --author= --committer= --grep= --max-count= --skip= --min-parents? --max-parents? --no-walk --clear-decorations";
const TREES: &str = "-rdtlz --name-only --name-status --full-tree --full-name --abbrev? --long";

const READERS: &[(&str, Takes, &str)] = &[
    (
        "blame",
        Files,
        "-wltespfnbc -L: -CM? --porcelain --line-porcelain --show-email --show-name --show-number --date= --root",
    ),
    ("cat-file", Files, "-tsep"),
    ("count-objects", Files, "-vH --verbose --human-readable"),
    (
        "describe",
        Files,
        "--tags --all --always --dirty? --long --abbrev? --match= --exclude= --contains --exact-match --first-parent \
         --candidates=",
    ),
    ("diff", Files, HISTORY),
    ("diff-index", Files, HISTORY),
    ("diff-tree", Files, HISTORY),
    ("for-each-ref", Files, "--format? --sort= --count= --contains? --merged? --no-merged? --points-at="),
    (
        "grep",
        PatternAndFiles,
        "-# -niwlLcohHEFGPvpWaIqz -ABCem: --cached --untracked --count --name-only --files-with-matches \
         --files-without-match --line-number --ignore-case --word-regexp --invert-match --heading --break --max-depth= --color? \
         --show-function --function-context --and --or --not --fixed-strings --extended-regexp --perl-regexp --only-matching \
         --column --text",
    ),
    ("log", Files, HISTORY),
    (
        "ls-files",
        Files,
        "-cdmoisukztv --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard \
         --full-name --error-unmatch --directory --no-empty-directory --exclude= --deduplicate --eol",
    ),
    ("ls-tree", Files, TREES),
    ("merge-base", Files, "-a --all --octopus --independent --is-ancestor --fork-point"),
    ("rev-list", Files, HISTORY),
    (
        "rev-parse",
        Files,
        "-q --quiet --verify --short? --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? \
         --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree \
         --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree",
    ),
    ("shortlog", Files, HISTORY_OF_AUTHORS),
    ("show", Files, HISTORY),
    (
        "show-ref",
        Files,
        "-sdq --heads --tags --branches --head --dereference --hash? --abbrev? --verify --quiet",
    ),
    (
        "status",
        Files,
        "-sbvz -u? --short --branch --porcelain? --untracked-files? --ignored? --show-stash --long --ahead-behind \
         --no-ahead-behind --renames --no-renames --verbose --ignore-submodules?",
    ),
    ("version", Files, "--build-options"),
    ("whatchanged", Files, HISTORY),
];
const HISTORY_OF_AUTHORS: &str = "-# -sneci -w? --summary --numbered --email --committer --group= --all --no-merges --merges \
    --since= --after= --until= --before= --author= --grep= --format? --first-parent --date?";

/// The subcommands that usually look.
pub(super) fn is_known(subcommand: &str) -> bool {
    READERS.iter().any(|(name, ..)| *name == subcommand)
}

/// What a subcommand may be given.
pub(super) fn reader(subcommand: &str) -> Option<ReadOnlyProgram> {
    let (name, takes, options) = READERS.iter().find(|(name, ..)| *name == subcommand)?;
    Some(ReadOnlyProgram { name, takes: *takes, options })
}
