//! The schema that the answer of a run must satisfy (`--output-schema`).

use std::sync::Arc;

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::measure::measure;
use super::schema::{MOST_FAULT_CHARS, MOST_FAULTS, excerpt, usable};
use super::steps::{MOST_STEPS, steps};

/// Deeper schemas do not fit the stack that they are compiled on.
const MOST_LEVELS: usize = 128;
/// Most characters of a place in an answer.
const MOST_PLACE_CHARS: usize = 200;
/// Most characters of a value that is repeated.
const MOST_VALUE_CHARS: usize = 120;

/// A schema that answers are checked by.
#[derive(Debug)]
pub struct AnswerSchema {
    own: Value,
    shown: Arc<Value>,
    validator: Validator,
}

impl AnswerSchema {
    /// Reads a schema. What it refers to elsewhere is not fetched.
    ///
    /// # Errors
    /// Why it cannot be used: completes the sentence "the schema …".
    pub fn new(own: Value) -> Result<Self, String> {
        let Value::Object(members) = &own else { return Err("is not a JSON object".to_owned()) };
        if let Some(address) = elsewhere(&own) {
            return Err(format!(
                "refers to {address}, which is not in the file, and nothing is fetched; put it under `$defs` and refer to \
                 it as `#/$defs/NAME`"
            ));
        }
        let mut shown = members.clone();
        // Only a validator needs it, and not every provider takes it.
        shown.shift_remove("$schema");
        if measure(&own)? > MOST_LEVELS {
            return Err(format!("is nested more than {MOST_LEVELS} levels deep"));
        }
        let validator = usable(&own)?;
        Ok(Self { shown: Arc::new(Value::Object(shown)), own, validator })
    }

    /// The schema as models and providers are shown it.
    pub fn shown(&self) -> Arc<Value> {
        Arc::clone(&self.shown)
    }

    /// Checks an answer.
    ///
    /// # Errors
    /// What is wrong with it: the first violations and where they are.
    pub fn check(&self, answer: &str) -> Result<(), String> {
        let value: Value =
            serde_json::from_str(answer.trim()).map_err(|why| format!("the answer is not JSON ({why})"))?;
        if steps(&self.own, &value).is_err() {
            return Err(format!("checking the answer takes more than {MOST_STEPS} steps"));
        }
        let faults: Vec<String> =
            self.validator.iter_errors(&value).take(MOST_FAULTS).map(|fault| told(&fault)).collect();
        if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
    }
}

/// Where the answer is wrong, what was expected there, and what it has.
fn told(fault: &ValidationError<'_>) -> String {
    let place = match fault.instance_path().to_string() {
        path if path.is_empty() => "the answer".to_owned(),
        path => excerpt(&path, MOST_PLACE_CHARS),
    };
    let has = match fault.instance().as_ref() {
        Value::Object(_) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        other => excerpt(&other.to_string(), MOST_VALUE_CHARS),
    };
    let wanted = match fault.kind() {
        Kind::Type { kind: TypeKind::Single(kind) } => format!("the type {kind}"),
        Kind::Enum { options } => format!("one of {}", excerpt(&options.to_string(), MOST_VALUE_CHARS)),
        Kind::Constant { expected_value } => excerpt(&expected_value.to_string(), MOST_VALUE_CHARS),
        Kind::Minimum { limit } => format!("at least {limit}"),
        Kind::Maximum { limit } => format!("at most {limit}"),
        Kind::Required { property } => {
            return format!("{place}: expected a member {property}, which is missing");
        }
        Kind::AdditionalProperties { unexpected } => {
            let named = excerpt(&unexpected.join(", "), MOST_VALUE_CHARS);
            return format!("{place}: expected no other members, but found {named}");
        }
        _ => return format!("{place}: {}", excerpt(&fault.to_string(), MOST_FAULT_CHARS)),
    };
    format!("{place}: expected {wanted}, but found {has}")
}

/// A reference that leads out of the schema: neither into it nor to a standard that validators know.
fn elsewhere(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(members) => members.iter().find_map(|(name, value)| match value.as_str() {
            Some(address) if name == "$ref" || name == "$dynamicRef" => {
                let is_standard = address.contains("://json-schema.org/draft");
                (address.contains(':') && !is_standard).then_some(address)
            }
            _ => elsewhere(value),
        }),
        Value::Array(items) => items.iter().find_map(elsewhere),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: Value) -> String {
        AnswerSchema::new(schema).unwrap_err()
    }

    #[test]
    fn what_is_no_schema_or_leads_elsewhere_is_refused() {
        for other in [json!([]), json!(true), json!("object")] {
            assert_eq!(refused(other), "is not a JSON object");
        }
        assert!(refused(json!({ "type": "strng" })).starts_with("cannot be used ("));
        for address in ["https://example.com/s.json", "file:///etc/passwd", "urn:x:y"] {
            let said = refused(json!({ "properties": { "a": { "$ref": address } } }));
            assert!(said.starts_with(&format!("refers to {address}, ")), "{said}");
        }
        assert!(AnswerSchema::new(json!({ "$ref": "other.json" })).is_err());
        let deep = (0..70).fold(json!({}), |inner, _| json!({ "properties": { "a": inner } }));
        assert!(refused(deep).contains("levels deep"));
    }

    #[test]
    fn an_answer_is_json_that_satisfies_the_schema_and_nothing_else() {
        let draft = "https://json-schema.org/draft/2020-12/schema";
        let schema = json!({ "$schema": draft, "$defs": { "n": { "type": "integer" } },
            "properties": { "n": { "$ref": "#/$defs/n" } }, "required": ["n"] });
        let schema = AnswerSchema::new(schema).unwrap();
        assert!(schema.shown().get("$schema").is_none());
        assert_eq!(schema.check(" {\"n\": 1}\n"), Ok(()));
        assert_eq!(
            schema.check("{\"n\": \"1\"}").unwrap_err(),
            "/n: expected the type integer, but found \"1\""
        );
        assert_eq!(schema.check("{}").unwrap_err(), "the answer: expected a member \"n\", which is missing");
        for words in ["", "Done.", "```json\n{\"n\": 1}\n```", "{\"n\": 1} {\"n\": 2}"] {
            assert!(schema.check(words).unwrap_err().starts_with("the answer is not JSON"), "{words}");
        }
        assert!(schema.check(&"[".repeat(100_000)).is_err());
    }
}
