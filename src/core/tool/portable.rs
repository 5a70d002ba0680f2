//! The schema of a tool as every provider takes it, and the way back from what a model then writes.
//!
//! One tool that a provider does not take makes it refuse every request. What is checked is always the tool's own schema;
//! what is changed here is only what models are shown.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

/// Members that say more than a list of properties does: refused at the root.
const COMBINED: [&str; 3] = ["allOf", "anyOf", "oneOf"];
/// Members that are refused at the root, or that name what only a validator needs.
const NOT_AT_ROOT: [&str; 4] = ["enum", "not", "$schema", "$id"];
/// Members that hold one schema.
const ONE: [&str; 9] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
];
/// Members that hold a list of schemas.
const MANY: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Members that hold schemas by name.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Most characters of a property's name.
const MOST_NAME: usize = 64;
/// Deepest nesting that names are looked for in.
const MOST_DEPTH: usize = 64;
/// Most names of one schema that get another one. Those of real tools need some, written in another alphabet for one.
const MOST_RENAMED: usize = 500;
/// How many names are looked up in the time of one step.
const LOOKUPS: usize = 32;
/// Most places of a schema that are looked at to find the names of one call's arguments.
const MOST_STEPS: usize = 20_000;

/// A schema as models are shown it.
#[derive(Debug, Clone, PartialEq)]
pub struct Portable {
    /// An object without a combination at its root, every array with items, every name one that providers take.
    pub schema: Value,
    /// Whether a property got another name: then [`restore`] is needed.
    pub is_renamed: bool,
}

/// The schema for models.
///
/// # Errors
/// Why there is none, after "is left out:".
pub fn portable(own: &Value) -> Result<Portable, String> {
    let Value::Object(members) = own else { return Err("its schema is not an object".to_owned()) };
    let mut root = members.clone();
    flatten(&mut root, own);
    for member in NOT_AT_ROOT {
        root.remove(member);
    }
    root.insert("type".to_owned(), json!("object"));
    root.entry("properties").or_insert_with(|| json!({}));
    let mut schema = Value::Object(root);
    let mut renamed = 0;
    adapt(&mut schema, &mut renamed);
    if renamed > MOST_RENAMED {
        return Err(
            "its schema has more property names that no provider accepts than can be replaced".to_owned()
        );
    }
    let is_renamed = renamed > 0;
    if is_renamed && points_into_properties(&schema) {
        return Err("its schema refers to a property whose name no provider accepts".to_owned());
    }
    Ok(Portable { schema, is_renamed })
}

/// Puts the properties of all branches beside those of the root. What is required in each of several branches only is not
/// required here: the model is told when its call is checked.
fn flatten(root: &mut Map<String, Value>, own: &Value) {
    let all_branches = COMBINED.map(|member| (member, root.remove(member)));
    // By address: many branches can refer to the same one, and again it adds nothing.
    let mut merged = BTreeSet::new();
    let mut merge_once = |branch: &Value, is_required: bool| {
        if merged.insert((std::ptr::from_ref(branch).addr(), is_required)) {
            merge(root, branch, is_required);
        }
    };
    for (member, branches) in &all_branches {
        for branch in branches.iter().filter_map(Value::as_array).flatten() {
            let branch = target(branch, own);
            if !branch.is_object() {
                continue;
            }
            for nested in COMBINED {
                let inner = branch.get(nested).and_then(Value::as_array).into_iter().flatten();
                inner.for_each(|inner| {
                    merge_once(target(inner, own), nested == "allOf" && *member == "allOf")
                });
            }
            merge_once(branch, *member == "allOf");
        }
    }
}

