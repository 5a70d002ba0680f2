//! Sessions as traces: which spans there are, when they begin and end, and that nothing is told that was not asked for.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use countersign::ledger::{
    Abort, AbortPath, CompactionTrigger, CutBy, Decider, Ending, Entry, Outcome, Preview, Remark, Tombstone,
    Transition,
};
use countersign::wire::otlp::{Contents, requests, traces};
use countersign::wire::record;
use serde_json::{Value, json};

use crate::session_builder::SessionBuilder;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/wire/traces.json");
const KEY: &str = "sk-test-000111222333";

/// A read by rule, a command that a person allowed and one they denied, a failed call of the model, a summary, an interruption.
fn session() -> SessionBuilder {
    let mut it = SessionBuilder::new();
    it.user("Why does it fail?");
    let (read, shell, rm) = (
        it.tool_use("read", json!({ "path": "src/a.rs" })),
        it.tool_use("shell", json!({ "command": format!("echo {KEY}") })),
        it.tool_use("shell", json!({ "command": "rm -r /" })),
    );
    let ids = [read.id, shell.id, rm.id];
    let open = it.say(None, "Hm.", "I look.", vec![read, shell, rm]);
    it.ask(ids[1], "shell", Preview::Command("echo".into()));
    it.decide(ids[0], true, Decider::Policy);
    let mut open = open.into_iter();
    it.settle(open.next().unwrap(), Outcome::Ok, "fn main() {}", 7);
    it.decide(ids[1], true, Decider::User);
    it.settle(open.next().unwrap(), Outcome::Failed, &format!("it prints {KEY}"), 1_500);
    it.decide(ids[2], false, Decider::User);
    it.settle(open.next().unwrap(), Outcome::Denied(Decider::User), "Denied.", 0);
    it.call_model(Transition::NextTurn);
    let cut = it.ledger.reserve();
    it.speak(Some(cut), "", "Because the withdrawn", vec![], true);
    it.remark(Remark::Tombstone(Tombstone { target: cut, reason: "the model call failed".into() }));
    it.call_model(Transition::TransientRetry);
    it.call_model(Transition::ModelFallback);
    it.say(None, "", "Because.", vec![]);
    it.end(Ending::Completed);
    it.compact(CompactionTrigger::Manual, "They looked.");
    it.user("Go on.");
    let wait = it.tool_use("shell", json!({ "command": "sleep 9" }));
    let id = wait.id;
    let open = it.say(None, "", "", vec![wait]);
    it.decide(id, true, Decider::Policy);
    let abort = Abort { path: AbortPath::C, ran_ms: Some(900), by: CutBy::User, within: None };
    it.settle(open.into_iter().next().unwrap(), Outcome::Aborted(abort), "Interrupted", 900);
    it.end(Ending::AbortedTools);
    it
}

fn entries(of: &SessionBuilder) -> Vec<Arc<Entry>> {
    of.ledger.entries().to_vec()
}

fn told(entries: &[Arc<Entry>], contents: Option<Contents>) -> Vec<Value> {
    let mut traces = traces(entries, None, contents);
    let spans = traces.ended();
    requests(traces.session(), &spans)
}

fn spans(requests: &[Value]) -> Vec<Value> {
    let of =
        |request: &Value| request["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone();
    requests.iter().flat_map(of).collect()
}

fn attribute<'s>(span: &'s Value, key: &str) -> &'s Value {
    let all = span["attributes"].as_array().unwrap();
    let found = all.iter().find(|one| one["key"] == key).unwrap_or_else(|| panic!("no {key} in {span:#}"));
    found["value"].as_object().unwrap().values().next().unwrap()
}

#[test]
fn the_spans_of_a_session() {
    let requests = told(&entries(&session()), None);
    let mut text = serde_json::to_string_pretty(&requests).unwrap() + "\n";
    // The version of the program is no part of what is tested.
    text = text.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    if std::env::var_os("COUNTERSIGN_UPDATE_GOLDEN").is_some() {
        std::fs::write(GOLDEN, &text).unwrap();
    }
    let expected = std::fs::read_to_string(Path::new(GOLDEN)).unwrap();
    assert_eq!(text, expected, "COUNTERSIGN_UPDATE_GOLDEN=1 writes it anew");
}

