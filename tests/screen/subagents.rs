//! Sub-agents on the screen and in lines: which of several it is, where it works, whose session an answer holds for, what goes on beside
//! it, and that one was stopped.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign::agent::{Event, Live};
use countersign::ledger::{
    Body, CallId, Decider, Ending, Escrow, EscrowSettlement, OpenCall, Outcome, Preview, RemoteTask,
    Settlement, Spent, TaskState,
};
use serde_json::json;

use crate::deliberate::{SIZES, before, look};
use crate::linear_harness::LinearHarness;
use crate::scenes::{below, child, waiting_below, waiting_below_beside};
use crate::screen_harness::{ScreenHarness, page};
use crate::session_builder::SessionBuilder;

const WORKTREE: &str = "/home/somebody/projects/parser-0192-test-c1";

/// The sub-agent's events, as they are in a worktree.
fn in_worktree() -> Vec<Event> {
    let mut events = child().events;
    for event in &mut events {
        let Event::Appended(entry) = event else { continue };
        let mut moved = (**entry).clone();
        if let Body::SessionStarted(began) = &mut moved.body {
            began.cwd = WORKTREE.to_owned();
            *entry = Arc::new(moved);
        }
    }
    events
}

/// A session in which these tasks were handed to `general`, with the open calls.
pub fn handed(tasks: &[&str], in_background: bool) -> (SessionBuilder, Vec<OpenCall>) {
    let mut builder = SessionBuilder::new();
    builder.user("Have it made.");
    let calls =
        tasks.iter().map(|task| builder.tool_use("delegate_to_general", json!({ "task": task }))).collect();
    let mut open = builder.say(None, "", "I ask.", calls);
    for (call, task) in open.iter_mut().zip(tasks) {
        let id = call.id();
        builder.decide(id, true, Decider::Policy);
        builder.ledger.delegate(builder.at(), call, "general", task);
        let session = format!("0192-test-{id}");
        let (call, limits) = (id, BTreeMap::new());
        let escrow = Escrow { call, session, limits, parallel: 1, in_background, waits: false };
        builder.ledger.set_aside(builder.at(), escrow);
        builder.tell();
    }
    (builder, open)
}

/// A session with a sub-agent whose command waits, in a worktree.
fn waiting_in_worktree() -> SessionBuilder {
    let (mut builder, open) = handed(&["Make it."], false);
    let call = open[0].id();
    builder.run(call, "delegate_to_general");
    std::mem::forget(open);
    below(&mut builder, call, in_worktree());
    builder
}

#[test]
fn a_call_that_acts_in_a_worktree_says_so_and_where_at_every_size() {
    for size in SIZES {
        let mut harness = before(waiting_in_worktree(), size);
        harness.turns();
        let frame = look(&mut harness);
        for words in ["worktree", "parser-0192-test-c1", "touch made.txt", "y once"] {
            assert!(frame.contains(words), "{words}: {frame}");
        }
        // In its own session, too.
        let below = harness.view.take_subagent(CallId(1)).unwrap();
        let mut harness = before(waiting_in_worktree(), size);
        harness.view = below;
        harness.turns();
        let frame = look(&mut harness);
        assert!(frame.contains("worktree") && frame.contains("parser-0192-test-c1"), "{frame}");
        // One that works in the session's folder says nothing of the kind.
        let mut harness = before(waiting_below(), size);
        harness.turns();
        assert!(!look(&mut harness).contains("worktree"));
    }
    let said = LinearHarness::new(waiting_in_worktree()).said;
    assert!(said.contains(&format!("it acts in the worktree {WORKTREE}")), "{said}");
}

