//! The last words of a loop that ended while its books could not be written: what is not in them.

use std::sync::Arc;

use crate::config::fault::{Fault, one_line};
use crate::ledger::{Body, Entry, Outcome};
use crate::view;

/// Entries that are named; how many more there are is said.
const NAMED: usize = 6;
/// Letters of one.
const LETTERS: usize = 80;

/// Why the books could not be written, and what they lack; exit 1.
pub(crate) fn fault(why: &str, unwritten: &[Arc<Entry>]) -> Fault {
    // What ends the loop because it cannot write is not what happened.
    let lost: Vec<_> = unwritten.iter().filter(|entry| !is_of_the_end(&entry.body)).collect();
    let named: Vec<String> = lost.iter().take(NAMED).map(|entry| name(entry)).collect();
    let more = lost.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Fault::failed(
        format!("{why}; not recorded: {}{more}", named.join("; ")),
        "free disk space, or make the folder writable; nothing was executed after the failed write",
    )
}

fn is_of_the_end(body: &Body) -> bool {
    match body {
        Body::ToolResult(result) => matches!(result.outcome, Outcome::Aborted(_)),
        Body::TurnEnded(ended) => ended.reason.interrupted(),
        _ => false,
    }
}

fn name(entry: &Entry) -> String {
    let what = match &entry.body {
        Body::User(_) => "your message",
        Body::Assistant(_) => "an answer of the model",
        Body::ToolCall(_) => "a call",
        Body::ToolResult(_) => "the result of a call",
        Body::ApprovalDecided(_) => "a decision",
        Body::TurnEnded(_) => "the end of the run",
        Body::SessionStarted(_) => return "the beginning of the session".to_owned(),
        other => other.kind(),
    };
    let said: String = one_line(&view::one_line(entry)).chars().take(LETTERS).collect();
    if said.is_empty() { what.to_owned() } else { format!("{what} ({said})") }
}
