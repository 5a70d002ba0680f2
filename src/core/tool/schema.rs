//! The tools of a session and the validation of what they are called with.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

use crate::ledger::{Arguments, ToolUse};
use crate::model::ToolDescription;

use super::measure::measure;
use super::name::mcp;
use super::portable::{Portable, portable, restore};
use super::steps::{MOST_STEPS, steps};
use super::{ToolKind, ToolSpec};

/// Most tools of a request: what OpenAI takes. A session's tools are frozen and its model can be changed, so that holds for
/// all providers.
const MOST_TOOLS: usize = 128;
/// Most names in a sentence on tools that are left out.
const MOST_NAMED: usize = 20;
/// Most faults that are named.
pub(super) const MOST_FAULTS: usize = 8;
/// Most characters of one.
pub(super) const MOST_FAULT_CHARS: usize = 500;
/// Most steps that a regular expression may go back. Only those with look-around or back-references go back at all.
const MOST_BACKTRACKS: usize = 20_000;
/// Deeper schemas are compiled only where the stack is large.
const MOST_LEVELS_HERE: usize = 48;
/// Most bytes of a compiled regular expression.
const MOST_PATTERN: usize = 4 << 20;

/// The tools a model can call, frozen for the session. Schemas are compiled when first needed.
#[derive(Debug, Default)]
pub struct Registry {
    tools: Vec<ToolSpec>,
    /// What models are told of each, in the same order.
    shown: Vec<Arc<ToolDescription>>,
    /// Those whose arguments have other names for models.
    renamed: BTreeSet<String>,
    compiled: BTreeMap<String, Validator>,
}

/// Why arguments were refused; a sentence that the model can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadArguments(pub String);

impl fmt::Display for BadArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Registry {
    /// A registry of these tools, in the order in which the model sees them.
    pub fn new(tools: Vec<ToolSpec>) -> Self {
        let mut registry = Self::default();
        for tool in tools {
            // Ours are fit for models; what a test makes up may be no schema at all.
            let made = portable(&tool.schema);
            let made = made.unwrap_or_else(|_| Portable { schema: tool.schema.clone(), is_renamed: false });
            registry.put(tool, made);
        }
        registry
    }

    fn put(&mut self, tool: ToolSpec, made: Portable) {
        let ToolSpec { name, description, .. } = &tool;
        if made.is_renamed {
            self.renamed.insert(name.clone());
        }
        let (name, description) = (name.clone(), description.clone());
        self.shown.push(ToolDescription::new(name, description, made.schema));
        self.tools.push(tool);
    }

    /// Adds tools behind the others, and says which of them are left out, a sentence each. One whose name is taken already
    /// is not added: what a name means never changes.
    pub fn add(&mut self, tools: Vec<ToolSpec>) -> Vec<String> {
        let mut left_out = Vec::new();
        let mut beyond = Vec::new();
        // There is room for every agent before there is for a server with hundreds of tools.
        let mut agents = tools.iter().filter(|tool| tool.kind == ToolKind::Delegate).count();
        for tool in tools {
            let is_agent = tool.kind == ToolKind::Delegate;
            agents -= usize::from(is_agent);
            if self.get(&tool.name).is_some() {
                continue;
            }
            if self.tools.len() + agents >= MOST_TOOLS {
                beyond.push(tool.name);
                continue;
            }
            match portable(&tool.schema) {
                Ok(made) => self.put(tool, made),
                Err(why) => left_out.push(format!("The tool {} is left out: {why}.", whose(&tool.name))),
            }
        }
        if !beyond.is_empty() {
            let more = beyond.len().saturating_sub(MOST_NAMED);
            let named: Vec<&str> = beyond.iter().take(MOST_NAMED).map(String::as_str).collect();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            left_out.push(format!(
                "At most {MOST_TOOLS} tools are sent to a provider, so these are left out: {}{more}.",
                named.join(", ")
            ));
        }
        left_out
    }

    /// What models are told of each tool, in order: with a schema that every provider takes.
    pub fn shown(&self) -> &[Arc<ToolDescription>] {
        &self.shown
    }

    /// Gives the arguments of a model's call the names that the tool itself has for them.
    pub fn restore(&self, call: &mut ToolUse) {
        if !self.renamed.contains(&call.name) {
            return;
        }
        if let (Some(tool), Arguments::Object(members)) = (self.get(&call.name), &mut call.arguments) {
            restore(&tool.schema, members);
        }
    }