#[test]
fn two_sub_agents_of_one_name_are_told_apart_where_one_decides() {
    let two = || {
        let (mut builder, open) = handed(&["Make one.", "Make two."], false);
        for call in &open {
            builder.run(call.id(), "delegate_to_general");
            below(&mut builder, call.id(), child().events);
        }
        std::mem::forget(open);
        builder
    };
    for size in SIZES {
        let mut harness = before(two(), size);
        harness.turns();
        let frame = look(&mut harness);
        assert!(frame.contains("general c1"), "{frame}");
        assert!(frame.contains("general c2") || size.1 < 15, "{frame}");
        harness.answers("n");
        harness.turns();
        let frame = look(&mut harness);
        assert!(frame.contains("general c2"), "{frame}");
        harness.local.overlay = Some(page("/fleet", &harness.view));
        let frame = look(&mut harness);
        assert!(frame.contains("c1 → general") && frame.contains("c2 → general"), "{frame}");
    }
    let said = LinearHarness::new(two()).said;
    assert!(
        said.contains("(of the sub-agent general c1)") && said.contains("(of the sub-agent general c2)"),
        "{said}"
    );
}

#[test]
fn lines_say_whose_session_an_answer_holds_for() {
    let said = LinearHarness::new(waiting_below()).said;
    assert!(said.contains("y once, s its session,") && !said.contains("this session"), "{said}");
    let mut builder = waiting_below_beside(Some("touch own.txt"));
    builder.ask(CallId(2), "shell", Preview::Command("touch own.txt".into()));
    let said = LinearHarness::new(builder).said;
    assert!(
        said.contains("s this session (2 its session)") || said.contains("s this session (1 its session)"),
        "{said}"
    );
}

#[test]
fn what_the_session_does_itself_comes_before_what_works_in_the_background() {
    let (mut builder, mut open) = handed(&["Make it."], true);
    let call = open.remove(0);
    let id = call.id();
    let remote = Some(RemoteTask { id: None, state: TaskState::Working });
    builder.finish(
        call,
        Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It works in the background.") },
    );
    // It begins when its call has its result.
    builder.run(id, "delegate_to_general");
    below(&mut builder, id, child().events.into_iter().take(2).collect());
    let command = builder.tool_use("shell", json!({ "command": "make all" }));
    let own = builder.say(None, "", "I build.", vec![command]);
    builder.decide(own[0].id(), true, Decider::User);
    builder.run(own[0].id(), "shell");
    builder.now += 3_000;
    std::mem::forget(own);
    let mut harness = ScreenHarness::new(builder);
    let frame = harness.frame(80, 24);
    assert!(frame.contains("Running make all… 1 in the background · "), "{frame}");
    let frame = harness.frame(40, 10);
    assert!(frame.contains("Running make") && !frame.contains("Waiting for general"), "{frame}");
}

#[test]
fn a_sub_agent_that_was_stopped_did_not_fail() {
    let stopped = "The sub-agent was stopped before its end, by the user or with the run.";
    // While its result is waited for.
    let (mut builder, mut open) = handed(&["Make it."], false);
    let call = open.remove(0);
    let id = call.id();
    builder.run(id, "delegate_to_general");
    let mut ended = child();
    ended.end(Ending::AbortedStreaming);
    below(&mut builder, id, ended.events);
    let settled = |answer: Option<String>| EscrowSettlement {
        call: id,
        spent: Spent::default(),
        is_assumed: false,
        state: TaskState::Canceled,
        answer,
    };
    builder.ledger.settle_escrow(builder.at(), settled(None));
    let remote = Some(RemoteTask { id: None, state: TaskState::Canceled });
    builder.finish(call, Settlement { remote, ..Settlement::synthetic(Outcome::Failed, stopped) });
    for size in SIZES {
        let frame = ScreenHarness::new(builder_of(&builder)).frame(size.0, size.1);
        assert!(!frame.contains("failed") && !frame.contains('✗'), "{frame}");
        assert!(frame.contains("stopped") || size.1 < 15, "{frame}");
    }
    let mut harness = ScreenHarness::new(builder_of(&builder));
    harness.local.overlay = Some(page("/fleet", &harness.view));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("■ c1 → general"), "{frame}");
    let said = LinearHarness::new(builder).said;
    assert!(said.contains("Make it.: stopped, ") && !said.contains("failed"), "{said}");
    // In the background.
    let (mut builder, mut open) = handed(&["Make it."], true);
    let remote = Some(RemoteTask { id: None, state: TaskState::Working });
    let works = Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It works in the background.") };
    builder.finish(open.remove(0), works);
    builder.end(Ending::Completed);
    builder.ledger.settle_escrow(builder.at(), settled(Some(stopped.to_owned())));
    builder.tell();
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains("■") && frame.contains("stopped · 0 turns") && !frame.contains('✗'), "{frame}");
}

