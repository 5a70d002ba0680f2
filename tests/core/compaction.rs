//! A model whose window is smaller than it is taken to be: what a summary is asked with, what stays, what is learned.

use std::collections::VecDeque;

use countersign::agent::{Agent, Effect, Input, Intent, Live, Settings};
use countersign::context::{estimate_tokens, words};
use countersign::hooks::{HookAnswer, HookDecision, HookPoint, HookSpec};
use countersign::ledger::{
    Body, CompactionTrigger, Ending, EntryId, LearnedLimit, Message, Millis, ModelRef, Outcome,
    ProviderLimit, Stop, Transition, Usage, recover,
};
use countersign::model::{
    Abilities, Effort, FailureClass, ModelEvent, ModelFailure, ModelNews, ModelSpec, Request, Sizes,
};
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolNews, ToolReport, ToolSpec};

/// A server that counts five tokens where we estimate four.
pub(crate) struct Server {
    window: u64,
    states: bool,
    pub(crate) asked: Vec<Request>,
    pub(crate) refused: Vec<Request>,
    /// How often each question is answered with a call first.
    calls: usize,
}

fn counted(request: &Request) -> u64 {
    estimate_tokens(request) * 5 / 4
}

pub(crate) fn asks_for_summary(request: &Request) -> bool {
    matches!(request.messages.last(), Some(Message::User(said)) if said.content == words::SUMMARIZE)
}

impl Server {
    pub(crate) fn new(window: u64, states: bool) -> Self {
        Self { window, states, asked: Vec::new(), refused: Vec::new(), calls: 0 }
    }

    pub(crate) fn answer(&mut self, request: Request) -> Vec<ModelNews> {
        let prompt = counted(&request);
        if prompt + request.max_output > self.window {
            self.refused.push(request);
            let sizes = Sizes { window: Some(self.window), prompt: Some(prompt) };
            let sizes = if self.states { sizes } else { Sizes::default() };
            let failure = ModelFailure {
                sizes: Box::new(sizes),
                ..ModelFailure::new(FailureClass::Overflow, "too long")
            };
            return vec![ModelNews::Failed(failure)];
        }
        let ended =
            matches!(request.messages.last(), Some(Message::Results(_))) || asks_for_summary(&request);
        let mut news = vec![ModelEvent::Text("Some words of an answer. ".repeat(20))];
        if self.calls > 0 && !ended {
            self.calls -= 1;
            news.extend([
                ModelEvent::CallStarted { index: 0, wire_id: "c".into(), name: "read".into() },
                ModelEvent::CallArguments { index: 0, text: "{\"path\":\"a\"}".into() },
                ModelEvent::CallDone { index: 0 },
            ]);
        }
        news.push(ModelEvent::Usage(Usage { input: prompt, output: 125, ..Usage::default() }));
        news.push(ModelEvent::Stop(Stop::End));
        self.asked.push(request);
        news.into_iter().map(ModelNews::Event).chain([ModelNews::Finished]).collect()
    }
}

pub(crate) fn settings(window: u64) -> Settings {
    let read = ToolSpec {
        name: "read".into(),
        description: "Reads. ".repeat(200),
        schema: serde_json::json!({}),
        effect: SideEffect::Reads,
        paths: vec![],
        timeout_ms: None,
        kind: ToolKind::Plain,
        retrieves: false,
    };
    let spec = ModelSpec { window, ..ModelSpec::unknown(ModelRef::parse("near/model")) };
    Settings { tools: vec![read], ..Settings::new(spec) }
}

pub(crate) fn play(agent: &mut Agent, server: &mut Server, intent: Intent) -> Option<Ending> {
    let mut inputs = VecDeque::from([Input::Intent(intent)]);
    let (mut ending, mut steps) = (None, 0);
    while let Some(input) = inputs.pop_front() {
        steps += 1;
        assert!(steps < 5_000, "the loop has no end");
        for effect in agent.step(Millis(steps), input) {
            match effect {
                Effect::CallModel(message, request) => {
                    let news = server.answer(*request);
                    inputs.extend(news.into_iter().map(|news| Input::Model(message, news)));
                }
                Effect::Prepare(call) => inputs.push_back(Input::Prepared(call.call, Preparation::default())),
                Effect::RunTool(run) => {
                    let outcome = Outcome::Ok;
                    let report =
                        ToolReport { outcome, ..ToolReport::failed("line of the file. ".repeat(60)) };
                    inputs.push_back(Input::Tool(run.call, ToolNews::Done(Box::new(report))));
                }
                Effect::Append(entry) => {
                    if let Body::TurnEnded(ended) = &entry.body {
                        ending = Some(ended.reason);
                    }
                }
                _ => {}
            }
        }
    }
    ending
}

