//! Whether a call would reach out of a branch, into the folder that the branch is a copy of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::agent::Answer;
use crate::config::fault::Fault;
use crate::ledger::{Arguments, Body, CallId, Entry, Sandboxing};
use crate::recorded::{Departure, Twist};
use crate::runtime::sandbox::support;
use crate::runtime::{PastPlaces, tool_specs};
use crate::session::file_history::called;
use crate::tool::{ToolKind, ToolSpec};

/// What goes otherwise in the copy: a call that is allowed beforehand stays out of the folder of the session. It was decided about there, and
/// is another action in the copy. A command runs in the sandbox, where it can write in the copy, whatever its line says; without a sandbox,
/// one that does not say where it goes is not allowed. What is edited is decided about as usual, and what is denied does nothing.
///
/// # Errors
/// What it would reach, or may.
pub(super) fn kept_in_copy(
    (twist, departure): (&Twist, &Departure),
    entries: &[Arc<Entry>],
    (folder, copy): (&Path, &Path),
    home: Option<PathBuf>,
) -> Result<Twist, Fault> {
    let Twist::Decides(call, Answer::AllowOnce) = twist else { return Ok(twist.clone()) };
    let Some((name, arguments)) = decided_about(entries, departure, *call) else { return Ok(twist.clone()) };
    let refused = |what: String| {
        Err(Fault::usage(
            format!(
                "{call} {what}, in the folder of the session itself, and the branch goes on in a copy of that folder"
            ),
            "change the call to a path in the branch with --edit, as in {\"path\":\"out.txt\"}, or branch with --here",
        ))
    };
    if let Some(what) = reached(&name, &arguments, (folder, copy), home) {
        return refused(format!("would reach {what}"));
    }
    let specs = tool_specs();
    let is_line = |spec: &ToolSpec| spec.name == name && spec.kind == ToolKind::Shell;
    match specs.iter().find(|spec| is_line(spec)).and_then(|_| arguments.text("command")) {
        None => Ok(twist.clone()),
        Some(_) if can_confine(entries, departure) => Ok(Twist::Decides(*call, Answer::AllowSandboxed)),
        Some(line) if goes_anywhere(line) => refused(
            "does not say where it goes, and there is no sandbox here, so it may reach files".to_owned(),
        ),
        Some(_) => Ok(twist.clone()),
    }
}

/// Whether the call can run in the sandbox here.
fn can_confine(entries: &[Arc<Entry>], departure: &Departure) -> bool {
    let request = entries.iter().find(|entry| Some(entry.id) == departure.request);
    let could_not = request.is_some_and(|entry| {
        matches!(&entry.body, Body::ApprovalRequested(asked) if asked.sandboxing == Sandboxing::Without)
    });
    !could_not && support().refuses(false).is_none()
}

/// Whether a line may go to a folder that does not stand in it.
fn goes_anywhere(line: &str) -> bool {
    let moves = |command: &str| {
        let words = command.split(|c: char| c.is_whitespace() || c == '\'' || c == '"');
        let mut words = words.filter(|word| !word.is_empty()).peekable();
        let mut moves = false;
        while let Some(word) = words.next() {
            let is_move = matches!(word, "cd" | "pushd" | "popd" | "chdir");
            moves |= is_move && words.peek().is_none_or(|to| to.starts_with(['/', '-']));
        }
        moves
    };
    let is_end = |c: char| ";&|()\n".contains(c);
    line.split(is_end).any(moves) || line.contains(['~', '$', '`', '\\']) || line.contains("..")
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

    use super::{goes_anywhere, names};

    #[test]
    fn a_folder_is_named_and_not_one_that_begins_like_it() {
        for text in ["/a/work", "cd /a/work && make", "x --out=/a/work/b", "cp x '/a/work'", "-I/a/work/"] {
            assert!(names(&json!({ "command": [text] }), "/a/work"), "{text}");
        }
        for text in ["/a/work-2/x", "/a/work.bak", "/a/works", "/a"] {
            assert!(!names(&json!({ "command": text }), "/a/work"), "{text}");
        }
    }

    #[test]
    fn a_line_that_does_not_say_where_it_goes_may_go_anywhere() {
        for line in [
            "touch ~/proj/made1",
            "touch $HOME/proj/made2",
            "cd ~/proj && touch made3",
            "touch `pwd`/../proj/x",
            "cd && touch proj/made5",
            "cd; touch proj/made5",
            "(cd /home && touch me/proj/x)",
            "cd - && touch x",
            "touch ~/\"proj\"/made7",
            "touch ../work/x",
        ] {
            assert!(goes_anywhere(line), "{line}");
        }
        for line in ["touch made.txt", "cd sub && make", "echo 'a b' > out.txt", "cargo test -- cd_x"] {
            assert!(!goes_anywhere(line), "{line}");
        }
    }
}
