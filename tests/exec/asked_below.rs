//! Calls of sub-agents that need a decision, where the session's own front is a program: it is asked by names that no other call
//! has, decides as about calls of the session, and what nobody decides does not run.

use std::fs;

use serde_json::{Value, json};

use crate::books;
use crate::steered::{Steered, answer};
use crate::world::{World, of_type, script, text};

fn delegate(agent: &str) -> Value {
    json!({ "name": format!("delegate_to_{agent}"), "arguments": { "task": "Make it." } })
}

fn touch(file: &str) -> Value {
    json!({ "name": "shell", "arguments": { "command": format!("touch {file}") } })
}

/// A session that asks a sub-agent, which makes a file by a command.
fn one_below() -> String {
    script(json!([
        { "tool_calls": [delegate("general")] },
        { "tool_calls": [touch("made")] },
        "It is made.",
        "Done.",
    ]))
}

/// The entries of the sub-agent whose session ends so.
fn below(world: &World, ending: &str) -> Vec<Value> {
    let is_it = |path: &std::path::PathBuf| path.to_string_lossy().ends_with(&format!("{ending}.jsonl"));
    let file = world.sessions().into_iter().find(is_it).unwrap();
    fs::read_to_string(file).unwrap().lines().map(books::unchained).collect()
}

fn started(world: &World, script: &str) -> Steered {
    Steered::start(world, &["--mode", "ask", "--script", script, "go"])
}

fn rejected(run: &mut Steered, line: &Value, why: &str) {
    run.say(line);
    let event = run.until("input_rejected");
    assert!(text(&event, "why").contains(why), "{event}");
}

#[test]
fn a_program_decides_about_the_call_of_a_subagent() {
    let world = World::new();
    let mut run = started(&world, &one_below());
    let request = run.until("approval_request");
    let id = text(&request, "id");
    let session = text(&request["subagent"], "session");
    assert_eq!(id, "c1/c1", "{request}");
    assert_eq!((&request["name"], &request["subagent"]["name"]), (&json!("shell"), &json!("general")));
    assert_eq!((&request["subagent"]["call"], request.get("entry")), (&json!("c1"), None));
    assert!(session.ends_with("-c1"), "{request}");
    // The number alone is that of the session's own call, and the digest must be that of the request.
    let mut other = answer(&request, "allow");
    other["id"] = json!("c1");
    rejected(&mut run, &other, "no call `c1` waits");
    for id in ["c1/c2", "c2/c1", "c1/c1/c1", "c01/c1", "c1/", "/c1"] {
        other["id"] = json!(id);
        rejected(&mut run, &other, &format!("no call `{id}` waits"));
    }
    let mut earlier = answer(&request, "allow");
    earlier["request"] = json!("e0");
    rejected(&mut run, &earlier, "request e0 is not the one of call c1/c1 that waits");
    let mut forged = answer(&request, "allow");
    forged["digest"] = json!("0");
    rejected(&mut run, &forged, "the digest is not that of call c1/c1, which still waits");
    assert!(!world.work().join("made").exists());
    run.say(&answer(&request, "allow"));
    let decided = run.until("approval");
    assert_eq!((&decided["id"], &decided["subagent"]["session"]), (&json!("c1/c1"), &json!(session)));
    assert_eq!((&decided["by"], &decided["digest"]), (&json!("user"), &request["digest"]));
    run.until("turn_ended");
    rejected(&mut run, &answer(&request, "allow"), "no call `c1/c1` waits");
    let ran = run.end();
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(world.work().join("made").exists());
    let approvals = of_type(&below(&world, "-c1"), "approval");
    assert_eq!((&approvals[0]["decision"], &approvals[0]["by"]), (&json!("allow"), &json!("user")));
    for session in [session.as_str(), session.trim_end_matches("-c1")] {
        let checked = world.sessions_cli(&["check", session]);
        assert_eq!(checked.code, 0, "{}", checked.out);
    }
}

#[test]
fn a_denial_is_told_to_the_subagent_and_named_at_the_end() {
    let world = World::new();
    let mut run = started(&world, &one_below());
    let mut denial = answer(&run.until("approval_request"), "deny");
    denial["reason"] = json!("not that file");
    run.say(&denial);
    run.until("turn_ended");
    let ran = run.end();
    assert_eq!(ran.code, 4, "{}", ran.err);
    assert!(ran.err.contains("denied by user: sub-agent general c1: shell $ touch made"), "{}", ran.err);
    let result = of_type(&below(&world, "-c1"), "tool_result").remove(0);
    assert!(text(&result, "content").contains("not that file"), "{result}");
    assert!(!world.work().join("made").exists());
}

