//! Only a deliberate key decides: typing at every speed, held keys and pastes without brackets, before all that waits.

use crate::scenes;
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Intent, Live};
use countersign::ledger::{Decider, Preview};
use countersign::ui::Request;
use countersign::ui::local::Focus;
use countersign::ui::rebinding::Rebinding;
use countersign::ui::update::{UiEffect, hear};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use serde_json::json;

pub const NONE: KeyModifiers = KeyModifiers::NONE;
pub const SIZES: [(u16, u16); 3] = [(40, 10), (80, 24), (120, 40)];
pub const SENTENCES: [&str; 9] = [
    "stop, do not touch that file",
    "sorry",
    "and queue this",
    "go on but skip the tests please",
    "yes",
    "y",
    "no, rather 2 than 1",
    "be quick",
    "great, go go go",
];

/// Everything that waits for a person.
/// A scene, by its name.
pub type Scene = (&'static str, fn() -> SessionBuilder);

pub fn scenes() -> [Scene; 6] {
    [
        ("three calls", scenes::waiting_command),
        ("a change", scenes::waiting_diff),
        ("a question", question),
        ("a budget stop", scenes::budget_stop),
        ("a long command", long_command),
        ("a sub-agent's command", scenes::waiting_below),
    ]
}

pub fn question() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Tidy up.");
    let asks = builder.tool_use("ask", json!({ "question": "Which?", "choices": ["old", "new"] }));
    let open = builder.say(None, "", "Before I begin:", vec![asks]);
    builder.ask(open[0].id(), "ask", Preview::None);
    std::mem::forget(open);
    builder
}

pub fn long_command() -> SessionBuilder {
    let command: String = (1..=60).map(|line| format!("echo line {line}\n")).collect::<String>() + "rm -rf /";
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let call = builder.tool_use("shell", json!({ "command": command }));
    let open = builder.say(None, "", "All of it.", vec![call]);
    builder.ask(open[0].id(), "shell", Preview::Command(command));
    std::mem::forget(open);
    builder
}

pub fn before(builder: SessionBuilder, (width, height): (u16, u16)) -> ScreenHarness {
    let mut harness = ScreenHarness::new(builder);
    harness.size = (width, height);
    harness.waits(5_000);
    harness.frame(width, height);
    harness
}

pub fn look(harness: &mut ScreenHarness) -> String {
    let (width, height) = harness.size;
    harness.frame(width, height)
}

pub fn decides(acts: &[UiEffect]) -> bool {
    acts.iter().any(|act| {
        matches!(
            act,
            UiEffect::Send(Intent::Decide { .. } | Intent::Raise { .. })
                | UiEffect::Ask(Request::Restore { .. })
        )
    })
}

/// Numbers that look random and are the same each time.
struct Dice(u64);

impl Dice {
    /// Between 0 and 1, never 0.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (f64::from(u32::try_from(self.0 >> 33).unwrap()) + 1.0) / f64::from(1_u32 << 31)
    }

    /// Milliseconds between two keys at so many words a minute: an exponential gap over what a hand needs at least.
    fn gap(&mut self, words_a_minute: f64) -> u64 {
        let mean = 60_000.0 / (words_a_minute * 5.0);
        let gap = mean * 0.3 - mean * 0.7 * self.unit().ln();
        let gap = std::time::Duration::from_secs_f64(gap.max(1.0) / 1_000.0);
        u64::try_from(gap.as_millis()).unwrap()
    }
}

#[test]
fn what_is_typed_at_any_speed_arrives_whole_and_decides_nothing() {
    let mut dice = Dice(42);
    for size in SIZES {
        for speed in [30.0, 60.0, 100.0, 150.0] {
            for sentence in SENTENCES {
                // The sizes share the speeds among them; every sentence is typed at each.
                if size != (80, 24) && speed > 30.0 {
                    continue;
                }
                for (name, scene) in scenes() {
                    let mut harness = before(scene(), size);
                    for c in sentence.chars() {
                        harness.waits(dice.gap(speed));
                        let acts = harness.reads(&[KeyEvent::new(KeyCode::Char(c), NONE)]);
                        assert!(acts.is_empty(), "{name}, {sentence:?} at {speed}: {acts:?}");
                        look(&mut harness);
                    }
                    assert_eq!(harness.local.composer.text(), sentence, "{name} at {speed}");
                }
            }
        }
    }
}

