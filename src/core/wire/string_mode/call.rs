//! Which JSON is a call, and what becomes of one that cannot be read.

use serde_json::{Deserializer, Map, Value};

use crate::tool::DELEGATE_TO;
use crate::wire::bulk::Bulk;

/// The name of a call that has none; no tool is called like this, so it is answered with the list of tools.
const NAMELESS: &str = "tool_call";
/// Longest name that is looked for in JSON that does not parse.
const LONGEST_NAME: usize = 128;

/// Calls of one text that are read: one more than an answer may have by any configuration. What is left out ends the answer all the same.
pub(super) const MOST_CALLS: usize = 10_001;

/// A call as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextCall {
    /// The id that the model gave it; mostly empty.
    pub(super) id: String,
    /// Name of the tool.
    pub(super) name: String,
    /// Argument text.
    pub(super) arguments: String,
}

/// The members that an object which is a call by its looks alone may have.
pub(super) const KEYS: [&str; 9] =
    ["tool_calls", "name", "tool", "arguments", "input", "parameters", "id", "type", "function"];

/// Whether a member makes the object a list of calls, names a call, or holds its arguments.
pub(super) fn role(key: &str) -> Option<Role> {
    match key {
        "tool_calls" => Some(Role::List),
        "name" | "tool" => Some(Role::Name),
        "arguments" | "input" | "parameters" => Some(Role::Arguments),
        _ => None,
    }
}

/// What a member says about its object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is a list of calls.
    List,
    /// It is named.
    Name,
    /// It has arguments.
    Arguments,
}

/// The calls of a text that nothing around it declares to hold any: none if it is JSON of another kind, or has more values than a call
/// does, `None` if it is no JSON.
pub(super) fn plain_calls(text: &str) -> Option<Vec<TextCall>> {
    if !Bulk::fits(text.as_bytes()) {
        return Some(Vec::new());
    }
    let Value::Object(members) = serde_json::from_str(text).ok()? else { return Some(Vec::new()) };
    Some(list(&members).unwrap_or_else(|| alone(&members).into_iter().collect()))
}

/// The calls of a text that is declared to hold some: JSON values one after the other. What cannot be read is a
/// call too, with unusable arguments; so is a text of more values than calls have.
pub(super) fn declared_calls(text: &str) -> Vec<TextCall> {
    if !Bulk::fits(text.as_bytes()) {
        return vec![unusable(text)];
    }
    let mut calls = Vec::new();
    let mut values = Deserializer::from_str(text).into_iter::<Value>();
    let mut read = 0;
    while let Some(value) = values.next() {
        let Ok(value) = value else { break };
        read = values.byte_offset();
        calls.extend(declared(&value));
        if calls.len() >= MOST_CALLS {
            return calls;
        }
    }
    let rest = text.get(read..).unwrap_or_default().trim();
    if calls.is_empty() || rest.starts_with('{') {
        calls.push(unusable(if rest.is_empty() { text } else { rest }));
    }
    calls
}

/// A call that cannot be read. Its arguments are all that was written, which is no JSON object.
pub(super) fn unusable(text: &str) -> TextCall {
    let agent = || found(text, "\"agent\"").map(|agent| format!("{DELEGATE_TO}{agent}"));
    let name = found(text, "\"tool\"").or_else(|| found(text, "\"name\"")).or_else(agent);
    TextCall {
        id: String::new(),
        name: name.unwrap_or_else(|| NAMELESS.to_owned()),
        arguments: text.trim().to_owned(),
    }
}

/// The string after a key, in text that need not be JSON.
fn found(text: &str, key: &str) -> Option<String> {
    let (_, rest) = text.split_once(key)?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let name: String = rest.chars().take(LONGEST_NAME).take_while(|c| !c.is_control() && *c != '"').collect();
    (!name.is_empty()).then_some(name)
}

