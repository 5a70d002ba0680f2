//! The sub-agents that a session can start, as its model, its loop and a person know them.

use std::collections::BTreeMap;

use serde_json::json;

use super::lane::{is_lane, lanes};
use crate::agent::{IN_BACKGROUND, SubagentSpec, Subagents};
use crate::config::Config;
use crate::config::subagents::Subagent;
use crate::ledger::Limit;
use crate::tool::{DELEGATE_TO, SideEffect, ToolKind, ToolSpec};

/// The tools that start sub-agents.
pub(crate) fn tools(known: &[Subagent]) -> Vec<ToolSpec> {
    known.iter().filter(|one| !is_lane(one)).map(tool).collect()
}

fn tool(subagent: &Subagent) -> ToolSpec {
    ToolSpec {
        name: format!("{DELEGATE_TO}{}", subagent.name),
        description: format!(
            "A sub-agent; `@{}` in a message asks for it. {}",
            subagent.name, subagent.description
        ),
        schema: json!({
            "type": "object",
            "properties": {
                "task": {
                    "type": "string",
                    "minLength": 1,
                    "description": "All that it needs to know: it sees nothing of this conversation.",
                },
                IN_BACKGROUND: {
                    "type": "boolean",
                    "description": "Go on meanwhile; you are told when it is done.",
                },
            },
            "required": ["task"],
            "additionalProperties": false,
        }),
        // What it does is decided call by call in its own session.
        effect: SideEffect::Reads,
        kind: ToolKind::Subagent,
        paths: Vec::new(),
        timeout_ms: None,
        retrieves: false,
    }
}

/// As the loop knows them.
pub(crate) fn terms(known: &[Subagent], config: &Config) -> Subagents {
    let spec = |one: &Subagent| SubagentSpec {
        name: one.name.clone(),
        asks: one.turns.map(|turns| BTreeMap::from([(Limit::Turns, turns)])).unwrap_or_default(),
        mode: one.mode,
        in_background: one.in_background,
    };
    let most_at_once = config.subagents.most_at_once;
    Subagents { known: known.iter().map(spec).collect(), most_at_once, ..Subagents::default() }
}

/// Those that a session here can start: none where they are switched off, and none that has the name of an agent elsewhere.
pub(crate) fn known(config: &Config) -> Vec<Subagent> {
    if config.subagents.most_at_once == 0 {
        return Vec::new();
    }
    startable(config).cloned().chain(lanes()).collect()
}

/// Those that have no name of an agent elsewhere.
pub(super) fn startable(config: &Config) -> impl Iterator<Item = &Subagent> {
    config.subagents.all.iter().filter(|one| !config.agents.contains_key(&one.name))
}

/// Those that a person can name in a message, each with what it is for.
pub(crate) fn named(config: &Config) -> Vec<(String, String)> {
    let all = known(config).into_iter().filter(|one| !is_lane(one));
    all.map(|one| (one.name, one.description)).collect()
}
