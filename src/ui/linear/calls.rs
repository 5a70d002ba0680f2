//! Calls in words: that one starts, how it ended, and what it wrote.

use crate::ledger::{Abort, Decider, Outcome, Summary, ToolResult, seconds};
use crate::ui::commands::is_git_diff;
use crate::ui::text::diff;
use crate::view::{HostedLine, HostedState, Panel, exit, measure, subject};

use super::output::LinearOutput;
use super::words::{count, duration, one_line, plain};

/// Lines of a result that are said; `/output` says all of them.
const MOST_LINES: usize = 8;

/// The tool and what it is called with: `shell cargo test`.
pub(super) fn named(panel: &Panel) -> String {
    let about = subject(panel);
    let about = about.strip_prefix("$ ").unwrap_or(&about);
    plain(&one_line(&format!("{} {about}", panel.name())))
}

/// How a call ended, and the lines of it that tell most.
pub(super) fn finished(panel: &Panel, output: &mut LinearOutput) {
    let (Some(result), Some(call)) = (panel.result(), panel.id()) else { return };
    let how = match panel {
        _ if panel.asks_back() => "asks back".to_owned(),
        _ if panel.was_stopped() => format!("stopped, {}", duration(result.duration_ms)),
        _ => ended(result),
    };
    output.say(&format!("tool {}: {how}", named(panel)));
    let changes = changes(panel);
    let lines = match &changes {
        Some(lines) => lines.iter().map(String::as_str).collect(),
        None => telling(panel, result),
    };
    let more = lines.len().saturating_sub(MOST_LINES);
    // The end of what a command wrote tells most, and of changes the beginning.
    let is_command = is_command(panel) && changes.is_none();
    let shown = if is_command { lines.get(more..) } else { lines.get(..MOST_LINES.min(lines.len())) };
    shown.unwrap_or_default().iter().for_each(|line| output.more(line));
    for host in &result.facts.blocked_hosts {
        output.more(&format!(
            "the sandbox blocked {}: /permissions host {0} allows it for this session",
            plain(host)
        ));
    }
    if more > 0 {
        let which = if is_command { "before these" } else { "after these" };
        output.more(&format!("({} {which}: /output {call})", count(more as u64, "more line")));
    }
}

/// The changes that `/diff git` found, in words; `None`: it is another call.
pub(super) fn changes(panel: &Panel) -> Option<Vec<String>> {
    let command = panel.arguments()?.text("command")?;
    let is_diff = panel.is_own_command() && is_git_diff(command);
    let result = panel
        .result()
        .filter(|result| is_diff && result.outcome == Outcome::Ok && !result.facts.is_silent)?;
    Some(diff::spoken(exit(result).1))
}

/// Whether a call is a command for the shell.
pub(super) fn is_command(panel: &Panel) -> bool {
    panel.arguments().is_some_and(|arguments| arguments.text("command").is_some())
}

fn ended(result: &ToolResult) -> String {
    let time = duration(result.duration_ms);
    match &result.outcome {
        Outcome::Ok => format!("ok, {}, {time}", achieved(result)),
        Outcome::Failed => match exit(result).0 {
            Some(how) => format!("failed, {how}, {time}"),
            None => format!("failed, {time}"),
        },
        Outcome::Invalid => "not run, its arguments are not valid".to_owned(),
        Outcome::UnknownTool => "not run, unknown tool".to_owned(),
        Outcome::TimedOut => format!("timed out after {time}"),
        Outcome::Denied(Decider::User) => "denied by you".to_owned(),
        Outcome::Denied(by) => format!("denied by {}", by.as_str()),
        Outcome::Aborted(Abort { ran_ms: None, .. }) => "interrupted, was not started".to_owned(),
        Outcome::Aborted(abort @ Abort { ran_ms: Some(ms), .. }) => {
            format!("interrupted after {}, {}", seconds(*ms), abort.reach().words())
        }
        Outcome::Lost { started: false } => "lost, was not started".to_owned(),
        Outcome::Lost { started: true } => "lost, effects may be partial".to_owned(),
    }
}

/// What a call that went well brought. `+3 −1` of an edit is spoken in words.
fn achieved(result: &ToolResult) -> String {
    let brought = match &result.facts.summary {
        Some(Summary::Changed { added, removed }) => format!("{added} added and {removed} removed"),
        _ => plain(&measure(result)),
    };
    match result.cut_chars {
        0 => brought,
        cut => format!("{brought}, {} cut", count(cut, "character")),
    }
}

/// What a command wrote, what a call complains about, why it was denied.
fn telling<'a>(panel: &'a Panel, result: &'a ToolResult) -> Vec<&'a str> {
    let written = || exit(result).1.lines().filter(|line| !line.trim().is_empty()).collect();
    match &result.outcome {
        Outcome::Ok if result.facts.ended().is_some() && result.facts.is_silent || !is_command(panel) => {
            Vec::new()
        }
        Outcome::Ok
        | Outcome::Failed
        | Outcome::TimedOut
        | Outcome::Invalid
        | Outcome::UnknownTool
        | Outcome::Lost { .. } => written(),
        Outcome::Denied(_) => panel.decision().map(|decision| decision.reason.as_str()).into_iter().collect(),
        // How far its calls came, and what it said last.
        Outcome::Aborted(_) if panel.is_subagent => written(),
        Outcome::Aborted(_) => Vec::new(),
    }
}

/// What the provider ran itself.
pub(super) fn hosted(line: &HostedLine) -> String {
    let state = match &line.state {
        HostedState::Open => "no result".to_owned(),
        HostedState::Done(brought) => brought.clone(),
        HostedState::Failed(why) => format!("failed, {why}"),
    };
    one_line(&format!("hosted tool {} {}: {state}", line.name, line.about))
}
