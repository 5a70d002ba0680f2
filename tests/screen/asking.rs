//! A question of the model: how it looks while it waits, and which keys answer it.

use crate::frames::{Seat, snapshot};
use crate::stage::Stage;
use countersign::agent::{Answer, Intent};
use countersign::ledger::{Preview, Sandboxing};
use countersign::ui::update::Act;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

fn asked(arguments: Value) -> Seat {
    let mut stage = Stage::new();
    stage.user("Tidy the parser up.");
    let made = stage.tool_use("ask", arguments);
    let open = stage.say(None, "", "Before I begin:", vec![made]);
    stage.ask(open[0].id(), "ask", Preview::None);
    std::mem::forget(open);
    let mut seat = Seat::new(stage);
    seat.frame(80, 24);
    seat
}

fn with_choices() -> Seat {
    asked(json!({
        "question": "The old entry points are used by two examples. What shall become of them?",
        "choices": ["Keep them, marked as deprecated", "Remove them, and mend the examples"],
    }))
}

fn answered(acts: &[Act]) -> String {
    match acts {
        [Act::Send(Intent::Decide { answer: Answer::Reply(words), .. })] => words.clone(),
        other => panic!("no answer: {other:?}"),
    }
}

#[test]
fn a_number_takes_its_choice() {
    assert_eq!(answered(&with_choices().answers("2")), "Remove them, and mend the examples");
    let mut seat = with_choices();
    assert!(seat.answers("3").is_empty());
    assert!(seat.local.hint.as_ref().unwrap().contains("no choice 3"));
    assert!(seat.press("0").is_empty() && !seat.local.waiting(&seat.view).is_empty());
}

#[test]
fn words_answer_and_nothing_else_does() {
    let mut seat = with_choices();
    for key in ["y", "s", "e"] {
        assert!(seat.answers(key).is_empty(), "{key}");
        assert!(seat.local.hint.as_ref().unwrap().contains("r answers in words"), "{key}");
        assert!(seat.local.edit.is_none());
    }
    assert_eq!(seat.local.composer.text(), "yse", "what answers nothing is text");
    seat.ctrl('u');
    seat.answers("r");
    assert!(seat.key(KeyCode::Enter, KeyModifiers::NONE).is_empty(), "an empty answer is none");
    seat.press("2, but later");
    assert_eq!(answered(&seat.key(KeyCode::Enter, KeyModifiers::NONE)), "2, but later");
}

#[test]
fn a_question_can_be_left_unanswered() {
    match with_choices().answers("n")[..] {
        [Act::Send(Intent::Decide { answer: Answer::Deny(ref reason), .. })] => assert_eq!(reason, ""),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn questions_as_they_look() {
    for (width, height) in [(80, 24), (120, 40), (40, 10)] {
        snapshot(&format!("question_{width}x{height}"), &with_choices().frame(width, height));
        let mut focused = with_choices();
        focused.size = (width, height);
        focused.turns();
        snapshot(&format!("question_focused_{width}x{height}"), &focused.frame(width, height));
        let mut seat = asked(json!({ "question": "Which port?" }));
        seat.answers("r");
        seat.press("8080");
        snapshot(&format!("question_words_{width}x{height}"), &seat.frame(width, height));
    }
}

#[test]
fn a_command_shows_what_it_is_called_with_and_that_the_sandbox_can_be_chosen() {
    let mut stage = Stage::new();
    stage.user("Serve it.");
    let arguments = json!({ "command": "make serve", "background": true, "timeout_seconds": 600 });
    let open = {
        let made = stage.tool_use("shell", arguments);
        stage.say(None, "", "", vec![made])
    };
    stage.sandboxing = Sandboxing::OnWish;
    stage.offer(open[0].id(), "shell", Preview::Command("make serve".into()), Some("shell(make serve)"));
    std::mem::forget(open);
    let mut seat = Seat::new(stage);
    for (width, height) in [(120, 40), (40, 10), (80, 24)] {
        snapshot(&format!("command_sandbox_{width}x{height}"), &seat.frame(width, height));
    }
    let acts = seat.answers("b");
    assert!(
        matches!(&acts[..], [Act::Send(Intent::Decide { answer: Answer::AllowSandboxed, .. })]),
        "{acts:?}"
    );
}