fn declared(value: &Value) -> Vec<TextCall> {
    match value {
        Value::Array(items) => items.iter().flat_map(declared).take(MOST_CALLS).collect(),
        Value::Object(members) => list(members).unwrap_or_else(|| vec![one(members, value)]),
        other => vec![nameless(other)],
    }
}

/// JSON in the place of a call that names no tool. No name is guessed: what is whole could be run.
fn nameless(value: &Value) -> TextCall {
    TextCall { id: String::new(), name: NAMELESS.to_owned(), arguments: value.to_string() }
}

/// `{"tool_calls": […]}`.
fn list(members: &Map<String, Value>) -> Option<Vec<TextCall>> {
    let items = members.get("tool_calls")?.as_array().filter(|items| !items.is_empty())?;
    let call = |item: &Value| match item {
        Value::Object(members) => one(members, item),
        other => nameless(other),
    };
    Some(items.iter().take(MOST_CALLS).map(call).collect())
}

fn one(members: &Map<String, Value>, whole: &Value) -> TextCall {
    named(members).or_else(|| delegation(members)).unwrap_or_else(|| nameless(whole))
}

/// A call by its looks: a name, arguments, and nothing that a call would not have.
fn alone(members: &Map<String, Value>) -> Option<TextCall> {
    let inner = members.get("function").and_then(Value::as_object);
    let object = inner.unwrap_or(members);
    let arguments = arguments(object)?;
    let is_schema = arguments.get("properties").is_some_and(Value::is_object);
    let known = members.keys().chain(object.keys()).all(|key| KEYS.contains(&key.as_str()));
    let fits = arguments.is_object() || arguments.is_string();
    if known && fits && !is_schema { named(members) } else { None }
}

fn named(members: &Map<String, Value>) -> Option<TextCall> {
    let text = |members: &Map<String, Value>, key: &str| {
        members.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let object = members.get("function").and_then(Value::as_object).unwrap_or(members);
    let name = text(object, "name").or_else(|| text(object, "tool"))?;
    let arguments = match arguments(object) {
        None => "{}".to_owned(),
        Some(Value::String(raw)) => raw.clone(),
        Some(value) => value.to_string(),
    };
    Some(TextCall { id: text(members, "id").unwrap_or_default(), name, arguments })
}

fn arguments(members: &Map<String, Value>) -> Option<&Value> {
    ["arguments", "input", "parameters"].iter().find_map(|key| members.get(*key))
}

/// `{"agent": …, "task": …}`.
fn delegation(members: &Map<String, Value>) -> Option<TextCall> {
    let agent = members.get("agent")?.as_str().filter(|agent| !agent.is_empty())?;
    let id = members.get("id").and_then(Value::as_str).unwrap_or_default();
    let arguments: Map<String, Value> = members
        .iter()
        .filter(|(key, _)| !matches!(key.as_str(), "agent" | "id"))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    Some(TextCall {
        id: id.to_owned(),
        name: format!("{DELEGATE_TO}{agent}"),
        arguments: Value::Object(arguments).to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(count: usize) -> String {
        format!(r#"{{"tool_calls":[{}]}}"#, vec!["{}"; count].join(","))
    }

    #[test]
    fn no_more_calls_are_read_than_end_an_answer() {
        assert_eq!(plain_calls(&items(20_000)).map(|calls| calls.len()), Some(MOST_CALLS));
        assert_eq!(declared_calls(&items(20_000)).len(), MOST_CALLS);
        assert_eq!(declared_calls(&"{} ".repeat(20_000)).len(), MOST_CALLS);
        assert_eq!(declared_calls(&format!("[{}]", vec!["{}"; 20_000].join(","))).len(), MOST_CALLS);
    }

    /// Each value would take a hundred times its text in memory.
    #[test]
    fn a_text_of_more_values_than_calls_have_is_not_built() {
        assert_eq!(plain_calls(&items(200_000)), Some(Vec::new()));
        let [call] = &declared_calls(&items(200_000))[..] else { panic!("one call, which cannot be read") };
        assert_eq!(call.arguments, items(200_000));
    }
}
