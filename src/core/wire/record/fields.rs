//! Reading the fields of one record, with errors that name the record and the field.

use serde_json::{Map, Value};

use crate::ledger::{Body, CallId, EntryId};

use super::RecordError;

/// Reads the members of one type of record, whose entry has this id.
pub(super) type Reader = fn(&Fields<'_>, EntryId) -> Result<Body, RecordError>;

/// The members of one JSON object and the name of what it is, for errors.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a> {
    kind: &'a str,
    members: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(kind: &'a str, value: &'a Value) -> Result<Self, RecordError> {
        match value {
            Value::Object(members) => Ok(Self { kind, members }),
            _ => Err(RecordError::NotAnObject(excerpt(value))),
        }
    }

    pub(super) fn get(&self, field: &str) -> Option<&'a Value> {
        self.members.get(field)
    }

    /// All members but the known ones.
    pub(super) fn others(&self, is_known: impl Fn(&str) -> bool) -> Map<String, Value> {
        let others = self.members.iter().filter(|(name, _)| !is_known(name));
        others.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    pub(super) fn bad(&self, field: &str, what: impl Into<String>) -> RecordError {
        RecordError::Field { kind: self.kind.to_owned(), field: field.to_owned(), what: what.into() }
    }

    fn need(&self, field: &str) -> Result<&'a Value, RecordError> {
        self.get(field).ok_or_else(|| self.bad(field, "is missing"))
    }

    pub(super) fn str(&self, field: &str) -> Result<&'a str, RecordError> {
        self.need(field)?.as_str().ok_or_else(|| self.bad(field, "is not text"))
    }

    pub(super) fn text(&self, field: &str) -> Result<String, RecordError> {
        self.str(field).map(str::to_owned)
    }

    /// Text that is left out when it is empty.
    pub(super) fn text_or_empty(&self, field: &str) -> Result<String, RecordError> {
        if self.get(field).is_some() { self.text(field) } else { Ok(String::new()) }
    }

    pub(super) fn number(&self, field: &str) -> Result<u64, RecordError> {
        self.need(field)?.as_u64().ok_or_else(|| self.bad(field, "is not a whole number"))
    }

    pub(super) fn small(&self, field: &str) -> Result<u32, RecordError> {
        u32::try_from(self.number(field)?).map_err(|_beyond| self.bad(field, "is too large"))
    }

    pub(super) fn flag(&self, field: &str) -> Result<bool, RecordError> {
        self.need(field)?.as_bool().ok_or_else(|| self.bad(field, "is neither true nor false"))
    }

    pub(super) fn list(&self, field: &str) -> Result<&'a [Value], RecordError> {
        self.need(field)?.as_array().map(Vec::as_slice).ok_or_else(|| self.bad(field, "is not a list"))
    }

    pub(super) fn texts(&self, field: &str) -> Result<Vec<String>, RecordError> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let texts = self.list(field)?.iter().map(text);
        texts.collect::<Option<_>>().ok_or_else(|| self.bad(field, "is not a list of texts"))
    }

    /// Pairs of numbers; none when there is no such member.
    pub(super) fn spans(&self, field: &str) -> Result<Vec<(usize, usize)>, RecordError> {
        if self.get(field).is_none() {
            return Ok(Vec::new());
        }
        let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        let pair = |value: &Value| match value.as_array().map(Vec::as_slice) {
            Some([from, to]) => Some((number(from)?, number(to)?)),
            _ => None,
        };
        let pairs = self.list(field)?.iter().map(pair);
        pairs.collect::<Option<_>>().ok_or_else(|| self.bad(field, "is not a list of pairs of numbers"))
    }

    pub(super) fn object(&self, field: &'a str) -> Result<Self, RecordError> {
        match self.need(field)? {
            Value::Object(members) => Ok(Self { kind: self.kind, members }),
            _ => Err(self.bad(field, "is not an object")),
        }
    }

    pub(super) fn entry(&self, field: &str) -> Result<EntryId, RecordError> {
        EntryId::parse(self.str(field)?).ok_or_else(|| self.bad(field, "is not an entry's id such as e12"))
    }

    pub(super) fn call(&self, field: &str) -> Result<CallId, RecordError> {
        CallId::parse(self.str(field)?).ok_or_else(|| self.bad(field, "is not a call's id such as c7"))
    }

    /// A name out of a fixed set.
    pub(super) fn one_of<T>(
        &self,
        field: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, RecordError> {
        let name = self.str(field)?;
        parse(name).ok_or_else(|| self.bad(field, format!("has the unknown value `{name}`")))
    }

    /// The reverse of [`put_value`].
    pub(super) fn value(&self, field: &str) -> Result<Value, RecordError> {
        let value = self.need(field)?;
        match (value, self.members.get(&flag_name(field))) {
            (Value::String(text), Some(Value::Bool(true))) => serde_json::from_str(text)
                .map_err(|fault| self.bad(field, format!("contains text that is not JSON ({fault})"))),
            _ => Ok(value.clone()),
        }
    }
}

/// Nesting that is certain to be read back as part of a line: parsers give up at 128 levels.
const DEEPEST: usize = 100;

/// Writes someone else's JSON. Deeper than a parser would follow inside a line, it is kept as its text, and a
/// field `FIELD_as_text` says so: a strange call must never make a session unreadable.
pub(super) fn put_value(record: &mut Map<String, Value>, field: &str, value: Value) {
    if depth(&value) > DEEPEST {
        record.insert(field.to_owned(), Value::String(value.to_string()));
        record.insert(flag_name(field), Value::Bool(true));
    } else {
        record.insert(field.to_owned(), value);
    }
}

fn flag_name(field: &str) -> String {
    format!("{field}_as_text")
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn excerpt(value: &Value) -> String {
    value.to_string().chars().take(60).collect()
}

/// Adds the members of an object literal.
pub(super) fn put(record: &mut Map<String, Value>, members: Value) {
    if let Value::Object(members) = members {
        record.extend(members);
    }
}
