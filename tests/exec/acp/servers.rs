//! MCP servers of the editor: their tools wait for a decision like those of the configuration, which comes first.

use serde_json::json;

use super::client::{Editor, calls};
use crate::mcp::saying;
use crate::mcp_site::Site;
use crate::stub_server;
use crate::world::World;

fn opened(world: &World, name: &str, tool: &str) -> (Editor, String, Vec<String>) {
    let script = json!([calls(tool, saying("hello")), "Done."]).to_string();
    let mut editor = Editor::start(world, &["--mode", "ask", "--script", &script]);
    let server = json!({ "name": name, "command": stub_server::program(), "args": [], "env": [] });
    let opened = editor.ask("session/new", json!({ "cwd": world.work(), "mcpServers": [server] }));
    let notices = opened["_meta"]["countersign/notices"].as_array().unwrap();
    let notices = notices.iter().map(|one| one.as_str().unwrap().to_owned()).collect();
    (editor, opened["sessionId"].as_str().unwrap().to_owned(), notices)
}

#[test]
fn a_tool_of_the_editors_server_is_asked_about_and_called() {
    let world = World::new();
    let (mut editor, session, notices) = opened(&world, "my stub", "mcp__my-stub__say");
    assert!(notices.is_empty(), "{notices:?}");
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked("session/request_permission");
    assert!(request["params"]["toolCall"]["title"].as_str().unwrap().starts_with("mcp__my-stub__say"));
    // An editor that shows no `rawInput` shows what is asked about all the same.
    let shown = request["params"]["toolCall"]["content"][0]["content"]["text"].as_str().unwrap();
    assert!(shown.contains("\"text\": \"hello\""), "{shown}");
    editor.choose(&request, "once");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let result = world.entries().into_iter().find(|entry| entry["type"] == "tool_result").unwrap();
    assert_eq!(result["outcome"], "ok", "{result}");
    editor.leave();
}

#[test]
fn a_server_at_an_address_gets_its_headers_and_its_tool_is_asked_about() {
    let (world, site) = (World::new(), Site::good());
    let script = json!([calls("mcp__far__get", json!({})), "Done."]).to_string();
    let mut editor = Editor::start(&world, &["--mode", "ask", "--script", &script]);
    let headers = json!([{ "name": "X-Mine", "value": "of-the-editor" }]);
    let server = json!({ "type": "http", "name": "far", "url": site.url(), "headers": headers });
    let opened = editor.ask("session/new", json!({ "cwd": world.work(), "mcpServers": [server] }));
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked("session/request_permission");
    assert_eq!(site.count("tools/call"), 0);
    editor.choose(&request, "once");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    editor.leave();
    assert_eq!(site.count("tools/call"), 1);
    assert!(site.asked().iter().all(|one| one.head.contains("x-mine: of-the-editor")));
}

#[test]
fn a_server_of_the_configuration_stands_also_if_it_is_switched_off() {
    let world = World::new().configured("[mcp_servers.stub]\nenabled = false\n");
    let (mut editor, session, notices) = opened(&world, "stub", "mcp__stub__say");
    assert!(notices[0].contains("the MCP server stub of the editor is left out"), "{notices:?}");
    let prompt = editor.prompt(&session, "go");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let result = world.entries().into_iter().find(|entry| entry["type"] == "tool_result").unwrap();
    assert_eq!(result["outcome"], "unknown_tool", "{result}");
    editor.leave();
}

#[test]
fn servers_that_are_none_are_refused_or_left_out() {
    let world = World::new();
    let mut editor = Editor::start(&world, &["--script", r#"["Hi."]"#]);
    for server in [
        json!({ "name": "a" }),
        json!({ "type": "sse", "name": "a", "url": "http://127.0.0.1:1/", "headers": [] }),
        json!({ "name": "a", "command": "x", "args": [1], "env": [] }),
        json!("a"),
    ] {
        let params = json!({ "cwd": world.work(), "mcpServers": [server] });
        assert_eq!(editor.refused("session/new", params.clone()).0, -32602, "{params}");
    }
    let many: Vec<_> =
        (0..40).map(|n| json!({ "name": format!("s{n}"), "command": "x", "args": [], "env": [] })).collect();
    assert_eq!(editor.refused("session/new", json!({ "cwd": world.work(), "mcpServers": many })).0, -32602);
    let keys = json!({ "name": "k", "command": "x", "args": ["${ANTHROPIC_API_KEY}"], "env": [] });
    let opened = editor.ask("session/new", json!({ "cwd": world.work(), "mcpServers": [keys] }));
    assert!(
        opened["_meta"]["countersign/notices"][0].as_str().unwrap().contains("contains a `${`"),
        "{opened}"
    );
    assert!(editor.leave().err.contains("note: the MCP server k of the editor is left out"));
}
