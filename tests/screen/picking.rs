//! The lists that are narrowed by typing, earlier messages, and commands as they are completed.

use crate::scenes;
use crate::screen_harness::{ScreenHarness, scrolled, snapshot};
use crate::session_builder::{SessionBuilder, view};
use countersign::agent::Intent;
use countersign::ledger::{CallId, Change, FilesRestored, Remark, UserMessage};
use countersign::model::Effort;
use countersign::policy::Mode;
use countersign::ui::local::Overlay;
use countersign::ui::palette::palette;
use countersign::ui::picker::{Choice, Item, Picker};
use countersign::ui::picker_source::Source;
use countersign::ui::replies::reply;
use countersign::ui::undo_preview::UndoPreview;
use countersign::ui::update::{UiEffect, paste};
use countersign::ui::{ModelList, PreviewPart, Reply, Request};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const NONE: KeyModifiers = KeyModifiers::NONE;
const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn at_all_sizes(name: &str, harness: impl Fn() -> ScreenHarness) {
    for (width, height) in SIZES {
        snapshot(&format!("{name}_{width}x{height}"), &harness().frame(width, height));
    }
}

fn enter(harness: &mut ScreenHarness) -> Vec<UiEffect> {
    harness.key(KeyCode::Enter, NONE)
}

fn picked(harness: &mut ScreenHarness, typed: &str) -> Vec<UiEffect> {
    harness.ctrl('p');
    harness.press(typed);
    enter(harness)
}

fn remembering() -> ScreenHarness {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.local.earlier =
        ["mend the lexer", "explain\nthe tests", "mend the parser"].map(UserMessage::from).into();
    harness
}

#[test]
fn what_is_picked_is_done() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    assert!(picked(&mut harness, "budgets").is_empty());
    assert!(scrolled(harness.local.overlay.as_ref(), "budgets") == Some(0));
    harness.key(KeyCode::Esc, NONE);
    assert_eq!(picked(&mut harness, "suspend; fg"), [UiEffect::Suspend]);
    assert_eq!(picked(&mut harness, "/compact"), [UiEffect::Send(Intent::Compact)]);
    assert_eq!(picked(&mut harness, "/sessions"), [UiEffect::Pick(Source::Sessions)]);
    picked(&mut harness, "/rename");
    assert_eq!(harness.local.composer.shown(), "/rename ", "what needs an argument waits for it");
}

#[test]
fn picking_never_approves_what_was_not_in_sight() {
    let mut harness = ScreenHarness::new(scenes::waiting_command());
    harness.frame(80, 24);
    harness.ctrl('p');
    harness.frame(80, 24);
    harness.press("allow once");
    assert!(enter(&mut harness).is_empty());
    assert!(harness.local.hint.as_ref().unwrap().contains("it has the keys now"));
    harness.frame(80, 24);
    harness.waits(300);
    assert!(harness.press("y").is_empty(), "it has just appeared");
    assert!(!harness.answers("y").is_empty(), "with the call in sight, the key does it");
}

#[test]
fn a_draft_survives_the_palette() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.press("half a thought");
    assert_eq!(picked(&mut harness, "/compact"), [UiEffect::Send(Intent::Compact)]);
    assert_eq!(harness.local.composer.text(), "half a thought");
    harness.ctrl('p');
    harness.key(KeyCode::Esc, NONE);
    assert!(harness.local.overlay.is_none());
    harness.ctrl('p');
    harness.ctrl('c');
    assert!(harness.local.overlay.is_none() && !harness.local.quit_armed);
    assert_eq!(harness.local.composer.text(), "half a thought");
}

#[test]
fn keys_move_and_narrow() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.ctrl('p');
    harness.key(KeyCode::Down, NONE);
    harness.key(KeyCode::Down, NONE);
    harness.key(KeyCode::Up, NONE);
    let Some(Overlay::Picker(picker)) = &harness.local.overlay else { panic!("no picker") };
    assert_eq!(picker.current(), picker.items.get(1));
    paste(&mut harness.local, &harness.view, "zz\nzz");
    assert!(harness.frame(80, 24).contains("no matching action"));
    assert!(enter(&mut harness).is_empty() && harness.local.overlay.is_some(), "nothing to take");
    harness.ctrl('u');
    assert!(!harness.frame(80, 24).contains("no matching action"));
}

