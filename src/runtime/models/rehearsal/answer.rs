//! From what was asked, and what has happened since, to the next answer.

use serde_json::{Value, json};

use crate::model::Request;
use crate::wire::script::{Reply, ScriptedCall};

use super::round::{Round, since_user};
use super::wish::{RehearsedAction, Wish, understand};
use super::{report, tour, words};

/// What the rehearsal says to a request.
pub(super) fn answer(request: &Request) -> Reply {
    let (words, rounds) = since_user(request);
    let reply = match understand(words) {
        Wish::Tour => tour::step(&rounds),
        Wish::Help => say(words::help()),
        Wish::Explain => say(words::EXPLANATION.trim_end()),
        Wish::Unclear => say(words::not_understood(words)),
        Wish::Do(batches) => carry_out(&batches, &rounds),
    };
    only_what_exists(reply, request)
}

/// An answer without calls.
pub(super) fn say(text: impl Into<String>) -> Reply {
    Reply { text: text.into(), ..Reply::default() }
}

/// An answer with calls.
pub(super) fn propose(text: impl Into<String>, actions: &[RehearsedAction]) -> Reply {
    Reply { text: text.into(), calls: actions.iter().map(call).collect(), ..Reply::default() }
}

/// The next batch; a report when all are done or when one went wrong.
fn carry_out(batches: &[Vec<RehearsedAction>], rounds: &[Round]) -> Reply {
    let went_well = rounds.iter().flatten().all(super::round::CompletedCall::is_ok);
    match batches.get(rounds.len()) {
        Some(batch) if rounds.is_empty() => propose(format!("I'll {}.", words::plan(batch)), batch),
        Some(batch) if went_well => {
            propose(format!("That went well. Now I'll {}.", words::plan(batch)), batch)
        }
        Some(_) => {
            let left: Vec<RehearsedAction> = batches.iter().skip(rounds.len()).flatten().cloned().collect();
            let plan = words::plan(&left);
            say(format!("{}\n\nSo I stop here and did not {plan}.", report::report(rounds)))
        }
        None => say(report::report(rounds)),
    }
}

fn call(action: &RehearsedAction) -> ScriptedCall {
    let (name, arguments) = match action {
        RehearsedAction::Read { path } => ("read", json!({ "path": path })),
        RehearsedAction::List { path: None } => ("list", json!({})),
        RehearsedAction::List { path: Some(path) } => ("list", json!({ "path": path })),
        RehearsedAction::Search { text, path } => ("search", search(text, path.as_deref())),
        RehearsedAction::Run { command } => ("shell", json!({ "command": command })),
        RehearsedAction::Change { from, to, path } => {
            ("edit", json!({ "path": path, "edits": [{ "old_text": from, "new_text": to }] }))
        }
        RehearsedAction::Write { path, content } => ("write", json!({ "path": path, "content": content })),
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

/// A session may have other tools than these: then it says so instead of calling what is not there.
fn only_what_exists(reply: Reply, request: &Request) -> Reply {
    let is_there = |call: &ScriptedCall| request.tools.iter().any(|tool| tool.name == call.name);
    match reply.calls.iter().find(|call| !is_there(call)) {
        None => reply,
        Some(missing) => say(format!(
            "For that I would need the tool `{}`, which this session does not have. I did nothing.",
            missing.name
        )),
    }
}
