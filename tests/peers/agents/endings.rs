//! Esc and time: what the agent is asked then, and what is told of it.

use countersign::ledger::{Outcome, TaskState};
use countersign::runtime::ToolPort as _;
use countersign::tool::Shown;
use futures_util::FutureExt as _;
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::a2a::agent::Agent;
use crate::a2a::site::{Asked, Reply, Site};
use crate::a2a::way::Way;
use crate::agents::broken::UNKNOWN;
use crate::agents::fixture::{Fixture, PATIENCE, at, becomes_true, invocation, remote, said};

fn named(task: &str) -> Shown {
    Shown::Task(task.to_owned())
}

#[tokio::test]
async fn esc_before_the_card_sends_nothing() {
    let site = Site::new(|_, reply| reply.hold());
    let mut fixture = Fixture::new(vec![at(&site.url())]);
    let begun = fixture.begin("slow");
    becomes_true("the question for the card", || site.asked().len() == 1).await;
    begun.cut().await;
    assert_eq!(
        fixture.late().await,
        ("nothing was sent to the agent writer".to_owned(), remote(None, TaskState::Unknown))
    );
    fixture.tools.close().await;
    assert_eq!(site.asked().len(), 1, "{:?}", site.asked());
}

#[tokio::test]
async fn esc_before_the_name_waits_for_it_and_cancels_then() {
    for way in Way::ALL {
        let agent = Agent::new(way);
        agent.mute(true);
        let mut fixture = agent.fixture();
        let begun = fixture.begin("slow");
        let [send, _, cancel] = way.methods();
        becomes_true("the message", || agent.site.count(send) == 1).await;
        begun.cut().await;
        assert_eq!(agent.site.count(cancel), 0);
        agent.mute(false);
        let words = "canceled, as the agent writer confirms (its task t-1)".to_owned();
        assert_eq!(fixture.late().await, (words, remote(Some("t-1"), TaskState::Canceled)), "{way:?}");
        assert_eq!((agent.site.count(cancel), agent.state("t-1")), (1, "canceled"));
    }
}

#[tokio::test]
async fn esc_after_the_name_cancels_at_once() {
    for way in Way::ALL {
        let agent = Agent::new(way);
        let mut fixture = agent.fixture();
        let mut begun = fixture.begin("slow");
        assert_eq!(begun.shown().await, named("t-1"));
        begun.cut().await;
        // What is under way is waited for when everything ends.
        fixture.tools.close().await;
        let [send, _, cancel] = way.methods();
        assert_eq!(
            (agent.site.count(send), agent.site.count(cancel), agent.state("t-1")),
            (1, 1, "canceled")
        );
        let words = "canceled, as the agent writer confirms (its task t-1)".to_owned();
        assert_eq!(fixture.late().await, (words, remote(Some("t-1"), TaskState::Canceled)), "{way:?}");
        assert!(fixture.nothing_is_late());
    }
}

#[tokio::test]
async fn esc_when_the_task_is_over_says_how_it_ended() {
    for is_new in [true, false] {
        let way = Way { is_new, streams: true };
        let agent = Agent::new(way);
        let mut fixture = agent.fixture();
        let mut begun = fixture.begin("hide");
        assert_eq!(begun.shown().await, named("t-1"));
        becomes_true("its end", || agent.state("t-1") == "completed").await;
        begun.cut().await;
        let words = "completed, as the agent writer reports (its task t-1)\nIt answered:\nready".to_owned();
        assert_eq!(fixture.late().await, (words, remote(Some("t-1"), TaskState::Completed)));
        let [send, get, cancel] = way.methods();
        assert_eq!(agent.site.methods(), [send, cancel, get]);
    }
}

#[tokio::test]
async fn esc_after_the_result_changes_nothing() {
    let agent = Agent::new(Way::NEWEST);
    let mut fixture = agent.fixture();
    assert_eq!(said(&fixture.hand("echo x").await), (Outcome::Ok, "x"));
    fixture.tools.close().await;
    assert!(fixture.nothing_is_late());
    assert_eq!(agent.site.methods(), ["SendStreamingMessage"]);
}

#[tokio::test]
async fn esc_while_a_question_is_answered_cancels_that_task() {
    let agent = Agent::new(Way::NEWEST);
    let mut fixture = agent.fixture();
    fixture.hand("ask Which?").await;
    agent.mute(true);
    let begun = fixture.begin_with(json!({ "task": "slow", "task_id": "t-1" }));
    becomes_true("the message", || agent.site.count("SendStreamingMessage") == 2).await;
    begun.cut().await;
    let (words, task) = {
        becomes_true("the end of the task", || agent.site.count("CancelTask") == 1).await;
        agent.mute(false);
        fixture.late().await
    };
    assert_eq!(words, "canceled, as the agent writer confirms (its task t-1)");
    assert_eq!(task, remote(Some("t-1"), TaskState::Canceled));
}

/// An agent that takes a task and answers cancelling, and questions about it, as it is told.
fn stubborn(answer: impl Fn(&Asked, Reply) + Send + Sync + 'static) -> Site {
    Site::new(move |asked, mut reply| match (asked.method.as_str(), asked.rpc()) {
        ("get", _) => {
            let url = format!("http://{}/rpc", asked.header("host").unwrap());
            let interface = json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
            reply.json(&json!({ "name": "s", "supportedInterfaces": [interface], "capabilities": { "streaming": true } }));
        }
        (_, "SendStreamingMessage") => {
            let event =
                json!({ "result": { "task": { "id": "t-1", "status": { "state": "TASK_STATE_WORKING" } } } });
            reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
            reply.write(format!("data: {event}\n\n").as_bytes());
            reply.hold();
        }
        _ => answer(asked, reply),
    })
}

