//! `notice`: a remark of ours. An editor that knows none is told as a message, marked as no word of the model.

use serde_json::{Value, json};

use crate::cli::acp::methods::initialize::ClientAbilities;
use crate::ui::text::sanitize;

/// A remark.
pub(in crate::cli::acp) fn remark(abilities: ClientAbilities, words: &str) -> Value {
    let words = sanitize(words);
    if abilities.has_notices {
        return json!({ "sessionUpdate": "notice", "severity": "warning", "title": words });
    }
    json!({
        "sessionUpdate": "agent_message_chunk",
        "content": { "type": "text", "text": format!("\n\n[countersign] {words}\n\n") },
        "_meta": { "countersign/notice": true },
    })
}