#[test]
fn what_is_pasted_without_brackets_arrives_whole_and_decides_nothing() {
    let pastes =
        ["\ty", "\ts\ty\tg", "one\ttwo\nyes\n\ty", "y\ty", "yy", "\t1", "\tnnn", "a list:\n\ty\n\ts"];
    for size in SIZES {
        for paste in pastes.into_iter().chain(SENTENCES) {
            for (name, scene) in scenes() {
                // In one read; in pieces of a few bytes with pauses; key by key as fast as a machine types.
                for (piece, pause) in [(usize::MAX, 0), (2, 80), (3, 200), (5, 700), (1, 5), (1, 29)] {
                    if size != (80, 24) && piece < 3 {
                        continue;
                    }
                    let mut harness = before(scene(), size);
                    let letters: Vec<char> = paste.chars().collect();
                    for part in letters.chunks(piece.min(letters.len())) {
                        harness.waits(pause);
                        let text: String = part.iter().collect();
                        let is_typed = part.len() == 1 && pause >= 30;
                        let acts = harness.bursts(&text);
                        assert!(is_typed || !decides(&acts), "{name}, {paste:?} by {piece}: {acts:?}");
                        look(&mut harness);
                    }
                    let typed = harness.local.composer.shown();
                    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
                    // A piece of one letter after a pause is a key like any other: only such a piece may be one.
                    let last_alone =
                        letters.len() % piece.min(letters.len()) == 1 && piece > 1 && pause >= 30;
                    if !(last_alone || piece == 1 && letters.first() == Some(&'\t')) {
                        assert_eq!(squeezed(&typed), squeezed(paste), "{name}, {paste:?} by {piece}");
                    }
                    assert!(harness.local.answered.is_empty() || last_alone, "{name}, {paste:?} by {piece}");
                }
            }
        }
    }
}

#[test]
fn nothing_that_comes_to_wait_takes_the_focus() {
    for size in SIZES {
        for (name, scene) in scenes() {
            for draft in ["", "a thought"] {
                let mut harness = before(SessionBuilder::new(), size);
                harness.press(draft);
                harness.view = crate::session_builder::view(&scene().events);
                let frame = look(&mut harness);
                assert_eq!(harness.local.focused(&harness.view), Focus::Composer, "{name}");
                assert!(frame.contains("tab to decide"), "{name} {size:?}:\n{frame}");
                assert!(frame.contains("message"), "{name} {size:?}:\n{frame}");
                harness.turns();
                let frame = look(&mut harness);
                assert!(
                    !frame.contains("message") && (frame.contains("keys: ") || frame.contains("keys go to ")),
                    "{name} {size:?}:\n{frame}"
                );
                assert_eq!(harness.local.composer.text(), draft);
            }
        }
    }
}

#[test]
fn one_key_decides_about_one_call_and_the_rest_is_text() {
    for size in SIZES {
        let mut harness = before(scenes::waiting_command(), size);
        harness.turns();
        let acts = harness.press("y");
        assert!(decides(&acts) && acts.len() == 1, "{acts:?}");
        // The same key goes on, held down or not, whatever frames come between.
        for _ in 0..20 {
            harness.waits(33);
            assert!(!decides(&harness.reads(&[KeyEvent::new(KeyCode::Char('y'), NONE)])));
            look(&mut harness);
        }
        assert_eq!(harness.local.composer.text(), "y".repeat(20));
        assert_eq!(harness.local.answered.len(), 1);
        harness.ctrl('u');
        for left in [1, 0] {
            assert!(decides(&harness.answers("n")), "the next one needs its own focus");
            assert_eq!(harness.local.waiting(&harness.view).len(), left);
        }
    }
}

