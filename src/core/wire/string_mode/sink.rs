//! What was read, until it can be said: text at once, calls at the end, when no other kind of call can come any more.

use std::mem::take;

use crate::model::ModelEvent;

use super::call::{MOST_CALLS, TextCall};

/// Collects what the scan finds.
#[derive(Debug, Default)]
pub(super) struct Sink {
    events: Vec<ModelEvent>,
    /// White space at the end of the text so far: it is said with the next word, and not before a call.
    white: String,
    /// Whether any word was said.
    has_spoken: bool,
    /// Everything since the first call, as it was written.
    raw: Option<String>,
    found: Vec<Segment>,
    /// Text since the last call.
    after: String,
}

/// A call, or text between two of them.
#[derive(Debug)]
enum Segment {
    Text(String),
    Call(TextCall),
}

impl Sink {
    /// Every character of the source passes here first.
    pub(super) fn source(&mut self, c: char) {
        if let Some(raw) = &mut self.raw {
            raw.push(c);
        }
    }

    /// Whether nothing but white space (and thinking) has come yet.
    pub(super) fn is_fresh(&self) -> bool {
        !self.has_spoken && !self.has_calls()
    }

    /// Whether a call was found.
    pub(super) fn has_calls(&self) -> bool {
        self.raw.is_some()
    }

    /// More text.
    pub(super) fn text(&mut self, c: char) {
        if self.has_calls() {
            self.after.push(c);
        } else if c.is_whitespace() {
            self.white.push(c);
        } else {
            self.has_spoken = true;
            let white = take(&mut self.white);
            let text = self.said();
            text.push_str(&white);
            text.push(c);
        }
    }

    /// More thinking. White space before it is the frame that the model put around it.
    pub(super) fn thinking(&mut self, c: char) {
        self.white.clear();
        if let Some(ModelEvent::Thinking(text)) = self.events.last_mut() {
            text.push(c);
        } else {
            self.events.push(ModelEvent::Thinking(c.to_string()));
        }
    }

    /// The thinking is over.
    pub(super) fn thinking_done(&mut self) {
        self.events.push(ModelEvent::ThinkingDone { replay: None });
    }

    /// Calls, and the text in which they stood.
    pub(super) fn calls(&mut self, calls: Vec<TextCall>, source: &str) {
        if self.raw.is_none() {
            self.raw = Some(take(&mut self.white) + source);
        }
        // The answer ends for having so many already.
        if self.found.len() >= MOST_CALLS {
            self.after.clear();
            return;
        }
        let between = take(&mut self.after);
        if !between.trim().is_empty() {
            self.found.push(Segment::Text(between.trim().to_owned()));
        }
        self.found.extend(calls.into_iter().map(Segment::Call));
    }

    /// What can be said by now.
    pub(super) fn take_events(&mut self) -> Vec<ModelEvent> {
        take(&mut self.events)
    }

    /// The end: the calls, in order; what came after the last of them is dropped.
    pub(super) fn finish(&mut self) {
        self.raw = None;
        if self.found.is_empty() {
            self.restore("");
        }
        for (index, found) in (0..).zip(take(&mut self.found)) {
            match found {
                Segment::Text(text) => self.events.push(ModelEvent::Text(text)),
                Segment::Call(TextCall { id, name, arguments }) => self.events.extend([
                    ModelEvent::CallStarted { index, wire_id: id, name },
                    ModelEvent::CallArguments { index, text: arguments },
                    ModelEvent::CallDone { index },
                ]),
            }
        }
    }

    /// There are no calls in the text after all: says what was kept back. `held`: what the scan had not decided.
    pub(super) fn restore(&mut self, held: &str) {
        self.found.clear();
        let kept = match self.raw.take() {
            Some(raw) => raw,
            None => take(&mut self.white) + held,
        };
        if !kept.is_empty() {
            self.said().push_str(&kept);
        }
    }

    /// The text that is said with the next events.
    fn said(&mut self) -> &mut String {
        if !matches!(self.events.last(), Some(ModelEvent::Text(_))) {
            self.events.push(ModelEvent::Text(String::new()));
        }
        match self.events.last_mut() {
            Some(ModelEvent::Text(text)) => text,
            // Cannot be: the text was put there just now.
            _ => &mut self.after,
        }
    }
}
