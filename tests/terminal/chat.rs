//! Talking to the rehearsal: what it reads, lists and finds is on the screen and in the books.

use std::time::Duration;

use super::console::{Console, ENTER, USUAL};
use super::home::Home;

#[tokio::test]
async fn reading_listing_and_searching_are_answered() {
    let home = Home::new();
    home.write("other.txt", "nothing of interest\n");
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;

    app.says("read notes.txt").await;
    app.sees("It begins with alpha").await;
    app.sees("✓ done · 2 turns · 1 tool call").await;
    assert!(app.screen().contains("✓ read    notes.txt"), "{}", app.screen());
    app.rests().await;

    app.says("list").await;
    app.sees("This folder has 2 entries: notes.txt, other.txt.").await;
    app.rests().await;

    app.says("search beta").await;
    app.sees("The search found 1 match").await;
    app.sees("notes.txt:2").await;
    app.rests().await;
    app.quits().await;

    assert_eq!(home.texts("user_message", "content"), ["read notes.txt", "list", "search beta"]);
    assert_eq!(home.texts("tool_result", "name"), ["read", "list", "search"]);
    assert_eq!(home.texts("tool_result", "outcome"), ["ok", "ok", "ok"]);
    assert_eq!(home.texts("turn_ended", "reason"), ["completed"; 3]);
}

#[tokio::test]
async fn an_earlier_message_is_called_back_with_the_arrow() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says("list").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.keys("\x1b[A").await;
    app.sees_no("ask anything").await;
    app.keys(" again\r").await;
    app.sees("› list again").await;
    app.until("a second ending", |screen| screen.matches("✓ done").count() == 2).await;
    app.rests().await;
    app.quits().await;
}

#[tokio::test]
async fn what_is_said_while_a_turn_runs_waits_and_comes_back_on_esc() {
    let home = Home::new();
    let script = serde_json::json!([{ "text": "slow words ".repeat(2_000), "chunk": 8, "pause_ms": 20 }, "second answer"]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("talk").await;
    app.sees("slow words").await;
    app.keys("next question\r").await;
    app.sees("↳ with the next tool results: next question").await;
    app.keys("\x1b").await;
    app.sees("interrupted").await;
    app.sees_no("esc interrupt").await;
    app.sees("next question").await;
    app.keys("\r").await;
    app.sees("second answer").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(home.texts("user_message", "content"), ["talk", "next question"]);
}

#[tokio::test]
async fn a_command_of_the_user_s_own_runs_and_the_model_reads_its_output() {
    let home = Home::new();
    let script = serde_json::json!([{ "text": "read" }]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    let typed = "!echo one > made.txt; cat made.txt notes.txt";
    app.keys(typed).await;
    app.sees(typed).await;
    // A key of its own, as a person presses it.
    app.takes_time(Duration::from_millis(60)).await;
    app.keys(ENTER).await;
    app.sees("✓ you").await;
    app.sees("alpha").await;
    app.rests().await;
    assert_eq!(home.read("made.txt"), "one\n");
    app.says("what is in there?").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    let kinds: Vec<String> =
        home.session().iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect();
    let place = |kind: &str| kinds.iter().position(|other| other == kind).unwrap();
    assert!(place("tool_call") < place("approval") && place("approval") < place("tool_result"), "{kinds:?}");
    assert_eq!(home.entries("tool_call")[0]["by"], "command");
    assert_eq!(home.entries("approval")[0]["by"], "user");
    assert_eq!(home.texts("turn_ended", "reason"), ["completed", "completed"]);
    let told = home.entries("injected").into_iter().find(|said| said["by"] == "command").unwrap();
    assert!(told["text"].as_str().unwrap().contains("alpha"), "{told}");
}

#[tokio::test]
async fn a_message_of_a_program_that_looks_like_a_command_runs_nothing_when_it_is_called_back() {
    let home = Home::new();
    let mut exec = Console::start(&home, USUAL, &["exec", "--script", r#"["read"]"#, "!touch pwned"]);
    assert!(exec.ends().await.success(), "{}", exec.screen());
    let mut app = Console::scripted(&home, &serde_json::json!(["and read again"]));
    app.sees("ask anything").await;
    app.keys("\x12pwned").await;
    app.sees("1 of 1").await;
    app.keys("\r").await;
    app.sees_no("1 of 1").await;
    app.sees("!touch pwned").await;
    assert!(!app.screen().contains("your shell command"), "{}", app.screen());
    app.takes_time(Duration::from_millis(60)).await;
    app.keys(ENTER).await;
    app.sees("and read again").await;
    app.rests().await;
    // The first line of a long paste is not run, either.
    let pasted = format!("!touch pwned\n{}", "a cell of a notebook\n".repeat(25));
    app.keys(&format!("\x1b[200~{pasted}\x1b[201~")).await;
    app.sees("[Pasted 26 lines]").await;
    assert!(!app.screen().contains("your shell command"), "{}", app.screen());
    app.keys("\x15").await;
    app.rests().await;
    app.quits().await;
    assert!(!home.has("pwned"));
    assert_eq!(home.texts("user_message", "content"), [" !touch pwned"]);
}
