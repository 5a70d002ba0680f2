//! The list of files that an `@` opens: what it offers, the keys that choose from it, and when Enter still sends.

use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use countersign::agent::Intent;
use countersign::ui::replies::reply;
use countersign::ui::theme::Theme;
use countersign::ui::update::{UiEffect, paste};
use countersign::ui::{FileList, Reply, Request};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const PATHS: [&str; 8] =
    ["docs/", "src/", "src/main.rs", "src/my notes.txt", "src/ui/", "src/ui/composer.rs", "target/", ".env"];

fn harness(builder: SessionBuilder) -> ScreenHarness {
    let mut harness = ScreenHarness::new(builder);
    let late = |path: &str| path.starts_with('.') || path == "target/";
    let list = FileList::new(PATHS.iter().map(|path| ((*path).to_owned(), late(path))), false);
    reply(&mut harness.local, &harness.view, Reply::Files(list));
    harness
}

fn key(harness: &mut ScreenHarness, code: KeyCode) -> Vec<UiEffect> {
    harness.key(code, KeyModifiers::NONE)
}

/// The paths that are offered; the chosen one has a sign before it.
fn offered(harness: &mut ScreenHarness) -> Vec<String> {
    let frame = harness.frame(80, 24);
    let is_path =
        |line: &&str| PATHS.iter().any(|path| line.trim_start_matches(['›', ' ']).starts_with(path));
    frame.lines().filter(is_path).map(|line| line.trim().to_owned()).collect()
}

#[test]
fn what_goes_along_with_a_message_has_a_colour_of_its_own() {
    let mut harness = harness(SessionBuilder::new());
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    harness.press("see (@src/main.rs#L1-9), @gone.rs, src/main.rs ");
    paste(&mut harness.local, &harness.view, &"line\n".repeat(400));
    let accent = harness.theme.accent.fg;
    let drawn = harness.buffer(120, 24);
    let row = |y: u16| (0..120).map(|x| drawn[(x, y)].symbol()).collect::<String>();
    let y = (0..24).find(|y| row(*y).contains("[Pasted 400 lines]")).unwrap();
    let is_in_accent = |word: &str| {
        let begins = row(y).find(word).unwrap_or_else(|| panic!("{word} in {}", row(y)));
        let x = u16::try_from(row(y).get(..begins).unwrap().chars().count()).unwrap();
        (x..).take(word.chars().count()).all(|x| {
            let cell = &drawn[(x, y)];
            cell.symbol() == " " || cell.style().fg == accent
        })
    };
    assert!(is_in_accent("@src/main.rs#L1-9"), "a file that is there");
    assert!(is_in_accent("[Pasted 400 lines]"));
    assert!(!is_in_accent("@gone.rs"), "nothing of that name is there");
    assert!(!is_in_accent("src/main.rs ["), "no mention");
}

#[test]
fn the_list_opens_narrows_and_puts_the_path_in() {
    let mut harness = harness(SessionBuilder::new());
    let asked = harness.press("see @");
    assert_eq!(asked, [UiEffect::Ask(Request::ListFiles)], "the files are read when an @ begins");
    assert_eq!(offered(&mut harness)[..2], ["› src/", "docs/"], "the top comes first");
    assert!(offered(&mut harness).ends_with(&["target/".to_owned()]), "hidden and ignored ones come last");
    assert!(harness.press("main").is_empty(), "they are read once");
    assert_eq!(offered(&mut harness), ["› src/main.rs"]);
    assert!(key(&mut harness, KeyCode::Enter).is_empty());
    assert_eq!(harness.local.composer.shown(), "see @src/main.rs ");
    assert!(offered(&mut harness).is_empty());
    harness.press("and @notes");
    key(&mut harness, KeyCode::Tab);
    assert_eq!(harness.local.composer.shown(), "see @src/main.rs and @\"src/my notes.txt\" ");
    let text = harness.local.composer.text();
    assert_eq!(key(&mut harness, KeyCode::Enter), [UiEffect::Send(Intent::Submit(text.into()))]);
}

