//! Coming back to a session: the same words on the screen, the same calls waiting, one writer at a time.

use serde_json::json;

use super::console::{CTRL_C, Console, ENTER, USUAL};
use super::home::Home;

/// The rows of the transcript: what stands between the header and the gauges.
fn transcript(screen: &str) -> Vec<String> {
    let lines = screen.lines().skip(1).take_while(|line| !line.starts_with(" turns "));
    lines.map(|line| line.trim_end().to_owned()).filter(|line| !line.is_empty()).collect()
}

#[tokio::test]
async fn a_resumed_session_shows_what_it_showed() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("read notes.txt").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.says("run echo hi; false").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.until("a second ending", |screen| screen.matches("✓ done").count() == 2).await;
    app.rests().await;
    let before = transcript(&app.screen());
    assert!(before.len() > 8, "{before:?}");
    app.quits().await;
    let file = std::fs::read(&home.session_files()[0]).unwrap();

    let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
    app.sees("› run echo hi; false").await;
    app.rests().await;
    assert_eq!(transcript(&app.screen()), before);
    app.quits().await;
    assert_eq!(std::fs::read(&home.session_files()[0]).unwrap(), file, "looking is not writing");

    let id = home.session()[0]["session"].as_str().unwrap().to_owned();
    let mut app = Console::start(&home, USUAL, &["resume", &id]);
    app.sees("› run echo hi; false").await;
    app.says("list").await;
    app.sees("This folder has 1 entry").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.session_files().len(), 1, "it is the same session");
    assert_eq!(home.texts("turn_ended", "reason"), ["completed"; 3]);
}

#[tokio::test]
async fn a_call_that_waits_is_offered_again() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("run echo hello > made.txt").await;
    app.sees("waits for you").await;
    app.quits().await;
    assert!(!home.has("made.txt"));
    assert!(home.entries("tool_result").is_empty() && home.entries("approval").is_empty());

    let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
    app.sees("waits for you").await;
    app.sees("$ echo hello > made.txt").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.read("made.txt"), "hello\n");
    assert_eq!(home.entries("approval_request").len(), 1, "it was looked at again, and is what it was");
    assert_eq!(home.texts("tool_result", "outcome"), ["ok"]);
    assert_eq!(home.texts("turn_ended", "reason"), ["completed"]);
}

#[tokio::test]
async fn a_change_that_waits_is_offered_again_with_its_diff() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("change beta to delta in notes.txt").await;
    app.sees("y once").await;
    app.quits().await;
    let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
    app.sees("waits for you").await;
    app.sees("delta").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    assert_eq!(home.read("notes.txt"), "alpha\ndelta\ngamma\n");
    assert_eq!(home.entries("approval_request").len(), 1, "it was looked at again, and is what it was");
}

#[tokio::test]
async fn a_change_that_waits_is_shown_as_it_would_be_made_now() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("change beta to delta in notes.txt").await;
    app.sees("y once").await;
    app.quits().await;
    home.write("notes.txt", "omega\nalpha\nbeta\ngamma\n");
    let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
    app.sees("omega").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    assert_eq!(home.read("notes.txt"), "omega\nalpha\ndelta\ngamma\n");
    let asked = home.entries("approval_request");
    let shown: Vec<bool> =
        asked.iter().map(|asked| asked["preview"]["text"].as_str().unwrap().contains("omega")).collect();
    assert_eq!(shown, [false, true]);
}

/// What is approved is what happens: the place where the link leads when a person sees it, not where it led before.
#[tokio::test]
async fn a_call_that_waits_is_shown_with_the_place_where_its_link_leads_now() {
    let home = Home::new();
    let link = home.workspace().join("link");
    for folder in ["here", "there"] {
        std::fs::create_dir(home.workspace().join(folder)).unwrap();
    }
    std::os::unix::fs::symlink("here", &link).unwrap();
    let write = json!({ "tool_calls": [{ "name": "write", "arguments": { "path": "link/a.txt", "content": "words\n" } }] });
    let mut app = Console::scripted(&home, &json!([write]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("here/a.txt").await;
    app.sees("y once").await;
    app.quits().await;
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("there", &link).unwrap();

    let mut app = Console::start(&home, USUAL, &["resume", "--last", "--script", r#"["It is written."]"#]);
    app.until("the new place alone", |screen| {
        screen.contains("there/a.txt") && !screen.replace("there/a.txt", "").contains("here/a.txt")
    })
    .await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("It is written").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.read("there/a.txt"), "words\n");
    assert!(!home.has("here/a.txt"));
    assert_eq!(home.texts("approval_request", "leads_to"), ["here/a.txt", "there/a.txt"]);
    assert_eq!(home.texts("tool_result", "outcome"), ["ok"]);
}

#[tokio::test]
async fn quitting_while_the_model_speaks_settles_the_turn() {
    let home = Home::new();
    let script = json!([{ "text": "slow words ".repeat(2_000), "chunk": 8, "pause_ms": 20 }]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("talk").await;
    app.sees("slow words").await;
    app.keys(CTRL_C).await;
    app.sees("press ctrl-c again to quit").await;
    app.keys(CTRL_C).await;
    assert!(app.ends().await.success());
    app.assert_restored();
    assert_eq!(home.session().last().unwrap()["reason"], "aborted_streaming");
    assert_eq!(home.entries("agent_response")[0]["interrupted"], true);
}

#[tokio::test]
async fn the_second_app_on_a_session_is_told() {
    let home = Home::new();
    let mut first = Console::start(&home, USUAL, &["list"]);
    first.sees("✓ done").await;
    first.rests().await;
    let mut second = Console::start(&home, USUAL, &["resume", "--last"]);
    // It says who has it, and shows the ledger, in which nothing can be said.
    second.sees("open in another countersign (process ").await;
    second.sees("user_message").await;
    second.keys("q").await;
    assert!(second.ends().await.success());
    second.assert_restored();

    first.keys("read notes.txt").await;
    first.keys(ENTER).await;
    first.sees("It begins with alpha").await;
    first.rests().await;
    first.quits().await;
    let mut second = Console::start(&home, USUAL, &["resume", "--last"]);
    second.sees("It begins with alpha").await;
    second.quits().await;
}

#[tokio::test]
async fn nothing_to_resume_is_said_in_one_line() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["resume", "--last"]);
    assert_eq!(app.ends().await.code(), Some(2));
    assert!(app.screen().contains("there is no session for"), "{}", app.screen());
}
