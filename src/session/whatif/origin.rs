//! Whether a call would reach out of a branch, into the folder that the branch is a copy of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::agent::Answer;
use crate::config::fault::Fault;
use crate::ledger::{Arguments, Body, CallId, Entry};
use crate::recorded::{Departure, Twist};
use crate::runtime::{PastPlaces, tool_specs};
use crate::session::file_history::called;
use crate::tool::ToolKind;

/// That a call which is allowed beforehand stays out of the folder of the session. It was decided about there, and is another action in
/// the copy. What is edited is decided about as usual, and what is denied does nothing.
///
/// # Errors
/// What it would reach.
pub(super) fn stays_in_copy(
    (twist, departure): (&Twist, &Departure),
    entries: &[Arc<Entry>],
    (folder, copy): (&Path, &Path),
    home: Option<PathBuf>,
) -> Result<(), Fault> {
    let Twist::Decides(call, Answer::AllowOnce) = twist else { return Ok(()) };
    let Some((name, arguments)) = decided_about(entries, departure, *call) else { return Ok(()) };
    match reached(&name, &arguments, (folder, copy), home) {
        None => Ok(()),
        Some(what) => Err(Fault::usage(
            format!(
                "{call} would reach {what}, in the folder of the session itself, and the branch goes on in a copy of that folder"
            ),
            "change the call to a path in the branch with --edit, as in {\"path\":\"out.txt\"}, or branch with --here",
        )),
    }
}

/// The call as the decision was about it.
fn decided_about(entries: &[Arc<Entry>], departure: &Departure, call: CallId) -> Option<(String, Arguments)> {
    let request = entries.iter().find(|entry| Some(entry.id) == departure.request);
    if let Some(Body::ApprovalRequested(asked)) = request.map(|entry| &entry.body) {
        return Some((asked.name.clone(), Arguments::from_value(asked.arguments.clone())));
    }
    called(entries, call).map(|made| (made.name, made.arguments))
}

/// What of the folder the call would reach from within the copy.
fn reached(
    name: &str,
    arguments: &Arguments,
    (folder, copy): (&Path, &Path),
    home: Option<PathBuf>,
) -> Option<String> {
    let mut folders = vec![folder.to_owned()];
    folders.extend(folder.canonicalize().ok().filter(|real| real != folder));
    let is_inside = |path: &&String| folders.iter().any(|folder| Path::new(path).starts_with(folder));
    let found = PastPlaces::following_links(copy, home).look(name, arguments, None);
    if let Some(path) = found.leads_to.iter().find(is_inside) {
        return Some(path.clone());
    }
    // A command can go anywhere in it, and nobody knows what a tool from elsewhere takes for a path.
    let specs = tool_specs();
    let known = specs.iter().find(|spec| spec.name == name);
    if known.is_some_and(|spec| spec.kind != ToolKind::Shell) {
        return None;
    }
    let arguments = arguments.to_value();
    let is_named = |folder: &&PathBuf| names(&arguments, &folder.to_string_lossy());
    folders.iter().find(is_named).map(|folder| folder.display().to_string())
}

/// Whether a folder, or what is in it, stands in a text of a value.
fn names(value: &Value, folder: &str) -> bool {
    match value {
        Value::String(text) => text.match_indices(folder).any(|(at, _)| {
            let next = text.get(at + folder.len()..).and_then(|rest| rest.chars().next());
            // `work-2` and `work.bak` are other folders than `work`.
            !next.is_some_and(|next| next.is_alphanumeric() || matches!(next, '-' | '_' | '.'))
        }),
        Value::Array(items) => items.iter().any(|item| names(item, folder)),
        Value::Object(members) => members.values().any(|item| names(item, folder)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::names;

    #[test]
    fn a_folder_is_named_and_not_one_that_begins_like_it() {
        for text in ["/a/work", "cd /a/work && make", "x --out=/a/work/b", "cp x '/a/work'", "-I/a/work/"] {
            assert!(names(&json!({ "command": [text] }), "/a/work"), "{text}");
        }
        for text in ["/a/work-2/x", "/a/work.bak", "/a/works", "/a"] {
            assert!(!names(&json!({ "command": text }), "/a/work"), "{text}");
        }
    }
}