    /// All tools, in order.
    pub fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.iter().find(|t| t.name == name)
    }

    /// What the tool of this name is, if there is one.
    pub fn kind(&self, name: &str) -> Option<ToolKind> {
        self.get(name).map(|tool| tool.kind)
    }

    /// Checks arguments as far as the loop's own thread may: all of them by the schemas of our own tools, which are known
    /// and small. Those for a tool of an MCP server are checked by its schema with the look at the call, off that thread.
    ///
    /// # Errors
    /// As [`Self::validate`].
    pub fn validate_here(&mut self, tool: &str, arguments: &Arguments) -> Result<(), BadArguments> {
        if self.kind(tool) == Some(ToolKind::Mcp) {
            Self::read(arguments).map(drop)
        } else {
            self.validate(tool, arguments)
        }
    }

    /// Checks what a person has written for a call that waits: all of it where the schema is not deep, so that they are
    /// told at once; the rest with the look.
    ///
    /// # Errors
    /// As [`Self::validate`].
    pub fn validate_edited(&mut self, tool: &str, arguments: &Arguments) -> Result<(), BadArguments> {
        let is_flat = |spec: &ToolSpec| measure(&spec.schema).is_ok_and(|levels| levels <= MOST_LEVELS_HERE);
        if self.get(tool).is_none_or(is_flat) {
            self.validate(tool, arguments)
        } else {
            self.validate_here(tool, arguments)
        }
    }

    fn read(arguments: &Arguments) -> Result<Value, BadArguments> {
        match arguments {
            Arguments::Object(members) => Ok(Value::Object(members.clone())),
            Arguments::Unusable(text) => {
                Err(BadArguments(format!("the arguments are not a JSON object: {}", excerpt(text, 200))))
            }
        }
    }

    /// Checks arguments against the tool's schema. How much work that is, is counted first: it is bounded whatever the
    /// schema and the arguments say.
    ///
    /// # Errors
    /// [`BadArguments`] names the first violations and where they are, or says that the check is too much work.
    pub fn validate(&mut self, tool: &str, arguments: &Arguments) -> Result<(), BadArguments> {
        let Some(spec) = self.tools.iter().find(|t| t.name == tool) else {
            return Err(BadArguments(format!("there is no tool {tool}")));
        };
        let value = Self::read(arguments)?;
        if !self.compiled.contains_key(tool) {
            let validator = usable(&spec.schema)
                .map_err(|why| BadArguments(format!("the schema of {tool} {why}, so it cannot be called")))?;
            self.compiled.insert(tool.to_owned(), validator);
        }
        if steps(&spec.schema, &value).is_err() {
            return Err(BadArguments(format!(
                "checking them against the schema of {tool} takes more than {MOST_STEPS} steps; call it \
                with less at once"
            )));
        }
        let Some(validator) = self.compiled.get(tool) else {
            debug_assert!(false, "the schema of {tool} was not compiled");
            return Err(BadArguments(format!("the schema of {tool} was not compiled; this is a bug")));
        };
        let faults = faults(validator, &value);
        if faults.is_empty() { Ok(()) } else { Err(BadArguments(faults.join("; "))) }
    }
}

/// A schema that does not name its draft is read by draft 7, which has all that ours use: the rules that every schema
/// is held to are compiled with the first one of a process, and those of later drafts take many times as long.
fn compile(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(MOST_BACKTRACKS).size_limit(MOST_PATTERN);
    let options =
        if schema.get("$schema").is_some() { jsonschema::options() } else { jsonschema::draft7::options() };
    options.with_pattern_options(patterns).build(schema)
}

/// The first violations, and where they are.
fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    let faults = validator.iter_errors(value).take(MOST_FAULTS).map(|e| {
        let (place, fault) = (e.instance_path().to_string(), excerpt(&e.to_string(), MOST_FAULT_CHARS));
        if place.is_empty() { fault } else { format!("{}: {fault}", excerpt(&place, 200)) }
    });
    faults.collect()
}

/// A schema is measured before it is compiled.
pub(super) fn usable(schema: &Value) -> Result<Validator, String> {
    measure(schema)?;
    compile(schema).map_err(|why| format!("cannot be used ({})", excerpt(&why.to_string(), MOST_FAULT_CHARS)))
}

/// Whether arguments can be checked by a schema that comes from elsewhere: it is one, and expands to no more than can be
/// checked. Bounded work, but not for the thread of the loop, and with a stack of some megabytes.
///
/// # Errors
/// Why not: completes the sentence "its schema …".
pub fn check_schema(schema: &Value) -> Result<(), String> {
    usable(schema).map(drop)
}

/// Compiles what every schema of a process is held to, some tenths of a millisecond once: to be done while nobody waits.
pub fn warm_up() {
    compile(&Value::Bool(true)).map(drop).unwrap_or_default();
}

/// A tool for people: a server's by the server.
fn whose(name: &str) -> String {
    match mcp(name) {
        Some((server, tool)) => format!("`{tool}` of the MCP server `{server}`"),
        None => format!("`{name}`"),
    }
}

