//! A request without tools: their descriptions in the system prompt, calls and results as text.

use std::fmt::Write;
use std::sync::Arc;

use serde_json::Value;

use crate::context::words;
use crate::ledger::{Arguments, AssistantMessage, Block, Message, Stop, ToolResult, ToolUse};
use crate::model::{Request, ToolDescription};
use crate::tool::delegate;
use crate::wire::ids::{IdForm, WireIds, accepted_name};

/// What the model is told, with places for what there is to call.
const PROMPT: &str = include_str!("../../../../assets/prompts/string-mode.md");
/// The heading of the prompt's second part.
const AGENTS: &str = "## Available Agents for Delegation";

/// The same request for a model without tool calls.
///
/// Deterministic, and what was once sent stays as it is: a longer history has the rewriting of a shorter one as
/// its beginning, so prompt caches hold.
pub fn rewrite(mut request: Request) -> Request {
    let (agents, tools): (Vec<_>, Vec<_>) =
        std::mem::take(&mut request.tools).into_iter().partition(|tool| delegate(&tool.name).is_some());
    let (for_tools, for_agents) = PROMPT.split_once(AGENTS).unwrap_or((PROMPT, ""));
    let mut parts = Vec::new();
    if !request.system.trim().is_empty() {
        parts.push(request.system);
    }
    if !tools.is_empty() {
        let described: Vec<String> = tools.iter().map(|one| tool(one)).collect();
        parts.push(for_tools.trim().replace("{tools}", &described.join("\n")));
    }
    if !agents.is_empty() {
        let described: Vec<String> = agents.iter().map(|one| agent(one)).collect();
        let instructions = for_agents.trim().replace("{agents}", &described.join("\n"));
        parts.push(format!("{AGENTS}\n{instructions}"));
    }
    // Structured output would leave no room for a call, which is text here.
    parts.extend(request.answer_schema.take().map(|schema| words::answer_schema(&schema)));
    request.system = parts.join("\n\n");
    let ids = WireIds::of(&request.messages, IdForm::Words);
    request.messages = request.messages.into_iter().map(|message| as_text(message, &ids)).collect();
    request
}

fn tool(tool: &ToolDescription) -> String {
    let ToolDescription { name, description, schema, .. } = tool;
    format!("- {name}: {}\n  arguments (JSON schema): {schema}", indented(description))
}

fn agent(tool: &ToolDescription) -> String {
    let name = delegate(&tool.name).unwrap_or(&tool.name);
    format!("- {name}: {}", indented(&tool.description))
}

fn indented(text: &str) -> String {
    text.trim().replace('\n', "\n  ")
}

fn as_text(message: Message, ids: &WireIds) -> Message {
    match message {
        Message::Assistant(message) if message.calls().next().is_some() => {
            Message::Assistant(Arc::new(without_calls(&message, ids)))
        }
        Message::Results(results) => Message::User(Arc::new(told(&results, ids).into())),
        Message::User(_) | Message::Assistant(_) => message,
    }
}

/// Text and calls that follow each other become one text; thinking stays what and where it is.
fn without_calls(message: &AssistantMessage, ids: &WireIds) -> AssistantMessage {
    let mut blocks = Vec::new();
    for block in &message.blocks {
        let text = match block {
            Block::Thinking(_) | Block::Hosted(_) => {
                blocks.push(block.clone());
                continue;
            }
            Block::Text(text) => text.trim().to_owned(),
            Block::ToolUse(call) => fenced(call, ids),
        };
        match blocks.last_mut() {
            _ if text.is_empty() => {}
            Some(Block::Text(before)) => {
                *before = format!("{before}\n\n{text}").into();
            }
            _ => blocks.push(Block::Text(text.into())),
        }
    }
    // Without calls a refused turn would be left out, and their results would stand alone.
    AssistantMessage {
        id: message.id,
        model: message.model.clone(),
        blocks,
        stop: Stop::End,
        usage: message.usage,
        interrupted: message.interrupted,
    }
}

fn fenced(call: &ToolUse, ids: &WireIds) -> String {
    let text = |text: &str| Value::from(text).to_string();
    let id = text(&ids.get(call.id));
    match (delegate(&call.name), &call.arguments) {
        (Some(agent), Arguments::Object(members)) if is_task(members) => {
            let said: String =
                members.iter().map(|(name, value)| format!(", {}: {value}", text(name))).collect();
            format!("```delegate\n{{\"id\": {id}, \"agent\": {}{said}}}\n```", text(agent))
        }
        (_, arguments) => {
            let (name, arguments) = (text(&call.name), arguments.to_value());
            format!("```tool_call\n{{\"id\": {id}, \"tool\": {name}, \"arguments\": {arguments}}}\n```")
        }
    }
}

/// Whether it is a task, and at most the name of the one that it goes on with.
fn is_task(members: &serde_json::Map<String, Value>) -> bool {
    members.contains_key("task") && members.keys().all(|name| matches!(name.as_str(), "task" | "task_id"))
}

/// Each result with its call's id and tool, between fences that the result itself cannot close: what a tool said must
/// not look like what the user says.
fn told(results: &[Arc<ToolResult>], ids: &WireIds) -> String {
    let mut told = String::new();
    for result in results {
        let content = in_words(result);
        let fence = "`".repeat(longest_run(&content).max(2) + 1);
        let mark = if result.outcome.is_error() { "ERROR: " } else { "" };
        let id = ids.get(result.call);
        let between = if told.is_empty() { "" } else { "\n\n" };
        // Writing to a string cannot fail.
        write!(
            told,
            "{between}Result of call {id} ({}):\n{fence}tool_result\n{mark}{}\n{fence}",
            accepted_name(&result.name),
            content
        )
        .unwrap_or_default();
    }
    told
}

/// What it says, and a note for each image: results are text here.
fn in_words(result: &ToolResult) -> String {
    let notes = result.images.iter().map(|i| format!("[{}, left out: results are text here]", i.facts()));
    std::iter::once(result.content.clone()).chain(notes).collect::<Vec<_>>().join("\n")
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
