//! Agents that break the protocol, or whose servers do.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use countersign::ledger::{Outcome, TaskState};
use countersign::tool::ToolReport;
use serde_json::{Value, json};

use crate::a2a::site::{Asked, Reply, Site};
use crate::agents::fixture::{Fixture, KEY, at, remote, said, sorted};

/// An agent of 1.0 that answers whatever it is asked like this.
pub(crate) fn answering(streams: bool, answer: impl Fn(&Asked, Reply) + Send + Sync + 'static) -> Site {
    Site::new(move |asked, reply| {
        if asked.method != "get" {
            return answer(asked, reply);
        }
        let url = format!("http://{}/rpc", asked.header("host").unwrap());
        let interface = json!({ "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" });
        reply.json(&json!({ "name": "b", "supportedInterfaces": [interface], "capabilities": { "streaming": streams } }));
    })
}

pub(crate) fn fixture(site: &Site) -> Fixture {
    Fixture::new(vec![at(&site.url())])
}

async fn handed(site: &Site) -> ToolReport {
    let report = fixture(site).hand("x").await;
    assert_eq!(site.methods().iter().filter(|method| method.starts_with("Send")).count(), 1, "sent once");
    report
}

/// A task as an answer has it.
pub(crate) fn task(state: &str) -> Value {
    json!({ "id": "t-1", "status": { "state": state } })
}

pub(crate) fn event(result: &Value) -> String {
    format!("data: {}\n\n", json!({ "jsonrpc": "2.0", "id": 1, "result": result }))
}

/// How a call ended of which nobody knows how it ended.
pub(crate) const UNKNOWN: Outcome = Outcome::Lost { started: true };
const MAYBE: &str = "; it may have accepted the task; check before repeating";

#[tokio::test]
async fn an_answer_that_cannot_be_read_may_mean_that_the_task_was_taken() {
    let nothing = "its answer does not match the protocol";
    for (head, body, why) in [
        ("200 OK", "", nothing),
        ("200 OK\r\ncontent-type: text/html", "<html>key-123456789", nothing),
        ("200 OK\r\ncontent-type: application/json", "{\"result\": {}}", nothing),
        ("200 OK\r\ncontent-type: text/event-stream", "data: {\n\n", nothing),
        ("500 Internal Server Error", "<html>key-123456789", "HTTP 500 Internal Server Error"),
        ("404 Not Found", "", "HTTP 404 Not Found"),
    ] {
        for streams in [true, false] {
            let site = answering(streams, move |_, reply| reply.whole(head, body.as_bytes()));
            let report = handed(&site).await;
            let words = format!("the answer of agent writer could not be read: {why}{MAYBE}");
            assert_eq!(said(&report), (UNKNOWN, words.as_str()));
            assert_eq!(report.remote, remote(None, TaskState::Unknown));
        }
    }
    let gone = answering(true, |_, _| ());
    let report = handed(&gone).await;
    assert!(report.content.ends_with(MAYBE) && report.remote.is_some(), "{}", report.content);
}

#[tokio::test]
async fn a_door_that_closes_takes_no_task() {
    for (head, why) in [
        ("401 Unauthorized", "it asks for a login (HTTP 401); a key for it belongs in its headers"),
        (
            "302 Found\r\nlocation: http://127.0.0.1:1/",
            "it redirects to an address that is not configured (HTTP 302)",
        ),
        (
            "307 Temporary Redirect\r\nlocation: /other",
            "it redirects to an address that is not configured (HTTP 307)",
        ),
    ] {
        let site = answering(true, move |_, reply| reply.whole(head, b""));
        let report = handed(&site).await;
        let words = format!("the agent writer did not accept the task: {why}");
        assert_eq!(said(&report), (Outcome::Failed, words.as_str()));
    }
}

#[tokio::test]
async fn an_error_of_the_protocol_counts_whatever_the_status() {
    let site = answering(false, |asked, reply| {
        let message = format!("bad: {}\u{1b}]0;x\u{7}", asked.header("x-key").unwrap());
        let body = json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32602, "message": message } });
        reply.whole("400 Bad Request\r\ncontent-type: application/json", body.to_string().as_bytes());
    });
    let report = handed(&site).await;
    let words = "the agent writer refused the task: bad: [hidden]]0;x (error -32602)";
    assert_eq!(said(&report), (Outcome::Failed, words));
    assert!(!report.content.contains(KEY));
}

