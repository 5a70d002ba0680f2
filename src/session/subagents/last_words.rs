//! How the work of a sub-agent ended, and what it said last, as its own ledger says.

use std::sync::Arc;

use crate::budget::{Limits, Meter};
use crate::ledger::{
    Body, CallId, CallsReach, CutBy, Entry, Millis, Outcome, Reach, TaskState, TurnEnded, aborted_having,
};
use crate::runtime::{cut_short, of_ending};
use crate::ui::text::counted;

/// Most letters of the last words that are told.
const MOST: usize = 2_000;

/// How its task ended, and its answer. `None`: it has no end, or one that was written for it after its process had died. Its own sub-agents
/// came so far.
pub(super) fn ended(entries: &[Arc<Entry>], below: &[(CallId, Reach)]) -> Option<(TaskState, String)> {
    let (_, _, ended) = last_end(entries).filter(|_| !was_cut_off(entries))?;
    let stopped = who_stopped(entries);
    let reach = came(entries, below).reach();
    let (_, state, words) = of_ending(ended, stopped, reach);
    let words = match cut_short(ended, stopped, reach) {
        Some(abort) => aborted_having(abort, &words),
        None => words,
    };
    Some((state, words))
}

/// Who stopped it, as its end says. Before November 27, 2026, only the results of its calls said it.
fn who_stopped(entries: &[Arc<Entry>]) -> Option<CutBy> {
    let (before, at, ended) = last_end(entries)?;
    if ended.cut_by.is_some() {
        return ended.cut_by;
    }
    before.iter().rev().take_while(|entry| entry.at == at).find_map(|entry| match &entry.body {
        Body::ToolResult(result) => match result.outcome {
            Outcome::Aborted(abort) => Some(abort.by),
            _ => None,
        },
        _ => None,
    })
}

/// Whether its last run ended with its process, and whoever took it up has written the end: nobody stopped it.
pub(crate) fn was_cut_off(entries: &[Arc<Entry>]) -> bool {
    let Some((before, at, ended)) = last_end(entries) else { return false };
    if !ended.reason.interrupted() {
        return false;
    }
    // Only a dead process loses calls, and the time of a run that is stopped lasts until its end is written.
    let lost = |entry: &&Arc<Entry>| matches!(&entry.body, Body::ToolResult(result) if matches!(result.outcome, Outcome::Lost { .. }));
    let mut meter = Meter::new(Limits::default());
    before.iter().for_each(|entry| meter.read(entry));
    let mut same_step = before.iter().rev().take_while(|entry| entry.at == at);
    same_step.any(|entry| lost(&entry)) || meter.wall_ms(at) > ended.wall_ms
}

/// What stands before the end of the last run, when that was written, and the end.
fn last_end(entries: &[Arc<Entry>]) -> Option<(&[Arc<Entry>], Millis, &TurnEnded)> {
    entries.iter().enumerate().rev().find_map(|(index, entry)| match &entry.body {
        Body::TurnEnded(ended) => Some((entries.get(..index)?, entry.at, ended)),
        _ => None,
    })
}

/// What it did for the session that started it. When that is over it is a session of its own, which a person can go on with.
pub(super) fn own_part(mut entries: Vec<Arc<Entry>>) -> Vec<Arc<Entry>> {
    let is_last = |(at, entry): &(usize, &Arc<Entry>)| {
        // A message that waited for the end begins the next run in the same step.
        let mut same_step = entries.iter().skip(at + 1).take_while(|next| next.at == entry.at);
        matches!(entry.body, Body::TurnEnded(_)) && !same_step.any(|next| matches!(next.body, Body::User(_)))
    };
    let end = entries.iter().enumerate().find(is_last).map_or(entries.len(), |(at, _)| at + 1);
    entries.truncate(end);
    entries
}

/// Where its task stands, and what to tell of it: its answer if it had one, or the last that it said. Its own sub-agents came so far.
pub(super) fn stands(
    entries: &[Arc<Entry>],
    session: &str,
    below: &[(CallId, Reach)],
) -> (TaskState, String) {
    if let Some(ended) = ended(entries, below) {
        return ended;
    }
    let said = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Assistant(message) => Some(message.text()).filter(|text| !text.trim().is_empty()),
        _ => None,
    });
    let came = came(entries, below);
    let lost = match (came.open(), came.reach()) {
        (0, Reach::NothingStarted) => "None of its calls had been started.".to_owned(),
        (0, Reach::NothingCut) => "None of its calls was cut short.".to_owned(),
        (0, Reach::CutShort) => "Effects of its calls may be partial; check before repeating.".to_owned(),
        (calls, _) => format!(
            "It had been allowed to start {} that did not end: effects may be partial; check before \
             repeating.",
            counted(calls as u64, "call")
        ),
    };
    let said = said.map_or_else(
        || "Nothing that it said was recorded.".to_owned(),
        |said| format!("Its last words:\n{}", said.chars().take(MOST).collect::<String>()),
    );
    let after = match finished(entries) {
        0 => String::new(),
        calls => format!(" after {}", counted(calls, "finished call")),
    };
    // How far its calls came stands first: where there is little room, the rest is cut off.
    let words = format!(
        "{lost} The sub-agent's work ended with the process{after}; nothing of it is done again. Its session is {session}. {said}"
    );
    // Nobody knows how it stands only where something may be half done.
    let state = match came.reach() {
        Reach::NothingStarted | Reach::NothingCut => TaskState::Failed,
        Reach::CutShort => TaskState::Unknown,
    };
    (state, words)
}

