//! What the providers demand of the schema of an answer, each in its own words.

use serde_json::{Value, json};

/// Messages: `output_config.format`.
pub(crate) fn anthropic(body: &Value) -> Result<(), String> {
    let format = &body["output_config"]["format"];
    if format.is_null() {
        return Ok(());
    }
    if format["type"] != "json_schema" || !format["schema"].is_object() {
        return Err("output_config.format: Input tag does not match any of the expected tags".to_owned());
    }
    match open_object(&format["schema"]) {
        Some(_) => Err("output_config.format.schema: For 'object' type, 'additionalProperties' must be \
            explicitly set to false"
            .to_owned()),
        None => Ok(()),
    }
}

/// Chat Completions: `response_format`, whose schema is a member of its own.
pub(crate) fn chat(body: &Value) -> Result<(), String> {
    let format = &body["response_format"];
    if format.is_null() {
        return Ok(());
    }
    if format["type"] != "json_schema" {
        return Err("Invalid value: 'response_format.type'.".to_owned());
    }
    named("response_format", &format["json_schema"])
}

/// Responses: `text.format`.
pub(crate) fn responses(body: &Value) -> Result<(), String> {
    if body.get("response_format").is_some() {
        return Err("Unsupported parameter: 'response_format'. Use 'text.format' instead.".to_owned());
    }
    let format = &body["text"]["format"];
    if format.is_null() {
        return Ok(());
    }
    if format["type"] != "json_schema" {
        return Err("Invalid value: 'text.format.type'.".to_owned());
    }
    named("text.format", format)
}

fn named(place: &str, format: &Value) -> Result<(), String> {
    if !format["name"].is_string() {
        return Err(format!("Missing required parameter: '{place}.name'."));
    }
    let schema = &format["schema"];
    if !schema.is_object() {
        return Err(format!("Missing required parameter: '{place}.schema'."));
    }
    if schema["type"] != "object" {
        return Err(format!(
            "Invalid schema for {place}: schema must be a JSON Schema of 'type: \"object\"'."
        ));
    }
    match open_object(schema).filter(|_| format["strict"] == json!(true)) {
        Some(_) => Err(format!(
            "Invalid schema for {place}: In context=(), 'additionalProperties' is required to be supplied and to be \
             false."
        )),
        None => Ok(()),
    }
}

/// An object that may have more than it names.
fn open_object(schema: &Value) -> Option<&Value> {
    match schema {
        Value::Object(members) => {
            let is_open = schema["type"] == "object" && schema["additionalProperties"] != json!(false);
            if is_open { Some(schema) } else { members.values().find_map(open_object) }
        }
        Value::Array(items) => items.iter().find_map(open_object),
        _ => None,
    }
}
