//! A pasted image is one chip: in the composer, whatever happens to the text around it, and in the transcript.

use std::sync::Arc;

use countersign::agent::{Event, Intent, Live};
use countersign::ledger::{Body, Entry, EntryId, Image, Millis, Outcome, UserMessage};
use countersign::ui::Reply;
use countersign::ui::composer::plain;
use countersign::ui::local::Overlay;
use countersign::ui::mention::PastedImage;
use countersign::ui::picker::Picker;
use countersign::ui::replies::reply;
use countersign::ui::update::{UiEffect, hear, mention};
use countersign::view::{NamedCommand, Template, ViewSettings};
use countersign::wire::record::{decode, encode};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::editing::before;
use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, settings};

const CHIP: &str = "[Image 1 · 320×160 · 12 kB]";
const NONE: KeyModifiers = KeyModifiers::NONE;

fn pastes(harness: &mut ScreenHarness, path: &str) {
    let image = PastedImage { mention: format!("@{path}"), measures: "320×160 · 12 kB".to_owned() };
    mention(&mut harness.local, &harness.view, &[image]);
}

/// A composer with an image behind a word.
fn with_image() -> ScreenHarness {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("see ");
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-1.png");
    harness
}

/// The image of the chip, as a message brings it.
fn picture() -> Image {
    Image {
        name: "/tmp/countersign-clipboard-1/pasted-1.png".to_owned(),
        media_type: "image/png".to_owned(),
        data: "A".repeat(16_000).into(),
        size: Some((320, 160)),
    }
}

fn shown(harness: &ScreenHarness) -> String {
    plain(&harness.local.composer.shown())
}

