//! How large a request is, before the provider says.

use std::sync::Arc;

use serde_json::Value;

use crate::ledger::{Block, Image, Message, UserMessage};
use crate::model::{Request, ToolDescription};

/// Bytes a token has, on average over prose and code; corrected by what the provider reports.
const BYTES_PER_TOKEN: usize = 4;

/// An estimate of the tokens of a text of so many bytes.
pub fn tokens_of(bytes: usize) -> u64 {
    (bytes / BYTES_PER_TOKEN) as u64
}

/// An estimate of a request's prompt, in tokens.
pub fn estimate_tokens(request: &Request) -> u64 {
    let messages: usize = request.messages.iter().map(message_bytes).sum();
    let images: u64 = request.messages.iter().map(image_tokens).sum();
    ((fixed_bytes(request) + messages) / BYTES_PER_TOKEN) as u64 + images
}

/// An estimate of what is in every request of a conversation: the system prompt, the tools and the schema of the answer.
pub fn fixed_tokens(request: &Request) -> u64 {
    (fixed_bytes(request) / BYTES_PER_TOKEN) as u64
}

/// The same of its parts, before there is a request.
pub fn tokens_in_all<'t>(
    system: &str,
    tools: impl Iterator<Item = &'t Arc<ToolDescription>>,
    schema: Option<&Value>,
) -> u64 {
    (bytes_in_all(system, tools, schema) / BYTES_PER_TOKEN) as u64
}

fn fixed_bytes(request: &Request) -> usize {
    bytes_in_all(&request.system, request.tools.iter(), request.answer_schema.as_deref())
}

fn bytes_in_all<'t>(
    system: &str,
    tools: impl Iterator<Item = &'t Arc<ToolDescription>>,
    schema: Option<&Value>,
) -> usize {
    let tools: usize = tools.map(|tool| tool.bytes()).sum();
    system.len() + tools + schema.map_or(0, |schema| schema.to_string().len())
}

/// An estimate of what a person says, in tokens, with what is attached.
pub fn said_tokens(said: &UserMessage) -> u64 {
    let files: usize = said.files.iter().map(|file| file.text.len()).sum();
    tokens_of(said.content.len() + files) + said.images.iter().map(Image::tokens).sum::<u64>()
}

/// An estimate of one message, in tokens.
pub fn message_tokens(message: &Message) -> u64 {
    (message_bytes(message) / BYTES_PER_TOKEN) as u64 + image_tokens(message)
}

fn message_bytes(message: &Message) -> usize {
    match message {
        Message::User(said) => said.content.len(),
        Message::Assistant(m) => m.blocks.iter().map(block_bytes).sum(),
        Message::Results(results) => results.iter().map(|r| r.content.len()).sum(),
    }
}

fn image_tokens(message: &Message) -> u64 {
    match message {
        Message::User(said) => said.images.iter().map(Image::tokens).sum(),
        Message::Results(results) => results.iter().flat_map(|r| &r.images).map(Image::tokens).sum(),
        Message::Assistant(_) => 0,
    }
}

fn block_bytes(block: &Block) -> usize {
    match block {
        Block::Text(text) => text.len(),
        Block::Thinking(thinking) => thinking.text.len(),
        Block::Hosted(block) => block.value.to_string().len(),
        Block::ToolUse(call) => call.name.len() + call.arguments.to_value().to_string().len(),
    }
}
