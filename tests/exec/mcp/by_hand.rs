//! `countersign mcp` and what `doctor` says of servers: listed, tested and called by a person, with nothing left behind.

use std::fs;
use std::process::Stdio;

use super::{journal, mcp_json, run, saying, server, started, with_stub};
use crate::world::{World, text};

#[test]
fn servers_are_listed_and_tested() {
    let world = World::new();
    assert!(run(&world, &["mcp", "list"]).out.starts_with("No MCP server is configured."));
    assert_eq!(run(&world, &["mcp", "test"]).code, 0);
    let text = format!(
        "{}[mcp_servers.off]\nurl = 'https://h.example/?k=planted'\nenabled = false\n",
        server(&world, "reads = ['say']")
    );
    let world = world.configured(&text);
    mcp_json(&world, r#"{"mcpServers": {"theirs": {"command": "evil"}}}"#);
    let ran = run(&world, &["mcp", "list"]);
    for shown in [
        "stub\n  starts ",
        "  runs its tools say without asking\n",
        "config/countersign/config.toml:2: yours\n",
        "off\n  reaches https://h.example/?…\n",
        "yours, switched off\n",
        "theirs\n  starts evil\n",
        ".mcp.json:1: not trusted, so nothing starts it",
    ] {
        assert!(ran.out.contains(shown), "{shown} in {}", ran.out);
    }
    assert!(!started(&world) && !ran.out.contains("planted"));
    let ran = run(&world, &["mcp", "test"]);
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(
        ran.out.starts_with("stub: answers as ") && ran.out.contains("1.2.3, protocol 2025-06-18, with "),
        "{}",
        ran.out
    );
    let effect = |tool: &str| {
        let line = ran.out.lines().find(|line| line.split_whitespace().next() == Some(tool));
        line.unwrap().split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!(
        (effect("mcp__stub__say"), effect("mcp__stub__who")),
        ("reads".to_owned(), "sends".to_owned())
    );
    let ran = run(&world, &["-c", "mcp_servers.gone.command=not-there", "mcp", "test"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    assert!(
        ran.out.contains("gone: does not answer\n  ") && ran.out.contains("stub: answers as "),
        "{}",
        ran.out
    );
}

#[test]
fn a_tool_is_called_by_hand() {
    let world = with_stub("");
    mcp_json(&world, r#"{"mcpServers": {"theirs": {"command": "evil"}}}"#);
    let said = saying("by hand \u{1b}[2J").to_string();
    for tool in ["say", "mcp__stub__say"] {
        let ran = run(&world, &["mcp", "call", "stub", tool, &said]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        assert!(ran.out.starts_with("by hand "), "{}", ran.out);
    }
    let ran = run(&world, &["mcp", "call", "stub", "refuse"]);
    assert_eq!(ran.code, 1, "{}", ran.out);
    for (words, wanted) in [
        (&["stubb", "say"][..], "there is no MCP server stubb; next: did you mean stub?"),
        (&["stub", "sai"], "has no tool called sai; next: did you mean say?"),
        (&["stub", "say", "[]"], "the arguments are not an object"),
        (&["stub", "say", "{"], "the arguments are not JSON"),
        (&["theirs", "say"], "whose folder is not trusted"),
    ] {
        let ran = run(&world, &[&["mcp", "call"], words].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}");
        assert!(ran.complaint().contains(wanted), "{}", ran.err);
    }
    assert_eq!(world.sessions().len(), 0, "nothing of it is recorded");
}

#[test]
fn what_is_called_by_hand_leaves_nothing_when_it_is_interrupted() {
    let world = with_stub("");
    let mut child =
        world.program().args(["mcp", "call", "stub", "hang"]).stderr(Stdio::null()).spawn().unwrap();
    let called = || fs::read_to_string(journal(&world)).unwrap_or_default().contains("call hang");
    while !called() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    let id = i32::try_from(child.id()).unwrap();
    let servers = || {
        let here = world.work();
        let all = fs::read_dir("/proc").unwrap().filter_map(|entry| Some(entry.ok()?.path()));
        all.filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == here)).count()
    };
    assert_eq!(servers(), 2, "the program and the server");
    rustix::process::kill_process(rustix::process::Pid::from_raw(id).unwrap(), rustix::process::Signal::INT)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(servers(), 0, "the server was left");
}

#[test]
fn doctor_says_what_a_server_needs_and_starts_none() {
    let world = World::new();
    let config = format!(
        "{}[mcp_servers.gone]\ncommand = 'not-there'\n[mcp_servers.unset]\nurl = '${{NOT_SET}}'\n\
         [mcp_servers.open]\nurl = 'http://mcp.example/'\nheaders.X = 'y'\n[mcp_servers.off]\ncommand = 'x'\nenabled = false\n",
        server(&world, "")
    );
    let world = world.configured(&config);
    mcp_json(&world, r#"{"mcpServers": {"theirs": {"command": "evil"}}}"#);
    let ran = run(&world, &["doctor", "--json"]);
    let found = |name: &str| {
        let about = format!("MCP server {name}: ");
        let all = ran.events();
        let one = all.iter().find(|one| one["message"].as_str().is_some_and(|said| said.starts_with(&about)));
        let one = one.unwrap_or_else(|| panic!("{name} in {}", ran.out)).clone();
        (text(&one, "status"), text(&one, "message") + " | " + &text(&one, "mend"))
    };
    for (name, status, words) in [
        ("stub", "ok", "`countersign mcp test stub` tries it"),
        ("gone", "problem", "\"not-there\" was not found in PATH | install it"),
        ("open", "warning", "its headers are sent unencrypted"),
        ("off", "skipped", "is switched off"),
        ("theirs", "warning", "is not trusted | run `countersign trust` to see what it would start"),
    ] {
        let (was, said) = found(name);
        assert!(was == status && said.contains(words), "{name}: {was} {said}");
    }
    assert!(ran.out.contains("mcp_servers.unset.url: the variable NOT_SET is not set"), "{}", ran.out);
    assert!(!started(&world));
}
