//! The order of messages that strict servers want: users and assistants in turn, and nobody between results and the
//! assistant's next word.

use serde_json::{Value, json};

/// What the assistant is said to have said after results that a user's words follow at once.
const TAKEN_NOTE: &str = "I have the results.";

/// Joins the user's consecutive messages, and lets the assistant speak between results and the user.
pub(super) fn strict(messages: impl IntoIterator<Item = Value>) -> impl Iterator<Item = Value> {
    let mut messages = messages.into_iter().peekable();
    let mut follows_results = false;
    let joined = std::iter::from_fn(move || {
        let mut message = messages.next()?;
        if role(&message) == "user" {
            while let Some(later) = messages.next_if(|next| role(next) == "user") {
                join(&mut message, &later);
            }
        }
        let answers = std::mem::replace(&mut follows_results, role(&message) == "tool");
        let is_early = answers && role(&message) == "user";
        let note = is_early.then(|| json!({ "role": "assistant", "content": TAKEN_NOTE }));
        Some([note, Some(message)].into_iter().flatten())
    });
    joined.flatten()
}

fn role(message: &Value) -> &str {
    message.get("role").and_then(Value::as_str).unwrap_or_default()
}

/// Words join words; where one of the two has parts, both become parts.
fn join(earlier: &mut Value, later: &Value) {
    let joined = match (earlier.get("content"), later.get("content")) {
        (Some(Value::String(one)), Some(Value::String(other))) => json!(format!("{one}\n\n{other}")),
        (one, other) => parts(one).chain(parts(other)).collect(),
    };
    if let Some(content) = earlier.get_mut("content") {
        *content = joined;
    }
}

fn parts(content: Option<&Value>) -> impl Iterator<Item = Value> {
    let parts = match content {
        Some(Value::Array(parts)) => parts.clone(),
        Some(text @ Value::String(_)) => vec![json!({ "type": "text", "text": text })],
        Some(_) | None => Vec::new(),
    };
    parts.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_join_and_an_assistant_stands_after_results() {
        let user = |content: Value| json!({ "role": "user", "content": content });
        let tool = json!({ "role": "tool", "tool_call_id": "a", "content": "x" });
        let picture = json!({ "type": "image_url", "image_url": { "url": "data:" } });
        let said: Vec<Value> = strict([
            json!({ "role": "system", "content": "s" }),
            user(json!("one")),
            user(json!("two")),
            json!({ "role": "assistant", "content": null }),
            tool.clone(),
            tool,
            user(json!("three")),
            user(json!([picture])),
        ])
        .collect();
        let roles: Vec<&str> = said.iter().map(role).collect();
        assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "assistant", "user"]);
        assert_eq!(said[1]["content"], "one\n\ntwo");
        assert_eq!(said[6]["content"], json!([{ "type": "text", "text": "three" }, picture]));
    }
}