#[test]
fn subagents_of_subagents_are_asked_about_by_their_whole_way() {
    let world = World::new();
    let folder = world.place().join("config/countersign/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("lead.md"), "---\ndescription: Leads\n---\nHand it on.\n").unwrap();
    let replies = script(json!([
        { "tool_calls": [delegate("lead")] },
        { "tool_calls": [delegate("general")] },
        { "tool_calls": [touch("deep")] },
        "It is made.", "They made it.", "Done.",
    ]));
    let mut run = started(&world, &replies);
    let request = run.until("approval_request");
    assert_eq!((&request["id"], &request["subagent"]["call"]), (&json!("c1/c1/c1"), &json!("c1/c1")));
    assert_eq!(&request["subagent"]["name"], &json!("general"));
    assert!(text(&request["subagent"], "session").ends_with("-c1-c1"));
    run.say(&answer(&request, "allow"));
    run.until("turn_ended");
    assert_eq!(run.end().code, 0);
    assert!(world.work().join("deep").exists());
    assert_eq!(of_type(&below(&world, "-c1-c1"), "approval")[0]["by"], "user");
}

#[test]
fn two_subagents_with_the_same_numbers_are_told_apart() {
    let world = World::new();
    // Both ask about their first call; which of them gets which command is chance.
    let replies = script(json!([
        { "tool_calls": [delegate("general"), delegate("general")] },
        { "tool_calls": [touch("one")] }, { "tool_calls": [touch("two")] },
        "Mine is over.", "Mine is over.", "Done.",
    ]));
    let mut run = started(&world, &replies);
    let (first, second) = (run.until("approval_request"), run.until("approval_request"));
    let mut ids = [text(&first, "id"), text(&second, "id")];
    ids.sort();
    assert_eq!(ids, ["c1/c1", "c2/c1"]);
    let mut crossed = answer(&second, "allow");
    crossed["digest"] = first["digest"].clone();
    rejected(&mut run, &crossed, "the digest is not that of call");
    run.say(&answer(&second, "allow"));
    run.say(&answer(&first, "deny"));
    run.until("turn_ended");
    assert_eq!(run.end().code, 4);
    let made = |request: &Value| text(&request["arguments"], "command").replace("touch ", "");
    assert!(world.work().join(made(&second)).exists() && !world.work().join(made(&first)).exists());
}

#[test]
fn an_interrupt_settles_a_subagent_that_waits() {
    let world = World::new();
    let replies = script(json!([
        { "tool_calls": [delegate("general")] },
        { "tool_calls": [touch("made")] },
        "Two.",
    ]));
    let mut run = started(&world, &replies);
    let request = run.until("approval_request");
    run.say(&json!({ "type": "interrupt" }));
    assert_eq!(run.until("turn_ended")["reason"], "aborted_tools");
    rejected(&mut run, &answer(&request, "allow"), "no call `c1/c1` waits");
    run.say(&json!({ "type": "user_message", "content": "go on" }));
    assert_eq!(run.until("turn_ended")["text"], "Two.");
    assert_eq!(run.end().code, 0);
    let own = below(&world, "-c1");
    assert_eq!(text(&of_type(&own, "tool_result")[0], "outcome"), "aborted");
    assert!(of_type(&own, "approval").is_empty() && !world.work().join("made").exists());
}

#[test]
fn a_sub_agent_in_the_background_says_that_it_waits() {
    let world = World::new();
    let mut handed = delegate("general");
    handed["arguments"]["background"] = json!(true);
    // Whichever of both asks first, the other has words.
    let both = json!({ "tool_calls": [touch("made")] });
    let replies = script(json!([{ "tool_calls": [handed] }, both, both, "Done.", "Done."]));
    let mut run = started(&world, &replies);
    let waits = run.until("subagent_waits");
    assert_eq!((&waits["call"], &waits["waits"]), (&json!("c1"), &json!(true)));
    run.end();
}

#[test]
fn when_stdin_ends_nobody_decides_and_the_subagent_is_told() {
    let world = World::new();
    let mut run = started(&world, &one_below());
    run.until("approval_request");
    let ran = run.end();
    assert_eq!((ran.code, ran.reason().as_str()), (4, "completed"), "{}", ran.err);
    assert!(ran.err.contains("denied by nobody: sub-agent general c1: shell"), "{}", ran.err);
    let own = below(&world, "-c1");
    let approval = of_type(&own, "approval").remove(0);
    assert_eq!((&approval["decision"], &approval["by"]), (&json!("deny"), &json!("nobody")));
    assert!(text(&of_type(&own, "tool_result")[0], "content").contains("Nobody decided"));
    assert!(!world.work().join("made").exists());
    // What was decided before stdin ended counts.
    let world = World::new();
    let mut run = started(&world, &one_below());
    let request = run.until("approval_request");
    run.say(&answer(&request, "allow"));
    let ran = run.end();
    assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{}", ran.err);
    assert!(world.work().join("made").exists());
}

#[test]
fn without_a_program_the_flag_decides_for_subagents_too() {
    let world = World::new();
    let ran = world.json(&["--mode", "ask", "--script", &one_below(), "go"]);
    assert_eq!((ran.code, ran.reason().as_str()), (4, "completed"), "{}", ran.err);
    assert!(ran.err.contains("denied by policy: sub-agent general c1: shell $ touch made"), "{}", ran.err);
    let request = ran.one("approval_request");
    assert_eq!((&request["id"], request.get("digest")), (&json!("c1/c1"), None));
    let decided = ran.all("approval").into_iter().find(|event| event["id"] == "c1/c1").unwrap();
    assert_eq!((&decided["decision"], &decided["by"]), (&json!("deny"), &json!("policy")));

    let world = World::new();
    let ran = world.json(&["--mode", "ask", "--on-approval", "stop", "--script", &one_below(), "go"]);
    assert_eq!((ran.code, ran.reason().as_str()), (4, "approval_required"), "{}", ran.err);
    let own = below(&world, "-c1");
    assert_eq!(text(&of_type(&own, "turn_ended")[0], "reason"), "approval_required");
    let checked = world.sessions_cli(&["check", "--last"]);
    assert_eq!(checked.code, 0, "{}", checked.out);
    assert!(!world.work().join("made").exists());
}
