//! A request as Anthropic Messages takes it: results first, no empty text, thinking replayed as it came.

use std::collections::VecDeque;

use serde_json::{Map, Value, json};

use crate::ledger::{Arguments, AssistantMessage, Block, Image, Message, ModelRef, ToolResult, ToolUse};
use crate::model::{Request, ToolDescription};
use crate::wire::answer_format;
use crate::wire::body::JsonBody;
use crate::wire::call::{Endpoint, HttpCall, Secret};
use crate::wire::ids::{IdForm, WireIds, accepted_name};

use super::effort;

use super::hosted::{self, Pairs};

/// The version that compatible servers know too. The newer one changes nothing that is sent or read here.
const VERSION: &str = "2023-06-01";

/// How many turns of the user end in a cache breakpoint.
const MARKED: usize = 2;

/// The call that asks for one streamed answer.
pub(crate) fn encode(request: &Request, endpoint: &Endpoint) -> HttpCall {
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(request.model.name));
    body.insert("max_tokens".to_owned(), json!(request.max_output.max(1)));
    body.insert("stream".to_owned(), json!(true));
    effort::set(request, endpoint.quirks, &mut body);
    if let Some(schema) = &request.answer_schema {
        let config = body.entry("output_config").or_insert_with(|| json!({}));
        if let Value::Object(config) = config {
            config.insert("format".to_owned(), answer_format::anthropic(schema));
        }
    }
    if !request.system.trim().is_empty() {
        body.insert("system".to_owned(), json!([cached(text_block(&request.system))]));
    }
    let tools = tools(request, endpoint);
    if !tools.is_empty() {
        body.insert("tools".to_owned(), Value::Array(tools));
    }
    HttpCall {
        url: endpoint.url("messages"),
        headers: headers(endpoint),
        body: messages(request, JsonBody::begin(request, body, "messages")),
    }
}

/// What every call carries.
pub(in crate::wire) fn headers(endpoint: &Endpoint) -> Vec<(String, Secret)> {
    let mut headers = vec![
        ("content-type".to_owned(), Secret::new("application/json")),
        ("accept".to_owned(), Secret::new("text/event-stream")),
        ("anthropic-version".to_owned(), Secret::new(VERSION)),
    ];
    if let Some(key) = &endpoint.key {
        headers.push(if endpoint.quirks.bearer {
            ("authorization".to_owned(), Secret::new(format!("Bearer {}", key.expose())))
        } else {
            ("x-api-key".to_owned(), key.clone())
        });
    }
    headers.extend(endpoint.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
    headers
}

/// Writes the history as turns that alternate: messages of one side in a row are one message.
fn messages(request: &Request, body: JsonBody) -> Vec<u8> {
    let ids = WireIds::of(&request.messages, IdForm::Words);
    let pairs = Pairs::of(&request.messages, &request.model);
    let mut turns = Turns { held: VecDeque::new(), body };
    for message in &request.messages {
        match message {
            Message::User(said) => {
                turns.user(said.images.iter().map(image).chain(spoken(&said.content)).collect());
            }
            Message::Results(results) => turns.user(results.iter().map(|r| result_block(r, &ids)).collect()),
            Message::Assistant(message) => {
                turns.assistant(assistant_blocks(message, &request.model, &ids, &pairs));
            }
        }
    }
    turns.finish()
}

/// The turns so far: written, but for the last ones, which may still change.
struct Turns {
    held: VecDeque<(&'static str, Vec<Value>)>,
    body: JsonBody,
}

impl Turns {
    fn user(&mut self, blocks: Vec<Value>) {
        if !blocks.is_empty() {
            self.close_assistant();
            self.push("user", blocks);
        }
    }

    fn assistant(&mut self, blocks: Vec<Value>) {
        self.push("assistant", blocks);
    }

    fn push(&mut self, role: &'static str, blocks: Vec<Value>) {
        match self.held.back_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            Some(_) | None => self.held.push_back((role, blocks)),
        }
        // What has two turns of the user behind it is no longer touched.
        while self.held.iter().skip(1).filter(|(role, _)| *role == "user").count() >= MARKED {
            self.write_first();
        }
    }

    fn write_first(&mut self) {
        if let Some((role, content)) = self.held.pop_front() {
            self.body.push(&json!({ "role": role, "content": content }));
        }
    }

    /// A message cannot end in reasoning, and reasoning alone is no turn.
    fn close_assistant(&mut self) {
        let Some((_, content)) = self.held.back_mut().filter(|(role, _)| *role == "assistant") else {
            return;
        };
        while content.last().is_some_and(is_reasoning) {
            content.pop();
        }
        if content.is_empty() {
            self.held.pop_back();
        }
    }

    /// The messages, with breakpoints at the end of the last user message and of the one before it: what was sent
    /// last time is read from the cache, what is new is written to it.
    fn finish(mut self) -> Vec<u8> {
        self.close_assistant();
        for (_, content) in self.held.iter_mut().rev().filter(|(role, _)| *role == "user").take(MARKED) {
            if let Some(last) = content.pop() {
                content.push(cached(last));
            }
        }
        while !self.held.is_empty() {
            self.write_first();
        }
        self.body.finish()
    }
}

fn assistant_blocks(
    message: &AssistantMessage,
    asked: &ModelRef,
    ids: &WireIds,
    pairs: &Pairs,
) -> Vec<Value> {
    let same_model = message.model == *asked;
    let mut content = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text(text) => content.extend(spoken(text)),
            Block::Thinking(thinking) if same_model => {
                content.extend(thinking.replay.clone().filter(is_reasoning));
            }
            Block::Hosted(cited) if same_model && cited.is_citation() => {
                hosted::restore_citations(&mut content, cited);
            }
            Block::Hosted(block) if same_model && pairs.allow(block) => content.push(block.value.clone()),
            Block::Thinking(_) | Block::Hosted(_) => {}
            Block::ToolUse(call) => content.push(call_block(call, ids)),
        }
    }
    content
}

