//! The to-do list: what the last `plan` call that worked was called with, and where it is shown.

use crate::screen_harness;
use crate::screen_harness::{ScreenHarness, page, scrolled, snapshot};
use crate::session_builder::{SessionBuilder, settings, view};
use countersign::ledger::{Ending, Outcome};
use countersign::ui::linear::LinearSession;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn items(items: &[(&str, &str)]) -> Value {
    items.iter().map(|(text, status)| json!({ "text": text, "status": status })).collect()
}

fn set(builder: &mut SessionBuilder, items: &Value) {
    let call = builder.tool_use("plan", json!({ "items": items }));
    let open = builder.say(None, "", "", vec![call]).pop().unwrap();
    builder.settle(open, Outcome::Ok, "plan: 2 of 5 done, in progress: x", 1);
}

fn underway() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Make the parser take empty input.");
    let plan = items(&[
        ("read the parser", "completed"),
        ("find out which rule refuses nothing", "completed"),
        (
            "let the rule `nothing` match first, and take out the check before it, whose message three other files repeat word for word",
            "in_progress",
        ),
        ("tests\u{1b}[31m for empty input", "pending"),
        ("a line in the changelog", "pending"),
    ]);
    set(&mut builder, &plan);
    builder
}

fn finished() -> SessionBuilder {
    let mut builder = underway();
    set(&mut builder, &items(&[("read the parser", "completed"), ("fix it", "completed")]));
    builder
}

#[test]
fn an_unfinished_plan_has_a_line_where_there_is_room() {
    for (width, height) in SIZES {
        snapshot(&format!("plan_{width}x{height}"), &ScreenHarness::new(underway()).frame(width, height));
    }
    assert!(!ScreenHarness::new(finished()).frame(80, 24).contains("▸ plan"), "it is finished");
    assert!(!ScreenHarness::new(SessionBuilder::new()).frame(80, 24).contains("plan "), "there is none");
}

#[test]
fn the_page_has_every_item_and_says_in_words_how_it_stands() {
    for (width, height) in SIZES {
        let mut harness = ScreenHarness::new(underway());
        harness.press("/plan");
        harness.key(KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(scrolled(harness.local.overlay.as_ref(), "plan"), Some(0));
        snapshot(&format!("plan_page_{width}x{height}"), &harness.frame(width, height));
        harness.key(KeyCode::Esc, KeyModifiers::NONE);
        assert_eq!(harness.local.overlay, None);
    }
    let mut harness = ScreenHarness::new(SessionBuilder::new());
    harness.local.overlay = Some(page("/plan", &harness.view));
    assert!(harness.frame(80, 24).contains("no active plan"));
}

#[test]
fn lines_say_the_plan_in_words() {
    let said_of = |builder: SessionBuilder| {
        let mut talk = LinearSession::new(settings(), screen_harness::json);
        talk.begin(&[], None);
        builder.events.iter().for_each(|event| drop(talk.hear(event)));
        talk.settle();
        let before = talk.words();
        talk.line(&crate::linear_harness::typed("/plan", 0));
        (before, talk.words())
    };
    let (before, page) = said_of(underway());
    assert!(before.contains("tool plan 2 of 5 done"), "{before}");
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(
        lines[..3],
        [
            "plan: 2 of 5 done",
            "item 1, done: read the parser",
            "item 2, done: find out which rule refuses nothing"
        ]
    );
    assert!(lines[3].starts_with("item 3, now: let the rule"), "{page}");
    assert!(lines[4].starts_with("item 4, later: tests") && !page.contains('\u{1b}'), "{page}");
    assert_eq!(said_of(SessionBuilder::new()).1, "plan: there is none\n");
}

#[test]
fn a_finished_plan_is_gone_with_the_next_message_and_an_unfinished_one_stays() {
    let mut builder = finished();
    builder.end(Ending::Completed);
    assert_eq!(view(&builder.events).plan().len(), 2);
    builder.user("Thanks. Now the docs.");
    assert_eq!(view(&builder.events).plan(), []);
    let mut builder = underway();
    builder.end(Ending::Completed);
    builder.user("Go on.");
    assert_eq!(view(&builder.events).plan().len(), 5);
}

#[test]
fn the_plan_is_what_the_last_call_that_worked_set() {
    let mut builder = SessionBuilder::new();
    builder.user("Plan it.");
    let set = |builder: &mut SessionBuilder, items: serde_json::Value, outcome: Outcome| {
        let call = builder.tool_use("plan", json!({ "items": items }));
        let open = builder.say(None, "", "", vec![call]).pop().unwrap();
        builder.settle(open, outcome, "plan", 1);
        view(&builder.events)
            .plan()
            .iter()
            .map(|item| format!("{} {:?}", item.text, item.status))
            .collect::<Vec<_>>()
    };
    let item = |text: &str, status: &str| json!({ "text": text, "status": status });
    let two = json!([item(" a ", "completed"), item("b", "in_progress")]);
    assert_eq!(set(&mut builder, two, Outcome::Ok), ["a Completed", "b InProgress"]);
    let refused = json!([item("c", "pending")]);
    assert_eq!(set(&mut builder, refused.clone(), Outcome::Failed), ["a Completed", "b InProgress"]);
    assert_eq!(set(&mut builder, refused, Outcome::Ok), ["c Pending"]);
    assert_eq!(set(&mut builder, json!([]), Outcome::Ok), Vec::<String>::new());
}
