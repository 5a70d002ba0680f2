//! Claude Code: `settings.json` of the user and of a project, and the servers of `.claude.json`.

use serde_json::{Map, Value};
use toml_edit::{Table, value};

use crate::hooks::HookPoint;
use crate::policy::{Mode, RuleKind};
use crate::tool::name::{EDIT, FETCH, GLOB, LIST, READ, SEARCH, SHELL, WRITE};

use super::counterparts::CLAUDE;
use super::found::{Found, MOST, Setting, mode};
use super::keys::told;
use super::{rules, servers};

/// Their kinds of rules.
const KINDS: [(&str, RuleKind); 3] =
    [("deny", RuleKind::Deny), ("ask", RuleKind::Ask), ("allow", RuleKind::Allow)];

/// What `settings.json` says.
pub(super) fn settings(found: &mut Found, all: &Map<String, Value>) {
    for (key, said) in all.iter().take(MOST) {
        match (key.as_str(), said) {
            ("permissions", Value::Object(said)) => permissions(found, said),
            ("hooks", _) if all.get("disableAllHooks") == Some(&Value::Bool(true)) => {
                found.note("hooks", "they are switched off there, by disableAllHooks");
            }
            ("hooks", Value::Object(said)) => hooks(found, said),
            ("effortLevel", Value::String(level)) => {
                found.add(Setting::Text("effort", level.clone()), "effortLevel");
            }
            ("model", Value::String(name)) if name.starts_with("claude-") => {
                found.add(Setting::Text("model", format!("anthropic/{name}")), "model");
            }
            ("model", _) => {
                found.note("model", "a short name means another model each year: choose one with -m")
            }
            ("statusLine", Value::Object(members)) => {
                match members.get("command").and_then(Value::as_str) {
                    Some(command) => {
                        found.add(Setting::Text("status_line", command.to_owned()), "statusLine");
                    }
                    None => found.note("statusLine", "it has no command"),
                }
                found.unread("statusLine", said, &["type", "command"], &[]);
            }
            ("env", _) => found.note_own(
                "env",
                "values are not copied, they may be keys: export them, and name them in tools.pass_env",
            ),
            ("$schema" | "disableAllHooks", _) => {}
            (other, _) => found.untranslated(other, CLAUDE, other),
        }
    }
}

/// What `~/.claude.json` says: of all that is in it, the servers.
pub(super) fn state(found: &mut Found, all: &Map<String, Value>) {
    if let Some(Value::Object(said)) = all.get("mcpServers") {
        servers::of_json(found, said);
    }
    let of_folders = all.get("projects").and_then(Value::as_object).into_iter().flatten();
    let has_servers =
        |said: &Value| said.get("mcpServers").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    for (folder, _) in of_folders.filter(|(_, said)| has_servers(said)).take(MOST) {
        found.note(
            &format!("the servers for {folder}"),
            "they hold in one folder only: add them to its .countersign/config.toml",
        );
    }
    let of_folders = all.get("projects").and_then(Value::as_object).into_iter().flatten();
    let has_rules = |said: &Value| {
        said.get("allowedTools").and_then(Value::as_array).is_some_and(|rules| !rules.is_empty())
    };
    for (folder, _) in of_folders.filter(|(_, said)| has_rules(said)).take(MOST) {
        found.note(
            &format!("allowedTools for {folder}"),
            "they hold in one folder only: add allow rules to its .countersign/config.toml",
        );
    }
}

fn permissions(found: &mut Found, said: &Map<String, Value>) {
    for (key, said) in said {
        let kind = KINDS.iter().find(|(name, _)| name == key).map(|(_, kind)| *kind);
        match (kind, said) {
            (Some(kind), Value::Array(all)) => {
                for written in all.iter().take(MOST) {
                    let text = written.as_str().unwrap_or_default();
                    match rules::translate(kind, text) {
                        Ok(rules) => found.add_rules(kind, rules, text),
                        Err(why) => found.note(&format!("{key} {}", told(&written.to_string())), &why),
                    }
                }
            }
            (None, Value::String(theirs)) if key == "defaultMode" => match theirs.as_str() {
                "default" => found.add(mode(Mode::Ask), "defaultMode"),
                "acceptEdits" => found.add(mode(Mode::Edit), "defaultMode"),
                "plan" => found.add(mode(Mode::Plan), "defaultMode"),
                _ => found.note(&format!("defaultMode {theirs}"), "choose a mode yourself: see /mode"),
            },
            _ if key == "additionalDirectories" => found.note_own(
                "permissions.additionalDirectories",
                "name them in tools.sandbox.writable: commands in the sandbox may write there, and other tools ask",
            ),
            (Some(_), _) => found.note(&format!("permissions.{key}"), "it is not a list"),
            _ => found.note(&format!("permissions.{key}"), "has no counterpart here"),
        }
    }
}

