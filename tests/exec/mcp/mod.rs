//! MCP servers in the real binary: called under a rule and refused without, in the sandbox, with keys that nobody sees.

mod absent;
mod addresses;
mod by_hand;
mod refused;
mod subagents;
mod trusted;

use std::fs;
use std::path::PathBuf;

use countersign::runtime::sandbox::support;
use serde_json::{Value, json};

use crate::stub_server;
use crate::world::{Ran, World, script};

pub(super) const KEY: &str = "planted-0123456789-key";

/// The stub server.
pub(super) fn stub() -> String {
    stub_server::program().display().to_string()
}

/// Where the stub writes that it was started, and what it was called with.
pub(super) fn journal(world: &World) -> PathBuf {
    world.place().join("journal")
}

pub(super) fn started(world: &World) -> bool {
    journal(world).exists()
}

/// A configuration with the stub in it.
pub(super) fn server(world: &World, more: &str) -> String {
    format!(
        "[mcp_servers.stub]\ncommand = {:?}\nargs = [\"journal={}\"]\n{more}\n",
        stub(),
        journal(world).display()
    )
}

pub(super) fn with_stub(more: &str) -> World {
    let world = World::new();
    let text = server(&world, more);
    world.configured(&text)
}

pub(super) fn run(world: &World, words: &[&str]) -> Ran {
    let output = world.program().args(words).output().unwrap();
    Ran::of(output.status, output.stdout, output.stderr)
}

/// What the stub's tool `say` is to answer.
pub(super) fn saying(words: &str) -> Value {
    json!({ "result": { "content": [{ "type": "text", "text": words }] } })
}

/// One call of the stub's tool `say`, and an answer.
pub(super) fn call() -> String {
    script(json!([
        { "tool_calls": [{ "id": "a", "name": "mcp__stub__say", "arguments": saying("hello from the stub") }] },
        "Done."
    ]))
}

pub(super) fn mcp_json(world: &World, text: &str) -> PathBuf {
    let file = world.work().join(".mcp.json");
    fs::write(&file, text).unwrap();
    file
}

#[test]
fn a_tool_is_called_under_a_rule_and_refused_without_one() {
    let world = with_stub("");
    let ran = world.json(&["--script", &call(), "--allow", "mcp__stub__*", "go"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]), "{}", ran.err);
    assert_eq!(ran.one("tool_result")["content"], "hello from the stub");
    assert_eq!(ran.one("approval")["rule"], "mcp__stub__*");
    let ran = world.json(&["--script", &call(), "go"]);
    assert_eq!(ran.outcomes(), ["denied"], "{}", ran.err);
    let ran = world.json(&["--script", &call(), "--mode", "plan", "go"]);
    assert_eq!(ran.outcomes(), ["denied"], "{}", ran.err);
    let calls = fs::read_to_string(journal(&world)).unwrap().matches("call say").count();
    assert_eq!(calls, 1, "it was asked once");
    // A tool that a person calls a read needs no rule.
    let reads = with_stub("reads = ['say']");
    let ran = reads.json(&["--script", &call(), "--mode", "plan", "go"]);
    assert_eq!(ran.outcomes(), ["ok"], "{}", ran.err);
    let refused = world.refused(&["--allow", "mcp__stub__say(hello)", "go"]);
    assert!(refused.contains("write mcp__stub__say for all its calls"), "{refused}");
}

#[test]
fn a_tool_is_called_by_a_model_whose_calls_are_text() {
    let world = with_stub("");
    let call = json!({ "tool": "mcp__stub__say", "arguments": saying("hello from the stub") });
    let replies = script(json!([format!("```tool_call\n{call}\n```"), "Done."]));
    let ran = world.json(&["--tools", "string", "--script", &replies, "--allow", "mcp__stub__*", "go"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]), "{}", ran.err);
    assert_eq!(ran.one("tool_result")["content"], "hello from the stub");
    assert_eq!(fs::read_to_string(journal(&world)).unwrap().matches("call say").count(), 1);
}