fn say(agent: &mut Agent, server: &mut Server, number: usize, tokens: usize) -> Option<Ending> {
    let words = format!("Question {number}: {}", "abc ".repeat(tokens));
    play(agent, server, Intent::Submit(words.as_str().into()))
}

pub(crate) fn compactions(agent: &Agent, trigger: CompactionTrigger) -> usize {
    let made = agent.ledger().entries().iter();
    made.filter(|e| matches!(&e.body, Body::Compaction(c) if c.trigger == trigger)).count()
}

pub(crate) fn resumed(agent: &Agent, settings: Settings) -> Agent {
    let recovered = recover(agent.ledger().entries().to_vec(), Millis(9_999)).unwrap();
    Agent::resume(settings, recovered, Millis(9_999)).0
}

/// Grows a session in a window that holds it, then moves it to one that does not.
pub(crate) fn long_session() -> Agent {
    let (mut agent, mut server) = (Agent::new(settings(1_000_000)), Server::new(1_000_000, true));
    server.calls = 100;
    for number in 0..30 {
        assert_eq!(say(&mut agent, &mut server, number, 1_500), Some(Ending::Completed));
    }
    resumed(&agent, settings(128_000))
}

#[test]
fn a_refused_prompt_is_summarised_in_parts_well_below_the_window() {
    for (window, states) in [(30_000, true), (60_000, true), (30_000, false), (60_000, false)] {
        let mut agent = long_session();
        let mut server = Server::new(window, states);
        assert_eq!(say(&mut agent, &mut server, 50, 200), Some(Ending::Completed), "{window} {states}");
        assert_eq!(compactions(&agent, CompactionTrigger::Reactive), 1);
        let parts: Vec<&Request> = server.asked.iter().filter(|r| asks_for_summary(r)).collect();
        assert!(parts.len() > 1, "{window}: in parts");
        let refused = server.refused.first().map(estimate_tokens).unwrap();
        for part in &parts {
            let most = if states { window / 2 } else { refused / 2 };
            assert!(estimate_tokens(part) <= most, "{} of {most}", estimate_tokens(part));
            assert!(part.tools.is_empty(), "no call stands in a transcript");
        }
        // Nothing is left out of so short a session, and no part says so.
        let skips = |part: &&&Request| format!("{:?}", part.messages).contains("are omitted here");
        assert_eq!(parts.iter().filter(skips).count(), 0, "{window} {states}");
        // Every question but those that stay is in one of the parts.
        let last = server.asked.last().unwrap();
        let all = parts.iter().map(|part| format!("{:?}", part.messages)).collect::<String>();
        for number in 0..30 {
            let name = format!("Question {number}:");
            let sent = format!("{:?}", last.messages);
            assert!(all.contains(&name) || sent.contains(&name), "{window} {states}: {name}");
        }
        let recent = last.messages.iter().filter(|m| matches!(m, Message::Assistant(_))).count();
        assert!(recent > 0, "the most recent exchanges stay");
        assert!(
            matches!(last.messages.last(), Some(Message::User(said)) if said.content.starts_with("Question 50:"))
        );
        for pair in last.messages.windows(2) {
            if let Message::Results(results) = &pair[1] {
                let Message::Assistant(said) = &pair[0] else { panic!("results without their call") };
                assert_eq!(said.calls().count(), results.len());
            }
        }
    }
}

#[test]
fn what_was_learned_holds_for_the_model_and_after_a_resume() {
    let mut agent = long_session();
    let mut server = Server::new(30_000, true);
    say(&mut agent, &mut server, 50, 200);
    let learned = agent.ledger().entries().iter().filter_map(|e| ProviderLimit::of(e)).collect::<Vec<_>>();
    let window = ProviderLimit::Window { model: ModelRef::parse("near/model"), most: 30_000 };
    assert_eq!(learned, [window]);
    let mut agent = resumed(&agent, settings(128_000));
    let refused = server.refused.len();
    for number in 51..120 {
        assert_eq!(say(&mut agent, &mut server, number, 1_500), Some(Ending::Completed), "{number}");
    }
    assert_eq!(server.refused.len(), refused, "the context is compacted before it is refused");
    assert!(compactions(&agent, CompactionTrigger::Auto) >= 3);
    assert_eq!(compactions(&agent, CompactionTrigger::Reactive), 1);
}

#[test]
fn compacting_by_hand_helps_where_the_window_is_wrong() {
    for (window, states) in [(8_192, true), (8_192, false), (30_000, false)] {
        let mut agent = long_session();
        let mut server = Server::new(window, states);
        assert_eq!(play(&mut agent, &mut server, Intent::Compact), None);
        assert_eq!(compactions(&agent, CompactionTrigger::Manual), 1, "{window} {states}");
        assert!(!server.refused.is_empty(), "it was refused at first");
        assert_eq!(say(&mut agent, &mut server, 50, 200), Some(Ending::Completed), "{window} {states}");
        assert!(!states || compactions(&agent, CompactionTrigger::Reactive) == 0);
    }
}

