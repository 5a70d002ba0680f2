//! A task for another agent in the app: asked about with where it goes, interrupted, and told what became of it.

use serde_json::{Value, json};

use super::console::{Console, ESC, USUAL};
use super::home::Home;
use crate::a2a::agent::{Agent, KEY};
use crate::a2a::way::Way;

fn handed(task: &str) -> Value {
    let call = json!({ "id": "a", "name": "delegate_to_writer", "arguments": { "task": task } });
    json!({ "tool_calls": [call] })
}

/// A home that knows the agent `writer`, and an app in it whose model hands over a task that never ends.
fn begin(agent: &Agent, rules: &str) -> (Home, Console) {
    let home = Home::new();
    let folder = home.root().join("config/countersign");
    std::fs::create_dir_all(&folder).unwrap();
    let writer = format!("[agents.writer]\nurl = '{}'\nheaders.X-Key = '{KEY}'\n", agent.site.url());
    std::fs::write(folder.join("config.toml"), format!("{rules}\n{writer}")).unwrap();
    let app = Console::scripted(&home, &json!([handed("slow epic"), "Never."]));
    (home, app)
}

#[tokio::test]
async fn esc_takes_a_task_back_and_the_agent_s_word_comes_as_a_note() {
    let agent = Agent::of(Way::NEWEST, None, None);
    let (home, mut app) = begin(&agent, "");
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("a task for another agent").await;
    app.sees(&format!("sent to {}/rpc", agent.site.url())).await;
    app.sees("slow epic").await;
    assert!(agent.site.methods().is_empty(), "nothing is sent before it is allowed");
    app.answers("y").await;
    app.sees("on it").await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    app.sees("Canceled, as the agent writer confirms (its task t-1).").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(agent.state("t-1"), "canceled");
    assert_eq!(home.texts("delegation_response", "state"), ["unknown"]);
    let notes = home.texts("note", "text");
    assert_eq!(notes.last().unwrap(), "Canceled, as the agent writer confirms (its task t-1).");
}

#[tokio::test]
async fn closing_the_app_takes_a_task_back() {
    let agent = Agent::of(Way::NEWEST, None, None);
    let (home, mut app) = begin(&agent, "allow = ['delegate_to_writer']");
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("on it").await;
    app.signal(rustix::process::Signal::TERM);
    app.ends().await;
    assert_eq!(agent.state("t-1"), "canceled");
    assert_eq!(home.texts("tool_result", "outcome"), ["aborted"]);
}

#[tokio::test]
async fn a_task_that_waited_is_sent_under_its_key_by_the_session_that_goes_on() {
    let agent = Agent::of(Way::NEWEST, None, None);
    let (home, mut app) = begin(&agent, "");
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("a task for another agent").await;
    app.quits().await;
    assert!(home.entries("tool_result").is_empty() && agent.site.methods().is_empty());

    let script = json!([handed("echo two"), "All is said."]).to_string();
    let mut app = Console::start(&home, USUAL, &["resume", "--last", "--script", &script]);
    app.sees("waits for you").await;
    app.sees("y once").await;
    app.answers("a").await;
    app.sees("always: delegate_to_writer").await;
    app.sees("as marked").await;
    app.answers("a").await;
    app.sees("on it").await;
    app.keys(ESC).await;
    app.sees("Canceled, as the agent writer confirms (its task t-1).").await;
    app.rests().await;
    app.says("again").await;
    // The rule covers the second task.
    app.sees("All is said.").await;
    app.rests().await;
    app.keys("/permissions\r").await;
    app.until("the rule and what it last spoke of", |screen| {
        screen.contains("delegate_to_writer") && screen.contains("c2")
    })
    .await;
    app.keys(ESC).await;
    // What follows an Esc at once would be one key with it.
    app.sees_no("last matched").await;
    app.quits().await;
    let session = home.texts("session_started", "session").remove(0);
    let asked = agent.site.asked();
    let sent = asked.iter().filter_map(|one| one.body["params"]["message"]["messageId"].as_str());
    assert_eq!(sent.collect::<Vec<_>>(), [format!("{session}-c1"), format!("{session}-c2")]);
    assert_eq!(home.texts("approval", "key"), [format!("{session}-c1"), format!("{session}-c2")]);
    assert_eq!(home.texts("approval", "rule"), ["delegate_to_writer", "delegate_to_writer"]);
}
