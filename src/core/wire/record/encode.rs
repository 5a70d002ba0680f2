//! From an entry to its line.

use serde_json::{Map, Value, json};

use crate::ledger::{
    ApprovalRequest, Body, Compaction, Decision, DelegationResponse, Entry, Injector, Pastes, Preview,
    Sandboxing, SessionStarted, TurnEnded,
};

use super::fields::{put, put_value};
use super::image::Bytes;
use super::{attached, change, goal, image, lesson, message, note, result, time};

/// The event object of an entry, with exactly the names of the design.
pub fn encode(entry: &Entry) -> Value {
    record(entry, Bytes::Whole)
}

/// The same for people and pipes: of an image only what it is, never its bytes.
pub fn without_images(entry: &Entry) -> Value {
    record(entry, Bytes::Counted)
}

fn record(entry: &Entry, bytes: Bytes) -> Value {
    let own = entry.id.to_string();
    let mut record = Map::new();
    record.insert("type".to_owned(), entry.body.kind().into());
    record.insert("entry".to_owned(), own.as_str().into());
    record.insert("at".to_owned(), time::to_value(entry.at));
    record.insert("id".to_owned(), entry.body.call().map_or(own, |call| call.to_string()).into());
    write_body(&mut record, &entry.body, bytes);
    Value::Object(record)
}

fn write_pastes(record: &mut Map<String, Value>, pastes: &Pastes) {
    if !pastes.is_empty() {
        put(record, json!({ "pastes": pastes.spans() }));
    }
}

fn write_body(record: &mut Map<String, Value>, body: &Body, bytes: Bytes) {
    match body {
        Body::SessionStarted(started) => write_started(record, started),
        Body::User(message) => {
            put(record, json!({ "content": message.content }));
            write_pastes(record, &message.pastes);
            image::write(record, &message.images, bytes);
            attached::write(record, &message.files, bytes);
        }
        Body::Assistant(said) => message::write(record, said),
        Body::ToolCall(call) | Body::CallEdited(call) => message::write_call(record, call),
        Body::Validation(call) => {
            message::write_call(record, call);
            put(record, json!({ "by": Injector::GoalCheck.as_str() }));
        }
        Body::Command(call) => {
            message::write_call(record, call);
            put(record, json!({ "by": Injector::Command.as_str() }));
        }
        Body::Goal(set) => goal::write(record, set),
        Body::Checkpoint(made) => goal::write_checkpoint(record, made),
        Body::Progress(said) => goal::write_progress(record, said),
        Body::Handoff { text } => put(record, json!({ "text": text })),
        Body::ApprovalRequested(request) => write_request(record, request),
        Body::ApprovalDecided(decision) => write_decision(record, decision),
        Body::DelegationRequested(sent) => put(record, json!({ "agent": sent.agent, "task": sent.task })),
        Body::DelegationAnswered(answer) => write_delegation(record, answer),
        Body::ToolResult(result) => result::write(record, result, bytes),
        Body::Injected(injected) => {
            put(record, json!({ "by": injected.by.as_str(), "text": injected.text }));
            write_pastes(record, &injected.pastes);
            image::write(record, &injected.images, bytes);
            attached::write(record, &injected.files, bytes);
        }
        Body::Tombstone(stone) => {
            put(record, json!({ "target": stone.target.to_string(), "reason": stone.reason }));
        }
        Body::Compaction(made) => write_compaction(record, made),
        Body::Transition { turn, reason } => {
            put(record, json!({ "turn": turn, "reason": reason.as_str() }));
        }
        Body::Change(change) => change::write(record, change),
        Body::Note(remark) => note::write(record, remark),
        Body::ProviderLimit(learned) => lesson::write(record, learned),
        Body::Error { message, next } => put(record, json!({ "message": message, "next": next })),
        Body::TurnEnded(ended) => write_ended(record, ended),
    }
}

fn write_started(record: &mut Map<String, Value>, started: &SessionStarted) {
    put(
        record,
        json!({
            "session": started.session,
            "cwd": started.cwd,
            "model": started.model.to_string(),
            "version": started.version,
            "app": env!("CARGO_PKG_VERSION"),
            "system": started.system,
        }),
    );
    if let Some(mode) = started.mode {
        put(record, json!({ "mode": mode.as_str() }));
    }
    if let Some(origin) = &started.forked_from {
        put(record, json!({ "forked_from": origin }));
    }
}

