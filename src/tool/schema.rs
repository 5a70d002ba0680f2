//! The tools of a session and the validation of what they are called with.

use std::{collections::BTreeMap, fmt};

use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use crate::ledger::Arguments;

use super::ToolSpec;

/// The tools a model can call, frozen for the session. Schemas are compiled when first needed.
#[derive(Debug, Default)]
pub struct Registry {
    tools: Vec<ToolSpec>,
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
        Self { tools, compiled: BTreeMap::new() }
    }

    /// Adds tools behind the others. One whose name is taken already is left out: what a name means never changes.
    pub fn add(&mut self, tools: Vec<ToolSpec>) {
        for tool in tools {
            if self.get(&tool.name).is_none() {
                self.tools.push(tool);
            }
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

    /// Checks arguments against the tool's schema.
    ///
    /// # Errors
    /// [`BadArguments`] names every violation and where it is.
    pub fn validate(&mut self, tool: &str, arguments: &Arguments) -> Result<(), BadArguments> {
        let Some(spec) = self.tools.iter().find(|t| t.name == tool) else {
            return Err(BadArguments(format!("there is no tool called {tool}")));
        };
        let value = match arguments {
            Arguments::Object(members) => Value::Object(members.clone()),
            Arguments::Unusable(text) => {
                return Err(BadArguments(format!("the arguments are not a JSON object: {}", excerpt(text))));
            }
        };
        if !self.compiled.contains_key(tool) {
            let validator = compile(&spec.schema)
                .map_err(|e| BadArguments(format!("the schema of {tool} itself is invalid: {e}")))?;
            self.compiled.insert(tool.to_owned(), validator);
        }
        let Some(validator) = self.compiled.get(tool) else { return Ok(()) };
        let faults: Vec<String> = validator
            .iter_errors(&value)
            .map(|e| {
                let place = e.instance_path().to_string();
                if place.is_empty() { e.to_string() } else { format!("{place}: {e}") }
            })
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(BadArguments(faults.join("; "))) }
    }
}

/// A schema that does not name its draft is read by draft 7, which has all that ours use: the rules that every schema
/// is held to are compiled with the first one of a process, and those of later drafts take many times as long.
fn compile(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    if schema.get("$schema").is_some() {
        jsonschema::validator_for(schema)
    } else {
        jsonschema::draft7::new(schema)
    }
}

/// Whether arguments can be checked by a schema that comes from elsewhere.
///
/// # Errors
/// Why not, in the words of the validator.
pub fn check_schema(schema: &Value) -> Result<(), String> {
    compile(schema).map(drop).map_err(|why| why.to_string())
}

/// Compiles what every schema of a process is held to, some tenths of a millisecond once: to be done while nobody waits.
pub fn warm_up() {
    compile(&Value::Bool(true)).map(drop).unwrap_or_default();
}

fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(200).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}
