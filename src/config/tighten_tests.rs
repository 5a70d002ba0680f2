//! What a project's file may do with each key, as a table: nothing may loosen by the way.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::key::{KeyRow, rows};
use super::{Config, apply, projects, setting, source::Source};

/// Each line: the key, what the user's file says, and what the project's may say, each with when that holds.
const TABLE: &str = include_str!("../../tests/golden/config/tightening.txt");

/// What is tried of a key: values among which some are tighter than others.
fn values(pattern: &str) -> &'static [&'static str] {
    let (table, last) = pattern.rsplit_once('.').unwrap_or(("", pattern));
    match (table, last) {
        ("", "model" | "script" | "theme" | "log" | "status_line") => &["'a/b'", "'b'"],
        ("", "effort") => &["'low'", "'high'"],
        ("", "fallback") => &["[]", "['a/b']", "['a/b', 'c/d']"],
        ("", "mode") => &["'plan'", "'ask'", "'edit'", "'auto'", "'unrestricted'"],
        ("", "allow" | "ask" | "deny" | "sandbox") => &["[]", "['shell(a *)']"],
        ("", "on_approval") => &["'deny'", "'stop'"],
        ("", "instructions") => &["'A.md'", "['A.md', 'B.md']"],
        ("", "notify") => &["'off'", "'bell'"],
        ("", "images") => &["'off'", "'kitty'"],
        ("keys.*", "*") => &["'f9'", "[]"],
        ("hooks", "*") => &["[]", "[{ command = 'a' }]"],
        ("budget", "max_total_cost" | "ask_above") => &["0", "1.5", "900000000"],
        ("budget", "token_budget_enough_percent") | ("loop", "compact_at_percent") => &["1", "90", "100"],
        ("budget", _) | ("loop", "max_steps" | "max_tool_iterations") => &["1", "60", "100"],
        ("loop", "final_response") => &["'same_call'", "'separate'"],
        ("loop", "tools") => &["'auto'", "'native'", "'string'"],
        ("loop", "max_answer_bytes" | "max_argument_bytes") => &["10000", "9000000", "900000000"],
        ("loop", "parallel_tool_execution") => &["true", "false"],
        ("loop", _) => &["1", "60", "1000"],
        ("telemetry", "otlp") => &["'http://a:1'", "'http://b:1'"],
        ("telemetry", _) => &["'A'", "'B'"],
        ("sessions", _) => &["1", "90"],
        ("network", "proxy") => &["'http://a:1'", "'http://b:1'"],
        ("network", _) => &["'/a'", "'/b'"],
        ("tools", "pass_env") => &["[]", "['A']", "['A', 'B']"],
        ("tools.fetch", _) => &["[]", "['a']", "['a', 'b']"],
        ("tools.sandbox", "network") => {
            &["true", "false", "['a']", "['a', 'b']", "['*.a.b', 'x.a.b']", "['y.a.b']"]
        }
        ("tools.sandbox", "writable" | "hidden") => &["[]", "['/a']", "['/a', '/b']"],
        ("hosted_tools", _) => &["[]", "['a']", "['a', 'b']"],
        ("providers.*", "base_url") => &["'http://a:1'", "'http://b:1'"],
        ("providers.*", "protocol") => &["'anthropic'", "'openai-chat'"],
        ("providers.*", "api_key_file") => &["'/a'", "'/b'"],
        ("agents", "max_parallel") => &["0", "2", "9"],
        ("agents.*", "instructions" | "model") => &["'a'", "'b'"],
        ("agents.*", "tools" | "disallowed_tools" | "disallowedTools") => &["['read']", "['edit']"],
        ("agents.*", "isolation") => &["'worktree'", "'none'"],
        ("agents.*", "mode") => &["'plan'", "'ask'"],
        ("agents.*", "max_turns") | ("agents.*.reserve", _) => &["1", "9"],
        ("mcp_servers.*" | "agents.*", "url") => &["'http://a:1'", "'http://b:1'"],
        ("mcp_servers.*", "args" | "reads") => &["[]", "['a']", "['a', 'b']"],
        (_, "start_seconds" | "call_seconds") => &["1", "20", "600"],
        (_, "extra_efforts") => &["[]", "['max']"],
        ("providers.*.models.*" | "models.*", "tools" | "vision" | "reasoning") => &["true", "false"],
        (_, "adaptive_thinking" | "thinking_always_on") => &["true", "false"],
        ("providers.*.models.*" | "models.*", _) => &["1", "2"],
        (_, "command" | "description" | "api_key_env" | "api_key_command" | "*") => &["'a'", "'b'"],
        _ => &["true", "false"],
    }
}

