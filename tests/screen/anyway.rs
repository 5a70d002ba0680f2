//! Commands that run although the sandbox cannot hide something: what is accepted, and for how long, is seen before the key takes it.

use crate::linear_harness::LinearHarness;
use crate::permissions::harness;
use crate::screen_harness::snapshot;
use crate::session_builder::SessionBuilder;
use countersign::agent::{Answer, Intent};
use countersign::ledger::{Preview, Sandboxing};
use countersign::ui::linear::LinearEffect;
use countersign::ui::update::UiEffect;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

/// Files that a question names.
const FILES: [&str; 2] = [".env (/w/.env)", "server.pem (/w/deep/server.pem)"];

/// A command waits because the sandbox cannot hide two files from it.
fn asks_anyway() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    let call = builder.tool_use("shell", json!({ "command": "make" }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.sandboxing = Sandboxing::Within;
    builder.gaps = FILES.map(str::to_owned).to_vec();
    builder.why = Some(
        "the sandbox cannot hide .env (/w/.env); server.pem (/w/deep/server.pem) from commands, which could read and change them",
    );
    builder.ask(open.id(), "shell", Preview::Command("make".to_owned()));
    std::mem::forget(open);
    builder
}

/// The call runs, and what the sandbox cannot hide is accepted.
fn runs_anyway(acts: &[UiEffect]) -> bool {
    matches!(
        acts,
        [
            UiEffect::Send(Intent::AcceptGaps { call: Some(_), gaps }),
            UiEffect::Send(Intent::Decide { answer: Answer::AllowOnce, .. })
        ] if *gaps == FILES
    )
}

#[test]
fn one_key_runs_commands_although_the_sandbox_cannot_hide_something() {
    let mut harness = harness(asks_anyway());
    let frame = harness.frame(80, 24);
    assert_eq!(frame.matches("the sandbox cannot hide").count(), 1, "one sentence: {frame}");
    assert!(FILES.iter().all(|file| frame.contains(file)), "{frame}");
    assert!(frame.contains("Run commands anyway for this session? g"), "{frame}");
    let acts = harness.answers("g");
    assert!(runs_anyway(&acts), "{acts:?}");
}

#[test]
fn on_a_low_screen_the_first_key_shows_what_is_accepted_and_for_how_long() {
    let mut harness = harness(asks_anyway());
    let low = harness.frame(40, 10);
    assert!(low.contains("the sandbox cannot hide .env"), "{low}");
    assert!(harness.answers("g").is_empty(), "nobody was told for how long");
    let mut told = String::new();
    for _ in 0..8 {
        harness.turns();
        let frame = harness.frame(40, 10);
        told.push_str(&frame);
        if !frame.contains("read on") {
            break;
        }
        assert!(harness.press("g").is_empty(), "there is more to read: {frame}");
    }
    assert!(told.contains("anyway this session?") && told.contains("read and change"), "{told}");
    assert!(FILES.iter().all(|file| told.contains(file)), "{told}");
    snapshot("anyway_shown_40x10", &harness.frame(40, 10));
    for key in ["y", "s", "a", "x"] {
        harness.turns();
        assert!(harness.press(key).is_empty() && harness.local.always.is_some(), "{key} is not offered");
    }
    harness.key(KeyCode::Esc, KeyModifiers::NONE);
    assert_eq!(harness.local.always, None, "esc puts it away");
    assert!(harness.answers("g").is_empty());
    for _ in 0..8 {
        harness.turns();
        let is_last = !harness.frame(40, 10).contains("read on");
        let acts = harness.press("g");
        assert_eq!(runs_anyway(&acts), is_last, "{acts:?}");
        if is_last {
            return;
        }
    }
    panic!("all of it is read by then");
}

#[test]
fn the_keys_to_both_ends_do_not_close_the_question_and_nothing_says_that_all_is_shown() {
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    let call = builder.tool_use("shell", json!({ "command": "make" }));
    let open = builder.say(None, "", "", vec![call]).remove(0);
    builder.sandboxing = Sandboxing::Within;
    builder.gaps = (0..4).map(|n| format!("secret{n}.env (/home/me/of/this/folder/secret{n}.env)")).collect();
    builder.ask(open.id(), "shell", Preview::Command("make".to_owned()));
    std::mem::forget(open);
    let mut harness = harness(builder);
    harness.frame(40, 10);
    assert!(harness.answers("g").is_empty());
    let frame = harness.frame(40, 10);
    assert!(frame.contains("read on") && !frame.contains("now shown"), "{frame}");
    harness.waits(1_000);
    harness.key(KeyCode::PageDown, KeyModifiers::NONE);
    let before = harness.frame(40, 10);
    for key in [KeyCode::End, KeyCode::Home, KeyCode::End] {
        assert!(harness.key(key, KeyModifiers::NONE).is_empty());
        assert!(harness.local.always.is_some(), "it is still open");
        let frame = harness.frame(40, 10);
        assert_eq!(frame.contains("rows 1–"), key == KeyCode::Home, "{frame}");
    }
    // Only what has been in sight is gone to: nothing is jumped over.
    let place = |frame: &str| frame.lines().find(|row| row.contains("rows ")).map(str::to_owned);
    let next = |place: Option<String>| {
        let place = place.unwrap();
        place.split("rows ").nth(1).unwrap().split('–').next().unwrap().parse::<usize>().unwrap()
    };
    assert!(next(place(&harness.frame(40, 10))) <= next(place(&before)) + 4);
    // Where all of it is in sight they do nothing either.
    let mut wide = self::harness(asks_anyway());
    wide.frame(40, 14);
    wide.answers("g");
    wide.frame(40, 14);
    wide.key(KeyCode::End, KeyModifiers::NONE);
    assert!(wide.local.always.is_some());
}

#[test]
fn the_page_of_a_call_asks_too_whether_commands_run_anyway() {
    let mut harness = harness(asks_anyway());
    harness.turns();
    harness.key(KeyCode::Char('o'), KeyModifiers::NONE);
    let page = harness.frame(80, 24);
    assert!(page.contains("Run commands anyway?") && page.contains("for this session"), "{page}");
    assert!(page.contains("g anyway, this session"), "{page}");
    harness.waits(1_000);
    harness.frame(80, 24);
    let acts = harness.press("g");
    assert!(runs_anyway(&acts), "{acts:?}");
}

#[test]
fn what_is_accepted_at_all_questions_is_what_they_name() {
    let gaps = FILES.map(str::to_owned).to_vec();
    let accepts = Intent::AcceptGaps { call: None, gaps };
    let mut harness = harness(asks_anyway());
    harness.press("/permissions gaps");
    let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
    assert!(matches!(&acts[..], [UiEffect::Send(intent)] if *intent == accepts), "{acts:?}");
    let mut linear = LinearHarness::new(asks_anyway());
    assert_eq!(linear.types("/permissions gaps"), [LinearEffect::Send(accepts)]);
}