fn write_request(record: &mut Map<String, Value>, request: &ApprovalRequest) {
    put(record, json!({ "name": request.name }));
    put_value(record, "arguments", request.arguments.clone());
    put(record, json!({ "why": request.why, "risk": request.risk }));
    if !request.effects.is_empty() {
        put(record, json!({ "effects": request.effects }));
    }
    if let Some(warning) = &request.warning {
        put(record, json!({ "warning": warning }));
    }
    if let Some(rule) = &request.rule {
        put(record, json!({ "rule": rule }));
    }
    if request.sandboxing != Sandboxing::Without {
        put(record, json!({ "sandbox": request.sandboxing.as_str() }));
    }
    if let Some(to) = &request.leads_to {
        put(record, json!({ "leads_to": to }));
    }
    let flags =
        [("partial", request.is_partial), ("usual", request.is_usual), ("replaces", request.replaces)];
    for (name, _) in flags.into_iter().filter(|(_, is)| *is) {
        put_value(record, name, true.into());
    }
    if !request.gaps.is_empty() {
        put(record, json!({ "gaps": request.gaps }));
    }
    match &request.preview {
        Preview::None => {}
        Preview::Command(text) => put(record, json!({ "preview": { "kind": "command", "text": text } })),
        Preview::Diff(text) => put(record, json!({ "preview": { "kind": "diff", "text": text } })),
        Preview::Recipient(text) => put(record, json!({ "preview": { "kind": "recipient", "text": text } })),
    }
}

fn write_decision(record: &mut Map<String, Value>, decision: &Decision) {
    put(
        record,
        json!({
            "decision": match (decision.allow, decision.sandboxed) {
                (true, true) => "sandbox",
                (true, false) => "allow",
                (false, _) => "deny",
            },
            "scope": decision.scope.as_str(),
            "by": decision.by.as_str(),
            "reason": decision.reason,
        }),
    );
    if !decision.digest.is_empty() {
        put(record, json!({ "digest": decision.digest, "cwd": decision.cwd }));
    }
    if !decision.key.is_empty() {
        put(record, json!({ "key": decision.key }));
    }
    if let Some(answer) = &decision.answer {
        put(record, json!({ "answer": answer }));
    }
    if let Some(rule) = &decision.rule {
        put(record, json!({ "rule": rule }));
    }
}

fn write_delegation(record: &mut Map<String, Value>, answer: &DelegationResponse) {
    put(
        record,
        json!({
            "agent": answer.agent,
            "content": answer.content,
            "is_error": answer.is_error,
            "task_id": answer.task_id,
            "state": answer.state.as_str(),
        }),
    );
}

fn write_compaction(record: &mut Map<String, Value>, made: &Compaction) {
    put(
        record,
        json!({
            "trigger": made.trigger.as_str(),
            "tokens_before": made.tokens_before,
            "tokens_after": made.tokens_after,
            "replaces_to": made.replaces_to.to_string(),
            "summary": made.summary,
            "model": made.model.to_string(),
            "usage": message::usage(&made.usage),
        }),
    );
}

fn write_ended(record: &mut Map<String, Value>, ended: &TurnEnded) {
    let not_ok: Vec<Value> = ended
        .not_ok
        .iter()
        .map(|(call, outcome)| json!({ "id": call.to_string(), "outcome": outcome }))
        .collect();
    put(
        record,
        json!({
            "status": if ended.reason.completed() { "completed" } else { "stopped" },
            "reason": ended.reason.as_str(),
            "completed": ended.reason.completed(),
            "next_safe_action": ended.next_safe_action,
            "turns": ended.turns,
            "tool_calls": ended.tool_calls,
            "usage": message::usage(&ended.usage),
            "cost_usd": message::dollars(ended.usage.cost),
            "wall_ms": ended.wall_ms,
            "text": &*ended.text,
            "not_ok": not_ok,
        }),
    );
    if ended.hosted_tools > 0 {
        put(record, json!({ "hosted_tools": ended.hosted_tools }));
    }
    if let Some(by) = ended.cut_by {
        put(record, json!({ "by": by.as_str() }));
    }
}