#[test]
fn earlier_messages_of_other_sessions_come_back_with_the_arrows() {
    let mut harness = remembering();
    harness.press("a draft");
    harness.key(KeyCode::Up, NONE);
    assert_eq!(harness.local.composer.text(), "Why does the parser reject empty input?");
    harness.key(KeyCode::Up, NONE);
    assert_eq!(harness.local.composer.text(), "mend the parser");
    harness.local.earlier.insert(0, "older still".into());
    harness.key(KeyCode::Up, NONE);
    assert_eq!(
        harness.local.composer.text(),
        "explain\nthe tests",
        "older ones that were read meanwhile change nothing"
    );
    for _ in 0..3 {
        harness.key(KeyCode::Down, NONE);
    }
    assert_eq!(harness.local.composer.text(), "a draft");
    harness.key(KeyCode::Down, NONE);
    assert_eq!(harness.local.composer.text(), "a draft");
}

#[test]
fn arrows_inside_what_is_typed_move_the_cursor() {
    let mut harness = remembering();
    harness.press("one");
    harness.ctrl('j');
    harness.press("two");
    harness.key(KeyCode::Up, NONE);
    assert_eq!(harness.local.composer.text(), "one\ntwo");
    harness.key(KeyCode::Up, NONE);
    assert_eq!(harness.local.composer.text(), "Why does the parser reject empty input?");
}

#[test]
fn earlier_messages_are_found_by_letters() {
    let mut harness = remembering();
    harness.ctrl('r');
    harness.press("mend lex");
    assert!(enter(&mut harness).is_empty());
    assert_eq!(harness.local.composer.text(), "mend the lexer", "it is not sent yet");
    assert!(matches!(enter(&mut harness).as_slice(), [UiEffect::Send(Intent::Submit(_))]));
}

#[test]
fn tab_completes_commands() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("/mo");
    assert!(harness.frame(80, 24).contains("/mode "));
    harness.key(KeyCode::Tab, NONE);
    assert_eq!(harness.local.composer.shown(), "/mode", "as far as they agree");
    harness.press("l");
    harness.key(KeyCode::Tab, NONE);
    assert_eq!(harness.local.composer.shown(), "/model ");
    harness.ctrl('u');
    harness.press("/goal fix it");
    assert!(harness.frame(80, 24).contains("OBJECTIVE | check: COMMAND"), "its arguments are hinted");
    harness.ctrl('u');
    harness.press("/etc/hosts is odd");
    assert!(!harness.frame(80, 24).contains("OBJECTIVE"));
}

#[test]
fn a_theme_is_worn_while_it_is_chosen_and_taken_off_on_esc() {
    let themes = |harness: &mut ScreenHarness| {
        let item = |name: &str| Item {
            words: name.into(),
            aside: String::new(),
            choice: Choice::Theme(name.into()),
        };
        let mut picker = Picker::new(Source::Themes, ["dark", "light", "plain"].map(item).into());
        picker.before = "dark".into();
        harness.local.overlay = Some(Overlay::Picker(picker));
    };
    let mut harness = ScreenHarness::new(scenes::conversation());
    themes(&mut harness);
    assert_eq!(harness.key(KeyCode::Down, NONE), [UiEffect::SetTheme("light".into())]);
    assert!(harness.frame(100, 24).contains("✓ done"), "the transcript shows what it looks like");
    assert_eq!(harness.key(KeyCode::Esc, NONE), [UiEffect::SetTheme("dark".into())]);
    themes(&mut harness);
    harness.key(KeyCode::Down, NONE);
    assert_eq!(enter(&mut harness), [UiEffect::SetTheme("light".into())]);
    assert!(harness.frame(100, 24).contains("theme = \"light\" in config.toml makes it permanent"));
}

