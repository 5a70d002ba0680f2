//! How a summary is asked for: in how many parts, how often each, and who is told.

use std::collections::VecDeque;

use countersign::agent::{Agent, Effect, Input, Intent, Live, Settings};
use countersign::context::estimate_tokens;
use countersign::hooks::{HookPoint, HookSpec, Payload};
use countersign::ledger::{CompactionTrigger, Millis, ProviderLimit, Transition, recover};
use countersign::model::{FailureClass, ModelFailure, ModelNews, Request};

use crate::compaction::{Server, asks_for_summary, compactions, long_session, play, resumed, settings};
use crate::session_builder::SessionBuilder;

/// Compacts by hand where every part of a summary fails so often before the server hears it. Says how often hooks were told.
fn compact(agent: &mut Agent, server: &mut Server, failures: usize) -> usize {
    let mut inputs = VecDeque::from([Input::Intent(Intent::Compact)]);
    let (mut told, mut failed, mut steps) = (0, 0, 60_000);
    while let Some(input) = inputs.pop_front() {
        steps += 1;
        assert!(steps < 70_000, "the loop has no end");
        for effect in agent.step(Millis(steps), input) {
            match effect {
                Effect::CallModel(message, request) if request.tools.is_empty() && failed < failures => {
                    failed += 1;
                    let failure = ModelFailure::new(FailureClass::Transient, "overloaded");
                    inputs.push_back(Input::Model(message, ModelNews::Failed(failure)));
                }
                Effect::CallModel(message, request) => {
                    failed = 0;
                    let news = server.answer(*request);
                    inputs.extend(news.into_iter().map(|news| Input::Model(message, news)));
                }
                Effect::SetTimer(timer, _) => inputs.push_back(Input::Timer(timer)),
                Effect::RunHooks(call) => {
                    told += usize::from(matches!(call.payload, Payload::PreCompact { .. }));
                }
                _ => {}
            }
        }
    }
    told
}

fn parts(server: &Server) -> Vec<&Request> {
    server.asked.iter().filter(|request| asks_for_summary(request)).collect()
}

#[test]
fn a_summary_has_sixteen_parts_at_most_and_says_what_it_leaves_out() {
    let skips = |request: &Request| format!("{:?}", request.messages).contains("are omitted here");
    for (window, leaves_out) in [(6_000, true), (8_192, true), (60_000, false)] {
        let (mut agent, mut server) = (long_session(), Server::new(window, true));
        compact(&mut agent, &mut server, 0);
        assert_eq!(compactions(&agent, CompactionTrigger::Manual), 1);
        let parts = parts(&server);
        assert!(parts.len() > 1 && parts.len() <= 16, "{window}: {}", parts.len());
        assert_eq!(parts.iter().any(|part| skips(part)), leaves_out, "{window}");
        for part in parts {
            assert!(part.max_output <= window / 8, "{window}: {}", part.max_output);
        }
    }
}

#[test]
fn each_part_is_tried_again_as_often_as_any_call() {
    let (mut agent, mut server) = (long_session(), Server::new(60_000, true));
    compact(&mut agent, &mut server, 2);
    assert!(parts(&server).len() > 1);
    assert_eq!(compactions(&agent, CompactionTrigger::Manual), 1);
}

#[test]
fn hooks_are_told_once_of_a_compaction() {
    let hook = HookSpec {
        point: HookPoint::PreCompact,
        command: "watch".into(),
        timeout_ms: 1_000,
        matcher: Vec::new(),
    };
    for (window, failures) in [(1_000_000, 0), (1_000_000, 2), (60_000, 0), (60_000, 2)] {
        let hooked = Settings { hooks: vec![hook.clone()], ..settings(128_000) };
        let mut agent = resumed(&long_session(), hooked);
        let told = compact(&mut agent, &mut Server::new(window, true), failures);
        assert_eq!(told, 1, "{window} {failures}");
    }
}

#[test]
fn nothing_is_compacted_while_tools_are_looked_for() {
    let mut agent = resumed(&long_session(), Settings { discovers: true, ..settings(1_000_000) });
    let effects = agent.step(Millis(60_000), Input::Intent(Intent::Compact));
    assert!(
        matches!(&effects[..], [Effect::Emit(Live::Refused(why))] if why.contains("Still waiting")),
        "{effects:?}"
    );
}

#[test]
fn a_refusal_that_names_no_window_teaches_three_quarters_of_what_was_refused() {
    let (mut agent, mut server) = (long_session(), Server::new(30_000, false));
    play(&mut agent, &mut server, Intent::Submit("And now?".into()));
    let learned = agent.ledger().entries().iter().find_map(|entry| match ProviderLimit::of(entry) {
        Some(ProviderLimit::Window { most, .. }) => Some(most),
        _ => None,
    });
    let refused = server.refused.first().map(estimate_tokens).unwrap();
    assert_eq!(learned, Some(refused / 4 * 3));
}

#[test]
fn a_part_is_words_alone() {
    let told = Settings { system: "You are careful.".into(), ..settings(1_000_000) };
    let (mut agent, mut server) = (Agent::new(told.clone()), Server::new(1_000_000, true));
    for number in 0..10 {
        let words = format!("Question {number}: {}", "abc ".repeat(1_500));
        play(&mut agent, &mut server, Intent::Submit(words.as_str().into()));
    }
    assert!(server.asked.iter().all(|request| request.system.contains("You are careful.")));
    let mut small = Server::new(8_192, true);
    compact(&mut agent, &mut small, 0);
    let parts = parts(&small);
    assert!(parts.len() > 1 && parts.iter().all(|part| part.system.is_empty() && part.tools.is_empty()));
}

/// A process that died while the model spoke: what the next one takes the last words for.
#[test]
fn half_a_summary_that_was_tried_again_is_no_answer_either() {
    let seen = |reasons: &[Transition], interrupted: bool| {
        let mut builder = SessionBuilder::new();
        builder.user("go");
        for reason in reasons {
            builder.call_model(*reason);
        }
        builder.speak(None, "", "THE LAST WORDS", Vec::new(), interrupted);
        let recovered = recover(builder.ledger.entries().to_vec(), Millis(9)).unwrap();
        format!("{:?}", recovered.ledger.project()).contains("THE LAST WORDS")
    };
    use Transition::{AutoCompact, NextTurn, ReactiveCompactRetry, TransientRetry};
    for summarizes in [AutoCompact, ReactiveCompactRetry] {
        assert!(!seen(&[summarizes], true), "{summarizes:?}");
        assert!(!seen(&[summarizes, TransientRetry], true), "{summarizes:?}");
        assert!(!seen(&[summarizes, TransientRetry, TransientRetry], true), "{summarizes:?}");
        assert!(seen(&[summarizes, NextTurn], true), "{summarizes:?}");
        assert!(seen(&[summarizes, NextTurn, TransientRetry], true), "{summarizes:?}");
    }
    assert!(seen(&[], true) && seen(&[TransientRetry], true), "an answer that was cut short stays");
    assert!(seen(&[AutoCompact], false), "what is whole was not cut short");
}
