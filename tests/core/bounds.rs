//! Each loop of the machine against an adversary that always says "again": what ends it, and after how many calls.

use crate::adversary::*;
use countersign::agent::{Agent, FinalResponse, Intent, Settings};
use countersign::budget::{Limit, TokenBudget};
use countersign::hooks::{HookAnswer, HookDecision, HookPoint, HookSpec};
use countersign::ledger::{Body, Ending, ModelRef, Outcome, Stop, Transition, Usage};
use countersign::model::{FailureClass, ModelEvent, ModelNews, ModelSpec};

fn count(agent: &Agent, wanted: impl Fn(&Body) -> bool) -> usize {
    agent.ledger().entries().iter().filter(|e| wanted(&e.body)).count()
}

fn transitions(agent: &Agent, wanted: Transition) -> usize {
    count(agent, |b| matches!(b, Body::Transition { reason, .. } if *reason == wanted))
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
    assert_eq!(&*ended.end.text, "part part part part ");
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
fn a_refusal_that_says_what_to_change_is_heeded_once() {
    let calls = |model| {
        let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
        assert_eq!((ended.end.reason, ended.end.turns), (Ending::ModelError, 1));
        ended.calls
    };
    assert_eq!(calls(|_| failed(FailureClass::ReplayRefused)), 2);
    assert_eq!(calls(|_| failed(FailureClass::OutputRejected)), 2);
    // A limit that shrinks with every call would else be heeded down to nothing.
    assert_eq!(calls(|call| failed(FailureClass::OutputLimit { most: 1_000 - call })), 2);
    // Each is heeded once, whatever comes between.
    let in_turn = |call| match call {
        1 | 4 => failed(FailureClass::ReplayRefused),
        2 => failed(FailureClass::OutputLimit { most: 1_000 }),
        _ => failed(FailureClass::Transient),
    };
    assert_eq!(calls(in_turn), 4);
}

#[test]
fn reasoning_that_is_refused_in_every_turn_is_left_out_once_a_run() {
    let model = |number| {
        if number % 2 == 1 {
            vec![ModelNews::Event(ModelEvent::Thinking("hm".into())), call(), ModelNews::Finished]
        } else {
            failed(FailureClass::ReplayRefused)
        }
    };
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls, ended.end.turns), (Ending::ModelError, 4, 3));
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
    assert_eq!(
        (ended.end.reason, ended.calls),
        (Ending::PromptTooLong, 5),
        "the summary is asked for with less each time"
    );
}

#[test]
fn a_summary_that_always_fails_is_retried_to_the_limit_and_ends_the_run_once() {
    // The prompt is too long; each summary breaks off, having cost 100 tokens of output.
    let model = |call| match call {
        1 => failed(FailureClass::Overflow),
        _ => [vec![text("They"), spent(100)], failed(FailureClass::Transient)].concat(),
    };
    let mut ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls), (Ending::PromptTooLong, 6));
    assert_eq!(transitions(&ended.agent, Transition::ReactiveCompactRetry), 1);
    assert_eq!(transitions(&ended.agent, Transition::TransientRetry), 4);
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::Error { .. })), 1);
    // What failed is paid for all the same, and stays under tombstones.
    assert_eq!((ended.end.usage.output, ended.agent.meter().session_usage().output), (500, 500));
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::Tombstone(_))), 5);
}

#[test]
fn an_overflow_that_was_mended_is_no_error() {
    let model = |call| match call {
        1 => failed(FailureClass::Overflow),
        _ => vec![text("said"), ModelNews::Finished],
    };
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls), (Ending::Completed, 3));
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::Error { .. })), 0);
    assert_eq!(transitions(&ended.agent, Transition::ReactiveCompactRetry), 1);
}

#[test]
fn a_summary_by_hand_that_always_fails_is_retried_to_the_limit_and_begins_no_run() {
    let model = |_| [vec![text("They"), spent(100)], failed(FailureClass::Transient)].concat();
    let calm = Adversary { model: |_| vec![text("hello"), ModelNews::Finished], tool: fine, hook: silence };
    let mut ended = run(settings(), &calm);
    let again = Adversary { model, tool: fine, hook: silence };
    let (calls, end) = drive(&mut ended.agent, Intent::Compact, &again);
    assert_eq!((calls, end), (5, None));
    assert_eq!(ended.agent.meter().session_usage().output, 502);
    assert_eq!(count(&ended.agent, |b| matches!(b, Body::Error { .. })), 1);
}

#[test]
fn a_window_that_is_always_full_is_compacted_once_a_turn_at_most() {
    // Nothing ever fits: each answer calls a tool, each summary brings nothing.
    let small = ModelSpec { window: 4, ..ModelSpec::unknown(ModelRef::parse("first")) };
    let model = |_| vec![text("more"), call(), ModelNews::Finished];
    let ended = run(Settings { model: small, ..settings() }, &Adversary { model, tool: fine, hook: silence });
    let turns = 50;
    assert_eq!((ended.end.reason, ended.end.turns), (Ending::MaxTurns, turns));
    let made = transitions(&ended.agent, Transition::AutoCompact);
    assert!(
        made > 0 && made <= turns as usize && ended.calls <= 2 * u64::from(turns),
        "{made} in {}",
        ended.calls
    );
}

