//! How the work of a sub-agent ended, and what it said last, as its own ledger says.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::ledger::{Body, Entry, TaskState};
use crate::runtime::of_ending;
use crate::ui::text::counted;

/// Most letters of the last words that are told.
const MOST: usize = 2_000;

/// How its task ended, and its answer.
pub(super) fn ended(entries: &[Arc<Entry>]) -> Option<(TaskState, String)> {
    let ended = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::TurnEnded(ended) => Some(ended),
        _ => None,
    })?;
    let (_, state, words) = of_ending(ended);
    Some((state, words))
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

/// Where its task stands, and what to tell of it: its answer if it had one, or the last that it said.
pub(super) fn stands(entries: &[Arc<Entry>], session: &str) -> (TaskState, String) {
    if let Some(ended) = ended(entries) {
        return ended;
    }
    let said = entries.iter().rev().find_map(|entry| match &entry.body {
        Body::Assistant(message) => Some(message.text()).filter(|text| !text.trim().is_empty()),
        _ => None,
    });
    let (mut calls, mut started) = (0, BTreeSet::new());
    for entry in entries {
        match &entry.body {
            Body::ToolResult(result) => {
                calls += 1;
                started.remove(&result.call);
            }
            Body::ApprovalDecided(decision) if decision.allow => drop(started.insert(decision.call)),
            _ => {}
        }
    }
    let lost = match started.len() {
        0 => String::new(),
        calls => format!(
            " It had been allowed to start {} that did not end: effects may be partial; check before repeating.",
            counted(calls as u64, "call")
        ),
    };
    let said = said.map_or_else(
        || "Nothing that it said was written down.".to_owned(),
        |said| format!("The last that it said:\n{}", said.chars().take(MOST).collect::<String>()),
    );
    let words = format!(
        "The sub-agent's work ended with the process after {}; nothing of it is done again.{lost} Its session is \
         {session}. {said}",
        counted(calls, "finished call")
    );
    (TaskState::Unknown, words)
}
