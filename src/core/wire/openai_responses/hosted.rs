//! What a Responses server runs itself: how its items read, and how such tools are asked for.

use serde_json::{Value, json};

use crate::ledger::{CODE_INTERPRETER, Hosted, WEB_SEARCH};

/// What the server can run itself without more than a name.
pub(in crate::wire) const HOSTED_TOOLS: &[&str] = &[WEB_SEARCH, CODE_INTERPRETER];

/// Items that want an answer of ours. They come only if tools of theirs were sent, and we send none.
const ANSWERED_BY_US: &[&str] =
    &["computer_call", "local_shell_call", "shell_call", "apply_patch_call", "mcp_approval_request"];

/// A hosted tool as the request names it.
pub(super) fn tool(name: &str) -> Value {
    if name.starts_with("code_interpreter") {
        return json!({ "type": name, "container": { "type": "auto" } });
    }
    json!({ "type": name })
}

/// One item of the server's own, whole; `None` for what is none.
pub(super) fn read(item: &Value) -> Option<Hosted> {
    let text = |name: &str| item.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let kind = text("type");
    if kind.is_empty() || ANSWERED_BY_US.contains(&kind.as_str()) {
        return None;
    }
    let name = kind.strip_suffix("_call").unwrap_or(&kind).to_owned();
    Some(Hosted { kind, name, id: text("id"), value: item.clone() })
}

/// The item, if it is one of this protocol: a provider's protocol may have been changed in the configuration.
pub(super) fn replayed(block: &Hosted) -> Option<Value> {
    let is_foreign = match block.kind.as_str() {
        // Both protocols have one of that name; ours is sealed.
        "compaction" => block.value.get("encrypted_content").is_none(),
        "fallback" => true,
        _ => block.is_call() || block.is_result() || block.is_citation(),
    };
    (!is_foreign).then(|| block.value.clone())
}
