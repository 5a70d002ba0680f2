//! Only a deliberate key decides: typing at every speed, held keys and pastes without brackets, before all that waits.

use crate::frames::Seat;
use crate::scenes;
use crate::stage::Stage;
use countersign::agent::{Intent, Live};
use countersign::ledger::{Decider, Preview};
use countersign::ui::Request;
use countersign::ui::local::Focus;
use countersign::ui::rebinding::Rebinding;
use countersign::ui::update::{Act, hear};
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
pub type Scene = (&'static str, fn() -> Stage);

pub fn scenes() -> [Scene; 5] {
    [
        ("three calls", scenes::waiting_command),
        ("a change", scenes::waiting_diff),
        ("a question", question),
        ("a budget stop", scenes::budget_stop),
        ("a long command", long_command),
    ]
}

pub fn question() -> Stage {
    let mut stage = Stage::new();
    stage.user("Tidy up.");
    let asks = stage.tool_use("ask", json!({ "question": "Which?", "choices": ["old", "new"] }));
    let open = stage.say(None, "", "Before I begin:", vec![asks]);
    stage.ask(open[0].id(), "ask", Preview::None);
    std::mem::forget(open);
    stage
}

pub fn long_command() -> Stage {
    let command: String = (1..=60).map(|line| format!("echo line {line}\n")).collect::<String>() + "rm -rf /";
    let mut stage = Stage::new();
    stage.user("Go.");
    let call = stage.tool_use("shell", json!({ "command": command }));
    let open = stage.say(None, "", "All of it.", vec![call]);
    stage.ask(open[0].id(), "shell", Preview::Command(command));
    std::mem::forget(open);
    stage
}

pub fn before(stage: Stage, (width, height): (u16, u16)) -> Seat {
    let mut seat = Seat::new(stage);
    seat.size = (width, height);
    seat.waits(5_000);
    seat.frame(width, height);
    seat
}

pub fn look(seat: &mut Seat) -> String {
    let (width, height) = seat.size;
    seat.frame(width, height)
}

pub fn decides(acts: &[Act]) -> bool {
    acts.iter().any(|act| {
        matches!(
            act,
            Act::Send(Intent::Decide { .. } | Intent::Raise { .. }) | Act::Ask(Request::Restore { .. })
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
                    let mut seat = before(scene(), size);
                    for c in sentence.chars() {
                        seat.waits(dice.gap(speed));
                        let acts = seat.reads(&[KeyEvent::new(KeyCode::Char(c), NONE)]);
                        assert!(acts.is_empty(), "{name}, {sentence:?} at {speed}: {acts:?}");
                        look(&mut seat);
                    }
                    assert_eq!(seat.local.composer.text(), sentence, "{name} at {speed}");
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
                    let mut seat = before(scene(), size);
                    let letters: Vec<char> = paste.chars().collect();
                    for part in letters.chunks(piece.min(letters.len())) {
                        seat.waits(pause);
                        let text: String = part.iter().collect();
                        let is_typed = part.len() == 1 && pause >= 30;
                        let acts = seat.bursts(&text);
                        assert!(is_typed || !decides(&acts), "{name}, {paste:?} by {piece}: {acts:?}");
                        look(&mut seat);
                    }
                    let typed = seat.local.composer.shown();
                    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
                    // A piece of one letter after a pause is a key like any other: only such a piece may be one.
                    let last_alone =
                        letters.len() % piece.min(letters.len()) == 1 && piece > 1 && pause >= 30;
                    if !(last_alone || piece == 1 && letters.first() == Some(&'\t')) {
                        assert_eq!(squeezed(&typed), squeezed(paste), "{name}, {paste:?} by {piece}");
                    }
                    assert!(seat.local.answered.is_empty() || last_alone, "{name}, {paste:?} by {piece}");
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
                let mut seat = before(Stage::new(), size);
                seat.press(draft);
                seat.view = crate::stage::view(&scene().events);
                let frame = look(&mut seat);
                assert_eq!(seat.local.focused(&seat.view), Focus::Composer, "{name}");
                assert!(frame.contains("tab to decide"), "{name} {size:?}:\n{frame}");
                assert!(frame.contains("keys: composer"), "{name} {size:?}:\n{frame}");
                seat.turns();
                let frame = look(&mut seat);
                assert!(
                    !frame.contains("keys: composer") && frame.contains("keys: "),
                    "{name} {size:?}:\n{frame}"
                );
                assert_eq!(seat.local.composer.text(), draft);
            }
        }
    }
}

#[test]
fn one_key_decides_about_one_call_and_the_rest_is_text() {
    for size in SIZES {
        let mut seat = before(scenes::waiting_command(), size);
        seat.turns();
        let acts = seat.press("y");
        assert!(decides(&acts) && acts.len() == 1, "{acts:?}");
        // The same key goes on, held down or not, whatever frames come between.
        for _ in 0..20 {
            seat.waits(33);
            assert!(!decides(&seat.reads(&[KeyEvent::new(KeyCode::Char('y'), NONE)])));
            look(&mut seat);
        }
        assert_eq!(seat.local.composer.text(), "y".repeat(20));
        assert_eq!(seat.local.answered.len(), 1);
        seat.ctrl('u');
        for left in [1, 0] {
            assert!(decides(&seat.answers("n")), "the next one needs its own focus");
            assert_eq!(seat.local.waiting(&seat.view).len(), left);
        }
    }
}

#[test]
fn a_burst_of_answers_decides_nothing_and_is_text() {
    for burst in ["yy", "yes", "ss", "y\t"] {
        let mut seat = before(scenes::waiting_command(), (80, 24));
        seat.turns();
        assert!(!decides(&seat.bursts(burst)), "{burst}");
        assert_eq!(seat.local.composer.text(), burst.trim_end(), "{burst}");
        assert_eq!(seat.local.focused(&seat.view), Focus::Composer);
    }
    // A tab and an answer that came too close together for a hand.
    let mut seat = before(scenes::waiting_command(), (80, 24));
    seat.key(KeyCode::Tab, NONE);
    look(&mut seat);
    seat.waits(20);
    assert!(!decides(&seat.reads(&[KeyEvent::new(KeyCode::Char('y'), NONE)])));
    assert_eq!(seat.local.composer.text(), "y");
    // The frame that shows the focus was late.
    let mut seat = before(scenes::waiting_command(), (80, 24));
    seat.key(KeyCode::Tab, NONE);
    seat.waits(200);
    assert!(!decides(&seat.reads(&[KeyEvent::new(KeyCode::Char('y'), NONE)])), "nobody saw the focus");
    assert_eq!(seat.local.composer.text(), "y");
}

#[test]
fn a_key_right_after_the_frame_that_shows_the_focus_was_pressed_before_it() {
    let mut seat = before(scenes::waiting_command(), (80, 24));
    seat.key(KeyCode::Tab, NONE);
    seat.waits(200);
    look(&mut seat);
    seat.waits(10);
    assert!(!decides(&seat.reads(&[KeyEvent::new(KeyCode::Char('y'), NONE)])));
    assert_eq!(seat.local.composer.text(), "y");
}

#[test]
fn a_key_decides_what_the_last_frame_has_shown() {
    let mut seat = before(scenes::waiting_diff(), (80, 24));
    seat.turns();
    seat.press("o");
    seat.waits(1_000);
    assert!(!decides(&seat.press("y")), "no frame has shown the page");
    look(&mut seat);
    seat.waits(1_000);
    assert!(decides(&seat.press("y")));
    // A key that types nothing, before a frame has shown that the call has the focus.
    let mut seat = before(scenes::waiting_diff(), (80, 24));
    seat.local.keymap.change(Rebinding::parse("approval", "once", &["f8"]).unwrap());
    seat.key(KeyCode::Tab, NONE);
    seat.waits(1_000);
    assert!(!decides(&seat.key(KeyCode::F(8), NONE)), "no frame has shown the focus");
    look(&mut seat);
    seat.waits(1_000);
    assert!(decides(&seat.key(KeyCode::F(8), NONE)));
}

#[test]
fn what_a_refusal_gives_back_has_no_focus_and_stands_anew() {
    for (scene, key) in [(scenes::waiting_command as fn() -> Stage, 'y'), (scenes::budget_stop, 'g')] {
        let mut seat = before(scene(), (80, 24));
        seat.turns();
        assert!(decides(&seat.press(&key.to_string())), "{key}");
        // No frame between the answer and its refusal.
        hear(&mut seat.local, &Live::Refused("not taken".to_owned()));
        assert_eq!(seat.local.focused(&seat.view), Focus::Composer, "{key}");
        look(&mut seat);
        seat.key(KeyCode::Tab, NONE);
        look(&mut seat);
        seat.waits(100);
        let acts = seat.reads(&[KeyEvent::new(KeyCode::Char(key), NONE)]);
        assert!(!decides(&acts), "{key}: {acts:?}");
        assert!(look(&mut seat).contains("too soon: press again"), "{key}");
    }
}

#[test]
fn a_tab_within_a_burst_is_text() {
    for close in [true, false] {
        let mut seat = before(scenes::waiting_command(), (80, 24));
        seat.press("x");
        seat.waits(if close { 10 } else { 100 });
        seat.reads(&[KeyEvent::new(KeyCode::Tab, NONE)]);
        assert_eq!(seat.local.focused(&seat.view) == Focus::Composer, close);
        assert_eq!(seat.local.composer.shown().len() > 1, close);
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
                let mut seat = Seat::new(Stage::new());
                seat.size = size;
                seat.view = crate::stage::view(&scene().events);
                seat.waits(5_000);
                look(&mut seat);
                seat.key(KeyCode::Tab, NONE);
                look(&mut seat);
                let key = match name {
                    "a question" => '2',
                    "a budget stop" => 'g',
                    _ => 'y',
                };
                // The tab came 100 ms after the first frame.
                seat.waits(after.max(130) - 100);
                let acts = seat.reads(&[KeyEvent::new(KeyCode::Char(key), NONE)]);
                assert_eq!(decides(&acts), counts, "{name} after {after} ms at {size:?}: {acts:?}");
                assert!(seat.local.composer.is_empty(), "the key was not meant for the composer");
                if !counts {
                    assert!(look(&mut seat).contains("too soon: press again"), "{name} {size:?}");
                    seat.waits(700);
                    assert!(
                        decides(&seat.reads(&[KeyEvent::new(KeyCode::Char(key), NONE)])),
                        "{name}, pressed again"
                    );
                }
            }
        }
    }
}

