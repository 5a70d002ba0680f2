//! The boxes of sub-agents, and the calls of theirs that wait: in which order, how Tab goes through them, and what is counted.

use std::collections::BTreeMap;

use countersign::agent::{Event, Live};
use countersign::ledger::{
    Abort, AbortPath, CallId, CutBy, Decider, Ending, EntryId, Escrow, EscrowSettlement, Outcome, Preview,
    Reach, RemoteTask, Settlement, Spent, TaskState, aborted_having,
};
use countersign::ui::local::Focus;
use countersign::ui::theme::Theme;
use countersign::view::CardId;
use ratatui::crossterm::event::{KeyCode, KeyModifiers};
use serde_json::json;

use crate::deliberate::{before, look};
use crate::linear_harness::LinearHarness;
use crate::scenes::{below, child};
use crate::screen_harness::{ScreenHarness, page, snapshot};
use crate::session_builder::SessionBuilder;
use crate::subagents::handed;

#[test]
fn behind_what_waits_comes_the_panel_of_its_own_sub_agent() {
    let (mut builder, open) = handed(&["Make one.", "Look."], false);
    for call in &open {
        builder.run(call.id(), "delegate_to_general");
    }
    let mut works = SessionBuilder::new();
    works.user("Look.");
    below(&mut builder, open[0].id(), child().events);
    below(&mut builder, open[1].id(), works.events);
    std::mem::forget(open);
    let mut harness = before(builder, (120, 40));
    harness.turns();
    assert!(matches!(harness.local.focused(&harness.view), Focus::Approval(_)));
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    assert_eq!(harness.local.focused(&harness.view), Focus::Card(CardId::Call(CallId(1))));
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    assert_eq!(harness.local.focused(&harness.view), Focus::Composer);
}

#[test]
fn calls_of_one_answer_wait_in_the_order_in_which_the_model_made_them() {
    let (mut builder, open) = handed(&["Make both."], false);
    let call = open[0].id();
    builder.run(call, "delegate_to_general");
    std::mem::forget(open);
    let mut both = SessionBuilder::new();
    both.user("Make both.");
    let one = both.tool_use("shell", json!({ "command": "touch one" }));
    let two = both.tool_use("shell", json!({ "command": "touch two" }));
    std::mem::forget(both.say(None, "", "I make them.", vec![one, two]));
    // The look at the second comes back first.
    both.ask(CallId(2), "shell", Preview::Command("touch two".into()));
    let then = both.events.len();
    both.ask(CallId(1), "shell", Preview::Command("touch one".into()));
    let last = both.events.split_off(then);
    below(&mut builder, call, both.events);
    let mut harness = before(builder, (120, 40));
    harness.turns();
    let commands = |harness: &ScreenHarness| {
        let waiting = harness.view.waiting();
        waiting.iter().map(|(_, asked)| asked.arguments["command"].to_string()).collect::<Vec<_>>()
    };
    assert_eq!(commands(&harness), ["\"touch two\""]);
    let focused = harness.local.focused(&harness.view);
    for event in last {
        harness.view.fold(&Event::Live(Live::Subagent { call, event: Box::new(event) }));
    }
    assert_eq!(commands(&harness), ["\"touch one\"", "\"touch two\""]);
    assert_eq!(harness.local.focused(&harness.view), focused, "the focused one stays focused");
}

#[test]
fn what_a_sub_agent_says_first_is_counted_while_it_says_it() {
    let (mut builder, open) = handed(&["Say it."], false);
    let call = open[0].id();
    builder.run(call, "delegate_to_general");
    std::mem::forget(open);
    let mut says = SessionBuilder::new();
    says.user("Say it.");
    let message = EntryId(90);
    says.live(Live::Text { message, text: "word ".repeat(1_000) });
    below(&mut builder, call, says.events);
    let mut harness = before(builder, (120, 40));
    let frame = look(&mut harness);
    assert!(frame.contains("k tokens") && !frame.contains("· 0 tokens"), "{frame}");
    harness.local.overlay = Some(page("/fleet", &harness.view));
    let frame = look(&mut harness);
    assert!(frame.contains("k tokens") && !frame.contains("· 0 tokens"), "{frame}");
}