fn sends(harness: &mut ScreenHarness) -> UserMessage {
    match harness.key(KeyCode::Enter, NONE).as_slice() {
        [UiEffect::Send(Intent::Submit(said))] => said.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn more_images_than_go_with_one_message_are_refused() {
    let image = |number: usize| PastedImage { mention: format!("@/{number}.png"), measures: String::new() };
    for count in [Image::MOST, Image::MOST + 1] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        let images: Vec<PastedImage> = (0..count).map(image).collect();
        mention(&mut harness.local, &harness.view, &images);
        let last = format!("[Image {count} · {}.png] ", count - 1);
        assert_eq!(shown(&harness).ends_with(&last), count == Image::MOST, "{}", shown(&harness));
        let refused = harness.frame(80, 24).contains("these are 21: none was pasted");
        assert_eq!(refused, count > Image::MOST);
        assert_eq!(harness.local.composer.text().is_empty(), refused);
    }
}

#[test]
fn a_pasted_image_is_a_chip_in_one_row_and_sent_as_its_mention() {
    let mut harness = with_image();
    harness.press("now");
    for (width, height) in [(40, 10), (80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains(CHIP) && !frame.contains("pasted-1"), "{frame}");
    }
    let said = sends(&mut harness);
    assert_eq!(said.content, "see @/tmp/countersign-clipboard-1/pasted-1.png now");
    assert!(said.images.is_empty() && said.pastes.has_images() && !said.pastes.has_text(), "{said:?}");
    // What is typed stays what it is.
    harness.press("see @/tmp/countersign-clipboard-1/pasted-1.png now");
    assert_eq!(shown(&harness), "see @/tmp/countersign-clipboard-1/pasted-1.png now");
    assert!(sends(&mut harness).pastes.is_empty());
}

#[test]
fn a_chip_is_undone_deleted_put_back_and_opened_as_one() {
    let mut harness = with_image();
    let whole = format!("see {CHIP} ");
    harness.ctrl('_');
    assert_eq!(shown(&harness), "see ");
    harness.key(KeyCode::Char('_'), KeyModifiers::ALT);
    assert_eq!(shown(&harness), whole);
    assert!(harness.local.composer.message().pastes.has_images());
    harness.key(KeyCode::Backspace, NONE);
    harness.key(KeyCode::Backspace, NONE);
    assert_eq!(shown(&harness), "see ");
    harness.ctrl('_');
    harness.ctrl('u');
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-2.png");
    harness.ctrl('y');
    assert_eq!(shown(&harness), format!("{CHIP} see [Image 2 · 320×160 · 12 kB]"));
    assert_eq!(
        harness.local.composer.text(),
        "@/tmp/countersign-clipboard-1/pasted-2.png see @/tmp/countersign-clipboard-1/pasted-1.png"
    );
    harness.key(KeyCode::Char('o'), KeyModifiers::ALT);
    assert_eq!(shown(&harness), format!("{CHIP} see @/tmp/countersign-clipboard-1/pasted-1.png"));
}

#[test]
fn keys_and_clicks_take_a_chip_as_one() {
    let mut harness = with_image();
    harness.press("now");
    let end = "see ".len() + CHIP.chars().count();
    for (key, held, col) in [
        (KeyCode::Home, NONE, 0),
        (KeyCode::Right, KeyModifiers::CONTROL, 4),
        (KeyCode::Right, NONE, end),
        (KeyCode::Left, NONE, 4),
        (KeyCode::Right, KeyModifiers::CONTROL, end + 1),
        (KeyCode::Left, KeyModifiers::CONTROL, 4),
    ] {
        harness.key(key, held);
        assert_eq!(harness.local.composer.area().cursor(), (0, col), "{key:?} {held:?}");
    }
    harness.frame(80, 24);
    for (cell, col) in [(5, 4), (end - 1, end), (2, 2)] {
        harness.local.composer.put_cursor(0, cell);
        assert_eq!(harness.local.composer.area().cursor(), (0, col), "a click at {cell}");
    }
    harness.key(KeyCode::Delete, NONE);
    harness.key(KeyCode::Right, NONE);
    harness.key(KeyCode::Delete, NONE);
    assert_eq!(shown(&harness), "se  now");
}

#[test]
fn a_chip_comes_back_with_a_refused_message_and_from_the_editor() {
    let mut harness = with_image();
    let said = sends(&mut harness);
    let why = "send it again".to_owned();
    reply(&mut harness.local, &harness.view, Reply::Returned { said: said.clone(), why });
    assert_eq!(shown(&harness), format!("see {CHIP}"));
    assert_eq!(harness.local.composer.message(), said);
    harness.local.composer.hold_edited("look at @/tmp/countersign-clipboard-1/pasted-1.png, please");
    assert_eq!(shown(&harness), format!("look at {CHIP}, please"));
    harness.local.composer.hold_edited("look at @/tmp/other.png, please");
    assert_eq!(shown(&harness), "look at @/tmp/other.png, please");
}

#[test]
fn an_image_is_a_chip_in_a_message_that_waits() {
    let mut harness = ScreenHarness::new(scenes::running());
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-1.png");
    harness.press("now");
    let said = UserMessage { images: vec![picture()], ..sends(&mut harness) };
    harness.view.fold(&Event::Live(Live::Waiting { steering: vec![said.clone()], queued: vec![said] }));
    let frame = harness.frame(80, 24);
    for row in ["↳ with the next tool results:", "↳ after this run:"] {
        assert!(frame.contains(&format!("{row} {CHIP} now")), "{frame}");
    }
    assert!(!frame.contains("pasted-1"), "{frame}");
}

/// A message as the session file keeps it.
fn kept(said: &UserMessage) -> UserMessage {
    let entry = Entry { id: EntryId(9), at: Millis(1), body: Body::User(Arc::new(said.clone())) };
    let Body::User(kept) = decode(&encode(&entry)).unwrap().body else { panic!("a message") };
    UserMessage::clone(&kept)
}

/// A custom command that runs something before its message.
fn tidy() -> NamedCommand {
    NamedCommand {
        name: "tidy".to_owned(),
        description: String::new(),
        hint: String::new(),
        file: ".claude/commands/tidy.md".to_owned(),
        sha256: "ab".to_owned(),
        template: Template::read("!`git status`\nTidy $ARGUMENTS.", false),
        is_skill: false,
    }
}

#[test]
fn a_command_that_cannot_run_now_names_no_file_of_the_clipboard() {
    let mut harness = ScreenHarness::new(scenes::running());
    harness.view.settings = ViewSettings { commands: vec![tidy()], ..settings() };
    harness.press("/tidy ");
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-1.png");
    harness.press("two");
    assert!(harness.key(KeyCode::Enter, NONE).is_empty());
    let hint = harness.local.hint.clone().unwrap();
    assert!(hint.starts_with("a turn is running: /tidy [Image] two runs a command"), "{hint}");
}

#[test]
fn a_command_that_is_refused_comes_back_with_its_chip_and_is_still_a_command() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view.settings = ViewSettings { commands: vec![tidy()], ..settings() };
    harness.press("/tidy ");
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-1.png");
    harness.press("two");
    let acts = harness.key(KeyCode::Enter, NONE);
    let Some(UiEffect::Send(Intent::Command(own))) = acts.first() else { panic!("{acts:?}") };
    let back = Intent::Command(own.clone()).given_back().unwrap();
    hear(&mut harness.local, &harness.view, &back);
    assert_eq!(shown(&harness), format!("/tidy {CHIP} two"));
    let again = harness.key(KeyCode::Enter, NONE);
    assert_eq!(again, acts);
}

