//! opencode: `opencode.json` of the user and of a project.

use std::path::Path;

use serde_json::{Map, Value};

use crate::config::commands;
use crate::config::fault::one_line;
use crate::policy::{Mode, Rule, RuleKind};
use crate::tool::name::{EDIT, FETCH, GLOB, LIST, READ, SEARCH, SHELL, WRITE};
use crate::ui::commands::is_built_in;

use super::counterparts::{Counterparts, OPENCODE, SERVER};
use super::found::{Found, FoundCommand, MOST, Setting};
use super::keys::{has_key_word, told};
use super::rules::paths;
use super::servers::{self, ServerEntry, pairs, texts};

/// What has a meaning in the header of such a command there, and none here.
const WITHOUT_EFFECT: Counterparts = &[
    ("agent", "has no effect in a command here"),
    ("model", "has no effect in a command here"),
    ("subtask", "has no effect in a command here"),
];
/// Providers that have the same name here.
const PROVIDERS: [&str; 3] = ["anthropic", "openai", "openrouter"];

/// What `opencode.json` says.
pub(super) fn settings(found: &mut Found, all: &Map<String, Value>) {
    for (key, said) in all.iter().take(MOST) {
        match (key.as_str(), said) {
            ("mcp", Value::Object(all)) => mcp(found, all),
            ("permission", Value::Object(all)) => permissions(found, all),
            ("permission", Value::String(decision)) => {
                found.note(&format!("permission: {decision}"), elsewhere("*"));
            }
            ("model", Value::String(name)) => {
                let is_known =
                    name.split_once('/').is_some_and(|(provider, _)| PROVIDERS.contains(&provider));
                match is_known {
                    true => found.add(Setting::Text("model", name.clone()), "model"),
                    false => found
                        .note("model", "its provider may have another name here: see `countersign models`"),
                }
            }
            ("command", Value::Object(all)) => {
                for (name, said) in all.iter().take(MOST) {
                    custom_command(found, name, said);
                }
            }
            ("$schema", _) => {}
            (other, _) => found.untranslated(other, OPENCODE, other),
        }
    }
}

/// A command, as a file of ours.
fn custom_command(found: &mut Found, name: &str, said: &Value) {
    let what = format!("command {name}");
    let member = |key: &str| said.get(key).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    let (template, description) = (member("template"), one_line(member("description")));
    let header = match description.as_str() {
        "" => String::new(),
        words => format!("---\ndescription: '{}'\n---\n", words.replace('\'', "''")),
    };
    let text = format!("{header}{template}\n");
    if has_key_word(&text) {
        return found.note(&what, "it may hold a key: write the file yourself, with a variable in its place");
    }
    if is_built_in(name) {
        return found.note(&what, "a command of this program has this name: give it another, in a file");
    }
    match commands::body_of(name, &text) {
        Ok(body) if body.trim() == template => {}
        Ok(_) => {
            return found.note(&what, "its template cannot be told from a header: write the file yourself");
        }
        Err(why) => return found.note(&what, &why),
    }
    // In a file below a folder of this name, the highest place takes the rest of the words, as it does there.
    let has_places = template.split('$').skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let folder = if has_places { "opencode" } else { "" };
    let below = Path::new(folder).join(format!("{name}.md"));
    found.unread(&what, said, &["template", "description"], WITHOUT_EFFECT);
    found.commands.push(FoundCommand { name: name.to_owned(), below, text });
}

fn mcp(found: &mut Found, all: &Map<String, Value>) {
    for (name, said) in all.iter().take(MOST) {
        let get = |key: &str| said.get(key);
        let server = ServerEntry {
            command: texts(get("command")),
            env: pairs(get("environment")),
            url: get("url").and_then(Value::as_str).map(str::to_owned),
            headers: pairs(get("headers")),
            enabled: get("enabled") != Some(&Value::Bool(false)),
            seconds: [None, None],
        };
        servers::add(found, name, server);
        let read = ["type", "command", "environment", "url", "headers", "enabled"];
        found.unread(&format!("the server {name}"), said, &read, SERVER);
    }
}

