//! Records: every entry survives its line, and a session file survives being cut at every byte.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "tests"
)]

use countersign::ledger::*;
use countersign::wire::record::{RecordError, decode, encode, read_session};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        Just("\u{0}\u{1b}[31m\u{7f}\u{2028}\u{feff}\u{10ffff}\r\n\t\"\\".to_owned()),
        "[a-z \n]{0,40}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("JSON has no such number", |f| f.is_finite().then(|| Value::from(f))),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::from),
            vec((text(), inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn arguments() -> impl Strategy<Value = Arguments> {
    let members = vec((text(), value()), 0..4);
    prop_oneof![
        members.prop_map(|pairs| Arguments::Object(pairs.into_iter().collect())),
        text().prop_map(Arguments::Unusable),
    ]
}

fn model() -> impl Strategy<Value = ModelRef> {
    text().prop_map(|text| ModelRef::parse(&text))
}

fn call() -> impl Strategy<Value = ToolUse> {
    (any::<u64>(), text(), text(), arguments()).prop_map(|(id, wire_id, name, arguments)| ToolUse {
        id: CallId(id),
        wire_id,
        name,
        arguments,
    })
}

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        text().prop_map(Block::Text),
        (text(), option::of(value())).prop_map(|(text, replay)| Block::Thinking(Thinking { text, replay })),
        call().prop_map(Block::ToolUse),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    let cost = prop_oneof![0..(1_u64 << 51), Just(u64::MAX), 0..2_000_000_u64];
    (any::<[u64; 5]>(), option::of(cost), any::<bool>()).prop_map(|(counts, cost, estimated)| Usage {
        input: counts[0],
        output: counts[1],
        cache_read: counts[2],
        cache_write: counts[3],
        reasoning: counts[4],
        cost: cost.map(MicroDollars),
        estimated,
    })
}

fn decider() -> impl Strategy<Value = Decider> {
    prop_oneof![Just(Decider::Policy), Just(Decider::User), Just(Decider::Hook)]
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let path = prop_oneof![Just(AbortPath::A), Just(AbortPath::B), Just(AbortPath::C)];
    prop_oneof![
        Just(Outcome::Ok),
        Just(Outcome::Failed),
        Just(Outcome::Invalid),
        Just(Outcome::UnknownTool),
        decider().prop_map(Outcome::Denied),
        Just(Outcome::TimedOut),
        (path, option::of(any::<u64>())).prop_map(|(path, ran_ms)| Outcome::Aborted(Abort { path, ran_ms })),
        any::<bool>().prop_map(|started| Outcome::Lost { started }),
    ]
}

fn said() -> impl Strategy<Value = Body> {
    (model(), vec(block(), 0..5), text(), usage(), any::<bool>()).prop_map(
        |(model, blocks, stop, usage, interrupted)| {
            let stop = Stop::parse(&stop);
            Body::Assistant(AssistantMessage { id: EntryId(0), model, blocks, stop, usage, interrupted })
        },
    )
}

fn ended() -> impl Strategy<Value = Body> {
    let reason = proptest::sample::select(Ending::ALL.to_vec());
    let not_ok = vec((any::<u64>().prop_map(CallId), text()), 0..3);
    (reason, any::<[u32; 2]>(), usage(), any::<u64>(), text(), not_ok, text()).prop_map(
        |(reason, [turns, tool_calls], usage, wall_ms, text, not_ok, next_safe_action)| {
            Body::TurnEnded(TurnEnded {
                reason,
                turns,
                tool_calls,
                usage,
                wall_ms,
                text,
                not_ok,
                next_safe_action,
            })
        },
    )
}

fn approvals() -> impl Strategy<Value = Body> {
    let id = || any::<u64>().prop_map(CallId);
    let preview =
        prop_oneof![Just(Preview::None), text().prop_map(Preview::Command), text().prop_map(Preview::Diff)];
    let scope = prop_oneof![Just(Scope::Once), Just(Scope::Session), Just(Scope::Project)];
    prop_oneof![
        (id(), text(), value(), text(), text(), preview).prop_map(
            |(call, name, arguments, why, risk, preview)| Body::ApprovalRequested(ApprovalRequest {
                call,
                name,
                arguments,
                why,
                risk,
                preview
            })
        ),
        (id(), any::<bool>(), scope, decider(), text()).prop_map(|(call, allow, scope, by, reason)| {
            Body::ApprovalDecided(Decision { call, allow, scope, by, reason })
        }),
        (id(), text(), outcome(), text(), any::<[u64; 2]>()).prop_map(
            |(call, name, outcome, content, [duration_ms, cut_chars])| Body::ToolResult(ToolResult {
                call,
                name,
                outcome,
                content,
                duration_ms,
                cut_chars
            })
        ),
    ]
}

fn body() -> impl Strategy<Value = Body> {
    let injector = proptest::sample::select(Injector::ALL.to_vec());
    let transition = proptest::sample::select(Transition::ALL.to_vec());
    prop_oneof![
        (text(), text(), model(), 0..=FORMAT_VERSION, text()).prop_map(
            |(session, cwd, model, version, system)| {
                Body::SessionStarted(SessionStarted { session, cwd, model, version, system })
            }
        ),
        text().prop_map(|content| Body::User(content.into())),
        said(),
        call().prop_map(Body::ToolCall),
        approvals(),
        (injector, text()).prop_map(|(by, text)| Body::Injected(Injected::text(by, text))),
        (any::<u64>(), text())
            .prop_map(|(target, reason)| Body::Tombstone(Tombstone { target: EntryId(target), reason })),
        (any::<u32>(), transition).prop_map(|(turn, reason)| Body::Transition { turn, reason }),
        (text(), any::<u64>()).prop_map(|(name, limit)| Body::BudgetRaised { name, limit }),
        (text(), text()).prop_map(|(about, text)| Body::Note(Note { about, text })),
        (text(), text()).prop_map(|(message, next)| Body::Error { message, next }),
        ended(),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    let at = prop_oneof![0..4_102_444_800_000_u64, any::<u64>()];
    (any::<u64>(), at, body()).prop_map(|(id, at, mut body)| {
        if let Body::Assistant(message) = &mut body {
            message.id = EntryId(id);
        }
        Entry { id: EntryId(id), at: Millis(at), body }
    })
}

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

fn line(entry: u64, body: Body) -> Entry {
    Entry { id: EntryId(entry), at: Millis(1_763_679_241_120 + entry), body }
}

fn started() -> Body {
    Body::SessionStarted(SessionStarted {
        session: "0199".into(),
        cwd: "/w".into(),
        model: ModelRef::parse("script"),
        version: FORMAT_VERSION,
        system: "be brief".into(),
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
    Body::Assistant(AssistantMessage {
        id: EntryId(entry),
        model: ModelRef::parse("script"),
        blocks,
        stop: Stop::ToolUse,
        usage: Usage { input: 10, output: 4, cost: Some(MicroDollars(123_456)), ..Usage::default() },
        interrupted: false,
    })
}

fn session() -> Vec<Entry> {
    let result = |id, outcome: Outcome| {
        Body::ToolResult(ToolResult {
            call: CallId(id),
            name: "shell".into(),
            outcome,
            content: "日本\u{1b}[0m".into(),
            duration_ms: 3,
            cut_chars: 0,
        })
    };
    let decided = |id| {
        Body::ApprovalDecided(Decision {
            call: CallId(id),
            allow: true,
            scope: Scope::Once,
            by: Decider::User,
            reason: String::new(),
        })
    };
    let bodies = vec![
        started(),
        Body::User(UserMessage::text("list → ls")),
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
            risk: "runs".into(),
            preview: Preview::Command("ls é".into()),
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
    let newer = br#"{"type":"session_started","version":7,"app":"9.1.0","shape":"new"}"#;
    let fault = read_session(newer).unwrap_err().to_string();
    assert!(fault.contains("format version 7") && fault.contains("update countersign"), "{fault}");
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
