//! What a schema from elsewhere comes to with its references followed, measured before anything is checked by it.
//!
//! A schema of two kilobytes can stand for billions of parts: each of 32 definitions that holds the next one twice. The
//! measure looks at each part once, so it costs no more than reading the schema.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::applied::{Reference, below, is_schema, map_of, moves, reference, rounds, to_the_same};

/// Most parts that are applied to one value. Generated schemas of large programs have some hundreds.
const MOST_PARTS: u64 = 4_096;
/// Most parts that are applied to one value through each other.
const MOST_CHAIN: usize = 128;
/// Most levels of what is written and of all that is referred to, together: no way through the schema is longer.
const MOST_LEVELS: usize = 2_000;
/// Most regular expressions.
const MOST_PATTERNS: usize = 64;
/// Most bytes of all regular expressions.
const MOST_PATTERN_BYTES: usize = 16 << 10;

/// Whether a schema is small with its references followed, and how many parts lie inside each other at most.
///
/// # Errors
/// Why not: completes the sentence "its schema …".
pub(super) fn measure(schema: &Value) -> Result<usize, String> {
    let mut measure = Measure {
        root: schema,
        known: BTreeMap::new(),
        waiting: vec![schema],
        targets: BTreeMap::new(),
        patterns: 0,
        pattern_bytes: 0,
    };
    while let Some(part) = measure.waiting.pop() {
        measure.parts(part, 0)?;
    }
    let levels = levels(schema) + measure.targets.values().sum::<usize>();
    if levels > MOST_LEVELS {
        return Err(format!("is nested more than {MOST_LEVELS} levels deep"));
    }
    Ok(levels)
}

/// How much is applied to one value by a part.
#[derive(Clone, Copy)]
enum KnownCost {
    /// It is being counted.
    Open,
    /// It is counted.
    Parts(u64),
}

struct Measure<'s> {
    root: &'s Value,
    /// By the addresses of parts.
    known: BTreeMap<usize, KnownCost>,
    /// What is applied to other values than those that are counted now.
    waiting: Vec<&'s Value>,
    /// The levels of each part that is referred to.
    targets: BTreeMap<usize, usize>,
    patterns: usize,
    pattern_bytes: usize,
}

impl<'s> Measure<'s> {
    /// How many parts are applied to a value that this one is applied to. What it applies to other values waits.
    fn parts(&mut self, part: &'s Value, chain: usize) -> Result<u64, String> {
        let Value::Object(schema) = part else { return Ok(1) };
        match self.known.get(&address(part)) {
            Some(KnownCost::Parts(parts)) => return Ok(*parts),
            Some(KnownCost::Open) => return Err("refers to itself without end".to_owned()),
            None => {}
        }
        if chain > MOST_CHAIN {
            return Err(format!("has more than {MOST_CHAIN} parts inside each other for one value"));
        }
        if chain_is_broken(self.root, part, schema) {
            return Err("has parts with names of their own, which cannot be measured".to_owned());
        }
        self.count_patterns(schema)?;
        self.known.insert(address(part), KnownCost::Open);
        let mut parts = 0_u64;
        for same in to_the_same(schema) {
            parts = parts.saturating_add(self.parts(same, chain + 1)?);
        }
        match reference(self.root, schema) {
            Some(Reference::Here(target)) if is_schema(target) => {
                self.targets.entry(address(target)).or_insert_with(|| levels(target));
                parts = parts.saturating_add(self.parts(target, chain + 1)?);
            }
            Some(Reference::Standard) | None => {}
            Some(Reference::Here(_) | Reference::Unknown) => {
                return Err("refers to something that is not in it".to_owned());
            }
        }
        let parts = parts.saturating_mul(rounds(schema)).saturating_add(1);
        if parts > MOST_PARTS {
            return Err(format!("expands to more than {MOST_PARTS} parts for one value"));
        }
        self.known.insert(address(part), KnownCost::Parts(parts));
        self.waiting.extend(below(schema));
        Ok(parts)
    }

    fn count_patterns(&mut self, schema: &Map<String, Value>) -> Result<(), String> {
        let own = schema.get("pattern").and_then(Value::as_str);
        let names = map_of(schema, "patternProperties").into_iter().flat_map(Map::keys).map(String::as_str);
        for pattern in own.into_iter().chain(names) {
            self.patterns += 1;
            self.pattern_bytes += pattern.len();
        }
        if self.patterns > MOST_PATTERNS || self.pattern_bytes > MOST_PATTERN_BYTES {
            return Err(format!(
                "has more than {MOST_PATTERNS} regular expressions, or more than {} KB of them",
                MOST_PATTERN_BYTES >> 10
            ));
        }
        Ok(())
    }
}