#[test]
fn a_server_that_does_not_answer_is_told_and_the_run_goes_on() {
    let world = World::new();
    let gone = "[mcp_servers.gone]\ncommand = './not-there'\n[mcp_servers.unset]\ncommand = 'x'\nenv.A = '${NOT_SET}'\n";
    let text = format!("{gone}{}", server(&world, ""));
    let world = world.configured(&text);
    for json in [true, false] {
        let words = ["--script", &call(), "--allow", "mcp__stub__*", "go"];
        let ran = if json { world.json(&words) } else { world.exec(&words) };
        assert_eq!(ran.code, 0, "{}", ran.err);
        let note =
            |words: &str| ran.err.lines().any(|line| line.starts_with("note: ") && line.contains(words));
        assert!(note("gone"), "{}", ran.err);
        assert!(
            note(
                "config.toml:5: mcp_servers.unset.env.A: the variable NOT_SET is not set; set NOT_SET, or write \
                  ${NOT_SET:-DEFAULT} there"
            ),
            "{}",
            ran.err
        );
    }
}

#[test]
fn a_server_s_key_is_in_no_output_log_or_ledger() {
    let world = with_stub(&format!("env = {{ STUB_KEY = '{KEY}', OTHER = '${{STUB_OTHER}}' }}"))
        .with("STUB_OTHER", "other-planted-0123")
        .with("RUST_LOG", "trace");
    let call = call();
    let all = [
        &["exec", "--json", "-c", "log=trace,rmcp=trace", "--script", &call, "--allow", "mcp__stub__*", "go"]
            [..],
        &["config", "show"],
        &["mcp", "list"],
        &["mcp", "test"],
        &["mcp", "call", "stub", "refuse"],
        &["mcp", "call", "stub", "die"],
        &["doctor"],
        &["doctor", "--json"],
        // It says its key as it dies.
        &[
            "exec",
            "-c",
            "log=trace,rmcp=trace",
            "-c",
            "mcp_servers.stub.args=['dies']",
            "--script",
            "[\"Done.\"]",
            "go",
        ],
        &["mcp", "test", "stub"],
    ];
    for words in all {
        let ran = run(&world, words);
        for key in ["planted", "0123456789"] {
            assert!(!ran.out.contains(key) && !ran.err.contains(key), "{words:?}: {}{}", ran.out, ran.err);
        }
    }
    world.keeps_nothing_of("planted");
}

#[test]
fn a_server_gets_no_key_but_what_is_named_for_it() {
    let world = with_stub("env = { GIVEN = '${GIVEN_TOKEN:-none}', HOST = 'h-${HOST_NAME:-local}' }\n[tools]\npass_env = ['PASSED_TOKEN']\n[providers.mine]\nbase_url = 'http://127.0.0.1:9'\napi_key_env = 'PLAIN_NAME'")
        .with("GIVEN_TOKEN", "given")
        .with("PASSED_TOKEN", "passed")
        .with("OTHER_TOKEN", "kept")
        .with("PLAIN_NAME", "kept");
    let ran = run(&world, &["mcp", "call", "stub", "who"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let who: Value = serde_json::from_str(ran.out.trim()).unwrap();
    let held = |name: &str| who["environment"][name].as_str().map(str::to_owned);
    let named = ["GIVEN", "HOST", "PASSED_TOKEN"].map(|name| held(name).unwrap());
    assert_eq!(named, ["given", "h-local", "passed"]);
    assert_eq!(["GIVEN_TOKEN", "OTHER_TOKEN", "PLAIN_NAME"].map(held), [None, None, None]);
}

#[test]
fn a_server_is_put_into_the_sandbox_by_the_configuration() {
    if let Some(why) = support().refuses(false) {
        // What it says then is held here; that it holds is not tried.
        let ran = run(&with_stub("sandbox = true"), &["mcp", "test"]);
        assert!(ran.code == 1 && ran.out.contains("does not answer"), "{why}: {}", ran.out);
        return;
    }
    for confined in [false, true] {
        let world = World::new();
        // In the sandbox the stub can be found and started, and its journal lies in the workspace.
        let text = format!("[mcp_servers.stub]\ncommand = {:?}\nsandbox = {confined}\n", stub());
        let world = world.configured(&text);
        let (outside, inside) = (world.place().join("outside"), world.work().join("inside"));
        let wishes = json!({ "write": outside, "inside": inside, "read": world.config_file(), "connect": "127.0.0.1:1" });
        let ran = run(&world, &["mcp", "call", "stub", "try", &wishes.to_string()]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        let went: Value = serde_json::from_str(ran.out.trim()).unwrap();
        assert_eq!((inside.exists(), outside.exists()), (true, !confined), "{went}");
        assert_eq!(went["read"].as_str().unwrap().starts_with("[mcp_servers.stub]"), !confined, "{went}");
    }
}
