//! A question of the model: how it looks while it waits, and which keys answer it.

use crate::screen_harness::{ScreenHarness, snapshot};
use crate::session_builder::SessionBuilder;
use countersign::agent::{Answer, Intent};
use countersign::ledger::{Decider, Outcome, Preview, Sandboxing};
use countersign::ui::update::UiEffect;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

fn asked(arguments: Value) -> ScreenHarness {
    let mut builder = SessionBuilder::new();
    builder.user("Tidy the parser up.");
    let made = builder.tool_use("ask", arguments);
    let open = builder.say(None, "", "Before I begin:", vec![made]);
    builder.ask(open[0].id(), "ask", Preview::None);
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    harness.frame(80, 24);
    harness
}

fn with_choices() -> ScreenHarness {
    asked(json!({
        "question": "The old entry points are used by two examples. What shall become of them?",
        "choices": ["Keep them, marked as deprecated", "Remove them, and mend the examples"],
    }))
}

fn answered(acts: &[UiEffect]) -> String {
    match acts {
        [UiEffect::Send(Intent::Decide { answer: Answer::Reply(words), .. })] => words.clone(),
        other => panic!("no answer: {other:?}"),
    }
}

#[test]
fn a_number_takes_its_choice() {
    assert_eq!(answered(&with_choices().answers("2")), "Remove them, and mend the examples");
    let mut harness = with_choices();
    assert!(harness.answers("3").is_empty());
    assert!(harness.local.hint.as_ref().unwrap().contains("no choice 3"));
    assert!(harness.press("0").is_empty() && !harness.local.waiting(&harness.view).is_empty());
}

#[test]
fn words_answer_and_nothing_else_does() {
    let mut harness = with_choices();
    for key in ["y", "s", "e"] {
        assert!(harness.answers(key).is_empty(), "{key}");
        assert!(harness.local.hint.as_ref().unwrap().contains("r answers in words"), "{key}");
        assert!(harness.local.edit.is_none());
    }
    assert_eq!(harness.local.composer.text(), "yse", "what answers nothing is text");
    harness.ctrl('u');
    harness.answers("r");
    assert!(harness.key(KeyCode::Enter, KeyModifiers::NONE).is_empty(), "an empty answer is none");
    harness.press("2, but later");
    assert_eq!(answered(&harness.key(KeyCode::Enter, KeyModifiers::NONE)), "2, but later");
}

#[test]
fn no_line_of_a_question_is_taken_for_a_choice() {
    let question = "Which?\n1  neither\n2  both";
    let frame = asked(json!({ "question": question, "choices": ["old\n2  kept", "new"] })).frame(80, 24);
    let begins = |row: &&str| row.starts_with(" │ 1 ") || row.starts_with(" │ 2 ");
    let choices = frame.lines().filter(begins).map(|row| row.trim_matches([' ', '│']));
    assert_eq!(choices.collect::<Vec<_>>(), ["1  old", "2  new"], "{frame}");
    assert!(frame.contains("│   1  neither") && frame.contains("│    2  kept"), "{frame}");
}

