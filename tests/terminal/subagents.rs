//! Sub-agents on the screen and in lines: a call of one waits in its panel, is decided in its session, and is recorded there.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::console::{CTRL_U, Console, ENTER, ESC, USUAL};
use super::home::Home;

/// A sub-agent that makes a file by a command, and says so.
fn script() -> Value {
    json!([
        { "text": "I ask.", "tool_calls": [{ "name": "delegate_to_general", "arguments": { "task": "Make it." } }] },
        { "text": "I make it.", "tool_calls": [{ "name": "shell", "arguments": { "command": "echo x > made.txt" } }] },
        "It is made.",
        "All done.",
    ])
}

/// The decisions in the sub-agent's own ledger.
fn decided(home: &Home) -> Vec<Value> {
    let file =
        home.session_files().into_iter().find(|path| path.to_string_lossy().contains("-c1.jsonl")).unwrap();
    let text = std::fs::read_to_string(file).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    entries.filter(|entry| entry["type"] == "approval").collect()
}

/// The app when the sub-agent's call waits.
async fn asked(home: &Home) -> Console {
    let mut app = Console::scripted(home, &script());
    app.sees("ask anything").await;
    app.says("make it").await;
    app.sees("asked by general").await;
    app
}

/// The same in lines, as soon as the message is sent.
async fn asked_in_lines(home: &Home) -> Console {
    let replies = script().to_string();
    let mut app = Console::start(home, (120, 200), &["--screen-reader", "--script", &replies]);
    app.until("a prompt", |screen| screen.trim_end().ends_with("\nyou:")).await;
    app.keys("make it\n").await;
    app
}

/// Gives the focus to the panel of the sub-agent, behind what waits, and opens its session.
async fn goes_in(app: &mut Console) {
    app.keys("\t").await;
    app.sees("this call").await;
    app.reads().await;
    app.keys("\t").await;
    app.sees("o open").await;
    app.keys(ENTER).await;
    app.sees("› general c1 (← back)").await;
}

#[tokio::test]
async fn a_call_of_a_subagent_is_decided_above_its_session_and_by_a_person_only() {
    let home = Home::new();
    let mut app = asked(&home).await;
    app.sees("Waiting for you: 1 call").await;
    // It takes no keys by itself, however long it stands there.
    app.reads().await;
    app.keys("y").await;
    app.sees("│ y").await;
    app.keys("\x7f").await;
    app.sees("│ ask anything").await;
    app.reads().await;
    assert!(!home.has("made.txt"));
    app.answers("y").await;
    app.sees("All done.").await;
    app.sees_no("asked by ").await;
    assert!(home.has("made.txt"));
    app.rests().await;
    app.quits().await;
    let decisions = decided(&home);
    assert_eq!((&decisions[0]["by"], &decisions[0]["decision"]), (&json!("user"), &json!("allow")));
    assert_eq!((&decisions[0]["id"], decisions.len()), (&json!("c1"), 1));
}

#[tokio::test]
async fn a_denial_above_with_a_reason_reaches_the_subagent() {
    let home = Home::new();
    let mut app = asked(&home).await;
    app.answers("r").await;
    app.sees("reason: ").await;
    app.keys("not that one").await;
    app.keys(ENTER).await;
    app.sees("All done.").await;
    app.rests().await;
    app.quits().await;
    let decisions = decided(&home);
    assert_eq!(
        (&decisions[0]["decision"], &decisions[0]["reason"]),
        (&json!("deny"), &json!("not that one"))
    );
    assert!(!home.has("made.txt"));
}

#[tokio::test]
async fn a_call_is_decided_in_the_session_of_its_subagent_too() {
    let home = Home::new();
    let mut app = asked(&home).await;
    goes_in(&mut app).await;
    app.sees_no("asked by ").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    assert!(home.has("made.txt"));
    app.keys("\x1b[D").await;
    app.sees("All done.").await;
    app.sees_no("← back").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(decided(&home)[0]["by"], "user");
}