#[test]
fn lists_look_like_this() {
    at_all_sizes("palette", || {
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.ctrl('p');
        harness.press("led");
        harness
    });
    at_all_sizes("prompts", || {
        let mut harness = remembering();
        harness.ctrl('r');
        harness
    });
    at_all_sizes("completion", || {
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.press("/");
        harness
    });
    at_all_sizes("sessions", || {
        let mut harness = ScreenHarness::new(scenes::conversation());
        let item = |(id, words): (&str, &str)| Item {
            words: words.into(),
            aside: "2026-01-02 10:00 · completed".into(),
            choice: Choice::Session(id.into()),
        };
        let items = [("a", "mend the lexer, which swallows the last token"), ("b", "list")].map(item);
        let mut picker = Picker::new(Source::Sessions, items.into());
        picker.preview = Some((
            "a".into(),
            vec![
                PreviewPart::Said("mend the lexer".into()),
                PreviewPart::Noted("edit src/lexer.rs".into()),
                PreviewPart::Answered("It is **mended**:\n\n- the last token stays".into()),
            ],
        ));
        harness.local.overlay = Some(Overlay::Picker(picker));
        harness
    });
}

#[test]
fn names_are_told_apart_by_their_ends_and_the_state_of_a_session_is_whole() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    let model = |end: &str| {
        let name = format!("openrouter/a-vendor/a-model-with-a-long-name-{end}");
        let aside = "  200k   $3.00 in  $15.00 out".to_owned();
        Item { words: name.clone(), aside, choice: Choice::Model(name) }
    };
    let picker = Picker::new(Source::Models, ["small", "large"].map(model).into());
    harness.local.overlay = Some(Overlay::Picker(picker));
    let frame = harness.frame(40, 10);
    assert!(frame.contains("long-name-small  ") && frame.contains("long-name-large  "), "{frame}");
    let session = Item {
        words: "mend the lexer, which swallows the last token of a file".into(),
        aside: "59 min ago · output token limit".into(),
        choice: Choice::Session("a".into()),
    };
    harness.local.overlay = Some(Overlay::Picker(Picker::new(Source::Sessions, vec![session])));
    for (width, height) in [(120, 40), (80, 24)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains("59 min ago · output token limit"), "{frame}");
    }
}

fn offered(is_refused: bool) -> Picker {
    let files = vec![("notes.txt".to_owned(), "restored".to_owned())];
    let view = view(&scenes::conversation().events);
    Picker::undo(UndoPreview { since: CallId(3), files, commands: Vec::new(), is_refused }, None, &view)
}

#[test]
fn an_undo_is_taken_only_when_it_was_seen() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.local.overlay = Some(Overlay::Picker(offered(false)));
    assert!(enter(&mut harness).is_empty() && harness.press("y").is_empty(), "no frame has shown it");
    paste(&mut harness.local, &harness.view, "y");
    assert!(harness.local.overlay.is_some());
    let Some(Overlay::Picker(picker)) = &mut harness.local.overlay else { panic!("it is gone") };
    assert_eq!(picker.query, "", "there is nothing to narrow");
    harness.frame(80, 24);
    harness.waits(200);
    assert!(harness.press("y").is_empty() && enter(&mut harness).is_empty(), "it has just appeared");
    harness.waits(1_000);
    assert!(harness.bursts("yy").is_empty() && harness.bursts("\ry").is_empty(), "a burst takes nothing");
    harness.waits(1_000);
    let shown = vec![("notes.txt".to_owned(), "restored".to_owned())];
    assert_eq!(harness.press("y"), [UiEffect::Ask(Request::Restore { since: CallId(3), shown })]);
    assert!(harness.local.overlay.is_none());
    harness.local.overlay = Some(Overlay::Picker(offered(false)));
    assert!(harness.press("n").is_empty() && harness.local.overlay.is_none(), "n leaves it");
}

