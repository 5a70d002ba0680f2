//! `tool_call` and `tool_call_update`: a call, what it is about, how it stands, what it wrote, and who allowed it.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::texts::{fenced, one_row, quoted, text};
use super::unified_diff::hunks;
use crate::agent::CallAddress;
use crate::cli::acp::methods::session_request_permission::about;
use crate::cli::told_subagents::calls;
use crate::ledger::{
    ApprovalRequest, Arguments, CallId, Decision, EntryId, EscrowSettlement, Outcome, Preview, TaskState,
    ToolResult,
};
use crate::policy::LinePart;
use crate::tool::name::{
    ASK, EDIT, FETCH, GLOB, LIST, PLAN, READ, SEARCH, SHELL, SHELL_KILL, SHELL_OUTPUT, WRITE,
};
use crate::tool::{bound, rows};
use crate::ui::effect_words;
use crate::ui::text::sanitize;
use crate::view::{Panel, subject};

/// Characters of a title.
const TITLE: usize = 300;
/// Characters of the arguments in a request: more than any person reads, and a window can still draw it.
const ARGUMENTS: usize = 100_000;

/// An update about a call of a sub-agent: named by its address, titled by who makes it, with the call that started that one, since
/// several may have one name. `whose`: what is told of the sub-agent.
pub(in crate::cli::acp) fn of_subagent(
    mut update: Value,
    at: &CallAddress,
    name: &str,
    whose: Value,
) -> Value {
    put(&mut update, "toolCallId", json!(at.to_string()));
    if let Some(title) = update.get("title").and_then(Value::as_str) {
        let title = titled(&format!("{name} {}: {title}", calls(&at.path)));
        put(&mut update, "title", json!(title));
    }
    if let Some(members) = update.as_object_mut() {
        let meta = members.entry("_meta").or_insert_with(|| json!({}));
        put(meta, "countersign/subagent", whose);
    }
    update
}

/// The request of a sub-agent's call that acts in this worktree: a person has to see where.
pub(in crate::cli::acp) fn in_worktree(mut request: Value, folder: Option<&Path>) -> Value {
    let content = request.get_mut("content").and_then(Value::as_array_mut);
    if let (Some(folder), Some(content)) = (folder, content) {
        content.push(text(&format!("In the worktree {}", quoted(&folder.display().to_string()))));
    }
    request
}

/// A title; one that is cut says so.
fn titled(words: &str) -> String {
    let title = one_row(words);
    if title.chars().count() <= TITLE {
        return title;
    }
    title.chars().take(TITLE - 1).chain(['…']).collect()
}

/// Nothing more comes of a call: whoever made it is over.
pub(in crate::cli::acp) fn forsaken() -> Value {
    json!({ "sessionUpdate": "tool_call_update", "status": "failed" })
}

/// A call was made.
pub(in crate::cli::acp) fn begun(cwd: &Path, panel: &Panel) -> Value {
    let mut update = described(cwd, panel);
    put(&mut update, "sessionUpdate", json!("tool_call"));
    put(&mut update, "status", json!("pending"));
    update
}

/// What a call is about: in its first update, and where it is asked about.
fn described(cwd: &Path, panel: &Panel) -> Value {
    let id = panel.id().map(|id| id.to_string()).unwrap_or_default();
    let title = titled(format!("{} {}", panel.name(), subject(panel)).trim_end());
    json!({
        "toolCallId": id,
        "title": title,
        "kind": kind(panel.name()),
        "locations": locations(cwd, panel),
        "rawInput": panel.arguments().map(raw),
        "_meta": { "countersign/tool": panel.name() },
    })
}

/// The call of a request, with all that a person has to see before a decision.
pub(in crate::cli::acp) fn asked(
    cwd: &Path,
    panel: &Panel,
    entry: EntryId,
    asked: &ApprovalRequest,
) -> Value {
    let mut update = described(cwd, panel);
    put(&mut update, "status", json!("pending"));
    put(&mut update, "content", Value::Array(shown(cwd, panel, asked)));
    put(
        &mut update,
        "_meta",
        json!({ "countersign/tool": panel.name(), "countersign/approval": about(entry, panel, asked) }),
    );
    update
}