#[tokio::test]
async fn a_call_stands_anew_for_who_comes_back_from_the_session_of_its_subagent() {
    let home = Home::new();
    let mut app = asked(&home).await;
    goes_in(&mut app).await;
    app.reads().await;
    let began = Instant::now();
    app.keys("\x1b[D").await;
    app.sees_no("← back").await;
    // No call has the keys, whatever had them before.
    app.sees("keys go to your message").await;
    app.takes_time(Duration::from_millis(60)).await;
    app.keys("\t").await;
    app.waits_anew(began).await;
    app.answers("y").await;
    app.sees("All done.").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn a_subagent_of_a_subagent_is_asked_about_by_both_names() {
    let home = Home::new();
    let agents = home.root().join("config/countersign/agents");
    std::fs::create_dir_all(&agents).unwrap();
    std::fs::write(agents.join("lead.md"), "---\ndescription: Leads\n---\nHand it on.\n").unwrap();
    let mut app = Console::scripted(
        &home,
        &json!([
            { "tool_calls": [{ "name": "delegate_to_lead", "arguments": { "task": "Have it made." } }] },
            { "tool_calls": [{ "name": "delegate_to_general", "arguments": { "task": "Make it." } }] },
            { "tool_calls": [{ "name": "shell", "arguments": { "command": "echo x > made.txt" } }] },
            "It is made.", "They made it.", "All done.",
        ]),
    );
    app.sees("ask anything").await;
    app.says("make it").await;
    app.sees("asked by lead › general").await;
    app.answers("y").await;
    app.sees("All done.").await;
    assert!(home.has("made.txt"));
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn esc_in_a_subagents_session_stops_that_one_only() {
    let home = Home::new();
    let mut app = asked(&home).await;
    goes_in(&mut app).await;
    app.sees("y once").await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    app.keys("\x1b[D").await;
    // The session above goes on with what it was told, and nothing waits there any more.
    app.sees("It is made.").await;
    app.sees_no("asked by ").await;
    app.rests().await;
    app.quits().await;
    assert!(!home.has("made.txt"));
}

#[tokio::test]
async fn in_lines_a_call_of_a_subagent_is_decided_where_the_session_is() {
    let home = Home::new();
    let mut app = asked_in_lines(&home).await;
    app.sees("waits for you 1: shell (of the sub-agent general c1)").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("y\n").await;
    app.sees("All done.").await;
    app.keys("/quit\n").await;
    app.ends().await;
    assert!(home.has("made.txt"));
    assert_eq!(decided(&home)[0]["by"], "user");
}

#[tokio::test]
async fn in_lines_the_session_of_a_subagent_is_gone_into_and_left() {
    let home = Home::new();
    let mut app = asked_in_lines(&home).await;
    app.sees("/into c1 shows its session").await;
    app.keys("/into c1\n").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("y\n").await;
    app.sees("It is made.").await;
    app.keys("/back\n").await;
    app.sees("back in the session").await;
    app.keys("/quit\n").await;
    app.ends().await;
    assert!(home.has("made.txt"));
    assert_eq!(decided(&home)[0]["by"], "user");
}

#[tokio::test]
async fn what_waits_is_decided_from_the_page_of_all_that_is_at_work() {
    let home = Home::new();
    let mut app = asked(&home).await;
    app.keys("/fleet\r").await;
    app.sees("at work for this session").await;
    app.sees("waits for you: shell $ echo x > made.txt").await;
    // A key that would decide means nothing on the page itself.
    app.reads().await;
    app.keys("y").await;
    app.keys("d").await;
    app.sees("y once").await;
    assert!(!home.has("made.txt"));
    app.reads().await;
    app.keys("y").await;
    // The page is there again.
    app.sees("at work for this session").await;
    app.meanwhile("the call", || home.has("made.txt")).await;
    app.keys("d").await;
    app.keys(ESC).await;
    app.sees("All done.").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(decided(&home)[0]["by"], "user");
}

#[tokio::test]
async fn a_subagent_is_stopped_from_the_page_of_all_that_is_at_work() {
    let home = Home::new();
    let mut app = asked(&home).await;
    app.keys("/fleet\r").await;
    app.sees("at work for this session").await;
    app.keys("x").await;
    app.sees("stop one that is at work").await;
    // Not as a part of a paste.
    app.reads().await;
    app.keys(ENTER).await;
    // The page is there again, where it is seen to end.
    app.sees("at work for this session").await;
    app.sees("interrupted").await;
    app.keys(ESC).await;
    app.sees("It is made.").await;
    app.rests().await;
    app.quits().await;
    assert!(!home.has("made.txt"));
    assert_eq!(home.entries("escrow_settled")[0]["state"], "canceled");
}

#[tokio::test]
async fn esc_while_only_the_calls_of_a_subagent_wait_says_that_nothing_was_started() {
    let home = Home::new();
    let mut app = asked(&home).await;
    app.reads().await;
    app.keys(ESC).await;
    app.sees("no tool was started").await;
    app.rests().await;
    app.quits().await;
    let result = &home.entries("tool_result")[0];
    assert_eq!(
        (&result["outcome"], &result["abort"]["within"]),
        (&json!("aborted"), &json!("nothing_started"))
    );
    assert!(!result["content"].as_str().unwrap().contains("may be partial"), "{result}");
    assert!(!home.has("made.txt"));
}

#[tokio::test]
async fn the_session_of_a_subagent_is_read_in_a_later_process_too() {
    let home = Home::new();
    let mut app = asked(&home).await;
    app.answers("y").await;
    app.sees("All done.").await;
    app.rests().await;
    app.quits().await;
    let mut app = Console::start(&home, USUAL, &["resume", "--last", "--script", "[]"]);
    app.sees("All done.").await;
    app.reads().await;
    app.keys("\t").await;
    app.sees("o open").await;
    app.keys(ENTER).await;
    app.sees("› general c1 (← back)").await;
    app.sees("I make it.").await;
    // Nobody is there to be told.
    app.keys("go on\r").await;
    app.sees("this sub-agent is done").await;
    app.keys(CTRL_U).await;
    app.keys("\x1b[D").await;
    app.sees("All done.").await;
    app.quits().await;

    let mut app = Console::start(&home, (100, 50), &["inspect", "--last"]);
    app.sees("escrow_reserved").await;
    app.keys("/escrow_reserved\r").await;
    app.keys("s").await;
    app.sees("Make it.").await;
    app.sees("agent_response").await;
    app.sees_no("delegation_request").await;
    app.keys("s").await;
    app.sees("this entry is about no sub-agent").await;
    app.keys(ESC).await;
    app.sees("delegation_request").await;
    app.keys("q").await;
    assert!(app.ends().await.success());
}

#[tokio::test]
async fn a_subagents_session_that_was_changed_by_hand_says_so_where_it_is_opened() {
    let home = Home::new();
    let mut app = asked(&home).await;
    app.answers("y").await;
    app.sees("All done.").await;
    app.rests().await;
    app.quits().await;
    let is_it = |path: &std::path::PathBuf| path.to_string_lossy().contains("-c1.jsonl");
    let file = home.session_files().into_iter().find(is_it).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("I make it.", "I made it.")).unwrap();

    let mut app = Console::start(&home, (120, 50), &["inspect", "--last"]);
    app.sees("escrow_reserved").await;
    app.keys("/escrow_reserved\r").await;
    app.keys("s").await;
    app.sees("is not well-formed").await;
    app.keys(ESC).await;
    app.sees("delegation_request").await;
    app.keys("q").await;
    assert!(app.ends().await.success());
}

/// What is pasted without marks into the page of a call, or into the session of a sub-agent, is no decision.
#[tokio::test]
async fn a_paste_decides_nothing_on_the_page_of_a_call_nor_where_a_session_was_opened() {
    let home = Home::new();
    let mut app = asked(&home).await;
    app.keys("/fleet\r").await;
    app.sees("at work for this session").await;
    for rest in ["es please", "y", "\r"] {
        app.keys("d").await;
        app.sees("y once").await;
        app.reads().await;
        // The first key comes alone, the others right behind it.
        app.keys("y").await;
        app.keys(rest).await;
        app.keys_are_taken().await;
        app.keys(ESC).await;
        app.sees("at work for this session").await;
        assert!(!home.has("made.txt"));
    }
    app.keys("o").await;
    app.sees("open one").await;
    app.keys(ENTER).await;
    app.sees("› general c1 (← back)").await;
    app.reads().await;
    app.keys("y").await;
    app.sees("│ y").await;
    app.keys("\x7f").await;
    app.reads().await;
    assert!(!home.has("made.txt") && home.session_files().len() == 2);
    app.keys("\x1b[D").await;
    app.keys(ESC).await;
    app.rests().await;
    app.quits().await;
}
