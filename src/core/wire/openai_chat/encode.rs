//! A request as Chat Completions takes it: one `tool` message a call, errors in words, arguments always JSON.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::ledger::{
    Arguments, AssistantMessage, Block, Image, Message, ModelRef, ToolResult, ToolUse, UserMessage,
};
use crate::model::{Request, ToolDescription};
use crate::wire::answer_format;
use crate::wire::body::JsonBody;
use crate::wire::call::{Endpoint, HttpCall, Quirks};
use crate::wire::ids::{IdForm, WireIds, accepted_name};
use crate::wire::image::data_url;

use super::{extras, order, reasoning};

/// The call that asks for one streamed answer.
pub(crate) fn encode(request: &Request, endpoint: &Endpoint) -> HttpCall {
    let host = endpoint.host();
    let quirks = endpoint.quirks;
    // OpenAI's reasoning models refuse the old name; nearly all other servers know only that.
    let new_name = quirks.max_completion_tokens.unwrap_or(host == "api.openai.com");
    let limit = if new_name { "max_completion_tokens" } else { "max_tokens" };
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model.name));
    body.insert(limit.to_owned(), json!(request.max_output.max(1)));
    body.insert("stream".to_owned(), json!(true));
    if !quirks.without_stream_options {
        body.insert("stream_options".to_owned(), json!({ "include_usage": true }));
    }
    if let Some(effort) = request.effort_to_ask() {
        body.insert("reasoning_effort".to_owned(), json!(effort.as_str()));
    }
    if let Some(seed) = request.seed {
        let name = if host == "api.mistral.ai" { "random_seed" } else { "seed" };
        body.insert(name.to_owned(), json!(seed));
    }
    if let Some(schema) = &request.answer_schema {
        body.insert("response_format".to_owned(), answer_format::chat(schema));
    }
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), request.tools.iter().map(|one| tool(one)).collect());
    }
    let mut body = JsonBody::begin(request, body, "messages");
    let wants = Wants::of(quirks, &host, request.reasons);
    let ids = WireIds::of(&request.messages, wants.ids);
    let messages = messages(request, &ids, &wants);
    if wants.strict_order {
        order::strict(messages).for_each(|message| body.push(&message));
    } else {
        messages.for_each(|message| body.push(&message));
    }
    HttpCall {
        url: endpoint.url("chat/completions"),
        headers: endpoint.bearer_headers(),
        body: body.finish(),
    }
}

/// What a server wants of the history, by its quirks or else by its host.
struct Wants {
    ids: IdForm,
    strict_order: bool,
    reasoning: bool,
    signatures: bool,
}

impl Wants {
    fn of(quirks: Quirks, host: &str, reasons: Option<bool>) -> Self {
        let is_mistral = host == "api.mistral.ai";
        let nine_letters = quirks.nine_letter_ids.unwrap_or(is_mistral);
        Self {
            ids: if nine_letters { IdForm::NineLetters } else { IdForm::Words },
            strict_order: quirks.strict_order.unwrap_or(is_mistral),
            reasoning: quirks
                .reasoning_content
                .unwrap_or(host == "api.deepseek.com" && reasons != Some(false)),
            signatures: host == "generativelanguage.googleapis.com",
        }
    }
}

/// The messages, each made when it is asked for.
fn messages(request: &Request, ids: &WireIds, wants: &Wants) -> impl Iterator<Item = Value> {
    let is_told = !request.system.trim().is_empty();
    let system = is_told.then(|| json!({ "role": "system", "content": request.system }));
    let said = request.messages.iter().flat_map(move |message| match message {
        Message::User(said) => user(said).into_iter().collect::<Vec<_>>(),
        Message::Results(results) => {
            results.iter().map(|r| result(r, ids)).chain(results_images(results, ids)).collect()
        }
        Message::Assistant(message) => assistant(message, &request.model, ids, wants).into_iter().collect(),
    });
    system.into_iter().chain(said)
}