#[test]
fn the_same_session_gives_the_same_bytes_and_no_id_twice() {
    let session = entries(&session());
    let again: Vec<Arc<Entry>> =
        session.iter().map(|entry| Arc::new(record::decode(&record::encode(entry)).unwrap())).collect();
    assert_eq!(told(&session, None), told(&again, None), "what is read from a file tells the same");
    let all = spans(&told(&session, None));
    let ids: BTreeSet<&str> = all.iter().map(|span| span["spanId"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), all.len());
    for span in &all {
        let nanos = |member: &str| span[member].as_str().unwrap().parse::<u64>().unwrap();
        assert!(nanos("startTimeUnixNano") <= nanos("endTimeUnixNano"), "{span:#}");
        if let Some(parent) = span.get("parentSpanId") {
            assert!(ids.contains(parent.as_str().unwrap()), "{span:#}");
        }
    }
}

#[test]
fn a_part_that_goes_on_tells_the_same_spans() {
    let session = entries(&session());
    let whole = spans(&told(&session, None));
    // As while a session runs: entry by entry, what has ended is taken at once.
    let mut live = countersign::wire::otlp::Traces::new(None);
    let mut piecewise = Vec::new();
    for entry in &session {
        live.take(entry);
        let ended = live.ended();
        piecewise.extend(spans(&requests(live.session(), &ended)));
    }
    assert_eq!(piecewise, whole);
}

#[test]
fn contents_are_told_to_whoever_asks_and_keys_to_nobody() {
    let session = entries(&session());
    let without = serde_json::to_string(&told(&session, None)).unwrap();
    for word in ["Why does it", "src/a.rs", "fn main", "Because", "careful", "rm -r", KEY, "Hm."] {
        assert!(!without.contains(word), "{word}");
    }
    let contents = Contents::of(&session, vec![KEY.to_owned()]);
    let with = serde_json::to_string(&told(&session, Some(contents))).unwrap();
    for word in ["Why does it", "src/a.rs", "fn main", "Because.", "careful", "rm -r", "(key hidden)", "Hm."]
    {
        assert!(with.contains(word), "{word}");
    }
    assert!(!with.contains(KEY) && !with.contains("the withdrawn"), "{with}");
    let with = told(&session, Some(Contents::of(&session, Vec::new())));
    let chat = spans(&with).into_iter().find(|span| span["name"] == "chat claude-test").unwrap();
    let said: Value =
        serde_json::from_str(attribute(&chat, "gen_ai.output.messages").as_str().unwrap()).unwrap();
    assert_eq!(said[0]["parts"][1], json!({ "type": "text", "content": "I look." }));
}

#[test]
fn a_session_that_stops_in_the_midst_is_told_as_far_as_it_came() {
    let mut it = SessionBuilder::new();
    it.user("Go.");
    let call = it.tool_use("shell", json!({ "command": "sleep 9" }));
    let id = call.id;
    it.say(None, "", "", vec![call]);
    it.decide(id, true, Decider::Policy);
    let all = spans(&told(&entries(&it), None));
    let names: Vec<&str> = all.iter().map(|span| span["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["chat claude-test", "execute_tool shell", "invoke_agent countersign"]);
    assert_eq!(attribute(&all[1], "countersign.unfinished"), true);
    assert_eq!(attribute(&all[2], "countersign.unfinished"), true);
    assert_eq!(all[1]["parentSpanId"], all[2]["spanId"]);
}

#[test]
fn many_spans_are_sent_in_several_requests() {
    let mut it = SessionBuilder::new();
    for _ in 0..300 {
        it.user("Again.");
        it.say(None, "", "Yes.", vec![]);
        it.end(Ending::Completed);
    }
    let requests = told(&entries(&it), None);
    let counts: Vec<usize> = requests.iter().map(|one| spans(std::slice::from_ref(one)).len()).collect();
    assert_eq!(counts, [512, 88]);
    let mut long = SessionBuilder::new();
    for _ in 0..100 {
        long.user(&"words ".repeat(5_000));
        long.end(Ending::Completed);
    }
    let long = entries(&long);
    let requests = told(&long, Some(Contents::of(&long, Vec::new())));
    assert!(requests.len() > 2, "{}", requests.len());
    assert!(requests.iter().all(|one| one.to_string().len() < 1_200_000));
}
