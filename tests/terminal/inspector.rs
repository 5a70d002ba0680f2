//! The ledger inspector: kinds by name, closed without touching what runs, alone and read-only.

use serde_json::json;

use super::console::{CTRL_C, CTRL_O, Console, ESC, USUAL};
use super::home::Home;

const KINDS: [&str; 8] = [
    "session_started",
    "user_message",
    "transition",
    "agent_response",
    "tool_call",
    "approval",
    "tool_result",
    "turn_ended",
];

async fn shows_the_kinds(app: &mut Console) {
    for kind in KINDS {
        app.sees(kind).await;
    }
}

#[tokio::test]
async fn it_lists_the_entries_of_a_turn_and_closes() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["read notes.txt"]);
    app.sees("✓ done").await;
    app.rests().await;
    app.keys(CTRL_O).await;
    shows_the_kinds(&mut app).await;
    assert!(!app.screen().contains("ask anything"));
    app.sees(r#""reason": "completed""#).await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    app.sees("✓ done").await;
    app.quits().await;
}

#[tokio::test]
async fn closing_it_interrupts_nothing() {
    let home = Home::new();
    let words: Vec<String> = (1..3_000).map(|n| format!("word{n}")).collect();
    let script = json!([{ "text": words.join(" "), "chunk": 9, "pause_ms": 15 }]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("talk").await;
    app.sees("word5 ").await;
    app.keys(CTRL_O).await;
    app.sees("user_message").await;
    app.keys(ESC).await;
    app.sees("esc interrupt").await;
    app.sees("word80 ").await;
    assert!(home.entries("turn_ended").is_empty());
    app.keys(ESC).await;
    app.sees("interrupted").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn a_waiting_call_is_not_answered_through_it() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["run echo hello > made.txt"]);
    app.sees("y once").await;
    app.keys(CTRL_O).await;
    app.sees("approval_request").await;
    app.reads().await;
    app.keys("y").await;
    app.keys_are_taken().await;
    app.keys(ESC).await;
    app.sees("y once").await;
    assert!(home.entries("approval").is_empty() && !home.has("made.txt"));
    app.answers("y").await;
    app.sees("✓ done").await;
    assert!(home.has("made.txt"));
}

#[tokio::test]
async fn a_withdrawn_answer_is_there_with_its_reason() {
    let home = Home::new();
    let script = json!([{ "text": "half an ans", "cut": true }, "the whole answer"]).to_string();
    let mut app = Console::start(&home, (99, 30), &["--script", &script]);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("the whole answer").await;
    app.sees("✓ done").await;
    assert!(!app.screen().contains("half an ans"), "what was withdrawn is not in the transcript");
    app.rests().await;
    app.keys(CTRL_O).await;
    app.sees("half an ans").await;
    app.sees("interrupted, tombstone: the model").await;
    app.sees("(transient_retry)").await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    app.quits().await;
}

#[tokio::test]
async fn alone_it_is_read_only_and_leaves_in_three_ways() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["read notes.txt"]);
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    let file = std::fs::read(&home.session_files()[0]).unwrap();
    for way in ["q", ESC, CTRL_C] {
        let mut app = Console::start(&home, USUAL, &["inspect", "--last"]);
        shows_the_kinds(&mut app).await;
        // The page that is read from other sessions, too.
        app.keys("\t\t\t\t\t").await;
        app.sees("no branches").await;
        app.keys(way).await;
        assert_eq!(app.ends().await.code(), Some(0), "{way:?}");
        app.assert_restored();
    }
    assert_eq!(std::fs::read(&home.session_files()[0]).unwrap(), file);
}

#[tokio::test]
async fn a_session_that_is_written_can_be_inspected() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["run echo hello > made.txt"]);
    app.sees("y once").await;
    let mut other = Console::start(&home, (80, 24), &["inspect", "--last"]);
    other.sees("approval_request").await;
    other.keys("q").await;
    assert_eq!(other.ends().await.code(), Some(0));
    assert!(home.entries("tool_result").is_empty(), "nothing was settled by looking");
    app.answers("y").await;
    app.sees("✓ done").await;
    assert_eq!(home.texts("tool_result", "outcome"), ["ok"]);
}

#[tokio::test]
async fn its_pages_are_a_key_apart_and_an_entry_leads_to_its_card() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["read notes.txt"]);
    app.sees("✓ done").await;
    app.rests().await;
    app.keys(CTRL_O).await;
    shows_the_kinds(&mut app).await;
    let pages = [
        "request and ledger",
        "model   ▒ tools and waiting",
        "of 50",
        "allowed once by policy",
        "no branches: w",
    ];
    for says in pages {
        app.keys("\t").await;
        app.sees(says).await;
    }
    app.keys("\t").await;
    app.sees("entries").await;
    app.keys("/").await;
    app.keys("TOOL_RES").await;
    app.sees("1 match").await;
    app.keys("\r").await;
    app.sees("next, previous").await;
    app.keys("F").await;
    app.sees("copied: countersign sessions fork").await;
    app.keys("g").await;
    app.sees("ask anything").await;
    app.sees("✓ read").await;
    app.quits().await;
}
