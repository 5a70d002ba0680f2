//! What holds of every run: the rules of the event stream, and that its durable lines are those of the file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use countersign::ledger::{CallId, check};
use countersign::wire::record::{Links, audit_entries, read_session};
use serde_json::Value;

use crate::world::{Ran, of_type, parse, text};

const LIVE: [&str; 6] = ["text_delta", "thinking_delta", "progress", "tool_output", "budget", "subagent"];
/// Events of one call: `id` is the call's.
const OF_A_CALL: [&str; 6] =
    ["tool_call", "approval_request", "approval", "delegation_request", "delegation_response", "tool_result"];

/// The whole stream of a run against the rules, and against its session file.
pub(crate) fn check_run(ran: &Ran, file: &str) {
    assert!(ran.out.ends_with('\n'), "{ran:?}");
    let durable: Vec<&str> = ran.out.lines().filter(|line| is_durable(line)).collect();
    let kept: Vec<&str> = file.lines().collect();
    let before = kept.len().checked_sub(durable.len()).expect("more was told than kept");
    let told = durable.iter().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let there = kept[before..].iter().map(|line| unchained(line));
    assert!(told.eq(there), "the stream and the file differ");
    let (audit, _) = audit_entries(file.as_bytes(), Links::default());
    // What this run wrote: a test may have forged what was there before.
    let own: Vec<_> = audit.faults.iter().filter(|fault| fault.line > before).collect();
    assert!(own.is_empty(), "the file does not prove itself: {own:?}");
    assert!(kept[0].starts_with("{\"type\":\"session_started\""), "{}", kept[0]);
    let events = ran.events();
    assert_eq!(events.last().unwrap()["type"], "turn_ended", "{}", ran.out);
    check_deltas(&events);
    check_events(&[parse(&kept[..before].join("\n")), events].concat());
}

/// An event of the file as the stream has it: without the members of the hash chain.
pub(crate) fn unchained(line: &str) -> Value {
    let mut event: Value = serde_json::from_str(line).unwrap();
    for member in ["prev", "sealed", "hash", "salts"] {
        event.as_object_mut().unwrap().remove(member);
    }
    event
}

fn is_durable(line: &str) -> bool {
    let event: Value = serde_json::from_str(line).unwrap();
    !is_live(&event, event["type"].as_str().unwrap())
}

/// Whether an event is kept by no file, or only by that of a sub-agent.
fn is_live(event: &Value, kind: &str) -> bool {
    LIVE.contains(&kind) || event.get("subagent").is_some()
}

/// The rules of a session from its first line on.
fn check_events(events: &[Value]) {
    let mut entries = BTreeSet::new();
    for event in events {
        let kind = event["type"].as_str().unwrap_or_else(|| panic!("no type: {event}"));
        if is_live(event, kind) {
            assert!(event.get("entry").is_none() && event.get("at").is_none(), "{event}");
            continue;
        }
        let entry = text(event, "entry");
        assert!(entries.insert(entry.clone()), "{entry} comes twice");
        let at = text(event, "at");
        assert!(at.ends_with('Z') && chrono::DateTime::parse_from_rfc3339(&at).is_ok(), "{at}");
        let id = text(event, "id");
        assert_eq!(id != entry, OF_A_CALL.contains(&kind), "{event}");
    }
    check_calls(events);
}

/// Announced, asked about, decided, under way, settled: in this order, and settled once.
fn check_calls(events: &[Value]) {
    let steps = [
        "tool_call",
        "approval_request",
        "approval",
        "delegation_request",
        "tool_output",
        "delegation_response",
        "tool_result",
    ];
    let mut reached: BTreeMap<String, usize> = BTreeMap::new();
    let mut running = 0_i64;
    for event in events {
        let kind = event["type"].as_str().unwrap();
        if kind == "progress" {
            assert!(running > 0, "progress of a call that nothing allowed: {event}");
        }
        let Some(step) = steps.iter().position(|step| *step == kind) else { continue };
        // The calls of sub-agents have their own order in their own files.
        if event.get("subagent").is_some() {
            continue;
        }
        let id = text(event, "id");
        let before = reached.insert(id.clone(), step);
        assert!(before.is_some() || step == 0, "{kind} of {id} before its tool_call");
        let again = kind == "tool_output" && before == Some(step);
        assert!(again || before.is_none_or(|before| before < step), "{kind} of {id} comes too late");
        running +=
            i64::from(kind == "approval" && (event["decision"] == "allow" || event["decision"] == "sandbox"));
        if ["tool_output", "delegation_request"].contains(&kind)
            || (kind == "tool_result" && event["outcome"] == "ok" && event["elsewhere"] != true)
        {
            assert!(before >= Some(2), "{id} ran before it was allowed");
        }
        assert!(kind != "delegation_response" || before >= Some(3), "the task of {id} ends unsent");
    }
    let responses = of_type(events, "agent_response");
    let made = responses.iter().flat_map(|said| said["tool_calls"].as_array().unwrap());
    let made: Vec<_> =
        made.map(|call| (text(call, "id"), text(call, "name"), call["arguments"].clone())).collect();
    let told = of_type(events, "tool_call");
    // The loop's own calls, a goal's validations, stand in no message.
    let ours = |call: &&Value| call["by"] == "goal_check";
    let own = told.iter().filter(ours).count();
    let told: Vec<_> = told
        .iter()
        .filter(|call| !ours(call))
        .map(|c| (text(c, "id"), text(c, "name"), c["arguments"].clone()))
        .collect();
    assert_eq!(made, told, "every call that was made has its line");
    let settled: BTreeSet<String> = of_type(events, "tool_result").iter().map(|r| text(r, "id")).collect();
    assert_eq!(settled.len(), told.len() + own, "every call has its result");
}

/// Deltas name the message that comes, and are its text.
fn check_deltas(events: &[Value]) {
    // A part of a summary is paid for and withdrawn, and nobody is shown it while it is written.
    let is_part = |event: &Value| {
        let of_summary = |stone: &&Value| text(stone, "reason").starts_with("a part of a summary");
        let stones = events.iter().filter(|e| e["type"] == "tombstone");
        stones.filter(of_summary).any(|stone| stone["target"] == event["entry"])
    };
    for (delta, member) in [("text_delta", "text"), ("thinking_delta", "thinking")] {
        let mut streamed: BTreeMap<String, String> = BTreeMap::new();
        for event in events {
            if event["type"] == delta {
                streamed.entry(text(event, "message")).or_default().push_str(&text(event, "text"));
            }
            if event["type"] == "agent_response" && !is_part(event) {
                let told = streamed.remove(&text(event, "entry")).unwrap_or_default();
                let is_cut_thinking = delta == "thinking_delta" && event["interrupted"] == true;
                if !is_cut_thinking {
                    assert_eq!(told, event[member].as_str().unwrap_or_default(), "{event}");
                }
            }
        }
        assert!(streamed.is_empty(), "streamed and never appended: {streamed:?}");
    }
}

/// Calls that are still open at the end of a session file; the file is well-formed otherwise.
pub(crate) fn open_calls(file: &Path) -> BTreeSet<CallId> {
    let session = read_session(&std::fs::read(file).unwrap()).unwrap();
    assert!(session.torn_tail.is_none() && session.skipped.is_empty());
    check(&session.entries).unwrap()
}
