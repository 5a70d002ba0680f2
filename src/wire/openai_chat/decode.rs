//! The chunks of Chat Completions, read one by one.

use serde_json::{Value, json};

use crate::ledger::Stop;
use crate::model::{FailureClass, ModelEvent, ModelFailure, ModelNews};
use crate::wire::decoder::Broken;
use crate::wire::failure::{cut_failure, protocol_failure, stream_failure};
use crate::wire::sse::SseEvent;

use super::calls::Calls;
use super::quick;
use super::reasoning::Reasoning;
use super::usage;

/// Reads one answer.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    calls: Calls,
    reasoning: Reasoning,
    refused: bool,
    finish: Option<String>,
}

impl Reader {
    /// Reads one event of the stream.
    ///
    /// # Errors
    /// [`Broken`]: it is one of ours, and no JSON.
    pub(crate) fn event(&mut self, event: &SseEvent) -> Result<Vec<ModelNews>, Broken> {
        let data = event.data.trim();
        if data == "[DONE]" {
            return Ok(self.complete());
        }
        if event.name.is_empty()
            && let Some(piece) = quick::piece(data)
        {
            return Ok(self.piece(piece));
        }
        let Ok(chunk) = serde_json::from_str::<Value>(data) else {
            let ours = !data.is_empty() && matches!(event.name.as_str(), "" | "error" | "message");
            return if ours { Err(Broken) } else { Ok(Vec::new()) };
        };
        // One vendor's compatible endpoint wraps errors in an array.
        let chunk = chunk.as_array().and_then(|items| items.first()).unwrap_or(&chunk);
        if event.name == "error" || is_error(chunk) {
            // What was written until then was counted, and is paid for.
            let usage = usage::find(chunk).map(|usage| ModelNews::Event(ModelEvent::Usage(usage)));
            return Ok(usage.into_iter().chain(failed(stream_failure(chunk))).collect());
        }
        let mut events = Vec::new();
        self.chunk(chunk, "delta", &mut events);
        Ok(events.into_iter().map(ModelNews::Event).collect())
    }

    /// Reads an answer that was not streamed.
    pub(crate) fn whole(&mut self, answer: &Value) -> Vec<ModelNews> {
        if is_error(answer) {
            return failed(stream_failure(answer));
        }
        if answer.pointer("/choices/0/message").is_none() {
            return failed(protocol_failure("it is JSON, but no completion"));
        }
        let mut events = Vec::new();
        self.chunk(answer, "message", &mut events);
        let mut news: Vec<_> = events.into_iter().map(ModelNews::Event).collect();
        news.extend(self.complete());
        news
    }

    /// The connection ended without `[DONE]`, which not every server sends: a stop reason will do.
    pub(crate) fn end(&mut self) -> Vec<ModelNews> {
        if self.finish.is_some() { self.complete() } else { failed(cut_failure()) }
    }

    /// The same as [`Reader::delta`], for what says little.
    fn piece(&mut self, piece: quick::Piece) -> Vec<ModelNews> {
        let mut events = Vec::new();
        self.reasoning.piece(piece.reasoning_content, piece.reasoning, &mut events);
        self.say(piece.content.unwrap_or_default(), &mut events);
        if let Some((fragment,)) = piece.call {
            self.reasoning.close(&mut events);
            self.calls.more(fragment.slot, fragment.function.arguments, &mut events);
        }
        events.into_iter().map(ModelNews::Event).collect()
    }

    fn chunk(&mut self, chunk: &Value, part: &str, events: &mut Vec<ModelEvent>) {
        if let Some(usage) = usage::find(chunk) {
            events.push(ModelEvent::Usage(usage));
        }
        let choices = chunk.get("choices").and_then(Value::as_array);
        let first = |c: &&Value| c.get("index").and_then(Value::as_u64).unwrap_or_default() == 0;
        let Some(choice) = choices.into_iter().flatten().find(first) else { return };
        if let Some(delta) = choice.get(part) {
            self.delta(delta, events);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|r| !r.is_empty()) {
            self.finish = Some(reason.to_owned());
        }
    }

    fn delta(&mut self, delta: &Value, events: &mut Vec<ModelEvent>) {
        self.reasoning.delta(delta, events);
        match delta.get("content") {
            Some(Value::String(text)) => self.say(text.clone(), events),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.part(part, events)),
            Some(_) | None => {}
        }
        if let Some(refusal) = delta.get("refusal").and_then(Value::as_str).filter(|r| !r.is_empty()) {
            self.refused = true;
            self.say(refusal.to_owned(), events);
        }
        let fragments = delta.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        if !fragments.is_empty() {
            self.reasoning.close(events);
        }
        fragments.iter().for_each(|fragment| self.calls.fragment(fragment, events));
    }

    /// A part of a content array: text, or reasoning that is again an array.
    fn part(&mut self, part: &Value, events: &mut Vec<ModelEvent>) {
        let text = part.get("text").and_then(Value::as_str).unwrap_or_default();
        match part.get("type").and_then(Value::as_str) {
            Some("thinking") => {
                let inner = part.get("thinking").and_then(Value::as_array);
                for piece in inner.into_iter().flatten() {
                    self.reasoning.say(piece.get("text").and_then(Value::as_str).unwrap_or_default(), events);
                }
            }
            Some("text" | "output_text") | None => self.say(text.to_owned(), events),
            Some(_) => {}
        }
    }

    fn say(&mut self, text: String, events: &mut Vec<ModelEvent>) {
        if !text.is_empty() {
            self.reasoning.close(events);
            events.push(ModelEvent::Text(text));
        }
    }

    fn complete(&mut self) -> Vec<ModelNews> {
        if let Some(reason @ ("error" | "network_error")) = self.finish.as_deref() {
            let message = format!("The provider broke the answer off (finish_reason {reason}).");
            return failed(ModelFailure::new(FailureClass::Transient, message));
        }
        let mut events = Vec::new();
        self.reasoning.close(&mut events);
        if let Some(replay) = self.calls.extras() {
            events.push(ModelEvent::ThinkingDone { replay: Some(replay) });
        }
        self.calls.finish(&mut events);
        events.push(ModelEvent::Stop(self.stop()));
        events.into_iter().map(ModelNews::Event).chain([ModelNews::Finished]).collect()
    }

    fn stop(&self) -> Stop {
        match self.finish.as_deref() {
            None | Some("stop") if self.calls.any() => Stop::ToolUse,
            None | Some("stop") if self.refused => Stop::Refusal,
            None | Some("stop") => Stop::End,
            Some("tool_calls" | "function_call") => Stop::ToolUse,
            Some("length") => Stop::Length,
            Some("model_context_window_exceeded") => Stop::ContextOverflow,
            Some("content_filter" | "sensitive") => Stop::Refusal,
            Some(other) => Stop::Other(other.to_owned()),
        }
    }
}

fn is_error(chunk: &Value) -> bool {
    chunk.get("error").is_some_and(|e| !e.is_null() && *e != json!({}))
        || chunk.get("object") == Some(&json!("error"))
}

fn failed(failure: ModelFailure) -> Vec<ModelNews> {
    vec![ModelNews::Failed(failure)]
}
