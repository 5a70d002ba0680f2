//! A big paste is one chip: whole in a row of the composer, and in the transcript after it was sent.

use std::sync::Arc;

use countersign::agent::{Intent, Live};
use countersign::ledger::{Body, Entry, EntryId, Injected, MessagePiece, Millis, UserMessage};
use countersign::ui::Reply;
use countersign::ui::composer::plain;
use countersign::ui::replies::reply;
use countersign::ui::update::{UiEffect, hear, paste};
use countersign::view::{NamedCommand, Template, ViewSettings, built_in_message};
use countersign::wire::record::{decode, encode};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::screen_harness::ScreenHarness;
use crate::session_builder::{SessionBuilder, settings};

const CHIP: &str = "[Pasted 400 lines]";

#[test]
fn the_name_of_a_paste_stays_in_one_row() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("words before it, ");
    paste(&mut harness.local, &harness.view, &"line\n".repeat(400));
    for width in 40..80 {
        let frame = harness.frame(width, 24);
        assert!(frame.lines().any(|row| row.contains(CHIP)), "{width}: {frame}");
    }
}

#[test]
fn what_was_pasted_is_one_chip_in_the_transcript_and_can_be_opened() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("look: ");
    paste(&mut harness.local, &harness.view, &"line of a paste\n".repeat(400));
    assert!(plain(&harness.local.composer.shown()).ends_with(CHIP));
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let [UiEffect::Send(Intent::Submit(said))] = acts.as_slice() else { panic!("{acts:?}") };
    let before = harness.builder.events.len();
    // As the session file keeps it.
    let kept =
        decode(&encode(&Entry { id: EntryId(9), at: Millis(1), body: Body::User(Arc::new(said.clone())) }));
    let Body::User(kept) = kept.unwrap().body else { panic!("a message") };
    assert_eq!(*kept, *said);
    harness.builder.message(UserMessage::clone(&kept));
    for event in &harness.builder.events[before..] {
        harness.view.fold(event);
    }
    for (width, height) in [(40, 16), (80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains("look: [Pasted 400 lines]"), "{frame}");
        assert!(frame.contains("o: show all of it") && !frame.contains("line of a paste"), "{frame}");
    }
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert!(harness.frame(80, 24).contains("line of a paste"), "{}", harness.frame(80, 24));
}

/// Anybody can write the header of a called command.
#[test]
fn a_pasted_message_with_the_header_of_a_command_stays_a_paste() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    paste(&mut harness.local, &harness.view, &built_in_message("/init", "Leave."));
    assert_eq!(plain(&harness.local.composer.shown()), "[Pasted 5 lines]");
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let [UiEffect::Send(Intent::Submit(said))] = acts.as_slice() else { panic!("{acts:?}") };
    let before = harness.builder.events.len();
    harness.builder.message(said.clone());
    for event in &harness.builder.events[before..] {
        harness.view.fold(event);
    }
    let frame = harness.frame(80, 24);
    assert!(frame.contains("› [Pasted 5 lines]") && !frame.contains("Leave."), "{frame}");
    hear(&mut harness.local, &harness.view, &Live::Returned(vec![said.clone()]));
    let composer = &harness.local.composer;
    assert!(plain(&composer.shown()).ends_with("[Pasted 5 lines]"), "{}", composer.shown());
    assert!(composer.text().ends_with("Leave."), "{}", composer.text());
}

#[test]
fn messages_that_are_called_back_show_their_pastes_as_chips() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("look: ");
    paste(&mut harness.local, &harness.view, &"first\n".repeat(400));
    harness.press(" and ");
    paste(&mut harness.local, &harness.view, &"second\n".repeat(400));
    harness.press(" then");
    let whole = harness.local.composer.text();
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let [UiEffect::Send(Intent::Submit(said))] = acts.as_slice() else { panic!("{acts:?}") };
    // From another session of the folder.
    harness.local.earlier = vec![said.clone()];
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    let chips = "look: [Pasted 400 lines] and [Pasted 400 lines #2] then";
    assert_eq!(plain(&harness.local.composer.shown()), chips);
    assert_eq!(harness.local.composer.text(), whole);
    harness.key(KeyCode::Down, KeyModifiers::NONE);
    assert!(harness.local.composer.is_empty());
    // By the list, and as a command that was escaped.
    harness.local.earlier[0].content.insert(0, '/');
    harness.local.earlier[0].pastes = said.pastes.behind(1);
    harness.ctrl('r');
    harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert_eq!(plain(&harness.local.composer.shown()), format!("/{chips}"));
}

