//! What a tool or a model writes cannot steer the terminal; without colours there are none.

use serde_json::json;

use super::console::{Console, USUAL};
use super::home::Home;

/// Clears the screen, takes the title, paints, rings.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;taken\u{7}\u{1b}[31mred\u{1b}[8mhidden\u{9b}3;1H";

fn assert_intact(app: &Console) {
    let screen = app.screen();
    assert!(screen.lines().next().unwrap().contains("countersign"), "the header is in its place:\n{screen}");
    assert!(screen.contains("ask anything"), "{screen}");
    assert_eq!(app.times("\x07"), 0, "the bell");
    for stolen in ["\x1b]0;", "\x1b[31mred", "\x1b[8m", "\u{9b}"] {
        assert_eq!(app.times(stolen), 0, "{stolen:?} reached the terminal");
    }
}

#[tokio::test]
async fn output_of_a_command_steers_nothing() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    app.says(r"run printf '\033[2J\033]0;taken\007\033[31mred\007\377'; sleep 0.1").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    app.rests().await;
    let screen = app.screen();
    assert!(screen.contains("\n     red") && !screen.contains("^[") && !screen.contains("^G"), "{screen}");
    assert_intact(&app);
    app.keys("\x0f").await;
    app.sees("tool_result").await;
    app.keys("\x1b").await;
    app.sees("ask anything").await;
    assert_intact(&app);
    app.quits().await;
}

#[tokio::test]
async fn a_models_words_names_and_arguments_are_written_out() {
    let home = Home::new();
    let script = json!([
        { "thinking": HOSTILE, "text": format!("Hello {HOSTILE} there."), "tool_calls": [
            { "name": format!("re{HOSTILE}ad"), "arguments": { "path": HOSTILE } },
            { "name": "shell", "arguments": { "command": format!("echo {HOSTILE}") } },
            { "name": "write", "arguments": { "path": "a.txt", "content": format!("{HOSTILE}\n") } },
        ]},
        { "text": format!("```rust\nlet x = \"{HOSTILE}\";\n```\n[link](http://x/{HOSTILE})"), "chunk": 3 },
    ]);
    let mut app = Console::scripted(&home, &script);
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("waits for you · 1 of 2").await;
    app.sees("^[[31mred").await;
    app.sees("y once").await;
    assert_intact(&app);
    app.answers("n").await;
    app.until("one of them", |screen| screen.contains("y once") && !screen.contains(" of 2")).await;
    assert_intact(&app);
    app.answers("n").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.sees("let x").await;
    assert_intact(&app);
    app.quits().await;
}

#[tokio::test]
async fn a_failing_servers_words_are_written_out() {
    let home = Home::new();
    let error =
        json!({ "class": "transient", "message": format!("busy {HOSTILE}"), "retry_after_ms": 100_000 });
    let broken = json!({ "class": "bad_request", "message": format!("no {HOSTILE}") });
    let mut app = Console::scripted(&home, &json!([{ "error": error }, { "error": broken }]));
    app.sees("ask anything").await;
    app.says("go").await;
    app.sees("(1 of 4)").await;
    assert_intact(&app);
    app.keys("\x1b").await;
    app.sees("interrupted").await;
    app.rests().await;
    app.says("again").await;
    app.sees("✗ no ^[[2J").await;
    app.rests().await;
    assert_intact(&app);
    app.quits().await;
}

#[tokio::test]
async fn without_colours_there_are_none() {
    let home = Home::new();
    let mut app = Console::start_with(&home, USUAL, &[], &[("NO_COLOR", "1"), ("COLORTERM", "truecolor")]);
    app.sees("ask anything").await;
    app.says("change beta to delta in notes.txt").await;
    app.sees("y once").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(colours(&app.bytes), Vec::<String>::new());
}

#[tokio::test]
async fn with_colours_there_are_some() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["list"]);
    app.sees("✓ done").await;
    app.rests().await;
    assert!(!colours(&app.bytes).is_empty(), "or the test above cannot fail");
}

/// The SGR sequences that set a colour.
fn colours(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes);
    let sequences = text.split("\x1b[").filter_map(|rest| rest.split_once('m')).map(|(codes, _)| codes);
    let is_sgr = |codes: &&str| codes.chars().all(|c| c.is_ascii_digit() || c == ';' || c == ':');
    let sets_colour = |codes: &&str| {
        let first = codes.split([';', ':']).filter_map(|code| code.parse::<u16>().ok());
        first.into_iter().any(|code| matches!(code, 30..=38 | 40..=48 | 58 | 90..=107))
    };
    sequences.filter(is_sgr).filter(sets_colour).map(str::to_owned).collect()
}