#[test]
fn less_output_is_asked_for_beside_a_prompt_that_fits() {
    let mut agent = Agent::new(settings(128_000));
    let mut server = Server::new(8_192, true);
    assert_eq!(say(&mut agent, &mut server, 0, 3_000), Some(Ending::Completed));
    let asked = server.asked.last().unwrap();
    assert_eq!((server.refused.len(), compactions(&agent, CompactionTrigger::Reactive)), (1, 0));
    assert!(counted(asked) + asked.max_output <= 8_192 && asked.max_output > 1_000, "{}", asked.max_output);
    assert_eq!(say(&mut agent, &mut server, 1, 10), Some(Ending::Completed));
    assert_eq!(server.refused.len(), 1, "the window is known");
}

#[test]
fn a_last_message_larger_than_the_window_is_shortened_and_the_session_goes_on() {
    let mut agent = Agent::new(settings(128_000));
    let mut server = Server::new(8_192, true);
    assert_eq!(say(&mut agent, &mut server, 0, 40_000), Some(Ending::Completed));
    assert!(format!("{:?}", server.asked.last().unwrap().messages).contains("characters omitted"));
    let told = |e: &Body| matches!(e, Body::Note(note) if note.for_people().contains("the beginning and the end of your words"));
    assert_eq!(agent.ledger().entries().iter().filter(|e| told(&e.body)).count(), 1, "the user is told");
    assert_eq!(say(&mut agent, &mut server, 1, 100), Some(Ending::Completed));
}

#[test]
fn a_server_that_refuses_everything_ends_the_run_and_lowers_nothing_for_ever() {
    let mut agent = long_session();
    let mut server = Server::new(10, true);
    assert_eq!(say(&mut agent, &mut server, 50, 200), Some(Ending::PromptTooLong));
    assert!(server.refused.len() <= 10, "{}", server.refused.len());
    let lessons = |agent: &Agent| {
        agent
            .ledger()
            .entries()
            .iter()
            .filter(|e| matches!(&e.body, Body::ProviderLimit(LearnedLimit { .. })))
            .count()
    };
    assert_eq!(lessons(&agent), 1);
    assert_eq!(play(&mut agent, &mut server, Intent::Compact), None);
    assert_eq!(say(&mut agent, &mut server, 51, 200), Some(Ending::PromptTooLong));
    assert_eq!(lessons(&agent), 1);
    let reactive = |e: &Body| matches!(e, Body::Transition { reason: Transition::ReactiveCompactRetry, .. });
    assert_eq!(agent.ledger().entries().iter().filter(|e| reactive(&e.body)).count(), 1);
}

/// Thinking counts as output, and a summary has little: nobody who thinks by himself may think much about it.
#[test]
fn a_summary_is_asked_for_with_little_thought() {
    for (adaptive, wanted) in [(Some(true), Some(Effort::Low)), (None, None)] {
        let mut settings = settings(1_000_000);
        settings.model.abilities =
            Abilities { reasoning: Some(true), adaptive_thinking: adaptive, ..Abilities::default() };
        let (mut agent, mut server) = (Agent::new(settings), Server::new(1_000_000, true));
        say(&mut agent, &mut server, 1, 100);
        assert_eq!(play(&mut agent, &mut server, Intent::Compact), None);
        let efforts: Vec<Option<Effort>> = server.asked.iter().map(|request| request.effort).collect();
        assert!(asks_for_summary(&server.asked[1]));
        assert_eq!(efforts, [None, wanted]);
    }
}

/// A message that a hook refused is withdrawn, and no model sees it: a summary of nothing would be the first that it sees.
#[test]
fn there_is_nothing_to_compact_after_a_message_that_was_refused() {
    let hook = HookSpec {
        point: HookPoint::UserPrompt,
        command: "check".into(),
        timeout_ms: 1,
        matcher: Vec::new(),
    };
    let model = ModelSpec::unknown(ModelRef::parse("script"));
    let mut agent = Agent::new(Settings { hooks: vec![hook], ..Settings::new(model) });
    let asked = agent.step(Millis(1), Input::Intent(Intent::Submit("the key".into())));
    let hooks = asked.iter().find_map(|e| if let Effect::RunHooks(call) = e { Some(call.id) } else { None });
    let no = HookAnswer { decision: Some(HookDecision::Deny), ..HookAnswer::default() };
    agent.step(Millis(2), Input::Hooks(hooks.unwrap(), vec![no]));
    assert!(agent.is_idle());
    let effects = agent.step(Millis(3), Input::Intent(Intent::Compact));
    assert!(matches!(&effects[..], [Effect::Emit(Live::Refused(_))]), "{effects:?}");
}

