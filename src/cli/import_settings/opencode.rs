//! opencode: `opencode.json` of the user and of a project.

use std::path::Path;

use serde_json::{Map, Value};

use crate::config::commands;
use crate::config::fault::one_line;
use crate::policy::{Rule, RuleKind};
use crate::tool::name::{EDIT, FETCH, GLOB, LIST, READ, SEARCH, SHELL, WRITE};
use crate::ui::commands::is_built_in;

use super::found::{Found, FoundCommand, MOST, Setting};
use super::keys::{has_key_word, told};
use super::rules::paths;
use super::servers::{self, ServerEntry, pairs, texts};

/// What has a meaning in the header of such a command there, and none here.
const WITHOUT_EFFECT: [&str; 3] = ["agent", "model", "subtask"];
/// Providers that have the same name here.
const PROVIDERS: [&str; 3] = ["anthropic", "openai", "openrouter"];

/// What `opencode.json` says.
pub(super) fn settings(found: &mut Found, all: &Map<String, Value>) {
    for (key, said) in all.iter().take(MOST) {
        match (key.as_str(), said) {
            ("mcp", Value::Object(all)) => mcp(found, all),
            ("permission", Value::Object(all)) => permissions(found, all),
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
            (other, _) => found.note(other, "has no counterpart here"),
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
    for key in WITHOUT_EFFECT.into_iter().filter(|key| said.get(key).is_some()) {
        found.note(&format!("{what}, {key}"), "has no effect in a command here");
    }
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
    }
}

fn permissions(found: &mut Found, all: &Map<String, Value>) {
    for (key, said) in all.iter().take(MOST) {
        let tools: &[&str] = match key.as_str() {
            "edit" => &[EDIT, WRITE],
            "read" => &[READ],
            "glob" => &[GLOB],
            "grep" => &[SEARCH],
            "list" => &[LIST],
            "bash" => &[SHELL],
            "webfetch" => &[FETCH],
            other => {
                found.note(&format!("permission {other}"), "there is no such tool here");
                continue;
            }
        };
        match said {
            Value::String(decision) => {
                let rules = tools.iter().map(|tool| (*tool).to_owned()).collect();
                match kind(decision) {
                    Some(kind) => found.add_rules(kind, rules, &format!("permission {key}: {decision}")),
                    None => found.note(&format!("permission {key}"), "its decision is not known"),
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

/// The last rule that matches wins there, and the strictest one here. So only what is denied means at least as much.
fn command(found: &mut Found, pattern: &str, decision: &str) {
    let what = format!("permission bash {}: {decision}", told(&format!("{pattern:?}")));
    let rule = if pattern == "*" { SHELL.to_owned() } else { format!("{SHELL}({pattern})") };
    match decision {
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
