//! A request that is stopped, or whose connection breaks, before anything of its answer came: what was sent counts.

use countersign::agent::{Agent, Effect, Input, Intent, Settings, Shutdown};
use countersign::budget::{Limit, Limits};
use countersign::context::estimate_tokens;
use countersign::ledger::{
    AssistantMessage, Body, EntryId, MicroDollars, Millis, ModelRef, Note, Transition, Usage, recover,
    tombstoned,
};
use countersign::model::{
    FailureClass, ModelEvent, ModelFailure, ModelNews, ModelSpec, Price, Rates, Request,
};

fn settings() -> Settings {
    let rates = Rates { input: 3_000_000, output: 15_000_000, ..Rates::default() };
    let spec = ModelSpec::unknown(ModelRef::parse("near/model"));
    Settings::new(ModelSpec { price: Some(Price::flat(rates)), ..spec })
}

fn asked(effects: &[Effect]) -> Option<(EntryId, Request)> {
    effects.iter().find_map(|effect| match effect {
        Effect::CallModel(message, request) => Some((*message, (**request).clone())),
        _ => None,
    })
}

fn submit(agent: &mut Agent) -> (EntryId, Request) {
    asked(&agent.step(Millis(1), Input::Intent(Intent::Submit("go".into())))).unwrap()
}

fn said(agent: &Agent) -> Vec<AssistantMessage> {
    let entries = agent.ledger().entries().iter();
    let said =
        entries.filter_map(|entry| if let Body::Assistant(said) = &entry.body { Some(said) } else { None });
    said.map(|said| (**said).clone()).collect()
}

fn prompt(request: &Request) -> Usage {
    let input = estimate_tokens(request);
    let cost = settings().model.price.map(|price| price.cost(&Usage { input, ..Usage::default() }));
    Usage { input, estimated: true, cost, ..Usage::default() }
}

fn ended(agent: &Agent) -> Usage {
    let ends = agent.ledger().entries().iter().rev().find_map(|entry| match &entry.body {
        Body::TurnEnded(ended) => Some(ended.usage),
        _ => None,
    });
    ends.unwrap()
}

#[test]
fn esc_before_the_first_word_counts_the_prompt_by_an_estimate_and_a_note_says_so() {
    for input in
        [Input::Intent(Intent::Abort), Input::Shutdown(Shutdown::Signal), Input::Shutdown(Shutdown::Quit)]
    {
        let mut agent = Agent::new(settings());
        let (message, request) = submit(&mut agent);
        agent.step(Millis(2), input);
        let all = said(&agent);
        assert_eq!((all.len(), all[0].id, all[0].usage), (1, message, prompt(&request)));
        assert!(all[0].is_unheard());
        assert_eq!((ended(&agent), agent.meter().session_usage()), (prompt(&request), prompt(&request)));
        assert_eq!(agent.meter().context_tokens(), 0, "no context was counted");
        let is_told = |note: &Note| note.for_people().contains("An estimate of its prompt is counted");
        let entries = agent.ledger().entries();
        assert!(entries.iter().any(|entry| matches!(&entry.body, Body::Note(note) if is_told(note))));
        // Whoever takes it up counts the same, and no model sees it.
        let recovered = recover(entries.to_vec(), Millis(9)).unwrap();
        let (mut again, _) = Agent::resume(settings(), recovered, Millis(9));
        assert_eq!(again.meter().session_usage(), prompt(&request));
        assert_eq!(submit(&mut again).1.messages.len(), 2);
    }
}

#[test]
fn what_was_not_sent_counts_nothing() {
    let mut agent = Agent::new(settings());
    let (message, _) = submit(&mut agent);
    // Its reason could not be written yet.
    agent.has_not_sent(Some(message));
    agent.step(Millis(2), Input::Intent(Intent::Abort));
    assert!(said(&agent).is_empty());
    // Then it could.
    let (message, _) = submit(&mut agent);
    agent.has_not_sent(Some(message));
    agent.step(Millis(3), Input::Intent(Intent::OpenHost("example.org".into())));
    agent.has_not_sent(None);
    agent.step(Millis(4), Input::Intent(Intent::Abort));
    assert_eq!(said(&agent).len(), 1);
    // While it waits to try again, nothing is on its way.
    let (message, _) = submit(&mut agent);
    let refused = ModelFailure::new(FailureClass::Transient, "busy");
    agent.step(Millis(5), Input::Model(message, ModelNews::Failed(refused)));
    agent.step(Millis(6), Input::Intent(Intent::Abort));
    assert_eq!(said(&agent).len(), 1);
}

#[test]
fn a_request_that_is_given_up_for_another_one_counts_and_a_refused_one_does_not() {
    let spare = ModelSpec::unknown(ModelRef::parse("spare/model"));
    let mut agent = Agent::new(Settings { fallback: vec![spare], ..settings() });
    let (first, request) = submit(&mut agent);
    let mut effects = Vec::new();
    let (mut message, mut heard) = (first, 0);
    while !agent
        .ledger()
        .entries()
        .iter()
        .any(|entry| matches!(entry.body, Body::Transition { reason: Transition::ModelFallback, .. }))
    {
        let silent = ModelFailure::new(FailureClass::Transient, "Waited 300 s; gave up.");
        // Every other one is an answer of the server.
        let failure = if heard % 2 == 0 { silent.unheard() } else { silent };
        heard += 1;
        effects = agent.step(Millis(heard * 100_000), Input::Model(message, ModelNews::Failed(failure)));
        if let Some(timer) =
            effects.iter().find_map(|e| if let Effect::SetTimer(t, _) = e { Some(*t) } else { None })
        {
            effects = agent.step(Millis(heard * 100_000 + 50_000), Input::Timer(timer));
        }
        message = asked(&effects).unwrap().0;
    }
    let all = said(&agent);
    assert_eq!(all.len() as u64, heard.div_ceil(2));
    assert!(all.iter().all(|said| said.is_unheard() && said.usage == prompt(&request)), "{all:?}");
    let withdrawn = tombstoned(agent.ledger().entries());
    assert!(all.iter().all(|said| withdrawn.contains(&said.id)));
    assert_eq!(asked(&effects).unwrap().1.messages.len(), 1);
}

