//! Typing into the terminal of a running command: whose each key is, what the page shows, and what becomes of keys when
//! the command is over.

use crate::desk::Desk;
use crate::frames::{Seat, snapshot};
use crate::stage::Stage;
use countersign::agent::{Intent, Live};
use countersign::ledger::{CallId, Decider, OpenCall, Outcome, Preview};
use countersign::tool::{KeyModes, Row, Screen, Typed};
use countersign::ui::linear;
use countersign::ui::local::Overlay;
use countersign::ui::rebinding::{Keymap, Rebinding};
use countersign::ui::update::{Act, paste};
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
fn two(shown: Option<Screen>) -> (Stage, Vec<OpenCall>) {
    let mut stage = Stage::new();
    stage.user("Log in, then clean up.");
    let calls = vec![
        stage.tool_use("shell", json!({ "command": "./login --host example.org", "pty": true })),
        stage.tool_use("shell", json!({ "command": "rm -rf build" })),
    ];
    let open = stage.say(None, "", "I log in.", calls);
    let [first, second] = [open[0].id(), open[1].id()];
    stage.decide(first, true, Decider::Policy);
    stage.ask(second, "shell", Preview::Command("rm -rf build".into()));
    stage.run(first, "shell");
    stage.now += 3_000;
    if let Some(screen) = shown {
        stage.live(Live::Screen { call: first, screen });
    }
    (stage, open)
}

/// One alone.
pub(crate) fn one(shown: Option<Screen>) -> (Stage, Vec<OpenCall>) {
    let mut stage = Stage::new();
    stage.user("Log in.");
    let call = stage.tool_use("shell", json!({ "command": "./login --host example.org", "pty": true }));
    let open = stage.say(None, "", "I log in.", vec![call]);
    stage.decide(open[0].id(), true, Decider::Policy);
    stage.run(open[0].id(), "shell");
    stage.now += 3_000;
    if let Some(screen) = shown {
        stage.live(Live::Screen { call: open[0].id(), screen });
    }
    (stage, open)
}

fn question() -> Screen {
    screen(&["Welcome to example.org.", "", "name?"], Some((2, 6)))
}

fn typed(acts: &[Act]) -> String {
    let bytes = acts.iter().map(|act| match act {
        Act::Type(CallId(1), Typed(bytes)) => String::from_utf8(bytes.clone()).unwrap(),
        other => panic!("{other:?} is no key for the program"),
    });
    bytes.collect()
}

fn is_typing(seat: &Seat) -> bool {
    matches!(seat.local.overlay, Some(Overlay::Terminal(_)))
}

fn at_all_sizes(name: &str, seat: impl Fn() -> Seat) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &seat().frame(width, height));
    }
}

/// Where the terminal's cursor is after a frame.
pub(crate) fn cursor(seat: &mut Seat, width: u16, height: u16) -> Position {
    let mut terminal = seat.terminal(width, height);
    seat.draw(&mut terminal);
    terminal.backend_mut().get_cursor_position().unwrap()
}

#[test]
fn the_panel_says_how_to_type_into_it() {
    at_all_sizes("typing_panel", || Seat::new(one(Some(question())).0));
    let mut silent = Seat::new(one(None).0);
    assert!(silent.frame(80, 24).contains("ctrl-] types into it"), "{}", silent.frame(80, 24));
}