#[test]
fn a_question_can_be_left_unanswered() {
    match with_choices().answers("n")[..] {
        [UiEffect::Send(Intent::Decide { answer: Answer::Deny(ref reason), .. })] => assert_eq!(reason, ""),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn the_answer_stands_in_the_transcript() {
    let question = "Which rounding do you want for half cents, given that there are several ways?";
    let long = "Neither of them: keep the old entry points for one more release, and say so in the changelog";
    for (answer, size, row) in [
        ("banker's rounding", (80, 24), "asked you  Which rounding do you want for half"),
        ("banker's rounding", (80, 24), "→ banker's rounding"),
        ("banker's rounding", (40, 24), "    → banker's rounding"),
        (long, (80, 24), "    → Neither of them: keep the old entry points for one more release, and"),
        (long, (80, 24), "answered"),
    ] {
        let mut builder = SessionBuilder::new();
        builder.user("Tidy the parser up.");
        let made = builder.tool_use("ask", json!({ "question": question, "choices": ["up", "down"] }));
        let open = builder.say(None, "", "", vec![made]).pop().unwrap();
        builder.ask(open.id(), "ask", Preview::None);
        builder.decide(open.id(), true, Decider::User);
        builder.settle(open, Outcome::Ok, answer, 0);
        let frame = ScreenHarness::new(builder).frame(size.0, size.1);
        assert!(frame.contains(row) && !frame.contains("1 line"), "{row}\n{frame}");
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
        let mut harness = asked(json!({ "question": "Which port?" }));
        harness.answers("r");
        harness.press("8080");
        snapshot(&format!("question_words_{width}x{height}"), &harness.frame(width, height));
    }
}

#[test]
fn a_command_shows_what_it_is_called_with_and_that_the_sandbox_can_be_chosen() {
    let mut builder = SessionBuilder::new();
    builder.user("Serve it.");
    let arguments = json!({ "command": "make serve", "background": true, "timeout_seconds": 600 });
    let open = {
        let made = builder.tool_use("shell", arguments);
        builder.say(None, "", "", vec![made])
    };
    builder.sandboxing = Sandboxing::OnWish;
    builder.offer(open[0].id(), "shell", Preview::Command("make serve".into()), Some("shell(make serve)"));
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    for (width, height) in [(120, 40), (40, 10), (80, 24)] {
        snapshot(&format!("command_sandbox_{width}x{height}"), &harness.frame(width, height));
    }
    let acts = harness.answers("b");
    assert!(
        matches!(&acts[..], [UiEffect::Send(Intent::Decide { answer: Answer::AllowSandboxed, .. })]),
        "{acts:?}"
    );
}

#[test]
fn the_white_space_of_a_command_is_seen_in_its_pane_and_on_its_page() {
    let command = format!("echo a\tb\u{a0}c{}; rm -r x \nls", " ".repeat(40));
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let made = builder.tool_use("shell", json!({ "command": command, "background": true }));
    let open = builder.say(None, "", "", vec![made]);
    builder.ask(open[0].id(), "shell", Preview::Command(command));
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    let frame = harness.frame(120, 40);
    assert!(frame.contains("$ echo a⇥ b\\u{a0}c [40 blanks] ; rm -r x·"), "{frame}");
    harness.turns();
    harness.key(KeyCode::Enter, KeyModifiers::NONE);
    let page = harness.frame(120, 40);
    assert!(page.contains("[40 blanks] ; rm -r x·") && page.contains("\\u{a0}c"), "{page}");
    let title = page.lines().find(|line| line.contains("shell  $")).unwrap();
    assert!(title.contains("$ echo a⇥   b\\u{a0}c [40 blanks] ; rm -r x"), "{page}");
}

#[test]
fn what_waits_below_a_call_that_was_allowed_stays_in_sight() {
    let mut builder = SessionBuilder::new();
    builder.user("Go.");
    let lines = |n: usize| (0..n).map(|at| format!("echo {at}")).collect::<Vec<_>>().join("\n");
    let commands = [lines(64), "echo b".to_owned(), "echo the last one".to_owned()];
    let made = commands.iter().map(|line| builder.tool_use("shell", json!({ "command": line }))).collect();
    let open = builder.say(None, "", "", made);
    for (call, line) in open.iter().zip(commands) {
        builder.ask(call.id(), "shell", Preview::Command(line));
    }
    builder.decide(open[1].id(), true, Decider::User);
    std::mem::forget(open);
    let mut harness = ScreenHarness::new(builder);
    for (width, height) in [(80, 24), (120, 40)] {
        let frame = harness.frame(width, height);
        assert!(frame.contains("waits for you · 1 of 2") && frame.contains("$ echo the last one"), "{frame}");
    }
}
