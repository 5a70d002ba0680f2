//! Results: how a call ended, what the model reads, and facts beside it. Results without facts are of version 1.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::ledger::{
    Abort, AbortPath, Body, ChangedFile, CommandState, CutBy, Decider, Facts, FileContent, Outcome, Reach,
    Summary, ToolResult,
};

use super::fields::{Fields, put};
use super::image::{self, Bytes};
use super::note::{background, read_background};
use super::{RecordError, legacy};

pub(super) fn write(record: &mut Map<String, Value>, result: &ToolResult, bytes: Bytes) {
    put(
        record,
        json!({
            "name": result.name,
            "content": result.content,
            "is_error": result.outcome.is_error(),
            "outcome": result.outcome.as_str(),
            "duration_ms": result.duration_ms,
            "cut_chars": result.cut_chars,
            "facts": facts(&result.facts),
        }),
    );
    // Not among the facts, which can be left out of a copy: whether somebody had to allow the call depends on it.
    if result.facts.is_elsewhere {
        put(record, json!({ "elsewhere": true }));
    }
    if let Some(written) = &result.written {
        put(record, json!({ "written": written }));
    }
    image::write(record, &result.images, bytes);
    match &result.outcome {
        Outcome::Denied(by) => put(record, json!({ "denied_by": by.as_str() })),
        Outcome::Aborted(Abort { path, ran_ms, by, within }) => {
            let mut abort = Map::new();
            put(&mut abort, json!({ "path": path.as_str(), "ran_ms": ran_ms, "by": by.as_str() }));
            if let Some(within) = within {
                put(&mut abort, json!({ "within": within.as_str() }));
            }
            put(record, json!({ "abort": abort }));
        }
        Outcome::Lost { started } => put(record, json!({ "started": started })),
        Outcome::Ok | Outcome::Failed | Outcome::Invalid | Outcome::UnknownTool | Outcome::TimedOut => {}
    }
}

/// Written also when there are none: a result without the member is of version 1, and its words are read.
fn facts(facts: &Facts) -> Value {
    let mut members = Map::new();
    match &facts.summary {
        Some(Summary::Words(words)) => put(&mut members, json!({ "summary": words })),
        Some(Summary::Changed { added, removed }) => {
            put(&mut members, json!({ "changed": { "added": added, "removed": removed } }));
        }
        None => {}
    }
    match &facts.command {
        Some(CommandState::Ended(how)) => put(&mut members, json!({ "ended": how })),
        Some(CommandState::Background(status)) => {
            put(&mut members, json!({ "background": background(status) }));
        }
        None => {}
    }
    if facts.is_silent {
        put(&mut members, json!({ "silent": true }));
    }
    if facts.is_from_editor {
        put(&mut members, json!({ "editor": true }));
    }
    if facts.is_answered {
        put(&mut members, json!({ "answered": true }));
    }
    if !facts.files.is_empty() {
        put(&mut members, json!({ "files": facts.files.iter().map(changed_file).collect::<Vec<_>>() }));
    }
    if !facts.blocked_hosts.is_empty() {
        put(&mut members, json!({ "blocked_hosts": facts.blocked_hosts }));
    }
    Value::Object(members)
}

fn changed_file(file: &ChangedFile) -> Value {
    let content = |content: &FileContent| match content {
        FileContent::Absent => Value::Null,
        FileContent::Sha256(hash) => json!(hash),
        FileContent::Large(bytes) => json!(bytes),
    };
    json!({ "path": file.path, "before": content(&file.before), "after": content(&file.after) })
}

fn read_changed_file(value: &Value) -> Result<ChangedFile, RecordError> {
    let fields = Fields::of("tool_result", value)?;
    let content = |name: &str| match fields.value(name)? {
        Value::Null => Ok(FileContent::Absent),
        Value::String(hash) => Ok(FileContent::Sha256(hash)),
        other => other
            .as_u64()
            .map(FileContent::Large)
            .ok_or_else(|| fields.bad(name, "is neither a hash nor a number of bytes")),
    };
    Ok(ChangedFile { path: fields.text("path")?, before: content("before")?, after: content("after")? })
}

