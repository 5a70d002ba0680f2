//! MCP servers in the app: what waits is offered again after a restart, and runs once it is allowed; no server is left.

use serde_json::{Value, json};

use super::console::{Console, ESC, USUAL};
use super::home::Home;
use super::stub_server;

/// A home with the stub server in its configuration, which writes down what it is called with.
fn with_stub() -> Home {
    let home = Home::new();
    let program = stub_server::program();
    let folder = home.root().join("config/countersign");
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("[mcp_servers.stub]\ncommand = {program:?}\nargs = ['journal=journal']\n");
    std::fs::write(folder.join("config.toml"), text).unwrap();
    home
}

fn call() -> Value {
    let result = json!({ "content": [{ "type": "text", "text": "hello from the stub" }] });
    let call = json!({ "id": "a", "name": "mcp__stub__say", "arguments": { "result": result } });
    json!([{ "tool_calls": [call] }, "All is said."])
}

#[tokio::test]
async fn a_call_that_waited_runs_in_the_session_that_goes_on() {
    let home = with_stub();
    let mut app = Console::scripted(&home, &call());
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("waits for you").await;
    app.sees("of the MCP server stub").await;
    app.quits().await;
    assert!(home.entries("tool_result").is_empty() && !home.read("journal").contains("call say"));

    let script = json!(["All is said."]).to_string();
    let mut app = Console::start(&home, USUAL, &["resume", "--last", "--script", &script]);
    app.sees("waits for you").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("All is said.").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("tool_result", "content"), ["hello from the stub"]);
    assert_eq!(home.texts("tool_result", "outcome"), ["ok"]);
    assert_eq!(home.read("journal").matches("call say").count(), 1);
}

#[tokio::test]
async fn always_offers_the_one_tool_and_the_list_of_rules_has_it() {
    let home = with_stub();
    let result = json!({ "content": [{ "type": "text", "text": "hello" }] });
    let say = |id: &str| json!({ "tool_calls": [{ "id": id, "name": "mcp__stub__say", "arguments": { "result": result } }] });
    let mut app = Console::scripted(&home, &json!([say("a"), say("b"), "All is said."]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.has_the_keys().await;
    app.sees("always: mcp__stub__say").await;
    app.answers("a").await;
    app.sees("as marked").await;
    app.answers("a").await;
    // The second call is covered by the rule.
    app.sees("All is said.").await;
    app.rests().await;
    app.keys("/permissions\r").await;
    app.until("the rule and what it last spoke of", |screen| {
        screen.contains("mcp__stub__say") && screen.contains("c2")
    })
    .await;
    app.keys(ESC).await;
    app.sees_no("last matched").await;
    app.quits().await;
    assert_eq!(home.texts("tool_result", "outcome"), ["ok", "ok"]);
    assert_eq!(home.texts("approval", "rule").last().map(String::as_str), Some("mcp__stub__say"));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_ends_with_the_app() {
    let home = with_stub();
    let mut app = Console::start(&home, USUAL, &["--script", &call().to_string(), "--allow", "mcp__stub__*"]);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("All is said.").await;
    let here = home.workspace().canonicalize().unwrap();
    let living = || {
        let all = std::fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
        all.filter(|process| std::fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == here)).count()
    };
    assert_eq!(living(), 2, "the app and its server");
    app.rests().await;
    app.quits().await;
    assert_eq!(living(), 0);
}

#[tokio::test]
async fn esc_takes_a_call_back_at_the_server_which_lives_on() {
    let home = with_stub();
    let hang = json!({ "tool_calls": [{ "id": "a", "name": "mcp__stub__hang", "arguments": {} }] });
    let result = json!({ "content": [{ "type": "text", "text": "hello again" }] });
    let say =
        json!({ "tool_calls": [{ "id": "b", "name": "mcp__stub__say", "arguments": { "result": result } }] });
    let script = json!([hang, say, "All is said."]).to_string();
    let mut app = Console::start(&home, USUAL, &["--script", &script, "--allow", "mcp__stub__*"]);
    app.sees("ask anything").await;
    app.says("go").await;
    app.meanwhile("the call", || home.has("journal") && home.read("journal").contains("call hang")).await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    app.meanwhile("the word that it is taken back", || home.read("journal").contains("cancelled")).await;
    app.says("go on").await;
    app.sees("All is said.").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("tool_result", "outcome"), ["aborted", "ok"]);
    assert_eq!(home.read("journal").matches("started").count(), 1, "the same server");
}

#[tokio::test]
async fn what_a_server_says_steers_no_terminal_when_its_tool_is_called_by_hand() {
    let home = with_stub();
    let result =
        json!({ "content": [{ "type": "text", "text": "one\u{1b}]0;planted\u{7}\u{1b}[2J\u{202e}two" }] });
    let arguments = json!({ "result": result }).to_string();
    for (words, shown) in [
        (&["mcp", "call", "stub", "say", &arguments][..], "one^[]0;planted^G^[[2J\\u{202e}two"),
        (&["mcp", "call", "stub", "refuse"], "the server refused the call: no[2J such thing"),
        (&["-c", "mcp_servers.stub.args=['dies']", "mcp", "call", "stub", "say"], "no [2Jdatabase for"),
        (&["-c", "mcp_servers.stub.args=['dies']", "mcp", "test"], "no [2Jdatabase for"),
        (&["-c", "mcp_servers.stub.args=['hostile']", "mcp", "test"], "mcp__stub__steer"),
        (&["mcp", "list"], "starts"),
        (&["doctor"], "MCP server stub"),
    ] {
        let mut app = Console::start(&home, (200, 60), words);
        app.sees(shown).await;
        app.ends().await;
        let said = String::from_utf8_lossy(&app.bytes).into_owned();
        for steers in ["\u{1b}]0;", "\u{1b}[2J", "\u{202e}", "\u{7}"] {
            assert!(!said.contains(steers), "{words:?}: {steers:?} in {said:?}");
        }
    }
}
