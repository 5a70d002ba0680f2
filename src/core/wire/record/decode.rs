//! From a line back to its entry.

use std::sync::Arc;

use serde_json::Value;

use crate::ledger::{
    ApprovalRequest, Body, CallId, Compaction, CompactionTrigger, CutBy, Decider, Decision,
    DelegationRequest, DelegationResponse, Ending, Entry, FORMAT_VERSION, Injected, Injector, Mode, ModelRef,
    Pastes, Preview, Sandboxing, Scope, SessionStarted, TaskState, Tombstone, Transition, TurnEnded,
    UserMessage,
};

use super::fields::{Fields, Reader};
use super::{RecordError, attached, change, goal, image, message, note, result, time};

/// Reads one event object. Unknown fields are ignored.
///
/// # Errors
/// [`RecordError`]: not an object, an unknown `type`, a field missing or wrong, a newer format version.
pub fn decode(value: &Value) -> Result<Entry, RecordError> {
    let kind = Fields::of("record", value)?.str("type")?;
    let fields = Fields::of(kind, value)?;
    if kind == "session_started" {
        refuse_newer(&fields)?;
    }
    // The type is judged first: a record of an unknown type may lack anything.
    let Some(read) = reader(kind) else { return Err(RecordError::UnknownType(kind.to_owned())) };
    let id = fields.entry("entry")?;
    let at = fields.get("at").and_then(time::from_value);
    let at =
        at.ok_or_else(|| fields.bad("at", "is missing or is not a time such as 2026-11-20T09:30:00.000Z"))?;
    Ok(Entry { id, at, body: read(&fields, id)? })
}

fn refuse_newer(fields: &Fields<'_>) -> Result<(), RecordError> {
    let found = fields.number("version")?;
    if found <= u64::from(FORMAT_VERSION) {
        return Ok(());
    }
    let app = fields.str("app").unwrap_or("unknown").to_owned();
    Err(RecordError::Newer { found, known: FORMAT_VERSION, app })
}

/// Whether this is a type of lines that is read here.
pub(super) fn is_known(kind: &str) -> bool {
    reader(kind).is_some()
}

fn reader(kind: &str) -> Option<Reader> {
    let reader: Reader = match kind {
        "session_started" => |f, _| read_started(f),
        "user_message" => |f, _| {
            let (images, files) = (image::read(f)?, attached::read(f)?);
            let content = f.text("content")?;
            let pastes = Pastes::of(&content, f.spans("pastes")?).naming(&content, &images);
            let said = UserMessage { content, images, files, pastes };
            Ok(Body::User(Arc::new(said)))
        },
        "agent_response" => |f, id| message::read(f, id).map(|said| Body::Assistant(Arc::new(said))),
        "tool_call" => |f, _| {
            let is_by = |who: Injector| f.get("by").is_some_and(|by| by == who.as_str());
            message::read_call(f).map(match () {
                () if is_by(Injector::GoalCheck) => Body::Validation,
                () if is_by(Injector::Command) => Body::Command,
                () => Body::ToolCall,
            })
        },
        "call_edited" => |f, _| message::read_call(f).map(Body::CallEdited),
        "goal" => |f, _| goal::read(f),
        "goal_checkpoint" => |f, _| goal::read_checkpoint(f),
        "goal_progress" => |f, _| goal::read_progress(f),
        "handoff" => |f, _| Ok(Body::Handoff { text: f.text("text")? }),
        "approval_request" => |f, _| read_request(f),
        "approval" => |f, _| read_decision(f),
        "delegation_request" => |f, _| {
            let (call, agent, task) = (f.call("id")?, f.text("agent")?, f.text("task")?);
            Ok(Body::DelegationRequested(DelegationRequest { call, agent, task }))
        },
        "delegation_response" => |f, _| read_delegation(f),
        "tool_result" => |f, _| result::read(f),
        "injected" => |f, _| {
            let by = f.one_of("by", Injector::parse)?;
            let (images, files) = (image::read(f)?, attached::read(f)?);
            let text = f.text("text")?;
            let pastes = Pastes::of(&text, f.spans("pastes")?).naming(&text, &images);
            Ok(Body::Injected(Injected { by, text, images, files, pastes }))
        },
        "tombstone" => {
            |f, _| Ok(Body::Tombstone(Tombstone { target: f.entry("target")?, reason: f.text("reason")? }))
        }
        "compaction" => |f, _| read_compaction(f),
        "transition" => |f, _| {
            Ok(Body::Transition { turn: f.small("turn")?, reason: f.one_of("reason", Transition::parse)? })
        },
        "note" => |f, _| note::read(f),
        "error" => |f, _| Ok(Body::Error { message: f.text("message")?, next: f.text("next")? }),
        "turn_ended" => |f, _| read_ended(f),
        _ => return change::reader(kind),
    };
    Some(reader)
}

fn read_started(fields: &Fields<'_>) -> Result<Body, RecordError> {
    Ok(Body::SessionStarted(SessionStarted {
        session: fields.text("session")?,
        cwd: fields.text("cwd")?,
        model: ModelRef::parse(fields.str("model")?),
        version: fields.small("version")?,
        system: fields.text_or_empty("system")?,
        // Of a mode that only a later version knows, nothing is known.
        mode: fields.get("mode").and_then(|mode| Mode::parse(mode.as_str()?).ok()),
        forked_from: fields.get("forked_from").map(|_| fields.text("forked_from")).transpose()?,
    }))
}

