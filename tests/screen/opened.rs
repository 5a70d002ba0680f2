//! The session of a sub-agent, opened: what its keys do while it works, and that it is only read when nobody works there any more.

use std::collections::BTreeMap;

use countersign::agent::{Event, Intent, Live};
use countersign::ledger::{
    CallId, Decider, Ending, Escrow, Limit, Outcome, RemoteTask, Settlement, TaskState,
};
use countersign::ui::Request;
use countersign::ui::local::Focus;
use countersign::ui::update::{UiEffect, hear};
use ratatui::crossterm::event::{KeyCode, KeyModifiers};

use crate::deliberate::{SIZES, before, look};
use crate::linear_harness::LinearHarness;
use crate::scenes::{below, child, waiting_below};
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;
use crate::subagents::handed;

/// The session of the sub-agent of c1, opened.
fn opened(builder: SessionBuilder, size: (u16, u16)) -> ScreenHarness {
    let mut harness = before(builder, size);
    harness.view = harness.view.take_subagent(CallId(1)).unwrap();
    harness.local.lineage = vec!["general c1".to_owned()];
    harness
}

/// The same of one whose process is gone, with what its ledger has.
fn past(left: &SessionBuilder, size: (u16, u16)) -> ScreenHarness {
    let mut harness = before(waiting_below(), size);
    harness.view.resume();
    harness.view = harness.view.past_subagent(CallId(1), left.ledger.entries().to_vec()).unwrap();
    harness.local.lineage = vec!["general c1".to_owned()];
    harness
}

/// A session with a sub-agent of three turns that has ended so.
fn ended(reason: Ending) -> SessionBuilder {
    let (mut builder, open) = handed(&["Make it."], false);
    let call = open[0].id();
    builder.run(call, "delegate_to_general");
    std::mem::forget(open);
    let limits = BTreeMap::from([(Limit::Turns, 3)]);
    let (session, in_background, waits) = ("0192-test-c1".to_owned(), false, false);
    builder
        .ledger
        .set_aside(builder.at(), Escrow { call, session, limits, parallel: 1, in_background, waits });
    builder.tell();
    let mut works = SessionBuilder::new();
    works.user("Make it.");
    works.say(None, "", "I look.", Vec::new());
    works.end(reason);
    below(&mut builder, call, works.events);
    builder
}

fn asks_nobody(acts: &[UiEffect]) -> bool {
    !acts.iter().any(|act| matches!(act, UiEffect::Send(_) | UiEffect::Abort))
}

#[test]
fn the_session_of_a_sub_agent_whose_process_is_gone_is_only_read() {
    let mut allowed = child();
    allowed.decide(CallId(1), true, Decider::User);
    let both = [(child(), "was not started"), (allowed, "effects may be partial")];
    for size in SIZES {
        for (left, words) in &both {
            let mut harness = past(left, size);
            let frame = look(&mut harness);
            assert!(frame.contains(words) || size.0 < 80, "{words}: {frame}");
            assert!(frame.contains("← goes back") && frame.contains('■'), "{frame}");
            for words in ["y once", "aits for you", "aiting for you", "esc interrupt", "queued", "Ready"] {
                assert!(!frame.contains(words), "{words}: {frame}");
            }
            // There is nothing that Tab could give the keys to, and no key decides.
            harness.turns();
            assert!(asks_nobody(&harness.press("y")) && asks_nobody(&harness.press("s")), "{size:?}");
            assert!(asks_nobody(&harness.key(KeyCode::Esc, KeyModifiers::NONE)), "{size:?}");
            harness.ctrl('u');
            harness.ctrl('o');
            assert!(!look(&mut harness).contains("for you"), "{size:?}");
        }
    }
}

#[test]
fn a_sub_agent_that_is_done_offers_nothing_that_would_do_nothing() {
    let both = [(Ending::MaxTurns, "turn limit"), (Ending::AbortedStreaming, "interrupted")];
    for (reason, words) in both {
        for size in [(80, 24), (120, 40)] {
            let mut harness = opened(ended(reason), size);
            let frame = look(&mut harness);
            assert!(frame.contains(words) && frame.contains("What it reported is in the session"), "{frame}");
            assert!(frame.contains("This sub-agent is done · ← goes back"), "{frame}");
            for words in ["raise", "Waiting for you", "Say what to do differently", "Ready", "ask anything"] {
                assert!(!frame.contains(words), "{words}: {frame}");
            }
            harness.turns();
            assert!(asks_nobody(&harness.press("g")), "{reason:?}");
            let frame = look(&mut harness);
            assert!(!frame.contains("enter send"), "{frame}");
        }
    }
}

