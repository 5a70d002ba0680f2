//! The lists that are narrowed by typing, earlier messages, and commands as they are completed.

use crate::frames::{Seat, scrolled, snapshot};
use crate::scenes;
use crate::stage::Stage;
use countersign::agent::Intent;
use countersign::ledger::{CallId, Change, FilesRestored, Remark};
use countersign::ui::Request;
use countersign::ui::commands::{Fronts, listed};
use countersign::ui::keymap::BINDINGS;
use countersign::ui::local::Overlay;
use countersign::ui::offer::Offer;
use countersign::ui::picker::{Choice, Item, Picker};
use countersign::ui::source::Source;
use countersign::ui::update::{Act, paste};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn at_all_sizes(name: &str, seat: impl Fn() -> Seat) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &seat().frame(width, height));
    }
}

fn enter(seat: &mut Seat) -> Vec<Act> {
    seat.key(KeyCode::Enter, NONE)
}

fn picked(seat: &mut Seat, typed: &str) -> Vec<Act> {
    seat.ctrl('p');
    seat.press(typed);
    enter(seat)
}

fn remembering() -> Seat {
    let mut seat = Seat::new(scenes::conversation());
    seat.local.earlier =
        ["mend the lexer", "explain\nthe tests", "mend the parser"].map(str::to_owned).into();
    seat
}

#[test]
fn the_palette_has_every_action_with_its_key_and_every_command() {
    let mut seat = Seat::new(Stage::new());
    seat.ctrl('p');
    let Some(Overlay::Picker(picker)) = &seat.local.overlay else { panic!("no picker") };
    for binding in BINDINGS.iter().filter(|b| !b.words.is_empty()) {
        let has = |i: &Item| i.words.ends_with(binding.words) && i.aside == binding.keys;
        assert!(picker.items.iter().any(has), "{binding:?}");
    }
    for row in listed(Fronts::Screen) {
        assert!(picker.items.iter().any(|i| i.aside == row.name && i.words == row.help), "{}", row.name);
    }
}

#[test]
fn what_is_picked_is_done() {
    let mut seat = Seat::new(scenes::conversation());
    assert!(picked(&mut seat, "budgets").is_empty());
    assert!(scrolled(seat.local.overlay.as_ref(), "budgets") == Some(0));
    seat.key(KeyCode::Esc, NONE);
    assert_eq!(picked(&mut seat, "suspend; fg"), [Act::Suspend]);
    assert_eq!(picked(&mut seat, "/compact"), [Act::Send(Intent::Compact)]);
    assert_eq!(picked(&mut seat, "/sessions"), [Act::Pick(Source::Sessions)]);
    picked(&mut seat, "/mode");
    assert_eq!(seat.local.composer.shown(), "/mode ", "what needs an argument waits for it");
    seat.ctrl('u');
    picked(&mut seat, "find: kind, id or words");
    let filters = matches!(&seat.local.overlay, Some(Overlay::Ledger(inspector)) if inspector.typing);
    assert!(filters, "a key of the ledger opens the ledger");
}

#[test]
fn picking_never_approves_what_was_not_in_sight() {
    let mut seat = Seat::new(scenes::waiting_command());
    seat.frame(80, 24);
    seat.ctrl('p');
    seat.frame(80, 24);
    seat.press("allow once");
    assert!(enter(&mut seat).is_empty());
    assert!(seat.local.hint.as_ref().unwrap().contains("it has the keys now"));
    seat.frame(80, 24);
    seat.waits(300);
    assert!(seat.press("y").is_empty(), "it has just appeared");
    assert!(!seat.answers("y").is_empty(), "with the call in sight, the key does it");
}

#[test]
fn a_draft_survives_the_palette() {
    let mut seat = Seat::new(scenes::conversation());
    seat.press("half a thought");
    assert_eq!(picked(&mut seat, "/compact"), [Act::Send(Intent::Compact)]);
    assert_eq!(seat.local.composer.text(), "half a thought");
    seat.ctrl('p');
    seat.key(KeyCode::Esc, NONE);
    assert!(seat.local.overlay.is_none());
    seat.ctrl('p');
    seat.ctrl('c');
    assert!(seat.local.overlay.is_none() && !seat.local.quit_armed);
    assert_eq!(seat.local.composer.text(), "half a thought");
}