async fn farewell_of(site: &Site) -> String {
    let mut fixture = Fixture::new(vec![at(&site.url())]);
    let mut begun = fixture.begin("x");
    assert_eq!(begun.shown().await, named("t-1"));
    begun.cut().await;
    let (words, task) = fixture.late().await;
    assert_eq!(task.unwrap().id.as_deref(), Some("t-1"));
    words
}

#[tokio::test]
async fn what_is_not_confirmed_is_said_with_its_reason() {
    let refuses = stubborn(|_, reply| {
        reply.json(&json!({ "error": { "code": -32004, "message": "never, key-123456789\u{202e}" } }));
    });
    let never = "perhaps not canceled: the agent writer did not confirm it: ";
    assert_eq!(farewell_of(&refuses).await, format!("{never}never, [hidden] (error -32004) (its task t-1)"));
    let broken = stubborn(|_, reply| reply.whole("500 Internal Server Error", b"<html>"));
    assert_eq!(farewell_of(&broken).await, format!("{never}HTTP 500 Internal Server Error (its task t-1)"));
    let lingers = std::sync::atomic::AtomicUsize::new(0);
    let slowly = stubborn(move |_, reply| {
        let asked = lingers.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let state = if asked < 2 { "TASK_STATE_WORKING" } else { "TASK_STATE_CANCELED" };
        reply.json(&json!({ "result": { "id": "t-1", "status": { "state": state } } }));
    });
    assert_eq!(farewell_of(&slowly).await, "canceled, as the agent writer confirms (its task t-1)");
    assert_eq!((slowly.count("CancelTask"), slowly.count("GetTask")), (1, 2));
}

#[tokio::test]
async fn an_agent_that_does_not_answer_holds_nobody_up() {
    let deaf = stubborn(|_, reply| reply.hold());
    let mut fixture = Fixture::new(vec![at(&deaf.url())]);
    let mut begun = fixture.begin("x");
    begun.shown().await;
    begun.cut().await;
    becomes_true("the cancelling", || deaf.count("CancelTask") == 1).await;
    timeout(PATIENCE, fixture.tools.close()).await.expect("it gives up");
    assert!(fixture.nothing_is_late());
    // A farewell that nothing ends gives up by itself.
    let words = farewell_of(&deaf).await;
    assert_eq!(
        words,
        "perhaps not canceled: the agent writer did not confirm it: it did not answer in time (its task t-1)"
    );
}

#[tokio::test]
async fn an_agent_that_never_names_the_task_may_still_work_on_it() {
    let agent = Agent::new(Way::NEWEST);
    agent.mute(true);
    let mut fixture = agent.fixture();
    let begun = fixture.begin("slow");
    becomes_true("the message", || agent.site.count("SendStreamingMessage") == 1).await;
    begun.cut().await;
    let words =
        "perhaps not canceled: the agent writer never reported a task id, so it may still be working on it";
    assert_eq!(fixture.late().await, (words.to_owned(), remote(None, TaskState::Unknown)));
    assert_eq!(agent.site.count("CancelTask"), 0);
}

#[tokio::test]
async fn what_takes_too_long_is_cancelled_and_the_result_says_so() {
    for way in Way::ALL {
        let agent = Agent::new(way);
        let mut fixture = agent.fixture();
        fixture.found().await;
        let mut call = invocation(json!({ "task": "slow" }));
        call.timeout_ms = 2_000;
        let (output, _shown) = mpsc::channel(64);
        let report = fixture.tools.run(call, output).await;
        let words = "timed out after 2.0 s; canceled, as the agent writer confirms (its task t-1)";
        assert_eq!(said(&report), (Outcome::TimedOut, words), "{way:?}");
        assert_eq!(report.remote, remote(Some("t-1"), TaskState::Canceled));
        assert!(!report.transient && fixture.nothing_is_late());
        assert_eq!(agent.state("t-1"), "canceled");
    }
    let silent = Site::new(|_, reply| reply.hold());
    let fixture = Fixture::new(vec![at(&silent.url())]);
    let mut call = invocation(json!({ "task": "slow" }));
    call.timeout_ms = 50;
    let (output, _shown) = mpsc::channel(1);
    let report = fixture.tools.run(call, output).await;
    let words = "timed out after 0.0 s; nothing was sent to the agent writer";
    assert_eq!(
        (said(&report), report.remote.clone()),
        ((Outcome::TimedOut, words), remote(None, TaskState::Unknown))
    );
}

#[tokio::test]
async fn after_the_end_nothing_is_left() {
    let agent = Agent::new(Way::NEWEST);
    let mut fixture = agent.fixture();
    let mut begun = fixture.begin("slow");
    begun.shown().await;
    // Nobody has cut it short; it is ended all the same.
    timeout(PATIENCE, fixture.tools.close()).await.expect("it ends");
    let report = begun.report().await;
    assert_eq!(report.outcome, UNKNOWN);
    assert!(report.content.contains("may have accepted the task"), "{}", report.content);
    assert!(fixture.nothing_is_late());
}

#[tokio::test]
async fn a_report_that_nobody_hears_is_told_afterwards() {
    // An address that cannot be read: the conversation is over before it can notice that nobody waits for it.
    let mut fixture = Fixture::new(vec![at("nowhere")]);
    let (output, _shown) = mpsc::channel(1);
    let begun = fixture.tools.run(invocation(json!({ "task": "slow" })), output);
    assert_eq!(begun.now_or_never(), None, "it is cut as soon as it has begun");
    let (words, remote) = fixture.late().await;
    assert!(words.starts_with("the agent writer cannot be used: "), "{words}");
    assert!(words.ends_with("; nothing was sent"), "{words}");
    assert_eq!(remote, None);
}
