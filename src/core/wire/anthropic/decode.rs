//! The events of Anthropic Messages, read one by one.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::ledger::{Stop, Usage};
use crate::model::{ModelEvent, ModelNews, weight};
use crate::wire::failure::{protocol_failure, stream_failure};
use crate::wire::sse::{Broken, SseEvent};

use super::blocks::OpenBlock;

/// Reads one answer.
#[derive(Debug, Default)]
pub(crate) struct AnthropicReader {
    message_id: Option<String>,
    open: BTreeMap<u64, OpenBlock>,
    calls: u32,
    spoke: bool,
    counted: Counted,
    /// Bytes that were kept, about, before an event says them.
    held: u64,
}

/// What the provider counted, field by field: later values replace earlier ones, absent ones keep them.
#[derive(Debug, Default)]
struct Counted {
    input: u64,
    cache_read: u64,
    cache_write: u64,
    output: u64,
    reasoning: u64,
}

/// The event that makes up nearly all of a stream. Read without building a tree of values around the piece.
#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    index: u64,
    delta: Value,
}

impl AnthropicReader {
    /// Reads one event of the stream.
    ///
    /// # Errors
    /// [`Broken`]: it is one of ours, and no JSON.
    pub(crate) fn event(&mut self, event: &SseEvent) -> Result<Vec<ModelNews>, Broken> {
        if event.name == "content_block_delta"
            && let Ok(Delta { kind, index, delta }) = serde_json::from_str(&event.data)
            && kind == "content_block_delta"
        {
            let mut events = Vec::new();
            self.take_piece(index, &delta, &mut events);
            return Ok(self.tell(events));
        }
        let Ok(data) = serde_json::from_str::<Value>(&event.data) else {
            let known = event.name.is_empty() || KNOWN_EVENTS.contains(&event.name.as_str());
            return if known { Err(Broken) } else { Ok(Vec::new()) };
        };
        let kind = data.get("type").and_then(Value::as_str).unwrap_or(&event.name).to_owned();
        let mut events = Vec::new();
        match kind.as_str() {
            "message_start" => {
                if let Err(news) = self.start_message(&data, &mut events) {
                    return Ok(news);
                }
            }
            "content_block_start" => {
                self.start_block(
                    position(&data),
                    data.get("content_block").unwrap_or(&Value::Null),
                    &mut events,
                );
            }
            "content_block_delta" => {
                self.take_piece(position(&data), data.get("delta").unwrap_or(&Value::Null), &mut events);
            }
            "content_block_stop" => self.stop_block(position(&data), &mut events),
            "message_delta" => self.message_delta(&data, &mut events),
            "message_stop" => return Ok(self.stop_message()),
            "error" => return Ok(failed(stream_failure(&data))),
            _ => {}
        }
        Ok(self.tell(events))
    }

    /// Reads an answer that was not streamed: as the stream that it would have been.
    pub(crate) fn whole(&mut self, answer: &Value) -> Vec<ModelNews> {
        let Some(content) = answer.get("content").and_then(Value::as_array) else {
            return failed(protocol_failure("it is JSON, but not a message"));
        };
        let mut events = Vec::new();
        for (at, block) in content.iter().enumerate() {
            self.start_block(at as u64, block, &mut events);
            self.stop_block(at as u64, &mut events);
        }
        self.message_delta(&json!({ "delta": answer, "usage": answer.get("usage") }), &mut events);
        let mut news = self.tell(events);
        news.push(ModelNews::Finished);
        news
    }

    /// Bytes that were kept until now, about, before an event says them.
    pub(crate) fn held(&self) -> u64 {
        self.held
    }

    /// Some proxies say a message's start twice. Two messages in one answer are another matter.
    fn start_message(&mut self, data: &Value, events: &mut Vec<ModelEvent>) -> Result<(), Vec<ModelNews>> {
        let id = data.pointer("/message/id").and_then(Value::as_str).unwrap_or_default();
        match &self.message_id {
            Some(open) if open == id => Ok(()),
            Some(_) => Err(failed(protocol_failure("a second message begins inside the first"))),
            None => {
                self.message_id = Some(id.to_owned());
                self.count(data.pointer("/message/usage"), events);
                Ok(())
            }
        }
    }

    fn start_block(&mut self, at: u64, block: &Value, events: &mut Vec<ModelEvent>) {
        // Where two blocks have one number, the second begins where the first ends.
        self.stop_block(at, events);
        self.held = self.held.saturating_add(PER_BLOCK).saturating_add(weight(block));
        let block = OpenBlock::start(block, self.calls, events);
        if matches!(block, OpenBlock::Call { .. }) {
            self.calls += 1;
        }
        self.open.insert(at, block);
    }

