//! Agents that mean ill: words that hide and steer, floods, pictures that are none.

use countersign::ledger::Outcome;
use serde_json::json;

use crate::agents::broken::{UNKNOWN, answering, event, fixture};
use crate::agents::fixture::sorted;

const NASTY: &str = "a\u{1b}[2Jb\u{202e}c\u{200b}\u{7}";

fn is_plain(text: &str) -> bool {
    !text.contains(['\u{1b}', '\u{202e}', '\u{200b}', '\u{7}'])
}

#[tokio::test]
async fn words_hide_and_steer_nothing() {
    for state in ["TASK_STATE_FAILED", "TASK_STATE_REJECTED", "TASK_STATE_AUTH_REQUIRED"] {
        let site = answering(true, move |_, reply| {
            let message = json!({ "role": "ROLE_AGENT", "parts": [{ "text": NASTY }] });
            let id = format!("{NASTY}\n\"{}", "x".repeat(400));
            let task = json!({ "id": id, "status": { "state": state, "message": message } });
            reply
                .open("200 OK\r\ncontent-type: text/event-stream")
                .write(event(&json!({ "task": task })).as_bytes());
        });
        let (report, shown) = fixture(&site).call(json!({ "task": "x" })).await;
        let (text, tasks) = sorted(&shown);
        assert!(report.content.contains("a[2Jbc") && is_plain(&report.content), "{}", report.content);
        assert!(is_plain(&text) && text.contains("a[2Jbc"), "{text}");
        let id = report.remote.unwrap().id.unwrap();
        assert!(is_plain(&id) && !id.contains('\n') && id.chars().count() == 256, "{id}");
        assert_eq!(tasks, [id]);
    }
}

#[tokio::test]
async fn a_name_cannot_forge_the_line_that_asks() {
    let site = answering(true, |_, reply| {
        let task = json!({ "id": "t\"] ok", "status": { "state": "TASK_STATE_INPUT_REQUIRED" } });
        reply
            .open("200 OK\r\ncontent-type: text/event-stream")
            .write(event(&json!({ "task": task })).as_bytes());
    });
    let report = fixture(&site).hand("x").await;
    let line = r#"[the agent writer waits for an answer: call delegate_to_writer with task_id "t\"] ok"]"#;
    assert_eq!((report.outcome, report.content), (Outcome::Ok, format!("(nothing)\n{line}")));
}

#[tokio::test]
async fn a_flood_is_bounded_and_counted() {
    let site = answering(true, |_, reply| {
        let mut reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
        let begun = json!({ "id": "t-1", "status": { "state": "TASK_STATE_WORKING" } });
        reply.write(event(&json!({ "task": begun })).as_bytes());
        let artifact = json!({ "artifactId": "a", "parts": [{ "text": "é".repeat(1 << 20) }] });
        let more =
            event(&json!({ "artifactUpdate": { "taskId": "t-1", "artifact": artifact, "append": true } }));
        for _ in 0..20 {
            reply.write(more.as_bytes());
        }
        let end =
            json!({ "statusUpdate": { "taskId": "t-1", "status": { "state": "TASK_STATE_COMPLETED" } } });
        reply.write(event(&end).as_bytes());
    });
    let (report, shown) = fixture(&site).call(json!({ "task": "x" })).await;
    assert_eq!((report.outcome, report.cut_chars), (Outcome::Ok, (20 << 20) - 10_000));
    assert!(report.content.chars().count() < 10_100);
    assert!(sorted(&shown).0.chars().count() < 21 * 20_000);
}

#[tokio::test]
async fn pictures_that_are_none_are_named() {
    let site = answering(true, |_, reply| {
        let part = |raw: &str| json!({ "raw": raw, "mediaType": "image/png" });
        let artifact = json!({ "artifactId": "a", "parts": [part("no base64!"), part("AAAA"), part(&"A".repeat(15 << 20))] });
        let task =
            json!({ "id": "t", "status": { "state": "TASK_STATE_COMPLETED" }, "artifacts": [artifact] });
        reply
            .open("200 OK\r\ncontent-type: text/event-stream")
            .write(event(&json!({ "task": task })).as_bytes());
    });
    let report = fixture(&site).hand("x").await;
    let lines: Vec<&str> = report.content.lines().collect();
    assert_eq!((lines.len(), lines[0]), (3, "[an image that is not valid base64]"), "{}", report.content);
    assert!(lines[1].starts_with("[an image that ") && report.images.is_empty());
    assert_eq!(lines[2], "[an image that is too large]");
}