pub(super) fn excerpt(text: &str, most: usize) -> String {
    let short: String = text.chars().take(most).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::tool::SideEffect;

    fn tool(name: &str, schema: Value) -> ToolSpec {
        ToolSpec { schema, effect: SideEffect::Sends, ..ToolSpec::from_elsewhere(name) }
    }

    #[test]
    fn no_more_tools_are_sent_than_a_provider_takes_and_agents_come_first() {
        let mut registry = Registry::new(vec![tool("read", json!({}))]);
        let mut tools: Vec<ToolSpec> = (0..150).map(|n| tool(&format!("mcp__s__t{n}"), json!({}))).collect();
        tools.push(tool("delegate_to_writer", json!({})));
        let left_out = registry.add(tools);
        assert_eq!((registry.tools().len(), registry.shown().len()), (128, 128));
        assert_eq!(registry.tools().last().unwrap().name, "delegate_to_writer");
        assert_eq!(left_out.len(), 1);
        let words =
            "At most 128 tools are sent to a provider, so these are left out: mcp__s__t126, mcp__s__t127, ";
        assert!(
            left_out[0].starts_with(words) && left_out[0].ends_with(", mcp__s__t145 and 4 more."),
            "{left_out:?}"
        );
    }

    #[test]
    fn one_that_cannot_be_shown_is_named_and_the_others_are_checked_by_their_own_schema() {
        let mut registry = Registry::default();
        let points = json!({ "properties": { "$a": {}, "b": { "$ref": "#/properties/$a" } } });
        let odd = json!({ "type": "object", "properties": { "$filter": { "type": "string" } }, "required": ["$filter"] });
        let left_out = registry.add(vec![tool("mcp__s__points", points), tool("mcp__s__odd", odd)]);
        let words = "The tool `points` of the MCP server `s` is left out: its schema refers to a property \
            whose name no provider accepts.";
        assert_eq!(left_out, [words]);
        let shown = &registry.shown()[0].schema;
        assert_eq!(shown["properties"], json!({ "_filter": { "type": "string" } }));
        let mut call = ToolUse {
            id: crate::ledger::CallId(1),
            wire_id: String::new(),
            name: "mcp__s__odd".to_owned(),
            arguments: Arguments::parse(r#"{"_filter":"x"}"#),
        };
        assert!(registry.validate(&call.name, &call.arguments).is_err());
        registry.restore(&mut call);
        assert_eq!(call.arguments, Arguments::parse(r#"{"$filter":"x"}"#));
        assert!(registry.validate(&call.name, &call.arguments).is_ok());
    }

    fn registry(schema: Value) -> Registry {
        let tool = ToolSpec::from_elsewhere("mcp__s__t");
        Registry::new(vec![ToolSpec { schema, effect: SideEffect::Reads, ..tool }])
    }

    fn said(schema: Value, arguments: Value) -> String {
        registry(schema).validate("mcp__s__t", &Arguments::from_value(arguments)).unwrap_err().0
    }

    #[test]
    fn too_much_work_is_refused_and_what_is_deep_is_not() {
        let twice = json!({ "properties": { "x": { "allOf": [{ "$ref": "#" }, { "$ref": "#" }] } } });
        let nested = (0..60).fold(json!({}), |inner, _| json!({ "x": inner }));
        assert!(said(twice, nested.clone()).contains("more than 1000000 steps"));
        let narrow = json!({ "properties": { "x": { "allOf": [{ "$ref": "#" }] } } });
        let deepest = (0..60).fold(nested, |inner, _| json!({ "x": inner }));
        registry(narrow).validate("mcp__s__t", &Arguments::from_value(deepest)).unwrap();
        let doubled: Map<String, Value> = (0..32)
            .map(|n| {
                (
                    format!("a{n}"),
                    json!({ "anyOf": vec![json!({ "$ref": format!("#/$defs/a{}", n + 1) }); 2] }),
                )
            })
            .chain([("a32".to_owned(), json!({}))])
            .collect();
        let doubled = json!({ "$defs": doubled, "properties": { "x": { "$ref": "#/$defs/a0" } } });
        assert!(said(doubled, json!({ "x": 1 })).contains("expands to more than 4096 parts"));
    }

    #[test]
    fn regular_expressions_go_back_a_bounded_way_and_have_a_bounded_size() {
        let evil = json!({ "properties": { "x": { "pattern": "^(?=(a+)+$)(a+)+b$" } } });
        assert!(said(evil, json!({ "x": "a".repeat(5_000) })).starts_with("/x: "));
        let large = json!({ "properties": { "x": { "pattern": "(\\p{L}{900}){900}" } } });
        assert!(said(large, json!({ "x": "a" })).contains("cannot be used"));
        let usual =
            json!({ "properties": { "x": { "pattern": "^(?!\\.)(?!.*\\.\\.)[\\p{L}0-9_.+-]{1,32}@x$" } } });
        registry(usual).validate("mcp__s__t", &Arguments::from_value(json!({ "x": "a.b@x" }))).unwrap();
    }

    #[test]
    fn faults_are_few_and_short() {
        let schema = json!({ "additionalProperties": { "type": "integer" } });
        let many: Map<String, Value> =
            (0..500).map(|n| (format!("x{n}"), json!("y".repeat(2_000)))).collect();
        let said = said(schema, Value::Object(many));
        assert_eq!(said.matches("; ").count(), 7);
        assert!(said.len() < 6_000, "{}", said.len());
    }
}
