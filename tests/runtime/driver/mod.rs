//! The real driver with ports that the test plays: Esc on its three paths, a watcher that leaves, books that cannot be written.

mod asleep;
mod backgrounds;
mod fixture;
mod foreseen;
mod leaving;
mod subagents;
mod unwritable;

use countersign::agent::{Answer, Event, Intent, Live, Shutdown};
use countersign::ledger::{Body, Ending, Outcome};
use countersign::model::{ModelEvent, ModelNews};
use countersign::runtime::DriverError;
use countersign::tool::Typed;

use fixture::{DriverFixture, call};

fn ending(bodies: &[Body]) -> Ending {
    bodies.iter().rev().find_map(|b| if let Body::TurnEnded(t) = b { Some(t.reason) } else { None }).unwrap()
}

fn results(bodies: &[Body]) -> Vec<(String, String)> {
    let result = |b: &Body| match b {
        Body::ToolResult(r) => Some((r.outcome.as_str().to_owned(), r.content.clone())),
        _ => None,
    };
    bodies.iter().filter_map(result).collect()
}

#[tokio::test(start_paused = true)]
async fn a_message_becomes_an_answer() {
    let mut fixture = DriverFixture::open();
    fixture.submit("hello").await;
    let model = fixture.next_model_call().await;
    model.say("Good ").await;
    model.say("day.").await;
    model.finish().await;
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(ending(&bodies), Ending::Completed);
    assert!(matches!(&bodies[bodies.len() - 2], Body::Assistant(m) if m.text() == "Good day."));
    assert_eq!(fixture.close().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn esc_on_path_a_keeps_the_partial_text_and_closes_the_stream() {
    let mut fixture = DriverFixture::open();
    fixture.submit("hello").await;
    let model = fixture.next_model_call().await;
    model.say("Half an ans").await;
    fixture.until_live(|l| matches!(l, Live::Text { .. })).await;
    fixture.escape().await;
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(ending(&bodies), Ending::AbortedStreaming);
    assert!(
        bodies.iter().any(|b| matches!(b, Body::Assistant(m) if m.interrupted && m.text() == "Half an ans"))
    );
    model.until_dropped().await;
}

#[tokio::test(start_paused = true)]
async fn esc_on_path_b_settles_calls_that_were_not_started() {
    let mut fixture = DriverFixture::open();
    fixture.submit("change it").await;
    let model = fixture.next_model_call().await;
    model.call(0, "write", r#"{"n":1}"#).await;
    model.call(1, "write", r#"{"n":2}"#).await;
    model.finish().await;
    fixture.until_entry(|b| matches!(b, Body::ApprovalRequested(_))).await;
    fixture.escape().await;
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(ending(&bodies), Ending::AbortedStreaming);
    let not_started = ("aborted".to_owned(), "Interrupted by user; was not started".to_owned());
    assert_eq!(results(&bodies), [not_started.clone(), not_started]);
    assert_eq!(fixture.over(), [call(1), call(2)], "what was held for them is let go");
}

#[tokio::test(start_paused = true)]
async fn esc_on_path_c_cancels_what_runs_and_keeps_what_is_done() {
    let mut fixture = DriverFixture::open();
    fixture.submit("look").await;
    let model = fixture.next_model_call().await;
    model.call(0, "read", r#"{"n":1}"#).await;
    model.call(1, "read", r#"{"n":2}"#).await;
    model.finish().await;
    let first = fixture.next_tool_run().await;
    let second = fixture.next_tool_run().await;
    let (quick, slow) = if first.call == call(1) { (first, second) } else { (second, first) };
    quick.done(Outcome::Ok, "contents");
    fixture.until_live(|l| matches!(l, Live::ToolFinished { .. })).await;
    fixture.escape().await;
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(ending(&bodies), Ending::AbortedTools);
    let results = results(&bodies);
    assert_eq!(results[0], ("ok".to_owned(), "contents".to_owned()));
    assert_eq!(results[1].0, "aborted");
    assert!(results[1].1.starts_with("Interrupted mid-execution after "), "{}", results[1].1);
    assert!(results[1].1.ends_with("; effects may be partial; check before repeating"));
    slow.until_dropped().await;
}

#[tokio::test(start_paused = true)]
async fn denying_one_call_leaves_its_sibling_alone() {
    let mut fixture = DriverFixture::open();
    fixture.submit("change both").await;
    let model = fixture.next_model_call().await;
    model.call(0, "write", r#"{"n":1}"#).await;
    model.call(1, "write", r#"{"n":2}"#).await;
    model.finish().await;
    let first = fixture.until_request().await;
    let second = fixture.until_request().await;
    fixture.decide(first, call(1), Answer::Deny("not this one".into())).await;
    fixture.decide(first, call(1), Answer::AllowOnce).await;
    fixture.until_live(|l| matches!(l, Live::Refused(_))).await;
    fixture.decide(second, call(2), Answer::AllowOnce).await;
    let run = fixture.next_tool_run().await;
    assert_eq!(run.call, call(2));
    run.done(Outcome::Ok, "written");
    let model = fixture.next_model_call().await;
    model.say("Done.").await;
    model.finish().await;
    let bodies = fixture.until_turn_ended().await;
    let results = results(&bodies);
    assert!(results[0].1.contains("not this one"));
    assert_eq!((results[0].0.as_str(), results[1].0.as_str()), ("denied", "ok"));
    assert_eq!(ending(&bodies), Ending::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_crashing_tool_is_a_failed_tool() {
    let mut fixture = DriverFixture::open();
    fixture.submit("look").await;
    let model = fixture.next_model_call().await;
    model.call(0, "read", r#"{"panic":true}"#).await;
    model.finish().await;
    let model = fixture.next_model_call().await;
    model.say("It crashed.").await;
    model.finish().await;
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(results(&bodies)[0].0, "failed");
    assert_eq!(ending(&bodies), Ending::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_watcher_that_leaves_aborts_and_settles() {
    let mut fixture = DriverFixture::open();
    fixture.submit("look").await;
    let model = fixture.next_model_call().await;
    model.call(0, "read", "{}").await;
    model.finish().await;
    let run = fixture.next_tool_run().await;
    let books = fixture.leave().await;
    run.until_dropped().await;
    assert_eq!(ending(&books), Ending::AbortedTools);
    assert_eq!(results(&books)[0].0, "aborted");
}

#[tokio::test(start_paused = true)]
async fn a_signal_aborts_before_the_loop_ends() {
    let mut fixture = DriverFixture::open();
    fixture.submit("hello").await;
    let model = fixture.next_model_call().await;
    model.say("Half").await;
    fixture.until_live(|l| matches!(l, Live::Text { .. })).await;
    fixture.handles().shutdown.send(Shutdown::Signal).await.unwrap();
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(ending(&bodies), Ending::AbortedStreaming);
    assert_eq!(fixture.close().await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn nothing_acts_when_the_books_cannot_be_written() {
    let mut fixture = DriverFixture::with_a_full_disk();
    fixture.submit("hello").await;
    let DriverError::Store { why, unwritten } = fixture.close().await.unwrap_err();
    assert_eq!(why, "no space left on device");
    assert!(matches!(unwritten.last().unwrap().body, Body::TurnEnded(_)), "{unwritten:?}");
    assert!(!fixture.a_model_was_called());
}

#[tokio::test(start_paused = true)]
async fn nothing_acts_when_the_books_cannot_be_made_durable() {
    let mut fixture = DriverFixture::with_a_failing_disk();
    fixture.submit("hello").await;
    let error = fixture.close().await.unwrap_err();
    assert!(error.to_string().contains("broken"), "{error}");
    assert!(!fixture.a_model_was_called());
}

#[tokio::test(start_paused = true)]
async fn a_tool_turn_makes_two_syncs_and_nothing_acts_before_them() {
    let mut fixture = DriverFixture::open();
    fixture.submit("look").await;
    let model = fixture.next_model_call().await;
    assert_eq!(fixture.done(), ["write", "sync", "model"]);
    model.call(0, "read", "{}").await;
    model.finish().await;
    let run = fixture.next_tool_run().await;
    // A look changes nothing: the answer is made durable together with what was decided after it.
    assert_eq!(fixture.done(), ["write", "look", "write", "sync", "tool"]);
    run.done(Outcome::Ok, "contents");
    let model = fixture.next_model_call().await;
    assert_eq!(fixture.done(), ["write", "sync", "model"]);
    model.say("Done.").await;
    model.finish().await;
    fixture.until_turn_ended().await;
    assert_eq!(fixture.done(), ["write", "sync"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_a_person_is_durable_before_they_hear_of_it() {
    let mut fixture = DriverFixture::open();
    fixture.submit("change it").await;
    let model = fixture.next_model_call().await;
    fixture.done();
    model.call(0, "write", "{}").await;
    model.finish().await;
    fixture.until_request().await;
    assert_eq!(fixture.done(), ["write", "look", "write", "sync"]);
}

#[tokio::test(start_paused = true)]
async fn a_look_that_hangs_keeps_no_entry_from_the_disk_and_nobody_hears_before() {
    let mut fixture = DriverFixture::open();
    fixture.submit("look").await;
    let model = fixture.next_model_call().await;
    fixture.done();
    model.call(0, "read", r#"{"hangs":true}"#).await;
    model.finish().await;
    fixture.until_entry(|b| matches!(b, Body::Assistant(_))).await;
    assert_eq!(fixture.done(), ["write", "look", "sync"]);
    // Esc finds the call not started.
    fixture.escape().await;
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(results(&bodies)[0].1, "Interrupted by user; was not started");
    assert_eq!(fixture.done(), ["write", "sync"]);
}

#[tokio::test(start_paused = true)]
async fn the_wall_time_limit_stops_a_run_but_not_while_a_person_thinks() {
    let mut fixture = DriverFixture::with_wall_time(60);
    fixture.submit("change it").await;
    let model = fixture.next_model_call().await;
    model.call(0, "write", "{}").await;
    model.finish().await;
    let request = fixture.until_request().await;
    tokio::time::advance(std::time::Duration::from_secs(3_600)).await;
    fixture.decide(request, call(1), Answer::AllowOnce).await;
    let run = fixture.next_tool_run().await;
    // The paused clock jumps to the next timer once everything is idle: that is the wall-time limit.
    let bodies = fixture.until_turn_ended().await;
    assert_eq!(ending(&bodies), Ending::WallTime);
    assert!(results(&bodies)[0].1.starts_with("Stopped by the wall-time budget mid-execution"));
    run.until_dropped().await;
}

#[tokio::test(start_paused = true)]
async fn deltas_wait_joined_for_a_slow_watcher_and_entries_are_never_lost() {
    let mut fixture = DriverFixture::open();
    fixture.submit("hello").await;
    let model = fixture.next_model_call().await;
    for _ in 0..20_000 {
        model.send(ModelNews::Event(ModelEvent::Text("word ".into()))).await;
    }
    model.finish().await;
    let mut deltas = 0;
    let mut streamed = String::new();
    loop {
        match fixture.handles().events.recv().await.unwrap() {
            Event::Live(Live::Text { text, .. }) => {
                deltas += 1;
                streamed.push_str(&text);
            }
            Event::Appended(entry) if matches!(entry.body, Body::TurnEnded(_)) => break,
            Event::Live(_) | Event::Appended(_) => {}
        }
    }
    assert_eq!(streamed, "word ".repeat(20_000));
    assert!(deltas < 2_000, "{deltas} deltas were not joined");
    fixture.handles().intents.send(Intent::Abort).await.unwrap();
}

/// The third law for keys: that they come is on disk before the first of them arrives.
#[tokio::test(start_paused = true)]
async fn keys_reach_a_command_after_the_books_are_synced() {
    let mut fixture = DriverFixture::open();
    fixture.submit("log in").await;
    let model = fixture.next_model_call().await;
    model.call(0, "shell", r#"{"command":"login","pty":true}"#).await;
    model.finish().await;
    let request = fixture.until_request().await;
    fixture.decide(request, call(1), Answer::AllowOnce).await;
    let run = fixture.next_tool_run().await;
    fixture.until_live(|live| matches!(live, Live::Progress { .. })).await;
    fixture.done();
    for _ in 0..2 {
        let typed = Typed(b"secret\r".to_vec());
        fixture.handles().intents.send(Intent::TypeInto { call: call(1), typed }).await.unwrap();
    }
    run.done(Outcome::Failed, "no");
    fixture.until_entry(|body| matches!(body, Body::ToolResult(_))).await;
    let done = fixture.done();
    assert_eq!(done.get(..4), Some(&["write", "sync", "keys", "keys"][..]), "{done:?}");
}
