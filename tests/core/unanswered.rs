//! A process that dies while the model answers: what that request may have cost counts when the session is resumed.

use countersign::agent::{Agent, Effect, Input, Intent, Settings};
use countersign::budget::Limit;
use countersign::context::estimate_tokens;
use countersign::ledger::{
    AssistantMessage, Body, CompactionTrigger, Ending, Entry, EntryId, Millis, ModelRef, Transition, recover,
};
use countersign::model::{
    FailureClass, ModelEvent, ModelFailure, ModelNews, ModelSpec, Price, Rates, Request,
};
use std::sync::Arc;

fn settings(cost: Option<u64>) -> Settings {
    let rates = Rates { input: 3_000_000, output: 15_000_000, ..Rates::default() };
    let spec = ModelSpec::unknown(ModelRef::parse("near/model"));
    let mut settings = Settings::new(ModelSpec { price: Some(Price::flat(rates)), ..spec });
    settings.limits.set(Limit::Cost, cost);
    settings
}

fn asked(effects: &[Effect]) -> Option<(EntryId, Request)> {
    effects.iter().find_map(|effect| match effect {
        Effect::CallModel(message, request) => Some((*message, (**request).clone())),
        _ => None,
    })
}

fn submit(agent: &mut Agent) -> Option<(EntryId, Request)> {
    asked(&agent.step(Millis(1), Input::Intent(Intent::Submit("go".into()))))
}

fn killed(entries: &[Arc<Entry>], settings: Settings) -> Agent {
    Agent::resume(settings, recover(entries.to_vec(), Millis(9)).unwrap(), Millis(9)).0
}

fn unheard(agent: &Agent) -> Vec<AssistantMessage> {
    let entries = agent.ledger().entries().iter();
    let said =
        entries.filter_map(|entry| if let Body::Assistant(said) = &entry.body { Some(said) } else { None });
    said.filter(|said| said.is_unheard()).map(|said| (**said).clone()).collect()
}

#[test]
fn the_most_that_it_may_have_cost_counts_and_a_note_says_so() {
    let mut agent = Agent::new(settings(None));
    let (_, request) = submit(&mut agent).unwrap();
    let mut again = killed(agent.ledger().entries(), settings(None));
    let said = unheard(&again);
    let usage = said[0].usage;
    assert!(usage.input >= estimate_tokens(&request) && usage.output == request.max_output, "{usage:?}");
    assert_eq!(said[0].model.to_string(), "near/model");
    let ended = again.ledger().entries().iter().find_map(|entry| match &entry.body {
        Body::TurnEnded(ended) => Some(ended.clone()),
        _ => None,
    });
    let ended = ended.unwrap();
    assert_eq!((ended.reason, ended.usage), (Ending::AbortedStreaming, usage));
    let notes = again.ledger().entries().iter().filter_map(|entry| match &entry.body {
        Body::Note(note) if note.about.entry() == Some(said[0].id) => Some(note.for_people().to_owned()),
        _ => None,
    });
    let notes: Vec<String> = notes.collect();
    assert!(notes[0].contains("the cost of that request is not known"), "{notes:?}");
    assert_eq!(again.meter().session_usage().cost, usage.cost);
    assert_eq!(again.meter().context_tokens(), 0, "no context was counted");
    // It is counted once, and no model sees it.
    let mut third = killed(again.ledger().entries(), settings(None));
    assert_eq!(unheard(&third).len(), 1);
    let (_, request) = submit(&mut third).unwrap();
    assert_eq!(request.messages.len(), 2, "{:?}", request.messages);
}

#[test]
fn a_session_that_is_killed_again_and_again_spends_no_more_than_its_limit() {
    let limit = 900_000;
    let mut agent = Agent::new(settings(Some(limit)));
    let (mut sent, mut all) = (0, 0);
    while let Some((_, request)) = submit(&mut agent) {
        sent += 1;
        assert!(sent < 500, "no limit holds");
        let rates = settings(None).model.price.unwrap();
        let usage = countersign::ledger::Usage {
            input: estimate_tokens(&request),
            output: request.max_output,
            ..Default::default()
        };
        all += rates.cost(&usage).0;
        agent = killed(agent.ledger().entries(), settings(Some(limit)));
    }
    assert!(sent > 0 && all <= limit, "{sent} requests may have cost {all}");
    let last = agent.ledger().entries().iter().rev().find_map(|entry| match &entry.body {
        Body::TurnEnded(ended) => Some(ended.reason),
        _ => None,
    });
    assert_eq!(last, Some(Ending::MaxCost));
}

