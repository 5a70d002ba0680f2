//! The commands that are a message to the model: what it is asked to do. The transcript shows the whole message.

use std::borrow::Cow;

use crate::view::built_in_message;

/// What `/init` says.
pub(super) const INIT: &str = "\
Write an AGENTS.md for this repository: what an engineer or an agent must know before a first change here.

Look before you write: the readme, the build files, the CI configuration, existing instruction files (AGENTS.md, CLAUDE.md, \
.cursorrules, .github/copilot-instructions.md) and how the code is laid out. Then propose the file with one call of `write`, or \
of `edit` if there is an AGENTS.md already: keep what is still true in it.

It has, in this order and only where it applies: the commands to build, test, lint and run, with the one for a single test; the \
architecture in a few sentences that cannot be read off one file; conventions that a reader would not guess; what must not be \
touched. State only what you have seen. No generic advice. At most 60 lines.";

/// What a review is asked for, whatever is reviewed.
const REVIEWING: &str = "\
Read the code around each change before you judge it. Look for bugs, lost or wrong data, security holes, broken callers, missing \
error handling and missing tests. Change nothing.

Report each finding with file and line, what goes wrong in which case, and how to fix it; the worst first. Say which parts you \
have not looked at. If there is nothing to report, say so in one line.";
/// What is said of the output of git.
const SHOWN: &str = "The output of git is above; where it is cut, and of new files, read the files.";

const DIFF: &str = concat!(own_git!(), "diff ", own_differences!());
const NEW_FILES: &str = concat!(own_git!(), "status --short");
/// A repository without a commit has new files only.
const HAS_COMMIT: &str = concat!(own_git!(), "rev-parse --quiet --verify HEAD >/dev/null");
/// The last commit. A program would check its signature where the settings want that, or have a format that tells of it.
const SHOW: &str =
    concat!(own_git!(), "show ", own_differences!(), " --no-show-signature --format=medium HEAD");

/// A review: what git shows is read before the model is asked, so that nothing needs to run for it. Where git fails, the command
/// fails, and the message does not go out.
pub(in crate::ui) struct Review {
    /// The command whose output is reviewed.
    pub(in crate::ui) command: String,
    /// The message behind it.
    pub(in crate::ui) message: String,
}

/// `/init`: the message to the model.
pub fn init() -> String {
    built_in_message("/init", INIT)
}

/// `/review` of what is not committed, or of what a branch has since a commit.
pub(in crate::ui) fn review(base: Option<&str>) -> Review {
    let what = match base {
        None => "Review the changes that are not committed, or the last commit if there are none.".to_owned(),
        Some(base) => {
            format!("Review the changes of this branch since {base}, and what is not committed.")
        }
    };
    let message = built_in_message(&called(base), &format!("{what} {SHOWN}\n\n{REVIEWING}"));
    Review { command: shows(base), message }
}

/// The command of git for a review.
fn shows(base: Option<&str>) -> String {
    match base {
        None => format!(
            "if test -n \"$({NEW_FILES})\"; then if {HAS_COMMIT}; then {DIFF} HEAD; fi && {NEW_FILES}; else {SHOW}; fi"
        ),
        Some(base) => format!("{DIFF} {}...HEAD && {DIFF} HEAD && {NEW_FILES}", quoted(base)),
    }
}

/// The same where no command can be run first: the model is to run git itself.
pub fn review_by_the_model(base: Option<&str>) -> String {
    let what = match base {
        None => "Review the changes that are not committed: `git diff HEAD`, and the new files of `git status --short`. If there \
                 are none, review the last commit."
            .to_owned(),
        Some(base) => {
            let quoted = quoted(base);
            format!("Review the changes of this branch since {base}: `git diff {quoted}...HEAD`, and what is not committed.")
        }
    };
    built_in_message(&called(base), &format!("{what}\n\n{REVIEWING}"))
}

/// How a review is called.
fn called(base: Option<&str>) -> String {
    match base {
        None => "/review".to_owned(),
        Some(base) => format!("/review --base {base}"),
    }
}

/// A name of a commit as a shell takes it. It has no quote.
pub(super) fn quoted(base: &str) -> Cow<'_, str> {
    if base.contains(['~', '{']) { format!("'{base}'").into() } else { base.into() }
}

/// The review that runs this command before its message, if one does.
pub(super) fn typed_for(command: &str) -> Option<String> {
    let of = |base: Option<&str>| (shows(base) == command).then(|| called(base));
    let base = || {
        let (base, _) = command.strip_prefix(DIFF)?.trim_start().split_once("...HEAD")?;
        Some(base.trim_matches('\''))
    };
    of(None).or_else(|| of(Some(base()?)))
}