#[test]
fn the_page_shows_the_screen_and_how_to_leave() {
    at_all_sizes("typing", || {
        let mut seat = Seat::new(one(Some(question())).0);
        seat.ctrl(']');
        seat
    });
    at_all_sizes("typing_beside_an_approval", || {
        let mut seat = Seat::new(two(Some(question())).0);
        seat.ctrl(']');
        seat
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
        let mut seat = Seat::new(one(Some(full())).0);
        seat.ctrl(']');
        seat
    });
    for (width, height) in SIZES {
        for (row, column) in [(0, 0), (0, 119), (39, 0), (39, 119), (20, 60)] {
            let mut seat = Seat::new(one(Some(Screen { cursor: Some((row, column)), ..full() })).0);
            seat.ctrl(']');
            let at = cursor(&mut seat, width, height);
            let frame = seat.frame(width, height);
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
    let mut seat = Seat::new(one(Some(shown)).0);
    seat.ctrl(']');
    let frame = seat.frame(80, 24);
    assert!(!frame.contains('\u{202e}') && !frame.contains('\u{200b}'), "{frame}");
    assert!(frame.contains("evil") && frame.contains("漢"), "{frame}");
}

#[test]
fn every_key_is_the_program_s_but_one() {
    let mut seat = Seat::new(two(Some(question())).0);
    seat.frame(80, 24);
    assert!(seat.ctrl(']').is_empty() && is_typing(&seat));
    seat.frame(80, 24);
    let mut keys = seat.press("yes?");
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
        keys.extend(seat.key(code, held));
    }
    assert_eq!(typed(&keys), "yes?\r\x1b\x1b[A\t\x1b[Z\x1bOP\x1b[5~\x03\x04\x1a\x0f\x1bx");
    assert!(is_typing(&seat) && seat.local.composer.is_empty());
    assert!(seat.ctrl(']').is_empty() && !is_typing(&seat), "it leaves");
    assert_eq!(seat.key(KeyCode::Esc, NONE), [Act::Abort], "then esc interrupts");
}

#[test]
fn terminals_without_a_protocol_have_the_chord_too() {
    let mut seat = Seat::new(one(Some(question())).0);
    seat.ctrl('5');
    assert!(is_typing(&seat));
    seat.ctrl('5');
    assert!(!is_typing(&seat));
}

#[test]
fn an_esc_that_is_read_together_with_the_chord_reaches_the_program() {
    let mut seat = Seat::new(one(Some(question())).0);
    seat.ctrl(']');
    let acts = seat.key(KeyCode::Char('5'), KeyModifiers::CONTROL | KeyModifiers::ALT);
    assert_eq!((typed(&acts).as_str(), is_typing(&seat)), ("\x1b", false));
}

#[test]
fn another_chord_can_be_bound_and_there_is_always_a_way_out() {
    let keymap = |keys: &[&str]| {
        let mut keymap = Keymap::default();
        keymap.change(Rebinding::parse("everywhere", "type_into", keys).unwrap());
        keymap
    };
    let mut seat = Seat::new(one(Some(question())).0);
    seat.local.keymap = keymap(&["ctrl-x", "f9"]);
    assert!(seat.frame(80, 24).contains("ctrl-x types into it"));
    seat.ctrl('x');
    assert!(seat.frame(80, 24).contains("ctrl-x leaves · then esc interrupts"));
    assert_eq!(typed(&seat.ctrl(']')), "\x1d", "the program's now");
    seat.key(KeyCode::F(9), NONE);
    assert!(!is_typing(&seat));
    let mut seat = Seat::new(one(Some(question())).0);
    seat.local.keymap = keymap(&[]);
    assert!(!seat.frame(80, 24).contains("types into it"));
    seat.ctrl(']');
    assert!(!is_typing(&seat), "no key opens it");
    seat.ctrl('p');
    seat.press("terminal");
    seat.key(KeyCode::Enter, NONE);
    assert!(is_typing(&seat), "the palette does");
    assert!(seat.frame(80, 24).contains("ctrl-] leaves"));
    seat.ctrl(']');
    assert!(!is_typing(&seat));
}

#[test]
fn modes_of_the_program_change_what_keys_and_pastes_are() {
    let keys = KeyModes { application_cursor: true, bracketed_paste: true };
    let mut seat = Seat::new(one(Some(Screen { keys, ..question() })).0);
    seat.ctrl(']');
    assert_eq!(typed(&seat.key(KeyCode::Up, NONE)), "\x1bOA");
    let pasted = paste(&mut seat.local, &seat.view, "two\nlines\x1b[201~\x03");
    assert_eq!(typed(&pasted), "\x1b[200~two\rlines[201~\x1b[201~");
    let mut plain = Seat::new(one(Some(question())).0);
    plain.ctrl(']');
    assert_eq!(typed(&paste(&mut plain.local, &plain.view, "two\nlines")), "two\rlines");
    assert!(plain.local.composer.is_empty());
}

/// The command ends between two keys of one burst: no frame has shown it, and still no key goes elsewhere.
#[test]
fn keys_after_the_end_go_nowhere_until_the_page_is_left() {
    let (mut stage, mut open) = two(Some(question()));
    let second = open.pop().unwrap();
    let first = open.pop().unwrap();
    let mut seat = Seat::new(Stage::new());
    std::mem::swap(&mut seat.stage, &mut stage);
    seat.catch_up();
    seat.frame(80, 24);
    seat.ctrl(']');
    seat.frame(80, 24);
    assert_eq!(typed(&seat.press("Ann")), "Ann");
    seat.stage.settle(
        first,
        Outcome::Ok,
        "[the user typed into this terminal while it ran]\nname? Ann",
        3_000,
    );
    seat.catch_up();
    for round in 0..3 {
        let mut acts = seat.press("ynsabe?");
        for code in [KeyCode::Enter, KeyCode::Esc, KeyCode::Tab] {
            acts.extend(seat.key(code, NONE));
        }
        acts.extend(seat.ctrl('c'));
        acts.extend(seat.ctrl('c'));
        acts.extend(seat.ctrl('d'));
        acts.extend(paste(&mut seat.local, &seat.view, "pasted"));
        assert_eq!(acts, [], "round {round}");
        assert!(is_typing(&seat) && seat.local.composer.is_empty(), "round {round}");
        seat.frame(80, 24);
    }
    snapshot("typing_over_80x24", &seat.frame(80, 24));
    snapshot("typing_over_40x10", &seat.frame(40, 10));
    seat.ctrl(']');
    assert_eq!(seat.press("y"), [], "a call that no frame has shown is not answered");
    seat.local.composer.clear();
    let answered = seat.answers("y");
    assert!(matches!(answered.as_slice(), [Act::Send(Intent::Decide { call, .. })] if *call == second.id()));
}

/// The key that opens the page comes a moment after the end: what is typed then was meant for the program.
#[test]
fn the_page_of_a_command_that_has_just_ended_takes_keys_away() {
    let (mut stage, mut open) = one(Some(question()));
    stage.settle(open.pop().unwrap(), Outcome::Failed, "name?\nexit code 1", 3_000);
    let mut seat = Seat::new(stage);
    seat.ctrl(']');
    assert!(is_typing(&seat));
    assert_eq!(seat.press("secret"), []);
    assert_eq!(seat.key(KeyCode::Enter, NONE), []);
    assert!(seat.local.composer.is_empty());
    let mut none = Seat::new(Stage::new());
    none.ctrl(']');
    assert_eq!(none.local.hint.as_deref(), Some("no running command has a terminal that accepts keys"));
}

#[test]
fn the_page_opens_from_the_output_of_the_call() {
    let mut seat = Seat::new(one(Some(question())).0);
    seat.key(KeyCode::Tab, NONE);
    seat.key(KeyCode::Enter, NONE);
    assert!(seat.frame(80, 24).contains("output so far"));
    seat.ctrl(']');
    assert!(is_typing(&seat));
}

#[test]
fn lines_type_too() {
    let mut desk = Desk::new(
        one(Some(Screen {
            keys: KeyModes { application_cursor: true, bracketed_paste: false },
            ..question()
        }))
        .0,
    );
    assert!(desk.said.contains("runs on a terminal; /type WORDS types a line into it"), "{}", desk.said);
    let sent = |acts: Vec<linear::Act>| match acts.as_slice() {
        [linear::Act::Send(Intent::TypeInto { call: CallId(1), typed: Typed(bytes) })] => {
            String::from_utf8(bytes.clone()).unwrap()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(sent(desk.types("/type Ann Lee")), "Ann Lee\r");
    assert_eq!(sent(desk.types("/type")), "\r");
    assert_eq!(sent(desk.types("/keys ctrl-c up esc")), "\x03\x1bOA\x1b");
    desk.types("/output");
    assert!(desk.said.contains("name?"), "{}", desk.said);
    assert_eq!(desk.types("/keys entr"), []);
    assert!(desk.said.contains("not understood: \"entr\" is not a key"), "{}", desk.said);
    let mut idle = Desk::new(Stage::new());
    assert_eq!(idle.types("/type Ann"), []);
    assert!(idle.said.contains("not typed: no running command has a terminal"), "{}", idle.said);
}
