//! MCP servers of other tools as ours. What may be a key is never copied: a variable stands in its place.

use serde_json::{Map, Value};
use toml_edit::{Array, InlineTable, Item, Table, value};

use crate::runtime::looks_secret;

use super::counterparts::SERVER;
use super::found::{Found, Setting};
use super::keys::{asks_for_key, has_key_in_path, is_key_behind, is_name, may_hold_key};

/// The table of ours.
const TABLE: &str = "mcp_servers";

/// A server as most tools write it. A key that is not understood is noted, and the server is taken without it.
#[derive(Default)]
pub(super) struct ServerEntry {
    /// The program and its arguments.
    pub(super) command: Vec<String>,
    /// Variables.
    pub(super) env: Vec<(String, String)>,
    /// Its address, if it has one.
    pub(super) url: Option<String>,
    /// Headers.
    pub(super) headers: Vec<(String, String)>,
    /// Whether it is used.
    pub(super) enabled: bool,
    /// How long it may take to start, and for a call, in seconds.
    pub(super) seconds: [Option<u64>; 2],
}

/// Texts of a list.
pub(super) fn texts(value: Option<&Value>) -> Vec<String> {
    let all = value.and_then(Value::as_array);
    all.into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

/// Texts of a table.
pub(super) fn pairs(value: Option<&Value>) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    };
    let all = value.and_then(Value::as_object);
    all.into_iter().flatten().filter_map(|(name, value)| Some((name.clone(), text(value)?))).collect()
}

/// The servers of a table in the form that Claude Code and many others use.
pub(super) fn of_json(found: &mut Found, servers: &Map<String, Value>) {
    for (name, written) in servers {
        let get = |key: &str| written.get(key);
        let command = get("command").and_then(Value::as_str).map(str::to_owned);
        let server = ServerEntry {
            command: command.into_iter().chain(texts(get("args"))).collect(),
            env: pairs(get("env")),
            url: get("url").and_then(Value::as_str).map(str::to_owned),
            headers: pairs(get("headers")),
            enabled: get("disabled") != Some(&Value::Bool(true)),
            seconds: [None, None],
        };
        match get("type").and_then(Value::as_str) {
            None | Some("stdio" | "http" | "streamable-http") => {
                add(found, name, server);
                let read = ["type", "command", "args", "env", "url", "headers", "disabled"];
                found.unread(&format!("the server {name}"), written, &read, SERVER);
            }
            Some(other) => {
                found.note(
                    &format!("the server {name}"),
                    &format!("servers of type {other} are not supported"),
                );
            }
        }
    }
}

/// Adds one.
pub(super) fn add(found: &mut Found, name: &str, server: ServerEntry) {
    let what = format!("the server {name}");
    let mut table = Table::new();
    match (server.command.split_first(), &server.url) {
        (Some((program, args)), None) => {
            table.insert("command", value(program.as_str()));
            let args: Array =
                args.iter().enumerate().map(|(at, arg)| argument(found, name, args, at, arg)).collect();
            if !args.is_empty() {
                table.insert("args", value(args));
            }
        }
        (None, Some(url)) if url.contains(['?', '@']) => {
            return found
                .note(&what, "its address has a user or a query, which may be a key: add it yourself");
        }
        (None, Some(url)) if has_key_in_path(url) => {
            return found
                .note(&what, "its address may hold a key: add it yourself, with ${NAME} in its place");
        }
        (None, Some(url)) => {
            table.insert("url", value(url.as_str()));
        }
        (Some(_), Some(_)) => return found.note(&what, "it has a program and an address"),
        (None, None) => return found.note(&what, "it has neither a program nor an address"),
    }
    insert(&mut table, "env", variables(found, name, server.env));
    insert(&mut table, "headers", headers(found, name, server.headers));
    if !server.enabled {
        table.insert("enabled", value(false));
    }
    for (key, seconds) in ["start_seconds", "call_seconds"].into_iter().zip(server.seconds) {
        if let Some(seconds) = seconds.and_then(|seconds| i64::try_from(seconds).ok()) {
            table.insert(key, value(seconds));
        }
    }
    found.add(Setting::Named(TABLE, name.to_owned(), table), &what);
}

fn insert(table: &mut Table, key: &str, members: InlineTable) {
    if !members.is_empty() {
        table.insert(key, Item::Value(members.into()));
    }
}

