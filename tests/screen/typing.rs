//! Typing into the terminal of a running command: whose each key is, what the page shows, and what becomes of keys when
//! the command is over.

use crate::linear_harness::LinearHarness;
use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::agent::{Intent, Live};
use countersign::ledger::{CallId, Decider, OpenCall, Outcome, Preview};
use countersign::tool::{KeyModes, Row, Screen, Typed};
use countersign::ui::linear;
use countersign::ui::local::Overlay;
use countersign::ui::rebinding::{Keymap, Rebinding};
use countersign::ui::update::{UiEffect, paste};
use ratatui::backend::Backend as _;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use ratatui::layout::Position;
use serde_json::json;

const NONE: KeyModifiers = KeyModifiers::NONE;
const SIZES: [(u16, u16); 3] = [(40, 10), (80, 24), (200, 50)];

fn screen(rows: &[&str], cursor: Option<(u16, u16)>) -> Screen {
    Screen { rows: rows.iter().map(|row| Row::from(*row)).collect(), cursor, ..Screen::default() }
}

/// A command that runs on a terminal, and one behind it that waits for a person.
fn two(shown: Option<Screen>) -> (SessionBuilder, Vec<OpenCall>) {
    let mut builder = SessionBuilder::new();
    builder.user("Log in, then clean up.");
    let calls = vec![
        builder.tool_use("shell", json!({ "command": "./login --host example.org", "pty": true })),
        builder.tool_use("shell", json!({ "command": "rm -rf build" })),
    ];
    let open = builder.say(None, "", "I log in.", calls);
    let [first, second] = [open[0].id(), open[1].id()];
    builder.decide(first, true, Decider::Policy);
    builder.ask(second, "shell", Preview::Command("rm -rf build".into()));
    builder.run(first, "shell");
    builder.now += 3_000;
    if let Some(screen) = shown {
        builder.live(Live::Screen { call: first, screen });
    }
    (builder, open)
}

/// One alone.
pub(crate) fn one(shown: Option<Screen>) -> (SessionBuilder, Vec<OpenCall>) {
    let mut builder = SessionBuilder::new();
    builder.user("Log in.");
    let call = builder.tool_use("shell", json!({ "command": "./login --host example.org", "pty": true }));
    let open = builder.say(None, "", "I log in.", vec![call]);
    builder.decide(open[0].id(), true, Decider::Policy);
    builder.run(open[0].id(), "shell");
    builder.now += 3_000;
    if let Some(screen) = shown {
        builder.live(Live::Screen { call: open[0].id(), screen });
    }
    (builder, open)
}

fn question() -> Screen {
    screen(&["Welcome to example.org.", "", "name?"], Some((2, 6)))
}

fn typed(acts: &[UiEffect]) -> String {
    let bytes = acts.iter().map(|act| match act {
        UiEffect::Type(CallId(1), Typed(bytes)) => String::from_utf8(bytes.clone()).unwrap(),
        other => panic!("{other:?} is no key for the program"),
    });
    bytes.collect()
}

fn is_typing(screen: &ScreenHarness) -> bool {
    matches!(screen.local.overlay, Some(Overlay::Terminal(_)))
}

fn at_all_sizes(name: &str, screen: impl Fn() -> ScreenHarness) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &screen().frame(width, height));
    }
}

/// Where the terminal's cursor is after a frame.
pub(crate) fn cursor(screen: &mut ScreenHarness, width: u16, height: u16) -> Position {
    let mut terminal = screen.terminal(width, height);
    screen.draw(&mut terminal);
    terminal.backend_mut().get_cursor_position().unwrap()
}

#[test]
fn the_panel_says_how_to_type_into_it() {
    at_all_sizes("typing_panel", || ScreenHarness::new(one(Some(question())).0));
    let mut silent = ScreenHarness::new(one(None).0);
    assert!(silent.frame(80, 24).contains("ctrl-] types into it"), "{}", silent.frame(80, 24));
}

