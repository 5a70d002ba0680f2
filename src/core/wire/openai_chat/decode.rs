//! The chunks of Chat Completions, read one by one.

use serde_json::{Value, json};

use crate::ledger::Stop;
use crate::model::{FailureClass, ModelEvent, ModelFailure, ModelNews};
use crate::wire::failure::{cut_failure, protocol_failure, stream_failure};
use crate::wire::sse::{Broken, SseEvent};

use super::calls::{Calls, unsaid};
use super::quick;
use super::reasoning::Reasoning;
use super::think::{TextPart, Thoughts};
use super::usage;

/// Reads one answer.
#[derive(Debug, Default)]
pub(crate) struct ChatReader {
    calls: Calls,
    reasoning: Reasoning,
    thoughts: Thoughts,
    /// All text so far, as the server sent it.
    said: String,
    refused: bool,
    finish: Option<String>,
    /// Bytes of text that were kept and not told.
    untold: u64,
}

impl ChatReader {
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
        self.chunk(chunk, &mut events);
        Ok(events.into_iter().map(ModelNews::Event).collect())
    }

    /// Reads an answer that was not streamed.
    pub(crate) fn whole(&mut self, answer: &Value) -> Vec<ModelNews> {
        if is_error(answer) {
            return failed(stream_failure(answer));
        }
        if answer.pointer("/choices/0/message").is_none() {
            return failed(protocol_failure("it is JSON, but not a completion"));
        }
        let mut events = Vec::new();
        self.chunk(answer, &mut events);
        let mut news: Vec<_> = events.into_iter().map(ModelNews::Event).collect();
        news.extend(self.complete());
        news
    }

    /// The connection ended without `[DONE]`, which not every server sends: a stop reason will do.
    pub(crate) fn end(&mut self) -> Vec<ModelNews> {
        if self.finish.is_some() { self.complete() } else { failed(cut_failure()) }
    }

    /// Bytes that were kept until now, about, before an event says them.
    pub(crate) fn held(&self) -> u64 {
        self.untold.saturating_add(self.reasoning.held()).saturating_add(self.calls.held())
    }

    /// The same as [`ChatReader::delta`], for what says little.
    fn piece(&mut self, piece: quick::QuickChunk) -> Vec<ModelNews> {
        let mut events = Vec::new();
        self.reasoning.piece(piece.reasoning_content, piece.reasoning, &mut events);
        self.say(piece.content.unwrap_or_default(), &mut events);
        if let Some((fragment,)) = piece.call {
            self.end_words(&mut events);
            self.calls.more(fragment.slot, fragment.function.arguments, &mut events);
        }
        events.into_iter().map(ModelNews::Event).collect()
    }

    fn chunk(&mut self, chunk: &Value, events: &mut Vec<ModelEvent>) {
        if let Some(usage) = usage::find(chunk) {
            events.push(ModelEvent::Usage(usage));
        }
        let choices = chunk.get("choices").and_then(Value::as_array);
        let first = |c: &&Value| c.get("index").and_then(Value::as_u64).unwrap_or_default() == 0;
        let Some(choice) = choices.into_iter().flatten().find(first) else { return };
        let delta = choice.get("delta").filter(|delta| !delta.is_null());
        if let Some(delta) = delta {
            self.delta(delta, events);
        }
        // Beside deltas a message repeats them; beside an empty one it may be all there is.
        let is_empty = |delta: &Value| *delta == json!({}) && self.said.is_empty() && !self.calls.any();
        if let Some(message) = choice.get("message").filter(|_| delta.is_none_or(is_empty)) {
            self.message(message, events);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|r| !r.is_empty()) {
            self.finish = Some(reason.to_owned());
        }
    }

    /// A whole message: of one that is not streamed, or where a server sends it instead of deltas, once or with each
    /// chunk. What was said already is not said again.
    fn message(&mut self, message: &Value, events: &mut Vec<ModelEvent>) {
        let mut rest = message.clone();
        let (said, thought) = (self.said.as_str(), self.reasoning.said());
        for (name, said) in
            [("content", said), ("refusal", said), ("reasoning_content", thought), ("reasoning", thought)]
        {
            match rest.get_mut(name) {
                Some(Value::String(text)) => *text = unsaid(said, text).to_owned(),
                Some(other) if !said.is_empty() => *other = Value::Null,
                Some(_) | None => {}
            }
        }
        let calls = message.get("tool_calls").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let function = message.get("function_call").filter(|_| !self.calls.any()).cloned();
        if let Some(members) = rest.as_object_mut() {
            members.remove("tool_calls");
            members.remove("function_call");
            if !thought.is_empty() {
                members.remove("reasoning_details");
            }
            members.extend(function.map(|function| ("function_call".to_owned(), function)));
        }
        self.delta(&rest, events);
        if !calls.is_empty() {
            self.end_words(events);
        }
        for (place, call) in calls.iter().enumerate() {
            self.calls.whole(place, call, events);
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
            self.end_words(events);
        }
        fragments.iter().for_each(|fragment| self.calls.fragment(fragment, events));
        if let Some(function) = delta.get("function_call").filter(|function| function.is_object()) {
            self.end_words(events);
            self.calls.first_form(function, events);
        }
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
        if text.is_empty() {
            return;
        }
        if self.said.is_empty() && !self.reasoning.said().is_empty() {
            // The server tells thinking apart itself: a mark in the text is the model's own.
            self.thoughts.finish();
        }
        self.said.push_str(&text);
        if self.thoughts.are_over() {
            self.speak(text, events);
            return;
        }
        let told = events.len();
        for part in self.thoughts.push(&text) {
            self.part_of_text(part, events);
        }
        if events.len() == told {
            self.untold = self.untold.saturating_add(text.len() as u64);
        }
    }

    fn part_of_text(&mut self, part: TextPart, events: &mut Vec<ModelEvent>) {
        match part {
            TextPart::Thinking(text) => self.reasoning.say(&text, events),
            TextPart::Over => self.reasoning.close(events),
            TextPart::Text(text) => self.speak(text, events),
        }
    }

    fn speak(&mut self, text: String, events: &mut Vec<ModelEvent>) {
        self.reasoning.close(events);
        events.push(ModelEvent::Text(text));
    }

    /// Something other than words begins, or the answer ends.
    fn end_words(&mut self, events: &mut Vec<ModelEvent>) {
        if let Some(part) = self.thoughts.finish() {
            self.part_of_text(part, events);
        }
        self.reasoning.close(events);
    }

    fn complete(&mut self) -> Vec<ModelNews> {
        if let Some(reason @ ("error" | "network_error")) = self.finish.as_deref() {
            let message = format!("The provider cut off the answer (finish_reason {reason}).");
            return failed(ModelFailure::new(FailureClass::Transient, message));
        }
        let mut events = Vec::new();
        self.end_words(&mut events);
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
