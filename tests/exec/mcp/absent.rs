//! Servers that are configured and not there: each call of a tool of theirs says what keeps them away; and who is told
//! which folder is worked in.

use serde_json::{Value, json};

use super::{journal, mcp_json, run, server, started, stub};
use crate::world::{World, script, text};

fn calls(server: &str) -> String {
    let call = json!({ "id": "a", "name": format!("mcp__{server}__say"), "arguments": {} });
    script(json!([{ "tool_calls": [call] }, "Done."]))
}

#[test]
fn a_call_of_a_server_that_is_not_there_says_what_keeps_it_away() {
    let world = World::new().configured(
        "[mcp_servers.off]\ncommand = 'x'\nenabled = false\n[mcp_servers.no]\nenabled = false\n\
         [mcp_servers.unset]\ncommand = 'x'\nenv.A = '${NOT_SET}'\n[mcp_servers.gone]\ncommand = './not-there'\n",
    );
    mcp_json(&world, r#"{"mcpServers": {"theirs": {"command": "evil"}}}"#);
    for (name, wanted) in [
        ("off", "The MCP server off is configured but switched off (`enabled = false` in "),
        ("off", "config.toml:3)"),
        ("no", "The MCP server no is configured but switched off"),
        ("unset", "The MCP server unset is not started: "),
        ("unset", "the variable NOT_SET is not set; set NOT_SET"),
        ("gone", "The MCP server `gone` could not be started: program `./not-there` not found"),
        ("theirs", "The MCP server theirs is configured in "),
        (
            "theirs",
            ".mcp.json:1, a file of a project that is not trusted, so it is not started; the user can \
            review it with `countersign trust`.",
        ),
        ("other", "There is no tool mcp__other__say."),
    ] {
        let ran = world.json(&["--script", &calls(name), "go"]);
        assert_eq!((ran.code, ran.outcomes()), (0, vec!["unknown_tool".to_owned()]), "{name}: {}", ran.err);
        let said = text(&ran.one("tool_result"), "content");
        assert!(said.contains(wanted), "{name}: {said}");
        assert!(
            said.starts_with(&format!("mcp__{name}__say is not available: ")) || name == "other",
            "{said}"
        );
        // What somebody switched off or never trusted is no news to the model.
        let told: Vec<String> = ran.all("injected").iter().map(|one| text(one, "text")).collect();
        assert!(!told.iter().any(|one| one.contains("switched off") || one.contains("trusted")), "{told:?}");
    }
    let ran = run(&world, &["mcp", "test", "no"]);
    assert!(
        ran.code == 2
            && ran.complaint().contains("MCP server no is switched off (")
            && ran.complaint().contains("config.toml:5), and nothing else is configured for it; next: "),
        "{}",
        ran.err
    );
}

/// Whether the stub is told which folder is worked in.
fn is_told(world: &World) -> bool {
    let ran = run(world, &["mcp", "call", "stub", "ask"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let answers: Value = serde_json::from_str(ran.out.trim()).unwrap();
    answers["roots/list"]["roots"][0]["uri"] == json!(format!("file://{}", world.work().display()))
}

#[test]
fn a_server_of_one_s_own_is_told_the_folder_only_when_it_is_to_be() {
    for (more, told) in [("", false), ("roots = false", false), ("roots = true", true)] {
        let world = World::new();
        let text = server(&world, more);
        let world = world.configured(&text);
        assert_eq!(is_told(&world), told, "{more}");
        let list = run(&world, &["mcp", "list"]).out;
        assert_eq!(list.contains("  is told the working folder\n"), told, "{list}");
    }
    // A program of a project works there; the user and the project can still say no.
    let world = World::new();
    let args = [format!("journal={}", journal(&world).display())];
    mcp_json(&world, &json!({ "mcpServers": { "stub": { "command": stub(), "args": args } } }).to_string());
    assert_eq!(run(&world, &["trust", "--yes"]).code, 0);
    assert!(is_told(&world) && started(&world));
    let ran = run(&world, &["-c", "mcp_servers.stub.roots=false", "mcp", "call", "stub", "ask"]);
    assert!(ran.out.contains(r#""roots/list":-32601"#), "{}{}", ran.out, ran.err);
}
