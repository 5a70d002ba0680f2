//! How much work it is to check arguments by a schema, counted before it is done: the count stops at a bound.
//!
//! The walk does what a validator does at most, and without its work: every part of the schema is laid to every part of the
//! value that it is applied to. A schema that is small for one value can still double with each level of the arguments.

use serde_json::{Map, Value};

use super::applied::{Reference, map_of, reference, rounds, to_item, to_items, to_members, to_the_same};

/// Most steps of one check: a tenth of a second, where honest calls take some thousands.
pub(super) const MOST_STEPS: u64 = 1_000_000;
/// Most applications inside each other; arguments are 128 deep at most.
const MOST_DEPTH: usize = 512;
/// Steps that a byte costs which goes through a regular expression or a format.
const PER_BYTE: u64 = 4;
/// Steps that a byte costs which is itself made into a regular expression.
const PER_PATTERN_BYTE: u64 = 4_096;
/// Steps that a part of a value costs which goes through a schema of the standard.
const PER_STANDARD_PART: u64 = 64;

/// The check would be too much work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TooMuch;

/// How many steps a check takes.
///
/// # Errors
/// More than [`MOST_STEPS`], or too deep.
pub(super) fn steps(schema: &Value, value: &Value) -> Result<u64, TooMuch> {
    let mut walk = CostWalk { root: schema, left: MOST_STEPS };
    walk.apply(schema, value, 0)?;
    Ok(MOST_STEPS - walk.left)
}

struct CostWalk<'s> {
    root: &'s Value,
    left: u64,
}

impl<'s> CostWalk<'s> {
    fn spend(&mut self, steps: u64) -> Result<(), TooMuch> {
        self.left = self.left.checked_sub(steps).ok_or(TooMuch)?;
        Ok(())
    }

    /// A step for each part of a value that is read or compared as a whole.
    fn weigh(&mut self, value: &Value, times: u64) -> Result<(), TooMuch> {
        match value {
            Value::Array(items) => {
                items.iter().try_for_each(|item| self.weigh(item, times))?;
            }
            Value::Object(members) => {
                members.values().try_for_each(|member| self.weigh(member, times))?;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        let bytes = value.as_str().map_or(0, str::len) as u64;
        self.spend((1 + bytes / 16).saturating_mul(times))
    }

    fn apply(&mut self, part: &'s Value, value: &Value, depth: usize) -> Result<(), TooMuch> {
        self.spend(1)?;
        let Value::Object(schema) = part else { return Ok(()) };
        if depth > MOST_DEPTH {
            return Err(TooMuch);
        }
        self.spend(schema.len() as u64)?;
        for compared in ["enum", "const"].into_iter().filter_map(|key| schema.get(key)) {
            self.weigh(compared, 1)?;
        }
        for _ in 0..rounds(schema) {
            for same in to_the_same(schema) {
                self.apply(same, value, depth + 1)?;
            }
            match reference(self.root, schema) {
                Some(Reference::Here(target)) => self.apply(target, value, depth + 1)?,
                Some(Reference::Standard) => self.weigh(value, PER_STANDARD_PART)?,
                Some(Reference::Unknown) | None => {}
            }
        }
        match value {
            Value::String(text) => self.text(schema, text),
            Value::Array(items) => self.items(schema, value, items, depth),
            Value::Object(members) => self.members(schema, members, depth),
            Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
        }
    }

    fn text(&mut self, schema: &Map<String, Value>, text: &str) -> Result<(), TooMuch> {
        let bytes = text.len() as u64;
        let is_read = |key: &&str| schema.contains_key(*key);
        let readers =
            ["pattern", "format", "contentEncoding", "contentMediaType"].iter().filter(|k| is_read(k));
        self.spend(bytes.saturating_mul(readers.count() as u64 * PER_BYTE))?;
        let is_pattern = schema.get("format").is_some_and(|format| format == "regex");
        self.spend(if is_pattern { bytes.saturating_mul(PER_PATTERN_BYTE) } else { 0 })
    }

    fn items(
        &mut self,
        schema: &'s Map<String, Value>,
        value: &Value,
        items: &[Value],
        depth: usize,
    ) -> Result<(), TooMuch> {
        if schema.get("uniqueItems").is_some_and(|unique| unique == true) {
            // Few items are compared with each other, many by their hashes.
            let times = if items.len() <= 16 { items.len() as u64 } else { 2 };
            self.weigh(value, times)?;
        }
        for (at, item) in items.iter().enumerate() {
            for part in to_items(schema).chain(to_item(schema, at)) {
                self.apply(part, item, depth + 1)?;
            }
        }
        Ok(())
    }

    fn members(
        &mut self,
        schema: &'s Map<String, Value>,
        members: &Map<String, Value>,
        depth: usize,
    ) -> Result<(), TooMuch> {
        let by_name = map_of(schema, "properties");
        let by_pattern = map_of(schema, "patternProperties");
        for named in ["required", "dependentRequired", "dependencies"] {
            self.spend(schema.get(named).map_or(0, length))?;
        }
        self.spend(by_name.map_or(0, Map::len) as u64)?;
        for (name, member) in members {
            self.spend(1)?;
            for part in to_members(schema).chain(by_name.and_then(|by_name| by_name.get(name))) {
                self.apply(part, member, depth + 1)?;
            }
            for part in by_pattern.into_iter().flat_map(Map::values) {
                self.spend(name.len() as u64 * PER_BYTE)?;
                self.apply(part, member, depth + 1)?;
            }
            if let Some(part) = schema.get("propertyNames") {
                self.apply(part, &Value::String(name.clone()), depth + 1)?;
            }
        }
        Ok(())
    }
}

fn length(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.len() as u64,
        Value::Object(members) => members.values().map(length).sum::<u64>() + members.len() as u64,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_that_doubles_with_each_level_of_the_arguments_is_too_much_work() {
        let twice = json!({ "allOf": [{ "$ref": "#" }, { "$ref": "#" }] });
        let schema = json!({ "properties": { "x": twice } });
        let nested = |depth| (0..depth).fold(json!(1), |inner, _| json!({ "x": inner }));
        assert!(steps(&schema, &nested(5)).unwrap() < 2_000);
        assert_eq!(steps(&schema, &nested(60)), Err(TooMuch));
        let narrow = json!({ "properties": { "x": { "$ref": "#" } } });
        assert!(steps(&narrow, &nested(100)).unwrap() < 2_000);
        assert_eq!(steps(&narrow, &nested(300)), Err(TooMuch), "too deep");
    }

    #[test]
    fn what_is_read_byte_by_byte_costs_by_its_length() {
        let long = json!("x".repeat(100_000));
        assert!(steps(&json!({ "type": "string" }), &long).unwrap() < 10);
        assert!(steps(&json!({ "pattern": "^(a+)+$" }), &long).unwrap() > 100_000);
        assert_eq!(steps(&json!({ "allOf": vec![json!({ "pattern": "x" }); 10] }), &long), Err(TooMuch));
        assert_eq!(steps(&json!({ "format": "regex" }), &long), Err(TooMuch));
        let items = json!(vec![7; 200_000]);
        assert_eq!(
            steps(&json!({ "uniqueItems": true, "items": { "enum": [1, 2, 3] } }), &items),
            Err(TooMuch)
        );
        assert!(steps(&json!({ "items": { "type": "integer" } }), &items).unwrap() < 500_000);
    }
}
