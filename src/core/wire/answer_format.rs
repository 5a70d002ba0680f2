//! The schema of an answer, as each protocol asks for it.

use serde_json::{Value, json};

/// The name that two of the protocols want for it.
const NAME: &str = "answer";

/// `output_config.format` of Messages.
pub(super) fn anthropic(schema: &Value) -> Value {
    json!({ "type": "json_schema", "schema": schema })
}

/// `response_format` of Chat Completions.
pub(super) fn chat(schema: &Value) -> Value {
    let strict = is_closed(schema);
    json!({ "type": "json_schema", "json_schema": { "name": NAME, "schema": schema, "strict": strict } })
}

/// `text.format` of Responses.
pub(super) fn responses(schema: &Value) -> Value {
    json!({ "type": "json_schema", "name": NAME, "schema": schema, "strict": is_closed(schema) })
}

/// Whether each object of the schema names all that it has and requires all of it, as strict output demands. Others are
/// asked for without: the answer is checked here in any case.
fn is_closed(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            let is_fit = match members.get("properties") {
                Some(Value::Object(properties)) => {
                    let required = members.get("required").and_then(Value::as_array);
                    let is_required = |name: &String| {
                        required.is_some_and(|all| all.iter().any(|one| one == name.as_str()))
                    };
                    members.get("additionalProperties") == Some(&Value::Bool(false))
                        && properties.keys().all(is_required)
                }
                _ => members.get("type").is_none_or(|kind| kind != "object"),
            };
            is_fit && members.values().all(is_closed)
        }
        Value::Array(items) => items.iter().all(is_closed),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_output_is_asked_for_only_where_the_schema_allows_it() {
        let closed = json!({ "type": "object", "properties": { "a": { "type": "string" } },
            "required": ["a"], "additionalProperties": false });
        let nested = |inner: &Value| {
            json!({ "type": "object", "properties": { "list": { "type": "array", "items": inner } },
                "required": ["list"], "additionalProperties": false })
        };
        assert!(is_closed(&closed) && is_closed(&nested(&closed)));
        for open in [
            json!({ "type": "object" }),
            json!({ "type": "object", "properties": { "a": {} }, "required": ["a"] }),
            json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false }),
        ] {
            assert!(!is_closed(&open) && !is_closed(&nested(&open)), "{open}");
        }
        assert_eq!(chat(&closed)["json_schema"]["strict"], true);
        assert_eq!(responses(&json!({ "type": "object" }))["strict"], false);
    }
}