#[test]
fn a_stopped_sub_agent_is_shown_as_stopped_while_its_result_waits_for_an_earlier_one() {
    let (mut builder, open) = handed(&["Make one.", "Make two."], false);
    let [first, second] = [open[0].id(), open[1].id()];
    for call in [first, second] {
        builder.run(call, "delegate_to_general");
    }
    std::mem::forget(open);
    below(&mut builder, first, child().events.into_iter().take(2).collect());
    let (spent, state) = (Spent::default(), TaskState::Canceled);
    let settled = EscrowSettlement { call: second, spent, is_assumed: false, state, answer: None };
    builder.ledger.settle_escrow(builder.at(), settled);
    builder.tell();
    builder.live(Live::ToolFinished { call: second, outcome: Outcome::Failed });
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains("■") && frame.contains("stopped"), "{frame}");
    assert!(!frame.contains("failed") && !frame.contains('✗'), "{frame}");
}

#[test]
fn one_in_the_background_says_how_long_it_has_worked_and_one_that_waits_that_it_waits() {
    let in_background = |tasks: &[&str], waits: bool| {
        let (mut builder, mut open) = handed(tasks, true);
        for call in std::mem::take(&mut open) {
            let remote = Some(RemoteTask { id: None, state: TaskState::Working });
            let works = Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It works.") };
            builder.finish(call, works);
        }
        if waits {
            let (call, limits) = (CallId(7), BTreeMap::new());
            let session = "0192-test-c7".to_owned();
            let escrow = Escrow { call, session, limits, parallel: 1, in_background: true, waits: true };
            let (made, mut token) =
                builder.ledger.command(builder.at(), "delegate_to_general", json_task()).unwrap();
            let escrow = Escrow { call: made.id, session: format!("0192-test-{}", made.id), ..escrow };
            builder.ledger.delegate(builder.at(), &mut token, "general", "Wait.");
            builder.ledger.set_aside(builder.at(), escrow);
            builder.finish(token, Settlement::synthetic(Outcome::Ok, "It starts later."));
        }
        builder
    };
    let mut builder = in_background(&["Make it."], false);
    below(&mut builder, CallId(1), child().events.into_iter().take(2).collect());
    let began = child().events.iter().find_map(|event| match event {
        Event::Appended(entry) => Some(entry.at.0),
        _ => None,
    });
    builder.now = began.unwrap() + 65_000;
    let frame = ScreenHarness::new(builder).frame(80, 24);
    assert!(frame.contains(" 65 s") && !frame.contains(" 0 s"), "{frame}");
    let mut stopped = in_background(&[], true);
    let not_started = EscrowSettlement::not_started(CallId(1), TaskState::Canceled, "it was stopped");
    stopped.ledger.settle_escrow(stopped.at(), not_started);
    stopped.tell();
    let mut harness = ScreenHarness::new(stopped);
    harness.local.overlay = Some(page("/fleet", &harness.view));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("Nothing is at work"), "{frame}");
    let mut harness = ScreenHarness::new(in_background(&[], true));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("waits for its turn") && !frame.contains("turn 0"), "{frame}");
    assert_eq!(harness.view.in_background(), 0);
    harness.local.overlay = Some(page("/fleet", &harness.view));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("◌ c1 → general") && frame.contains("waits for its turn"), "{frame}");
}