fn hooks(found: &mut Found, said: &Map<String, Value>) {
    for (event, groups) in said {
        let point = match event.as_str() {
            "SessionStart" => HookPoint::SessionStart,
            "UserPromptSubmit" => HookPoint::UserPrompt,
            "PreToolUse" => HookPoint::PreTool,
            "PostToolUse" => HookPoint::PostTool,
            "Stop" => HookPoint::Stop,
            "StopFailure" => HookPoint::StopFailure,
            "PreCompact" => HookPoint::PreCompact,
            "Notification" => HookPoint::Notification,
            other => {
                found.note(&format!("hooks of {other}"), "there is no such point here");
                continue;
            }
        };
        if !groups.is_array() {
            found.note(&format!("hooks of {event}"), "it is not a list");
        }
        for group in groups.as_array().into_iter().flatten().take(MOST) {
            found.unread(&format!("hooks of {event}"), group, &["matcher", "hooks"], &[]);
            let matcher = group.get("matcher").and_then(Value::as_str).unwrap_or_default();
            for hook in group.get("hooks").and_then(Value::as_array).into_iter().flatten().take(MOST) {
                one_hook(found, point, matcher, hook);
            }
        }
    }
}

fn one_hook(found: &mut Found, point: HookPoint, matcher: &str, hook: &Value) {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    let kind = hook.get("type").and_then(Value::as_str).unwrap_or("command");
    let called = if command.is_empty() { format!("of the type {kind}") } else { told(command) };
    let what = format!("the hook {called} of {}", point.event_name());
    if kind != "command" || command.is_empty() {
        return found.note(&what, "only hooks that are commands exist here");
    }
    if command.contains("CLAUDE_") {
        return found.note(
            &what,
            "it needs variables that are not set here, as CLAUDE_PROJECT_DIR: use a path from the workspace",
        );
    }
    let mut table = Table::new();
    table.insert("command", value(command));
    if point.is_about_a_tool() {
        match tools(matcher) {
            Ok(Some(names)) => drop(table.insert("matcher", value(names))),
            Ok(None) => {}
            Err(why) => return found.note(&what, &why),
        }
        found.note(&what, "check the script: tool_name is `shell` here where it was `Bash`, and tool_input has `path` for `file_path`");
    } else if !matches!(matcher, "" | "*") {
        return found.note(&what, "only hooks about tools have a matcher here");
    }
    if let Some(seconds) = hook.get("timeout").and_then(Value::as_u64) {
        table.insert("timeout_seconds", value(i64::try_from(seconds.clamp(1, 3600)).unwrap_or(60)));
    }
    found.unread(&what, hook, &["type", "command", "timeout"], &[]);
    found.add(Setting::Hook(point, table), &what);
}

/// A matcher in our names; none: it is every tool.
fn tools(matcher: &str) -> Result<Option<String>, String> {
    if matches!(matcher, "" | "*" | ".*") {
        return Ok(None);
    }
    let mut names = Vec::new();
    for name in matcher.split('|') {
        names.extend(match name.trim() {
            "Bash" => vec![SHELL],
            "Read" => vec![READ],
            "Edit" | "MultiEdit" | "Write" | "NotebookEdit" => vec![EDIT, WRITE],
            "Grep" => vec![SEARCH],
            "Glob" => vec![GLOB],
            "LS" => vec![LIST],
            "WebFetch" => vec![FETCH],
            name if name.starts_with("mcp__") => vec![name],
            other => return Err(format!("there is no tool here that its matcher could mean by {other}")),
        });
    }
    names.sort_unstable();
    names.dedup();
    Ok(Some(names.join("|")))
}
