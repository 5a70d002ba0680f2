//! The filter of an answer's events: text in which a model makes calls becomes the calls.

use crate::model::ModelEvent;

use super::scan::Scan;
use super::sink::Sink;

/// Reads one answer. Feed it every event in order, then [`Parser::finish`] it.
///
/// Text passes at once, except for what may be a call: no piece of a call is ever said as text. The calls come with
/// the end of the answer. Only then is it known that none came by the protocol itself, and those always win: with
/// the first of them all text is text, as it was written.
#[derive(Debug, Default)]
pub struct Parser {
    scan: Scan,
    sink: Sink,
    /// Calls come by the protocol: the text holds none.
    is_structured: bool,
    /// Why the model stopped; said after the calls.
    stop: Option<ModelEvent>,
}

impl Parser {
    /// The beginning of an answer.
    pub fn new() -> Self {
        Self::default()
    }

    /// What one more event amounts to.
    pub fn push(&mut self, event: ModelEvent) -> Vec<ModelEvent> {
        if self.is_structured {
            return vec![event];
        }
        match event {
            ModelEvent::Text(text) => {
                for c in text.chars() {
                    self.scan.push(c, &mut self.sink);
                }
                self.sink.take_events()
            }
            ModelEvent::CallStarted { .. } => {
                self.is_structured = true;
                self.sink.restore(&self.scan.take_held());
                let mut events = self.sink.take_events();
                events.extend(self.stop.take());
                events.push(event);
                events
            }
            ModelEvent::Stop(_) => {
                self.stop = Some(event);
                Vec::new()
            }
            event @ (ModelEvent::Thinking(_)
            | ModelEvent::ThinkingDone { .. }
            | ModelEvent::CallArguments { .. }
            | ModelEvent::CallDone { .. }
            | ModelEvent::Hosted(_)
            | ModelEvent::Usage(_)) => vec![event],
        }
    }

    /// What the end of the answer amounts to: the calls, and what was kept back. After that the parser is as new.
    pub fn finish(&mut self) -> Vec<ModelEvent> {
        if !self.is_structured {
            self.scan.finish(&mut self.sink);
            self.sink.finish();
        }
        let mut events = self.sink.take_events();
        events.extend(self.stop.take());
        *self = Self::default();
        events
    }
}

/// Whether a whole answer makes calls in its text.
pub fn has_calls(answer: &str) -> bool {
    let mut parser = Parser::new();
    let mut events = parser.push(ModelEvent::Text(answer.to_owned()));
    events.extend(parser.finish());
    events.iter().any(|event| matches!(event, ModelEvent::CallStarted { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_many_blocks_are_no_more_than_end_an_answer() {
        let mut parser = Parser::new();
        let mut events =
            parser.push(ModelEvent::Text("<tool_call>{\"name\":\"a\"}</tool_call>\n".repeat(20_000)));
        events.extend(parser.finish());
        let calls = events.iter().filter(|event| matches!(event, ModelEvent::CallStarted { .. })).count();
        assert_eq!(calls, super::super::call::MOST_CALLS);
    }
}