/// What the user has said already, so that there is something of this kind.
fn bases(pattern: &str) -> &'static [&'static str] {
    match pattern.split('.').next() {
        Some("mcp_servers") => &["", "mcp_servers.x.command = 'a'", "mcp_servers.x.url = 'http://a:1'"],
        Some("agents") => &["", "agents.x.url = 'http://a:1'"],
        _ => &[""],
    }
}

/// When the project's value holds over the user's: `always`, `trusted` or `never`.
fn answer(user: &str, project: &str) -> Option<&'static str> {
    let file = Arc::new(PathBuf::from("config.toml"));
    let holds = |source: Source| {
        let mut config = Config::default();
        for said in setting::of_text(user, &Source::User(Arc::clone(&file), 0)).ok()? {
            apply::set(&mut config, &said).ok()?;
        }
        let wrongs = projects::set_all(&mut config, &setting::of_text(project, &source).unwrap());
        wrongs.is_empty().then_some(config.warnings.is_empty())
    };
    let untrusted = holds(Source::Project(Arc::clone(&file), 0))?;
    let trusted = holds(Source::Trusted(Arc::clone(&file), 0))?;
    Some(match (untrusted, trusted) {
        (true, true) => "always",
        (false, true) => "trusted",
        (false, false) => "never",
        (true, false) => "only without trust",
    })
}

/// One line for each thing that the user may have said and a project may say of a key.
fn lines(pattern: &str) -> Vec<String> {
    let (key, mut found) = (path(pattern), Vec::new());
    for base in bases(pattern) {
        for before in [None].into_iter().chain(values(pattern).iter().map(Some)) {
            let said = before.map(|value| format!("{key} = {value}")).unwrap_or_default();
            let user = [*base, said.as_str()].into_iter().filter(|text| !text.is_empty());
            let user = user.collect::<Vec<_>>();
            let tried = values(pattern).iter().filter_map(|after| {
                let answer = answer(&user.join("\n"), &format!("{key} = {after}"))?;
                Some(format!("{after} {answer}"))
            });
            let tried = tried.collect::<Vec<_>>().join(", ");
            if !tried.is_empty() {
                found.push(format!("{pattern} | {} | {tried}", user.join("; ")));
            }
        }
    }
    found
}

/// A path with names in the place of its `*`.
fn path(pattern: &str) -> String {
    match pattern {
        "keys.*.*" => "keys.everywhere.ledger".to_owned(),
        "hooks.*" => "hooks.session_start".to_owned(),
        "providers.*.headers.*" | "mcp_servers.*.headers.*" | "agents.*.headers.*" => {
            pattern.replacen('*', "x", 1).replace('*', "accept")
        }
        "agents.*.reserve.*" => "agents.x.reserve.max_output_tokens".to_owned(),
        _ => pattern.replace('*', "x"),
    }
}

/// Every path of every key.
fn patterns() -> impl Iterator<Item = &'static str> {
    rows().flat_map(KeyRow::paths)
}

#[test]
fn what_a_project_may_do_with_each_key_is_what_the_table_says() {
    let real: Vec<String> = patterns().flat_map(lines).collect();
    let wanted: BTreeSet<&str> = TABLE.lines().collect();
    let real: BTreeSet<&str> = real.iter().map(String::as_str).collect();
    let differs: Vec<_> = wanted.symmetric_difference(&real).collect();
    assert!(differs.is_empty(), "not the same in the table and in the code: {differs:#?}");
    for pattern in patterns() {
        assert!(real.iter().any(|line| line.starts_with(&format!("{pattern} | "))), "{pattern} is not tried");
    }
}

#[test]
fn each_rule_of_a_list_has_the_line_on_which_it_is_written() {
    let source = Source::User(Arc::new(PathBuf::from("config.toml")), 0);
    let text =
        "mode = 'ask'\nallow = [\n  'shell(a *)',\n  # why\n  'shell(b *)',\n]\ndeny = ['shell(c *)']\n";
    let mut config = Config::default();
    for said in setting::of_text(text, &source).unwrap() {
        apply::set(&mut config, &said).unwrap();
    }
    let places: Vec<String> = config.rules().iter().map(|rule| format!("{rule} {}", rule.origin)).collect();
    assert_eq!(places, ["shell(a *) config.toml:3", "shell(b *) config.toml:5", "shell(c *) config.toml:7"]);
}
