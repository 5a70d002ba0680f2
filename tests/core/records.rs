//! Records: every entry survives its line, and a session file survives being cut at every byte.

use std::sync::Arc;

use crate::entries::entry;
use countersign::ledger::*;
use countersign::wire::record::{RecordError, audit, decode, encode, read_session};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn every_entry_survives_its_line(entry in entry()) {
        let record = encode(&entry);
        prop_assert_eq!(&decode(&record).unwrap(), &entry);
        let line = record.to_string();
        prop_assert!(!line.contains('\n'));
        let read: Value = serde_json::from_str(&line).unwrap();
        prop_assert_eq!(&decode(&read).unwrap(), &entry);
        prop_assert_eq!(read["type"].as_str(), Some(entry.body.kind()));
        let own = entry.id.to_string();
        let id = entry.body.call().map_or(own.clone(), |call| call.to_string());
        prop_assert_eq!((read["entry"].as_str(), read["id"].as_str()), (Some(own.as_str()), Some(id.as_str())));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _refused_or_read = read_session(&bytes).is_ok();
    }
}

#[test]
fn nobody_allows_nothing() {
    let denied = line(3, Body::ApprovalDecided(Decision::denial(CallId(1), Decider::Nobody, "not shown")));
    let mut record = encode(&denied);
    assert_eq!(decode(&record).unwrap(), denied);
    record["decision"] = json!("allow");
    assert!(decode(&record).unwrap_err().to_string().contains("nobody allowed it"));
}

fn line(entry: u64, body: Body) -> Entry {
    Entry { id: EntryId(entry), at: Millis(1_763_679_241_120 + entry), body }
}

fn started() -> Body {
    Body::SessionStarted(SessionStarted {
        session: "0199".into(),
        cwd: "/w".into(),
        model: ModelRef::parse("script"),
        // Lines without hashes are of the version before.
        version: FORMAT_VERSION - 1,
        system: "be brief".into(),
        mode: None,
        forked_from: None,
    })
}

