//! The mock exports of seeds 2 and 5, to the letter: what the shell hands over when they are pasted into it, through
//! the real program and back out of `sessions show --events`.

use serde_json::{Value, json};

use crate::a2a::agent::{Agent, KEY};
use crate::a2a::way::Way;
use crate::world::{Ran, World, parse, text};

/// Seed 2 is the two-phase loop; the echo tool is for tests.
const TWO_PHASES: [&str; 4] = ["-c", "tools.echo=true", "-c", "loop.final_response=separate"];
const ONE_PHASE: [&str; 2] = ["-c", "tools.echo=true"];

/// What a run of this export told, and the session in short.
fn play(export: &str, flags: &[&str]) -> (Ran, Vec<Value>) {
    play_in(World::new(), export, flags)
}

/// The same where the two agents of the seeds are, which say back what they are told.
fn play_with_agents(export: &str, flags: &[&str]) -> (Ran, Vec<Value>) {
    let agent = Agent::of(Way::NEWEST, None, None);
    let named = |name| format!("[agents.{name}]\nurl = '{}'\nheaders.X-Key = '{KEY}'\n", agent.site.url());
    let config = format!("allow = ['delegate_to_*']\n{}{}", named("researcher"), named("worker"));
    play_in(World::new().configured(&config), export, flags)
}

