//! Each loop of the machine against an adversary that always says "again": what ends it, and after how many calls.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "tests")]

use std::collections::VecDeque;

use countersign::agent::{Agent, Effect, FinalResponse, Input, Intent, Settings};
use countersign::budget::TokenBudget;
use countersign::hooks::{HookAnswer, HookDecision, HookPoint, HookSpec};
use countersign::ledger::{Body, Ending, Millis, ModelRef, Outcome, Stop, TurnEnded, Usage};
use countersign::model::{FailureClass, ModelEvent, ModelFailure, ModelNews, ModelSpec};
use countersign::tool::{Preparation, SideEffect, ToolNews, ToolReport, ToolSpec};

/// What an adversary does to every model call and every tool run.
struct Adversary {
    model: fn(call: u64) -> Vec<ModelNews>,
    tool: fn() -> ToolReport,
    hook: fn(calls: u64) -> Vec<HookAnswer>,
}

/// How a run ended, and after how many model calls.
struct Ended {
    calls: u64,
    end: TurnEnded,
    agent: Agent,
}

/// More calls than any bound allows.
const FOREVER: u64 = 500;

fn settings() -> Settings {
    let read = ToolSpec {
        name: "read".into(),
        description: String::new(),
        schema: serde_json::json!({}),
        effect: SideEffect::Reads,
        paths: vec![],
        timeout_ms: None,
    };
    Settings { tools: vec![read], ..Settings::new(ModelSpec::unknown(ModelRef::parse("first"))) }
}

fn run(settings: Settings, adversary: &Adversary) -> Ended {
    let mut agent = Agent::new(settings);
    let mut inputs = VecDeque::from([Input::Intent(Intent::Submit("go".into()))]);
    let (mut calls, mut now) = (0, 1_000);
    let mut end = None;
    while let Some(input) = inputs.pop_front() {
        now += 10;
        for effect in agent.step(Millis(now), input) {
            match effect {
                Effect::CallModel(message, _) => {
                    calls += 1;
                    assert!(calls < FOREVER, "the loop has no end");
                    inputs
                        .extend((adversary.model)(calls).into_iter().map(|news| Input::Model(message, news)));
                }
                Effect::Prepare(call) => inputs.push_back(Input::Prepared(call.call, Preparation::default())),
                Effect::RunTool(call) => {
                    inputs.push_back(Input::Tool(call.call, ToolNews::Done((adversary.tool)())))
                }
                // The wall-time limit never comes first here; a wait is over at once.
                Effect::SetTimer(timer, wait_ms) if wait_ms < 1_000_000 => {
                    inputs.push_back(Input::Timer(timer))
                }
                Effect::Append(entry) => {
                    if let Body::TurnEnded(ended) = &entry.body {
                        end = Some(ended.clone());
                    }
                }
                Effect::RunHooks(hooks) => inputs.push_back(Input::Hooks(hooks.id, (adversary.hook)(calls))),
                Effect::SetTimer(..) | Effect::Cancel(_) | Effect::Emit(_) => {}
            }
        }
    }
    assert!(agent.is_idle());
    countersign::ledger::check(agent.ledger().entries()).unwrap();
    Ended { calls, end: end.expect("the run has an end"), agent }
}

fn text(words: &str) -> ModelNews {
    ModelNews::Event(ModelEvent::Text(words.into()))
}

fn stop(reason: Stop) -> ModelNews {
    ModelNews::Event(ModelEvent::Stop(reason))
}

fn call() -> ModelNews {
    ModelNews::Event(ModelEvent::CallStarted { index: 0, wire_id: "same".into(), name: "read".into() })
}

fn failed(class: FailureClass) -> Vec<ModelNews> {
    vec![ModelNews::Failed(ModelFailure::new(class, "no"))]
}

fn report(outcome: Outcome, transient: bool) -> ToolReport {
    ToolReport { outcome, content: "said the tool".into(), cut_chars: 0, transient }
}

fn silence(_: u64) -> Vec<HookAnswer> {
    vec![]
}

fn fine() -> ToolReport {
    report(Outcome::Ok, false)
}

fn count(agent: &Agent, wanted: impl Fn(&Body) -> bool) -> usize {
    agent.ledger().entries().iter().filter(|e| wanted(&e.body)).count()
}

fn blocks(reason: String) -> Vec<HookAnswer> {
    vec![HookAnswer { decision: Some(HookDecision::Deny), reason: Some(reason), ..HookAnswer::default() }]
}

fn with_stop_hook() -> Settings {
    let hook =
        HookSpec { point: HookPoint::Stop, command: "check".into(), timeout_ms: 1_000, matcher: vec![] };
    Settings { hooks: vec![hook], ..settings() }
}

#[test]
fn a_stop_hook_that_always_blocks_is_asked_eight_times() {
    let model = |_| vec![text("done"), ModelNews::Finished];
    let again = Adversary { model, tool: fine, hook: |calls| blocks(format!("again, after call {calls}")) };
    let ended = run(with_stop_hook(), &again);
    assert_eq!((ended.end.reason, ended.calls, ended.end.turns), (Ending::Completed, 9, 1));
}

