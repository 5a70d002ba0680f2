//! String mode: calls read from text, requests rewritten, and the ports around a model.

mod chunks;
mod forms;
mod ports;
mod program;
mod refusals;
mod requests;
mod seeds;

use countersign::model::{Draft, ModelEvent};
use countersign::wire::string_mode::Parser;

/// What an answer amounts to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// All text.
    pub text: String,
    /// All thinking.
    pub thinking: String,
    /// Id, name and argument text of each call.
    pub calls: Vec<(String, String, String)>,
}

impl Answer {
    pub fn of(events: impl IntoIterator<Item = ModelEvent>) -> Self {
        let mut answer = Self::default();
        for event in events {
            match event {
                ModelEvent::Text(text) => answer.text.push_str(&text),
                ModelEvent::Thinking(text) => answer.thinking.push_str(&text),
                ModelEvent::CallStarted { wire_id, name, .. } => {
                    answer.calls.push((wire_id, name, String::new()));
                }
                ModelEvent::CallArguments { text, .. } => answer.calls.last_mut().unwrap().2.push_str(&text),
                _ => {}
            }
        }
        answer
    }

    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), ..Self::default() }
    }
}

/// All events of an answer that comes in these pieces.
pub fn events<'a>(pieces: impl IntoIterator<Item = &'a str>) -> Vec<ModelEvent> {
    let mut parser = Parser::new();
    let mut events = Vec::new();
    for piece in pieces {
        events.extend(parser.push(ModelEvent::Text(piece.to_owned())));
    }
    events.extend(parser.finish());
    events
}

/// A whole answer in one piece.
pub fn read(text: &str) -> Answer {
    Answer::of(events([text]))
}

/// A call without an id.
pub fn call(name: &str, arguments: &str) -> (String, String, String) {
    (String::new(), name.to_owned(), arguments.to_owned())
}

/// The draft of a whole answer: what the loop makes of it.
pub fn draft(text: &str) -> Draft {
    let mut draft = Draft::default();
    events([text]).into_iter().for_each(|event| draft.push(event));
    draft
}
