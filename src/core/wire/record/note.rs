//! Notes: a kind with members of its own beside the words. Notes without a kind are of version 1.

use serde_json::{Map, Value, json};

use crate::ledger::{About, BackgroundStatus, Body, FailedCall, Note, NoteKind, PriceEstimate};

use super::fields::{Fields, put};
use super::{RecordError, chain, legacy, lesson};

/// Members of every record, and of every note.
const COMMON: [&str; 6] = ["type", "entry", "at", "id", "about", "text"];
const KIND: &str = "kind";
const CALL_FAILED: &str = "call_failed";
const SUMMARY_ASKED: &str = "summary_asked";
const SUMMARY_STOPPED: &str = "summary_stopped";
const PRICE_ESTIMATED: &str = "price_estimated";

pub(super) fn write(record: &mut Map<String, Value>, note: &Note) {
    put(record, json!({ "about": note.about.to_string() }));
    let own = match &note.kind {
        NoteKind::Plain => json!({ KIND: "plain" }),
        NoteKind::Retried { attempt } => json!({ KIND: "retried", "attempt": attempt }),
        NoteKind::TypedInto => json!({ KIND: "typed_into" }),
        NoteKind::SandboxRefused => json!({ KIND: "sandbox_refused" }),
        NoteKind::TaskAccepted { task_id } => json!({ KIND: "task_accepted", "task_id": task_id }),
        NoteKind::ChangedByHook { arguments: None } => json!({ KIND: "changed_by_hook" }),
        NoteKind::ChangedByHook { arguments: Some(arguments) } => {
            json!({ KIND: "changed_by_hook", "arguments": arguments })
        }
        NoteKind::BackgroundEnded(status) => {
            json!({ KIND: "background_ended", "background": background(status) })
        }
        NoteKind::CallFailed(failed) => json!({
            KIND: CALL_FAILED,
            "class": failed.class,
            "retry_after_ms": failed.retry_after_ms,
            "window": failed.window,
            "prompt": failed.prompt,
            "most_output": failed.most_output,
            "facts": { "message": failed.message, "next": failed.next },
        }),
        NoteKind::PriceEstimated(price) => json!({
            KIND: PRICE_ESTIMATED,
            "cached": price.cached,
            "fresh": price.fresh,
            "prompt": price.prompt,
            "answer_least": price.answer.map(|(least, _)| least),
            "answer_most": price.answer.map(|(_, most)| most),
            "limit": price.limit,
        }),
        NoteKind::SummaryAsked { again } => json!({ KIND: SUMMARY_ASKED, "again": again }),
        NoteKind::SummaryStopped => json!({ KIND: SUMMARY_STOPPED }),
        NoteKind::Unknown { name, .. } => json!({ KIND: name }),
    };
    put(record, own);
    if let NoteKind::Unknown { members, .. } = &note.kind {
        record.extend(members.clone());
    }
    put(record, json!({ "text": note.for_people() }));
}

pub(super) fn read(fields: &Fields<'_>) -> Result<Body, RecordError> {
    // A lesson is a note for versions that do not know it.
    if let Some(learned) = lesson::read(fields) {
        return Ok(Body::ProviderLimit(learned));
    }
    let (about, text) = (About::parse(fields.str("about")?), fields.text("text")?);
    if fields.get(KIND).is_none() {
        return Ok(legacy::note(about, text));
    }
    let kind = match fields.str(KIND)? {
        "plain" => NoteKind::Plain,
        "retried" => NoteKind::Retried { attempt: fields.number("attempt")? },
        "typed_into" => NoteKind::TypedInto,
        "sandbox_refused" => NoteKind::SandboxRefused,
        "task_accepted" => NoteKind::TaskAccepted { task_id: fields.text("task_id")? },
        "changed_by_hook" => NoteKind::ChangedByHook { arguments: fields.get("arguments").cloned() },
        "background_ended" => NoteKind::BackgroundEnded(read_background(&fields.object("background")?)?),
        CALL_FAILED => NoteKind::CallFailed(read_failed(fields)?),
        PRICE_ESTIMATED => NoteKind::PriceEstimated(read_price(fields)?),
        SUMMARY_ASKED => NoteKind::SummaryAsked { again: fields.flag("again")? },
        SUMMARY_STOPPED => NoteKind::SummaryStopped,
        name => {
            let known =
                |member: &str| COMMON.contains(&member) || chain::MEMBERS.contains(&member) || member == KIND;
            NoteKind::Unknown { name: name.to_owned(), members: fields.others(known) }
        }
    };
    Ok(Body::Note(Note::new(about, kind, text)))
}

/// How a model call failed; what the provider said may have been left out of a copy.
fn read_failed(fields: &Fields<'_>) -> Result<FailedCall, RecordError> {
    let facts = fields.get("facts");
    let said =
        |member: &str| facts.and_then(|facts| facts.get(member)?.as_str()).unwrap_or_default().to_owned();
    let number = |member: &str| fields.get(member).and_then(Value::as_u64);
    Ok(FailedCall {
        class: fields.text("class")?,
        message: said("message"),
        next: said("next"),
        retry_after_ms: number("retry_after_ms"),
        window: number("window"),
        prompt: number("prompt"),
        most_output: number("most_output"),
    })
}

fn read_price(fields: &Fields<'_>) -> Result<PriceEstimate, RecordError> {
    let known = |member: &str| fields.get(member).and_then(Value::as_u64);
    Ok(PriceEstimate {
        cached: fields.number("cached")?,
        fresh: fields.number("fresh")?,
        prompt: fields.number("prompt")?,
        answer: known("answer_least").zip(known("answer_most")),
        limit: fields.number("limit")?,
    })
}

/// How it stands with a background command.
pub(super) fn background(status: &BackgroundStatus) -> Value {
    let mut told = json!({ "id": status.id, "running": status.is_running, "lost": status.is_lost, "words": status.words });
    if let Value::Object(members) = &mut told
        && status.has_failed
    {
        members.insert("failed".to_owned(), Value::Bool(true));
    }
    told
}

pub(super) fn read_background(fields: &Fields<'_>) -> Result<BackgroundStatus, RecordError> {
    Ok(BackgroundStatus {
        id: fields.text("id")?,
        is_running: fields.flag("running")?,
        is_lost: fields.flag("lost")?,
        // Earlier versions did not tell.
        has_failed: fields.get("failed").map_or(Ok(false), |_| fields.flag("failed"))?,
        words: fields.text("words")?,
    })
}