#[test]
fn a_burst_of_answers_decides_nothing_and_is_text() {
    for burst in ["yy", "yes", "ss", "y\t"] {
        let mut harness = before(scenes::waiting_command(), (80, 24));
        harness.turns();
        assert!(!decides(&harness.bursts(burst)), "{burst}");
        assert_eq!(harness.local.composer.text(), burst.trim_end(), "{burst}");
        assert_eq!(harness.local.focused(&harness.view), Focus::Composer);
    }
    // A tab and an answer that came too close together for a hand.
    let mut harness = before(scenes::waiting_command(), (80, 24));
    harness.key(KeyCode::Tab, NONE);
    look(&mut harness);
    harness.waits(20);
    assert!(!decides(&harness.reads(&[KeyEvent::new(KeyCode::Char('y'), NONE)])));
    assert_eq!(harness.local.composer.text(), "y");
    // The frame that shows the focus was late.
    let mut harness = before(scenes::waiting_command(), (80, 24));
    harness.key(KeyCode::Tab, NONE);
    harness.waits(200);
    assert!(!decides(&harness.reads(&[KeyEvent::new(KeyCode::Char('y'), NONE)])), "nobody saw the focus");
    assert_eq!(harness.local.composer.text(), "y");
}

#[test]
fn a_key_right_after_the_frame_that_shows_the_focus_was_pressed_before_it() {
    let mut harness = before(scenes::waiting_command(), (80, 24));
    harness.key(KeyCode::Tab, NONE);
    harness.waits(200);
    look(&mut harness);
    harness.waits(10);
    assert!(!decides(&harness.reads(&[KeyEvent::new(KeyCode::Char('y'), NONE)])));
    assert_eq!(harness.local.composer.text(), "y");
}

#[test]
fn a_key_decides_what_the_last_frame_has_shown() {
    let mut harness = before(scenes::waiting_diff(), (80, 24));
    harness.turns();
    harness.press("o");
    harness.waits(1_000);
    assert!(!decides(&harness.press("y")), "no frame has shown the page");
    look(&mut harness);
    harness.waits(1_000);
    assert!(decides(&harness.press("y")));
    // A key that types nothing, before a frame has shown that the call has the focus.
    let mut harness = before(scenes::waiting_diff(), (80, 24));
    harness.local.keymap.change(Rebinding::parse("approval", "once", &["f8"]).unwrap());
    harness.key(KeyCode::Tab, NONE);
    harness.waits(1_000);
    assert!(!decides(&harness.key(KeyCode::F(8), NONE)), "no frame has shown the focus");
    look(&mut harness);
    harness.waits(1_000);
    assert!(decides(&harness.key(KeyCode::F(8), NONE)));
}

#[test]
fn what_a_refusal_gives_back_has_no_focus_and_stands_anew() {
    for (scene, key) in [(scenes::waiting_command as fn() -> SessionBuilder, 'y'), (scenes::budget_stop, 'g')]
    {
        let mut harness = before(scene(), (80, 24));
        harness.turns();
        assert!(decides(&harness.press(&key.to_string())), "{key}");
        // No frame between the answer and its refusal.
        hear(&mut harness.local, &harness.view, &Live::Refused("not taken".to_owned()));
        assert_eq!(harness.local.focused(&harness.view), Focus::Composer, "{key}");
        look(&mut harness);
        harness.key(KeyCode::Tab, NONE);
        look(&mut harness);
        harness.waits(100);
        let acts = harness.reads(&[KeyEvent::new(KeyCode::Char(key), NONE)]);
        assert!(!decides(&acts), "{key}: {acts:?}");
        assert!(look(&mut harness).contains("too soon: press again"), "{key}");
    }
}