#[test]
fn an_undo_that_is_refused_does_nothing() {
    let picker = offered(true);
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.local.overlay = Some(Overlay::Picker(picker));
    assert!(enter(&mut harness).is_empty());
    assert!(harness.local.hint.as_ref().is_some_and(|hint| hint.contains("nothing was undone")));
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
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.local.overlay = Some(Overlay::Picker(Picker::undo(
            UndoPreview { since: CallId(2), files, commands, is_refused },
            None,
            &harness.view,
        )));
        harness
    };
    at_all_sizes("undo", || of(false));
    at_all_sizes("undo_refused", || of(true));
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let file = |name: &str| vec![name.to_owned()];
    let (restored, deleted) = (file("src/lexer.rs"), file("src/odd\u{202e}.rs"));
    builder.remark(Remark::Change(Change::FilesRestored(FilesRestored {
        since: CallId(3),
        restored,
        deleted,
        left: Vec::new(),
    })));
    assert!(
        ScreenHarness::new(builder)
            .frame(120, 40)
            .contains("undone: restored: src/lexer.rs; deleted: src/odd\\u{202e}.rs")
    );
}

#[test]
fn the_list_of_models_begins_at_the_one_in_use_and_the_palette_names_each_action_once() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.local.overlay = Some(Overlay::Picker(Picker::awaited(Source::Models)));
    let named = |name: &str| (name.to_owned(), "  200k   $3.00 in  $15.00 out".to_owned());
    let (usable, answering) = (["a/one", "b/two", "c/three"].map(named).to_vec(), "b/two".to_owned());
    let list = ModelList { usable, answering, ..ModelList::default() };
    reply(&mut harness.local, &harness.view, Reply::Models(list));
    let frame = harness.frame(80, 12);
    assert!(frame.contains("› b/two") && frame.contains("$ per M tokens"), "{frame}");
    let palette = palette(&harness.local, &harness.view);
    let named: Vec<&str> = palette.items.iter().map(|item| item.words.as_str()).collect();
    let twice: Vec<_> =
        named.iter().filter(|words| named.iter().filter(|other| other == words).count() > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    assert!(palette.items.iter().any(|item| item.aside.starts_with("ctrl-o  /ledger")));
}

#[test]
fn modes_and_efforts_are_picked_from_where_they_stand() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("/mode");
    harness.key(KeyCode::Enter, NONE);
    let frame = harness.frame(80, 24);
    assert!(
        frame.contains("› ask ") && frame.contains("plan ") && !frame.contains("unrestricted"),
        "{frame}"
    );
    snapshot("pick_mode_80x24", &frame);
    snapshot("pick_mode_40x10", &harness.frame(40, 10));
    harness.key(KeyCode::Down, NONE);
    let acts = harness.key(KeyCode::Enter, NONE);
    assert_eq!(acts, [UiEffect::Send(Intent::SetMode(Mode::Edit))]);
    harness.press("/effort");
    harness.key(KeyCode::Enter, NONE);
    assert!(harness.frame(80, 24).contains("› default"));
    harness.press("high");
    let acts = harness.key(KeyCode::Enter, NONE);
    assert_eq!(acts, [UiEffect::Send(Intent::SetEffort(Some(Effort::High)))]);
}

#[test]
fn names_of_models_and_themes_are_completed() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.local.known_names.themes = ["iron", "ink", "paper"].map(str::to_owned).to_vec();
    harness.press("/theme i");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("iron") && frame.contains("ink") && !frame.contains("paper"), "{frame}");
    harness.press("r");
    harness.key(KeyCode::Tab, NONE);
    assert_eq!(harness.local.composer.shown(), "/theme iron");
    harness.local.composer.take();
    let usable = ["a/one", "b/two", "b/three"].map(|name| (name.to_owned(), String::new())).to_vec();
    reply(&mut harness.local, &harness.view, Reply::Models(ModelList { usable, ..ModelList::default() }));
    harness.press("/model t");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("b/two") && frame.contains("b/three") && !frame.contains("a/one"), "{frame}");
    // By the name of the model alone, too.
    harness.press("h");
    harness.key(KeyCode::Down, NONE);
    let acts = harness.key(KeyCode::Enter, NONE);
    assert!(format!("{acts:?}").contains("ChooseModel(\"b/three\")"), "{acts:?}");
}
