//! The replies of the rehearsal: words, and the calls that carry out actions.

use serde_json::{Value, json};

use crate::tool::name::{EDIT, LIST, READ, SEARCH, SHELL, WRITE};
use crate::wire::script::{Reply, ScriptedCall};

use super::request::RehearsedAction;

/// An answer without calls.
pub(super) fn say(text: impl Into<String>) -> Reply {
    Reply { text: text.into(), ..Reply::default() }
}

/// An answer with calls.
pub(super) fn propose(text: impl Into<String>, actions: &[RehearsedAction]) -> Reply {
    Reply { text: text.into(), calls: actions.iter().map(call).collect(), ..Reply::default() }
}

fn call(action: &RehearsedAction) -> ScriptedCall {
    let (name, arguments) = match action {
        RehearsedAction::Read { path } => (READ, json!({ "path": path })),
        RehearsedAction::List { path: None } => (LIST, json!({})),
        RehearsedAction::List { path: Some(path) } => (LIST, json!({ "path": path })),
        RehearsedAction::Search { text, path } => (SEARCH, search(text, path.as_deref())),
        RehearsedAction::Run { command } => (SHELL, json!({ "command": command })),
        RehearsedAction::Change { from, to, path } => {
            (EDIT, json!({ "path": path, "edits": [{ "old_text": from, "new_text": to }] }))
        }
        RehearsedAction::Write { path, content } => (WRITE, json!({ "path": path, "content": content })),
    };
    ScriptedCall { wire_id: String::new(), name: name.to_owned(), arguments: arguments.to_string() }
}

/// The tool takes a regular expression; here a text means itself.
fn search(text: &str, path: Option<&str>) -> Value {
    let mut pattern = String::new();
    for character in text.chars() {
        if "\\()[]{}*+?|^$".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    match path {
        None => json!({ "pattern": pattern }),
        Some(path) => json!({ "pattern": pattern, "path": path }),
    }
}