#[test]
fn keys_move_and_narrow() {
    let mut seat = Seat::new(Stage::new());
    seat.ctrl('p');
    seat.key(KeyCode::Down, NONE);
    seat.key(KeyCode::Down, NONE);
    seat.key(KeyCode::Up, NONE);
    let Some(Overlay::Picker(picker)) = &seat.local.overlay else { panic!("no picker") };
    assert_eq!(picker.current(), picker.items.get(1));
    paste(&mut seat.local, &seat.view, "zz\nzz");
    assert!(seat.frame(80, 24).contains("no matching action"));
    assert!(enter(&mut seat).is_empty() && seat.local.overlay.is_some(), "nothing to take");
    seat.ctrl('u');
    assert!(!seat.frame(80, 24).contains("no matching action"));
}

#[test]
fn earlier_messages_of_other_sessions_come_back_with_the_arrows() {
    let mut seat = remembering();
    seat.press("a draft");
    seat.key(KeyCode::Up, NONE);
    assert_eq!(seat.local.composer.text(), "Why does the parser reject empty input?");
    seat.key(KeyCode::Up, NONE);
    assert_eq!(seat.local.composer.text(), "mend the parser");
    seat.local.earlier.insert(0, "older still".into());
    seat.key(KeyCode::Up, NONE);
    assert_eq!(
        seat.local.composer.text(),
        "explain\nthe tests",
        "older ones that were read meanwhile change nothing"
    );
    for _ in 0..3 {
        seat.key(KeyCode::Down, NONE);
    }
    assert_eq!(seat.local.composer.text(), "a draft");
    seat.key(KeyCode::Down, NONE);
    assert_eq!(seat.local.composer.text(), "a draft");
}

#[test]
fn arrows_inside_what_is_typed_move_the_cursor() {
    let mut seat = remembering();
    seat.press("one");
    seat.ctrl('j');
    seat.press("two");
    seat.key(KeyCode::Up, NONE);
    assert_eq!(seat.local.composer.text(), "one\ntwo");
    seat.key(KeyCode::Up, NONE);
    assert_eq!(seat.local.composer.text(), "Why does the parser reject empty input?");
}

#[test]
fn earlier_messages_are_found_by_letters() {
    let mut seat = remembering();
    seat.ctrl('r');
    seat.press("mend lex");
    assert!(enter(&mut seat).is_empty());
    assert_eq!(seat.local.composer.text(), "mend the lexer", "it is not sent yet");
    assert!(matches!(enter(&mut seat).as_slice(), [Act::Send(Intent::Submit(_))]));
}

#[test]
fn tab_completes_commands() {
    let mut seat = Seat::new(Stage::new());
    seat.press("/m");
    assert!(seat.frame(80, 24).contains("/mode "));
    seat.key(KeyCode::Tab, NONE);
    assert_eq!(seat.local.composer.shown(), "/mode", "as far as they agree");
    seat.press("l");
    seat.key(KeyCode::Tab, NONE);
    assert_eq!(seat.local.composer.shown(), "/model ");
    seat.ctrl('u');
    seat.press("/goal fix it");
    assert!(seat.frame(80, 24).contains("OBJECTIVE | check: COMMAND"), "its arguments are hinted");
    seat.ctrl('u');
    seat.press("/etc/hosts is odd");
    assert!(!seat.frame(80, 24).contains("OBJECTIVE"));
}

#[test]
fn a_theme_is_worn_while_it_is_chosen_and_taken_off_on_esc() {
    let themes = |seat: &mut Seat| {
        let item = |name: &str| Item {
            words: name.into(),
            aside: String::new(),
            choice: Choice::Theme(name.into()),
        };
        let mut picker = Picker::new(Source::Themes, ["dark", "light", "plain"].map(item).into());
        picker.before = "dark".into();
        seat.local.overlay = Some(Overlay::Picker(picker));
    };
    let mut seat = Seat::new(scenes::conversation());
    themes(&mut seat);
    assert_eq!(seat.key(KeyCode::Down, NONE), [Act::SetTheme("light".into())]);
    assert!(seat.frame(100, 24).contains("✓ done"), "the transcript shows what it looks like");
    assert_eq!(seat.key(KeyCode::Esc, NONE), [Act::SetTheme("dark".into())]);
    themes(&mut seat);
    seat.key(KeyCode::Down, NONE);
    assert_eq!(enter(&mut seat), [Act::SetTheme("light".into())]);
    assert!(seat.frame(100, 24).contains("theme = \"light\" in config.toml makes it permanent"));
}