/// How many of its calls ran to their ends. One that was denied did not run.
fn finished(entries: &[Arc<Entry>]) -> u64 {
    let has_run = |outcome: &Outcome| matches!(outcome, Outcome::Ok | Outcome::Failed | Outcome::TimedOut);
    let is_one =
        |entry: &&Arc<Entry>| matches!(&entry.body, Body::ToolResult(result) if has_run(&result.outcome));
    entries.iter().filter(is_one).count() as u64
}

/// How far its calls came, where its own sub-agents came so far.
pub(super) fn came(entries: &[Arc<Entry>], below: &[(CallId, Reach)]) -> CallsReach {
    CallsReach::of(entries.iter().map(Arc::as_ref), below)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{
        CallId, Decider, Decision, Ending, EntryId, Facts, Settlement, ToolResult, Transition, Usage,
    };

    fn entry(id: u64, at: u64, body: Body) -> Arc<Entry> {
        Arc::new(Entry { id: EntryId(id), at: Millis(at), body })
    }

    fn end(reason: Ending, wall_ms: u64) -> Body {
        Body::TurnEnded(TurnEnded {
            reason,
            turns: 1,
            tool_calls: 1,
            hosted_tools: 0,
            usage: Usage::default(),
            wall_ms,
            text: "".into(),
            not_ok: Vec::new(),
            next_safe_action: String::new(),
            cut_by: None,
        })
    }

    /// A run from 1 s to 2 s, in which this became of a call, and its end.
    fn run(outcome: Outcome, result_at: u64, ended: Body) -> Vec<Arc<Entry>> {
        let Settlement { content, written, duration_ms, cut_chars, images, .. } =
            Settlement::synthetic(Outcome::Ok, "");
        let (call, name, facts) = (CallId(1), "shell".to_owned(), Facts::default());
        let result =
            ToolResult { call, name, outcome, content, written, duration_ms, cut_chars, facts, images };
        vec![
            entry(1, 1_000, Body::User(Arc::new("go".into()))),
            entry(2, 1_000, Body::Transition { turn: 1, reason: Transition::Submitted }),
            entry(3, 1_500, Body::ApprovalDecided(Decision::permission(call, Decider::Policy, ""))),
            entry(4, result_at, Body::ToolResult(Arc::new(result))),
            entry(5, 2_000, ended),
        ]
    }

    #[test]
    fn who_was_stopped_and_whose_process_died_are_told_apart() {
        let aborted = || end(Ending::AbortedTools, 1_000);
        let stopped = run(Outcome::Ok, 1_600, aborted());
        assert!(!was_cut_off(&stopped));
        let (state, words) = stands(&stopped, "s", &[]);
        assert_eq!(state, TaskState::Canceled);
        assert!(words.contains("none of its calls was cut short"), "{words}");
        let died = run(Outcome::Ok, 1_600, end(Ending::AbortedTools, 600));
        let (state, words) = stands(&died, "s", &[]);
        assert_eq!(state, TaskState::Failed);
        assert!(words.contains("1 finished call") && !words.contains("stopped"), "{words}");
        // A call that was lost tells it where the clock stood still, and is none that finished.
        let (state, words) = stands(&run(Outcome::Lost { started: true }, 2_000, aborted()), "s", &[]);
        assert_eq!(state, TaskState::Unknown);
        assert!(!words.contains("finished") && words.contains("1 call that did not end"), "{words}");
        // Nor is one that was denied.
        let denied = run(Outcome::Denied(Decider::Policy), 1_600, end(Ending::AbortedTools, 600));
        let (state, words) = stands(&denied, "s", &[]);
        assert!(!words.contains("finished"), "{words}");
        // What its ledger proves is known.
        assert_eq!(state, TaskState::Failed);
        assert!(words.starts_with("None of its calls had been started."), "{words}");
        // What else ended it is its end.
        assert!(!was_cut_off(&run(Outcome::Ok, 1_600, end(Ending::ModelError, 600))));
    }
}
