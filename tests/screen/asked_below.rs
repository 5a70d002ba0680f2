//! Calls of sub-agents that wait, in the session above: under their names, decided by the usual keys, gone when they wait no more.

use std::sync::Arc;

use countersign::agent::{Answer, Event, Intent, Live};
use countersign::ledger::{Body, CallId, Decider, Decision, Entry, EntryId, Millis, Preview};
use countersign::policy::Mode;
use countersign::ui::local::{Focus, Overlay};
use countersign::ui::picker::{Choice, Picker};
use countersign::ui::update::{UiEffect, hear};
use countersign::view::View;

use crate::deliberate::{NONE, SIZES, before, look};
use crate::linear_harness::LinearHarness;
use crate::scenes::{below, child, waiting_below, waiting_below_beside};
use crate::screen_harness::ScreenHarness;
use ratatui::crossterm::event::KeyCode;

const PARENT: CallId = CallId(1);

/// The one decision that keys have made, as the session is told it.
fn told(harness: &ScreenHarness, acts: Vec<UiEffect>) -> Option<Intent> {
    match <[UiEffect; 1]>::try_from(acts) {
        Ok([UiEffect::Send(intent)]) => harness.view.at_home(intent),
        other => panic!("{other:?}"),
    }
}

/// The request in the sub-agent's own ledger.
fn request_below(view: &View) -> (EntryId, CallId) {
    let (path, entry, asked) = view.waiting_calls().next().unwrap();
    assert_eq!(path, [PARENT]);
    (entry, asked.call)
}

#[test]
fn the_usual_keys_decide_and_the_decision_goes_below() {
    for size in SIZES {
        for (key, answer) in [("y", Answer::AllowOnce), ("n", Answer::Deny(String::new()))] {
            let mut harness = before(waiting_below(), size);
            let frame = look(&mut harness);
            assert!(frame.contains("general") && frame.contains("touch made.txt"), "{frame}");
            assert!(frame.contains("1 call") || size.0 < 60, "{frame}");
            let (request, call) = request_below(&harness.view);
            let acts = harness.answers(key);
            let decision = Intent::Decide { request, call, answer };
            let wanted = Intent::Subagent { call: PARENT, intent: Box::new(decision) };
            assert_eq!(told(&harness, acts), Some(wanted), "{size:?}");
            // One key is one decision.
            assert!(harness.view.waiting().len() == 1 && harness.local.waiting(&harness.view).is_empty());
            assert_eq!(harness.local.focused(&harness.view), Focus::Composer);
        }
    }
}

#[test]
fn no_key_takes_a_rule_that_would_be_the_sub_agents_own() {
    let mut harness = before(waiting_below(), (120, 40));
    harness.turns();
    let frame = look(&mut harness);
    assert!(frame.contains("y once") && !frame.contains("always"), "{frame}");
    assert!(harness.press("a").is_empty() && harness.local.always.is_none());
}

#[test]
fn a_decision_for_a_call_that_waits_no_more_is_none() {
    // Decided below, its session stopped, or the sub-agent over: whatever came first, the key comes too late.
    let over: [fn(&mut Vec<Event>); 2] = [
        |events| {
            let decision = Decision::denial(CallId(1), Decider::User, "");
            let entry =
                Entry { id: EntryId(90), at: Millis(9_000_000), body: Body::ApprovalDecided(decision) };
            events.push(Event::Appended(Arc::new(entry)));
        },
        |events| {
            let mut ended = child();
            ended.end(countersign::ledger::Ending::AbortedStreaming);
            events.extend(ended.events.pop());
        },
    ];
    for more in over {
        let mut harness = before(waiting_below(), (80, 24));
        let acts = harness.answers("y");
        let [UiEffect::Send(intent)] = &acts[..] else { panic!("{acts:?}") };
        let mut events = Vec::new();
        more(&mut events);
        below(&mut harness.builder, PARENT, events);
        let (view, builder) = (&mut harness.view, &harness.builder);
        view.fold(builder.events.last().unwrap());
        assert_eq!(harness.view.at_home(intent.clone()), None);
        assert!(harness.view.waiting().is_empty());
        let frame = look(&mut harness);
        assert!(!frame.contains("asked by general") && !frame.contains("y once"), "{frame}");
    }
}

