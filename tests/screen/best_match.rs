//! The palette and the list of commands: the best match first, and only what can be done now.

use countersign::ui::commands::{Fronts, listed};
use countersign::ui::keymap::{BINDINGS, KeyAction, KeyContext};
use countersign::ui::local::Overlay;
use countersign::ui::palette::palette as palette_of;
use countersign::ui::picker::{Choice, Item, Picker};
use countersign::ui::picker_source::Source;
use countersign::ui::theme::Theme;
use countersign::ui::update::UiEffect;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

const NONE: KeyModifiers = KeyModifiers::NONE;

fn enter(harness: &mut ScreenHarness) -> Vec<UiEffect> {
    harness.key(KeyCode::Enter, NONE)
}

fn palette(harness: &ScreenHarness) -> Picker {
    palette_of(&harness.local, &harness.view)
}

#[test]
fn the_palette_has_what_can_be_done_now_with_its_key_and_every_command() {
    let harness = ScreenHarness::new(SessionBuilder::new());
    let picker = palette(&harness);
    for binding in BINDINGS.iter().filter(|b| !b.words.is_empty()) {
        let bound = (binding.place, binding.command);
        let does = |i: &Item| matches!(i.choice, Choice::Key(place, key, _) if (place, key) == bound);
        let has = |i: &Item| does(i) && i.aside.starts_with(binding.keys);
        let is_open = matches!(binding.place, KeyContext::Everywhere | KeyContext::Composer);
        let is_twice = bound == (KeyContext::Composer, KeyAction::End);
        let is_offered = is_open && binding.command != KeyAction::Palette && !is_twice;
        assert_eq!(picker.items.iter().any(has), is_offered, "{binding:?}");
    }
    for row in listed(Fronts::Screen) {
        // With its key, if it has one: each action stands there once.
        let is_it = |i: &&Item| i.aside.split("  ").any(|part| part == row.name);
        assert_eq!(picker.items.iter().filter(is_it).count(), 1, "{}", row.name);
    }
    let waiting = ScreenHarness::new(scenes::waiting_command());
    assert!(palette(&waiting).items.iter().any(|item| item.words.ends_with(": allow once")));
}

#[test]
fn the_palette_begins_with_commands_in_the_words_of_who_looks_for_them() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.ctrl('p');
    let frame = harness.frame(80, 24);
    let rows: Vec<&str> = frame.lines().map(str::trim).collect();
    assert!(rows[0].starts_with("everything  ▏type to narrow"), "what is typed has its place: {frame}");
    assert!(rows[2].starts_with("› change the model ") && rows[2].ends_with("/model"), "{frame}");
    assert_eq!(frame.matches("type to narrow").count(), 1, "{frame}");
    let items = palette(&harness).items;
    let is_command = |item: &Item| item.aside.contains('/');
    let commands = items.iter().take_while(|item| is_command(item)).count();
    assert_eq!(commands, listed(Fronts::Screen).count());
    assert!(items.iter().skip(commands).all(|item| !is_command(item)), "keys stand behind all commands");
    let ends = items.iter().filter(|i| matches!(i.choice, Choice::Key(_, KeyAction::End, _))).count();
    assert_eq!(ends, 1, "each action once");
    for (typed, name) in [("change mod", "/model"), ("resume", "/sessions"), ("start new", "/new")] {
        harness.ctrl('u');
        harness.press(typed);
        let Some(Overlay::Picker(picker)) = &harness.local.overlay else { panic!("no picker") };
        assert_eq!(picker.current().unwrap().aside, name, "{typed}");
        assert!(!harness.frame(80, 24).contains("type to narrow"), "{typed}");
    }
}

#[test]
fn the_palette_says_how_many_lines_follow() {
    for (width, height, rows) in [(40, 10, 4), (80, 24, 20), (200, 50, 46)] {
        let mut harness = ScreenHarness::new(scenes::conversation());
        harness.ctrl('p');
        let Some(Overlay::Picker(picker)) = &harness.local.overlay else { panic!("no picker") };
        let all = picker.fitting().len();
        let last = |harness: &mut ScreenHarness| {
            harness.frame(width, height).lines().last().unwrap().trim_end().to_owned()
        };
        let begun = last(&mut harness);
        assert!(begun.starts_with(" enter take   esc back"), "{begun}");
        assert!(begun.ends_with(&format!("   ↓ {} more", all - rows)), "{begun}");
        let Some(Overlay::Picker(picker)) = &mut harness.local.overlay else { panic!("no picker") };
        picker.chosen = all - 1;
        assert_eq!(last(&mut harness), " enter take   esc back   up down choose");
    }
}

#[test]
fn on_a_wide_screen_what_stands_at_the_right_is_near_the_words() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.ctrl('p');
    let frame = harness.frame(200, 50);
    assert!(frame.contains("/ledger") && frame.contains("more"), "{frame}");
    assert!(frame.lines().all(|row| row.trim_end().chars().count() <= 101), "{frame}");
    let long = format!("vendor/{}", "x".repeat(120));
    let item = Item { words: long.clone(), aside: "200k".to_owned(), choice: Choice::Model(long.clone()) };
    harness.local.overlay = Some(Overlay::Picker(Picker::new(Source::Models, vec![item])));
    let frame = harness.frame(200, 50);
    assert!(frame.contains(&format!("{long}  200k")), "no name is cut for that: {frame}");
}