#[test]
fn an_image_is_a_chip_in_the_call_of_a_command_that_runs_something_first() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.view.settings = ViewSettings { commands: vec![tidy()], ..settings() };
    harness.press("/tidy ");
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-1.png");
    harness.press("two");
    let acts = harness.key(KeyCode::Enter, NONE);
    let [UiEffect::Send(Intent::Command(own))] = acts.as_slice() else { panic!("{acts:?}") };
    let (typed, message) = (own.typed.clone().unwrap(), UserMessage::clone(own.then.as_ref().unwrap()));
    assert_eq!(typed.content, "/tidy @/tmp/countersign-clipboard-1/pasted-1.png two");
    assert_eq!(kept(&typed), typed);
    let message = UserMessage { images: vec![picture()], ..message };
    let builder = &mut harness.builder;
    let before = builder.events.len();
    builder.ledger.user(builder.at(), typed).unwrap();
    builder.runs_own("!git status", "clean", Outcome::Ok);
    builder.message(message);
    for event in &harness.builder.events[before..] {
        harness.view.fold(event);
    }
    let frame = harness.frame(80, 40);
    assert!(frame.contains("/tidy [Image 1] two") && !frame.contains("pasted-1"), "{frame}");
    for _ in 0..2 {
        harness.key(KeyCode::Up, NONE);
        assert_eq!(shown(&harness), format!("/tidy {CHIP} two"), "once");
    }
}

/// Behind the name of a command, and where the file of that has a place for it.
#[test]
fn an_image_has_one_number_in_a_message_also_where_it_stands_twice() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    let look = NamedCommand { template: Template::read("Look at $ARGUMENTS.", false), ..tidy() };
    harness.view.settings = ViewSettings { commands: vec![look], ..settings() };
    harness.press("/tidy ");
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-1.png");
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-1.png");
    assert_eq!(shown(&harness), format!("/tidy {CHIP} {CHIP} "));
    let said = sends(&mut harness);
    assert_eq!(said.content.matches("@/tmp/").count(), 4);
    let before = harness.builder.events.len();
    harness.builder.message(UserMessage { images: vec![picture()], ..said });
    for event in &harness.builder.events[before..] {
        harness.view.fold(event);
    }
    let frame = harness.frame(120, 40);
    assert!(frame.contains("Look at [Image 1") && !frame.contains("[Image 2"), "{frame}");
    assert!(frame.contains("o: show the path]"), "{frame}");
}