/// What is asked about, and why.
fn shown(cwd: &Path, panel: &Panel, asked: &ApprovalRequest) -> Vec<Value> {
    let mut content = match &asked.preview {
        Preview::Diff(diff) => diffs(cwd, asked, diff),
        Preview::Command(command) => vec![fenced(command)],
        Preview::Recipient(_) => arguments(&asked.arguments),
        // Its question and its choices are the words and the options of the request.
        Preview::None if asked.name == ASK => Vec::new(),
        Preview::None => arguments(&asked.arguments),
    };
    match &asked.preview {
        Preview::Command(_) => {
            let beside = asked.beside_command().into_iter();
            let told: Vec<String> = beside.map(|(name, value)| format!("{name}: {value}")).collect();
            content.extend((!told.is_empty()).then(|| fenced(&bound(&told.join("\n"), ARGUMENTS).text)));
            content.extend(parts(panel));
        }
        Preview::Recipient(address) => content.push(text(&format!("Sent to {}", quoted(address)))),
        Preview::Diff(_) | Preview::None => {}
    }
    let mut words = vec![format!("{}: {}", effect_words::does(asked), quoted(&asked.why))];
    words.extend(asked.leads_to.as_ref().map(|to| format!("Leads to {}", quoted(to))));
    words.extend(asked.warning.as_ref().map(|warning| format!("Warning: {}", quoted(warning))));
    if asked.is_partial {
        content.extend(arguments(&asked.arguments));
        words.push(
            "The diff leaves out a part of the change: the arguments of the call have all of it.".to_owned(),
        );
    }
    if asked.name == ASK {
        // The model's words alone: unfenced, they could pass for ours beside the choices.
        let question = asked.arguments.get("question").and_then(Value::as_str).unwrap_or_default();
        content.push(fenced(question));
        return content;
    }
    content.push(text(&sanitize(&words.join("\n\n"))));
    content
}

/// What each command of a line does, where one of them does what cannot be taken back.
fn parts(panel: &Panel) -> Vec<Value> {
    let row = |part: &LinePart| {
        let to = part.to.as_ref().map(|to| format!(" to {}", one_row(to))).unwrap_or_default();
        format!("{}{to}: {}", part.does(), one_row(&part.text))
    };
    let rows: Vec<String> = effect_words::parts(panel).iter().map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    vec![text("What each command of it does:"), fenced(&bound(&rows.join("\n"), ARGUMENTS).text)]
}

/// What a call would be made with, as a text: not every editor shows `rawInput`, and what is allowed has to be seen.
fn arguments(given: &Value) -> Vec<Value> {
    if given.as_object().is_some_and(serde_json::Map::is_empty) {
        return vec![text("No arguments")];
    }
    let bounded = bound(&format!("{given:#}"), ARGUMENTS);
    let cut = (bounded.cut_chars > 0).then(|| {
        text(&format!(
            "{} characters of the arguments are not shown here: `rawInput` of the call has all of them.",
            bounded.cut_chars
        ))
    });
    [fenced(&bounded.text)].into_iter().chain(cut).collect()
}

fn diffs(cwd: &Path, asked: &ApprovalRequest, diff: &str) -> Vec<Value> {
    let used = asked.used();
    let Some(path) = used.text("path") else { return vec![fenced(diff)] };
    let path = absolute(cwd, path);
    let one = |old: Option<String>, new: String| {
        let old = old.as_deref().map(legible);
        json!({ "type": "diff", "path": path, "oldText": old, "newText": legible(&new) })
    };
    let all: Vec<Value> = hunks(diff).into_iter().map(|hunk| one(hunk.old, hunk.new)).collect();
    if all.is_empty() { vec![fenced(diff)] } else { all }
}

/// A call runs.
pub(in crate::cli::acp) fn running(call: CallId) -> Value {
    json!({ "sessionUpdate": "tool_call_update", "toolCallId": call.to_string(), "status": "in_progress" })
}

/// What a running call has written so far: the last lines.
pub(in crate::cli::acp) fn output(call: CallId, panel: &Panel) -> Value {
    let written: Vec<&str> = panel.written().collect();
    let written = written.join("\n");
    json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": call.to_string(),
        "status": "in_progress",
        "content": [fenced(&written)],
    })
}

/// What a sub-agent in the background came to, of which the result of its call could not tell.
pub(in crate::cli::acp) fn reported(settled: &EscrowSettlement) -> Option<Value> {
    let answer = settled.answer.as_ref()?;
    let is_done = settled.state == TaskState::Completed;
    Some(json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": settled.call.to_string(),
        "status": if is_done { "completed" } else { "failed" },
        "content": [fenced(answer)],
    }))
}

/// Who decided about a call, and about exactly what: the receipt.
pub(in crate::cli::acp) fn decided(entry: EntryId, decision: &Decision) -> Value {
    json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": decision.call.to_string(),
        "_meta": { "countersign/receipt": {
            "entry": entry.to_string(),
            "call": decision.call.to_string(),
            "decision": if decision.allow { "allow" } else { "deny" },
            "by": decision.by.as_str(),
            "scope": decision.scope.as_str(),
            "rule": decision.rule,
            "reason": decision.reason,
            "digest": decision.digest,
            "cwd": decision.cwd,
            "key": decision.key,
            "sandboxed": decision.sandboxed,
        } },
    })
}