#[test]
fn a_prompt_is_counted_from_the_moment_in_which_it_is_sent() {
    let (mut builder, open) = handed(&["Say it."], false);
    let call = open[0].id();
    builder.run(call, "delegate_to_general");
    std::mem::forget(open);
    let mut says = SessionBuilder::new();
    says.user("Say it.");
    let message = EntryId(90);
    says.live(Live::Asked { message, tokens: 2_000 });
    says.live(Live::Text { message, text: "word ".repeat(20) });
    below(&mut builder, call, says.events);
    let mut harness = before(builder, (120, 40));
    let frame = look(&mut harness);
    assert!(frame.contains("2.0k tokens"), "{frame}");
}

#[test]
fn each_box_names_its_call() {
    for width in [40, 80, 120] {
        let (mut builder, open) = handed(&["Make one.", "Look for it.", "Make three."], false);
        for call in &open {
            builder.run(call.id(), "delegate_to_general");
            let mut works = SessionBuilder::new();
            works.user("Do it.");
            below(&mut builder, call.id(), works.events);
        }
        std::mem::forget(open);
        let frame = look(&mut before(builder, (width, 40)));
        for named in ["╭ c1 → general", "╭ c2 → general", "╭ c3 → general"] {
            assert!(frame.contains(named), "{named} {frame}");
        }
    }
}

#[test]
fn the_header_of_an_opened_one_names_its_call_at_every_size() {
    for (size, names) in [((40, 10), &["general c2"][..]), ((40, 10), &["general c2", "explore c14"][..])] {
        let mut builder = SessionBuilder::new();
        builder.user("Look.");
        let mut harness = before(builder, size);
        harness.local.lineage = names.iter().map(|name| (*name).to_owned()).collect();
        let frame = look(&mut harness);
        let first = frame.lines().next().unwrap();
        assert!(first.contains("← ") && first.contains(names.last().unwrap()), "{first}");
    }
}

#[test]
fn only_the_call_that_is_decided_about_has_a_box_while_sub_agents_wait() {
    let three = || {
        let (mut builder, open) = handed(&["Read the cart.", "Look for TODOs.", "Make a page."], false);
        for call in &open {
            builder.run(call.id(), "delegate_to_general");
            below(&mut builder, call.id(), child().events);
        }
        std::mem::forget(open);
        builder
    };
    for size in [(80, 24), (120, 40)] {
        let mut harness = before(three(), size);
        let frame = look(&mut harness);
        for (call, task) in [("c1", "Read the cart."), ("c2", "Look for TODOs."), ("c3", "Make a page.")] {
            let row = format!("? {call} → general");
            let row = frame.lines().find(|line| line.contains(&row)).unwrap_or_else(|| panic!("{frame}"));
            assert!(row.contains(task) && row.ends_with("waits below"), "{frame}");
        }
        let boxes = frame.lines().filter(|line| line.contains('╭')).count();
        assert_eq!(boxes, 2, "that of the call, and what is typed: {frame}");
        assert!(frame.contains("asked by general c1: Read the cart."), "{frame}");
    }
    let name = "subagents_wait";
    for (width, height) in [(40, 10), (80, 24)] {
        snapshot(&format!("{name}_{width}x{height}"), &look(&mut before(three(), (width, height))));
    }
    let mut harness = before(three(), (80, 24));
    harness.theme = Theme::builtin("countersign-dark").unwrap();
    let warning = harness.theme.warning.fg;
    let drawn = harness.buffer(80, 24);
    let rows: Vec<u16> = (0..16).filter(|y| drawn[(3, *y)].symbol() == "c").collect();
    assert_eq!(rows.len(), 3);
    for y in rows {
        assert!((0..80).all(|x| drawn[(x, y)].style().fg != warning), "row {y} is quiet");
    }
    assert!(!harness.local.moves(&harness.view), "nothing goes on");
}