#[test]
fn a_message_of_an_earlier_session_comes_back_with_the_sizes_of_images_that_are_there() {
    let said = kept(&UserMessage { images: vec![picture()], ..sends(&mut with_image()) });
    let called_back = UserMessage { images: Vec::new(), ..said };
    let listed = Picker::prompts(std::iter::once(&called_back));
    assert_eq!(listed.items[0].words, "see [Image]");
    let image = PastedImage {
        mention: "@/tmp/countersign-clipboard-1/pasted-1.png".to_owned(),
        measures: "320×160 · 12 kB".to_owned(),
    };
    let gone = Some("the pasted image 1 is gone: paste it again");
    for (there, chip, said) in [(vec![image], CHIP, None), (Vec::new(), "[Image 1]", gone)] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.local.composer.begin(there, &called_back);
        assert_eq!(shown(&harness), format!("see {chip}"), "after /rewind");
        harness.ctrl('u');
        harness.local.earlier = vec![called_back.clone()];
        harness.key(KeyCode::Up, NONE);
        assert_eq!(shown(&harness), format!("see {chip}"), "with the arrow keys");
        assert_eq!(harness.local.hint.as_deref(), said);
        harness.key(KeyCode::Down, NONE);
        assert_eq!(harness.local.hint, None, "it is not in the message any more");
        // In the session of a sub-agent nobody knows what is there.
        harness.local.lineage = vec!["writer c1".to_owned()];
        harness.key(KeyCode::Up, NONE);
        assert_eq!(harness.local.hint, None);
    }
}

#[test]
fn the_note_below_several_images_speaks_of_their_paths() {
    let mut harness = with_image();
    pastes(&mut harness, "/tmp/countersign-clipboard-1/pasted-2.png");
    let other = Image { name: "/tmp/countersign-clipboard-1/pasted-2.png".to_owned(), ..picture() };
    let said = UserMessage { images: vec![picture(), other], ..sends(&mut harness) };
    let mut builder = SessionBuilder::new();
    builder.message(said);
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains("[tab, then o: show the paths]"), "{frame}");
}

#[test]
fn a_sent_image_is_a_chip_in_the_transcript_and_when_it_is_called_back() {
    let mut harness = with_image();
    harness.press("now");
    let said = UserMessage { images: vec![picture()], ..sends(&mut harness) };
    let before = harness.builder.events.len();
    let kept = kept(&said);
    assert_eq!(kept, said);
    harness.builder.message(kept);
    for event in &harness.builder.events[before..] {
        harness.view.fold(event);
    }
    for (width, height) in [(60, 16), (80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains(&format!("see {CHIP} now")) && frame.contains("o: show the path"), "{frame}");
        assert!(!frame.contains("pasted-1") && !frame.contains("[image:"), "{frame}");
    }
    harness.local.overlay = Some(Overlay::Picker(Picker::rewind(&harness.view, Millis(1))));
    let list = harness.frame(80, 24);
    assert!(list.contains(&format!("see {CHIP} now")) && !list.contains("pasted-1"), "{list}");
    harness.local.overlay = None;
    harness.key(KeyCode::Up, NONE);
    assert_eq!(shown(&harness), format!("see {CHIP} now"));
    harness.ctrl('u');
    // Of a session from elsewhere, the path is in sight before it is sent from here.
    harness.view.settings.imported_to = Some(EntryId(u64::MAX));
    harness.key(KeyCode::Up, NONE);
    assert_eq!(shown(&harness), "see @/tmp/countersign-clipboard-1/pasted-1.png now");
    harness.ctrl('u');
    harness.key(KeyCode::Tab, NONE);
    harness.key(KeyCode::Enter, NONE);
    assert!(
        harness.frame(80, 24).contains("see @/tmp/countersign-clipboard-1/pasted-1.png now"),
        "{}",
        harness.frame(80, 24)
    );
}

#[test]
fn a_field_of_one_line_says_that_it_takes_no_image() {
    let refuses = |harness: &mut ScreenHarness, said: &str| {
        assert!(harness.ctrl('v').is_empty() && !harness.local.image_comes, "{said}");
        let frame = harness.frame(80, 24);
        assert!(frame.contains(said), "{frame}");
        harness.press("x");
        let frame = harness.frame(80, 24);
        assert!(!frame.contains(said), "until the next key:\n{frame}");
        assert!(harness.local.composer.is_empty());
    };
    let mut harness = before(scenes::waiting_command());
    harness.answers("r");
    refuses(&mut harness, "a reason is text only: no image is attached");
    assert_eq!(harness.local.reason.as_ref().map(|reason| reason.text.as_str()), Some("x"));
    for (opens, typed) in [('f', "par"), ('o', "/par"), ('p', "mod")] {
        let mut harness = before(scenes::conversation());
        harness.ctrl(opens);
        harness.press(typed);
        refuses(&mut harness, "a search is text only: no image is attached");
    }
}
