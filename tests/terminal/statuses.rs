//! The line that the user's command writes, and the page of what all sessions have spent.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

use super::console::{CTRL_U, Console, ENTER, ESC, USUAL};
use super::home::Home;

fn configured(command: &str) -> Home {
    let home = Home::new();
    let folder = home.root().join("config/countersign");
    fs::create_dir_all(&folder).unwrap();
    let line = toml::Value::String(command.to_owned());
    fs::write(folder.join("config.toml"), format!("status_line = {line}\n")).unwrap();
    home
}

#[tokio::test]
async fn the_command_writes_the_last_line_but_not_below_a_call_that_waits() {
    let home = configured(
        "cat > new; mv new seen; printf '\\033]0;gotcha\\007\\033[31mmine\\033[m: '; grep -o '\"mode\":\"[a-z]*\"' seen; echo second",
    );
    let call = json!({ "name": "shell", "arguments": { "command": "touch made" } });
    let mut app = Console::scripted(&home, &json!([{ "tool_calls": [call] }, "It is made."]));
    app.sees("mine: \"mode\":\"ask\"").await;
    assert!(!app.screen().contains("second") && !app.screen().contains("gotcha"), "{}", app.screen());
    app.keys("/mode edit").await;
    app.sees("/mode edit").await;
    // A key of its own, as a person presses it.
    app.takes_time(Duration::from_millis(60)).await;
    app.keys(ENTER).await;
    app.sees("mine: \"mode\":\"edit\"").await;
    app.says("go").await;
    app.sees("touch made").await;
    app.sees_no("mine:").await;
    app.allows().await;
    app.sees("It is made.").await;
    app.sees("mine: \"mode\":\"edit\"").await;
    app.quits().await;
    let told: Value = serde_json::from_str(&home.read("seen")).unwrap();
    assert_eq!(told["model"], json!({ "id": "script", "display_name": "script" }));
    assert_eq!(told["workspace"]["current_dir"], told["cwd"]);
    assert_eq!(told["workspace"]["added_dirs"], json!([]));
    assert!(told["transcript_path"].as_str().unwrap().ends_with(".jsonl"), "{told}");
    assert!(
        told["context_window"]["used_percentage"].is_u64() && told["cost"]["total_duration_ms"].is_u64(),
        "{told}"
    );
}

#[tokio::test]
async fn a_command_that_hangs_fails_or_floods_leaves_our_own_line_and_is_named_once() {
    for (command, why) in [
        ("sleep 60", "took longer than 2 s and was stopped"),
        ("echo no >&2; exit 7", "ended with exit code 7: no"),
        ("head -c 5000000 /dev/zero", "wrote more than 64 KiB"),
    ] {
        let home = configured(command);
        let mut app = Console::start(&home, USUAL, &[]);
        app.sees(&format!("the status_line command {why}")).await;
        assert!(app.screen().contains("ctrl-o ledger"), "{}", app.screen());
        assert_eq!(app.screen().matches("status_line").count(), 1, "{}", app.screen());
        app.quits().await;
    }
}

#[tokio::test]
async fn a_project_cannot_set_it() {
    let home = Home::new();
    fs::create_dir_all(home.workspace().join(".countersign")).unwrap();
    home.write(".countersign/config.toml", "status_line = \"touch stolen; echo theirs\"\n");
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("status_line").await;
    app.says("list").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    assert!(!home.has("stolen"));
}

#[tokio::test]
async fn what_all_sessions_have_spent_is_a_page() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("list").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.keys("/usage tool\r").await;
    app.sees("usage of all sessions").await;
    app.sees("total").await;
    app.keys(ESC).await;
    app.sees_no("usage of all sessions").await;
    app.keys("/usage moon\r").await;
    app.sees("/usage model | project | tool | day").await;
    app.keys(CTRL_U).await;
    app.sees("ask anything").await;
    app.quits().await;
}
