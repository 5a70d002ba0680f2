//! `agent_message_chunk`, `agent_thought_chunk` and `user_message_chunk`: what is said.

use serde_json::{Value, json};

use crate::ledger::{AssistantMessage, EntryId, Image};
use crate::ui::text::sanitize;

/// How much of the answer that grows was told.
#[derive(Debug, Default)]
pub(in crate::cli::acp) struct Streamed {
    message: Option<EntryId>,
    text: String,
    thought: String,
}

impl Streamed {
    /// More text.
    pub(in crate::cli::acp) fn text(&mut self, message: EntryId, piece: &str) -> Value {
        self.begin(message);
        self.text.push_str(piece);
        chunk("agent_message_chunk", message, piece)
    }

    /// More reasoning.
    pub(in crate::cli::acp) fn thought(&mut self, message: EntryId, piece: &str) -> Value {
        self.begin(message);
        self.thought.push_str(piece);
        chunk("agent_thought_chunk", message, piece)
    }

    fn begin(&mut self, message: EntryId) {
        if self.message != Some(message) {
            *self = Self { message: Some(message), ..Self::default() };
        }
    }

    /// The answer is durable: what of it was not told yet.
    pub(in crate::cli::acp) fn whole(&mut self, said: &AssistantMessage) -> Vec<Value> {
        self.begin(said.id);
        let (thought, text) = (said.thinking(), said.text());
        let rest = |kind, whole: &str, told: &str| {
            let rest = whole.strip_prefix(told).filter(|rest| !rest.is_empty())?;
            Some(chunk(kind, said.id, rest))
        };
        let thought = rest("agent_thought_chunk", &thought, &self.thought);
        let text = rest("agent_message_chunk", &text, &self.text);
        *self = Self::default();
        thought.into_iter().chain(text).collect()
    }
}

/// What the user said, as a session that is loaded tells it.
pub(in crate::cli::acp) fn user(message: EntryId, words: &str, images: &[Image]) -> Vec<Value> {
    let pictures = images.iter().map(|image| {
        json!({
            "sessionUpdate": "user_message_chunk",
            "messageId": message.to_string(),
            "content": { "type": "image", "mimeType": image.media_type, "data": &*image.data },
        })
    });
    std::iter::once(chunk("user_message_chunk", message, words)).chain(pictures).collect()
}

fn chunk(kind: &str, message: EntryId, text: &str) -> Value {
    json!({
        "sessionUpdate": kind,
        "messageId": message.to_string(),
        "content": { "type": "text", "text": sanitize(text) },
    })
}