#[tokio::test]
async fn what_would_take_gigabytes_is_not_read() {
    let many = |value: &str| format!("[{}]", vec![value; 12_000_000 / (value.len() + 1)].join(","));
    let done = r#""id":"t-1","status":{"state":"TASK_STATE_COMPLETED"}"#;
    let artifact = |parts: &str| format!(r#"{{{done},"artifacts":[{{"artifactId":"a","parts":{parts}}}]}}"#);
    for task in [
        artifact(&many("{}")),
        artifact(&many(r#"{"text":""}"#)),
        artifact(&format!(r#"[{{"data":{}}}]"#, many("[]"))),
        artifact(&format!(r#"[{{"text":"x","metadata":{}}}]"#, many("[]"))),
        format!(r#"{{{done},"artifacts":{}}}"#, many(r#"{"parts":[]}"#)),
        format!(r#"{{{done},"history":{}}}"#, many("{}")),
        format!(r#"{{{done},"unknown":{}}}"#, many("0")),
    ] {
        for streams in [true, false] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{{"task":{task}}}}}"#);
            let site = answering(streams, move |_, reply| match streams {
                true => reply.whole(
                    "200 OK\r\ncontent-type: text/event-stream",
                    format!("data: {body}\n\n").as_bytes(),
                ),
                false => reply.whole("200 OK\r\ncontent-type: application/json", body.as_bytes()),
            });
            let report = fixture(&site).hand("x").await;
            let words = "the answer of agent writer could not be read: its answer contains more than 100000 values; it may have accepted the task; check before repeating";
            assert_eq!((report.outcome, report.content.as_str()), (UNKNOWN, words));
        }
    }
}

#[tokio::test]
async fn a_name_of_an_artifact_that_is_too_long_costs_nothing_but_its_end() {
    let site = answering(true, |_, reply| {
        let made = |id: &str, text: &str| json!({ "artifactId": id, "parts": [{ "text": text }] });
        let artifacts = [made(&"a".repeat(257), "made one"), made("b", "made two")];
        let task =
            json!({ "id": "t-1", "status": { "state": "TASK_STATE_COMPLETED" }, "artifacts": artifacts });
        reply
            .open("200 OK\r\ncontent-type: text/event-stream")
            .write(event(&json!({ "task": task })).as_bytes());
    });
    let report = fixture(&site).hand("x").await;
    assert_eq!(report.outcome, Outcome::Ok, "{}", report.content);
    assert!(report.content.contains("made one") && report.content.contains("made two"), "{}", report.content);
}

#[tokio::test]
async fn a_card_that_would_take_gigabytes_is_none() {
    let card = format!(r#"{{"name":"x","skills":[{}]}}"#, vec!["{}"; 300_000].join(","));
    let site = crate::a2a::site::Site::new(move |_, reply| reply.whole("200 OK", card.as_bytes()));
    let why = fixture(&site).missing().await;
    assert!(why.contains("agent-card.json is not an agent card"), "{why}");
}

#[tokio::test]
async fn images_of_one_result_are_bounded_together() {
    let site = answering(true, |_, reply| {
        let part = json!({ "raw": "A".repeat(7 << 20), "mediaType": "image/png" });
        let mut reply = reply.open("200 OK\r\ncontent-type: text/event-stream");
        for number in 0..4 {
            let artifact = json!({ "artifactId": number.to_string(), "parts": [part] });
            reply.write(
                event(&json!({ "artifactUpdate": { "taskId": "t", "artifact": artifact } })).as_bytes(),
            );
        }
        let status = json!({ "taskId": "t", "status": { "state": "TASK_STATE_COMPLETED" } });
        reply.write(event(&json!({ "statusUpdate": status })).as_bytes());
    });
    let report = fixture(&site).hand("x").await;
    let lines: Vec<&str> = report.content.lines().collect();
    assert!(lines[..3].iter().all(|line| line.starts_with("[an image that ")), "{lines:?}");
    assert_eq!(lines[3], "[an image beyond the size limit of one result]");
}