/// Gives the first model call of an intent this news; where a summary is asked for then, it breaks off. Says which call that was.
fn broken_summary(agent: &mut Agent, intent: Intent, overflows: bool, ends: fn(EntryId) -> Vec<Input>) {
    let call = |effects: &[Effect]| {
        let mut calls = effects.iter().filter_map(|effect| match effect {
            Effect::CallModel(message, request) => Some((*message, asks_for_summary(request))),
            _ => None,
        });
        calls.next()
    };
    let mut asked = call(&agent.step(Millis(50_000), Input::Intent(intent))).unwrap();
    if overflows {
        let failure = ModelFailure::new(FailureClass::Overflow, "too long");
        let news = ModelNews::Failed(failure);
        asked = call(&agent.step(Millis(50_001), Input::Model(asked.0, news))).unwrap();
    }
    assert!(asked.1, "a summary is asked for");
    let begun = ModelNews::Event(ModelEvent::Text("HALF OF A SUMMARY".into()));
    agent.step(Millis(50_002), Input::Model(asked.0, begun));
    for input in ends(asked.0) {
        agent.step(Millis(50_003), input);
    }
}

#[test]
fn half_a_summary_is_never_the_models_words_wherever_the_process_dies() {
    let fails: fn(EntryId) -> Vec<Input> = |message| {
        let failure = ModelFailure::new(FailureClass::BadRequest, "no");
        vec![Input::Model(message, ModelNews::Failed(failure))]
    };
    let waits: fn(EntryId) -> Vec<Input> = |message| {
        let failure = ModelFailure::new(FailureClass::Transient, "overloaded");
        vec![Input::Model(message, ModelNews::Failed(failure))]
    };
    let aborted: fn(EntryId) -> Vec<Input> = |_| vec![Input::Intent(Intent::Abort)];
    let submit = || Intent::Submit("And now?".into());
    for ends in [fails, waits, aborted] {
        for (window, intent, overflows) in
            [(1_000_000, Intent::Compact, false), (60_000, submit(), false), (1_000_000, submit(), true)]
        {
            let mut agent = resumed(&long_session(), settings(window));
            broken_summary(&mut agent, intent, overflows, ends);
            let entries = agent.ledger().entries();
            let is_half = |entry: &&std::sync::Arc<_>| format!("{entry:?}").contains("HALF OF A SUMMARY");
            assert_eq!(entries.iter().filter(is_half).count(), 1);
            for end in 1..=entries.len() {
                let recovered = recover(entries[..end].to_vec(), Millis(99_999)).unwrap();
                let seen = format!("{:?}", recovered.ledger.project());
                assert!(
                    !seen.contains("HALF OF A SUMMARY"),
                    "{overflows} {window}: cut after {:?}",
                    entries[end - 1]
                );
            }
        }
    }
}

#[test]
fn half_an_answer_stays_wherever_the_process_dies() {
    for overflows in [false, true] {
        let mut agent = resumed(&long_session(), settings(1_000_000));
        let mut asked = agent.step(Millis(50_000), Input::Intent(Intent::Submit("And now?".into())));
        let mut message = None;
        let mut summarize = overflows;
        while let Some(Effect::CallModel(id, request)) =
            asked.into_iter().find(|effect| matches!(effect, Effect::CallModel(..)))
        {
            let news = match (asks_for_summary(&request), std::mem::take(&mut summarize)) {
                (false, false) => {
                    message = Some(id);
                    break;
                }
                (false, true) => {
                    vec![ModelNews::Failed(ModelFailure::new(FailureClass::Overflow, "too long"))]
                }
                (true, _) => {
                    let text = ModelEvent::Text("All of it.".into());
                    vec![
                        ModelNews::Event(text),
                        ModelNews::Event(ModelEvent::Stop(Stop::End)),
                        ModelNews::Finished,
                    ]
                }
            };
            asked = news
                .into_iter()
                .flat_map(|news| agent.step(Millis(50_001), Input::Model(id, news)))
                .collect();
        }
        let begun = ModelNews::Event(ModelEvent::Text("HALF AN ANSWER".into()));
        agent.step(Millis(50_002), Input::Model(message.unwrap(), begun));
        agent.step(Millis(50_003), Input::Intent(Intent::Abort));
        assert_eq!(compactions(&agent, CompactionTrigger::Reactive), usize::from(overflows));
        let entries = agent.ledger().entries();
        let at = entries.iter().position(|entry| format!("{entry:?}").contains("HALF AN ANSWER")).unwrap();
        for end in at + 1..=entries.len() {
            let recovered = recover(entries[..end].to_vec(), Millis(99_999)).unwrap();
            assert!(format!("{:?}", recovered.ledger.project()).contains("HALF AN ANSWER"));
        }
    }
}