/// Words alone stay a plain text: not every server knows parts.
fn user(said: &UserMessage) -> Option<Value> {
    let is_silent = said.content.trim().is_empty();
    if said.images.is_empty() {
        return (!is_silent).then(|| json!({ "role": "user", "content": said.content }));
    }
    let spoken = (!is_silent).then(|| json!({ "type": "text", "text": said.content }));
    let shown = said.images.iter().map(shown);
    Some(json!({ "role": "user", "content": shown.chain(spoken).collect::<Vec<_>>() }))
}

fn shown(image: &Image) -> Value {
    json!({ "type": "image_url", "image_url": { "url": data_url(image) } })
}

/// Results are words alone here, so what they show comes after all of them, as if the user showed it: each image behind
/// words that say whose it is. Its name is not among them: files are named by strangers, and these are a user's words.
fn results_images(results: &[Arc<ToolResult>], ids: &WireIds) -> Option<Value> {
    let parts: Vec<Value> = results
        .iter()
        .filter(|result| !result.images.is_empty())
        .flat_map(|result| {
            let whose = format!("[Image of call {} ({})]", ids.get(result.call), accepted_name(&result.name));
            std::iter::once(json!({ "type": "text", "text": whose })).chain(result.images.iter().map(shown))
        })
        .collect();
    (!parts.is_empty()).then(|| json!({ "role": "user", "content": parts }))
}

fn assistant(message: &AssistantMessage, asked: &ModelRef, ids: &WireIds, wants: &Wants) -> Option<Value> {
    let text = spoken(message);
    let mut calls: Vec<Value> = message.calls().map(|c| call(c, ids)).collect();
    // An empty turn says nothing.
    if calls.is_empty() && text.is_empty() {
        return None;
    }
    let mut members = Map::new();
    members.insert("role".to_owned(), json!("assistant"));
    members.insert("content".to_owned(), if text.is_empty() { Value::Null } else { Value::String(text) });
    if message.model == *asked {
        reasoning::replay(&message.blocks, &mut members);
        extras::replay(&message.blocks, &mut calls);
    }
    if wants.signatures {
        extras::stand_in(&mut calls);
    }
    if !calls.is_empty() {
        if wants.reasoning {
            members.entry("reasoning_content").or_insert_with(|| json!(""));
        }
        members.insert("tool_calls".to_owned(), Value::Array(calls));
    }
    Some(Value::Object(members))
}

/// The words, with a blank line between texts unless one only goes on after its citations.
fn spoken(message: &AssistantMessage) -> String {
    let mut spoken = String::new();
    let mut goes_on = true;
    for block in &message.blocks {
        match block {
            Block::Text(text) if text.trim().is_empty() => {}
            Block::Text(text) => {
                spoken.push_str(if goes_on { "" } else { "\n\n" });
                spoken.push_str(text);
                goes_on = false;
            }
            Block::Hosted(block) => goes_on |= block.is_citation(),
            Block::Thinking(_) | Block::ToolUse(_) => {}
        }
    }
    spoken
}

fn call(call: &ToolUse, ids: &WireIds) -> Value {
    // Some servers parse what they get back and fail on anything that is not JSON.
    let arguments = match &call.arguments {
        Arguments::Object(members) => Value::Object(members.clone()).to_string(),
        Arguments::Unusable(_) => "{}".to_owned(),
    };
    json!({
        "id": ids.get(call.id),
        "type": "function",
        "function": { "name": accepted_name(&call.name), "arguments": arguments },
    })
}

/// The protocol has no error flag: the text says it.
fn result(result: &ToolResult, ids: &WireIds) -> Value {
    let mark = if result.outcome.is_error() { "ERROR: " } else { "" };
    let content = format!("{mark}{}", result.content);
    json!({ "role": "tool", "tool_call_id": ids.get(result.call), "content": content })
}

fn tool(tool: &ToolDescription) -> Value {
    let ToolDescription { name, description, schema, .. } = tool;
    json!({
        "type": "function",
        "function": { "name": name, "description": description, "parameters": schema },
    })
}
