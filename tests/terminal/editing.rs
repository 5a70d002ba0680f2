//! A call is changed in its pane before it is decided, and after a restart too what runs is what was shown.

use rustix::process::Signal;
use serde_json::json;

use super::console::{Console, ENTER, ESC, USUAL};
use super::home::Home;
use crate::pictures::png;

#[tokio::test]
async fn a_changed_command_is_asked_about_anew_and_runs_as_it_was_changed() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run echo one > made.txt").await;
    app.sees("y once").await;
    app.answers("e").await;
    app.sees("changing shell").await;
    // ctrl-u empties it; the answer keys are letters here.
    app.keys("\x15echo nyrs > made.txt").await;
    app.sees("echo nyrs").await;
    app.keys(ENTER).await;
    app.sees("changed by you").await;
    app.sees("y once").await;
    assert!(!home.has("made.txt"), "enter asks anew, and allows nothing");
    app.answers("y").await;
    app.sees("✓ done").await;
    app.rests().await;
    assert_eq!(home.read("made.txt"), "nyrs\n");
    app.quits().await;
    assert_eq!(home.entries("call_edited")[0]["arguments"], json!({ "command": "echo nyrs > made.txt" }));
    assert_eq!(home.entries("approval_request").len(), 2);
    assert_eq!(home.entries("approval").len(), 1, "what was asked before was never decided");
    let told: Vec<_> = home.entries("injected").into_iter().filter(|said| said["by"] == "edit").collect();
    assert!(told.len() == 1 && told[0]["text"].as_str().unwrap().contains("echo nyrs"), "{told:?}");
}

#[tokio::test]
async fn a_changed_call_waits_again_after_a_restart() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run echo one > made.txt").await;
    app.sees("y once").await;
    app.answers("e").await;
    app.sees("changing shell").await;
    app.keys(" && echo two >> made.txt").await;
    app.keys(ENTER).await;
    app.sees("changed by you").await;
    app.sees("y once").await;
    app.signal(Signal::KILL);
    app.ends().await;
    let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
    app.sees("changed by you").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    app.rests().await;
    assert_eq!(home.read("made.txt"), "one\ntwo\n");
    app.quits().await;
}

#[tokio::test]
async fn a_picture_that_is_pasted_into_a_call_is_a_path() {
    let home = Home::new();
    let picture = home.workspace().join("picture.png");
    std::fs::write(&picture, png(64, 48)).unwrap();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run echo one > made.txt").await;
    app.answers("e").await;
    app.sees("changing shell").await;
    app.keys(&format!(" && file \x1b[200~{}\x1b[201~", picture.display())).await;
    app.sees("made.txt && file /").await;
    app.keys(ESC).await;
    app.sees_no("changing shell").await;
    app.answers("n").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn a_tab_that_is_written_in_the_editor_stays_one() {
    let home = Home::new();
    let call =
        json!({ "name": "write", "arguments": { "path": "Makefile", "content": "all:\n\techo one\n" } });
    let script = json!([{ "tool_calls": [call] }, "it is written"]).to_string();
    // It looks for a tab, and writes another one.
    let editor =
        "sh -c 'grep -q \"$(printf \"\\t\")echo one\" \"$1\" && printf \"\\n\\techo two\\n\" >> \"$1\"' sh";
    let mut app = Console::start_with(&home, USUAL, &["--script", &script], &[("EDITOR", editor)]);
    app.sees("ask anything").await;
    app.says("go").await;
    app.answers("e").await;
    app.sees("changing write").await;
    app.keys("\x07").await;
    app.sees("⇥echo two").await;
    app.keys(ENTER).await;
    app.sees("changed by you").await;
    app.answers("y").await;
    app.sees("it is written").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.read("Makefile"), "all:\n\techo one\n\techo two\n");
}