#[test]
fn what_was_answered_or_failed_or_was_asked_by_another_session_is_not_counted_again() {
    let mut agent = Agent::new(settings(None));
    let (message, _) = submit(&mut agent).unwrap();
    let asking = agent.ledger().entries().to_vec();
    let failure = ModelFailure::new(FailureClass::Transient, "no route");
    agent.step(Millis(2), Input::Model(message, ModelNews::Failed(failure)));
    assert!(unheard(&killed(agent.ledger().entries(), settings(None))).is_empty(), "it waits to try again");
    // A fork has its beginning from another session.
    let mut fork = asking.clone();
    let at = fork.last().unwrap().id;
    if let Body::SessionStarted(started) = &fork[0].body {
        let started =
            countersign::ledger::SessionStarted { forked_from: Some(format!("s@{at}")), ..started.clone() };
        fork[0] = Arc::new(Entry { id: fork[0].id, at: fork[0].at, body: Body::SessionStarted(started) });
    }
    assert!(unheard(&killed(&fork, settings(None))).is_empty());
    assert_eq!(unheard(&killed(&asking, settings(None))).len(), 1);
    let mut agent = Agent::new(settings(None));
    let (message, _) = submit(&mut agent).unwrap();
    for news in [ModelNews::Event(ModelEvent::Text("Done.".into())), ModelNews::Finished] {
        agent.step(Millis(2), Input::Model(message, news));
    }
    assert!(unheard(&killed(agent.ledger().entries(), settings(None))).is_empty());
}

#[test]
fn so_does_a_summary_and_it_is_withdrawn() {
    let small = crate::compaction::settings(30_000);
    let mut agent = crate::compaction::resumed(&crate::compaction::long_session(), small.clone());
    let effects = agent.step(Millis(1), Input::Intent(Intent::Submit("go".into())));
    assert!(asked(&effects).is_some());
    let again = crate::compaction::resumed(&agent, small);
    let said = unheard(&again);
    assert_eq!(said.len(), 1);
    let entries = again.ledger().entries();
    let is_withdrawn =
        |entry: &Arc<Entry>| matches!(&entry.body, Body::Tombstone(stone) if stone.target == said[0].id);
    assert!(entries.iter().any(is_withdrawn));
    let is_summary =
        |entry: &Arc<Entry>| matches!(entry.body, Body::Transition { reason: Transition::AutoCompact, .. });
    assert!(entries.iter().any(is_summary));
    assert_eq!(crate::compaction::compactions(&again, CompactionTrigger::Auto), 0);
}

/// One that the user wants between two runs, at its first try and at the next one. Stopped before it was sent, it cost nothing.
#[test]
fn so_does_a_summary_by_hand_at_each_try_that_was_sent() {
    let small = crate::compaction::settings(30_000);
    let by_hand = || {
        let mut agent = crate::compaction::resumed(&crate::compaction::long_session(), small.clone());
        let (message, _) = asked(&agent.step(Millis(1), Input::Intent(Intent::Compact))).unwrap();
        (agent, message)
    };
    let (mut agent, message) = by_hand();
    let before = agent.meter().session_usage();
    let mut again = crate::compaction::resumed(&agent, small.clone());
    let said = unheard(&again);
    assert_eq!(said.len(), 1);
    assert_eq!(again.meter().session_usage().input, before.input + said[0].usage.input);
    let is_withdrawn =
        |entry: &Arc<Entry>| matches!(&entry.body, Body::Tombstone(stone) if stone.target == said[0].id);
    assert!(again.ledger().entries().iter().any(is_withdrawn));
    assert_eq!(unheard(&crate::compaction::resumed(&again, small.clone())).len(), 1, "once");

    let failure = ModelFailure::new(FailureClass::Transient, "busy");
    let effects = agent.step(Millis(2), Input::Model(message, ModelNews::Failed(failure)));
    assert!(unheard(&crate::compaction::resumed(&agent, small.clone())).is_empty(), "it waits to try again");
    let timer = effects.iter().find_map(|e| if let Effect::SetTimer(t, _) = e { Some(*t) } else { None });
    let effects = agent.step(Millis(60_000), Input::Timer(timer.unwrap()));
    assert!(asked(&effects).is_some());
    assert_eq!(unheard(&crate::compaction::resumed(&agent, small.clone())).len(), 1);

    let (mut agent, message) = by_hand();
    agent.has_not_sent(Some(message));
    agent.step(Millis(2), Input::Intent(Intent::Abort));
    assert!(unheard(&crate::compaction::resumed(&agent, small.clone())).is_empty());
}

/// A process that takes up a session does not know yet which tools came from elsewhere.
#[test]
fn after_a_summary_a_request_is_measured_with_the_tools_that_were_known_then() {
    let mut small = crate::compaction::settings(200_000);
    let without = small.clone();
    small.tools.push(countersign::tool::ToolSpec {
        description: "It sends. ".repeat(400),
        schema: serde_json::json!({ "type": "object" }),
        ..countersign::tool::ToolSpec::from_elsewhere("mcp__there__send")
    });
    let mut agent = crate::compaction::resumed(&crate::compaction::long_session(), small);
    let (message, _) = asked(&agent.step(Millis(1), Input::Intent(Intent::Compact))).unwrap();
    for news in [ModelNews::Event(ModelEvent::Text("They spoke.".into())), ModelNews::Finished] {
        agent.step(Millis(2), Input::Model(message, news));
    }
    assert_eq!(crate::compaction::compactions(&agent, CompactionTrigger::Manual), 1);
    let (_, request) = submit(&mut agent).unwrap();
    let again = crate::compaction::resumed(&agent, without);
    let counted = unheard(&again)[0].usage.input;
    assert!(counted + 100 >= estimate_tokens(&request), "{counted} of {}", estimate_tokens(&request));
}
