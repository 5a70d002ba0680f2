//! One span and its attributes, as OTLP writes them in JSON; and how traces and spans are named.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::ledger::{EntryId, Millis};

/// The letters of a name that others gave: a model can call a tool by any text.
const LONGEST_NAME: usize = 200;

/// What a span does: within this program, or by asking a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SpanKind {
    Internal = 1,
    Client = 3,
}

/// One span.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) name: String,
    pub(super) kind: SpanKind,
    pub(super) start: Millis,
    pub(super) end: Millis,
    pub(super) attributes: Vec<Value>,
    pub(super) events: Vec<Value>,
    /// The kind of error that it ended with.
    pub(super) error: Option<String>,
}

impl Span {
    /// The object that a request has of it.
    pub(super) fn encode(&self, trace: &str) -> Value {
        let mut attributes = self.attributes.clone();
        attributes.extend(self.error.as_deref().map(|kind| text("error.type", kind)));
        let mut span = json!({
            "traceId": trace,
            "spanId": self.id,
            "name": self.name,
            "kind": self.kind as u8,
            "startTimeUnixNano": nanos(self.start),
            "endTimeUnixNano": nanos(self.end.max(self.start)),
            "attributes": attributes,
        });
        let Some(members) = span.as_object_mut() else { return span };
        if let Some(parent) = &self.parent {
            members.insert("parentSpanId".to_owned(), parent.as_str().into());
        }
        if !self.events.is_empty() {
            members.insert("events".to_owned(), self.events.clone().into());
        }
        if let Some(kind) = &self.error {
            members.insert("status".to_owned(), json!({ "code": 2, "message": kind }));
        }
        span
    }
}

/// Something that happened within a span.
pub(super) fn event(name: &str, at: Millis, attributes: Vec<Value>) -> Value {
    json!({ "name": name, "timeUnixNano": nanos(at), "attributes": attributes })
}

/// An attribute that is a text.
pub(super) fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

/// One that is a list of one text.
pub(super) fn texts(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "arrayValue": { "values": [{ "stringValue": value }] } } })
}

/// One that is a number. JSON has 64-bit numbers as text.
pub(super) fn number(key: &str, value: u64) -> Value {
    json!({ "key": key, "value": { "intValue": value.min(i64::MAX.unsigned_abs()).to_string() } })
}

/// One that is a fraction.
pub(super) fn fraction(key: &str, value: f64) -> Value {
    json!({ "key": key, "value": { "doubleValue": value } })
}

/// One that is true or false.
pub(super) fn flag(key: &str, value: bool) -> Value {
    json!({ "key": key, "value": { "boolValue": value } })
}

/// A name of somebody else's, on one line and not too long.
pub(super) fn name(given: &str) -> String {
    given.chars().filter(|sign| !sign.is_control()).take(LONGEST_NAME).collect()
}

fn nanos(at: Millis) -> String {
    at.0.saturating_mul(1_000_000).to_string()
}

/// The trace of a session: its UUID, or the beginning of the hash of an id that is none.
pub(super) fn trace_id(session: &str) -> String {
    let digits = session.replace('-', "").to_ascii_lowercase();
    let is_id = digits.len() == 32
        && digits.chars().all(|sign| sign.is_ascii_hexdigit())
        && digits.chars().any(|sign| sign != '0');
    if is_id { digits } else { hashed(session, 16) }
}

/// The span of an entry. What it is of belongs to the name, since a run can begin with the entry that calls a model.
pub(super) fn span_id(session: &str, entry: EntryId, operation: &str) -> String {
    hashed(&format!("{session}/{entry}/{operation}"), 8)
}

fn hashed(text: &str, bytes: usize) -> String {
    Sha256::digest(text.as_bytes()).iter().take(bytes).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trace_is_the_session() {
        assert_eq!(
            trace_id("0199A3B4-0000-7000-8000-00000000000F"),
            "0199a3b4000070008000".to_owned() + "00000000000f"
        );
        for other in
            ["0192-test", "", "00000000-0000-0000-0000-000000000000", "0199a3b4-0000-7000-8000-00000000000g"]
        {
            let id = trace_id(other);
            assert!(id.len() == 32 && id != "0".repeat(32), "{other}: {id}");
        }
        let ids = [
            span_id("a", EntryId(1), "chat"),
            span_id("a", EntryId(2), "chat"),
            span_id("a", EntryId(1), "invoke_agent"),
            span_id("b", EntryId(1), "chat"),
        ];
        assert!(ids.iter().all(|id| id.len() == 16));
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
    }

    #[test]
    fn numbers_of_others_break_nothing() {
        assert_eq!(number("n", u64::MAX)["value"]["intValue"], i64::MAX.to_string());
        assert_eq!(nanos(Millis(u64::MAX)), u64::MAX.to_string());
        assert_eq!(name("a\nb\u{1b}[0m"), "ab[0m");
        assert_eq!(name(&"é".repeat(1000)).chars().count(), LONGEST_NAME);
    }
}
