//! A person types into the terminal of a running command, through ours.

use serde_json::{Value, json};
use vt100::Color;

use super::console::{Console, ENTER, ESC, USUAL};
use super::home::Home;

/// Ctrl-].
const CHORD: &str = "\x1d";

fn on_terminal(command: &str) -> Value {
    json!({ "name": "shell", "arguments": { "command": command, "pty": true } })
}

/// An app in which the first call was just allowed and runs.
async fn running(home: &Home, size: (u16, u16), script: &Value) -> Console {
    let mut app = Console::start(home, size, &["--script", &script.to_string()]);
    app.sees("ask anything").await;
    app.keys("go").await;
    app.keys(ENTER).await;
    app.sees("tab to decide").await;
    app.allows().await;
    app.sees("ctrl-] types into it").await;
    app
}

fn notes_of_typing(home: &Home) -> usize {
    let notes = home.texts("note", "text");
    notes.iter().filter(|text| text.starts_with("The user typed into the terminal of this call")).count()
}

/// The program asks: its words stand in a row of their own. In the command above it they stand before it has begun.
async fn asks(app: &mut Console, words: &str) {
    app.until(words, |screen| screen.lines().any(|line| line.trim() == words)).await;
}

#[tokio::test]
async fn a_question_is_answered_then_the_command_is_interrupted() {
    let home = Home::new();
    let command = "sh -c 'printf \"na%s? \" me; read n; echo hello $n; read more; echo over'";
    let mut app =
        running(&home, USUAL, &json!([{ "tool_calls": [on_terminal(command)] }, "never said"])).await;
    app.keys(CHORD).await;
    app.sees("every key goes to the program, even esc").await;
    asks(&mut app, "name?").await;
    app.keys("Ann").await;
    app.sees("name? Ann").await;
    let (row, column) = app.terminal().cursor_position();
    let line = app.screen().lines().nth(usize::from(row)).unwrap().to_owned();
    assert_eq!(line.split_at(usize::from(column)).0, "  name? Ann", "the cursor is the program's");
    app.keys(ENTER).await;
    app.sees("hello Ann").await;
    app.keys(ESC).await;
    app.sees("^[").await;
    app.keys(CHORD).await;
    app.sees_no("every key goes to the program").await;
    app.sees("esc interrupt").await;
    app.keys(ESC).await;
    app.sees("interrupted ·").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(notes_of_typing(&home), 1, "said once");
    let results = home.texts("tool_result", "content");
    assert!(
        results[0].starts_with("[the user typed into this terminal while it ran]\nInterrupted mid-execution"),
        "{results:?}"
    );
    let file = std::fs::read_to_string(&home.session_files()[0]).unwrap();
    assert!(!file.contains("Ann"), "what was typed is not kept:\n{file}");
}

#[tokio::test]
async fn keys_of_a_burst_that_outlives_the_command_approve_nothing() {
    let home = Home::new();
    let calls = json!([
        on_terminal("printf 'na%s? ' me; read n; echo hello $n"),
        { "name": "shell", "arguments": { "command": "echo two > two.txt" } }
    ]);
    let mut app = running(&home, USUAL, &json!([{ "tool_calls": calls }, "both are done"])).await;
    app.sees("waits for you").await;
    app.keys(CHORD).await;
    app.sees("1 call waits for you").await;
    asks(&mut app, "name?").await;
    app.keys("Ann\ry\ry\ryyy").await;
    app.sees("keys are ignored").await;
    app.keys("y\ryes\r").await;
    app.keys_are_taken().await;
    assert!(app.screen().contains("keys are ignored"), "{}", app.screen());
    // One read may take both: then it looks like alt and the chord.
    app.keys(ESC).await;
    app.keys(CHORD).await;
    app.sees("y once").await;
    app.sees("ask anything").await;
    assert!(!home.has("two.txt"));
    assert_eq!(home.entries("approval").len(), 1, "the first call's alone");
    app.answers("y").await;
    app.sees("both are done").await;
    app.rests().await;
    app.quits().await;
    assert!(home.has("two.txt"));
    let results = home.texts("tool_result", "content");
    assert!(results[0].contains("hello Ann"), "{results:?}");
    assert_eq!(home.entries("user_message").len(), 1, "nothing was said");
    assert_eq!(home.texts("injected", "by").iter().filter(|by| *by == "steering").count(), 0);
}

/// A password: the program turns the echo off, and nothing of ours shows or keeps it.
#[tokio::test]
async fn a_password_is_seen_nowhere() {
    let home = Home::new();
    // The prompt is not written out in the command, which is on the screen before it runs.
    let command = "stty -echo; printf 'pass%s: ' word; read p; stty echo; echo; echo ${#p} letters; read q";
    let script = json!([{ "tool_calls": [on_terminal(command)] }, "you are in"]);
    let mut app = running(&home, (80, 24), &script).await;
    app.keys(CHORD).await;
    asks(&mut app, "password:").await;
    app.keys("hunter2\r").await;
    app.sees("7 letters").await;
    app.keys("\r").await;
    app.sees("keys are ignored").await;
    app.keys(CHORD).await;
    app.sees("you are in").await;
    app.rests().await;
    app.quits().await;
    assert_eq!(app.times("hunter2"), 0);
    let file = std::fs::read_to_string(&home.session_files()[0]).unwrap();
    assert!(!file.contains("hunter2"), "{file}");
    assert_eq!(notes_of_typing(&home), 1);
}

