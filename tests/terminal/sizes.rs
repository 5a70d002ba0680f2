//! Small screens, screens that change, big pastes.

use serde_json::json;

use super::console::{Console, ENTER, ESC, USUAL};
use super::home::Home;

#[tokio::test]
async fn forty_by_ten_is_enough_to_chat_and_to_decide() {
    let home = Home::new();
    let mut app = Console::start(&home, (40, 10), &[]);
    app.sees("ask anything").await;
    app.says("run echo hello > made.txt").await;
    app.sees(" waits ╮").await;
    app.sees("tab to decide").await;
    assert!(
        app.screen().contains("echo hello > made.txt"),
        "what it would do is in sight:\n{}",
        app.screen()
    );
    app.sees("esc stop").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    assert_eq!(home.read("made.txt"), "hello\n");
    app.rests().await;
    app.keys("\x0f").await;
    app.sees("turn_ended").await;
    app.keys(ESC).await;
    app.sees("ask anything").await;
    app.quits().await;
}

#[tokio::test]
async fn a_screen_that_is_too_small_says_so_and_comes_back() {
    let home = Home::new();
    let mut app = Console::start(&home, (20, 5), &[]);
    app.sees("too small").await;
    app.resize((80, 24));
    app.sees("ask anything").await;
    app.keys("list\r").await;
    app.sees("This folder has 1 entry").await;
    app.rests().await;
    app.resize((20, 5));
    app.sees("too small").await;
    app.resize((80, 24));
    app.sees("This folder has 1 entry").await;
    app.sees("ask anything").await;
    app.quits().await;
}

#[tokio::test]
async fn nothing_is_approved_on_a_screen_that_does_not_show_it() {
    let home = Home::new();
    let mut app = Console::start(&home, (80, 24), &["run echo hello > made.txt"]);
    app.sees("y once").await;
    app.has_the_keys().await;
    app.resize((20, 5));
    app.sees("too small").await;
    app.reads().await;
    app.keys("y").await;
    app.keys_are_taken().await;
    app.resize((80, 24));
    app.sees("waits for you").await;
    assert!(!home.has("made.txt") && home.entries("approval").is_empty());
}

#[tokio::test]
async fn a_storm_of_resizes_while_the_model_speaks() {
    let home = Home::new();
    let words: Vec<String> = (1..3_000).map(|n| format!("word{n}")).collect();
    let script = json!([{ "text": words.join(" "), "chunk": 9, "pause_ms": 10 }, "still here"]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("talk").await;
    app.sees("word5 ").await;
    for step in 0..60_u16 {
        app.resize((41 + step * 7 % 90, 10 + step * 5 % 31));
        app.yields().await;
    }
    app.resize((20, 5));
    app.sees("too small").await;
    app.resize(USUAL);
    app.sees("esc interrupt").await;
    app.sees("ask anything").await;
    app.keys(ESC).await;
    app.sees("interrupted").await;
    app.rests().await;
    app.says("and now").await;
    app.sees("still here").await;
    app.sees("✓ done").await;
    let screen = app.screen();
    let last: Vec<&str> = screen.lines().filter(|line| line.contains("ask anything")).collect();
    assert_eq!(last.len(), 1, "one composer:\n{screen}");
    assert!(screen.lines().next().unwrap().contains("countersign"), "the header is in its place:\n{screen}");
    app.quits().await;
}

#[tokio::test]
async fn a_paste_of_a_megabyte_is_folded_and_sent_whole() {
    let home = Home::new();
    let mut app = Console::scripted(&home, &json!(["I read all of it"]));
    app.sees("ask anything").await;
    let pasted: String = (0..40_000).map(|n| format!("line {n:>8} with some words\n")).collect();
    assert!(pasted.len() > 1 << 20);
    app.keys("look: ").await;
    app.keys(&format!("\x1b[200~{pasted}\x1b[201~")).await;
    app.sees("[Pasted 40,000 lines]").await;
    assert!(app.screen().contains("look: [Pasted "), "{}", app.screen());
    app.keys(ENTER).await;
    app.sees("I read all of it").await;
    app.rests().await;
    app.quits().await;
    let sent = &home.texts("user_message", "content")[0];
    assert!(*sent == format!("look: {}", pasted.trim_end()), "{} bytes were sent", sent.len());
}

#[tokio::test]
async fn keys_in_a_paste_are_text() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["run echo hello > made.txt"]);
    app.sees("y once").await;
    app.keys("\x1b[200~y\r\ny\x1b[201~").await;
    app.sees("keys go to your message").await;
    app.sees("│ y").await;
    app.sees("waits for you").await;
    assert!(!home.has("made.txt") && home.entries("approval").is_empty());
}
