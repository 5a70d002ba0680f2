//! The replies of the rehearsal: words, and the calls that carry out actions.

use serde_json::{Value, json};

use crate::tool::name::{EDIT, LIST, READ, SEARCH, SHELL, WRITE};
use crate::wire::script::{Reply, ScriptedCall};

use super::wish::Action;

/// An answer without calls.
pub(super) fn say(text: impl Into<String>) -> Reply {
    Reply { text: text.into(), ..Reply::default() }
}

/// An answer with calls.
pub(super) fn propose(text: impl Into<String>, actions: &[Action]) -> Reply {
    Reply { text: text.into(), calls: actions.iter().map(call).collect(), ..Reply::default() }
}

fn call(action: &Action) -> ScriptedCall {
    let (name, arguments) = match action {
        Action::Read { path } => (READ, json!({ "path": path })),
        Action::List { path: None } => (LIST, json!({})),
        Action::List { path: Some(path) } => (LIST, json!({ "path": path })),
        Action::Search { text, path } => (SEARCH, search(text, path.as_deref())),
        Action::Run { command } => (SHELL, json!({ "command": command })),
        Action::Change { from, to, path } => {
            (EDIT, json!({ "path": path, "edits": [{ "old_text": from, "new_text": to }] }))
        }
        Action::Write { path, content } => (WRITE, json!({ "path": path, "content": content })),
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
