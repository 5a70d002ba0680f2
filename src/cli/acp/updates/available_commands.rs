//! `available_commands_update`: skills, custom commands and ready-made messages, each called as `/NAME`.

use serde_json::{Value, json};

use crate::ui::commands::{self, COMMANDS, Fronts, Meaning};
use crate::ui::text::sanitize;
use crate::view::{NamedCommand, NamedSkill};

/// Most commands that are told.
const MOST: usize = 500;

/// All of them.
pub(in crate::cli::acp) fn all(skills: &[NamedSkill], custom: &[NamedCommand]) -> Value {
    let ready = COMMANDS.iter().filter(|row| is_message(row.name));
    let ready = ready.map(|row| command(row.name.trim_start_matches('/'), row.help, row.hint));
    let skills = skills.iter().map(|skill| command(&skill.name, &skill.description, "what to do"));
    let custom = custom.iter().map(|one| command(&one.name, &one.description, &one.hint));
    let all: Vec<Value> = ready.chain(skills).chain(custom).take(MOST).collect();
    json!({ "sessionUpdate": "available_commands_update", "availableCommands": all })
}

/// Whether a command of ours is a message to the model: an editor has its own ways for the others.
fn is_message(name: &str) -> bool {
    matches!(commands::read(name, Fronts::Lines), Some(Ok(Meaning::Say(_) | Meaning::Review(_))))
}

fn command(name: &str, description: &str, hint: &str) -> Value {
    let input = (!hint.is_empty()).then(|| json!({ "hint": sanitize(hint) }));
    json!({ "name": sanitize(name), "description": sanitize(description), "input": input })
}
