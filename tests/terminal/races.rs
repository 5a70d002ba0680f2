//! A race on the screen: started, watched, one of its lanes adopted, and that undone.

use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use super::console::{Console, ENTER, ESC, USUAL};
use super::home::Home;

pub(crate) fn git(home: &Home, words: &[&str]) {
    let named = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let mut command = Command::new("git");
    command.args(named).args(words).current_dir(home.workspace()).env_remove("GIT_DIR");
    assert!(command.status().unwrap().success(), "{words:?}");
}

#[tokio::test]
async fn a_race_is_started_one_lane_is_adopted_and_that_is_undone() {
    let home = Home::new();
    git(&home, &["init", "-q"]);
    git(&home, &["add", "."]);
    git(&home, &["commit", "-q", "-m", "first"]);
    // The same for every turn of every lane, since lanes share the script in any order. The check comes after five turns.
    let write =
        json!({ "name": "write", "arguments": { "path": "notes.txt", "content": "alpha\ndelta\ngamma\n" } });
    let script = Value::Array(vec![json!({ "tool_calls": [write] }); 40]).to_string();
    let mut app = Console::start(&home, USUAL, &["--mode", "unrestricted", "--script", &script]);
    app.sees("ask anything").await;
    app.keys("/race Replace beta by delta | check: grep -q delta notes.txt | lanes: 3\r").await;
    app.sees("Race with 3 lanes: Replace beta by delta").await;
    app.until("all lanes passed", |screen| screen.matches("Its check passed.").count() == 3).await;
    app.until("nothing goes on", |screen| screen.contains("Ready")).await;
    assert_eq!(home.read("notes.txt"), "alpha\nbeta\ngamma\n", "nothing of it is here");
    // What is to be decided stands above the lanes, which reach below the edge, and in the row of each of them.
    app.sees("/adopt 3 takes its changes into this folder").await;
    app.keys("/race\r").await;
    app.sees("/adopt 1 takes lane 1 into this folder").await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    app.keys("/adopt 2").await;
    app.sees("│ /adopt 2").await;
    // A key of its own, as a person presses it.
    app.takes_time(Duration::from_millis(60)).await;
    app.keys(ENTER).await;
    app.sees("Adopt lane 2 of the race").await;
    app.meanwhile("the adoption", || home.read("notes.txt").contains("delta")).await;
    app.rests().await;
    app.keys("/undo\r").await;
    app.sees("undo what was done to 1 file since “Adopt lane 2").await;
    app.reads().await;
    app.keys(ENTER).await;
    app.sees("⟲ undone: restored: notes.txt").await;
    assert_eq!(home.read("notes.txt"), "alpha\nbeta\ngamma\n");
    app.rests().await;
    app.quits().await;
}
