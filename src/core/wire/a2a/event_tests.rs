//! Every event in both versions, and what is none.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn of(result: &Value) -> Result<Event, NoEvent> {
    read(json!({ "jsonrpc": "2.0", "id": 1, "result": result }).to_string().as_bytes())
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

fn said(is_of_agent: bool, words: &str) -> A2aMessage {
    A2aMessage { is_of_agent, parts: vec![text(words)] }
}

#[test]
fn a_task_is_the_same_in_both_versions() {
    let expected = Event::Task(Task {
        id: "t-1".into(),
        status: TaskStatus { state: TaskState::Completed, message: Some(said(true, "done")) },
        artifacts: vec![Artifact { id: "a".into(), parts: vec![text("x")] }],
        history: vec![said(false, "write"), said(true, "on it")],
        output: None,
    });
    let newer = json!({
        "id": "t-1", "contextId": "c", "unknown": 1,
        "status": { "state": "TASK_STATE_COMPLETED", "timestamp": "2026-01-01T00:00:00Z",
            "message": { "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "done" }] } },
        "artifacts": [{ "artifactId": "a", "parts": [{ "text": "x" }] }],
        "history": [{ "role": "ROLE_USER", "parts": [{ "text": "write" }] },
            { "role": 2, "parts": [{ "text": "on it" }] }],
    });
    let older = json!({
        "kind": "task", "id": "t-1", "contextId": "c",
        "status": { "state": "completed",
            "message": { "kind": "message", "role": "agent", "parts": [{ "kind": "text", "text": "done" }] } },
        "artifacts": [{ "artifactId": "a", "parts": [{ "kind": "text", "text": "x" }] }],
        "history": [{ "role": "user", "parts": [{ "kind": "text", "text": "write" }] },
            { "role": "agent", "parts": [{ "kind": "text", "text": "on it" }] }],
    });
    let snake = json!({ "task": { "id": "t-1", "context_id": "c",
        "status": { "state": 3, "message": { "role": 2, "parts": [{ "text": "done", "media_type": "text/plain" }] } },
        "artifacts": [{ "artifact_id": "a", "parts": [{ "text": "x" }] }],
        "history": [{ "role": 1, "parts": [{ "text": "write" }] }, { "role": 2, "parts": [{ "text": "on it" }] }],
    } });
    for way in [newer.clone(), json!({ "task": newer }), older, snake] {
        assert_eq!(of(&way), Ok(expected.clone()), "{way}");
    }
}

#[test]
fn changes_are_the_same_in_both_versions() {
    let working = Event::Status {
        task: "t".into(),
        status: TaskStatus { state: TaskState::InputRequired, message: None },
    };
    for way in [
        json!({ "statusUpdate": { "taskId": "t", "contextId": "c", "status": { "state": "TASK_STATE_INPUT_REQUIRED" } } }),
        json!({ "status_update": { "task_id": "t", "status": { "state": 6, "message": null } } }),
        json!({ "kind": "status-update", "taskId": "t", "contextId": "c", "final": true,
            "status": { "state": "input-required" } }),
    ] {
        assert_eq!(of(&way), Ok(working.clone()), "{way}");
    }
    let made = |append| Event::Artifact {
        task: "t".into(),
        artifact: Artifact { id: "a".into(), parts: vec![text("x")] },
        append,
    };
    let artifact = json!({ "artifactId": "a", "parts": [{ "text": "x" }] });
    let newer = json!({ "artifactUpdate": { "taskId": "t", "artifact": artifact, "append": true, "lastChunk": true } });
    assert_eq!(of(&newer), Ok(made(true)));
    let older = json!({ "kind": "artifact-update", "taskId": "t", "artifact": artifact });
    assert_eq!(of(&older), Ok(made(false)));
}

#[test]
fn a_message_is_the_same_in_both_versions() {
    let of_task =
        |task: Option<&str>| Event::Message { task: task.map(str::to_owned), message: said(true, "hi") };
    let message = json!({ "messageId": "m", "role": "ROLE_AGENT", "parts": [{ "text": "hi" }] });
    let older = json!({ "kind": "message", "messageId": "m", "role": "agent",
        "parts": [{ "kind": "text", "text": "hi" }] });
    for way in [json!({ "message": message }), older] {
        assert_eq!(of(&way), Ok(of_task(None)), "{way}");
    }
    let parts = json!([{ "text": "hi" }]);
    for way in [
        json!({ "message": { "role": 2, "taskId": "t", "parts": parts } }),
        json!({ "message": { "role": 2, "task_id": "t", "parts": parts } }),
        json!({ "kind": "message", "role": "agent", "taskId": "t", "parts": parts }),
    ] {
        assert_eq!(of(&way), Ok(of_task(Some("t"))), "{way}");
    }
    let nameless = json!({ "message": { "role": "agent", "taskId": "", "parts": parts } });
    assert_eq!(of(&nameless), Ok(of_task(None)));
}

#[test]
fn parts_are_what_their_members_say() {
    let parts = json!([
        { "text": "t" }, { "kind": "data", "data": { "a": [1] } }, { "data": "s" },
        { "raw": "AAAA", "filename": "f", "mediaType": "image/png" },
        { "kind": "file", "file": { "bytes": "AAA=", "name": "g", "mimeType": "a/b" } },
        { "url": "http://x/", "filename": "h" }, { "kind": "file", "file": { "uri": "http://y/" } },
        { "kind": "new" },
    ]);
    let Ok(Event::Message { message, .. }) = of(&json!({ "message": { "parts": parts } })) else {
        panic!("a message")
    };
    let file = |name: &str, kind: &str, base64: &str| Part::File {
        name: name.into(),
        kind: kind.into(),
        base64: base64.into(),
    };
    let link = |name: &str, url: &str| Part::Link { name: name.into(), kind: String::new(), url: url.into() };
    let expected = [
        text("t"),
        Part::Data(r#"{"a":[1]}"#.into()),
        Part::Data(r#""s""#.into()),
        file("f", "image/png", "AAAA"),
        file("g", "a/b", "AAA="),
        link("h", "http://x/"),
        link("", "http://y/"),
        Part::Unknown,
    ];
    assert_eq!(message.parts, expected);
    assert_eq!(["", "AA==", "AAA=", "AAAA", "AA"].map(Part::file_bytes), [0, 1, 2, 3, 1]);
}

#[test]
fn a_long_name_of_an_artifact_is_cut_and_stays_another_than_others() {
    let long = "é".repeat(MOST_NAME + 1);
    let mut seen = std::collections::BTreeSet::new();
    for name in ["é".repeat(MOST_NAME), long.clone(), format!("{long}x")] {
        let made = json!({ "artifactId": name, "parts": [{ "text": "x" }] });
        let update = of(&json!({ "artifactUpdate": { "taskId": "t", "artifact": made } }));
        let task = of(&json!({ "task": { "id": "t", "status": { "state": 2 }, "artifacts": [made] } }));
        let Ok(Event::Artifact { artifact, .. }) = update else { panic!("{update:?}") };
        let Ok(Event::Task(task)) = task else { panic!("{task:?}") };
        assert_eq!(task.artifacts, std::slice::from_ref(&artifact), "it is the same one");
        assert_eq!(artifact.id.chars().count(), MOST_NAME);
        assert_eq!(artifact.id == name, name != long && !name.ends_with('x'));
        assert!(seen.insert(artifact.id));
    }
}

#[test]
fn every_state_has_two_names_and_a_number() {
    for (number, state) in NUMBERED.into_iter().enumerate() {
        let old = state.as_str();
        let new = format!("TASK_STATE_{}", old.to_uppercase().replace('-', "_"));
        for name in [json!(old), json!(new), json!(number)] {
            let Ok(Event::Status { status, .. }) = of(&json!({ "taskId": "t", "status": { "state": name } }))
            else {
                panic!("{name} is a state")
            };
            assert_eq!(status.state, state, "{name}");
        }
    }
    assert_eq!(NUMBERED.len(), TaskState::ALL.len());
    let other = of(&json!({ "id": "t", "status": { "state": "dreaming" } }));
    assert!(matches!(other, Ok(Event::Task(task)) if task.status.state == TaskState::Unknown));
}

#[test]
fn errors_are_refusals_and_the_rest_is_unreadable() {
    let error =
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32001, "message": "no", "data": [] } });
    let refused = NoEvent::Refused { code: -32001, message: "no".into() };
    assert_eq!(read(error.to_string().as_bytes()), Err(refused));
    for body in [
        "",
        "null",
        "{}",
        "[]",
        "<html>",
        r#"{"result": null}"#,
        r#"{"result": {}}"#,
        r#"{"result": {"task": {}}}"#,
        r#"{"result": {"status": {}}}"#,
        r#"{"result": {"id": "", "status": {}}}"#,
        r#"{"result": {"artifact": {}}}"#,
        r#"{"result": {"task": {"task": {}}}}"#,
        r#"{"result": 1}"#,
        r#"{"result": {"id": 1, "status": {}}}"#,
        r#"{"error": "no"}"#,
    ] {
        assert_eq!(read(body.as_bytes()), Err(NoEvent::Unreadable), "{body}");
    }
}

proptest! {
    #[test]
    fn whatever_is_said_is_read_or_not(body in any::<Vec<u8>>(), at in 0_usize..400, byte in any::<u8>()) {
        read(&body).ok();
        let whole = json!({ "jsonrpc": "2.0", "id": 1, "result": { "task": {
            "id": "t", "status": { "state": "TASK_STATE_WORKING", "message": { "role": 2, "parts": [{ "text": "x" }] } },
            "artifacts": [{ "artifactId": "a", "parts": [{ "data": [1] }, { "raw": "AA" }] }],
        } } }).to_string();
        prop_assert!(read(whole.as_bytes()).is_ok());
        let at = at % whole.len();
        prop_assert_eq!(read(&whole.as_bytes()[..at]), Err(NoEvent::Unreadable));
        let mut damaged = whole.into_bytes();
        damaged[at] = byte;
        read(&damaged).ok();
    }
}
