//! Agents of KAOS: a card that says less than is true, a dialect of its own, answers that come when all is over.

use countersign::ledger::{Outcome, TaskState};
use countersign::runtime::ToolPort as _;
use countersign::tool::Shown;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::a2a::kaos::{ANSWER, Kaos};
use crate::a2a::site::Site;
use crate::agents::fixture::{ACTION, Fixture, at, becomes_true, invocation, remote, said, sorted};

fn fixture(kaos: &Kaos) -> Fixture {
    Fixture::new(vec![at(&kaos.site.url())])
}

#[tokio::test]
async fn a_task_is_handed_to_an_agent_of_kaos_wherever_its_card_is() {
    for (base, card) in [
        ("", "/.well-known/agent.json"),
        ("", "/.well-known/agent"),
        ("/ns/agent/worker", "/.well-known/agent.json"),
    ] {
        let kaos = Kaos::at(base, card);
        for url in [format!("{}{base}", kaos.site.url()), format!("{}{base}{card}", kaos.site.url())] {
            let fixture = Fixture::new(vec![at(&url)]);
            let found = fixture.found().await;
            assert_eq!((found.protocol.as_str(), found.streams), ("kaos", false));
            assert_eq!(found.address, format!("{}{base}/", kaos.site.url()));
            assert_eq!(found.named.as_deref(), Some("http://localhost:8000/"));
            let (report, shown) = fixture.call(json!({ "task": "do it" })).await;
            assert_eq!(said(&report), (Outcome::Ok, ANSWER));
            let id = report.remote.clone().unwrap().id.unwrap();
            assert_eq!((report.remote.unwrap().state, sorted(&shown).1), (TaskState::Completed, vec![id]));
        }
        assert_eq!(kaos.site.methods(), ["SendMessage", "SendMessage"]);
    }
}

#[tokio::test]
async fn what_an_agent_of_kaos_fails_at_is_said_in_its_words() {
    let kaos = Kaos::new();
    let report = fixture(&kaos).hand("fail").await;
    let words = "the agent writer failed the task and says: the model is gone";
    assert_eq!(
        (said(&report), report.remote.clone()),
        ((Outcome::Failed, words), remote(Some("task_0"), TaskState::Failed))
    );
}

#[tokio::test]
async fn the_text_is_what_was_made_or_the_output_or_what_was_said_last() {
    let task = |more: Value| {
        let mut task = json!({ "id": "t", "sessionId": "s", "artifacts": [], "output": "",
            "status": { "state": "completed", "message": "the status" },
            "history": [{ "role": "user", "parts": [{ "type": "text", "text": "asked" }] }] });
        for (member, value) in more.as_object().unwrap() {
            task[member] = value.clone();
        }
        task
    };
    let history = json!([{ "role": "agent", "parts": [{ "type": "text", "text": "the answer" }] }]);
    let artifacts = json!([{ "artifactId": "a", "parts": [{ "type": "text", "text": "the work" }] }]);
    for (more, text) in [
        (json!({ "history": history, "output": "the output", "artifacts": artifacts }), "the work"),
        (json!({ "history": history, "output": "the output" }), "the output"),
        (json!({ "history": history }), "the answer"),
        (json!({}), "the status"),
        (json!({ "status": { "state": "completed", "message": null } }), "(nothing)"),
        (json!({ "status": { "state": "completed", "message": "" } }), "(nothing)"),
    ] {
        let task = task(more);
        let site = Site::new(move |asked, reply| match asked.method.as_str() {
            "get" => reply.json(
                &json!({ "name": "k", "url": "http://localhost:1", "supportedProtocols": ["jsonrpc"] }),
            ),
            _ => reply.json(&json!({ "jsonrpc": "2.0", "id": 1, "result": task })),
        });
        let report = Fixture::new(vec![at(&site.url())]).hand("x").await;
        assert_eq!(said(&report), (Outcome::Ok, text));
    }
}

#[tokio::test]
async fn a_card_that_says_less_is_found_out_by_methods_that_are_not_known() {
    let kaos = Kaos::new();
    let way = kaos.site.url();
    let site = Site::new(move |asked, reply| {
        match asked.method.as_str() {
        "get" => reply.json(&json!({ "name": "k", "url": "/", "protocolVersion": "0.3.0", "capabilities": { "streaming": true } })),
        _ => {
            let answer = reqwest_of(&way, &asked.body);
            reply.json(&answer);
        }
    }
    });
    let fixture = Fixture::new(vec![at(&site.url())]);
    assert_eq!(said(&fixture.hand("do it").await), (Outcome::Ok, ANSWER));
    assert_eq!(said(&fixture.hand("do it").await), (Outcome::Ok, ANSWER));
    // What was learned holds: nothing is tried again.
    assert_eq!(site.methods(), ["message/stream", "message/send", "SendMessage", "SendMessage"]);
    assert_eq!(kaos.states(), ["completed", "completed"]);
}