#[test]
fn a_raised_token_budget_ends_again() {
    let model = |_| vec![text("a little more"), spent(400), ModelNews::Finished];
    let again = Adversary { model, tool: fine, hook: silence };
    let budget = Some(TokenBudget::of(1_000));
    let mut ended = run(Settings { token_budget: budget, ..settings() }, &again);
    assert_eq!((ended.end.reason, ended.calls), (Ending::TokenBudget, 3));
    let raise = Intent::Raise { limit: Limit::Tokens, to: 1_000_000 };
    let (calls, end) = drive(&mut ended.agent, raise, &again);
    assert_eq!((calls, end.unwrap().reason), (4, Ending::TokenBudget));
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
    assert_eq!(
        count(&ended.agent, |b| matches!(b, Body::Note(n) if n.for_people().starts_with("Run 1 timed out"))),
        8
    );
}

#[test]
fn the_same_call_for_ever_is_stopped_by_the_turns() {
    let model = |_| vec![call(), ModelNews::Finished];
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls, ended.end.tool_calls), (Ending::MaxTurns, 50, 50));
    assert_eq!(&*ended.end.text, "I was unable to complete this task within the allowed steps.");
    let ended =
        run(Settings { limit_is_steps: true, ..settings() }, &Adversary { model, tool: fine, hook: silence });
    assert_eq!(&*ended.end.text, "Reached maximum reasoning steps (50)");
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
        count(
            &ended.agent,
            |b| matches!(b, Body::Note(n) if n.for_people().starts_with("diminishing_returns"))
        ),
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
    assert_eq!((ended.end.reason, ended.calls, &*ended.end.text), (Ending::Completed, 2, "final"));
    assert_eq!(ended.end.not_ok.len(), 1);
}

#[test]
fn a_script_that_ends_before_the_final_response_yields_the_first_phase() {
    let model = |number| {
        if number == 1 { vec![text("Hello!"), ModelNews::Finished] } else { failed(FailureClass::Exhausted) }
    };
    let separate = Settings { final_response: FinalResponse::Separate, ..settings() };
    let ended = run(separate, &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, &*ended.end.text), (Ending::Completed, "Hello!"));
}

#[test]
fn a_final_response_without_a_word_leaves_the_answer_of_the_first_phase() {
    let model = |number| match number {
        1 => vec![text("Hello!"), ModelNews::Finished],
        _ => vec![text(" "), ModelNews::Finished],
    };
    let separate = Settings { final_response: FinalResponse::Separate, ..settings() };
    let ended = run(separate, &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.end.text.trim(), ended.calls), (Ending::Completed, "Hello!", 2));
}

#[test]
fn a_provider_that_always_pauses_is_sent_on_eight_times() {
    let model = |_| vec![text("part "), stop(Stop::Pause), ModelNews::Finished];
    let ended = run(settings(), &Adversary { model, tool: fine, hook: silence });
    assert_eq!((ended.end.reason, ended.calls, ended.end.turns), (Ending::ModelError, 9, 1));
    assert_eq!(&*ended.end.text, "part ".repeat(9));
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
fn a_stop_hook_does_not_bring_back_the_cuts() {
    let model = |number| {
        let reason = if number % 4 == 0 { Stop::End } else { Stop::Length };
        vec![text("part "), stop(reason), ModelNews::Finished]
    };
    let again = Adversary { model, tool: fine, hook: |calls| blocks(format!("again, after call {calls}")) };
    let ended = run(with_stop_hook(), &again);
    assert_eq!((ended.end.reason, ended.calls), (Ending::OutputCutOff, 5));
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
    assert_eq!((ended.end.reason, &*ended.end.text), (Ending::Completed, "Searching. Found."));
    assert_eq!(
        count(&ended.agent, |b| matches!(b, Body::Injected(i) if i.text.starts_with("Go on from"))),
        1
    );
}

#[test]
fn a_retry_is_no_turn_but_what_else_is_used_up_ends_the_run() {
    fn fails_once(call: u64) -> Vec<ModelNews> {
        if call == 1 {
            failed(FailureClass::Transient)
        } else {
            vec![text("done"), stop(Stop::End), ModelNews::Finished]
        }
    }
    let adversary = Adversary { model: fails_once, tool: fine, hook: |_| Vec::new() };
    let mut one_turn = settings();
    one_turn.limits.set(Limit::Turns, 1);
    let ended = run(one_turn, &adversary);
    assert_eq!((ended.calls, ended.end.reason), (2, Ending::Completed));
    let mut no_time = settings();
    no_time.limits.set(Limit::WallTime, 0);
    assert_eq!(run(no_time, &adversary).end.reason, Ending::WallTime);
}
