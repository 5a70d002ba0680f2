//! The members of a line, each with the bytes of its value: what the chain is about, and what an entry is read from without the chain.

use std::borrow::Cow;
use std::fmt;

use memchr::memchr2_iter;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::chain::MEMBERS;

/// Members that most lines have at most.
const MOST: usize = 16;
/// Values that may be nested deeper than a parser follows inside a line have more brackets than this.
const MOST_BRACKETS: usize = 100;

/// A name, and the bytes of its value.
pub(super) type Member<'l> = (Cow<'l, str>, &'l RawValue);

/// The members of an object of strings, with what stands between their quotes.
pub(super) fn listed(raw: &str) -> Option<Vec<(Cow<'_, str>, &str)>> {
    let strings = members(raw.as_bytes())?.into_iter();
    Some(strings.map(|(name, raw)| (name, unquoted(raw.get()))).collect())
}

/// The value of the first member of this name.
pub(super) fn member<'m>(members: &'m [Member<'_>], name: &str) -> Option<&'m str> {
    members.iter().find(|(found, _)| found == name).map(|(_, raw)| raw.get())
}

/// A string without its quotes; what stands in it is left as it is.
pub(super) fn unquoted(raw: &str) -> &str {
    raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"')).unwrap_or(raw)
}

/// The members of an object in their order, each with the bytes of its value; `None`: this is no object.
pub(super) fn members(text: &[u8]) -> Option<Vec<Member<'_>>> {
    // Checked at once, which is faster than string by string.
    let mut reader = serde_json::Deserializer::from_str(std::str::from_utf8(text).ok()?);
    let members = reader.deserialize_map(MembersInOrder).ok()?;
    reader.end().ok()?;
    Some(members)
}

struct MembersInOrder;

impl<'de> Visitor<'de> for MembersInOrder {
    type Value = Vec<Member<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(MOST);
        while let Some(Text(name)) = map.next_key()? {
            members.push((name, map.next_value()?));
        }
        Ok(members)
    }
}

/// A text, copied only if it has escapes.
pub(super) struct Text<'de>(pub(super) Cow<'de, str>);

impl<'de: 'l, 'l> Deserialize<'de> for Text<'l> {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        reader.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

/// The record of a line that has all its content: without what the chain adds. `None`: it must be parsed whole, since something is left out, or
/// nested deeply.
pub(super) fn record(members: &[Member<'_>]) -> Option<Value> {
    let sealed = listed(member(members, "sealed").unwrap_or("{}"))?;
    let is_there = |name: &str| members.iter().any(|(found, _)| found == name);
    sealed.iter().all(|(name, _)| is_there(name)).then_some(())?;
    // A seal says again what it follows.
    let is_seal = member(members, "type").is_some_and(|kind| unquoted(kind) == "sealed");
    let mut record = Map::with_capacity(members.len());
    for (name, raw) in members {
        if MEMBERS.contains(&&**name) && !is_seal {
            continue;
        }
        let raw = raw.get();
        let brackets = memchr2_iter(b'[', b'{', raw.as_bytes()).take(MOST_BRACKETS + 1).count();
        (brackets <= MOST_BRACKETS).then_some(())?;
        record.insert(name.clone().into_owned(), serde_json::from_str(raw).ok()?);
    }
    Some(Value::Object(record))
}
