//! The short form of a session: the memory events of the seeds, and nothing else.
//!
//! A run is its user message, its calls with their results, and its one answer. Delegations have names of their own.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::ledger::{Arguments, Body, CallId, Entry, TaskState, ToolResult, ToolUse, standing};
use crate::tool::delegate;

/// `user_message`, `tool_call`, `tool_result` or `delegation_request`, `delegation_response`, `agent_response`: one
/// object an event. What was withdrawn is not in it.
pub fn short_form(entries: &[Arc<Entry>]) -> Vec<Value> {
    let mut told = TaskStates::new();
    let changed = changes(entries);
    let mut events = Vec::new();
    for entry in standing(entries) {
        let event = short(&entry.body, &mut told);
        let to = entry.body.call().and_then(|call| changed.get(&call));
        events.extend(event.map(|event| with_change(event, to)));
    }
    events
}

/// What calls were changed to in the end, and who changed them, each once.
type Changes = BTreeMap<CallId, (Vec<&'static str>, Arguments)>;

fn changes(entries: &[Arc<Entry>]) -> Changes {
    let mut changes = Changes::new();
    for entry in standing(entries) {
        let Some((call, to)) = entry.body.changes() else { continue };
        let who = if matches!(entry.body, Body::CallEdited(_)) { "user" } else { "hook" };
        let (by, arguments) = changes.entry(call).or_insert_with(|| (Vec::new(), to.clone()));
        *arguments = to;
        if !by.contains(&who) {
            by.push(who);
        }
    }
    changes
}

/// What was asked for stays, and beside it stands what it was changed to.
fn with_change(mut event: Value, changed: Option<&(Vec<&'static str>, Arguments)>) -> Value {
    let is_call = event.get("type").is_some_and(|kind| kind == "tool_call" || kind == "delegation_request");
    if let (true, Some((by, arguments)), Some(members)) = (is_call, changed, event.as_object_mut()) {
        members.insert("changed_by".to_owned(), json!(by));
        members.insert("changed_to".to_owned(), arguments.to_value());
    }
    event
}

/// What another agent calls the task of a call, and where that stands.
type TaskStates = BTreeMap<CallId, (Option<String>, TaskState)>;

fn short(body: &Body, told: &mut TaskStates) -> Option<Value> {
    match body {
        Body::DelegationAnswered(answer) => {
            told.insert(answer.call, (answer.task_id.clone(), answer.state));
            None
        }
        Body::User(said) => Some(json!({ "type": "user_message", "content": said.content })),
        Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) => Some(request(call)),
        Body::ToolResult(result) => Some(response(result, told.remove(&result.call))),
        // The answer of a run is one event, however many messages of the model led to it.
        Body::TurnEnded(ended) if !ended.text.is_empty() => {
            Some(json!({ "type": "agent_response", "text": &*ended.text }))
        }
        Body::TurnEnded(_)
        | Body::SessionStarted(_)
        | Body::Assistant(_)
        | Body::CallEdited(_)
        | Body::ApprovalRequested(_)
        | Body::ApprovalDecided(_)
        | Body::DelegationRequested(_)
        | Body::Injected(_)
        | Body::Tombstone(_)
        | Body::Compaction(_)
        | Body::Transition { .. }
        | Body::Change(_)
        | Body::Goal(_)
        | Body::Checkpoint(_)
        | Body::Progress(_)
        | Body::Handoff { .. }
        | Body::Note(_)
        | Body::ProviderLimit(_)
        | Body::Error { .. } => None,
    }
}

fn request(call: &ToolUse) -> Value {
    let id = call.id.to_string();
    match delegate(&call.name) {
        Some(agent) => {
            json!({ "type": "delegation_request", "id": id, "agent": agent, "task": task(&call.arguments) })
        }
        None => json!({
            "type": "tool_call", "id": id, "name": call.name, "arguments": call.arguments.to_value()
        }),
    }
}

/// The task in words, or whatever the model wrote in its place.
fn task(arguments: &Arguments) -> Value {
    arguments.text("task").map_or_else(|| arguments.to_value(), Value::from)
}

/// A task that was never sent has neither name nor state.
fn response(result: &ToolResult, told: Option<(Option<String>, TaskState)>) -> Value {
    let id = result.call.to_string();
    let is_error = result.outcome.is_error();
    match delegate(&result.name) {
        Some(agent) => json!({
            "type": "delegation_response", "id": id, "agent": agent, "content": result.content,
            "is_error": is_error, "task_id": told.as_ref().and_then(|(id, _)| id.as_ref()),
            "state": told.as_ref().map(|(_, state)| state.as_str())
        }),
        None => json!({
            "type": "tool_result", "id": id, "name": result.name, "content": result.content,
            "is_error": is_error
        }),
    }
}
