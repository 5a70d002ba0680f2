//! Another model, and another effort, by their commands: at once between runs, from the next turn on in their midst.

use std::fs::OpenOptions;
use std::io::Write;
use std::process::Command;

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
    app.sees("Now using rehearsal.").await;
    app.sees("rehearsal · ask").await;
    app.sees("⇄ model: rehearsal instead of script").await;
    app.keys("/effort high\r").await;
    app.sees("Effort: high.").await;
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
    app.sees("rehearsal is used from the next turn on.").await;
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
    app.sees("› script ✓").await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    app.rests().await;
    app.quits().await;
    assert!(home.session_files().is_empty(), "nothing is written");
}

#[tokio::test]
async fn a_model_that_is_looked_for_holds_nothing_up_and_is_seen_to_be_looked_for() {
    let home = Home::new();
    let (pipe, begun) = (home.root().join("pipe"), home.root().join("begun"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // Open both ways: the command that finds the key waits until the test lets it go.
    let mut held = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    let folder = home.root().join("config/countersign");
    std::fs::create_dir_all(&folder).unwrap();
    let key = format!("echo > {}; read key < {}; echo $key", begun.display(), pipe.display());
    let provider =
        format!("[providers.slow]\nbase_url = 'http://127.0.0.1:9/v1'\napi_key_command = '{key}'\n");
    std::fs::write(folder.join("config.toml"), provider).unwrap();

    let call = |words: &str| json!({ "name": "shell", "arguments": { "command": words } });
    let mut app = Console::scripted(
        &home,
        &json!([
            { "text": "I run it.", "tool_calls": [call("echo made > one.txt")] },
            { "text": "And on.", "tool_calls": [call("echo made > two.txt")] },
            "Still the script.",
        ]),
    );
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("y once").await;
    app.keys("/model slow/x\r").await;
    app.sees("looking for slow/x: until it is found, script is used").await;
    app.meanwhile("the command that finds the key", || begun.exists()).await;

    // A key that decides, Esc and a command take effect.
    app.answers("y").await;
    app.meanwhile("the first command", || home.has("one.txt")).await;
    app.until("the second call", |screen| screen.contains("two.txt") && screen.contains("waits for you"))
        .await;
    app.keys(ESC).await;
    app.sees_no("waits for you").await;
    app.keys("/mode plan\r").await;
    let header = |screen: &str| screen.lines().next().unwrap_or_default().to_owned();
    app.until("mode plan", |screen| header(screen).contains(" · plan")).await;
    app.keys("/effort high\r").await;
    app.sees("Effort: high.").await;
    // So does a message: it goes to the model that answers now, and the screen says so.
    assert!(header(&app.screen()).contains("script, looking for slow/x"), "{}", app.screen());
    app.says("who is there?").await;
    app.sees("Still the script.").await;
    assert!(header(&app.screen()).contains("looking for slow/x"), "{}", app.screen());
    app.rests().await;

    held.write_all(b"the-key\n").unwrap();
    app.sees("Now using slow/x.").await;
    app.sees_no("looking for").await;
    app.quits().await;
    assert!(!home.has("two.txt"));
    assert_eq!(home.texts("agent_response", "model").last().unwrap(), "script");
}