/// A program that redraws its whole screen and wants cursor keys of its own kind, on a small terminal.
#[tokio::test]
async fn keys_are_written_as_the_program_asked_for_them() {
    let home = Home::new();
    let command = "stty raw -echo; printf '\\033[?1h\\033[?2004hready'; \
                   dd bs=1 count=15 2>/dev/null | tr '\\033' E; dd bs=1 count=1 2>/dev/null; stty sane";
    let script = json!([{ "tool_calls": [on_terminal(command)] }, "that was it"]);
    let mut app = running(&home, (40, 10), &script).await;
    app.keys(CHORD).await;
    app.sees("ready").await;
    app.keys("\x1b[A").await;
    app.keys("\x1b[200~p\x1b[201~").await;
    app.sees("readyEOAE[200~pE[201").await;
    app.keys("x").await;
    app.sees("keys are ignored").await;
    app.keys(CHORD).await;
    app.sees("that was it").await;
    app.rests().await;
    app.quits().await;
}

/// The colour of a program's text is in the bytes that we write: on the page and in the panel, and nowhere with NO_COLOR.
#[tokio::test]
async fn a_program_s_colours_reach_the_terminal() {
    let orange = Color::Rgb(250, 100, 50);
    let command = "printf '\\033[38;2;250;100;50morange\\033[0m \\033[7;36msettled\\033[0m \\033[30;40mveiled\\033[0m'; read x";
    let script = json!([{ "tool_calls": [on_terminal(command)] }, "that was it"]);
    for (variables, first, second) in
        [(&[][..], orange, Color::Idx(6)), (&[("NO_COLOR", "1")], Color::Default, Color::Default)]
    {
        let home = Home::new();
        let mut app = Console::start_with(&home, USUAL, &["--script", &script.to_string()], variables);
        app.sees("ask anything").await;
        app.keys("go").await;
        app.keys(ENTER).await;
        app.sees("y once").await;
        app.answers("y").await;
        app.sees("orange settled veiled").await;
        let look = |app: &Console, word: &str| {
            let text = "orange settled veiled";
            let lines: Vec<String> = app.screen().lines().map(str::to_owned).collect();
            // The title of the panel has the command, which has the words, but not side by side.
            let row = lines.iter().position(|line| line.contains(text)).unwrap();
            let (before, _) = lines[row].split_once(text).unwrap();
            let column = before.chars().count() + text.find(word).unwrap();
            let at = |n: usize| u16::try_from(n).unwrap();
            app.terminal().cell(at(row), at(column)).unwrap().clone()
        };
        let is_shown = |app: &Console| {
            assert_eq!(look(app, "orange").fgcolor(), first, "{variables:?}\n{}", app.screen());
            let settled = look(app, "settled");
            assert_eq!((settled.fgcolor(), settled.inverse()), (second, true), "{variables:?}");
            let veiled = look(app, "veiled");
            assert!(veiled.bgcolor() == Color::Default && veiled.fgcolor() != Color::Idx(0), "{veiled:?}");
        };
        is_shown(&app);
        app.keys(CHORD).await;
        app.sees("every key goes to the program").await;
        app.sees("orange settled veiled").await;
        is_shown(&app);
        app.keys(ENTER).await;
        app.sees("keys are ignored").await;
        app.keys(CHORD).await;
        app.sees("that was it").await;
        app.rests().await;
        app.quits().await;
        let results = home.texts("tool_result", "content");
        assert!(results[0].contains("orange settled veiled") && !results[0].contains('\x1b'), "{results:?}");
    }
}

#[tokio::test]
async fn lines_type_too() {
    let home = Home::new();
    let command = "printf 'na%s? ' me; read n; echo hello $n; read more; echo bye $more";
    let script = json!([{ "tool_calls": [on_terminal(command)] }, "they have met"]).to_string();
    let mut app = Console::start(&home, USUAL, &["--screen-reader", "--script", &script]);
    app.sees("Type a message").await;
    app.keys("go\n").await;
    app.sees("answer: y once").await;
    app.reads().await;
    app.keys("y\n").await;
    app.sees("/type WORDS types a line into it").await;
    app.keys("/type Ann\n").await;
    app.sees("typed: /output c1").await;
    app.sees("note on c1: The user typed").await;
    // Whatever the program has read by now, the terminal keeps the keys in their order.
    app.keys("/keys g o enter\n").await;
    app.sees("they have met").await;
    app.sees("hello Ann").await;
    app.sees("bye go").await;
    app.keys("/quit\n").await;
    assert!(app.ends().await.success(), "{}", app.screen());
    assert_eq!(notes_of_typing(&home), 1);
}
