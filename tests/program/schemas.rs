//! The schemas of our tools: valid by the draft that they are compiled by, and by the newest, which models know. What the
//! system prompt says of the tools is what they are.

use std::collections::{BTreeMap, BTreeSet};

use countersign::runtime::{echo_spec, tool_specs};
use serde_json::Value;

const PROMPT: &str = include_str!("../../assets/prompts/system.md");

#[test]
fn every_schema_is_valid_by_both_drafts() {
    for tool in tool_specs().into_iter().chain([echo_spec()]) {
        assert!(jsonschema::draft7::meta::is_valid(&tool.schema), "{}", tool.name);
        assert!(jsonschema::draft202012::meta::is_valid(&tool.schema), "{}", tool.name);
        assert_eq!(tool.schema["type"], "object", "{}", tool.name);
    }
}

/// The parameters of each tool, those of nested objects too.
fn parameters() -> BTreeMap<String, BTreeSet<String>> {
    fn collect(schema: &Value, names: &mut BTreeSet<String>) {
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            names.insert(name.clone());
            collect(inner, names);
        }
        if let Some(items) = schema.get("items") {
            collect(items, names);
        }
    }
    let of = |schema: &Value| {
        let mut names = BTreeSet::new();
        collect(schema, &mut names);
        names
    };
    tool_specs().into_iter().map(|tool| (tool.name, of(&tool.schema))).collect()
}

/// The names that a text has between backticks; a command or a path is none.
fn named(text: &str) -> BTreeSet<&str> {
    let is_name = |word: &&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    text.split('`').skip(1).step_by(2).filter(is_name).collect()
}

/// The items of the section on tools, each a paragraph.
fn items() -> Vec<&'static str> {
    let (_, section) = PROMPT.split_once("# Tools\n- ").unwrap();
    section.split("\n\n").next().unwrap().split("\n- ").collect()
}

#[test]
fn the_system_prompt_names_tools_and_parameters_that_there_are() {
    let parameters = parameters();
    let mut described = BTreeSet::new();
    for item in items() {
        let names = named(item);
        let (tools, others): (Vec<&str>, Vec<&str>) =
            names.into_iter().partition(|name| parameters.contains_key(*name));
        assert!(item.starts_with(&format!(
            "`{}`",
            tools.iter().find(|t| item.starts_with(&format!("`{t}`"))).unwrap()
        )));
        for name in others {
            assert!(tools.iter().any(|tool| parameters[*tool].contains(name)), "`{name}` in: {item}");
        }
        described.extend(tools);
    }
    let all: BTreeSet<&str> = parameters.keys().map(String::as_str).collect();
    assert_eq!(described, all, "each tool is described");
    // Nothing that looks like a name stands outside of backticks, and what is named elsewhere is a tool.
    let spoken: String = PROMPT.split('`').step_by(2).collect();
    assert!(!spoken.contains('_'), "a name without backticks");
    let (before, rest) = PROMPT.split_once("# Tools").unwrap();
    let (_, after) = rest.split_once("# Results").unwrap();
    for name in named(before).union(&named(after)) {
        assert!(all.contains(name), "`{name}`");
    }
}

#[test]
fn the_system_prompt_names_every_parameter_of_the_tools_that_need_explaining() {
    let parameters = parameters();
    for tool in ["shell", "shell_output", "shell_kill", "ask"] {
        let items = items();
        let item = items.iter().rfind(|item| named(item).contains(tool)).unwrap();
        for name in &parameters[tool] {
            assert!(named(item).contains(name.as_str()), "`{name}` of {tool}");
        }
    }
}