#[tokio::test]
async fn a_server_that_is_gone_before_the_task_was_sent_got_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let card = json!({ "name": "x", "url": format!("http://{address}/") });
    let fixture = Fixture::new(vec![at(&format!("http://{address}"))]);
    let once = std::thread::spawn(move || {
        use std::io::{Read as _, Write as _};
        let (mut connection, _) = listener.accept().unwrap();
        let mut seen = Vec::new();
        while !seen.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            connection.read_exact(&mut byte).unwrap();
            seen.extend(byte);
        }
        let body = card.to_string();
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
        connection.write_all(format!("{head}{body}").as_bytes()).unwrap();
    });
    fixture.found().await;
    once.join().unwrap();
    let report = fixture.hand("x").await;
    let words = "the agent writer could not be reached: Connection refused (os error 111); nothing was sent";
    assert_eq!((said(&report), report.remote.clone()), ((Outcome::Failed, words), None));
}

#[tokio::test]
async fn one_event_of_a_stream_that_is_too_large_is_asked_about_instead() {
    let site = answering(true, |asked, reply| match asked.rpc() {
        "GetTask" => {
            let mut done = task("TASK_STATE_COMPLETED");
            done["artifacts"] = json!([{ "artifactId": "a", "parts": [{ "text": "small" }] }]);
            reply.json(&json!({ "result": done }));
        }
        _ => {
            let mut reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
            reply.write(event(&json!({ "task": task("TASK_STATE_WORKING") })).as_bytes());
            reply.write(b"data: \"");
            reply.write("x".repeat(20 << 20).as_bytes());
        }
    });
    assert_eq!(said(&handed(&site).await), (Outcome::Ok, "small"));
    let alone = answering(true, |_, reply| {
        let mut reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
        reply.write(format!("data: {}", "x".repeat(20 << 20)).as_bytes());
    });
    let report = handed(&alone).await;
    let words = format!(
        "the answer of agent writer could not be read: one event of its answer is larger than 16 MB{MAYBE}"
    );
    assert_eq!(said(&report), (UNKNOWN, words.as_str()));
    let whole = answering(false, |_, reply| reply.whole("200 OK", &vec![b' '; 17 << 20]));
    let report = handed(&whole).await;
    let words =
        format!("the answer of agent writer could not be read: its answer is larger than 16 MB{MAYBE}");
    assert_eq!(said(&report), (UNKNOWN, words.as_str()));
}

#[tokio::test]
async fn questions_that_come_to_nothing_are_asked_again_a_few_times() {
    let failing = |times: usize| {
        let asked_for = AtomicUsize::new(0);
        answering(false, move |asked, reply| match asked.rpc() {
            "SendMessage" => reply.json(&json!({ "result": { "task": task("TASK_STATE_SUBMITTED") } })),
            _ if asked_for.fetch_add(1, Relaxed) < times => reply.whole("502 Bad Gateway", b"<html>"),
            _ => reply.json(&json!({ "result": task("TASK_STATE_COMPLETED") })),
        })
    };
    let report = handed(&failing(3)).await;
    assert_eq!(said(&report), (Outcome::Ok, "(nothing)"));
    let site = failing(100);
    let report = handed(&site).await;
    let words = "the agent writer no longer reports the state of its task t-1: HTTP 502 Bad Gateway; it may \
        still be working on it; check before repeating";
    assert_eq!(said(&report), (UNKNOWN, words));
    assert_eq!((report.remote, site.count("GetTask")), (remote(Some("t-1"), TaskState::Submitted), 5));
}

#[tokio::test]
async fn an_error_in_the_midst_of_a_stream_is_the_end_unless_the_task_has_another() {
    let broken = |state: &'static str| {
        answering(true, move |asked, reply| match asked.rpc() {
            "GetTask" => reply.json(&json!({ "result": task(state) })),
            _ => {
                let mut reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
                reply.write(event(&json!({ "task": task("TASK_STATE_WORKING") })).as_bytes());
                let error = json!({ "error": { "code": -32603, "message": "oh" } });
                reply.write(format!("data: {error}\n\n").as_bytes());
            }
        })
    };
    let report = handed(&broken("TASK_STATE_FAILED")).await;
    let words = "the agent writer failed the task and did not say why";
    assert_eq!(said(&report), (Outcome::Failed, words));
    let site = broken("TASK_STATE_WORKING");
    let report = handed(&site).await;
    let words = "the agent writer no longer reports the state of its task t-1: oh (error -32603); it may \
        still be working on it; check before repeating";
    assert_eq!(said(&report), (UNKNOWN, words));
    assert_eq!(site.count("GetTask"), 1);
}