#[test]
fn the_page_shows_the_screen_and_how_to_leave() {
    at_all_sizes("typing", || {
        let mut screen = ScreenHarness::new(one(Some(question())).0);
        screen.ctrl(']');
        screen
    });
    at_all_sizes("typing_beside_an_approval", || {
        let mut screen = ScreenHarness::new(two(Some(question())).0);
        screen.ctrl(']');
        screen
    });
}

/// A program that fills its 120x40 cells, with the cursor in the last but one row.
fn full() -> Screen {
    let rows = (1..=40)
        .map(|row| {
            let text: String = (0..12).map(|tens| format!("{row:02}.{:<7}", tens * 10)).collect();
            Row::from(text.trim_end())
        })
        .collect();
    Screen { rows, cursor: Some((38, 100)), ..Screen::default() }
}

#[test]
fn the_window_follows_the_cursor_both_ways() {
    at_all_sizes("typing_full", || {
        let mut screen = ScreenHarness::new(one(Some(full())).0);
        screen.ctrl(']');
        screen
    });
    for (width, height) in SIZES {
        for (row, column) in [(0, 0), (0, 119), (39, 0), (39, 119), (20, 60)] {
            let mut screen =
                ScreenHarness::new(one(Some(Screen { cursor: Some((row, column)), ..full() })).0);
            screen.ctrl(']');
            let at = cursor(&mut screen, width, height);
            let frame = screen.frame(width, height);
            let under = frame.lines().nth(usize::from(at.y)).unwrap();
            let begins = under.chars().skip(usize::from(at.x)).collect::<String>();
            let whole = &full().rows[usize::from(row)].text().to_owned();
            let rest: String = whole.chars().skip(usize::from(column)).take(begins.len()).collect();
            assert_eq!(
                begins.trim_end(),
                rest.trim_end(),
                "{width}x{height}, cursor {row} {column}\n{frame}"
            );
            assert!(at.y > 1 && at.y < height - 1, "{at:?}");
        }
    }
}

#[test]
fn what_would_paint_over_the_page_is_shown_and_not_obeyed() {
    let shown = screen(&["\u{202e}evil\u{200b}x", "漢字"], Some((0, 6)));
    let mut screen = ScreenHarness::new(one(Some(shown)).0);
    screen.ctrl(']');
    let frame = screen.frame(80, 24);
    assert!(!frame.contains('\u{202e}') && !frame.contains('\u{200b}'), "{frame}");
    assert!(frame.contains("evil") && frame.contains("漢"), "{frame}");
}

#[test]
fn every_key_is_the_program_s_but_one() {
    let mut screen = ScreenHarness::new(two(Some(question())).0);
    screen.frame(80, 24);
    assert!(screen.ctrl(']').is_empty() && is_typing(&screen));
    screen.frame(80, 24);
    let mut keys = screen.press("yes?");
    for (code, held) in [
        (KeyCode::Enter, NONE),
        (KeyCode::Esc, NONE),
        (KeyCode::Up, NONE),
        (KeyCode::Tab, NONE),
        (KeyCode::BackTab, KeyModifiers::SHIFT),
        (KeyCode::F(1), NONE),
        (KeyCode::PageUp, NONE),
        (KeyCode::Char('c'), KeyModifiers::CONTROL),
        (KeyCode::Char('d'), KeyModifiers::CONTROL),
        (KeyCode::Char('z'), KeyModifiers::CONTROL),
        (KeyCode::Char('o'), KeyModifiers::CONTROL),
        (KeyCode::Char('x'), KeyModifiers::ALT),
    ] {
        keys.extend(screen.key(code, held));
    }
    assert_eq!(typed(&keys), "yes?\r\x1b\x1b[A\t\x1b[Z\x1bOP\x1b[5~\x03\x04\x1a\x0f\x1bx");
    assert!(is_typing(&screen) && screen.local.composer.is_empty());
    assert!(screen.ctrl(']').is_empty() && !is_typing(&screen), "it leaves");
    assert_eq!(screen.key(KeyCode::Esc, NONE), [UiEffect::Abort], "then esc interrupts");
}

