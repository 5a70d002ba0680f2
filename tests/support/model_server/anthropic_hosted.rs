//! Anthropic Messages: its rules about what it runs itself, and about a request that ends with the assistant.

use std::collections::BTreeSet;

use serde_json::Value;

use super::anthropic::blocks;

/// Whether a block is one that the provider makes itself.
pub(super) fn is_known(kind: &str) -> bool {
    kind == "server_tool_use" || kind == "compaction" || kind.ends_with("_tool_result")
}

/// Every call of the provider's has its result, or it is still in hand: in a paused turn at the end, or in one whose
/// own calls have only now been answered. No result is without its call.
pub(super) fn check(messages: &[Value]) -> Result<(), String> {
    let all: Vec<Value> = messages.iter().flat_map(blocks).collect();
    let results: BTreeSet<&str> = all.iter().filter(|b| is_result(b)).map(|b| id(b, "tool_use_id")).collect();
    let mut called = BTreeSet::new();
    for (at, message) in messages.iter().enumerate() {
        let content = blocks(message);
        let in_hand = at + 1 == messages.len() || content.iter().any(|b| b["type"] == "tool_use");
        for (place, block) in content.iter().enumerate() {
            if block["type"] == "server_tool_use" {
                let id = id(block, "id");
                called.insert(id.to_owned());
                if !results.contains(id) && !in_hand {
                    return Err(format!(
                        "messages.{at}: `{}` tool use with id `{id}` was found without a corresponding `{}_tool_result` \
                         block",
                        block["name"].as_str().unwrap_or_default(),
                        block["name"].as_str().unwrap_or_default(),
                    ));
                }
            }
            if is_result(block) && !called.contains(id(block, "tool_use_id")) {
                return Err(format!(
                    "messages.{at}.content.{place}: unexpected `tool_use_id` found in `{}` blocks: {}",
                    block["type"].as_str().unwrap_or_default(),
                    id(block, "tool_use_id")
                ));
            }
        }
        if message["role"] == "assistant" && content.last().is_some_and(is_reasoning) {
            return Err(format!(
                "messages.{at}: The final block in an assistant message cannot be `thinking`."
            ));
        }
    }
    check_end(messages)
}

/// Newer models take no words put into their mouth; a turn of their own that was paused they go on with.
fn check_end(messages: &[Value]) -> Result<(), String> {
    let Some(last) = messages.last().filter(|m| m["role"] == "assistant") else { return Ok(()) };
    let content = blocks(last);
    if content.iter().any(|b| matches!(b["type"].as_str(), Some("server_tool_use" | "tool_use"))) {
        return Ok(());
    }
    Err("This model does not support assistant message prefill. The conversation must end with a user message."
        .to_owned())
}

fn is_result(block: &Value) -> bool {
    block["type"].as_str().is_some_and(|kind| kind.ends_with("_tool_result"))
}

fn is_reasoning(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

fn id<'a>(block: &'a Value, member: &str) -> &'a str {
    block[member].as_str().unwrap_or_default()
}