#[test]
fn what_follows_a_chosen_path_stands_right_behind_it() {
    for (typed, shown) in
        [("#L2", "@src/main.rs#L2"), (", and", "@src/main.rs, and"), ("so", "@src/main.rs so")]
    {
        let mut harness = harness(SessionBuilder::new());
        harness.press("@main");
        key(&mut harness, KeyCode::Tab);
        harness.press(typed);
        assert_eq!(harness.local.composer.shown(), shown);
    }
}

#[test]
fn arrows_choose_a_folder_is_gone_into_and_lines_can_follow() {
    let mut harness = harness(SessionBuilder::new());
    harness.press("@src");
    assert_eq!(offered(&mut harness)[0], "› src/");
    key(&mut harness, KeyCode::Tab);
    assert_eq!(harness.local.composer.shown(), "@src/");
    assert!(offered(&mut harness).len() > 2, "what is in the folder is offered");
    key(&mut harness, KeyCode::Down);
    let chosen = offered(&mut harness).into_iter().find(|line| line.starts_with('›')).unwrap();
    key(&mut harness, KeyCode::Enter);
    assert_eq!(
        format!("@{} ", chosen.trim_start_matches(['›', ' '])),
        harness.local.composer.shown().replace("/ ", "/")
    );
    harness.ctrl('u');
    harness.press("@src/main.rs#L10-40");
    assert!(offered(&mut harness).is_empty());
    assert!(matches!(key(&mut harness, KeyCode::Enter).as_slice(), [UiEffect::Send(Intent::Submit(_))]));
}

#[test]
fn inside_a_folder_its_first_entry_is_marked_and_enter_still_sends_the_folder() {
    let mut harness = harness(SessionBuilder::new());
    let foot = |harness: &mut ScreenHarness| harness.frame(80, 24).lines().last().unwrap().to_owned();
    harness.press("@sr");
    assert!(foot(&mut harness).contains("enter tab open   ↑↓ choose"), "{}", foot(&mut harness));
    harness.press("c/");
    assert_eq!(offered(&mut harness)[..3], ["src/", "› src/ui/", "src/main.rs"]);
    assert!(foot(&mut harness).contains("enter send   tab open   ↑↓ choose"), "{}", foot(&mut harness));
    key(&mut harness, KeyCode::Tab);
    assert_eq!(harness.local.composer.shown(), "@src/ui/");
    assert!(foot(&mut harness).contains("enter send   tab take   ↑↓ choose"), "{}", foot(&mut harness));
    key(&mut harness, KeyCode::Tab);
    assert_eq!(harness.local.composer.shown(), "@src/ui/composer.rs ");
    harness.ctrl('u');
    harness.press("@src/");
    key(&mut harness, KeyCode::Up);
    assert!(key(&mut harness, KeyCode::Enter).is_empty(), "the folder itself was chosen");
    assert_eq!(harness.local.composer.shown(), "@src/ ");
    harness.ctrl('u');
    harness.press("@src/");
    let message = "@src/".to_owned().into();
    assert_eq!(key(&mut harness, KeyCode::Enter), [UiEffect::Send(Intent::Submit(message))]);
    harness.press("@docs/");
    assert_eq!(offered(&mut harness), ["› docs/"], "nothing is in it");
    key(&mut harness, KeyCode::Tab);
    assert_eq!(harness.local.composer.shown(), "@docs/ ");
}

#[test]
fn enter_behind_a_whole_path_sends_it() {
    let mut harness = harness(SessionBuilder::new());
    let foot = |harness: &mut ScreenHarness| harness.frame(80, 24).lines().last().unwrap().to_owned();
    harness.press("@src/main");
    assert!(foot(&mut harness).contains("enter tab take   ↑↓ choose"), "{}", foot(&mut harness));
    harness.press(".rs");
    assert!(foot(&mut harness).contains("enter send   tab take"), "{}", foot(&mut harness));
    assert_eq!(offered(&mut harness), ["› src/main.rs"]);
    assert_eq!(
        key(&mut harness, KeyCode::Enter),
        [UiEffect::Send(Intent::Submit("@src/main.rs".to_owned().into()))]
    );
}

