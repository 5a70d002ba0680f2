//! The commands that are a message to the model: what it is asked to do. The transcript shows the whole message.

/// `/init`
pub(super) const INIT: &str = "\
Write an AGENTS.md for this repository: what an engineer or an agent must know before a first change here.

Look before you write: the readme, the build files, the CI configuration, existing instruction files (AGENTS.md, CLAUDE.md, \
.cursorrules, .github/copilot-instructions.md) and how the code is laid out. Then propose the file with one call of `write`, or \
of `edit` if there is an AGENTS.md already: keep what is still true in it.

It has, in this order and only where it applies: the commands to build, test, lint and run, with the one for a single test; the \
architecture in a few sentences that cannot be read off one file; conventions that a reader would not guess; what must not be \
touched. State only what you have seen. No generic advice. At most 60 lines.";

/// `/review` of what is not committed.
pub(super) const REVIEW: &str = "\
Review the changes that are not committed: `git diff HEAD`, and the new files of `git status --short`. If there are none, review \
the last commit.

Read the code around each change before you judge it. Look for bugs, lost or wrong data, security holes, broken callers, missing \
error handling and missing tests. Change nothing.

Report each finding with file and line, what goes wrong in which case, and how to fix it; the worst first. Say which parts you \
have not looked at. If there is nothing to report, say so in one line.";

/// The same of what a branch has since a commit.
pub(super) fn review_since(base: &str) -> String {
    let rest = REVIEW.split_once("\n\n").map_or("", |(_, rest)| rest);
    format!(
        "Review the changes of this branch since {base}: `git diff {base}...HEAD`, and what is not committed.\n\n{rest}"
    )
}

/// The command that says this message, if one does.
pub(super) fn typed(message: &str) -> Option<String> {
    let since = || {
        let base =
            message.strip_prefix("Review the changes of this branch since ")?.split(": `git").next()?;
        (review_since(base) == message).then(|| format!("/review --base {}", base.trim_matches('\'')))
    };
    match message {
        INIT => Some("/init".to_owned()),
        REVIEW => Some("/review".to_owned()),
        _ => since(),
    }
}