#[test]
fn a_held_key_decides_nothing_that_appears_under_it() {
    let mut seat = before(scenes::waiting_command(), (80, 24));
    seat.key(KeyCode::Tab, NONE);
    // Held since before the pane could be decided: 500 ms later the terminal begins to repeat it.
    look(&mut seat);
    let y = KeyEvent::new(KeyCode::Char('y'), NONE);
    seat.waits(100);
    assert!(!decides(&seat.reads(&[y])));
    seat.waits(500);
    for _ in 0..30 {
        assert!(!decides(&seat.reads(&[y])));
        seat.waits(30);
        look(&mut seat);
    }
    // A terminal that tells repetitions.
    let mut seat = before(scenes::waiting_command(), (80, 24));
    seat.turns();
    let held = KeyEvent { kind: KeyEventKind::Repeat, ..y };
    for _ in 0..30 {
        assert!(!decides(&seat.reads(&[held])));
        seat.waits(30);
    }
}

#[test]
fn a_call_that_takes_the_place_of_another_starts_anew() {
    let mut seat = before(scenes::waiting_command(), (80, 24));
    seat.turns();
    let call = seat.view.waiting()[0].1.call;
    seat.stage.decide(call, false, Decider::User);
    seat.catch_up();
    assert!(!decides(&seat.press("y")), "somebody else has decided; the focus goes to no other");
    assert_eq!(seat.local.composer.text(), "y");
    assert_eq!(seat.local.focused(&seat.view), Focus::Composer);
}

#[test]
fn letters_that_answer_nothing_go_to_the_composer() {
    for (stage, text) in
        [(question(), "well"), (scenes::budget_stop(), "yes, but"), (scenes::waiting_diff(), "hold on")]
    {
        let mut seat = before(stage, (80, 24));
        seat.turns();
        assert!(!decides(&seat.press(text)));
        assert_eq!(seat.local.composer.text(), text);
    }
}