#[test]
fn a_stop_hook_that_repeats_itself_is_heard_once() {
    let model = |_| vec![text("done"), ModelNews::Finished];
    let ended = run(with_stop_hook(), &Adversary { model, tool: fine, hook: |_| blocks("the same".into()) });
    assert_eq!((ended.end.reason, ended.calls), (Ending::Completed, 2));
}

#[test]
fn stop_hooks_do_not_judge_an_error_or_a_budget_stop() {
    let never = |_| -> Vec<HookAnswer> { panic!("a stop hook was asked") };
    let failing = Adversary { model: |_| failed(FailureClass::BadRequest), tool: fine, hook: never };
    assert_eq!(run(with_stop_hook(), &failing).end.reason, Ending::ModelError);
    let calling = Adversary { model: |_| vec![call(), ModelNews::Finished], tool: fine, hook: never };
    assert_eq!(run(with_stop_hook(), &calling).end.reason, Ending::MaxTurns);
}

#[test]
fn a_stop_hook_cannot_bring_back_the_reactive_compaction() {
    // Compact, answer, blocked, too long again: the guard is the session's, not the turn's.
    let model = |call| match call {
        1 | 4 => failed(FailureClass::Overflow),
        2 => vec![text("a summary"), ModelNews::Finished],
        _ => vec![text("done"), ModelNews::Finished],
    };
    let ended = run(with_stop_hook(), &Adversary { model, tool: fine, hook: |_| blocks("again".into()) });
    assert_eq!((ended.end.reason, ended.calls), (Ending::PromptTooLong, 4));
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::Compaction(_))), 1);
}

#[test]
fn a_cut_answer_is_continued_three_times_and_its_parts_are_joined() {
    let model = |_| vec![text("part "), stop(Stop::Length), ModelNews::Finished];
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls, ended.end.turns), (Ending::OutputCutOff, 4, 1));
    assert_eq!(ended.end.text, "part part part part ");
}

#[test]
fn an_empty_answer_is_nudged_once() {
    let ended =
        run(settings(), &Adversary { model: |_| vec![ModelNews::Finished], tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls), (Ending::NoFinalAnswerOrToolCall, 2));
    let thinks = |_| vec![ModelNews::Event(ModelEvent::Thinking("hm".into())), ModelNews::Finished];
    let ended = run(settings(), &Adversary { model: thinks, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls), (Ending::NoFinalAnswerOrToolCall, 2));
}

#[test]
fn transient_failures_are_retried_to_the_limit_on_each_model_of_the_chain() {
    let again = Adversary { model: |_| failed(FailureClass::Transient), tool: fine, hook: silence };
    let ended = run(settings(), &again);
    assert_eq!((ended.end.reason, ended.calls), (Ending::ModelError, 5));
    let second = ModelSpec::unknown(ModelRef::parse("second"));
    let ended = run(Settings { fallback: vec![second], ..settings() }, &again);
    assert_eq!((ended.end.reason, ended.calls, ended.end.turns), (Ending::ModelError, 10, 1));
}

#[test]
fn quota_is_not_retried_but_may_fall_back() {
    let quota = Adversary { model: |_| failed(FailureClass::Quota), tool: fine, hook: silence };
    assert_eq!(run(settings(), &quota).calls, 1);
    let chain = ["second", "third"].map(|name| ModelSpec::unknown(ModelRef::parse(name)));
    let ended = run(Settings { fallback: chain.to_vec(), ..settings() }, &quota);
    assert_eq!((ended.end.reason, ended.calls), (Ending::ModelError, 3));
}

#[test]
fn a_prompt_that_stays_too_long_is_compacted_once_a_session() {
    let model = |call| {
        if call == 2 { vec![text("a summary"), ModelNews::Finished] } else { failed(FailureClass::Overflow) }
    };
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls), (Ending::PromptTooLong, 3));
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::Compaction(_))), 1);
    let ended =
        run(settings(), &Adversary { model: |_| failed(FailureClass::Overflow), tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls), (Ending::PromptTooLong, 2));
}

#[test]
fn a_tool_that_always_fails_ends_the_run() {
    let model = |_| vec![call(), ModelNews::Finished];
    let ended = run(settings(), &Adversary { model, tool: || report(Outcome::Failed, false), hook: silence });
    assert_eq!((ended.end.reason, ended.calls), (Ending::RepeatedFailures, 8));
}

#[test]
fn a_read_is_tried_again_once_and_its_attempts_are_notes() {
    let model = |_| vec![call(), ModelNews::Finished];
    let ended =
        run(settings(), &Adversary { model, tool: || report(Outcome::TimedOut, true), hook: silence });
    assert_eq!(ended.end.reason, Ending::RepeatedFailures);
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::ToolResult(_))), 8);
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::Note(n) if n.text.starts_with("Run 1 failed"))), 8);
}

