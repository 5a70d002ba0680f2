//! Lines of others as values, within bounds.

use serde_json::Value;

use super::super::bulk::Bulk;

/// The value of a text; `None`: it is no JSON, too deep, or holds more values than a line of a conversation has.
pub(super) fn value_of(text: &[u8]) -> Option<Value> {
    Bulk::fits(text).then(|| serde_json::from_slice(text).ok()).flatten()
}

/// A member that is text.
pub(super) fn text<'v>(value: &'v Value, member: &str) -> Option<&'v str> {
    value.get(member).and_then(Value::as_str)
}