/// Asks another server the same.
fn reqwest_of(url: &str, body: &Value) -> Value {
    use std::io::{Read as _, Write as _};
    let mut stream = std::net::TcpStream::connect(url.strip_prefix("http://").unwrap()).unwrap();
    let body = body.to_string();
    write!(stream, "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
}

#[tokio::test]
async fn after_any_other_refusal_nothing_is_sent_again() {
    for code in [-32600, -32602, -32603, -32001, -32004, 0] {
        let site = Site::new(move |asked, reply| match asked.method.as_str() {
            "get" => reply.json(&json!({ "name": "k", "url": "/", "capabilities": { "streaming": true } })),
            _ => reply.json(&json!({ "error": { "code": code, "message": "no" } })),
        });
        let report = Fixture::new(vec![at(&site.url())]).hand("x").await;
        assert_eq!(
            said(&report),
            (Outcome::Failed, format!("the agent writer refused the task: no (error {code})").as_str())
        );
        assert_eq!(site.methods(), ["message/stream"]);
    }
}

#[tokio::test]
async fn esc_finds_the_task_in_the_list_and_cancels_it() {
    let kaos = Kaos::new();
    kaos.busy(true);
    let mut fixture = fixture(&kaos);
    let begun = fixture.begin("slow");
    becomes_true("the task", || kaos.states() == ["working"]).await;
    begun.cut().await;
    let words = "canceled, as the agent writer confirms (its task task_0)".to_owned();
    assert_eq!(fixture.late().await, (words, remote(Some("task_0"), TaskState::Canceled)));
    assert_eq!(kaos.states(), ["canceled"]);
    assert_eq!(kaos.site.methods(), ["SendMessage", "ListTasks", "CancelTask"]);
}

#[tokio::test]
async fn what_takes_too_long_is_found_and_cancelled_too() {
    let kaos = Kaos::new();
    kaos.busy(true);
    let fixture = fixture(&kaos);
    fixture.found().await;
    let mut call = invocation(json!({ "task": "slow" }));
    call.timeout_ms = 1_000;
    let (output, _shown) = mpsc::channel(64);
    let report = fixture.tools.run(call, output).await;
    let words = "timed out after 1.0 s; canceled, as the agent writer confirms (its task task_0)";
    assert_eq!(said(&report), (Outcome::TimedOut, words));
    assert_eq!(kaos.states(), ["canceled"]);
}

/// An agent whose gateway breaks off before the answer; whether the task is in the list.
fn broken(is_listed: bool) -> Site {
    Site::new(move |asked, reply| {
        match (asked.method.as_str(), asked.rpc()) {
        ("get", _) => reply.json(&json!({ "name": "k", "url": "http://localhost:1", "supportedProtocols": ["jsonrpc"] })),
        (_, "SendMessage") => reply.whole("504 Gateway Timeout", b"<html>"),
        (_, "ListTasks") => {
            let session = if is_listed { ACTION } else { "another" };
            let task = json!({ "id": "t", "sessionId": session, "status": { "state": "working", "message": "on it" } });
            reply.json(&json!({ "result": { "tasks": [task], "count": 1 } }));
        }
        _ => reply.json(&json!({ "result": { "id": "t", "status": { "state": "completed", "message": "done" }, "output": "" } })),
    }
    })
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_asked_for_where_the_task_is_listed() {
    let site = broken(true);
    let (report, shown) = Fixture::new(vec![at(&site.url())]).call(json!({ "task": "x" })).await;
    assert_eq!(
        (said(&report), report.remote.clone()),
        ((Outcome::Ok, "done"), remote(Some("t"), TaskState::Completed))
    );
    assert!(matches!(&shown[0], Shown::Task(id) if id == "t"));
    assert_eq!(site.methods(), ["SendMessage", "ListTasks", "GetTask"]);
}

#[tokio::test]
async fn what_may_have_been_taken_has_not_failed() {
    let site = broken(false);
    let report = Fixture::new(vec![at(&site.url())]).hand("x").await;
    let words = "the answer of agent writer could not be read: HTTP 504 Gateway Timeout; it may have accepted the task; check before repeating";
    assert_eq!(said(&report), (Outcome::Lost { started: true }, words));
    assert_eq!(site.methods(), ["SendMessage", "ListTasks"]);
}

#[tokio::test]
async fn a_task_of_kaos_takes_no_second_message() {
    let kaos = Kaos::new();
    let fixture = fixture(&kaos);
    let found = fixture.found().await;
    assert!(
        found.tool.schema["properties"].get("task_id").is_none()
            && !found.tool.description.contains("task_id")
    );
    let (report, _) = fixture.call(json!({ "task": "x", "task_id": "task_0" })).await;
    let words = "the agent writer does not accept a second message for a task; nothing was sent";
    assert_eq!((said(&report), report.remote.clone()), ((Outcome::Failed, words), None));
    assert!(kaos.site.methods().is_empty());
}
