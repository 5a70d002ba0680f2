//! Content fields that were left out of a copy: which they are, and what is read in their place.

use serde_json::{Value, json};

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

/// Whether calls and receipts can be held against each other without this field.
pub(super) fn is_of_calls(name: &str) -> bool {
    matches!(name, "tool_calls" | "arguments" | "digest")
}