    fn take_piece(&mut self, at: u64, piece: &Value, events: &mut Vec<ModelEvent>) {
        if !self.open.contains_key(&at)
            && let Some(begun) = never_begun(piece)
        {
            self.start_block(at, &begun, events);
        }
        if let Some(block) = self.open.get_mut(&at) {
            let told = events.len();
            block.delta(piece, events);
            if events.len() == told {
                self.held = self.held.saturating_add(grown(piece));
            }
        }
    }

    fn stop_block(&mut self, at: u64, events: &mut Vec<ModelEvent>) {
        if let Some(block) = self.open.remove(&at) {
            block.stop(events);
        }
    }

    fn message_delta(&mut self, data: &Value, events: &mut Vec<ModelEvent>) {
        self.count(data.get("usage"), events);
        let Some(reason) = data.pointer("/delta/stop_reason").and_then(Value::as_str) else { return };
        let stop = self.stop(reason);
        let said = self.spoke || events.iter().any(|e| matches!(e, ModelEvent::Text(_)));
        // A refusal is text: without words of the model's own, the provider's explanation stands for them.
        if stop == Stop::Refusal
            && !said
            && let Some(why) = data.pointer("/delta/stop_details/explanation").and_then(Value::as_str)
        {
            events.push(ModelEvent::Text(why.to_owned()));
        }
        events.push(ModelEvent::Stop(stop));
    }

    fn stop(&self, reason: &str) -> Stop {
        match reason {
            "end_turn" | "stop_sequence" if self.calls > 0 => Stop::ToolUse,
            "end_turn" | "stop_sequence" => Stop::End,
            "tool_use" => Stop::ToolUse,
            "max_tokens" => Stop::Length,
            "model_context_window_exceeded" => Stop::ContextOverflow,
            "refusal" => Stop::Refusal,
            "pause_turn" => Stop::Pause,
            other => Stop::Other(other.to_owned()),
        }
    }

    fn stop_message(&mut self) -> Vec<ModelNews> {
        let mut events = Vec::new();
        for block in std::mem::take(&mut self.open).into_values() {
            block.stop(&mut events);
        }
        let mut news = self.tell(events);
        news.push(ModelNews::Finished);
        news
    }

    fn count(&mut self, usage: Option<&Value>, events: &mut Vec<ModelEvent>) {
        let Some(usage) = usage.filter(|u| u.is_object()) else { return };
        let counted = &mut self.counted;
        for (path, field) in [
            ("/input_tokens", &mut counted.input),
            ("/cache_read_input_tokens", &mut counted.cache_read),
            ("/cache_creation_input_tokens", &mut counted.cache_write),
            ("/output_tokens", &mut counted.output),
            ("/output_tokens_details/thinking_tokens", &mut counted.reasoning),
        ] {
            if let Some(tokens) = usage.pointer(path).and_then(Value::as_u64) {
                *field = tokens;
            }
        }
        events.push(ModelEvent::Usage(counted.usage()));
    }

    fn tell(&mut self, events: Vec<ModelEvent>) -> Vec<ModelNews> {
        self.spoke |= events.iter().any(|e| matches!(e, ModelEvent::Text(_)));
        events.into_iter().map(ModelNews::Event).collect()
    }
}

impl Counted {
    /// In our meaning: the prompt is everything that was read, from wherever.
    fn usage(&self) -> Usage {
        Usage {
            input: self.input.saturating_add(self.cache_read).saturating_add(self.cache_write),
            output: self.output,
            cache_read: self.cache_read,
            cache_write: self.cache_write,
            reasoning: self.reasoning,
            cost: None,
            estimated: false,
        }
    }
}

/// What a block takes beside what it says.
const PER_BLOCK: u64 = 64;

const KNOWN_EVENTS: &[&str] = &[
    "message_start",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
    "message_delta",
    "message_stop",
    "error",
];

/// The block that a piece belongs to when nobody has begun one: its words are not lost. A piece of a call tells
/// neither which tool nor which call, so there is nothing to begin.
fn never_begun(delta: &Value) -> Option<Value> {
    match delta.get("type").and_then(Value::as_str)? {
        "text_delta" => Some(json!({ "type": "text", "text": "" })),
        "thinking_delta" => Some(json!({ "type": "thinking", "thinking": "" })),
        _ => None,
    }
}

/// Bytes by which a block grows, about, with a piece that no event tells.
fn grown(piece: &Value) -> u64 {
    let text = |name: &str| piece.get(name).and_then(Value::as_str).map_or(0, str::len) as u64;
    let source = piece.get("citation").map_or(0, |source| weight(source).saturating_add(PER_BLOCK));
    source.saturating_add(text("signature") + text("partial_json") + text("content"))
}

fn position(data: &Value) -> u64 {
    data.get("index").and_then(Value::as_u64).unwrap_or_default()
}

fn failed(failure: crate::model::ModelFailure) -> Vec<ModelNews> {
    vec![ModelNews::Failed(failure)]
}