#[test]
fn terminals_without_a_protocol_have_the_chord_too() {
    let mut screen = ScreenHarness::new(one(Some(question())).0);
    screen.ctrl('5');
    assert!(is_typing(&screen));
    screen.ctrl('5');
    assert!(!is_typing(&screen));
}

#[test]
fn an_esc_that_is_read_together_with_the_chord_reaches_the_program() {
    let mut screen = ScreenHarness::new(one(Some(question())).0);
    screen.ctrl(']');
    let acts = screen.key(KeyCode::Char('5'), KeyModifiers::CONTROL | KeyModifiers::ALT);
    assert_eq!((typed(&acts).as_str(), is_typing(&screen)), ("\x1b", false));
}

#[test]
fn another_chord_can_be_bound_and_there_is_always_a_way_out() {
    let keymap = |keys: &[&str]| {
        let mut keymap = Keymap::default();
        keymap.change(Rebinding::parse("everywhere", "type_into", keys).unwrap());
        keymap
    };
    let mut screen = ScreenHarness::new(one(Some(question())).0);
    screen.local.keymap = keymap(&["ctrl-x", "f9"]);
    assert!(screen.frame(80, 24).contains("ctrl-x types into it"));
    screen.ctrl('x');
    assert!(screen.frame(80, 24).contains("ctrl-x leaves · then esc interrupts"));
    assert_eq!(typed(&screen.ctrl(']')), "\x1d", "the program's now");
    screen.key(KeyCode::F(9), NONE);
    assert!(!is_typing(&screen));
    let mut screen = ScreenHarness::new(one(Some(question())).0);
    screen.local.keymap = keymap(&[]);
    assert!(!screen.frame(80, 24).contains("types into it"));
    screen.ctrl(']');
    assert!(!is_typing(&screen), "no key opens it");
    screen.ctrl('p');
    screen.press("terminal");
    screen.key(KeyCode::Enter, NONE);
    assert!(is_typing(&screen), "the palette does");
    assert!(screen.frame(80, 24).contains("ctrl-] leaves"));
    screen.ctrl(']');
    assert!(!is_typing(&screen));
}

#[test]
fn modes_of_the_program_change_what_keys_and_pastes_are() {
    let keys = KeyModes { application_cursor: true, bracketed_paste: true };
    let mut screen = ScreenHarness::new(one(Some(Screen { keys, ..question() })).0);
    screen.ctrl(']');
    assert_eq!(typed(&screen.key(KeyCode::Up, NONE)), "\x1bOA");
    let pasted = paste(&mut screen.local, &screen.view, "two\nlines\x1b[201~\x03");
    assert_eq!(typed(&pasted), "\x1b[200~two\rlines[201~\x1b[201~");
    let mut plain = ScreenHarness::new(one(Some(question())).0);
    plain.ctrl(']');
    assert_eq!(typed(&paste(&mut plain.local, &plain.view, "two\nlines")), "two\rlines");
    assert!(plain.local.composer.is_empty());
}