#[test]
fn a_file_that_is_not_there_is_not_replaced_by_another() {
    let mut harness = harness(SessionBuilder::new());
    harness.press("@mn.rs");
    let listed = offered(&mut harness);
    assert_eq!(listed, ["src/main.rs"], "its letters are in that order, and Enter does not take it");
    assert_eq!(
        key(&mut harness, KeyCode::Enter),
        [UiEffect::Send(Intent::Submit("@mn.rs".to_owned().into()))],
        "as it is typed: the session says that there is no such file"
    );
    for (typed, by) in [("@ain.rs", KeyCode::Enter), ("@mn", KeyCode::Enter), ("@mn.rs", KeyCode::Tab)] {
        harness.ctrl('u');
        harness.press(typed);
        assert_eq!(offered(&mut harness)[0].starts_with('›'), by == KeyCode::Enter, "{typed}");
        assert!(key(&mut harness, by).is_empty());
        assert_eq!(harness.local.composer.shown(), "@src/main.rs ", "{typed}");
    }
    harness.ctrl('u');
    harness.press("@mn.rs");
    key(&mut harness, KeyCode::Down);
    assert_eq!(offered(&mut harness), ["› src/main.rs"], "an arrow has chosen it");
}

#[test]
fn esc_closes_the_list_until_another_mention_and_stops_a_run_first() {
    let mut harness = harness(scenes::conversation());
    harness.press("@ma");
    assert!(key(&mut harness, KeyCode::Esc).is_empty());
    harness.press("i");
    assert!(offered(&mut harness).is_empty() && harness.local.composer.text() == "@mai");
    harness.press("n @main");
    assert_eq!(offered(&mut harness), ["› src/main.rs"]);
    let mut harness = self::harness(scenes::running());
    harness.press("@ma");
    assert_eq!(key(&mut harness, KeyCode::Esc), [UiEffect::Abort]);
}

#[test]
fn what_is_pasted_or_no_mention_chooses_nothing() {
    let mut harness = harness(SessionBuilder::new());
    harness.press("me@main");
    assert!(offered(&mut harness).is_empty());
    harness.ctrl('u');
    let (local, view) = (&mut harness.local, &harness.view);
    assert_eq!(paste(local, view, "@main"), [UiEffect::Ask(Request::ListFiles)]);
    assert_eq!(offered(&mut harness), ["› src/main.rs"]);
    harness.ctrl('u');
    let sent = harness.bursts("@mai\r").pop();
    assert_eq!(
        sent,
        Some(UiEffect::Send(Intent::Submit("@mai".to_owned().into()))),
        "not what nobody has read"
    );
    harness.bursts("@main\rmore");
    assert!(harness.local.composer.shown().starts_with("@main\n"), "{}", harness.local.composer.shown());
}

#[test]
fn a_path_that_is_too_long_shows_its_end_and_no_escape_reaches_the_screen() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    let long = format!("{}/the_end.rs", "folder/".repeat(20));
    let names = [long, "a\u{1b}[31mred.rs".to_owned()];
    let list = FileList::new(names.into_iter().map(|path| (path, false)), true);
    reply(&mut harness.local, &harness.view, Reply::Files(list));
    harness.press("@r");
    let frame = harness.frame(60, 20);
    assert!(frame.contains("the_end.rs") && frame.contains("…"), "{frame}");
    assert!(!frame.contains('\u{1b}'), "{frame}");
}

#[test]
fn on_a_narrow_screen_the_name_of_a_subagent_stays_in_sight() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    let names = (0..30).map(|at| format!("reviewer-{at}"));
    reply(
        &mut harness.local,
        &harness.view,
        Reply::Files(FileList::with_subagents(names, std::iter::empty(), false)),
    );
    harness.press("@rev");
    let frame = harness.frame(40, 10);
    let row = frame.lines().find(|line| line.contains(" more")).unwrap_or_else(|| panic!("{frame}"));
    assert!(row.contains("reviewer-"), "{row}");
}