#[test]
fn what_comes_to_wait_later_moves_no_keys() {
    let mut harness = before(waiting_below_beside(Some("touch own.txt")), (80, 24));
    harness.turns();
    let focus = harness.local.focused(&harness.view);
    assert!(matches!(focus, Focus::Approval(_)));
    // A call of the session's own stands before those of sub-agents.
    harness.builder.ask(CallId(2), "shell", Preview::Command("touch own.txt".into()));
    harness.catch_up();
    look(&mut harness);
    assert_eq!(harness.local.focused(&harness.view), focus, "the keys stay where they are");
    let (request, call) = request_of(&harness);
    harness.waits(1_000);
    look(&mut harness);
    let acts = harness.press("y");
    let decision = Intent::Decide { request, call, answer: Answer::AllowOnce };
    let wanted = Intent::Subagent { call: PARENT, intent: Box::new(decision) };
    assert_eq!(told(&harness, acts), Some(wanted));
}

fn request_of(harness: &ScreenHarness) -> (EntryId, CallId) {
    let below = harness.view.waiting_calls().find(|(path, ..)| !path.is_empty());
    below.map(|(_, entry, asked)| (entry, asked.call)).unwrap()
}

#[test]
fn a_decision_that_was_not_accepted_below_can_be_made_again() {
    let mut harness = before(waiting_below(), (80, 24));
    harness.answers("y");
    assert!(harness.local.waiting(&harness.view).is_empty());
    let refused = Event::Live(Live::Refused("not now".into()));
    hear(&mut harness.local, &harness.view, &Live::Subagent { call: PARENT, event: Box::new(refused) });
    assert_eq!(harness.local.waiting(&harness.view).len(), 1);
    assert_eq!(harness.local.hint.as_deref(), Some("not now"));
}

#[test]
fn the_whole_call_opens_on_a_page() {
    let mut harness = before(waiting_below(), (80, 24));
    harness.turns();
    harness.key(KeyCode::Enter, NONE);
    let frame = look(&mut harness);
    assert!(frame.contains("general c1: shell") && frame.contains("touch made.txt"), "{frame}");
    assert!(!frame.contains("46116860"), "its id here is nobody's business:\n{frame}");
    assert!(
        frame.contains("s its session"),
        "what is allowed holds in the sub-agent's session alone:\n{frame}"
    );
}

#[test]
fn a_mode_that_a_sub_agent_does_not_get_is_not_offered_in_its_session() {
    let mut harness = before(waiting_below(), (80, 24));
    let offered = |harness: &ScreenHarness| {
        let items = Picker::modes(&harness.view).items.into_iter();
        items
            .filter_map(|item| if let Choice::Mode(mode) = item.choice { Some(mode) } else { None })
            .collect::<Vec<_>>()
    };
    assert_eq!(offered(&harness), [Mode::Plan, Mode::Ask, Mode::Edit, Mode::Auto]);
    harness.view.session.mode_above = Some(Mode::Ask);
    assert_eq!(offered(&harness), [Mode::Plan, Mode::Ask]);
    harness.local.overlay = Some(Overlay::Picker(Picker::modes(&harness.view)));
    let frame = harness.frame(120, 40);
    assert_eq!(frame.matches("looser than the session above").count(), 2, "{frame}");
    let mut lines = LinearHarness::new(waiting_below());
    lines.types("/into c1");
    lines.said.clear();
    lines.types("/mode");
    assert!(lines.said.contains("/mode takes plan, ask; the others are looser than ask"), "{}", lines.said);
    lines.types("/back");
    lines.said.clear();
    lines.types("/mode");
    assert!(lines.said.contains("/mode takes plan, ask, edit, auto, unrestricted"), "{}", lines.said);
}