#[test]
fn lists_look_like_this() {
    at_all_sizes("palette", || {
        let mut seat = Seat::new(scenes::conversation());
        seat.ctrl('p');
        seat.press("led");
        seat
    });
    at_all_sizes("prompts", || {
        let mut seat = remembering();
        seat.ctrl('r');
        seat
    });
    at_all_sizes("completion", || {
        let mut seat = Seat::new(scenes::conversation());
        seat.press("/");
        seat
    });
    at_all_sizes("sessions", || {
        let mut seat = Seat::new(scenes::conversation());
        let item = |(id, words): (&str, &str)| Item {
            words: words.into(),
            aside: "2026-01-02 10:00 · completed".into(),
            choice: Choice::Session(id.into()),
        };
        let items = [("a", "mend the lexer, which swallows the last token"), ("b", "list")].map(item);
        let mut picker = Picker::new(Source::Sessions, items.into());
        picker.preview =
            Some(("a".into(), vec!["› mend the lexer".into(), String::new(), "It is mended.".into()]));
        seat.local.overlay = Some(Overlay::Picker(picker));
        seat
    });
}

fn offered(is_refused: bool) -> Picker {
    let files = vec![("notes.txt".to_owned(), "restored".to_owned())];
    Picker::undo(Offer { since: CallId(3), files, commands: Vec::new(), is_refused })
}

#[test]
fn an_undo_is_taken_only_when_it_was_seen() {
    let mut seat = Seat::new(scenes::conversation());
    seat.local.overlay = Some(Overlay::Picker(offered(false)));
    assert!(enter(&mut seat).is_empty() && seat.press("y").is_empty(), "no frame has shown it");
    paste(&mut seat.local, &seat.view, "y");
    assert!(seat.local.overlay.is_some());
    let Some(Overlay::Picker(picker)) = &mut seat.local.overlay else { panic!("it is gone") };
    assert_eq!(picker.query, "", "there is nothing to narrow");
    seat.frame(80, 24);
    seat.waits(200);
    assert!(seat.press("y").is_empty() && enter(&mut seat).is_empty(), "it has just appeared");
    seat.waits(1_000);
    assert!(seat.bursts("yy").is_empty() && seat.bursts("\ry").is_empty(), "a burst takes nothing");
    seat.waits(1_000);
    let shown = vec![("notes.txt".to_owned(), "restored".to_owned())];
    assert_eq!(seat.press("y"), [Act::Ask(Request::Restore { since: CallId(3), shown })]);
    assert!(seat.local.overlay.is_none());
    seat.local.overlay = Some(Overlay::Picker(offered(false)));
    assert!(seat.press("n").is_empty() && seat.local.overlay.is_none(), "n leaves it");
}

#[test]
fn an_undo_that_is_refused_does_nothing() {
    let picker = offered(true);
    let mut seat = Seat::new(scenes::conversation());
    seat.local.overlay = Some(Overlay::Picker(picker));
    assert!(enter(&mut seat).is_empty());
    assert!(seat.local.hint.as_ref().is_some_and(|hint| hint.contains("nothing was undone")));
}

#[test]
fn an_undo_looks_like_this() {
    let of = |is_refused| {
        let file = |name: &str, what: &str| (name.to_owned(), what.to_owned());
        let files = vec![
            file(
                "src/lexer.rs",
                if is_refused { "was changed since by someone else: not restored" } else { "restored" },
            ),
            file("src/odd\u{202e}\u{1b}[31mname.rs", "deleted"),
        ];
        let commands = vec!["cargo fmt\u{1b}[2K".to_owned()];
        let mut seat = Seat::new(scenes::conversation());
        seat.local.overlay =
            Some(Overlay::Picker(Picker::undo(Offer { since: CallId(3), files, commands, is_refused })));
        seat
    };
    at_all_sizes("undo", || of(false));
    at_all_sizes("undo_refused", || of(true));
    let mut stage = Stage::new();
    stage.user("Go.");
    let file = |name: &str| vec![name.to_owned()];
    let (restored, deleted) = (file("src/lexer.rs"), file("src/odd\u{202e}.rs"));
    stage.remark(Remark::Change(Change::FilesRestored(FilesRestored {
        since: CallId(3),
        restored,
        deleted,
        left: Vec::new(),
    })));
    assert!(
        Seat::new(stage)
            .frame(120, 40)
            .contains("undone: restored: src/lexer.rs; deleted: src/odd\\u{202e}.rs")
    );
}
