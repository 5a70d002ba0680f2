//! A result as its tool reported it, taken from what the ledger says of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ledger::{
    Body, CallId, CutBy, Entry, FORKED_TEXT, Outcome, RemoteTask, ToolResult, lost_text, printed_before,
    was_typed_into,
};
use crate::tool::ToolReport;

use super::reader::TapeReader;

/// The report. `None`: no tool gave this result, or it was cut short.
pub(super) fn report(reader: &TapeReader<'_>, result: &ToolResult) -> Option<ToolReport> {
    let remote = reader.entries.iter().find_map(|entry| match &entry.body {
        Body::DelegationAnswered(answered) if answered.call == result.call => {
            Some(RemoteTask { id: answered.task_id.clone(), state: answered.state })
        }
        _ => None,
    });
    match result.outcome {
        Outcome::Ok | Outcome::Failed | Outcome::TimedOut | Outcome::Invalid => {}
        Outcome::Lost { .. } if !was_lost(result) => {}
        Outcome::Lost { .. } | Outcome::Aborted(_) | Outcome::Denied(_) | Outcome::UnknownTool => {
            return None;
        }
    }
    // The loop puts one line before what the tool said.
    let typed = was_typed_into(reader.entries, result.call);
    let content = match result.content.split_once('\n') {
        Some((_, rest)) if typed => rest.to_owned(),
        _ => result.content.clone(),
    };
    Some(ToolReport {
        outcome: result.outcome.clone(),
        content,
        written: result.written.clone(),
        cut_chars: result.cut_chars,
        facts: result.facts.clone(),
        images: result.images.clone(),
        transient: false,
        refused: reader
            .entries
            .iter()
            .any(|entry| matches!(&entry.body, Body::Note(note) if note.refused() == Some(result.call))),
        remote,
        is_unsent: false,
    })
}

/// What calls had printed that were cut short: the loop heard of it while they ran.
pub(super) fn printed(entries: &[Arc<Entry>]) -> BTreeMap<CallId, String> {
    let printed = entries.iter().filter_map(|entry| match &entry.body {
        Body::ToolResult(result) => Some((result.call, printed_before(result)?.to_owned())),
        _ => None,
    });
    printed.collect()
}

/// Whether the call was lost with its process: the loop says that in words of its own.
pub(super) fn was_lost(result: &ToolResult) -> bool {
    let is_ours =
        |started| [lost_text(started), FORKED_TEXT].iter().any(|words| result.content.ends_with(words));
    matches!(result.outcome, Outcome::Lost { started } if is_ours(started))
}

/// Whether the call was cut short because the session was closed while another call waited: then the run does not end.
pub(super) fn was_left(entries: &[Arc<Entry>], at: usize, result: &ToolResult) -> bool {
    if !matches!(result.outcome, Outcome::Aborted(abort) if abort.by == CutBy::User) {
        return false;
    }
    let is_of_the_step = |body: &Body| {
        matches!(
            body,
            Body::ToolResult(_)
                | Body::Note(_)
                | Body::TurnEnded(_)
                | Body::Handoff { .. }
                | Body::Injected(_)
                | Body::DelegationAnswered(_)
        )
    };
    let later = entries.get(at + 1..).unwrap_or_default();
    let mut step = later.iter().take_while(|entry| is_of_the_step(&entry.body));
    !step.any(|entry| matches!(entry.body, Body::TurnEnded(_)))
}