/// A call has its result.
pub(in crate::cli::acp) fn ended(cwd: &Path, panel: &Panel, entry: EntryId, result: &ToolResult) -> Value {
    let is_ok = result.outcome == Outcome::Ok;
    let change = if is_ok { changes(cwd, panel) } else { Vec::new() };
    // What a change says besides itself, where it did not begin with the file.
    let is_silent = !change.is_empty() && !result.facts.is_from_editor;
    let mut content = change;
    content.extend((!is_silent).then(|| words(result)));
    content.extend(result.images.iter().map(|image| {
        let picture = json!({ "type": "image", "mimeType": image.media_type, "data": &*image.data });
        json!({ "type": "content", "content": picture })
    }));
    json!({
        "sessionUpdate": "tool_call_update",
        "toolCallId": result.call.to_string(),
        "status": if is_ok { "completed" } else { "failed" },
        "content": content,
        "rawOutput": {
            "outcome": result.outcome.as_str(),
            "ended": result.facts.ended(),
            "durationMs": result.duration_ms,
        },
        "_meta": { "countersign/entry": entry.to_string() },
    })
}

/// What a result says: of a command all that it wrote, as a terminal would show it.
fn words(result: &ToolResult) -> Value {
    match &result.written {
        Some(written) => {
            let lines: Vec<String> = rows(written).iter().map(|row| row.text().to_owned()).collect();
            fenced(&lines.join("\n"))
        }
        None => fenced(&result.content),
    }
}

/// The change that a call has made: as it was asked about, or as its arguments say it.
fn changes(cwd: &Path, panel: &Panel) -> Vec<Value> {
    if let Some((_, asked)) = panel.request()
        && let Preview::Diff(diff) = &asked.preview
    {
        return diffs(cwd, asked, diff);
    }
    let (EDIT, Some(Arguments::Object(members))) = (panel.name(), panel.arguments()) else {
        return Vec::new();
    };
    let path = members.get("path").and_then(Value::as_str).map(|path| absolute(cwd, path));
    let edits = members.get("edits").and_then(Value::as_array);
    let one = |edit: &Value| {
        let text = |name: &str| edit.get(name).and_then(Value::as_str);
        Some(json!({
            "type": "diff", "path": path.as_ref()?,
            "oldText": legible(text("old_text")?), "newText": legible(text("new_text")?),
        }))
    };
    edits.into_iter().flatten().filter_map(one).collect()
}

/// One side of a change, for reading: what reorders letters, cannot be seen or moves a terminal's cursor is written out.
fn legible(side: &str) -> String {
    side.split('\t').map(sanitize).collect::<Vec<_>>().join("\t")
}

fn put(update: &mut Value, member: &str, value: Value) {
    if let Some(members) = update.as_object_mut() {
        members.insert(member.to_owned(), value);
    }
}

fn raw(arguments: &Arguments) -> Value {
    match arguments {
        Arguments::Object(members) => Value::Object(members.clone()),
        Arguments::Unusable(text) => Value::String(text.clone()),
    }
}

/// What a tool does, in the words of the protocol.
fn kind(tool: &str) -> &'static str {
    match tool {
        READ => "read",
        LIST | GLOB | SEARCH => "search",
        EDIT | WRITE => "edit",
        SHELL | SHELL_OUTPUT | SHELL_KILL => "execute",
        FETCH => "fetch",
        PLAN => "think",
        _ => "other",
    }
}

/// The file that a call is about, so that an editor can follow: where its path leads, once that is known.
fn locations(cwd: &Path, panel: &Panel) -> Vec<Value> {
    let used = panel.request().map(|(_, asked)| asked.used());
    let Some(arguments) = used.as_ref().or(panel.arguments()) else { return Vec::new() };
    let Some(path) = arguments.text("path") else { return Vec::new() };
    let line = match arguments {
        Arguments::Object(members) => members.get("offset").and_then(Value::as_u64),
        Arguments::Unusable(_) => None,
    };
    let line = line.and_then(|line| u32::try_from(line).ok());
    vec![json!({ "path": absolute(cwd, path), "line": line })]
}

fn absolute(cwd: &Path, path: &str) -> PathBuf {
    cwd.join(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_hides_nothing_and_a_title_says_that_it_is_cut() {
        assert_eq!(legible("if a\u{202e}b {\n\tx\u{1b}[2J\n"), "if a\\u{202e}b {\n\tx^[[2J\n");
        assert_eq!(titled("shell a\n\n# b"), "shell a  # b");
        assert_eq!(titled(&"a".repeat(TITLE)), "a".repeat(TITLE));
        assert_eq!(titled(&"a".repeat(TITLE + 1)), format!("{}…", "a".repeat(TITLE - 1)));
    }

    #[test]
    fn arguments_are_shown_whole_and_a_cut_is_said() {
        let said = |given: Value| {
            let shown = arguments(&given);
            shown.iter().map(|one| one["content"]["text"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(said(json!({})), ["No arguments"]);
        assert_eq!(said(json!({ "to": "a ``` b" })), ["````\n{\n  \"to\": \"a ``` b\"\n}\n````"]);
        let long = said(json!({ "body": "x".repeat(ARGUMENTS + 10) }));
        assert_eq!(long.len(), 2);
        assert!(long[0].contains("characters cut") && long[0].chars().count() < ARGUMENTS + 100);
        assert!(long[1].contains("are not shown here"), "{}", long[1]);
    }
}
