//! The to-do list: what the last `plan` call that worked was called with, and where it is shown.

use crate::frames;
use crate::frames::{Seat, page, scrolled, snapshot};
use crate::stage::{Stage, settings, view};
use countersign::ledger::{Ending, Outcome};
use countersign::ui::linear::LinearSession;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::{Value, json};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (40, 10)];

fn items(items: &[(&str, &str)]) -> Value {
    items.iter().map(|(text, status)| json!({ "text": text, "status": status })).collect()
}

fn set(stage: &mut Stage, items: &Value) {
    let call = stage.tool_use("plan", json!({ "items": items }));
    let open = stage.say(None, "", "", vec![call]).pop().unwrap();
    stage.settle(open, Outcome::Ok, "plan: 2 of 5 done, in progress: x", 1);
}

fn underway() -> Stage {
    let mut stage = Stage::new();
    stage.user("Make the parser take empty input.");
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
    set(&mut stage, &plan);
    stage
}

fn finished() -> Stage {
    let mut stage = underway();
    set(&mut stage, &items(&[("read the parser", "completed"), ("fix it", "completed")]));
    stage
}

#[test]
fn an_unfinished_plan_has_a_line_where_there_is_room() {
    for (width, height) in SIZES {
        snapshot(&format!("plan_{width}x{height}"), &Seat::new(underway()).frame(width, height));
    }
    assert!(!Seat::new(finished()).frame(80, 24).contains("▸ plan"), "it is finished");
    assert!(!Seat::new(Stage::new()).frame(80, 24).contains("plan "), "there is none");
}

#[test]
fn the_page_has_every_item_and_says_in_words_how_it_stands() {
    for (width, height) in SIZES {
        let mut seat = Seat::new(underway());
        seat.press("/plan");
        seat.key(KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(scrolled(seat.local.overlay.as_ref(), "plan"), Some(0));
        snapshot(&format!("plan_page_{width}x{height}"), &seat.frame(width, height));
        seat.key(KeyCode::Esc, KeyModifiers::NONE);
        assert_eq!(seat.local.overlay, None);
    }
    let mut seat = Seat::new(Stage::new());
    seat.local.overlay = Some(page("/plan", &seat.view));
    assert!(seat.frame(80, 24).contains("no active plan"));
}

#[test]
fn lines_say_the_plan_in_words() {
    let said_of = |stage: Stage| {
        let mut talk = LinearSession::new(settings(), frames::json);
        talk.begin(&[], None);
        stage.events.iter().for_each(|event| talk.hear(event));
        talk.settle();
        let before = talk.words();
        talk.line(&crate::desk::typed("/plan", 0));
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
    assert_eq!(said_of(Stage::new()).1, "plan: there is none\n");
}

#[test]
fn a_finished_plan_is_gone_with_the_next_message_and_an_unfinished_one_stays() {
    let mut stage = finished();
    stage.end(Ending::Completed);
    assert_eq!(view(&stage.events).plan().len(), 2);
    stage.user("Thanks. Now the docs.");
    assert_eq!(view(&stage.events).plan(), []);
    let mut stage = underway();
    stage.end(Ending::Completed);
    stage.user("Go on.");
    assert_eq!(view(&stage.events).plan().len(), 5);
}

#[test]
fn the_plan_is_what_the_last_call_that_worked_set() {
    let mut stage = Stage::new();
    stage.user("Plan it.");
    let set = |stage: &mut Stage, items: serde_json::Value, outcome: Outcome| {
        let call = stage.tool_use("plan", json!({ "items": items }));
        let open = stage.say(None, "", "", vec![call]).pop().unwrap();
        stage.settle(open, outcome, "plan", 1);
        view(&stage.events)
            .plan()
            .iter()
            .map(|item| format!("{} {:?}", item.text, item.status))
            .collect::<Vec<_>>()
    };
    let item = |text: &str, status: &str| json!({ "text": text, "status": status });
    let two = json!([item(" a ", "completed"), item("b", "in_progress")]);
    assert_eq!(set(&mut stage, two, Outcome::Ok), ["a Completed", "b InProgress"]);
    let refused = json!([item("c", "pending")]);
    assert_eq!(set(&mut stage, refused.clone(), Outcome::Failed), ["a Completed", "b InProgress"]);
    assert_eq!(set(&mut stage, refused, Outcome::Ok), ["c Pending"]);
    assert_eq!(set(&mut stage, json!([]), Outcome::Ok), Vec::<String>::new());
}
