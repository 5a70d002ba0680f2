//! The events of Responses, read one by one. Items are known by their position: some servers change the ids.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::ledger::Stop;
use crate::model::{ModelEvent, ModelNews};
use crate::wire::failure::{protocol_failure, stream_failure};
use crate::wire::sse::{Broken, SseEvent};

use super::item::{OpenItem, TextKind, is_refusal};
use super::items::{ItemEnd, Items};
use super::usage;

/// Reads one answer.
#[derive(Debug, Default)]
pub(crate) struct ResponsesReader {
    items: Items,
    calls: u32,
    refused: bool,
    /// Bytes that were kept, about, and that no event says.
    held: u64,
}

/// The event that makes up nearly all of a stream: a piece of text. Read without building a tree of values.
#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    output_index: u64,
    #[serde(default)]
    summary_index: u64,
    #[serde(default)]
    content_index: u64,
    #[serde(borrow)]
    delta: Cow<'a, str>,
}

/// Whose piece it is, by the item's own id.
#[derive(Deserialize)]
struct Whose {
    item_id: Option<String>,
}

impl ResponsesReader {
    /// Reads one event of the stream.
    ///
    /// # Errors
    /// [`Broken`]: it is one of ours, and no JSON.
    pub(crate) fn event(&mut self, event: &SseEvent) -> Result<Vec<ModelNews>, Broken> {
        let named = event.name.as_str();
        if (named.is_empty() || named.ends_with(".delta"))
            && let Ok(delta) = serde_json::from_str::<Delta<'_>>(&event.data)
        {
            return Ok(self.delta(&delta, &event.data));
        }
        let Ok(data) = serde_json::from_str::<Value>(&event.data) else {
            // Some servers say [DONE]; it ends nothing here.
            let ours = matches!(named, "" | "error") || named.starts_with("response.");
            let broken = ours && event.data.trim() != "[DONE]";
            return if broken { Err(Broken) } else { Ok(Vec::new()) };
        };
        let kind = data.get("type").and_then(Value::as_str).unwrap_or(named);
        let response = data.get("response").unwrap_or(&Value::Null);
        let item = data.get("item").unwrap_or(&Value::Null);
        let mut events = Vec::new();
        match kind {
            "response.output_item.added" => self.start(position(&data), item, &mut events),
            "response.output_item.done" => self.stop(position(&data), item, &mut events),
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                return Ok(self.end(response));
            }
            // Often followed by `response.failed`, which says the same; a server may also leave it at that.
            "error" => return Ok(failed(stream_failure(&data))),
            // One vendor's gateways send errors of their own, without a type.
            _ if data.get("type").is_none() && data.get("error").is_some_and(|e| !e.is_null()) => {
                return Ok(failed(stream_failure(&data)));
            }
            _ => {}
        }
        Ok(told(events))
    }

    /// Reads an answer that was not streamed: as the stream that it would have been.
    pub(crate) fn whole(&mut self, response: &Value) -> Vec<ModelNews> {
        if response.get("output").and_then(Value::as_array).is_none() {
            return failed(protocol_failure("it is JSON, but not a response"));
        }
        self.end(response)
    }

    /// Bytes that were kept until now, about, and that no event says.
    pub(crate) fn held(&self) -> u64 {
        self.held
    }

    fn delta(&mut self, delta: &Delta<'_>, data: &str) -> Vec<ModelNews> {
        let mut events = Vec::new();
        let Some(piece) = TextKind::of_event(&delta.kind) else { return Vec::new() };
        let whose = || serde_json::from_str::<Whose>(data).ok().and_then(|whose| whose.item_id);
        let item = self.items.get_mut(delta.output_index, piece, || whose().unwrap_or_default());
        if let Some(item) = item {
            self.refused |= piece == TextKind::Refusal;
            item.delta(piece, delta.summary_index.max(delta.content_index), &delta.delta, &mut events);
        }
        told(events)
    }

    fn start(&mut self, at: u64, item: &Value, events: &mut Vec<ModelEvent>) {
        if self.items.is_new(at, item) {
            self.begin(at, item, events);
        }
    }

    fn begin(&mut self, at: u64, item: &Value, events: &mut Vec<ModelEvent>) {
        if let Some(open) = OpenItem::start(item, self.calls, events) {
            self.calls += u32::from(matches!(open, OpenItem::Call { .. }));
            let text = |name: &str| item.get(name).and_then(Value::as_str).map_or(0, str::len) as u64;
            let mark = text("type") + text("call_id") + text("id");
            self.held = self.held.saturating_add(PER_ITEM).saturating_add(mark);
            self.items.begin(at, item, open);
        }
    }

    fn stop(&mut self, at: u64, item: &Value, events: &mut Vec<ModelEvent>) {
        let mut ended = self.items.end(at, item);
        if matches!(ended, ItemEnd::Unknown) {
            self.begin(at, item, events);
            ended = self.items.end(at, item);
        }
        if let ItemEnd::One(open) = ended {
            self.refused |= is_refusal(item);
            open.stop(item, events);
        }
    }

    /// The response is over: well, cut short, or failed.
    fn end(&mut self, response: &Value) -> Vec<ModelNews> {
        let mut events = Vec::new();
        // Some servers list no items at the end, so the end is asked only if nothing came before it.
        if self.items.is_empty() {
            let items = response.get("output").and_then(Value::as_array).into_iter().flatten();
            for (at, item) in (0_u64..).zip(items) {
                self.stop(at, item, &mut events);
            }
        }
        events.extend(usage::find(response).map(ModelEvent::Usage));
        let status = response.get("status").and_then(Value::as_str).unwrap_or("completed");
        let end = match status {
            "completed" | "incomplete" => {
                events.push(ModelEvent::Stop(self.reason(response)));
                ModelNews::Finished
            }
            _ => ModelNews::Failed(stream_failure(response)),
        };
        let mut news = told(events);
        news.push(end);
        news
    }

    fn reason(&self, response: &Value) -> Stop {
        let incomplete = response.get("status").and_then(Value::as_str) == Some("incomplete");
        match response.pointer("/incomplete_details/reason").and_then(Value::as_str) {
            Some("content_filter") => Stop::Refusal,
            Some("max_output_tokens" | "max_tokens") => Stop::Length,
            Some(other) => Stop::Other(other.to_owned()),
            None if incomplete => Stop::Length,
            None if self.calls > 0 => Stop::ToolUse,
            None if self.refused => Stop::Refusal,
            None => Stop::End,
        }
    }
}

/// What an item takes beside its marks.
const PER_ITEM: u64 = 128;

fn position(data: &Value) -> u64 {
    data.get("output_index").and_then(Value::as_u64).unwrap_or_default()
}

fn told(events: Vec<ModelEvent>) -> Vec<ModelNews> {
    events.into_iter().map(ModelNews::Event).collect()
}

fn failed(failure: crate::model::ModelFailure) -> Vec<ModelNews> {
    vec![ModelNews::Failed(failure)]
}