fn permissions(found: &mut Found, all: &Map<String, Value>) {
    for (at, (key, said)) in all.iter().take(MOST).enumerate() {
        let tools: &[&str] = match key.as_str() {
            "edit" => &[EDIT, WRITE],
            "read" => &[READ],
            "glob" => &[GLOB],
            "grep" => &[SEARCH],
            "list" => &[LIST],
            "bash" => &[SHELL],
            "webfetch" => &[FETCH],
            other => {
                found.note(&format!("permission {other}"), elsewhere(other));
                continue;
            }
        };
        match said {
            Value::String(decision) => {
                let what = format!("permission {key}: {decision}");
                let rules = tools.iter().map(|tool| (*tool).to_owned()).collect();
                let wider = (decision == "allow").then(|| wider(all, at, key)).flatten();
                match (kind(decision), wider) {
                    (None, _) => found.note(&format!("permission {key}"), "its decision is not known"),
                    (Some(_), Some(why)) => found.note(&what, &why),
                    (Some(kind), None) => found.add_rules(kind, rules, &what),
                }
            }
            Value::Object(patterns) if key == "bash" => {
                for (pattern, decision) in patterns.iter().take(MOST) {
                    command(found, pattern, decision.as_str().unwrap_or_default());
                }
            }
            Value::Object(patterns) if matches!(key.as_str(), "edit" | "read") => {
                for (pattern, decision) in patterns.iter().take(MOST) {
                    let what = format!("permission {key} {pattern:?}");
                    files(found, tools, pattern, decision.as_str().unwrap_or_default(), &what);
                }
            }
            _ => found
                .note(&format!("permission {key}"), "patterns are translated only for bash, edit and read"),
        }
    }
}

/// Why `allow` for all that a tool does would be more here than there; `None`: it is the same.
fn wider(all: &Map<String, Value>, at: usize, key: &str) -> Option<String> {
    let is_pattern = |key: &str| key.contains(['*', '?']);
    if all.iter().skip(at + 1).any(|(later, said)| is_pattern(later) && said != "allow") {
        return Some("a later pattern in it decides otherwise, and the last match wins there".to_owned());
    }
    // What leads out of the project is another permission there, which asks unless it is set.
    let leads_out = all.get("external_directory").is_some_and(|said| said == "allow");
    match key {
        "webfetch" => None,
        _ if leads_out => None,
        "bash" => Some(format!(
            "it asks there before a command leaves the project: mode = {:?}, in which commands run in the sandbox, is nearest",
            Mode::Auto.as_str()
        )),
        _ => Some(format!(
            "it ends with the project there: reading in it needs no rule here, and mode = {:?} edits in it",
            Mode::Edit.as_str()
        )),
    }
}

/// What there is here for a permission that is about no tool of ours.
fn elsewhere(key: &str) -> &'static str {
    match key {
        "*" => "it is the rule for what no other names: choose a mode instead",
        "task" => "each sub-agent is a tool here: write a rule for delegate_to_NAME yourself",
        "websearch" => {
            "providers search the web here: hosted_tools switches that on, and no rule is about it"
        }
        "external_directory" => "tools ask here before they leave the workspace: write rules with such paths",
        "skill" => "a skill is a file that the model reads: write a rule for read",
        "doom_loop" => "loop.max_consecutive_failures is nearest",
        key if key.contains(['*', '?']) => "a pattern of tools is not translated: write a rule for each",
        _ => "there is no such tool here",
    }
}