#[test]
fn one_in_the_background_is_counted_once_while_its_result_waits_for_another() {
    let mut builder = SessionBuilder::new();
    builder.user("Do both.");
    let make = builder.tool_use("shell", json!({ "command": "make all" }));
    let task = builder.tool_use("delegate_to_general", json!({ "task": "Make it." }));
    let mut open = builder.say(None, "", "I do both.", vec![make, task]);
    let [shell, call] = [open[0].id(), open[1].id()];
    builder.decide(shell, true, Decider::User);
    builder.run(shell, "shell");
    builder.decide(call, true, Decider::Policy);
    builder.ledger.delegate(builder.at(), &mut open[1], "general", "Make it.");
    let (session, limits) = (format!("0192-test-{call}"), BTreeMap::new());
    let escrow = Escrow { call, session, limits, parallel: 1, in_background: true, waits: false };
    builder.ledger.set_aside(builder.at(), escrow);
    builder.tell();
    builder.run(call, "delegate_to_general");
    std::mem::forget(open);
    below(&mut builder, call, child().events.into_iter().take(2).collect());
    let frame = look(&mut before(builder, (120, 40)));
    assert!(frame.contains("Running make all… 1 in the background") && !frame.contains("more"), "{frame}");
}

#[test]
fn one_that_waits_for_its_turn_in_the_background_takes_one_row() {
    let (mut builder, mut open) = handed(&["Make it."], true);
    let call = open[0].id();
    let (session, limits) = (format!("0192-test-{call}"), BTreeMap::new());
    let escrow = Escrow { call, session, limits, parallel: 1, in_background: true, waits: true };
    builder.ledger.set_aside(builder.at(), escrow);
    let remote = Some(RemoteTask { id: None, state: TaskState::Submitted });
    let later =
        Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It starts when another has ended.") };
    builder.finish(open.remove(0), later);
    builder.end(Ending::Completed);
    let frame = look(&mut before(builder, (80, 24)));
    let row = frame.lines().find(|row| row.contains("general")).unwrap();
    assert!(row.contains("◌") && row.contains("waits for its turn"), "{frame}");
    assert!(!frame.contains("It starts when") && !frame.contains("general ─"), "{frame}");
}

#[test]
fn the_card_of_one_that_was_stopped_with_the_run_says_how_it_ended() {
    let within = Some(Reach::NothingStarted);
    let abort = Abort { path: AbortPath::C, ran_ms: Some(3_200), by: CutBy::User, within };
    let stopped = |content: &str| {
        let (mut builder, mut open) = handed(&["Make it."], false);
        let call = open.remove(0);
        builder.run(call.id(), "delegate_to_general");
        let remote = Some(RemoteTask { id: None, state: TaskState::Canceled });
        let ended = Settlement { remote, ..Settlement::synthetic(Outcome::Aborted(abort), content) };
        builder.finish(call, ended);
        builder.end(Ending::AbortedTools);
        builder
    };
    let before_its_end = aborted_having(abort, "The sub-agent was stopped before its end, by the user.");
    for content in [before_its_end.as_str(), "The sub-agent was stopped before it began, by the user."] {
        for size in [(80, 24), (120, 40)] {
            let frame = look(&mut before(stopped(content), size));
            let told = frame.split_whitespace().collect::<Vec<_>>().join(" ");
            let says = content.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(told.contains(&says) && frame.contains('■'), "{frame}");
        }
        let said = LinearHarness::new(stopped(content)).said;
        assert!(content.lines().all(|line| said.contains(line)), "{said}");
    }
}

#[test]
fn how_far_the_calls_of_a_lost_sub_agent_came_is_not_what_is_left_out() {
    let words = "The sub-agent's work ended with the process after 0 finished calls; nothing of it is done again. \
                 None of its calls had been started. Its session is 0192-test-c1. Its last words:";
    let said = format!("{words} {}", "I look at it. ".repeat(40));
    for (size, in_background) in [((80, 24), false), ((120, 40), false), ((80, 24), true)] {
        let (mut builder, mut open) = handed(&["Make it."], in_background);
        if in_background {
            let remote = Some(RemoteTask { id: None, state: TaskState::Working });
            let works = Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It works.") };
            builder.finish(open.remove(0), works);
            builder.end(Ending::Completed);
            let (call, spent, state) = (CallId(1), Spent::default(), TaskState::Unknown);
            let answer = Some(said.clone());
            let settled = EscrowSettlement { call, spent, is_assumed: false, state, answer };
            builder.ledger.settle_escrow(builder.at(), settled);
            builder.tell();
        } else {
            builder.finish(open.remove(0), Settlement::synthetic(Outcome::Failed, said.as_str()));
        }
        let frame = look(&mut before(builder, size));
        let told = frame.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("done again. None of its calls had been started."), "{frame}");
    }
}