pub(super) fn read(fields: &Fields<'_>) -> Result<Body, RecordError> {
    let (name, content) = (fields.text("name")?, fields.text("content")?);
    let outcome = match fields.str("outcome")? {
        "ok" => Outcome::Ok,
        "failed" => Outcome::Failed,
        "invalid" => Outcome::Invalid,
        "unknown_tool" => Outcome::UnknownTool,
        "denied" => Outcome::Denied(fields.one_of("denied_by", Decider::parse)?),
        "timed_out" => Outcome::TimedOut,
        "aborted" => Outcome::Aborted(read_abort(&fields.object("abort")?, &content)?),
        "lost" => Outcome::Lost { started: fields.flag("started")? },
        other => return Err(fields.bad("outcome", format!("has the unknown value `{other}`"))),
    };
    let mut facts = match fields.get("facts") {
        Some(_) => read_facts(&fields.object("facts")?)?,
        None => legacy::facts(&name, &outcome, &content),
    };
    facts.is_elsewhere = fields.get("elsewhere").map_or(Ok(false), |_| fields.flag("elsewhere"))?;
    Ok(Body::ToolResult(Arc::new(ToolResult {
        call: fields.call("id")?,
        name,
        outcome,
        content,
        written: fields.get("written").map(|_| fields.text("written")).transpose()?,
        duration_ms: fields.number("duration_ms")?,
        cut_chars: fields.number("cut_chars")?,
        facts,
        images: image::read(fields)?,
    })))
}

fn read_facts(fields: &Fields<'_>) -> Result<Facts, RecordError> {
    let summary = match (fields.get("summary"), fields.get("changed")) {
        (Some(_), _) => Some(Summary::Words(fields.text("summary")?)),
        (None, Some(_)) => {
            let changed = fields.object("changed")?;
            let (added, removed) = (changed.number("added")?, changed.number("removed")?);
            Some(Summary::Changed { added, removed })
        }
        (None, None) => None,
    };
    let command = match (fields.get("ended"), fields.get("background")) {
        (Some(_), _) => Some(CommandState::Ended(fields.text("ended")?)),
        (None, Some(_)) => Some(CommandState::Background(read_background(&fields.object("background")?)?)),
        (None, None) => None,
    };
    let is_silent = fields.get("silent").map_or(Ok(false), |_| fields.flag("silent"))?;
    let blocked_hosts =
        fields.get("blocked_hosts").map_or(Ok(Vec::new()), |_| fields.texts("blocked_hosts"))?;
    let is_from_editor = fields.get("editor").map_or(Ok(false), |_| fields.flag("editor"))?;
    let is_answered = fields.get("answered").map_or(Ok(false), |_| fields.flag("answered"))?;
    let files = fields.get("files").map_or(Ok(&[][..]), |_| fields.list("files"))?;
    let files = files.iter().map(read_changed_file).collect::<Result<_, _>>()?;
    let is_elsewhere = false;
    Ok(Facts { summary, command, is_silent, blocked_hosts, is_from_editor, files, is_answered, is_elsewhere })
}

fn read_abort(fields: &Fields<'_>, content: &str) -> Result<Abort, RecordError> {
    let path = fields.one_of("path", |name| {
        [AbortPath::A, AbortPath::B, AbortPath::C].into_iter().find(|path| path.as_str() == name)
    })?;
    let ran_ms = match fields.get("ran_ms") {
        None | Some(Value::Null) => None,
        Some(_) => Some(fields.number("ran_ms")?),
    };
    let by = match fields.get("by") {
        None => legacy::cut_by(content),
        Some(_) => fields.one_of("by", CutBy::parse)?,
    };
    let within = fields.get("within").map(|_| fields.one_of("within", Reach::parse)).transpose()?;
    Ok(Abort { path, ran_ms, by, within })
}