#[test]
fn the_best_match_is_first_in_the_palette_and_above_the_composer() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.ctrl('p');
    harness.press("th");
    let Some(Overlay::Picker(picker)) = &harness.local.overlay else { panic!("no picker") };
    let fitting = picker.fitting();
    let first: Vec<&str> = fitting.iter().take(2).map(|at| picker.items[*at].aside.as_str()).collect();
    assert!(first.iter().all(|aside| aside.contains("/th")), "{first:?}");
    harness.key(KeyCode::Esc, NONE);
    let offered = |harness: &mut ScreenHarness, typed: &str| {
        harness.ctrl('u');
        harness.press(typed);
        let frame = harness.frame(80, 24);
        let rows = frame.lines().filter_map(|row| {
            row.split_whitespace()
                .map(|word| word.trim_start_matches('›'))
                .find(|word| word.len() > 1 && word.starts_with('/'))
        });
        rows.map(str::to_owned).filter(|word| word != typed).collect::<Vec<_>>()
    };
    assert_eq!(offered(&mut harness, "/th"), ["/theme", "/thinking"]);
    for (typed, name, stands_for) in [
        ("/resu", "/resume", "resume a session of this folder (as /sessions)"),
        ("/cle", "/clear", "begin a new session (as /new)"),
        ("/exi", "/exit", "leave (as /quit)"),
        ("/cos", "/cost", "the budgets: used, limit, left (as /budgets)"),
    ] {
        assert_eq!(offered(&mut harness, typed)[0], name, "fingers know the name");
        assert!(harness.frame(80, 24).contains(stands_for), "{name}");
    }
    assert_eq!(offered(&mut harness, "/sag"), ["/usage"], "what contains it, where nothing begins so");
    assert!(enter(&mut harness).is_empty() && harness.local.overlay.is_none(), "it is no command yet");
    assert_eq!(harness.local.composer.shown(), "/sag");
    harness.key(KeyCode::Tab, NONE);
    assert_eq!(harness.local.composer.shown(), "/usage ");
}

fn foot(harness: &mut ScreenHarness) -> String {
    harness.frame(80, 24).lines().last().unwrap().to_owned()
}

#[test]
fn the_foot_says_what_enter_does_with_a_list_and_a_slash_alone_marks_its_first_row() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("/");
    let frame = harness.frame(80, 24);
    assert!(frame.contains(" › /model"), "{frame}");
    assert!(frame.contains("\n   /mode "), "the names stand above what is typed: {frame}");
    for (typed, says) in [
        ("", "enter run   tab complete   ↑↓ choose"),
        ("mo", "enter run   tab complete"),
        ("rena", "enter complete   tab complete"),
        ("mode pl", "enter run   tab complete"),
        ("sag", "  tab complete   ↑↓ choose"),
        ("nothing", "ctrl-j new line"),
    ] {
        harness.ctrl('u');
        harness.press(&format!("/{typed}"));
        assert!(foot(&mut harness).contains(says), "{typed}: {}", foot(&mut harness));
    }
    assert!(!foot(&mut harness).contains("enter run"));
    harness.ctrl('u');
    harness.press("/");
    harness.key(KeyCode::Down, NONE);
    assert!(harness.frame(80, 24).contains(" › /mode "), "an arrow goes on from what is marked");
    harness.key(KeyCode::Up, NONE);
    assert!(
        !enter(&mut harness).is_empty() || harness.local.overlay.is_some(),
        "the models are there to pick from"
    );
}

#[test]
fn the_chosen_row_has_a_bar_and_how_many_more_there_are_stands_at_the_edge() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    harness.press("/");
    let frame = harness.frame(80, 24);
    let at = |begins: &str| frame.lines().position(|row| row.starts_with(begins)).unwrap();
    let (chosen, other) = (u16::try_from(at(" › /model")).unwrap(), u16::try_from(at("   /mode ")).unwrap());
    let buffer = harness.buffer(80, 24);
    let bar = harness.theme.selection.bg;
    assert_eq!(Some(buffer[(70, chosen)].bg), bar, "to the end of the row");
    assert_ne!(Some(buffer[(70, other)].bg), bar);
    let last = frame.lines().find(|row| row.contains(" more")).unwrap_or_default();
    assert!(last.contains("↓ ") && last.trim_end().chars().count() == 79, "{frame}");
    assert!(frame.contains("choose a model") && !frame.contains("PROVIDER/MODEL"), "{frame}");
    harness.press("model ");
    assert!(harness.frame(80, 24).contains("NAME, as in PROVIDER/MODEL"), "once a blank is typed");
}

#[test]
fn a_list_has_the_rows_that_the_transcript_can_give_up() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.press("/");
    let frame = harness.frame(40, 10);
    let rows = frame.lines().filter(|row| row.trim_start_matches([' ', '›']).starts_with('/')).count();
    assert!(rows >= 4, "{frame}");
    let mut waiting = ScreenHarness::new(scenes::waiting_command());
    waiting.press("/");
    let frame = waiting.frame(40, 10);
    assert!(frame.contains("rm -rf"), "a call that waits stays in sight: {frame}");
}
