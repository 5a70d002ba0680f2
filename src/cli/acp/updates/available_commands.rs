//! `available_commands_update`: skills, custom commands and ready-made messages, each called as `/NAME`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::ui::commands::{self, COMMANDS, Fronts, Meaning};
use crate::ui::text::sanitize;
use crate::view::NamedCommand;

/// Most commands that are told.
const MOST: usize = 500;

/// All of them.
pub(in crate::cli::acp) fn all(callable: &[NamedCommand]) -> Value {
    let ready = COMMANDS.iter().filter(|row| is_message(row.name));
    let ready = ready.map(|row| command(row.name.trim_start_matches('/'), row.help, row.hint));
    // What a skill is to do stands behind its name, whatever its file says of that.
    let hint = |one: &NamedCommand| {
        let is_unsaid = one.is_skill && one.hint.is_empty();
        if is_unsaid { "what to do".to_owned() } else { one.hint.clone() }
    };
    // The editor would offer what cannot be called: a built-in command has the name, or a skill before it.
    let mut names = BTreeSet::new();
    let callable = callable.iter().filter(|one| !commands::is_built_in(&one.name) && names.insert(&one.name));
    let callable = callable.map(|one| command(&one.name, &one.description, &hint(one)));
    let all: Vec<Value> = ready.chain(callable).take(MOST).collect();
    json!({ "sessionUpdate": "available_commands_update", "availableCommands": all })
}

/// Whether a command of ours is a message to the model: an editor has its own ways for the others.
fn is_message(name: &str) -> bool {
    matches!(commands::read(name, Fronts::Lines), Some(Ok(Meaning::Init | Meaning::Review(_))))
}

fn command(name: &str, description: &str, hint: &str) -> Value {
    let input = (!hint.is_empty()).then(|| json!({ "hint": sanitize(hint) }));
    json!({ "name": sanitize(name), "description": sanitize(description), "input": input })
}