#[test]
fn a_model_that_is_refused_in_the_session_of_a_sub_agent_is_not_looked_for() {
    for (lineage, is_sought) in [(vec![], true), (vec!["general c1".to_owned()], false)] {
        let mut builder = SessionBuilder::new();
        builder.user("Look.");
        builder.end(Ending::Completed);
        let mut harness = before(builder, (80, 24));
        harness.local.lineage = lineage;
        harness.press("/model other/one");
        let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
        assert!(acts.iter().any(|act| matches!(act, UiEffect::Ask(Request::ChooseModel(_)))), "{acts:?}");
        assert_eq!(look(&mut harness).contains("looking for"), is_sought);
    }
}

#[test]
fn a_page_that_is_refused_in_the_session_of_a_sub_agent_is_not_waited_for() {
    for command in ["/race show", "/status", "/usage day"] {
        for (lineage, is_shown) in [(vec![], true), (vec!["general c1".to_owned()], false)] {
            let mut builder = SessionBuilder::new();
            builder.user("Look.");
            builder.end(Ending::Completed);
            let mut harness = before(builder, (80, 24));
            harness.local.lineage = lineage;
            harness.press(command);
            let acts = harness.key(KeyCode::Enter, KeyModifiers::NONE);
            assert!(matches!(acts[..], [UiEffect::Ask(_)]), "{command}: {acts:?}");
            assert_eq!(harness.local.overlay.is_some(), is_shown, "{command}");
        }
    }
}

#[test]
fn what_a_sub_agent_has_not_read_when_it_is_stopped_comes_back_in_the_session_above() {
    let said = || Event::Live(Live::Returned(vec!["look there, too".into()]));
    // So does what was said to one that never began.
    for events in [child().events, Vec::new()] {
        let with = |told: &[Event]| {
            let (mut builder, open) = handed(&["Make it."], false);
            builder.run(open[0].id(), "delegate_to_general");
            std::mem::forget(open);
            below(&mut builder, CallId(1), told.to_vec());
            builder
        };
        let mut harness = before(with(&events), (80, 24));
        let live = Live::Subagent { call: CallId(1), event: Box::new(said()) };
        hear(&mut harness.local, &harness.view, &live);
        assert_eq!(harness.local.composer.text(), "look there, too");
        let frame = look(&mut harness);
        assert!(frame.contains("what you had written to general c1 is back"), "{frame}");
        let mut told = events.clone();
        told.push(said());
        let lines = LinearHarness::new(with(&told)).said;
        assert!(lines.contains("kept, /send sends it: look there, too"), "{lines}");
    }
}

#[test]
fn a_budget_that_stopped_the_run_can_be_raised_while_a_call_in_the_background_waits_and_after_it() {
    let stopped = || {
        let (mut builder, mut open) = handed(&["Make it."], true);
        let remote = Some(RemoteTask { id: None, state: TaskState::Working });
        let works =
            Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It works in the background.") };
        builder.finish(open.remove(0), works);
        builder.end(Ending::MaxTurns);
        below(&mut builder, CallId(1), child().events);
        builder
    };
    let raises = |acts: &[UiEffect]| matches!(acts, [UiEffect::Send(Intent::Raise { .. })]);
    let mut harness = before(stopped(), (120, 40));
    harness.turns();
    assert!(matches!(harness.local.focused(&harness.view), Focus::Approval(_)));
    harness.key(KeyCode::Tab, KeyModifiers::NONE);
    assert_eq!(harness.local.focused(&harness.view), Focus::Stop);
    harness.turns();
    let frame = look(&mut harness);
    assert!(frame.contains("raise to") && frame.contains("y once"), "{frame}");
    assert!(raises(&harness.press("g")));
    // The call is decided: the budget stands there as before, and is what Tab goes to.
    let mut harness = before(stopped(), (120, 40));
    look(&mut harness);
    let mut decided = child();
    let told = decided.events.len();
    decided.decide(CallId(1), false, Decider::User);
    for event in decided.events.split_off(told) {
        harness.view.fold(&Event::Live(Live::Subagent { call: CallId(1), event: Box::new(event) }));
    }
    let frame = look(&mut harness);
    assert!(frame.contains("raise to") && !frame.contains("y once"), "{frame}");
    assert!(raises(&harness.answers("g")));
}
