//! What the terminal is told beside the picture: its title, progress, and a call for a person who looks elsewhere.

use super::console::{Console, USUAL};
use super::home::Home;

const AWAY: &str = "\x1b[O";
const BACK: &str = "\x1b[I";
const DESKTOP: &[(&str, &str)] = &[("TERM_PROGRAM", "ghostty")];

/// Reads until the app has written something.
async fn writes(app: &mut Console, what: &str) {
    for _ in 0..1_000 {
        if app.times(what) > 0 {
            return;
        }
        app.yields().await;
    }
    panic!("never written: {what:?}\n{}", app.screen());
}

#[tokio::test]
async fn the_title_says_what_is_going_on_and_is_given_back() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &[]);
    app.sees("ask anything").await;
    writes(&mut app, "\x1b]2;countersign · work\x1b\\").await;
    app.says("run echo hello").await;
    app.sees("y once").await;
    writes(&mut app, "\x1b]2;countersign · work · working\x1b\\").await;
    writes(&mut app, "\x1b]2;countersign · work · waits\x1b\\").await;
    app.answers("y").await;
    app.sees("✓ done").await;
    writes(&mut app, "\x1b]2;countersign · work · done\x1b\\").await;
    app.rests().await;
    assert_eq!(app.times("\x1b]9;"), 0, "a terminal that nobody knows is told of no progress");
    assert_eq!(app.times("\x07"), 0, "nobody is called who is here");
    app.quits().await;
}

#[tokio::test]
async fn who_looks_elsewhere_is_called_when_it_waits_and_when_it_is_done() {
    let home = Home::new();
    let mut app = Console::start_with(&home, USUAL, &[], DESKTOP);
    app.sees("ask anything").await;
    app.keys(AWAY).await;
    app.says("run echo hello").await;
    writes(&mut app, "\x1b]9;countersign · work waits for you: shell\x1b\\").await;
    writes(&mut app, "\x1b]9;4;4;100\x1b\\").await;
    app.sees("y once").await;
    app.answers("y").await;
    writes(&mut app, "\x1b]9;countersign · work done: completed\x1b\\").await;
    app.rests().await;
    app.keys(BACK).await;
    app.says("list").await;
    app.sees("This folder has").await;
    app.rests().await;
    assert_eq!(app.times("\x1b]9;countersign"), 2, "once each, and not while the window has the focus");
    app.quits().await;
    let last = app.bytes.windows(6).rposition(|w| w == b"\x1b]9;4;").unwrap();
    assert!(app.bytes[last..].starts_with(b"\x1b]9;4;0"), "progress is taken away in the end");
}

#[tokio::test]
async fn the_bell_where_the_desktop_is_not_known_and_nothing_when_off() {
    for (how, bells) in [("auto", 2), ("bell", 2), ("off", 0)] {
        let home = Home::new();
        let mut app = Console::start(&home, USUAL, &["-c", &format!("notify={how}")]);
        app.sees("ask anything").await;
        app.keys(AWAY).await;
        app.says("run echo hello").await;
        app.sees("y once").await;
        app.answers("y").await;
        // The bell is rung in one write with the title.
        writes(&mut app, "\x1b]2;countersign · work · done\x1b\\").await;
        app.rests().await;
        assert_eq!(app.times("\x07"), bells, "{how}");
        app.quits().await;
    }
}

#[tokio::test]
async fn vim_types_and_commands_and_esc_interrupts_what_runs() {
    let home = Home::new();
    let mut app = Console::start(&home, USUAL, &["-c", "vim=true"]);
    app.sees("ask anything").await;
    app.sees(" insert ").await;
    app.keys("wrong words").await;
    app.sees("wrong words").await;
    app.keys("\x1b").await;
    app.sees(" normal ").await;
    app.keys("0cwsleepy").await;
    app.sees("sleepy words").await;
    app.keys("\x1b").await;
    app.sees(" normal ").await;
    app.keys("ddirun sleep 30\r").await;
    app.sees("y once").await;
    app.sees(" insert ").await;
    app.keys("\x1b").await;
    app.sees("nterrupted").await;
    app.rests().await;
    app.sees(" insert ").await;
    app.quits().await;
}

#[tokio::test]
async fn keys_of_ones_own_are_used_and_shown() {
    let home = Home::new();
    let mut app = Console::start(
        &home,
        (100, 90),
        &["-c", "keys.everywhere.ledger='ctrl-l'", "-c", "keys.page.down=['f9']"],
    );
    app.sees("ask anything").await;
    app.keys("\x0f").await;
    app.keys("\x1bOP").await;
    app.sees("ctrl-l").await;
    app.keys("\x1b").await;
    app.sees("ask anything").await;
    app.keys("\x0c").await;
    app.sees("entries").await;
    app.keys("\x1b").await;
    app.sees("ask anything").await;
    app.quits().await;
}
