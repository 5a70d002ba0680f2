//! What a person should know when a session begins.

use crate::config::models::{Choice, Transport};
use crate::config::{Config, Invocation, ToolCalling};
use crate::ledger::Body;
use crate::policy::Mode;
use crate::policy::shell::shell_word;
use crate::runtime::LocalTools;
use crate::runtime::sandbox::support;
use crate::runtime::store::subagents::started_by;
use crate::session::instructions;
use crate::ui::text::counted;
use crate::wire::record::{SessionFile, contradiction};

/// What is said where an import goes on: the decisions that it shows look like those that were made here.
const CAME_ALONG: &str = "This session came with an import: nobody here saw the decisions that it brought.";
/// The same where it is only looked at.
pub(crate) const CAME_TO_BE_SEEN: &str = "This session came with an import: nobody here saw its decisions.";

/// Notices about files that are shown as they are; more than these would hide what is more important.
const MOST_OF_FILES: usize = 3;

/// What is not used of files that only add something: instructions, skills, commands and sub-agents. Where it is much, that is
/// one line: a project can have a thousand such files.
pub(super) fn of_files(invocation: &Invocation) -> Vec<String> {
    let asides = invocation.config.asides.iter().cloned();
    folded(asides.chain(instructions::unreadable(invocation)).collect())
}

fn folded(all: Vec<String>) -> Vec<String> {
    if all.len() <= MOST_OF_FILES {
        return all;
    }
    let said = counted(all.len() as u64, "notice");
    vec![format!(
        "{said} about files of instructions, skills, commands or sub-agents that are not used, or only in part: `countersign \
         doctor` lists all of them."
    )]
}

/// What its tools cannot do here.
pub(super) fn of_tools(config: &Config, tools: &LocalTools) -> Vec<String> {
    unconfined(config).into_iter().chain(unsigned(tools)).collect()
}

/// What `auto` comes to where there is no sandbox.
fn unconfined(config: &Config) -> Option<String> {
    let why = if config.mode == Mode::Auto { support().refuses(false)? } else { return None };
    Some(format!("There is no sandbox here, so mode auto asks before each command: {why}."))
}

/// That commits do not name their calls, although they should.
fn unsigned(tools: &LocalTools) -> Option<String> {
    let why = tools.unsigned()?;
    Some(format!("Commits do not name their calls (git.trailers): {why}."))
}

/// What cannot be done about how a model calls tools.
pub(super) fn tools_notice(choice: &Choice, tools: ToolCalling) -> Option<String> {
    (tools == ToolCalling::String && choice.way == Transport::Rehearsal)
        .then(|| "The rehearsal model calls tools natively; --tools string has no effect.".to_owned())
}

/// What holds for the session of a sub-agent that a person goes on with.
pub(super) fn of_subagent_notice(session: &str) -> Option<String> {
    let above = started_by(session)?;
    Some(format!(
        "A sub-agent of the session {above} worked in this session. From here on it is a session of its own: the limits of the \
         configuration hold for it, and what it spends is not counted for {above}."
    ))
}

/// What is wrong with the file of a session that goes on.
pub(super) fn file_notices(file: &SessionFile) -> Vec<String> {
    let missing = end_notice(file);
    let torn = file.torn_tail.as_ref().map(|torn| {
        format!(
            "Line {} of the session file was incomplete; its {} bytes were dropped.",
            torn.line, torn.bytes
        )
    });
    let skipped = file.skipped.iter().map(|skipped| {
        format!(
            "Line {} of the session file ({}) was not understood; it is ignored.",
            skipped.line, skipped.kind
        )
    });
    let contradiction = contradiction(file).map(|fault| {
        format!(
            "The session file contradicts itself ({}: {}), so what it says may not be what was recorded; `countersign sessions \
             check {}` lists what is wrong.",
            fault.entry,
            fault.what,
            shell_word(name(file))
        )
    });
    let came = file.came_to().map(|_| CAME_ALONG.to_owned());
    contradiction.into_iter().chain(came).chain(missing).chain(torn).chain(skipped).collect()
}

fn name(file: &SessionFile) -> &str {
    match file.entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(started)) => &started.session,
        _ => "--last",
    }
}

/// That lines are missing at the end, or may be.
pub(crate) fn end_notice(file: &SessionFile) -> Option<String> {
    match file.missing_lines {
        0 if file.has_unknown_end => Some(
            "The file that counts the lines of the session is gone, so lines may be missing at its end."
                .to_owned(),
        ),
        0 => None,
        lines => Some(format!("Lines that were saved are missing at the end of the session file: {lines}.")),
    }
}

/// What was lost with a process that died.
pub(super) fn lost_notice((lost, started): (usize, usize)) -> Option<String> {
    // A session can have had more open calls: what sub-agents answered is known, and calls that wait still do.
    let how = match (lost, started) {
        (1, 0) => "was lost with the process; it had not been started".to_owned(),
        (1, _) => "was lost with the process; it had been started".to_owned(),
        (_, 0) => "were lost with the process; none of them had been started".to_owned(),
        (_, started) => format!("were lost with the process; {started} of them had been started"),
    };
    (lost > 0).then(|| format!("{} {how}.", counted(lost as u64, "call")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_files_that_are_not_used_are_one_line_that_says_where_all_are() {
        let all = |count: usize| (0..count).map(|number| format!("{number}.md: no")).collect::<Vec<_>>();
        assert_eq!(folded(all(3)), all(3));
        let said = folded(all(256));
        assert!(said.len() == 1 && said[0].starts_with("256 notices about files"), "{said:?}");
        assert!(said[0].contains("`countersign doctor`"), "{said:?}");
    }

    #[test]
    fn what_was_lost_with_a_dead_process_is_counted_in_words() {
        let said = |lost, started| lost_notice((lost, started));
        assert_eq!(said(0, 0), None);
        for (lost, started, wanted) in [
            (1, 1, "1 call was lost with the process; it had been started."),
            (1, 0, "1 call was lost with the process; it had not been started."),
            (3, 0, "3 calls were lost with the process; none of them had been started."),
            (3, 1, "3 calls were lost with the process; 1 of them had been started."),
        ] {
            assert!(said(lost, started).unwrap().contains(wanted), "{:?}", said(lost, started));
        }
    }
}
