//! Another model, and another effort, by their commands: at once between runs, from the next turn on in their midst.

use serde_json::json;

use super::console::{CTRL_U, Console, ESC};
use super::home::Home;

#[tokio::test]
async fn another_model_answers_and_the_header_says_so() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &json!(["By the script."]));
    app.sees("ask anything").await;
    app.says("hello").await;
    app.sees("By the script.").await;
    app.sees("✓ done").await;
    app.keys("/model rehearsal\r").await;
    app.sees("rehearsal answers from now on.").await;
    app.sees("rehearsal · ask").await;
    app.sees("⇄ model: rehearsal in the place of script").await;
    app.keys("/effort high\r").await;
    app.sees("The effort is now: high.").await;
    app.sees("rehearsal (high) · ask").await;
    app.says("read notes.txt").await;
    app.sees("It begins with alpha.").await;
    app.rests().await;
    app.quits().await;
    let changed = &home.entries("model_changed")[0];
    assert_eq!((&changed["model"], &changed["previous"]), (&json!("rehearsal"), &json!("script")));
    assert_eq!(home.texts("effort_changed", "effort"), ["high"]);
    assert_eq!(home.texts("agent_response", "model").last().unwrap(), "rehearsal");
}

#[tokio::test]
async fn in_the_midst_of_a_run_it_answers_from_the_next_turn_on() {
    let home = Home::new();
    let call = json!({ "name": "shell", "arguments": { "command": "echo hello > made.txt" } });
    let mut app = Console::scripted(&home, &json!([{ "text": "I run it.", "tool_calls": [call] }]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("y once").await;
    app.keys("/model rehearsal\r").await;
    app.sees("From the next turn on rehearsal answers.").await;
    app.sees("→ rehearsal").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    app.sees_no("→ rehearsal").await;
    app.rests().await;
    app.quits().await;
    let models = home.texts("agent_response", "model");
    assert_eq!((models[0].as_str(), models[1].as_str()), ("script", "rehearsal"));
    let kinds: Vec<String> =
        home.session().iter().map(|entry| entry["type"].as_str().unwrap_or_default().to_owned()).collect();
    let at = kinds.iter().position(|kind| kind == "model_changed").unwrap();
    assert_eq!((kinds[at - 1].as_str(), kinds[at + 1].as_str()), ("tool_result", "transition"));
}

#[tokio::test]
async fn a_name_that_is_none_comes_back_with_the_nearest() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &json!(["Never asked."]));
    app.sees("ask anything").await;
    app.keys("/model rehersal/x\r").await;
    app.sees("unknown provider `rehersal`; did you mean `rehearsal`?").await;
    app.sees("/model rehersal/x").await;
    app.keys(CTRL_U).await;
    app.keys("/model anthropic/x\r").await;
    app.sees("ANTHROPIC_API_KEY is not set").await;
    app.keys(CTRL_U).await;
    app.keys("/effort much\r").await;
    app.sees("`much` is not an effort").await;
    app.keys(CTRL_U).await;
    app.keys("/model\r").await;
    app.sees("type to narrow").await;
    app.sees("› rehearsal").await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    app.rests().await;
    app.quits().await;
    assert!(home.session_files().is_empty(), "nothing is written");
}