#[test]
fn what_was_pasted_into_a_message_for_a_running_model_is_a_chip_for_good() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("look: ");
    paste(&mut harness.local, &harness.view, &"line of a paste\n".repeat(400));
    let said = harness.local.composer.take_message();
    let written = encode(&Entry {
        id: EntryId(9),
        at: Millis(1),
        body: Body::Injected(Injected::steering(said.clone())),
    });
    // As the session file keeps it.
    let Body::Injected(kept) = decode(&written).unwrap().body else { panic!("a message") };
    assert_eq!(kept.said(), Some(said.clone()));
    harness.builder.user("begin");
    harness.builder.steer(kept.said().unwrap());
    for event in &harness.builder.events {
        harness.view.fold(event);
    }
    for (width, height) in [(40, 16), (80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains("look: [Pasted 400 lines]") && frame.contains("steering"), "{frame}");
        assert!(frame.contains("o: show all of it") && !frame.contains("line of a paste"), "{frame}");
    }
    // It is called back with its chip, too.
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(plain(&harness.local.composer.shown()), "look: [Pasted 400 lines]");
    assert_eq!(harness.local.composer.whole(), said.content);
    harness.ctrl('u');
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert!(harness.frame(80, 24).contains("line of a paste"), "{}", harness.frame(80, 24));
}

#[test]
fn a_message_that_is_refused_comes_back_with_its_chips_and_its_typed_lines() {
    let chips = "see @.env [Pasted 400 lines]\nand\n\n[Pasted 400 lines #2]";
    let compose = || {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.press("see @.env ");
        paste(&mut harness.local, &harness.view, &"first\n".repeat(400));
        paste(&mut harness.local, &harness.view, "\nand\n\n");
        paste(&mut harness.local, &harness.view, &"second @secret.txt\n".repeat(400));
        let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
        let [UiEffect::Send(Intent::Submit(said))] = acts.as_slice() else { panic!("{acts:?}") };
        (said.clone(), harness)
    };
    let why = "send it again".to_owned();
    for way in 0..2 {
        let (said, mut harness) = compose();
        match way {
            0 => {
                reply(
                    &mut harness.local,
                    &harness.view,
                    Reply::Returned { said: said.clone(), why: why.clone() },
                );
            }
            _ => hear(&mut harness.local, &harness.view, &Live::Returned(vec![said.clone()])),
        }
        assert_eq!(plain(&harness.local.composer.shown()), chips);
        assert_eq!(harness.local.composer.message(), said);
    }
    // Lines that were typed were in sight: they come back as lines, however many there are.
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    let typed = format!("{}@a.rs", "typed\n".repeat(30));
    reply(&mut harness.local, &harness.view, Reply::Returned { said: typed.as_str().into(), why });
    assert_eq!(harness.local.composer.message(), UserMessage::text(typed));
}

#[test]
fn a_message_out_of_a_command_comes_back_with_its_chips() {
    let command = NamedCommand {
        name: "fix".to_owned(),
        description: String::new(),
        hint: String::new(),
        file: ".claude/commands/fix.md".to_owned(),
        sha256: "ab".to_owned(),
        template: Template::read("Fix $ARGUMENTS, please.", false),
        is_skill: false,
    };
    let skill = NamedCommand {
        name: "pdf".to_owned(),
        file: ".agents/skills/pdf/SKILL.md".to_owned(),
        template: Template::read("Use pdftotext.", false),
        is_skill: true,
        ..command.clone()
    };
    for name in ["/fix", "/pdf"] {
        let mut harness = ScreenHarness::new(SessionBuilder::new());
        harness.view.settings = ViewSettings { commands: vec![skill.clone(), command.clone()], ..settings() };
        harness.press(&format!("{name} this: "));
        let pasted = "see @secret.txt\n".repeat(399) + "end";
        paste(&mut harness.local, &harness.view, &pasted);
        let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
        let [UiEffect::Send(Intent::Submit(said))] = acts.as_slice() else { panic!("{acts:?}") };
        let parts = said.pastes.parts(&said.content);
        let typed = parts.iter().filter_map(|part| match part {
            MessagePiece::Typed(text) => Some(*text),
            MessagePiece::Pasted(text) => {
                assert_eq!(*text, pasted);
                None
            }
            MessagePiece::Image(text) => panic!("{text}"),
        });
        assert!(!typed.collect::<String>().contains("@secret.txt"), "{name}: {parts:?}");
        reply(&mut harness.local, &harness.view, Reply::Returned { said: said.clone(), why: String::new() });
        assert_eq!(plain(&harness.local.composer.shown()), format!("{name} this: [Pasted 400 lines]"));
    }
}

#[test]
fn a_paste_that_an_editor_left_as_it_was_stays_a_chip() {
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.press("look: ");
    paste(&mut harness.local, &harness.view, &"see @secret.txt\n".repeat(399));
    harness.press(" then");
    let text = harness.local.composer.text();
    let edited = format!("{text}\n{}@a.rs", "more\n".repeat(30));
    harness.local.composer.hold_edited(&edited.replacen("look", "Look here", 1));
    let shown = plain(&harness.local.composer.shown());
    assert!(
        shown.starts_with("Look here: [Pasted 399 lines] then\nmore\n") && shown.ends_with("@a.rs"),
        "{shown}"
    );
    // One that was changed there was read there.
    harness.local.composer.hold_edited(&text.replacen("see @secret.txt", "see @other.txt", 1));
    assert!(harness.local.composer.message().pastes.is_empty());
}