/// The last rule that matches wins there, and the strictest one here. So only what is denied means at least as much.
fn command(found: &mut Found, pattern: &str, decision: &str) {
    let what = format!("permission bash {}: {decision}", told(&format!("{pattern:?}")));
    let rule = if pattern == "*" { SHELL.to_owned() } else { format!("{SHELL}({pattern})") };
    match decision {
        "deny" if pattern.contains('?') => {
            found.note(&what, "`?` is any character there, and no pattern here can say that")
        }
        "deny" if pattern == "*" => {
            found.note(&what, "it is the rule for what no other names: choose a mode instead")
        }
        "deny" => match Rule::parse(RuleKind::Deny, &rule) {
            Ok(_) => found.add(Setting::Rule(RuleKind::Deny, rule), &what),
            Err(why) => found.note(&what, &why.to_string()),
        },
        _ => found.note(&what, "the last match wins there and the strictest here: write the rule yourself"),
    }
}

/// The same for paths.
fn files(found: &mut Found, tools: &[&str], pattern: &str, decision: &str, what: &str) {
    let what = format!("{what}: {decision}");
    if decision != "deny" {
        return found
            .note(&what, "the last match wins there and the strictest here: write the rule yourself");
    }
    if pattern == "*" {
        return found.note(&what, "it is the rule for what no other names: choose a mode instead");
    }
    match paths(false, pattern) {
        Ok(paths) => {
            let of = |tool: &&str| paths.iter().map(|path| format!("{tool}({path})")).collect::<Vec<_>>();
            found.add_rules(RuleKind::Deny, tools.iter().flat_map(of).collect(), &what);
        }
        Err(why) => found.note(&what, &why),
    }
}

fn kind(decision: &str) -> Option<RuleKind> {
    match decision {
        "allow" => Some(RuleKind::Allow),
        "ask" => Some(RuleKind::Ask),
        "deny" => Some(RuleKind::Deny),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules that come of these permissions, and what is said of the others.
    fn taken(permissions: &str) -> (Vec<String>, String) {
        let mut found = Found::default();
        let all = format!("{{ \"permission\": {permissions} }}");
        settings(&mut found, serde_json::from_str::<Value>(&all).unwrap().as_object().unwrap());
        let rule = |setting: &Setting| match setting {
            Setting::Rule(kind, rule) => format!("{} {rule}", kind.as_str()),
            _ => String::new(),
        };
        (found.settings.iter().map(|(setting, _)| rule(setting)).collect(), found.notes.join("\n"))
    }

    #[test]
    fn what_is_allowed_in_the_project_alone_or_taken_back_later_is_not_allowed_here() {
        for (permissions, rules, says) in [
            (r#"{ "*": "ask", "webfetch": "allow" }"#, &["allow fetch"][..], "permission *: it is the rule"),
            (r#"{ "edit": "allow" }"#, &[], "it ends with the project there"),
            (r#"{ "bash": "allow" }"#, &[], "before a command leaves the project"),
            (
                r#"{ "bash": "allow", "external_directory": "ask" }"#,
                &[],
                "before a command leaves the project",
            ),
            (
                r#"{ "edit": "allow", "external_directory": "allow" }"#,
                &["allow edit", "allow write"],
                "external_directory",
            ),
            (r#"{ "webfetch": "allow", "*": "deny" }"#, &[], "the last match wins there"),
            (r#"{ "webfetch": "allow", "web*": "ask" }"#, &[], "a pattern of tools is not translated"),
            (r#"{ "edit": "deny", "*": "allow" }"#, &["deny edit", "deny write"], "choose a mode"),
            (
                r#"{ "bash": { "rm ?": "deny", "rm *": "deny" } }"#,
                &["deny shell(rm *)"],
                "any character there",
            ),
            (r#""allow""#, &[], "permission: allow: it is the rule for what no other names"),
            (r#"{ "task": "deny", "lsp": "deny" }"#, &[], "permission lsp: there is no such tool here"),
        ] {
            let (taken, said) = taken(permissions);
            assert_eq!(taken, rules, "{permissions}");
            assert!(said.contains(says), "{permissions}: {said}");
        }
    }
}
