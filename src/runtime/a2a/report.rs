//! What came of a task, as the loop takes results.

use serde_json::json;

use super::progress::{TaskProgress, shown_id, text};
use crate::ledger::{Facts, Outcome, TaskState};
use crate::runtime::untrusted::{IN_A_SENTENCE, Pictures, Secrets, one_line, plain, read};
use crate::tool::{DELEGATE_TO, ToolReport, bound};
use crate::wire::a2a::Part;

/// Most characters of what an agent says when it does not do a task.
const MOST_REFUSAL: usize = 4_000;

/// The report of a task that is over, or waits for somebody. Decodes images: for a thread that may be busy.
pub(super) fn of(agent: &str, told: &TaskProgress, secrets: &Secrets, max_chars: usize) -> ToolReport {
    let remote = told.remote();
    let reason = told.reason.as_ref().map(|message| text(&message.parts)).unwrap_or_default();
    let because = |what: &str| {
        let why = plain(secrets.strike(&reason).trim(), MOST_REFUSAL);
        let words =
            if why.is_empty() { "and did not say why".to_owned() } else { format!("and says: {why}") };
        failed(&format!("the agent {agent} {what} {words}"), max_chars)
    };
    let report = match remote.state {
        TaskState::Failed => because("failed the task"),
        TaskState::Rejected => because("rejected the task"),
        TaskState::Canceled => because("canceled the task"),
        TaskState::AuthRequired => because("needs a login for the task, which cannot be given here,"),
        TaskState::InputRequired => asks(agent, told, max_chars),
        TaskState::Completed | TaskState::Submitted | TaskState::Working | TaskState::Unknown => {
            given(agent, told, "", max_chars)
        }
    };
    ToolReport { remote: Some(remote), ..report }
}

/// A failure in bounded words.
pub(super) fn failed(words: &str, max_chars: usize) -> ToolReport {
    let bounded = bound(words, max_chars);
    ToolReport { cut_chars: bounded.cut_chars, ..ToolReport::failed(bounded.text) }
}

/// The report of a task that the agent did not take.
pub(super) fn refused(agent: &str, code: i64, said: &str, secrets: &Secrets, max_chars: usize) -> ToolReport {
    let why = plain(secrets.strike(said).trim(), MOST_REFUSAL);
    failed(&format!("the agent {agent} refused the task: {why} (error {code})"), max_chars)
}

fn asks(agent: &str, told: &TaskProgress, max_chars: usize) -> ToolReport {
    let id = told.id.as_deref().map(shown_id).unwrap_or_default();
    let how = json!(id);
    let line =
        format!("\n[the agent {agent} waits for an answer: call {DELEGATE_TO}{agent} with task_id {how}]");
    given(agent, told, &line, max_chars)
}

/// What the agent made, or else said, and `after` it a line of ours that is never cut.
fn given(agent: &str, told: &TaskProgress, after: &str, max_chars: usize) -> ToolReport {
    let mut pictures = Pictures::of(agent);
    let mut pieces: Vec<String> = told
        .artifacts
        .iter()
        .filter(|_| told.direct.is_none())
        .map(|artifact| made(&artifact.parts, &mut pictures))
        .collect();
    pieces.retain(|piece| !piece.is_empty());
    let asked = !after.is_empty();
    if asked || pieces.is_empty() {
        // Who says what came of it answers in the history, and says of the status only how it came to be.
        let said = match &told.output {
            Some(_) => [&told.direct, &told.last_said, &told.last_status],
            None => [&told.direct, &told.last_status, &told.last_said],
        };
        let output = told.output.iter().filter(|output| !output.is_empty()).cloned();
        let said = said.into_iter().flatten().map(|message| words(&message.parts, &mut pictures));
        pieces.extend(output.chain(said).find(|said| !said.is_empty()));
    }
    if pieces.is_empty() {
        pieces.push("(nothing)".to_owned());
    }
    let (bounded, written) = read(&pieces.join("\n"), max_chars.saturating_sub(after.chars().count()));
    let cut_chars = bounded.cut_chars + told.cut_chars;
    ToolReport {
        outcome: Outcome::Ok,
        content: bounded.text + after,
        written: written.map(|written| written + after),
        cut_chars,
        facts: Facts::default(),
        images: pictures.taken(),
        transient: false,
        refused: false,
        remote: None,
        is_unsent: false,
    }
}

/// An artifact as a model reads it. Texts that stand side by side are chunks of one: who keeps them apart is the agent.
fn made(parts: &[Part], pictures: &mut Pictures<'_>) -> String {
    let mut read = String::new();
    let mut before: Option<&Part> = None;
    for part in parts {
        if before.is_some_and(|before| !matches!((before, part), (Part::Text(_), Part::Text(_)))) {
            read.push('\n');
        }
        read.push_str(&word(part, pictures));
        before = Some(part);
    }
    read
}

/// A message as a model reads it.
fn words(parts: &[Part], pictures: &mut Pictures<'_>) -> String {
    parts.iter().map(|part| word(part, pictures)).collect::<Vec<_>>().join("\n")
}

fn word(part: &Part, pictures: &mut Pictures<'_>) -> String {
    let name = |what: String| format!("[{}]", one_line(&what, IN_A_SENTENCE));
    match part {
        Part::Text(text) | Part::Data(text) => text.clone(),
        Part::File { kind, base64, .. } if kind.starts_with("image/") => pictures.take(base64),
        Part::File { name: file, kind, base64 } => {
            let file = if file.is_empty() { "without a name" } else { file };
            let kind = if kind.is_empty() { "of a kind that is not supported" } else { kind };
            name(format!("file {file} ({kind}, {} bytes)", Part::file_bytes(base64)))
        }
        Part::Link { name: file, kind, url } => {
            let about: Vec<&str> =
                [file, kind].into_iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
            let about = if about.is_empty() { String::new() } else { format!(" ({})", about.join(", ")) };
            name(format!("link {url}{about}"))
        }
        Part::Unknown => name("a part of an unknown kind".to_owned()),
    }
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
