//! Makes a session that was played the same every time: its moments, durations, id and folder are put in place of those
//! of this machine. What was said and done stays as it happened.

use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};

/// A Thursday morning, in milliseconds.
const MORNING: i64 = 1_768_471_200_000;
/// The id that every session gets.
pub const SESSION: &str = "019bc0de-0000-7000-8000-000000000001";

/// The home of whoever the pictures are of.
const AWAY: &str = "/home/you";

/// The lines of a session file, settled; `root` is the home of this machine.
pub fn settled(lines: &str, root: &str) -> String {
    let (mut now, mut began) = (MORNING, MORNING);
    let mut out = String::new();
    for mut event in in_order(lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()) {
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        let took = took(&event);
        now += passes(&kind, &event) + took.unwrap_or_default();
        if kind == "user_message" {
            began = now;
        }
        // Who goes on with a session must be where it works; see `abroad`.
        let cwd = event.get("cwd").cloned();
        everywhere(&mut event, root);
        let Some(members) = event.as_object_mut() else { continue };
        members.insert("at".into(), json!(moment(now)));
        if let Some(cwd) = cwd {
            members.insert("cwd".into(), cwd);
        }
        if let Some(ran) =
            members.get_mut("abort").and_then(|abort| abort.get_mut("ran_ms")).filter(|ran| ran.is_number())
        {
            *ran = json!(took);
        }
        if let Some(took) = took {
            members.insert("duration_ms".into(), json!(took));
        }
        match kind.as_str() {
            "session_started" => drop(members.insert("session".into(), json!(SESSION))),
            "turn_ended" => drop(members.insert("wall_ms".into(), json!(now - began))),
            _ => {}
        }
        out.push_str(&format!("{event}\n"));
    }
    out
}

/// The same for those who only look: no folder of this machine is left.
pub fn abroad(lines: &str, root: &str) -> String {
    lines.replace(root, AWAY)
}

/// Calls of one message are looked at side by side: what is said of them is put into the order of the calls.
fn in_order(mut events: Vec<Value>) -> Vec<Value> {
    let about = |event: &Value| match event["type"].as_str() {
        Some("approval_request") => Some("asked"),
        Some("approval") if event["by"] == "policy" => Some("decided"),
        _ => None,
    };
    for at in 1..events.len() {
        let (one, two) = (&events[at - 1], &events[at]);
        if about(one).is_some() && about(one) == about(two) && one["id"].as_str() > two["id"].as_str() {
            let (first, second) = (one["entry"].clone(), two["entry"].clone());
            events.swap(at - 1, at);
            (events[at - 1]["entry"], events[at]["entry"]) = (first, second);
        }
    }
    events
}

fn moment(at: i64) -> String {
    DateTime::from_timestamp_millis(at).unwrap().to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// How long a call took, by its tool.
fn took(event: &Value) -> Option<i64> {
    event.get("duration_ms")?;
    Some(match (event["name"].as_str().unwrap_or_default(), event["outcome"].as_str().unwrap_or_default()) {
        ("read", _) => 3,
        ("search", _) => 9,
        ("edit", _) => 4,
        ("shell", "ok") => 420,
        (_, "aborted") if event["content"].as_str().is_some_and(|said| said.contains("after ")) => 2_500,
        _ => 0,
    })
}

/// How long it was until this happened.
fn passes(kind: &str, event: &Value) -> i64 {
    match kind {
        "user_message" => 21_000,
        "agent_response" => 3_400,
        "approval" if event["by"] == "user" => 6_200,
        _ => 2,
    }
}

/// Texts name no folder, date or system of this machine, and tell the settled time.
fn everywhere(value: &mut Value, root: &str) {
    match value {
        Value::String(text) => *text = said(text, root),
        Value::Array(items) => items.iter_mut().for_each(|item| everywhere(item, root)),
        Value::Object(members) => members.values_mut().for_each(|member| everywhere(member, root)),
        _ => {}
    }
}

fn said(text: &str, root: &str) -> String {
    let lines = text.split('\n').map(|line| {
        if line.starts_with("Date: ") {
            "Date: 2026-01-15".to_owned()
        } else if line.starts_with("Platform: ") {
            "Platform: linux (x86_64)".to_owned()
        } else {
            line.replace(root, AWAY)
        }
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    match text.split_once("execution after ") {
        Some((before, after)) => match after.split_once(" s") {
            Some((number, rest)) if number.parse::<f64>().is_ok() => {
                format!("{before}execution after 2.5 s{rest}")
            }
            _ => text,
        },
        None => text,
    }
}
