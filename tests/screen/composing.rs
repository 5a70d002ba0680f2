//! What the composer does with long texts and mistakes: folded pastes, undo and redo, what was deleted and put back.

use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use countersign::agent::Intent;
use countersign::ui::composer::plain;
use countersign::ui::mention::PastedImage;
use countersign::ui::replies::reply;
use countersign::ui::theme::Theme;
use countersign::ui::update::{UiEffect, paste};
use countersign::ui::{Reply, Request};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

const ALT: KeyModifiers = KeyModifiers::ALT;

fn harness() -> ScreenHarness {
    ScreenHarness::new(SessionBuilder::new())
}

fn shown(harness: &ScreenHarness) -> String {
    plain(&harness.local.composer.shown())
}

/// The image on the clipboard.
fn clipboard() -> PastedImage {
    PastedImage {
        mention: "@/tmp/countersign-clipboard-1/pasted-1.png".to_owned(),
        measures: "320×160 · 12 kB".to_owned(),
    }
}

fn pastes(harness: &mut ScreenHarness, text: &str) {
    assert!(paste(&mut harness.local, &harness.view, text).is_empty());
}

fn sends(harness: &mut ScreenHarness) -> String {
    match harness.key(KeyCode::Enter, KeyModifiers::NONE).as_slice() {
        [UiEffect::Send(Intent::Submit(said))] => said.content.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_ctrl_u_deleted_comes_back_by_undo_and_by_yank() {
    let mut harness = harness();
    let long = "line\n".repeat(5_000);
    harness.press("look at ");
    pastes(&mut harness, &long);
    assert_eq!(shown(&harness), "look at [Pasted 5,000 lines]");
    harness.ctrl('u');
    assert!(shown(&harness).is_empty());
    harness.ctrl('_');
    assert_eq!(shown(&harness), "look at [Pasted 5,000 lines]");
    harness.ctrl('u');
    // Another paste takes the name meanwhile.
    pastes(&mut harness, &"other\n".repeat(5_000));
    harness.press(" ");
    harness.ctrl('y');
    assert_eq!(shown(&harness), "[Pasted 5,000 lines] look at [Pasted 5,000 lines #2]");
    let sent = sends(&mut harness);
    assert!(sent.starts_with("other\n") && sent.ends_with("line"), "each paste has its own text");
    assert_eq!(sent.matches("line").count(), 5_000);
    harness.ctrl('_');
    assert!(shown(&harness).is_empty(), "what was sent is not undone");
}

#[test]
fn undo_goes_back_word_by_word_and_redo_forward() {
    let mut harness = harness();
    harness.press("one two");
    harness.key(KeyCode::Left, KeyModifiers::NONE);
    harness.press("xy");
    assert_eq!(shown(&harness), "one twxyo");
    let mut back = Vec::new();
    for _ in 0..4 {
        harness.ctrl('_');
        back.push(shown(&harness));
    }
    assert_eq!(back, ["one two", "one", "", ""]);
    let mut forward = Vec::new();
    for _ in 0..4 {
        harness.key(KeyCode::Char('_'), ALT);
        forward.push(shown(&harness));
    }
    assert_eq!(forward, ["one", "one two", "one twxyo", "one twxyo"]);
    harness.press("!");
    assert_eq!(shown(&harness), "one twxy!o", "the cursor is where it was");
    harness.ctrl('_');
    harness.press("?");
    harness.key(KeyCode::Char('_'), ALT);
    assert_eq!(shown(&harness), "one twxy?o", "a new change ends what can be made again");
}

#[test]
fn what_a_key_deletes_is_put_back_elsewhere() {
    let mut harness = harness();
    harness.press("one two");
    harness.ctrl('w');
    harness.key(KeyCode::Home, KeyModifiers::NONE);
    harness.ctrl('y');
    assert_eq!(shown(&harness), "twoone ");
    harness.ctrl('k');
    harness.ctrl('y');
    harness.ctrl('y');
    assert_eq!(shown(&harness), "twoone one ");
}

#[test]
fn an_earlier_message_is_undone_to_what_was_being_typed() {
    let mut harness = ScreenHarness::new(scenes::conversation());
    harness.press("draft");
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(shown(&harness), "Why does the parser reject empty input?");
    harness.ctrl('_');
    assert_eq!(shown(&harness), "draft");
}

#[test]
fn a_folded_paste_is_opened_unless_it_is_too_large() {
    let mut harness = harness();
    let lines: String = (0..30).map(|n| format!("line {n}\n")).collect();
    pastes(&mut harness, &lines);
    harness.press(" end");
    harness.key(KeyCode::Char('o'), ALT);
    assert_eq!(shown(&harness), format!("{lines} end"));
    harness.ctrl('_');
    assert_eq!(shown(&harness), "[Pasted 30 lines] end");
    harness.ctrl('u');
    pastes(&mut harness, &"line\n".repeat(50_000));
    harness.key(KeyCode::Char('o'), ALT);
    assert_eq!(shown(&harness), "[Pasted 50,000 lines]");
    assert!(harness.frame(100, 24).contains("too large to edit here"));
    harness.ctrl('u');
    harness.key(KeyCode::Char('o'), ALT);
    assert!(harness.frame(100, 24).contains("there is no folded paste to open"));
}

#[test]
fn a_long_composer_says_how_much_is_above() {
    let mut harness = harness();
    pastes(&mut harness, &(1..=20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n"));
    for (size, sign) in [((80, 24), "↑ 12 lines above"), ((60, 12), "↑")] {
        let frame = harness.frame(size.0, size.1);
        assert!(frame.contains("line 20") && frame.contains(sign), "{frame}");
    }
    harness.ctrl('u');
    harness.press("short");
    assert!(!harness.frame(80, 24).contains("above"));
}

#[test]
fn a_long_message_is_folded_in_the_transcript_and_opens() {
    let mut builder = SessionBuilder::new();
    let long: String = (1..=5_000).map(|n| format!("line {n}\n")).collect();
    builder.ledger.user(builder.at(), format!("look at this\n{long}").into()).unwrap();
    builder.tell();
    let mut harness = ScreenHarness::new(builder);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("look at this") && frame.contains("line 7"), "{frame}");
    assert!(frame.contains("[… 5,001 lines in all · tab, then o: show them]"), "{frame}");
    assert!(!frame.contains("line 8") && !frame.contains("line 5000"), "{frame}");
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    let (theme, drawn) = (harness.theme.clone(), harness.buffer(80, 24));
    let ink = |begin: &str| {
        let at = |y: u16| (0..80).map(|x| drawn[(x, y)].symbol()).collect::<String>();
        let y = (0..24).find(|y| at(*y).trim_start_matches([' ', '›']).starts_with(begin)).unwrap();
        let x = (0..80).find(|x| begin.starts_with(drawn[(*x, y)].symbol())).unwrap();
        drawn[(x, y)].style().fg
    };
    assert_eq!((ink("line 7"), ink("[… 5,001")), (theme.user.fg, theme.dim.fg), "we say the last line");
    harness.theme = Theme::plain();
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    harness.press("o");
    let frame = harness.frame(80, 24);
    assert!(frame.contains("message") && frame.contains("line 15"), "{frame}");
    harness.key(KeyCode::End, KeyModifiers::NONE);
    assert!(harness.frame(80, 24).contains("line 5000"));
}

#[test]
fn ctrl_v_asks_for_the_image_on_the_clipboard_and_its_chip_stands_alone() {
    let mut harness = harness();
    harness.press("see");
    assert_eq!(harness.ctrl('v'), [UiEffect::Ask(Request::PasteImage)]);
    reply(&mut harness.local, &harness.view, Reply::Mention(clipboard()));
    assert_eq!(shown(&harness), "see [Image 1 · 320×160 · 12 kB] ");
    assert_eq!(harness.local.composer.text(), "see @/tmp/countersign-clipboard-1/pasted-1.png");
    harness.ctrl('_');
    assert_eq!(shown(&harness), "see");
    reply(&mut harness.local, &harness.view, Reply::Refused("there is no image on the clipboard".to_owned()));
    assert!(harness.frame(80, 24).contains("there is no image on the clipboard"));
}

#[test]
fn alt_d_deletes_the_word_ahead_and_ctrl_y_brings_words_in_a_row_back() {
    let mut harness = harness();
    harness.press("one two three");
    harness.key(KeyCode::Home, KeyModifiers::NONE);
    harness.key(KeyCode::Char('d'), KeyModifiers::ALT);
    harness.key(KeyCode::Char('d'), KeyModifiers::ALT);
    assert_eq!(shown(&harness).trim_start(), "three");
    harness.ctrl('y');
    assert_eq!(shown(&harness), "one two three");
}

#[test]
fn esc_stops_the_reading_of_the_clipboard() {
    let mut harness = harness();
    harness.press("see");
    harness.ctrl('v');
    let acts = harness.key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(acts, [UiEffect::Ask(Request::StopReading)]);
    assert!(harness.frame(80, 24).contains("no image is attached"));
    assert_eq!(shown(&harness), "see");
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert!(matches!(&acts[..], [UiEffect::Send(Intent::Submit(_))]), "no image is waited for: {acts:?}");
}

#[test]
fn a_message_waits_for_the_image_that_is_being_read_for_it() {
    let enter = |harness: &mut ScreenHarness| harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let mut harness = harness();
    harness.press("see");
    harness.ctrl('v');
    assert!(enter(&mut harness).is_empty(), "it would be sent without the image");
    assert!(harness.frame(80, 24).contains("still being read"));
    assert_eq!(shown(&harness), "see");
    assert!(
        matches!(&enter(&mut harness)[..], [UiEffect::Send(Intent::Submit(_))]),
        "a second time is meant"
    );
    // What has come, or cannot come, is not waited for.
    for came in [Reply::Mention(clipboard()), Reply::Refused("none".to_owned())] {
        harness.press("see");
        harness.ctrl('v');
        reply(&mut harness.local, &harness.view, came);
        assert!(matches!(&enter(&mut harness)[..], [UiEffect::Send(Intent::Submit(_))]));
    }
}

#[test]
fn lines_of_a_paste_that_is_not_marked_are_not_sent_one_by_one() {
    let mut harness = harness();
    assert!(harness.bursts("one\rtwo\rthree\r").is_empty());
    assert_eq!(shown(&harness), "one\ntwo\nthree\n");
    assert_eq!(sends(&mut harness), "one\ntwo\nthree");
    // In pieces: the end of a line is read with the next line, or close behind it.
    assert!(harness.bursts("one\rtw").is_empty());
    harness.waits(5);
    assert!(harness.bursts("o\r").is_empty());
    assert_eq!(shown(&harness), "one\ntwo\n");
    harness.ctrl('u');
    // A line and its end, as a program types them.
    harness.waits(1_000);
    assert_eq!(harness.bursts("one line\r"), [UiEffect::Send(Intent::Submit("one line".to_owned().into()))]);
    harness.waits(1_000);
    assert_eq!(harness.bursts("another\r"), [UiEffect::Send(Intent::Submit("another".to_owned().into()))]);
}

#[test]
fn a_draft_comes_back_when_an_earlier_message_was_changed_and_sent() {
    let mut builder = SessionBuilder::new();
    builder.user("run the tests");
    let mut harness = ScreenHarness::new(builder);
    harness.press("half a draft");
    harness.key(KeyCode::Up, KeyModifiers::NONE);
    assert_eq!(shown(&harness), "run the tests");
    harness.press(" again");
    assert_eq!(sends(&mut harness), "run the tests again");
    assert_eq!(shown(&harness), "half a draft");
    // Emptied instead of sent, and a command instead of a message.
    for is_command in [false, true] {
        harness.key(KeyCode::Up, KeyModifiers::NONE);
        harness.key(KeyCode::Backspace, KeyModifiers::NONE);
        if is_command {
            harness.local.composer.replace("/mode plan");
            harness.key(KeyCode::Enter, KeyModifiers::NONE);
        } else {
            harness.ctrl('u');
        }
        assert_eq!(shown(&harness), "half a draft", "{is_command}");
    }
    // The Enter of the command is over.
    harness.waits(1_000);
    assert_eq!(sends(&mut harness), "half a draft");
    assert!(shown(&harness).is_empty());
}

#[test]
fn a_long_message_fills_its_rows_after_the_window_has_changed() {
    let mut harness = harness();
    for line in 1..=14 {
        harness.press(&format!("line {line} of a message that is long enough to be wrapped"));
        harness.ctrl('j');
    }
    harness.press("the end");
    for (width, height) in [(120, 40), (40, 10), (80, 24), (200, 50)] {
        let shown = harness.frame(width, height);
        assert!(shown.contains("the end"), "{width}x{height}\n{shown}");
        if height > 10 {
            assert!(shown.contains("line 8 of") && !shown.contains("line 7 of"), "{width}x{height}\n{shown}");
        }
        // The cursor stays where it was.
        harness.press("!");
        assert!(harness.local.composer.shown().ends_with('!'));
        harness.key(KeyCode::Backspace, KeyModifiers::NONE);
    }
}