fn call_block(call: &ToolUse, ids: &WireIds) -> Value {
    let input = match &call.arguments {
        Arguments::Object(members) => Value::Object(members.clone()),
        Arguments::Unusable(_) => json!({}),
    };
    json!({ "type": "tool_use", "id": ids.get(call.id), "name": accepted_name(&call.name), "input": input })
}

/// Reasoning of this protocol: that of another has blocks of its own.
fn is_reasoning(block: &Value) -> bool {
    matches!(block.get("type").and_then(Value::as_str), Some("thinking" | "redacted_thinking"))
}

/// Words alone stay a plain text, as they always were; errors may hold nothing else.
fn result_block(result: &ToolResult, ids: &WireIds) -> Value {
    let content = if result.images.is_empty() || result.outcome.is_error() {
        json!(result.content)
    } else {
        spoken(&result.content).into_iter().chain(result.images.iter().map(image)).collect()
    };
    let mut block = json!({ "type": "tool_result", "tool_use_id": ids.get(result.call), "content": content });
    if result.outcome.is_error()
        && let Some(members) = block.as_object_mut()
    {
        members.insert("is_error".to_owned(), json!(true));
    }
    block
}

/// Text without a word in it is refused, so it is not sent.
fn spoken(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![text_block(text)] }
}

fn image(image: &Image) -> Value {
    let source = json!({ "type": "base64", "media_type": image.media_type, "data": &*image.data });
    json!({ "type": "image", "source": source })
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

/// Ours, then the provider's own; the same in every request of a conversation.
fn tools(request: &Request, endpoint: &Endpoint) -> Vec<Value> {
    let ours = request.tools.iter().map(|one| tool(one));
    let mut tools: Vec<Value> =
        ours.chain(request.hosted(&endpoint.hosted_tools).map(|t| hosted::tool(t))).collect();
    if let Some(last) = tools.pop() {
        tools.push(cached(last));
    }
    tools
}

fn tool(tool: &ToolDescription) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.schema })
}

/// A cache breakpoint: what comes before and with this block is kept for the next request.
fn cached(mut block: Value) -> Value {
    if let Some(members) = block.as_object_mut() {
        members.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
    }
    block
}