#[test]
fn a_summary_counts_too() {
    let small = crate::compaction::settings(30_000);
    for by_hand in [false, true] {
        let mut agent = crate::compaction::resumed(&crate::compaction::long_session(), small.clone());
        let before = agent.meter().session_usage();
        let intent = if by_hand { Intent::Compact } else { Intent::Submit("go".into()) };
        let (message, request) = asked(&agent.step(Millis(1), Input::Intent(intent))).unwrap();
        agent.step(Millis(2), Input::Intent(Intent::Abort));
        let last = said(&agent).pop().unwrap();
        assert_eq!((last.id, last.is_unheard()), (message, true));
        assert!(last.usage.input >= estimate_tokens(&request));
        assert_eq!(agent.meter().session_usage().input, before.input + last.usage.input);
        assert!(tombstoned(agent.ledger().entries()).contains(&message));
    }
}

#[test]
fn an_answer_that_nobody_counted_has_at_least_its_prompt() {
    let begun = ModelEvent::CallStarted { index: 0, wire_id: "w".into(), name: "read".into() };
    let cut = vec![ModelNews::Event(begun)];
    for news in [cut, vec![ModelNews::Finished]] {
        let mut agent = Agent::new(settings());
        let (message, request) = submit(&mut agent);
        for news in news {
            agent.step(Millis(2), Input::Model(message, news));
        }
        agent.step(Millis(3), Input::Intent(Intent::Abort));
        assert_eq!(said(&agent)[0].usage, prompt(&request));
    }
}

/// Anthropic counts one token when an answer begins, and the rest when it ends.
#[test]
fn an_answer_that_is_cut_counts_what_came_of_it() {
    let begun = Usage { input: 100, output: 1, ..Usage::default() };
    let broken = ModelFailure::new(FailureClass::BadRequest, "The connection ended.");
    for by_esc in [true, false] {
        let mut agent = Agent::new(settings());
        let (message, _) = submit(&mut agent);
        for event in [ModelEvent::Usage(begun), ModelEvent::Text("x".repeat(40_000))] {
            agent.step(Millis(2), Input::Model(message, ModelNews::Event(event)));
        }
        let cut = match by_esc {
            true => Input::Intent(Intent::Abort),
            false => Input::Model(message, ModelNews::Failed(broken.clone())),
        };
        agent.step(Millis(3), cut);
        let usage = said(&agent)[0].usage;
        // At 3 and 15 USD for a million tokens.
        let cost = Some(MicroDollars(100 * 3 + 10_000 * 15));
        assert_eq!(usage, Usage { input: 100, output: 10_000, estimated: true, cost, ..Usage::default() });
        assert_eq!(ended(&agent), usage);
    }
}

#[test]
fn a_summary_that_is_cut_counts_what_came_of_it() {
    let small = crate::compaction::settings(30_000);
    let mut agent = crate::compaction::resumed(&crate::compaction::long_session(), small);
    let (message, _) = asked(&agent.step(Millis(1), Input::Intent(Intent::Compact))).unwrap();
    let begun = Usage { input: 100, output: 1, ..Usage::default() };
    for event in [ModelEvent::Usage(begun), ModelEvent::Text("x".repeat(400))] {
        agent.step(Millis(2), Input::Model(message, ModelNews::Event(event)));
    }
    agent.step(Millis(3), Input::Intent(Intent::Abort));
    let last = said(&agent).pop().unwrap();
    assert_eq!((last.id, last.usage.output, last.usage.estimated), (message, 100, true));
}

/// What counts of a request with a prompt of so many tokens, whose process died, where 0.3096 USD are left at 100 USD a million tokens.
fn counted_after_a_death(prompt: u64, asked_within_limits: bool) -> Usage {
    let rates = Rates { input: 100_000_000, output: 100_000_000, ..Rates::default() };
    let spec = ModelSpec { price: Some(Price::flat(rates)), ..settings().model };
    let sent = |letters| {
        let mut agent = Agent::new(Settings { system: "x".repeat(letters), ..Settings::new(spec.clone()) });
        let (_, request) = submit(&mut agent);
        (agent, estimate_tokens(&request))
    };
    let asked = (0..).map(sent).find(|(_, tokens)| *tokens >= prompt);
    let entries = asked.map(|(agent, _)| agent.ledger().entries().to_vec()).unwrap();
    let mut limits = Limits::default();
    limits.set(Limit::Cost, Some(309_600));
    let settings = Settings { limits, asked_within_limits, ..Settings::new(spec) };
    let (agent, _) = Agent::resume(settings, recover(entries, Millis(9)).unwrap(), Millis(9));
    said(&agent).pop().unwrap().usage
}

#[test]
fn a_request_of_a_dead_process_costs_no_more_than_the_limits_left_under_which_it_was_made() {
    let all = Some(MicroDollars(309_600));
    for (prompt, answer) in [(1_642, 1_454), (3_418, 3_096)] {
        let usage = counted_after_a_death(prompt, true);
        assert_eq!((usage.input, usage.output, usage.cost), (prompt, answer, all));
    }
    // Under other limits nothing is known of it.
    let usage = counted_after_a_death(3_418, false);
    assert!(usage.output > 3_096 && usage.cost > all, "{usage:?}");
}