fn merge(root: &mut Map<String, Value>, branch: &Value, is_required: bool) {
    let properties = root.entry("properties").or_insert_with(|| json!({}));
    if let (Value::Object(all), Some(Value::Object(more))) = (properties, branch.get("properties")) {
        for (name, schema) in more {
            match all.get_mut(name) {
                None => drop(all.insert(name.clone(), schema.clone())),
                Some(known) if known == schema => {}
                Some(known) => match known.get_mut("anyOf").and_then(Value::as_array_mut) {
                    Some(ways) if !ways.contains(schema) => ways.push(schema.clone()),
                    Some(_) => {}
                    None => *known = json!({ "anyOf": [known.clone(), schema] }),
                },
            }
        }
    }
    if !is_required {
        return;
    }
    let required = root.entry("required").or_insert_with(|| json!([]));
    if let (Value::Array(all), Some(Value::Array(more))) = (required, branch.get("required")) {
        let known: BTreeSet<&str> = all.iter().filter_map(Value::as_str).collect();
        let is_new = |name: &&Value| name.as_str().is_none_or(|name| !known.contains(name));
        let new: Vec<Value> = more.iter().filter(is_new).cloned().collect();
        all.extend(new);
    }
}

/// The schema that a reference within the same schema leads to, or the schema itself.
fn target<'s>(schema: &'s Value, root: &'s Value) -> &'s Value {
    let pointer = schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
    pointer.and_then(|pointer| root.pointer(pointer)).unwrap_or(schema)
}

/// Makes every part of a schema one that providers take.
fn adapt(schema: &mut Value, renamed: &mut usize) {
    let Value::Object(members) = schema else {
        // `true` takes everything, and so does `{}`; `false` takes nothing.
        let nothing = *schema == Value::Bool(false);
        *schema = if nothing { json!({ "not": {} }) } else { json!({}) };
        return;
    };
    for member in ["$schema", "$id", "$comment"] {
        if members.get(member).is_some_and(Value::is_string) {
            members.remove(member);
        }
    }
    older_bounds(members);
    rename(members, renamed);
    // A list in the place of items is of older drafts.
    if let Some(Value::Array(ways)) = members.get_mut("items") {
        let ways = std::mem::take(ways);
        members
            .insert("items".to_owned(), if ways.is_empty() { json!({}) } else { json!({ "anyOf": ways }) });
    }
    let is_array = match members.get("type") {
        Some(Value::String(kind)) => kind == "array",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
        _ => false,
    };
    if is_array && !members.get("items").is_some_and(Value::is_object) {
        members.insert("items".to_owned(), json!({}));
    }
    for member in ONE {
        match members.get_mut(member) {
            Some(Value::Bool(_)) | None => {}
            Some(inner) => adapt(inner, renamed),
        }
    }
    for member in MANY {
        let inner = members.get_mut(member).and_then(Value::as_array_mut).into_iter().flatten();
        inner.for_each(|inner| adapt(inner, renamed));
    }
    for member in NAMED {
        let inner = members.get_mut(member).and_then(Value::as_object_mut).into_iter().flatten();
        inner.for_each(|(_, inner)| adapt(inner, renamed));
    }
}

/// `exclusiveMinimum: true` of draft 4 is no number, as later drafts want it.
fn older_bounds(members: &mut Map<String, Value>) {
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        match members.get(exclusive) {
            Some(Value::Bool(true)) => match members.remove(bound) {
                Some(number) => drop(members.insert(exclusive.to_owned(), number)),
                None => drop(members.remove(exclusive)),
            },
            Some(Value::Bool(false)) => drop(members.remove(exclusive)),
            _ => {}
        }
    }
}

fn rename(members: &mut Map<String, Value>, renamed: &mut usize) {
    let Some(Value::Object(properties)) = members.get_mut("properties") else { return };
    let unfit = properties.keys().filter(|name| !is_fit(name)).count();
    *renamed = renamed.saturating_add(unfit);
    if unfit == 0 || *renamed > MOST_RENAMED {
        return;
    }
    let names = renames(properties);
    if !names.values().all(|name| is_fit(name)) {
        *renamed = MOST_RENAMED + 1;
        return;
    }
    let shown = |name: &str| names.get(name).map_or_else(|| name.to_owned(), Clone::clone);
    *properties =
        std::mem::take(properties).into_iter().map(|(name, schema)| (shown(&name), schema)).collect();
    if let Some(Value::Array(required)) = members.get_mut("required") {
        for name in required {
            if let Value::String(name) = name {
                *name = shown(name);
            }
        }
    }
}

