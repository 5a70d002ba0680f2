//! Content fields that were left out of a copy: which they are, and what is read in their place.

use serde_json::{Map, Value, json};

use crate::ledger::Arguments;

/// What people read where something was left out.
const WORDS: &str = Arguments::LEFT_OUT;

/// The content fields that a line has a hash of and does not have.
pub(super) fn left_out(record: &Value) -> Vec<String> {
    let Some(Value::Object(sealed)) = record.get("sealed") else { return Vec::new() };
    sealed.keys().filter(|name| record.get(name.as_str()).is_none()).cloned().collect()
}

/// Puts something in their place, so that the rest of the record can be read; says which they are.
pub(super) fn fill(record: &mut Value) -> Vec<String> {
    let names = left_out(record);
    let is_message = record.get("type").is_some_and(|kind| kind == "agent_response");
    if let Value::Object(members) = record {
        if is_message {
            drop_from_blocks(members, &names);
        }
        for name in &names {
            let value = match name.as_str() {
                // Members that are optional in every record.
                "answer" | "blocks" | "digest" | "files" | "hosted" | "images" | "key" | "leads_to"
                | "preview" | "rule" | "thinking" | "warning" | "written" => continue,
                // At the end of a run this is a count.
                "tool_calls" if !is_message => json!(0),
                "tool_calls" | "gaps" | "restored" | "deleted" | "left" | "added" | "removed"
                | "stop_rules" | "progress_log" | "questions" => json!([]),
                "facts" => json!({}),
                // Arguments are an object whatever the tool, and an empty one would say that there were none.
                "arguments" => json!({ WORDS: true }),
                "validation_method" => json!({ "question": WORDS }),
                _ => WORDS.into(),
            };
            members.insert(name.clone(), value);
        }
    }
    names
}

/// The order of a message without what it names that is left out: it says nothing but the order.
fn drop_from_blocks(members: &mut Map<String, Value>, names: &[String]) {
    let is_out = |name: &str| names.iter().any(|found| found == name);
    let Some(Value::Array(blocks)) = members.get_mut("blocks") else { return };
    blocks.retain(|block| match block.get("type").and_then(Value::as_str) {
        Some("tool_use") => !is_out("tool_calls"),
        Some("hosted") => !is_out("hosted"),
        _ => true,
    });
}