fn address(part: &Value) -> usize {
    std::ptr::from_ref(part).addr()
}

/// Whether where references lead depends on where they are written.
fn chain_is_broken(root: &Value, part: &Value, schema: &Map<String, Value>) -> bool {
    let leads_by_name = schema.contains_key("$dynamicRef") || schema.contains_key("$recursiveRef");
    leads_by_name || !std::ptr::eq(root, part) && moves(root, schema)
}

/// How deep a value is written.
fn levels(value: &Value) -> usize {
    let inner = match value {
        Value::Array(items) => items.iter().map(levels).max(),
        Value::Object(members) => members.values().map(levels).max(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return 0,
    };
    1 + inner.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn why_not(schema: &Value) -> String {
        measure(schema).unwrap_err()
    }

    #[test]
    fn a_small_schema_that_stands_for_a_large_one_is_measured_and_not_expanded() {
        let mut definitions: Map<String, Value> = (0..32)
            .map(|n| {
                let next = json!({ "$ref": format!("#/$defs/a{}", n + 1) });
                (format!("a{n}"), json!({ "allOf": [next.clone(), next] }))
            })
            .collect();
        definitions.insert("a32".into(), json!({ "type": "object" }));
        for begin in ["allOf", "anyOf", "oneOf"] {
            let schema = json!({ "$defs": definitions, begin: [{ "$ref": "#/$defs/a0" }] });
            assert!(schema.to_string().len() < 3_000);
            assert_eq!(why_not(&schema), "expands to more than 4096 parts for one value");
        }
        // The same below a member.
        let schema =
            json!({ "$defs": definitions, "properties": { "x": { "not": { "$ref": "#/$defs/a0" } } } });
        assert!(why_not(&schema).starts_with("expands to"));
        // Looking for what is unevaluated doubles too.
        let doubling =
            (0..20).fold(json!({}), |inner, _| json!({ "allOf": [inner], "unevaluatedProperties": false }));
        assert!(why_not(&doubling).starts_with("expands to"));
    }

    #[test]
    fn what_refers_to_itself_is_fine_where_it_comes_to_an_end() {
        let tree = json!({ "allOf": [{ "properties": { "below": { "items": { "$ref": "#" } } } }] });
        measure(&tree).unwrap();
        let endless = json!({ "properties": { "x": { "$ref": "#/$defs/a" } }, "$defs": {
            "a": { "anyOf": [{ "$ref": "#/$defs/b" }] }, "b": { "$ref": "#/$defs/a" } } });
        assert_eq!(why_not(&endless), "refers to itself without end");
        assert_eq!(why_not(&json!({ "$ref": "#" })), "refers to itself without end");
        for lost in ["#/nowhere", "other.json", "https://example.test/x", "#name"] {
            assert_eq!(
                why_not(&json!({ "items": { "$ref": lost } })),
                "refers to something that is not in it"
            );
        }
        measure(&json!({ "$id": "x", "items": { "$ref": "http://json-schema.org/draft-07/schema#" } }))
            .unwrap();
        assert!(why_not(&json!({ "items": { "$id": "x" } })).contains("names of their own"));
        assert!(why_not(&json!({ "$dynamicRef": "#x" })).contains("names of their own"));
        measure(&json!({ "properties": { "$id": { "type": "string" }, "id": {} } })).unwrap();
    }

    #[test]
    fn depth_and_regular_expressions_are_bounded() {
        let chain = |n: usize| -> Map<String, Value> {
            (0..n)
                .map(|n| (format!("a{n}"), json!({ "items": { "$ref": format!("#/$defs/a{}", n + 1) } })))
                .collect()
        };
        let long = |n: usize| {
            let mut definitions = chain(n);
            definitions.insert(format!("a{n}"), json!({}));
            json!({ "$defs": definitions, "items": { "$ref": "#/$defs/a0" } })
        };
        measure(&long(300)).unwrap();
        assert_eq!(why_not(&long(1100)), "is nested more than 2000 levels deep");
        let deep = (0..140).fold(json!({}), |inner, _| json!({ "not": inner }));
        assert!(why_not(&deep).starts_with("has more than 128 parts inside"));
        let patterns: Map<String, Value> =
            (0..300).map(|n| (format!("^x{n}"), json!({ "pattern": "a" }))).collect();
        assert!(why_not(&json!({ "patternProperties": patterns })).contains("64 regular expressions"));
    }
}