/// An argument, with a variable in the place of what looks like a key, or follows a name that asks for one.
fn argument(found: &mut Found, server: &str, args: &[String], at: usize, arg: &str) -> String {
    if let Some(Assignment { front, name, text }) = Assignment::of(arg)
        && reference(text).is_none()
        && (asks_for_key(&name) || may_hold_key(text))
    {
        let variable = kept_out(found, server, &[variable_of(server, &name)], text);
        return format!("{front}${{{variable}}}");
    }
    let before = at.checked_sub(1).and_then(|at| args.get(at)).map_or("", String::as_str);
    // A value that stands in the flag is no part of its name.
    let flag = if before.starts_with('-') && !before.contains('=') { before } else { "" };
    let follows = !arg.starts_with("--") && (asks_for_key(flag) || is_key_behind(flag, arg));
    if reference(arg).is_some() || !follows && !may_hold_key(arg) {
        return arg.to_owned();
    }
    let name = flag.trim_start_matches('-');
    let name = if name.len() > 1 { name } else { "key" };
    let variable = kept_out(found, server, &[variable_of(server, name)], arg);
    format!("${{{variable}}}")
}

/// `--flag=text`, `NAME=text` and `--env=NAME=text`.
struct Assignment<'a> {
    /// What stands before the text.
    front: &'a str,
    /// What it is called.
    name: String,
    text: &'a str,
}

impl<'a> Assignment<'a> {
    fn of(arg: &'a str) -> Option<Self> {
        let (mut name, mut text) = arg.split_once('=')?;
        let inner = text.split_once('=').filter(|(inner, rest)| is_name(inner) && !rest.is_empty());
        if let Some(inner) = inner.filter(|_| !asks_for_key(name)) {
            (name, text) = inner;
        }
        let front = arg.get(..arg.len().saturating_sub(text.len()))?;
        let name = name.trim_start_matches('-').replace('-', "_");
        is_name(&name).then_some(Self { front, name, text })
    }
}

/// Variables: a reference stays, and so does a number; any other text becomes a reference to a variable of its name.
fn variables(found: &mut Found, server: &str, env: Vec<(String, String)>) -> InlineTable {
    let mut table = InlineTable::new();
    for (name, text) in env {
        let is_plain =
            ["true", "false"].contains(&text.as_str()) || text.len() <= 5 && text.parse::<u32>().is_ok();
        let written = match reference(&text) {
            Some(reference) => known(found, reference),
            None if is_plain && !looks_secret(&name) => text,
            None => {
                let names = [name.clone(), variable_of(server, &name)];
                format!("${{{}}}", kept_out(found, server, &names, &text))
            }
        };
        table.insert(&name, written.into());
    }
    table
}

/// Headers: the scheme of an authorization stays, and a reference does.
fn headers(found: &mut Found, server: &str, headers: Vec<(String, String)>) -> InlineTable {
    let mut table = InlineTable::new();
    for (name, text) in headers {
        let (scheme, rest) = match text.split_once(' ') {
            Some((scheme @ ("Bearer" | "Basic" | "Token"), rest)) => (format!("{scheme} "), rest),
            _ => (String::new(), text.as_str()),
        };
        let written = match reference(rest) {
            Some(reference) => known(found, reference),
            None => format!("${{{}}}", kept_out(found, server, &[variable_of(server, &name)], rest)),
        };
        table.insert(&name, format!("{scheme}{written}").into());
    }
    table
}

/// `${NAME}` or `{env:NAME}`, as we write it; `None`: it is a text.
fn reference(text: &str) -> Option<String> {
    let name = text.strip_prefix("${").or_else(|| text.strip_prefix("{env:"))?.strip_suffix('}')?;
    let is_name = name
        .split(":-")
        .next()
        .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    // What stands in for a variable that is not set may be a key.
    (is_name && !name.contains(":-")).then(|| format!("${{{name}}}"))
}

fn variable_of(server: &str, name: &str) -> String {
    let text = format!("{server}_{name}");
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    text.chars().map(letter).collect()
}

/// Says that a value was not copied; gives the variable that stands in its place, of one of these names if no other value has it.
fn kept_out(found: &mut Found, server: &str, names: &[String], value: &str) -> String {
    let variable = found.variable(names, value);
    found.note(
        &format!("the server {server}"),
        &format!("a value was not copied: set the variable {variable}"),
    );
    variable
}

