//! A budget ends a run: why, what next, and the key that raises it.

use serde_json::json;

use super::console::{Console, USUAL};
use super::home::Home;

#[tokio::test]
async fn a_limit_of_one_turn_stops_and_is_raised_with_a_key() {
    let home = Home::new();
    let script = json!([{ "name": "read", "arguments": { "path": "notes.txt" } }, "it holds three words"]);
    let mut app = Console::start(&home, USUAL, &["--max-turns", "1", "--script", &script.to_string()]);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("stopped · turn limit").await;
    app.sees("raise to 2 turns and continue").await;
    app.rests().await;
    let ended = &home.entries("turn_ended")[0];
    assert_eq!((&ended["reason"], &ended["completed"]), (&json!("max_turns"), &json!(false)));
    assert!(ended["next_safe_action"].as_str().unwrap().starts_with("Raise max_model_turns and continue"));
    assert!(app.screen().contains("Raise it and continue, or say what to do"), "{}", app.screen());
    assert_eq!(home.texts("tool_result", "outcome"), ["ok"], "the tools of the last turn still run");

    app.answers("g").await;
    app.sees("it holds three words").await;
    app.sees("✓ done").await;
    app.sees_no("raise to 2 turns and continue").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("turn_ended", "reason"), ["max_turns", "completed"]);
    assert_eq!(home.texts("transition", "reason"), ["submitted", "steered"]);
}

#[tokio::test]
async fn the_offer_is_there_again_after_a_resume_and_g_is_a_letter_otherwise() {
    let home = Home::new();
    let script = json!([{ "name": "read", "arguments": { "path": "notes.txt" } }]).to_string();
    let mut app = Console::start(&home, USUAL, &["--max-turns", "1", "--script", &script]);
    app.sees("ask anything").await;
    app.keys("g").await;
    app.sees_no("ask anything").await;
    app.keys("o\r").await;
    app.sees("› go").await;
    app.sees("raise to 2 turns and continue").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("user_message", "content"), ["go"]);

    let rest = ["resume", "--last", "--max-turns", "1", "--script", r#"["and the rest"]"#];
    let mut app = Console::start(&home, USUAL, &rest);
    app.sees("raise to 2 turns and continue").await;
    app.answers("g").await;
    app.sees("and the rest").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
}