fn play_in(world: World, export: &str, flags: &[&str]) -> (Ran, Vec<Value>) {
    let world = world.with("DEBUG_MOCK_RESPONSES", export);
    let ran = world.json(&[flags, &["Go on."]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let short = world.sessions_cli(&["show", "--last", "--events"]);
    assert_eq!((short.code, short.err.as_str()), (0, ""));
    (ran, parse(&short.out))
}

/// The memory events of a run, as the seeds name them, in its own order.
fn told(ran: &Ran) -> Vec<String> {
    let names = ["user_message", "tool_call", "progress", "tool_result", "agent_response"];
    let kinds = ran.events().iter().map(|event| text(event, "type")).collect::<Vec<_>>();
    kinds.into_iter().filter(|kind| names.contains(&kind.as_str())).collect()
}

fn names(short: &[Value]) -> Vec<String> {
    short.iter().map(|event| text(event, "type")).collect()
}

/// A delegation in short: `content` is what was answered, by the agent as its task, or by us where there is no agent.
fn delegated(short: &[Value], [agent, task, answer]: [&str; 3], content: &str, is_there: bool) {
    let (task_id, state) =
        if is_there { (json!("t-1"), json!("completed")) } else { (Value::Null, Value::Null) };
    assert_eq!(
        short,
        [
            json!({ "type": "user_message", "content": "Go on." }),
            json!({ "type": "delegation_request", "id": "c1", "agent": agent, "task": task }),
            json!({ "type": "delegation_response", "id": "c1", "agent": agent, "content": content,
                "is_error": !is_there, "task_id": task_id, "state": state }),
            json!({ "type": "agent_response", "text": answer }),
        ]
    );
}

/// The export with its agents, and without them.
fn delegates(export: &str, flags: &[&str], said: [&str; 3]) {
    let (ran, short) = play_with_agents(export, flags);
    assert_eq!((ran.outcomes(), ran.ended()["text"].as_str()), (vec!["ok".to_owned()], Some(said[2])));
    assert_eq!(
        ran.one("progress"),
        json!({ "type": "progress", "step": 1, "action": "delegate", "target": said[0] })
    );
    delegated(&short, said, said[1], true);
    let (ran, short) = play(export, flags);
    assert_eq!(ran.outcomes(), ["unknown_tool"], "it reached the registry");
    let heard = text(&short[2], "content");
    let agent = said[0];
    assert!(
        heard.starts_with(&format!("There is no agent {agent}: [agents.{agent}] is not configured")),
        "{heard}"
    );
    delegated(&short, said, &heard, false);
}

fn echoed() -> [Value; 4] {
    [
        json!({ "type": "user_message", "content": "Go on." }),
        json!({ "type": "tool_call", "id": "c1", "name": "echo", "arguments": { "text": "hello" } }),
        json!({ "type": "tool_result", "id": "c1", "name": "echo", "content": "hello", "is_error": false }),
        json!({ "type": "agent_response", "text": "The echo returned: hello" }),
    ]
}

#[test]
fn a_tool_call_of_seed_2() {
    let export = r#"["{\"tool_calls\": [{\"id\": \"call_1\", \"name\": \"echo\", \"arguments\": {\"text\": \"hello\"}}]}", "No more actions.", "The echo returned: hello"]"#;
    let string_mode = [&TWO_PHASES[..], &["--tools", "string"]].concat();
    for flags in [&TWO_PHASES[..], &string_mode] {
        let (ran, short) = play(export, flags);
        assert_eq!(
            told(&ran),
            [
                "user_message",
                "agent_response",
                "tool_call",
                "progress",
                "tool_result",
                "agent_response",
                "agent_response"
            ]
        );
        assert_eq!(
            ran.one("progress"),
            json!({ "type": "progress", "step": 1, "action": "tool_call", "target": "echo" })
        );
        assert_eq!(ran.one("tool_call")["wire_id"], "call_1", "both modes keep the id that was sent");
        assert_eq!(ran.ended()["text"], "The echo returned: hello");
        assert_eq!(short, echoed(), "user_message, tool_call, tool_result, agent_response");
    }
}

#[test]
fn a_delegation_of_seed_2() {
    let answer = "Based on the research, quantum computing uses qubits.";
    let export = r#"["{\"tool_calls\": [{\"id\": \"call_1\", \"name\": \"delegate_to_researcher\", \"arguments\": {\"task\": \"Find quantum info\"}}]}", "No more actions.", "Based on the research, quantum computing uses qubits."]"#;
    delegates(export, &TWO_PHASES, ["researcher", "Find quantum info", answer]);
    let export = r#"["{\"tool_calls\": [{\"id\": \"call_1\", \"name\": \"delegate_to_worker\", \"arguments\": {\"task\": \"process data\"}}]}", "No more actions.", "Done."]"#;
    delegates(export, &TWO_PHASES, ["worker", "process data", "Done."]);
}

#[test]
fn a_simple_response_of_seed_2() {
    let (ran, short) = play(r#"["Hello! How can I help you?"]"#, &TWO_PHASES);
    assert_eq!(ran.ended()["text"], "Hello! How can I help you?");
    assert_eq!(names(&short), ["user_message", "agent_response"]);
    assert_eq!(short[1]["text"], "Hello! How can I help you?");
}

#[test]
fn a_tool_call_of_seed_5() {
    let export = r#"["I will use the echo tool.\n\n```tool_call\n{\"tool\": \"echo\", \"arguments\": {\"text\": \"hello\"}}\n```", "The echo returned: hello"]"#;
    let (ran, short) = play(export, &ONE_PHASE);
    assert_eq!(
        told(&ran),
        ["user_message", "agent_response", "tool_call", "progress", "tool_result", "agent_response"]
    );
    assert_eq!(ran.all("agent_response")[0]["text"], "I will use the echo tool.");
    assert_eq!(ran.ended()["text"], "The echo returned: hello");
    assert_eq!(short, echoed());
}

#[test]
fn a_delegation_of_seed_5() {
    let answer = "Based on the research, quantum computing uses qubits.";
    let export = r#"["I will delegate to the researcher.\n\n```delegate\n{\"agent\": \"researcher\", \"task\": \"Find quantum computing info\"}\n```", "Based on the research, quantum computing uses qubits."]"#;
    let (ran, _) = play(export, &ONE_PHASE);
    assert_eq!(ran.one("tool_call")["name"], "delegate_to_researcher");
    delegates(export, &ONE_PHASE, ["researcher", "Find quantum computing info", answer]);
    let export = r#"["```delegate\n{\"agent\": \"worker\", \"task\": \"process data\"}\n```", "Done."]"#;
    delegates(export, &ONE_PHASE, ["worker", "process data", "Done."]);
}

#[test]
fn echo_is_there_when_the_configuration_says_so() {
    let call =
        r#"[{"tool_calls":[{"name":"echo","arguments":{"msg":"hi"}},{"name":"echo","arguments":{}}]},"ok"]"#;
    let outcomes = |flags: &[&str]| World::new().json(&[flags, &["--script", call, "x"]].concat()).outcomes();
    assert_eq!(outcomes(&[]), ["unknown_tool", "unknown_tool"]);
    assert_eq!(outcomes(&ONE_PHASE), ["ok", "failed"], "seed 2 also calls the text msg");
    let world = World::new().configured("[tools]\necho = true\n");
    assert_eq!(world.json(&["--script", call, "x"]).outcomes(), ["ok", "failed"]);
}