#[test]
fn a_tab_within_a_burst_is_text() {
    for close in [true, false] {
        let mut harness = before(scenes::waiting_command(), (80, 24));
        harness.press("x");
        harness.waits(if close { 10 } else { 100 });
        harness.reads(&[KeyEvent::new(KeyCode::Tab, NONE)]);
        assert_eq!(harness.local.focused(&harness.view) == Focus::Composer, close);
        assert_eq!(harness.local.composer.shown().len() > 1, close);
    }
}

#[test]
fn what_has_just_appeared_cannot_be_decided() {
    for size in SIZES {
        for (name, scene) in scenes() {
            for (after, counts) in
                [(0, false), (100, false), (300, false), (499, false), (500, true), (2_000, true)]
            {
                // What has no room is read to its end first.
                if name == "a long command" || (name == "a change" && size.1 == 10) {
                    continue;
                }
                let mut harness = ScreenHarness::new(SessionBuilder::new());
                harness.size = size;
                harness.view = crate::session_builder::view(&scene().events);
                harness.waits(5_000);
                look(&mut harness);
                harness.key(KeyCode::Tab, NONE);
                look(&mut harness);
                let key = match name {
                    "a question" => '2',
                    "a budget stop" => 'g',
                    _ => 'y',
                };
                // The tab came 100 ms after the first frame.
                harness.waits(after.max(130) - 100);
                let acts = harness.reads(&[KeyEvent::new(KeyCode::Char(key), NONE)]);
                assert_eq!(decides(&acts), counts, "{name} after {after} ms at {size:?}: {acts:?}");
                assert!(harness.local.composer.is_empty(), "the key was not meant for the composer");
                if !counts {
                    assert!(look(&mut harness).contains("too soon: press again"), "{name} {size:?}");
                    harness.waits(700);
                    assert!(
                        decides(&harness.reads(&[KeyEvent::new(KeyCode::Char(key), NONE)])),
                        "{name}, pressed again"
                    );
                }
            }
        }
    }
}

#[test]
fn a_held_key_decides_nothing_that_appears_under_it() {
    let mut harness = before(scenes::waiting_command(), (80, 24));
    harness.key(KeyCode::Tab, NONE);
    // Held since before the pane could be decided: 500 ms later the terminal begins to repeat it.
    look(&mut harness);
    let y = KeyEvent::new(KeyCode::Char('y'), NONE);
    harness.waits(100);
    assert!(!decides(&harness.reads(&[y])));
    harness.waits(500);
    for _ in 0..30 {
        assert!(!decides(&harness.reads(&[y])));
        harness.waits(30);
        look(&mut harness);
    }
    // A terminal that tells repetitions.
    let mut harness = before(scenes::waiting_command(), (80, 24));
    harness.turns();
    let held = KeyEvent { kind: KeyEventKind::Repeat, ..y };
    for _ in 0..30 {
        assert!(!decides(&harness.reads(&[held])));
        harness.waits(30);
    }
}

#[test]
fn a_call_that_takes_the_place_of_another_starts_anew() {
    let mut harness = before(scenes::waiting_command(), (80, 24));
    harness.turns();
    let call = harness.view.waiting()[0].1.call;
    harness.builder.decide(call, false, Decider::User);
    harness.catch_up();
    assert!(!decides(&harness.press("y")), "somebody else has decided; the focus goes to no other");
    assert_eq!(harness.local.composer.text(), "y");
    assert_eq!(harness.local.focused(&harness.view), Focus::Composer);
}

#[test]
fn letters_that_answer_nothing_go_to_the_composer() {
    for (builder, text) in
        [(question(), "well"), (scenes::budget_stop(), "yes, but"), (scenes::waiting_diff(), "hold on")]
    {
        let mut harness = before(builder, (80, 24));
        harness.turns();
        assert!(!decides(&harness.press(text)));
        assert_eq!(harness.local.composer.text(), text);
    }
}
