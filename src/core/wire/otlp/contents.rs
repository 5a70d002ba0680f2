//! What was said and done, for whoever wants it in traces: messages, arguments and results, without keys and bounded.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::ledger::{Arguments, AssistantMessage, Block, Entry, EntryId, tombstoned};
use crate::wire::without_key;

use super::names::finish;
use super::span::{name, text};

/// Most characters of one text.
const LONGEST: usize = 32_000;

/// Contents are told: all but what was withdrawn, and without these keys.
#[derive(Debug, Clone, Default)]
pub struct Contents {
    keys: Vec<String>,
    withdrawn: BTreeSet<EntryId>,
}

impl Contents {
    /// Those of a session. `keys` are struck out wherever they stand.
    pub fn of(entries: &[Arc<Entry>], keys: Vec<String>) -> Self {
        Self { keys, withdrawn: tombstoned(entries) }
    }

    /// Whether a message was taken back.
    pub(super) fn is_withdrawn(&self, entry: EntryId) -> bool {
        self.withdrawn.contains(&entry)
    }

    /// What the user said.
    pub(super) fn input(&self, words: &str) -> Value {
        let message = json!([{ "role": "user", "parts": [self.part(words)] }]);
        text("gen_ai.input.messages", &message.to_string())
    }

    /// What the session began with.
    pub(super) fn system(&self, words: &str) -> Value {
        text("gen_ai.system_instructions", &json!([self.part(words)]).to_string())
    }

    /// What an agent said last.
    pub(super) fn last(&self, words: &str) -> Value {
        let message = json!([{ "role": "assistant", "parts": [self.part(words)], "finish_reason": "stop" }]);
        text("gen_ai.output.messages", &message.to_string())
    }

    /// What a model said.
    pub(super) fn output(&self, said: &AssistantMessage) -> Value {
        let parts: Vec<Value> = said.blocks.iter().filter_map(|block| self.block(block)).collect();
        let message = json!([{ "role": "assistant", "parts": parts, "finish_reason": finish(&said.stop) }]);
        text("gen_ai.output.messages", &message.to_string())
    }

    /// What a tool is called with.
    pub(super) fn arguments(&self, arguments: &Arguments) -> Value {
        text("gen_ai.tool.call.arguments", &self.bounded(&arguments.to_value().to_string()))
    }

    /// What it answered.
    pub(super) fn result(&self, content: &str) -> Value {
        text("gen_ai.tool.call.result", &self.bounded(content))
    }

    fn block(&self, block: &Block) -> Option<Value> {
        match block {
            Block::Text(words) => Some(self.part(words)),
            Block::Thinking(thought) if thought.text.is_empty() => None,
            Block::Thinking(thought) => {
                Some(json!({ "type": "reasoning", "content": self.bounded(&thought.text) }))
            }
            Block::ToolUse(made) => Some(json!({
                "type": "tool_call",
                "id": made.id.to_string(),
                "name": name(&made.name),
                "arguments": self.bounded(&made.arguments.to_value().to_string()),
            })),
            Block::Hosted(hosted) => Some(json!({ "type": name(&hosted.kind), "name": name(&hosted.name) })),
        }
    }

    fn part(&self, words: &str) -> Value {
        json!({ "type": "text", "content": self.bounded(words) })
    }

    /// Without keys, then cut: half a key that a cut left would not be known again.
    fn bounded(&self, words: &str) -> String {
        let struck = self.keys.iter().fold(words.to_owned(), |words, key| without_key(&words, key));
        let left_out = struck.chars().count().saturating_sub(LONGEST);
        if left_out == 0 {
            return struck;
        }
        let kept: String = struck.chars().take(LONGEST).collect();
        format!("{kept}\n[… {left_out} characters omitted …]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_and_no_endless_text() {
        let contents = Contents { keys: vec!["sk-test-0001\"x".to_owned()], withdrawn: BTreeSet::new() };
        let long = format!("{}sk-TEST-0001\"x{}", "a".repeat(LONGEST - 4), "b".repeat(100));
        let bounded = contents.bounded(&long);
        assert!(!bounded.to_lowercase().contains("sk-"), "{bounded}");
        assert!(bounded.ends_with("characters omitted …]"));
        assert!(bounded.chars().count() < LONGEST + 50);
        let arguments = Arguments::parse(r#"{"command":"echo sk-test-0001\"x"}"#);
        assert!(!contents.arguments(&arguments).to_string().contains("0001"));
    }
}
