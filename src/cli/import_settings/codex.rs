//! Codex: `config.toml`, and its rules about commands.

use serde_json::{Map, Value};
use toml_edit::{Table, value};

use crate::policy::{Mode, Rule, RuleKind};
use crate::tool::name::SHELL;

use super::counterparts::{CODEX, CODEX_PROVIDER, SERVER};
use super::found::{Found, MOST, Setting, mode};
use super::keys::{has_key_in_path, told};
use super::prefix_rules::{self, PrefixRule};
use super::servers::{self, ServerEntry, pairs, texts};

/// What `config.toml` says.
pub(super) fn settings(found: &mut Found, all: &Map<String, Value>) {
    for (key, said) in all.iter().take(MOST) {
        match (key.as_str(), said) {
            ("mcp_servers", Value::Object(all)) => mcp(found, all),
            ("model_providers", Value::Object(all)) => providers(found, all),
            ("model", Value::String(name)) => {
                let provider = all.get("model_provider").and_then(Value::as_str).unwrap_or("openai");
                found.add(Setting::Text("model", format!("{provider}/{name}")), "model");
            }
            ("model_provider", _) => {}
            ("model_reasoning_effort", Value::String(level)) => {
                found.add(Setting::Text("effort", level.clone()), "model_reasoning_effort");
            }
            ("sandbox_mode", Value::String(theirs)) => match theirs.as_str() {
                "read-only" => found.add(mode(Mode::Plan), "sandbox_mode"),
                "workspace-write" => {
                    found.note(
                        "sandbox_mode workspace-write",
                        "mode = \"auto\" is nearest: commands run in the sandbox",
                    );
                }
                _ => found.note(&format!("sandbox_mode {theirs}"), "choose a mode yourself: see /mode"),
            },
            ("sandbox_workspace_write", Value::Object(all)) => workspace_write(found, all),
            ("projects", _) => found.note("projects", "each folder is trusted by `countersign trust`"),
            (other, _) => found.untranslated(other, CODEX, other),
        }
    }
}

/// What its sandbox lets through. Ours is opened by hand: both would hold in every folder.
fn workspace_write(found: &mut Found, all: &Map<String, Value>) {
    for (key, said) in all.iter().take(MOST) {
        let what = format!("sandbox_workspace_write.{key}");
        match (key.as_str(), said) {
            ("network_access", Value::Bool(false)) => {}
            ("network_access", _) => {
                found.note(&what, "name the hosts in tools.sandbox.network, or set it to true for all");
            }
            ("writable_roots", _) => found.note_own(&what, "name them in tools.sandbox.writable"),
            _ => found.note(&what, "has no counterpart here"),
        }
    }
}

/// The members of a server that are read.
const READ_OF_SERVER: [&str; 11] = [
    "command",
    "args",
    "env",
    "env_vars",
    "url",
    "http_headers",
    "env_http_headers",
    "bearer_token_env_var",
    "enabled",
    "startup_timeout_sec",
    "tool_timeout_sec",
];

fn mcp(found: &mut Found, all: &Map<String, Value>) {
    for (name, said) in all.iter().take(MOST) {
        let get = |key: &str| said.get(key);
        let text = |key: &str| get(key).and_then(Value::as_str).map(str::to_owned);
        let seconds = |key: &str| {
            get(key).and_then(Value::as_f64).map(|seconds| seconds.ceil().clamp(1.0, 3600.0) as u64)
        };
        let of_variables = pairs(get("env_http_headers"))
            .into_iter()
            .map(|(name, variable)| (name, format!("${{{variable}}}")));
        let bearer = text("bearer_token_env_var")
            .map(|name| ("Authorization".to_owned(), format!("Bearer ${{{name}}}")));
        let named = texts(get("env_vars")).into_iter().map(|name| (name.clone(), format!("${{{name}}}")));
        let server = ServerEntry {
            command: text("command").into_iter().chain(texts(get("args"))).collect(),
            env: pairs(get("env")).into_iter().chain(named).collect(),
            url: text("url"),
            headers: pairs(get("http_headers")).into_iter().chain(of_variables).chain(bearer).collect(),
            enabled: get("enabled") != Some(&Value::Bool(false)),
            seconds: [seconds("startup_timeout_sec"), seconds("tool_timeout_sec")],
        };
        servers::add(found, name, server);
        found.unread(&format!("the server {name}"), said, &READ_OF_SERVER, SERVER);
    }
}

fn providers(found: &mut Found, all: &Map<String, Value>) {
    for (name, said) in all.iter().take(MOST) {
        let text = |key: &str| said.get(key).and_then(Value::as_str);
        let what = format!("the provider {name}");
        let protocol = match text("wire_api").unwrap_or("chat") {
            "responses" => "openai-responses",
            "chat" => "openai-chat",
            other => {
                found.note(&what, &format!("its protocol {other} is not known here"));
                continue;
            }
        };
        let is_free = |address: &&str| !address.contains(['?', '@']) && !has_key_in_path(address);
        let Some(address) = text("base_url").filter(is_free) else {
            found.note(&what, "it has no address that can be imported");
            continue;
        };
        let mut table = Table::new();
        table.insert("base_url", value(address));
        table.insert("protocol", value(protocol));
        if let Some(variable) = text("env_key") {
            table.insert("api_key_env", value(variable));
        }
        // Its name is a label.
        found.unread(&what, said, &["name", "base_url", "wire_api", "env_key"], CODEX_PROVIDER);
        found.add(Setting::Named("providers", name.clone(), table), &what);
    }
}

/// What a file of rules says.
pub(super) fn rules(found: &mut Found, text: &str) {
    for rule in prefix_rules::read(text).into_iter().take(MOST) {
        match rule {
            Ok(PrefixRule { commands, decision }) => {
                let kind = match decision.as_str() {
                    "allow" => RuleKind::Allow,
                    "prompt" => RuleKind::Ask,
                    "forbidden" => RuleKind::Deny,
                    other => {
                        found.note("prefix_rule", &format!("its decision {other} is not known"));
                        continue;
                    }
                };
                for words in commands {
                    one_rule(found, kind, &words);
                }
            }
            Err(why) => found.note("a rule", &why),
        }
    }
}

fn one_rule(found: &mut Found, kind: RuleKind, words: &[String]) {
    let command = words.join(" ");
    let shown = told(&command);
    let is_plain = |word: &String| {
        !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "*()'\"\\$`".contains(c))
    };
    if words.is_empty() || !words.iter().all(is_plain) {
        return found.note(&format!("prefix_rule {shown}"), "its words cannot be written as a pattern");
    }
    let rules = [format!("{SHELL}({command})"), format!("{SHELL}({command} *)")];
    match rules.iter().map(|rule| Rule::parse(kind, rule)).collect::<Result<Vec<_>, _>>() {
        Ok(_) => found.add_rules(kind, rules.to_vec(), &format!("prefix_rule {shown}")),
        Err(why) => found.note(&format!("prefix_rule {shown}"), &why.to_string()),
    }
}