#[tokio::test]
async fn what_is_told_of_another_task_is_not_taken() {
    let site = answering(true, |_, reply| {
        let mut reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
        let other =
            json!({ "statusUpdate": { "taskId": "other", "status": { "state": "TASK_STATE_FAILED" } } });
        let mine =
            json!({ "statusUpdate": { "taskId": "t-1", "status": { "state": "TASK_STATE_COMPLETED" } } });
        for one in [&json!({ "task": task("TASK_STATE_WORKING") }), &other, &mine] {
            reply.write(event(one).as_bytes());
        }
    });
    let (report, shown) = fixture(&site).call(json!({ "task": "x" })).await;
    assert_eq!(said(&report), (Outcome::Ok, "(nothing)"));
    assert_eq!(sorted(&shown).1, ["t-1"]);
}

#[tokio::test]
async fn a_message_ends_no_task() {
    for whose in [None, Some("t-1"), Some("somebody-else's")] {
        let site = answering(true, move |asked, reply| match asked.rpc() {
            "GetTask" => reply.json(&json!({ "result": task("TASK_STATE_COMPLETED") })),
            _ => {
                let mut message =
                    json!({ "role": "ROLE_AGENT", "parts": [{ "text": "still working on it, 3 %" }] });
                if let Some(whose) = whose {
                    message["taskId"] = json!(whose);
                }
                let mut reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
                reply.write(event(&json!({ "task": task("TASK_STATE_WORKING") })).as_bytes());
                reply.write(event(&json!({ "message": message })).as_bytes());
            }
        });
        let report = handed(&site).await;
        let words = if whose == Some("somebody-else's") { "(nothing)" } else { "still working on it, 3 %" };
        assert_eq!(said(&report), (Outcome::Ok, words), "{whose:?}");
        assert_eq!(report.remote, remote(Some("t-1"), TaskState::Completed), "{whose:?}");
        assert_eq!(site.count("GetTask"), 1, "how it stands is asked: {whose:?}");
    }
}

#[tokio::test]
async fn a_message_in_answer_to_one_that_goes_on_with_a_task_is_not_its_end() {
    for streams in [true, false] {
        let site = answering(streams, move |asked, reply| match asked.rpc() {
            "GetTask" => reply.json(&json!({ "result": task("TASK_STATE_COMPLETED") })),
            _ => {
                let message = json!({ "message": { "role": "ROLE_AGENT", "parts": [{ "text": "thanks" }] } });
                match streams {
                    true => {
                        reply.whole("200 OK\r\ncontent-type: text/event-stream", event(&message).as_bytes())
                    }
                    false => reply.json(&json!({ "result": message })),
                }
            }
        });
        let (report, _) = fixture(&site).call(json!({ "task": "x", "task_id": "t-1" })).await;
        assert_eq!(said(&report), (Outcome::Ok, "thanks"));
        assert_eq!(report.remote, remote(Some("t-1"), TaskState::Completed));
    }
}

#[tokio::test]
async fn an_answer_about_another_task_is_refused() {
    let strange = "it answered about a different task";
    let other = || json!({ "id": "t-2", "status": { "state": "TASK_STATE_COMPLETED" } });
    let asked = answering(false, move |asked, reply| match asked.rpc() {
        "SendMessage" => reply.json(&json!({ "result": { "task": task("TASK_STATE_WORKING") } })),
        _ => reply.json(&json!({ "result": other() })),
    });
    let report = handed(&asked).await;
    let words = format!(
        "the agent writer no longer reports the state of its task t-1: {strange}; it may still be working \
        on it; check before repeating"
    );
    assert_eq!(
        (said(&report), report.remote.clone()),
        ((UNKNOWN, words.as_str()), remote(Some("t-1"), TaskState::Working))
    );

    for streams in [true, false] {
        let site = answering(streams, move |_, reply| match streams {
            true => reply.whole(
                "200 OK\r\ncontent-type: text/event-stream",
                event(&json!({ "task": other() })).as_bytes(),
            ),
            false => reply.json(&json!({ "result": { "task": other() } })),
        });
        let (report, shown) = fixture(&site).call(json!({ "task": "x", "task_id": "t-1" })).await;
        let words = format!("the answer of agent writer could not be read: {strange}{MAYBE}");
        assert_eq!(
            (said(&report), report.remote.clone()),
            ((UNKNOWN, words.as_str()), remote(None, TaskState::Unknown))
        );
        assert!(shown.is_empty());
    }
}