fn json_task() -> countersign::ledger::Arguments {
    countersign::ledger::Arguments::parse(r#"{"task":"Wait."}"#)
}

/// Another one that has recorded the same.
fn builder_of(builder: &SessionBuilder) -> SessionBuilder {
    let mut other = SessionBuilder::new();
    other.events.clone_from(&builder.events);
    other.now = builder.now;
    other
}

/// A session that rests, with a sub-agent in the background that has recorded this.
fn behind(events: Vec<Event>) -> SessionBuilder {
    let (mut builder, mut open) = handed(&["Make it."], true);
    let remote = Some(RemoteTask { id: None, state: TaskState::Working });
    builder.finish(
        open.remove(0),
        Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It works in the background.") },
    );
    builder.end(Ending::Completed);
    below(&mut builder, CallId(1), events);
    builder
}

#[test]
fn a_panel_shows_what_happened_in_its_session_while_that_was_open() {
    for size in [(80, 24), (120, 40)] {
        let mut harness = before(behind(child().events), size);
        assert!(look(&mut harness).contains("waits below"), "{size:?}");
        let mut view = harness.view.take_subagent(CallId(1)).unwrap();
        let mut child = child();
        let told = child.events.len();
        child.decide(CallId(1), true, Decider::User);
        child.run(CallId(1), "shell");
        child.events[told..].iter().for_each(|event| view.fold(event));
        harness.view.put_subagent(CallId(1), view);
        let frame = look(&mut harness);
        assert!(frame.contains("● shell $ touch made.txt") && !frame.contains("waits for you"), "{frame}");
    }
}

#[test]
fn one_that_waits_shows_no_clock_that_stands() {
    for size in SIZES {
        let mut harness = before(behind(child().events), size);
        let row = |frame: &str| {
            frame.lines().find(|line| line.contains("c1 → general")).map(str::to_owned).unwrap_or_default()
        };
        let first = row(&look(&mut harness));
        assert!(!first.contains(" s") || first.contains("waits"), "{first}");
        harness.builder.now += 9_000;
        assert_eq!(row(&look(&mut harness)), first, "it says nothing that a clock would change");
    }
}

#[test]
fn one_in_the_background_has_its_panel_before_its_call_has_a_result() {
    for over in [false, true] {
        let (mut builder, open) = handed(&["Make it."], true);
        builder.run(CallId(1), "delegate_to_general");
        if over {
            builder.live(Live::ToolFinished { call: CallId(1), outcome: Outcome::Ok });
        }
        std::mem::forget(open);
        below(&mut builder, CallId(1), child().events);
        let frame = ScreenHarness::new(builder).frame(80, 24);
        let row =
            frame.lines().find(|line| line.contains("? c1 → general")).unwrap_or_else(|| panic!("{frame}"));
        assert!(row.contains("Make it.") && row.contains("waits below"), "{frame}");
    }
}

#[test]
fn the_check_of_a_lane_says_that_it_is_the_races() {
    let lane = || {
        let mut lane = SessionBuilder::new();
        lane.user("Make it.");
        let arguments = countersign::ledger::Arguments::from_value(json!({ "command": "test -f made.txt" }));
        let (check, open) = lane.ledger.validate(lane.at(), "shell", arguments).unwrap();
        std::mem::forget(open);
        lane.tell();
        lane.ask(check.id, "shell", Preview::Command("test -f made.txt".into()));
        lane
    };
    for size in SIZES {
        let mut harness = before(behind(lane().events), size);
        harness.turns();
        let frame = look(&mut harness);
        for words in ["the check of the race", "test -f made.txt", "y once"] {
            assert!(frame.contains(words), "{words}: {frame}");
        }
        assert!(frame.contains("asked by general c1") || size.1 < 15, "{frame}");
    }
    let said = LinearHarness::new(behind(lane().events)).said;
    assert!(said.contains("shell (the check of the race, of the sub-agent general c1)"), "{said}");
    // It was denied: the lane is over, and nothing can be decided about it.
    let mut ended = lane();
    ended.decide(CallId(1), false, Decider::User);
    ended.end(Ending::BlockedOnUser);
    let mut harness = ScreenHarness::new(behind(ended.events));
    harness.local.overlay = Some(page("/fleet", &harness.view));
    let frame = harness.frame(80, 24);
    assert!(frame.contains("blocked · turn") && !frame.contains("needs you"), "{frame}");
}