/// The command ends between two keys of one burst: no frame has shown it, and still no key goes elsewhere.
#[test]
fn keys_after_the_end_go_nowhere_until_the_page_is_left() {
    let (mut builder, mut open) = two(Some(question()));
    let second = open.pop().unwrap();
    let first = open.pop().unwrap();
    let mut screen = ScreenHarness::new(SessionBuilder::new());
    std::mem::swap(&mut screen.builder, &mut builder);
    screen.catch_up();
    screen.frame(80, 24);
    screen.ctrl(']');
    screen.frame(80, 24);
    assert_eq!(typed(&screen.press("Ann")), "Ann");
    screen.builder.settle(
        first,
        Outcome::Ok,
        "[the user typed into this terminal while it ran]\nname? Ann",
        3_000,
    );
    screen.catch_up();
    for round in 0..3 {
        let mut acts = screen.press("ynsabe?");
        for code in [KeyCode::Enter, KeyCode::Esc, KeyCode::Tab] {
            acts.extend(screen.key(code, NONE));
        }
        acts.extend(screen.ctrl('c'));
        acts.extend(screen.ctrl('c'));
        acts.extend(screen.ctrl('d'));
        acts.extend(paste(&mut screen.local, &screen.view, "pasted"));
        assert_eq!(acts, [], "round {round}");
        assert!(is_typing(&screen) && screen.local.composer.is_empty(), "round {round}");
        screen.frame(80, 24);
    }
    snapshot("typing_over_80x24", &screen.frame(80, 24));
    snapshot("typing_over_40x10", &screen.frame(40, 10));
    screen.ctrl(']');
    assert_eq!(screen.press("y"), [], "a call that no frame has shown is not answered");
    screen.local.composer.clear();
    let answered = screen.answers("y");
    assert!(
        matches!(answered.as_slice(), [UiEffect::Send(Intent::Decide { call, .. })] if *call == second.id())
    );
}

/// The key that opens the page comes a moment after the end: what is typed then was meant for the program.
#[test]
fn the_page_of_a_command_that_has_just_ended_takes_keys_away() {
    let (mut builder, mut open) = one(Some(question()));
    builder.settle(open.pop().unwrap(), Outcome::Failed, "name?\nexit code 1", 3_000);
    let mut screen = ScreenHarness::new(builder);
    screen.ctrl(']');
    assert!(is_typing(&screen));
    assert_eq!(screen.press("secret"), []);
    assert_eq!(screen.key(KeyCode::Enter, NONE), []);
    assert!(screen.local.composer.is_empty());
    let mut none = ScreenHarness::new(SessionBuilder::new());
    none.ctrl(']');
    assert_eq!(none.local.hint.as_deref(), Some("no running command has a terminal that accepts keys"));
}

#[test]
fn the_page_opens_from_the_output_of_the_call() {
    let mut screen = ScreenHarness::new(one(Some(question())).0);
    screen.key(KeyCode::Tab, NONE);
    screen.key(KeyCode::Enter, NONE);
    assert!(screen.frame(80, 24).contains("output so far"));
    screen.ctrl(']');
    assert!(is_typing(&screen));
}

#[test]
fn lines_type_too() {
    let mut harness = LinearHarness::new(
        one(Some(Screen {
            keys: KeyModes { application_cursor: true, bracketed_paste: false },
            ..question()
        }))
        .0,
    );
    assert!(
        harness.said.contains("runs on a terminal; /type WORDS types a line into it"),
        "{}",
        harness.said
    );
    let sent = |acts: Vec<linear::LinearEffect>| match acts.as_slice() {
        [linear::LinearEffect::Send(Intent::TypeInto { call: CallId(1), typed: Typed(bytes) })] => {
            String::from_utf8(bytes.clone()).unwrap()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(sent(harness.types("/type Ann Lee")), "Ann Lee\r");
    assert_eq!(sent(harness.types("/type")), "\r");
    assert_eq!(sent(harness.types("/keys ctrl-c up esc")), "\x03\x1bOA\x1b");
    harness.types("/output");
    assert!(harness.said.contains("name?"), "{}", harness.said);
    assert_eq!(harness.types("/keys entr"), []);
    assert!(harness.said.contains("not understood: \"entr\" is not a key"), "{}", harness.said);
    let mut idle = LinearHarness::new(SessionBuilder::new());
    assert_eq!(idle.types("/type Ann"), []);
    assert!(idle.said.contains("not typed: no running command has a terminal"), "{}", idle.said);
}