fn shell(id: u64) -> ToolUse {
    ToolUse {
        id: CallId(id),
        wire_id: "call_1".into(),
        name: "shell".into(),
        arguments: Arguments::parse(r#"{"command":"ls é"}"#),
    }
}

fn message(entry: u64, blocks: Vec<Block>) -> Body {
    Body::Assistant(Arc::new(AssistantMessage {
        id: EntryId(entry),
        model: ModelRef::parse("script"),
        blocks,
        stop: Stop::ToolUse,
        usage: Usage { input: 10, output: 4, cost: Some(MicroDollars(123_456)), ..Usage::default() },
        interrupted: false,
    }))
}

fn session() -> Vec<Entry> {
    let result = |id, outcome: Outcome| {
        Body::ToolResult(Arc::new(ToolResult {
            call: CallId(id),
            name: "shell".into(),
            outcome,
            content: "日本\u{1b}[0m".into(),
            duration_ms: 3,
            written: None,
            cut_chars: 0,
            facts: Facts::default(),
            images: vec![],
        }))
    };
    let decided = |id| {
        Body::ApprovalDecided(Decision {
            allow: true,
            sandboxed: id == 2,
            digest: countersign::policy::digest("shell", &shell(id).arguments),
            key: "01-c1".into(),
            cwd: "/w".into(),
            ..Decision::denial(CallId(id), Decider::User, "")
        })
    };
    let bodies = vec![
        started(),
        Body::User(Arc::new(UserMessage::text("list → ls"))),
        Body::Transition { turn: 1, reason: Transition::Submitted },
        message(4, vec![Block::Text("I look.".into()), Block::ToolUse(shell(1)), Block::ToolUse(shell(2))]),
        Body::ToolCall(shell(1)),
        Body::ToolCall(shell(2)),
        decided(1),
        result(1, Outcome::Ok),
        Body::ApprovalRequested(ApprovalRequest {
            call: CallId(2),
            name: "shell".into(),
            arguments: json!({ "command": "ls é" }),
            why: "no rule covers it".into(),
            risk: "sends".into(),
            effects: vec!["sends".into(), "deletes".into()],
            preview: Preview::Command("ls é".into()),
            warning: Some("the same action, c1, timed out after 3.0 s: its effects may be partial".into()),
            rule: Some("shell(ls *)".into()),
            sandboxing: Sandboxing::OnWish,
            leads_to: None,
            is_partial: false,
            is_usual: false,
            replaces: false,
            gaps: Vec::new(),
        }),
        decided(2),
        result(2, Outcome::Failed),
        Body::Transition { turn: 2, reason: Transition::NextTurn },
        message(13, vec![Block::Text("Done.".into())]),
    ];
    bodies.into_iter().zip(1..).map(|(body, id)| line(id, body)).collect()
}

fn bytes_of(entries: &[Entry]) -> Vec<u8> {
    entries.iter().flat_map(|e| format!("{}\n", encode(e)).into_bytes()).collect()
}

#[test]
fn a_file_cut_at_every_byte_loads_what_was_whole() {
    let entries = session();
    let bytes = bytes_of(&entries);
    let first = bytes.iter().position(|b| *b == b'\n').unwrap();
    for cut in 0..=bytes.len() {
        let part = &bytes[..cut];
        let read = read_session(part);
        if cut < first {
            assert_eq!(read, Err(RecordError::Empty), "cut at {cut}");
            continue;
        }
        let read = read.unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
        let whole = part.iter().filter(|b| **b == b'\n').count();
        let rest = cut - part.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        // A line that lacks its newline alone is whole.
        let lacks_newline_alone = bytes.get(cut) == Some(&b'\n');
        assert_eq!(read.entries.len(), whole + usize::from(lacks_newline_alone), "cut at {cut}");
        assert_eq!(read.torn_tail.is_some(), rest > 0 && !lacks_newline_alone, "cut at {cut}");
        let torn = read.torn_tail.map_or(0, |tail| tail.bytes);
        assert_eq!(read.sound_bytes + torn, cut as u64, "cut at {cut}");
        assert!(read.entries.iter().zip(&entries).all(|(a, b)| **a == *b));
        let recovered = recover(read.entries, Millis(9)).unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
        assert!(recovered.waiting.len() <= 1 && check(recovered.ledger.entries()).is_ok());
    }
}

#[test]
fn the_check_of_a_goal_is_counted_among_the_calls() {
    let mut entries = session();
    let (made, id) = (audit(&bytes_of(&entries)).calls, entries.len() as u64 + 1);
    entries.push(line(id, Body::Validation(shell(9))));
    let found = audit(&bytes_of(&entries));
    assert_eq!((found.calls, found.open, found.faults), (made + 1, vec![CallId(9)], vec![]));
    assert_eq!(found.sound_to, Some(EntryId(id - 1)), "nothing is cut before its result");
}

#[test]
fn a_bad_line_in_the_middle_is_an_error_that_names_it() {
    let mut lines: Vec<String> = session().iter().map(|e| encode(e).to_string()).collect();
    lines[4].truncate(20);
    let fault = read_session((lines.join("\n") + "\n").as_bytes()).unwrap_err();
    assert!(matches!(&fault, RecordError::Line { line: 5, .. }), "{fault:?}");
    assert!(fault.to_string().starts_with("line 5: this is not a JSON object"), "{fault}");

    lines[4] =
        r#"{"type":"tool_call","entry":"e5","at":"2026-11-20T09:30:00.000Z","id":"c1","name":7}"#.into();
    let fault = read_session((lines.join("\n") + "\n").as_bytes()).unwrap_err();
    assert!(fault.to_string().starts_with("line 5: `tool_call`: field `name` is not text"), "{fault}");
}

#[test]
fn unknown_fields_are_ignored_and_unknown_types_reported() {
    let mut records: Vec<Value> = session().iter().map(encode).collect();
    records[1]["mood"] = json!({ "calm": true });
    records.insert(2, json!({ "type": "constellation", "entry": "e99", "stars": 7 }));
    let text: String = records.iter().map(|r| format!("{r}\n")).collect();
    let read = read_session(text.as_bytes()).unwrap();
    assert_eq!(read.entries.len(), session().len());
    assert_eq!((read.skipped[0].line, read.skipped[0].kind.as_str()), (3, "constellation"));
    assert_eq!(read.sound_bytes, text.len() as u64);
}

#[test]
fn a_newer_format_and_other_files_are_refused_in_words() {
    // Also the very next version.
    for version in [FORMAT_VERSION + 1, 7] {
        let newer = json!({ "type": "session_started", "version": version, "app": "9.1.0", "shape": "new" });
        let fault = read_session(newer.to_string().as_bytes()).unwrap_err().to_string();
        let named = format!("format version {version}");
        assert!(fault.contains(&named) && fault.contains("update countersign"), "{fault}");
    }
    let other = read_session(b"{\"type\":\"user_message\"}\n{}\n").unwrap_err().to_string();
    assert!(other.starts_with("the first line is user_message, not session_started"), "{other}");
    assert!(matches!(read_session(b"hello\nworld\n"), Err(RecordError::NotASession(_))));
    assert_eq!(read_session(b""), Err(RecordError::Empty));
}

#[test]
fn a_message_carries_blocks_only_when_order_or_replay_needs_them() {
    let thinking = |replay| Block::Thinking(Thinking { text: "hm".into(), replay });
    let plain = message(4, vec![thinking(None), Block::Text("a".into()), Block::ToolUse(shell(1))]);
    let record = encode(&line(4, plain));
    assert_eq!(record.get("blocks"), None);
    assert_eq!((&record["thinking"], &record["text"]), (&json!("hm"), &json!("a")));
    assert_eq!(record["usage"]["cost_usd"], json!(0.123456));
    assert_eq!(record["at"], json!("2025-11-20T22:54:01.124Z"));
    let replayed = encode(&line(4, message(4, vec![thinking(Some(json!({ "signature": "s" })))])));
    assert_eq!(replayed["blocks"][0]["replay"]["signature"], json!("s"));
    let turned = encode(&line(4, message(4, vec![Block::ToolUse(shell(1)), Block::Text("a".into())])));
    assert_eq!(turned["blocks"][0], json!({ "type": "tool_use", "id": "c1" }));
}

#[test]
fn arguments_as_deep_as_a_parser_goes_are_read_back() {
    let deep = format!("{}{}", "{\"a\":".repeat(126), "{}") + &"}".repeat(126);
    let arguments = Arguments::parse(&deep);
    assert!(matches!(arguments, Arguments::Object(_)), "the case needs an object");
    let call = ToolUse { arguments, ..shell(1) };
    for body in [Body::ToolCall(call.clone()), message(1, vec![Block::ToolUse(call)])] {
        let entry = line(1, body);
        let read: Value = serde_json::from_str(&encode(&entry).to_string()).unwrap();
        assert_eq!(decode(&read).unwrap(), entry);
    }
}

/// What version 1 said in sentences means the same in a file that it wrote, and is written by kind from here on.
#[test]
fn a_session_of_version_1_means_what_it_meant() {
    let file = read_session(include_bytes!("../golden/sessions/version-1.jsonl")).unwrap();
    assert_eq!((file.skipped.len(), file.torn_tail), (0, None));
    let call = |id, kind, text: &str| Body::Note(Note::new(CallId(id), kind, text));
    let learned = |lesson| Body::ProviderLimit(LearnedLimit { about: EntryId(3), lesson });
    let model = || ModelRef::parse("openai/gpt-4o");
    let ended = BackgroundStatus {
        id: "b1".into(),
        is_running: false,
        is_lost: false,
        has_failed: false,
        words: "exit code 3 after 9 s".into(),
    };
    let meant = [
        Body::Note(Note::plain(EntryId(3), "The model call failed: busy")),
        learned(ProviderLimit::ReasoningRefused),
        learned(ProviderLimit::OutputLimit { model: model(), most: 16_384 }),
        learned(ProviderLimit::Window { model: model(), most: 60_000 }),
        Body::Change(Change::Budget { limit: Limit::Turns, to: 100 }),
        Body::Change(Change::Effort { effort: Some(Effort::High) }),
        Body::Change(Change::Effort { effort: None }),
        call(1, NoteKind::Retried { attempt: 1 }, "Run 1 failed (timed_out) and was tried again:\nbusy"),
        call(
            1,
            NoteKind::TypedInto,
            "The user typed into the terminal of this call. What was typed is not kept.",
        ),
        call(
            1,
            NoteKind::SandboxRefused,
            "The sandbox may have stood in the way; asked for again, it is a person who decides.",
        ),
        call(
            2,
            NoteKind::TaskAccepted { task_id: "t-1".into() },
            "The agent writer works on it as its task t-1.",
        ),
        call(
            2,
            NoteKind::ChangedByHook { arguments: None },
            "A hook changed the arguments of the call of delegate_to_writer to {\"task\":\"write\"}",
        ),
        call(1, NoteKind::BackgroundEnded(ended), "[b1: exit code 3 after 9 s]"),
        call(1, NoteKind::Plain, "A result arrived after the call was cut short (ok):\ndone"),
        Body::Note(Note::plain(About::Session, "hook `check` failed: exit code 1")),
    ];
    let read: Vec<Body> = file.entries.iter().skip(3).map(|entry| entry.body.clone()).collect();
    assert_eq!(read, meant);
    for entry in &file.entries {
        assert_eq!(decode(&encode(entry)).unwrap(), **entry);
    }
}

/// Words that look like what version 1 said mean nothing in a note that has a kind.
#[test]
fn words_in_a_note_of_a_kind_are_never_read_back() {
    for text in [
        "Run 1 failed (failed) and was tried again:\n",
        "The user typed into the terminal of this call. What was typed is not kept.",
        "[b1: exit code 0 after 1 s]",
    ] {
        let said = line(4, Body::Note(Note::plain(CallId(1), text)));
        assert_eq!(decode(&encode(&said)).unwrap(), said);
    }
    let said = line(4, Body::Note(Note::plain(EntryId(3), ProviderLimit::ReasoningRefused.sentence())));
    assert_eq!(decode(&encode(&said)).unwrap(), said);
}

/// A kind that only a later version knows is kept as it was written.
#[test]
fn a_note_of_a_later_version_is_kept() {
    let written = json!({
        "type": "note", "entry": "e4", "at": "2026-11-20T09:30:00.000Z", "id": "e4", "about": "b1",
        "kind": "of_a_later_version", "of": { "much": [1, 2] }, "text": "Something happened.",
    });
    let read = decode(&written).unwrap();
    let Body::Note(note) = &read.body else { panic!("{read:?}") };
    assert_eq!((note.about.to_string().as_str(), note.for_people()), ("b1", "Something happened."));
    assert_eq!(encode(&read), written);
}
