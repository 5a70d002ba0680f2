//! Sub-agents use the servers of the session that starts them.

use std::fs;

use serde_json::{Value, json};

use super::{journal, saying, with_stub};
use crate::books;
use crate::races::git;
use crate::world::{World, of_type, script, text};

fn replies(agent: &str) -> String {
    script(json!([
        { "tool_calls": [{ "name": format!("delegate_to_{agent}"), "arguments": { "task": "Say hello." } }] },
        { "tool_calls": [{ "name": "mcp__stub__say", "arguments": saying("hello from the stub") }] },
        "It said hello.",
        "Done.",
    ]))
}

/// The result of the sub-agent's call.
fn result(world: &World) -> Value {
    let is_one = |path: &std::path::PathBuf| path.to_string_lossy().contains("-c1.jsonl");
    let below = fs::read_to_string(world.sessions().into_iter().find(is_one).unwrap()).unwrap();
    of_type(&below.lines().map(books::unchained).collect::<Vec<_>>(), "tool_result")[0].clone()
}

#[test]
fn a_subagent_calls_a_tool_of_a_server_that_is_started_once() {
    let world = with_stub("");
    let ran = world.json(&["--script", &replies("general"), "--allow", "mcp__stub__*", "go"]);
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]), "{}", ran.out);
    let result = result(&world);
    assert_eq!((&result["outcome"], &result["content"]), (&json!("ok"), &json!("hello from the stub")));
    let journal = fs::read_to_string(journal(&world)).unwrap();
    assert_eq!(journal.matches("started").count(), 1, "{journal}");
}

#[test]
fn its_calls_are_decided_like_all_others() {
    let world = with_stub("");
    let ran = world.json(&["--script", &replies("general"), "go"]);
    assert!(!fs::read_to_string(journal(&world)).unwrap().contains("hello"), "{}", ran.out);
}

#[test]
fn what_only_reads_and_what_works_in_a_worktree_have_no_tool_of_a_server_but_a_named_one() {
    for (head, outcome) in [
        ("tools: Read", "unknown_tool"),
        ("isolation: worktree", "unknown_tool"),
        ("tools: mcp__other", "unknown_tool"),
        ("disallowedTools: mcp__stub", "unknown_tool"),
        ("tools: mcp__stub", "ok"),
        ("tools: mcp__stub__say", "ok"),
        ("tools: mcp__stub__*\nisolation: worktree", "ok"),
    ] {
        let world = with_stub("");
        fs::remove_dir_all(world.work().join(".git")).unwrap();
        git(&world, &["init", "-q"]);
        git(&world, &["add", "."]);
        git(&world, &["commit", "-q", "-m", "first"]);
        let agents = world.config_file().parent().unwrap().join("agents");
        fs::create_dir_all(&agents).unwrap();
        let file = format!("---\nname: one\ndescription: One.\n{head}\n---\nDo it.\n");
        fs::write(agents.join("one.md"), file).unwrap();
        let ran = world.json(&["--script", &replies("one"), "--allow", "mcp__stub__*", "go"]);
        assert_eq!(text(&result(&world), "outcome"), outcome, "{head}: {}", ran.out);
    }
}