/// The names of properties that no provider takes, and what stands for each: always the same for the same properties.
fn renames(properties: &Map<String, Value>) -> BTreeMap<String, String> {
    let mut taken: BTreeSet<String> = properties.keys().filter(|name| is_fit(name)).cloned().collect();
    let mut renames = BTreeMap::new();
    // What comes next after each short name: all before it is taken.
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    for name in properties.keys().filter(|name| !is_fit(name)) {
        let plain = |c: char| if is_plain(c) { c } else { '_' };
        let short: String = name.chars().map(plain).take(MOST_NAME - 4).collect();
        let short = if short.is_empty() { "_".to_owned() } else { short };
        let number = numbers.entry(short.clone()).or_insert(1);
        let free = loop {
            let numbered = if *number == 1 { short.clone() } else { format!("{short}_{number}") };
            *number += 1;
            if !taken.contains(&numbered) {
                break numbered;
            }
        };
        taken.insert(free.clone());
        renames.insert(name.clone(), free);
    }
    renames
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

fn is_fit(name: &str) -> bool {
    !name.is_empty() && name.len() <= MOST_NAME && name.chars().all(is_plain)
}

fn points_into_properties(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(member, value)| match value {
            Value::String(to) if member == "$ref" => to.contains("/properties/"),
            value => points_into_properties(value),
        }),
        Value::Array(values) => values.iter().any(points_into_properties),
        _ => false,
    }
}

/// Gives the members of arguments the names that they have in the tool's own schema.
pub fn restore(own: &Value, arguments: &mut Map<String, Value>) {
    let mut whole = Value::Object(std::mem::take(arguments));
    Restoring { root: own, steps: 0, depth: 0, names: BTreeMap::new() }.at(own, &mut whole);
    if let Value::Object(restored) = whole {
        *arguments = restored;
    }
}

struct Restoring<'s> {
    root: &'s Value,
    steps: usize,
    depth: usize,
    /// What stands for the names of each list of properties, by its address: worked out once, however often it is applied.
    names: BTreeMap<usize, BTreeMap<String, String>>,
}

impl Restoring<'_> {
    fn at(&mut self, schema: &Value, value: &mut Value) {
        self.steps += 1;
        if self.steps > MOST_STEPS || self.depth >= MOST_DEPTH || !(value.is_object() || value.is_array()) {
            return;
        }
        self.depth += 1;
        self.follow(schema, value);
        self.depth -= 1;
    }

    fn follow(&mut self, schema: &Value, value: &mut Value) {
        let root = self.root;
        if schema.get("$ref").is_some() && !std::ptr::eq(target(schema, root), schema) {
            return self.at(target(schema, root), value);
        }
        let branches = MANY.iter().filter_map(|member| schema.get(member)?.as_array()).flatten();
        branches.for_each(|branch| self.at(branch, value));
        match value {
            Value::Array(values) => {
                if let Some(items) = schema.get("items").filter(|items| items.is_object()) {
                    values.iter_mut().for_each(|value| self.at(items, value));
                }
            }
            Value::Object(members) => self.members(schema, members),
            _ => {}
        }
    }

    fn members(&mut self, schema: &Value, members: &mut Map<String, Value>) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        let address = std::ptr::from_ref(properties).addr();
        let names = &*self.names.entry(address).or_insert_with(|| renames(properties));
        let fewest = members.len().min(properties.len());
        self.steps = self.steps.saturating_add((names.len() + fewest) / LOOKUPS);
        for (own, shown) in names {
            if !members.contains_key(own)
                && let Some(value) = members.remove(shown)
            {
                members.insert(own.clone(), value);
            }
        }
        if members.len() <= properties.len() {
            for (name, value) in members {
                if let Some(inner) = properties.get(name) {
                    self.at(inner, value);
                }
            }
        } else {
            for (name, inner) in properties {
                if let Some(value) = members.get_mut(name) {
                    self.at(inner, value);
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "portable_tests.rs"]
mod tests;
