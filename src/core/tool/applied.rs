//! Which parts of a schema are applied to a value itself, and which to what the value holds.

use serde_json::{Map, Value};

/// Applied to the same value.
const SAME: &[&str] = &["not", "if", "then", "else"];
const SAME_LISTS: &[&str] = &["allOf", "anyOf", "oneOf"];
const SAME_MAPS: &[&str] = &["dependentSchemas", "dependencies"];
/// Applied to each member.
const MEMBERS: &[&str] = &["additionalProperties", "unevaluatedProperties"];
/// Applied to each item.
const ITEMS: &[&str] = &["items", "additionalItems", "contains", "unevaluatedItems"];
/// Applied to the item in the same place.
const ITEM_LISTS: &[&str] = &["items", "prefixItems"];
/// Schemas of the standard itself, which the validator knows and which expand no further than what they are applied to.
const STANDARD: &[&str] = &["http://json-schema.org/draft-", "https://json-schema.org/draft/"];

/// Where a reference leads.
pub(super) enum Reference<'s> {
    /// To this part of the same schema.
    Here(&'s Value),
    /// To a schema of the standard.
    Standard,
    /// Nowhere that can be followed.
    Unknown,
}

/// Whether this is a schema and no list of names, say.
pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

/// The parts that are applied to the same value, but for the target of `$ref`.
pub(super) fn to_the_same(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let single = SAME.iter().filter_map(|key| schema.get(*key));
    let listed = SAME_LISTS.iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
    let mapped = SAME_MAPS.iter().filter_map(|key| schema.get(*key)?.as_object()).flat_map(Map::values);
    single.chain(listed).chain(mapped).filter(|part| is_schema(part))
}

/// The parts that are applied to every member of an object, but for those by name.
pub(super) fn to_members(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    MEMBERS.iter().filter_map(|key| schema.get(*key)).filter(|part| is_schema(part))
}

/// The parts that are applied to every item of an array.
pub(super) fn to_items(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    ITEMS.iter().filter_map(|key| schema.get(*key)).filter(|part| is_schema(part))
}

/// The parts that are applied to the item at `at`.
pub(super) fn to_item(schema: &Map<String, Value>, at: usize) -> impl Iterator<Item = &Value> {
    ITEM_LISTS.iter().filter_map(move |key| schema.get(*key)?.as_array()?.get(at))
}

/// The parts that are applied to members by their names, or by patterns of them.
pub(super) fn map_of<'s>(schema: &'s Map<String, Value>, key: &str) -> Option<&'s Map<String, Value>> {
    schema.get(key).and_then(Value::as_object)
}

/// Every part that is applied to something that a value holds.
pub(super) fn below(schema: &Map<String, Value>) -> impl Iterator<Item = &Value> {
    let listed = ITEM_LISTS.iter().filter_map(|key| schema.get(*key)?.as_array()).flatten();
    let mapped = ["properties", "patternProperties"].into_iter().filter_map(|key| map_of(schema, key));
    let mapped = mapped.flat_map(Map::values);
    to_members(schema)
        .chain(to_items(schema))
        .chain(schema.get("propertyNames"))
        .chain(listed)
        .chain(mapped)
        .filter(|part| is_schema(part))
}

/// How often the parts that are applied to the same value are looked at: what is "unevaluated" is found by looking at
/// them again.
pub(super) fn rounds(schema: &Map<String, Value>) -> u64 {
    let again = ["unevaluatedProperties", "unevaluatedItems"];
    if again.iter().any(|key| schema.contains_key(*key)) { 3 } else { 1 }
}

/// Where the `$ref` of a part leads; `None`: it has none.
pub(super) fn reference<'s>(root: &'s Value, schema: &Map<String, Value>) -> Option<Reference<'s>> {
    let target = schema.get("$ref")?.as_str()?;
    if STANDARD.iter().any(|begin| target.starts_with(begin)) {
        return Some(Reference::Standard);
    }
    let found = match target.strip_prefix('#') {
        Some("") => Some(root),
        Some(pointer) if pointer.starts_with('/') => {
            let pointer = percent_encoding::percent_decode_str(pointer).decode_utf8().ok()?;
            root.pointer(&pointer)
        }
        Some(_) | None => None,
    };
    Some(found.map_or(Reference::Unknown, Reference::Here))
}

/// Whether a part has an address of its own: then where references in it lead depends on where they are written.
pub(super) fn moves(root: &Value, schema: &Map<String, Value>) -> bool {
    let is_old = root.get("$schema").and_then(Value::as_str).is_some_and(|draft| draft.contains("draft-04"));
    let key = if is_old { "id" } else { "$id" };
    schema.get(key).is_some_and(Value::is_string)
}