/// A reference that is kept: its variable is no other value's.
fn known(found: &mut Found, reference: String) -> String {
    let name = reference.trim_start_matches("${").trim_end_matches('}').to_owned();
    found.variable(&[name], &reference);
    reference
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is taken of these servers, and what is said of them.
    fn taken(servers: &Value) -> String {
        let mut found = Found::default();
        of_json(&mut found, servers.as_object().unwrap());
        let table = |setting: &Setting| {
            if let Setting::Named(_, _, table) = setting { table.to_string() } else { String::new() }
        };
        let tables: Vec<String> = found.settings.iter().map(|(setting, _)| table(setting)).collect();
        tables.join("\n") + &found.notes.join("\n")
    }

    #[test]
    fn the_value_of_a_flag_is_in_no_name_and_what_follows_it_stays() {
        for (args, left) in [
            (
                vec!["--api-key=hunter2longsecret", "--port", "8080"],
                r#"["--api-key=${S_API_KEY}", "--port", "8080"]"#,
            ),
            (
                vec!["run", "-e", "A_TOKEN=hunter2", "-e", "B_TOKEN=hunter3"],
                r#"["run", "-e", "A_TOKEN=${S_A_TOKEN}", "-e", "B_TOKEN=${S_B_TOKEN}"]"#,
            ),
            (vec!["--env=A_KEY=hunter2", "x"], r#"["--env=A_KEY=${S_A_KEY}", "x"]"#),
            (vec!["--token=hunter2=="], r#"["--token=${S_TOKEN}"]"#),
            (vec!["-k", "hunter2battery"], r#"["-k", "${S_KEY}"]"#),
            (vec!["-k", "/etc/a.pem", "-v"], r#"["-k", "/etc/a.pem", "-v"]"#),
            (vec!["--use-token", "--port", "1"], r#"["--use-token", "--port", "1"]"#),
            (
                vec!["--token", "hunter2", "--token", "hunter3"],
                r#"["--token", "${S_TOKEN}", "--token", "${S_TOKEN_2}"]"#,
            ),
            (vec!["--token", "${T:-hunter2}"], r#"["--token", "${S_TOKEN}"]"#),
            (vec!["--token=${T}", "--root=/a", "A=b"], r#"["--token=${T}", "--root=/a", "A=b"]"#),
            (vec!["-y", "mcp-server-fetch==2025.4.7"], r#"["-y", "mcp-server-fetch==2025.4.7"]"#),
            (vec!["x", "--header", "Authorization:${AUTH}"], r#"["x", "--header", "Authorization:${AUTH}"]"#),
        ] {
            let all = taken(&serde_json::json!({ "s": { "command": "run", "args": args } }));
            assert!(all.contains(&format!("args = {left}")), "{left} in {all}");
            assert!(!all.to_lowercase().contains("hunter"), "{all}");
        }
    }

    #[test]
    fn variables_of_two_servers_are_not_mixed_up() {
        let all = taken(&serde_json::json!({
            "a": { "command": "a", "env": { "TOKEN": "hunter2" } },
            "b": { "command": "b", "env": { "TOKEN": "hunter3" } },
            "c": { "command": "c", "env": { "TOKEN": "hunter2" } },
            "d": { "url": "https://d.example/api/mcp/s/MjY5ZTk0NWItYzg4ZC00/mcp" },
        }));
        assert_eq!(all.matches("TOKEN = \"${TOKEN}\"").count(), 2, "{all}");
        assert!(all.contains("TOKEN = \"${B_TOKEN}\"") && all.contains("set the variable B_TOKEN"), "{all}");
        assert!(all.contains("the server d: its address may hold a key") && !all.contains("MjY5"), "{all}");
    }

    #[test]
    fn no_value_that_may_be_a_key_is_copied() {
        let servers = serde_json::json!({ "files": {
            "command": "npx",
            "args": ["-y", "pkg@1", "--api-key", "planted1", "--token=planted2", "sk-planted3planted3planted3", "."],
            "env": { "TOKEN": "planted4", "MODE": "planted5", "PORT": "8080", "DEBUG": "true", "KEPT": "${KEPT}", "PIN_TOKEN": "1234" },
        }, "there": {
            "type": "http", "url": "https://a.example/mcp",
            "headers": { "Authorization": "Bearer planted6", "X-A": "${A}", "X-B": "${B:-planted7}" },
        }, "asks": { "url": "https://a.example/mcp?key=planted8" }, "old": { "type": "sse", "url": "https://a.example" } });
        let all = taken(&servers);
        assert!(!all.contains("planted"), "{all}");
        for kept in [
            "args = [\"-y\", \"pkg@1\", \"--api-key\", \"${FILES_API_KEY}\", \"--token=${FILES_TOKEN}\"",
            "TOKEN = \"${TOKEN}\"",
            "MODE = \"${MODE}\"",
            "PORT = \"8080\"",
            "DEBUG = \"true\"",
            "PIN_TOKEN = \"${PIN_TOKEN}\"",
            "Authorization = \"Bearer ${THERE_AUTHORIZATION}\"",
            "X-A = \"${A}\"",
            "the server asks: its address has",
            "the server old: servers of type sse are not supported",
        ] {
            assert!(all.contains(kept), "{kept} in {all}");
        }
    }
}