#[test]
fn the_same_call_for_ever_is_stopped_by_the_turns() {
    let model = |_| vec![call(), ModelNews::Finished];
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls, ended.end.tool_calls), (Ending::MaxTurns, 50, 50));
    assert_eq!(ended.end.text, "I was unable to complete this task within the allowed steps.");
    let ended =
        run(Settings { limit_is_steps: true, ..settings() }, &Adversary { model, tool: fine, hook: silence });
    assert_eq!(ended.end.text, "Reached maximum reasoning steps (50)");
}

#[test]
fn a_token_budget_ends_when_the_returns_diminish() {
    let model = |_| {
        let usage = Usage { input: 10, output: 100, ..Usage::default() };
        vec![text("a little more"), ModelNews::Event(ModelEvent::Usage(usage)), ModelNews::Finished]
    };
    let budget = Some(TokenBudget::of(1_000_000));
    let ended =
        run(Settings { token_budget: budget, ..settings() }, &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls), (Ending::TokenBudget, 4));
    assert_eq!(
        count(&ended.agent, |b| matches!(b, Body::Note(n) if n.text.starts_with("diminishing_returns"))),
        1
    );
}

#[test]
fn calls_in_the_final_response_are_settled_as_not_run() {
    let model = |number| {
        if number == 1 {
            vec![text("notes"), ModelNews::Finished]
        } else {
            vec![text("final"), call(), ModelNews::Finished]
        }
    };
    let separate = Settings { final_response: FinalResponse::Separate, ..settings() };
    let ended = run(
        separate,
        &Adversary { model, tool: || panic!("no tool runs in the final response"), hook: silence },
    );
    assert_eq!((ended.end.reason, ended.calls, ended.end.text.as_str()), (Ending::Completed, 2, "final"));
    assert_eq!(ended.end.not_ok.len(), 1);
}

#[test]
fn a_script_that_ends_before_the_final_response_yields_the_first_phase() {
    let model = |number| {
        if number == 1 { vec![text("Hello!"), ModelNews::Finished] } else { failed(FailureClass::Exhausted) }
    };
    let separate = Settings { final_response: FinalResponse::Separate, ..settings() };
    let ended = run(separate, &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.end.text.as_str()), (Ending::Completed, "Hello!"));
}

#[test]
fn a_provider_that_always_pauses_is_sent_on_eight_times() {
    let model = |_| vec![text("part "), stop(Stop::Pause), ModelNews::Finished];
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls, ended.end.turns), (Ending::ModelError, 9, 1));
    assert_eq!(ended.end.text, "part ".repeat(9));
    let says =
        |b: &Body| matches!(b, Body::Error { message, .. } if message.contains("paused its answer 9 times"));
    assert_eq!(count(&ended.agent, says), 1);
    // No word of ours stands between the parts.
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::Injected(_))), 0);
}

#[test]
fn pauses_and_cuts_that_take_turns_set_no_bound_back() {
    let model = |number| {
        let reason = if number % 2 == 0 { Stop::Length } else { Stop::Pause };
        vec![text("part "), stop(reason), ModelNews::Finished]
    };
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    // Four cuts end it, and the pauses between them; neither count is set back by the other.
    assert_eq!((ended.end.reason, ended.calls), (Ending::OutputCutOff, 8));
    let stubborn =
        Adversary { model, tool: fine, hook: |calls| blocks(format!("again, after call {calls}")) };
    assert_eq!(run(with_stop_hook(), &stubborn).end.reason, Ending::OutputCutOff);
}

#[test]
fn a_stop_hook_does_not_bring_back_the_pauses() {
    let model = |number| {
        let reason = if number % 4 == 0 { Stop::End } else { Stop::Pause };
        vec![text("part "), stop(reason), ModelNews::Finished]
    };
    let again = Adversary { model, tool: fine, hook: |calls| blocks(format!("again, after call {calls}")) };
    let ended = run(with_stop_hook(), &again);
    assert_eq!((ended.end.reason, ended.calls), (Ending::ModelError, 11));
}

#[test]
fn a_paused_turn_that_another_model_takes_over_ends_in_a_word_of_ours() {
    let model = |number| match number {
        1 => vec![text("Searching. "), stop(Stop::Pause), ModelNews::Finished],
        2 => failed(FailureClass::Quota),
        _ => vec![text("Found."), ModelNews::Finished],
    };
    let second = ModelSpec::unknown(ModelRef::parse("second"));
    let ended = run(
        Settings { fallback: vec![second], ..settings() },
        &Adversary { model, tool: fine, hook: silence },
    );
    assert_eq!((ended.end.reason, ended.end.text.as_str()), (Ending::Completed, "Searching. Found."));
    assert_eq!(
        count(&ended.agent, |b| matches!(b, Body::Injected(i) if i.text.starts_with("Go on from"))),
        1
    );
}