fn read_compaction(fields: &Fields<'_>) -> Result<Body, RecordError> {
    Ok(Body::Compaction(Compaction {
        trigger: fields.one_of("trigger", CompactionTrigger::parse)?,
        replaces_to: fields.entry("replaces_to")?,
        summary: fields.text("summary")?,
        model: ModelRef::parse(fields.str("model")?),
        usage: message::read_usage(&fields.object("usage")?)?,
        tokens_before: fields.number("tokens_before")?,
        tokens_after: fields.number("tokens_after")?,
    }))
}

fn read_delegation(fields: &Fields<'_>) -> Result<Body, RecordError> {
    let given = fields.get("task_id").filter(|id| !id.is_null());
    Ok(Body::DelegationAnswered(DelegationResponse {
        call: fields.call("id")?,
        agent: fields.text("agent")?,
        content: fields.text("content")?,
        is_error: fields.flag("is_error")?,
        task_id: given.map(|_| fields.text("task_id")).transpose()?,
        state: fields.one_of("state", TaskState::parse)?,
    }))
}

fn read_request(fields: &Fields<'_>) -> Result<Body, RecordError> {
    Ok(Body::ApprovalRequested(ApprovalRequest {
        call: fields.call("id")?,
        name: fields.text("name")?,
        arguments: fields.value("arguments")?,
        why: fields.text("why")?,
        risk: fields.text("risk")?,
        effects: fields.get("effects").map_or(Ok(Vec::new()), |_| fields.texts("effects"))?,
        preview: read_preview(fields)?,
        warning: fields.get("warning").map(|_| fields.text("warning")).transpose()?,
        rule: fields.get("rule").map(|_| fields.text("rule")).transpose()?,
        sandboxing: match fields.get("sandbox") {
            None => Sandboxing::Without,
            Some(_) => fields.one_of("sandbox", |name| {
                [Sandboxing::OnWish, Sandboxing::Within].into_iter().find(|one| one.as_str() == name)
            })?,
        },
        leads_to: fields.get("leads_to").map(|_| fields.text("leads_to")).transpose()?,
        is_partial: flagged(fields, "partial")?,
        is_usual: flagged(fields, "usual")?,
        replaces: flagged(fields, "replaces")?,
        gaps: fields.get("gaps").map_or(Ok(Vec::new()), |_| fields.texts("gaps"))?,
    }))
}

/// Whether a member that is written only when it is true is there.
fn flagged(fields: &Fields<'_>, name: &str) -> Result<bool, RecordError> {
    fields.get(name).map_or(Ok(false), |_| fields.flag(name))
}

fn read_preview(fields: &Fields<'_>) -> Result<Preview, RecordError> {
    if fields.get("preview").is_none() {
        return Ok(Preview::None);
    }
    let preview = fields.object("preview")?;
    match preview.str("kind")? {
        "command" => Ok(Preview::Command(preview.text("text")?)),
        "diff" => Ok(Preview::Diff(preview.text("text")?)),
        "recipient" => Ok(Preview::Recipient(preview.text("text")?)),
        other => Err(preview.bad("kind", format!("has the unknown value `{other}`"))),
    }
}

fn read_decision(fields: &Fields<'_>) -> Result<Body, RecordError> {
    let (allow, sandboxed) = fields.one_of("decision", |name| match name {
        "allow" => Some((true, false)),
        "sandbox" => Some((true, true)),
        "deny" => Some((false, false)),
        _ => None,
    })?;
    let by = fields.one_of("by", Decider::parse)?;
    if allow && by == Decider::Nobody {
        return Err(fields.bad("by", "says that nobody allowed it".to_owned()));
    }
    Ok(Body::ApprovalDecided(Decision {
        call: fields.call("id")?,
        allow,
        sandboxed,
        scope: fields.one_of("scope", |name| {
            [Scope::Once, Scope::Session, Scope::Project, Scope::Everywhere]
                .into_iter()
                .find(|scope| scope.as_str() == name)
        })?,
        by,
        reason: fields.text("reason")?,
        digest: fields.text_or_empty("digest")?,
        cwd: fields.text_or_empty("cwd")?,
        key: fields.text_or_empty("key")?,
        answer: fields.get("answer").map(|_| fields.text("answer")).transpose()?,
        rule: fields.get("rule").map(|_| fields.text("rule")).transpose()?,
    }))
}

fn read_ended(fields: &Fields<'_>) -> Result<Body, RecordError> {
    let not_ok = fields
        .list("not_ok")?
        .iter()
        .map(|value| {
            let call = Fields::of("not_ok", value)?;
            Ok((call.call("id")?, call.text("outcome")?))
        })
        .collect::<Result<Vec<(CallId, String)>, RecordError>>()?;
    Ok(Body::TurnEnded(TurnEnded {
        reason: fields.one_of("reason", Ending::parse)?,
        turns: fields.small("turns")?,
        tool_calls: fields.small("tool_calls")?,
        hosted_tools: fields.get("hosted_tools").map_or(Ok(0), |_| fields.small("hosted_tools"))?,
        usage: message::read_usage(&fields.object("usage")?)?,
        wall_ms: fields.number("wall_ms")?,
        text: fields.str("text")?.into(),
        not_ok,
        next_safe_action: fields.text("next_safe_action")?,
        cut_by: fields.get("by").map(|_| fields.one_of("by", CutBy::parse)).transpose()?,
    }))
}
