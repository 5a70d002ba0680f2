//! The ledger itself: what stands in it, what is refused, what a crash leaves of it, and what its entries say of themselves.

use std::sync::Arc;

use countersign::ledger::{
    About, ApprovalRequest, Arguments, AssistantMessage, Block, Body, CallId, Change, CompactionTrigger,
    Decider, Decision, DelegationRequest, DelegationResponse, Ending, Entry, EntryId, Facts, FilesRestored,
    Hosted, LearnedLimit, Message, MicroDollars, Millis, ModelRef, Note, Outcome, Preview, ProviderLimit,
    Remark, Sandboxing, Scope, SessionStarted, Stop, TaskState, Thinking, Tombstone, ToolResult, ToolUse,
    Unsettled, Usage, UserMessage, audit, check, recover, standing,
};
use serde_json::{Value, json};

use crate::session_builder::SessionBuilder;

fn call(id: u64) -> ToolUse {
    let (wire_id, name) = (String::new(), "shell".to_owned());
    ToolUse { id: CallId(id), wire_id, name, arguments: Arguments::parse("{}") }
}

fn answer(calls: &[u64]) -> Body {
    Body::Assistant(Arc::new(AssistantMessage {
        id: EntryId(0),
        model: ModelRef::parse("script"),
        blocks: calls.iter().map(|id| Block::ToolUse(call(*id))).collect(),
        stop: Stop::ToolUse,
        usage: Usage::default(),
        interrupted: false,
    }))
}

fn result(id: u64) -> Body {
    Body::ToolResult(Arc::new(ToolResult {
        call: CallId(id),
        name: "shell".to_owned(),
        outcome: Outcome::Ok,
        content: String::new(),
        duration_ms: 0,
        cut_chars: 0,
        facts: Facts::default(),
        images: Vec::new(),
        written: None,
    }))
}

fn request(id: u64, arguments: Value, leads_to: Option<&str>) -> ApprovalRequest {
    ApprovalRequest {
        call: CallId(id),
        name: "shell".to_owned(),
        arguments,
        why: String::new(),
        risk: "runs".to_owned(),
        effects: Vec::new(),
        preview: Preview::None,
        warning: None,
        rule: None,
        sandboxing: Sandboxing::Without,
        leads_to: leads_to.map(str::to_owned),
        is_partial: false,
        is_usual: false,
        replaces: false,
        gaps: Vec::new(),
    }
}

fn decided(id: u64, allow: bool) -> Body {
    Body::ApprovalDecided(Decision { allow, ..Decision::denial(CallId(id), Decider::User, "") })
}

fn said() -> Body {
    Body::User(Arc::new(UserMessage::text("go")))
}

/// A session of these entries, numbered from 1.
fn session(bodies: Vec<Body>) -> Vec<Arc<Entry>> {
    let started = Body::SessionStarted(SessionStarted {
        session: "s".into(),
        cwd: "/w".into(),
        model: ModelRef::parse("script"),
        version: 1,
        system: String::new(),
        mode: None,
        forked_from: None,
    });
    let entry = |(body, id)| Arc::new(Entry { id: EntryId(id), at: Millis(0), body });
    std::iter::once(started).chain(bodies).zip(1..).map(entry).collect()
}

fn faults(bodies: Vec<Body>) -> Vec<String> {
    audit(&session(bodies)).0.into_iter().map(|(_, fault)| fault.what).collect()
}

#[test]
fn nothing_is_said_before_every_call_has_its_result_and_each_has_one() {
    let open = || vec![said(), answer(&[1, 2]), Body::ToolCall(call(1)), Body::ToolCall(call(2)), result(1)];
    let with = |rest: Vec<Body>| faults(open().into_iter().chain(rest).collect());
    assert!(with(vec![result(2), said()]).is_empty());
    for early in [said(), answer(&[])] {
        let found = with(vec![early]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].ends_with("comes before the result of call c2"), "{found:?}");
    }
    // One fault is told once: the late result is no other one, and a second result is.
    assert_eq!(with(vec![said(), result(2)]).len(), 1);
    assert_eq!(with(vec![said(), result(2), result(2)]).last().unwrap(), "call c2 has a second result");
    assert_eq!(with(vec![result(2), result(2)]), ["call c2 has a second result"]);
    assert_eq!(with(vec![result(2), result(3)]), ["result of call c3, which no message made"]);
    let late = check(&session(open().into_iter().chain([said()]).collect())).unwrap_err();
    assert!(late.to_string().contains("comes before the result of call c2"), "{late}");
}

#[test]
fn only_what_somebody_decided_about_is_taken_back() {
    let revoked = |id| Body::Change(Change::GrantRevoked { call: CallId(id) });
    let made = || vec![said(), answer(&[1]), Body::ToolCall(call(1))];
    let with = |rest: Vec<Body>| faults(made().into_iter().chain(rest).collect());
    let asked = || Body::ApprovalRequested(request(1, json!({}), None));
    assert!(with(vec![asked(), decided(1, true), result(1), revoked(1)]).is_empty());
    assert_eq!(with(vec![asked(), result(1), revoked(1)]).len(), 1, "nobody has decided");
    // What was given up with an earlier fault is not told of again.
    assert_eq!(with(vec![said(), revoked(1)]).len(), 1);
}

#[test]
fn a_crash_says_of_each_call_whether_it_was_started() {
    let made = vec![
        said(),
        answer(&[1, 2, 3]),
        Body::ToolCall(call(1)),
        Body::ToolCall(call(2)),
        Body::ToolCall(call(3)),
        Body::ApprovalRequested(request(1, json!({}), None)),
        Body::ApprovalRequested(request(2, json!({}), None)),
        Body::ApprovalRequested(request(3, json!({}), None)),
        decided(1, true),
        decided(2, false),
    ];
    let recovered = recover(session(made), Millis(9)).unwrap();
    assert_eq!(recovered.lost, (2, 1));
    let waiting: Vec<CallId> = recovered.waiting.iter().map(|(call, _)| call.id).collect();
    assert_eq!(waiting, [CallId(3)]);
    assert_eq!(recovered.waiting[0].1.name(), "shell");
    let results: Vec<(CallId, Outcome)> = recovered
        .ledger
        .entries()
        .iter()
        .filter_map(|entry| match &entry.body {
            Body::ToolResult(result) => Some((result.call, result.outcome.clone())),
            _ => None,
        })
        .collect();
    let lost = |started| Outcome::Lost { started };
    assert_eq!(results, [(CallId(1), lost(true)), (CallId(2), lost(false))]);
}

#[test]
fn calls_that_a_bug_lost_are_settled_with_words_that_say_how_far_they_came() {
    let mut builder = SessionBuilder::new();
    builder.user("go");
    let calls = vec![builder.tool_use("shell", json!({})), builder.tool_use("shell", json!({}))];
    drop(builder.say(None, "", "", calls));
    builder.decide(CallId(1), true, Decider::User);
    builder.ledger.settle_lost(Millis(9));
    let words: Vec<String> = builder
        .ledger
        .entries()
        .iter()
        .filter_map(|e| if let Body::ToolResult(r) = &e.body { Some(r.shown()) } else { None })
        .collect();
    assert!(words[0].contains("effects may be partial"), "{words:?}");
    assert!(words[1].contains("was not started"), "{words:?}");
    check(builder.ledger.entries()).unwrap();
}

#[test]
fn a_file_that_lacks_the_lines_of_its_calls_gets_them_before_their_results() {
    let recovered =
        recover(session(vec![said(), answer(&[1, 2]), Body::ToolCall(call(1))]), Millis(9)).unwrap();
    let announced: Vec<CallId> = recovered
        .ledger
        .entries()
        .iter()
        .filter_map(|e| if let Body::ToolCall(call) = &e.body { Some(call.id) } else { None })
        .collect();
    assert_eq!(announced, [CallId(1), CallId(2)]);
    check(recovered.ledger.entries()).unwrap();
}

#[test]
fn no_number_of_an_entry_is_given_again() {
    let stone = Tombstone { target: EntryId(50), reason: "the call failed".into() };
    let mut recovered = recover(session(vec![said(), Body::Tombstone(stone)]), Millis(9)).unwrap();
    assert_eq!(recovered.ledger.reserve(), EntryId(51));
}

#[test]
fn each_delegated_task_has_its_own_end_after_a_crash() {
    let sent = |id| {
        let (agent, task) = ("writer".to_owned(), "write".to_owned());
        Body::DelegationRequested(DelegationRequest { call: CallId(id), agent, task })
    };
    let ended = |id, is_error| {
        Body::DelegationAnswered(DelegationResponse {
            call: CallId(id),
            agent: "writer".into(),
            content: format!("the answer to c{id}"),
            is_error,
            task_id: None,
            state: TaskState::Completed,
        })
    };
    let made = vec![
        said(),
        answer(&[1, 2, 3]),
        Body::ToolCall(call(1)),
        Body::ToolCall(call(2)),
        Body::ToolCall(call(3)),
        decided(1, true),
        sent(1),
        decided(2, true),
        sent(2),
        decided(3, true),
        sent(3),
        ended(3, true),
        ended(2, false),
    ];
    let recovered = recover(session(made), Millis(9)).unwrap();
    let entries = recovered.ledger.entries();
    check(entries).unwrap();
    let content = |id| {
        let of = |e: &Arc<Entry>| match &e.body {
            Body::ToolResult(r) if r.call == CallId(id) => Some((r.outcome.clone(), r.content.clone())),
            _ => None,
        };
        entries.iter().find_map(of).unwrap()
    };
    assert_eq!(content(1).0, Outcome::Lost { started: true });
    assert_eq!(content(2), (Outcome::Ok, "the answer to c2".to_owned()));
    assert_eq!(content(3).0, Outcome::Lost { started: true });
    let ends = |id| {
        let of = |e: &&Arc<Entry>| matches!(&e.body, Body::DelegationAnswered(r) if r.call == CallId(id));
        entries.iter().filter(of).count()
    };
    assert_eq!([1, 2, 3].map(ends), [1, 1, 1]);
}

#[test]
fn what_is_withdrawn_takes_its_notes_along_and_no_others() {
    let mut builder = SessionBuilder::new();
    builder.user("go");
    let id = builder.ledger.reserve();
    builder.say(Some(id), "", "half", Vec::new());
    builder.note(&id.to_string(), "about the half");
    let first = builder.ledger.entries()[0].id;
    builder.note(&first.to_string(), "about the session");
    builder.note("c1", "about a call");
    builder.remark(Remark::Tombstone(Tombstone { target: id, reason: "failed".into() }));
    let notes: Vec<&str> = standing(builder.ledger.entries())
        .filter_map(|e| if let Body::Note(note) = &e.body { Some(note.for_people()) } else { None })
        .collect();
    assert_eq!(notes, ["about the session", "about a call"]);
    assert_eq!(Note::plain(About::parse("c1"), "x").about, About::Call(CallId(1)));
}

#[test]
fn a_summary_replaces_all_that_stands_up_to_its_place() {
    let mut builder = SessionBuilder::new();
    builder.user("go");
    builder.say(None, "", "an answer", Vec::new());
    builder.compact(CompactionTrigger::Manual, "the summary");
    let messages = builder.ledger.project().unwrap();
    assert!(matches!(&messages[..], [Message::User(said)] if said.content == "the summary"), "{messages:?}");
}

#[test]
fn only_a_lesson_about_reasoning_takes_the_reasoning_out() {
    let reasons = |lesson: ProviderLimit| {
        let mut builder = SessionBuilder::new();
        builder.user("go");
        let id = builder.ledger.reserve();
        let thought = Thinking { text: "hm".into(), replay: Some(json!({})) };
        let blocks = vec![Block::Thinking(thought), Block::Text("Yes.".into())];
        builder.write(id, blocks, Usage::default(), false);
        builder.remark(Remark::ProviderLimit(LearnedLimit { about: id, lesson }));
        let messages = builder.ledger.project().unwrap();
        messages.iter().any(|message| match message {
            Message::Assistant(said) => said.blocks.iter().any(|block| matches!(block, Block::Thinking(_))),
            _ => false,
        })
    };
    assert!(!reasons(ProviderLimit::ReasoningRefused));
    assert!(reasons(ProviderLimit::Window { model: ModelRef::parse("script"), most: 9_000 }));
    assert!(reasons(ProviderLimit::OutputLimit { model: ModelRef::parse("script"), most: 900 }));
    assert!(reasons(ProviderLimit::ToolRefused { tool: "odd".into() }));
}

#[test]
fn a_request_says_what_is_done_and_what_of_it_is_not_written_so() {
    assert_eq!(request(1, json!({}), None).does(), "runs");
    let effects = vec!["sends".to_owned(), "deletes".to_owned()];
    assert_eq!(ApprovalRequest { effects, ..request(1, json!({}), None) }.does(), "sends, deletes");
    for (written, leads_to, told) in [
        ("a", None, None),
        ("a", Some("a"), None),
        ("./a", Some("a"), None),
        ("a/", Some("a"), None),
        ("a/", Some("a/"), None),
        ("./a", Some("./a"), None),
        ("link/a", Some("real/a"), Some("link/a")),
        ("../a", Some("/out/a"), Some("../a")),
    ] {
        let request = request(1, json!({ "path": written }), leads_to);
        assert_eq!(request.written(), told, "{written} {leads_to:?}");
        let used = json!({ "path": leads_to.unwrap_or(written) });
        assert_eq!(request.used().to_value(), used);
    }
    let command = request(1, json!({ "command": "make", "pty": true, "timeout_ms": 5 }), None);
    assert_eq!(command.beside_command(), [("pty", &json!(true)), ("timeout_ms", &json!(5))]);
}

#[test]
fn a_rule_is_taken_where_a_person_allows_it_for_the_session() {
    let base = Decision { rule: Some("shell(x)".into()), ..Decision::denial(CallId(1), Decider::User, "") };
    for allow in [true, false] {
        for scope in [Scope::Once, Scope::Session, Scope::Project, Scope::Everywhere] {
            for by in [Decider::User, Decider::Policy, Decider::Hook] {
                let decision = Decision { allow, scope, by, ..base.clone() };
                let is_taken = allow && scope != Scope::Once && by == Decider::User;
                assert_eq!(decision.taken(), is_taken.then_some("shell(x)"), "{allow} {scope:?} {by:?}");
            }
        }
    }
}

#[test]
fn entries_say_of_themselves_what_they_are() {
    let started = |forked_from: Option<&str>| SessionStarted {
        session: "s".into(),
        cwd: "/w".into(),
        model: ModelRef::parse("script"),
        version: 1,
        system: String::new(),
        mode: None,
        forked_from: forked_from.map(str::to_owned),
    };
    assert_eq!(started(Some("0192@x@e14")).forked_at(), Some(EntryId(14)));
    assert_eq!(started(Some("0192")).forked_at().or(started(None).forked_at()), None);
    for trigger in [CompactionTrigger::Auto, CompactionTrigger::Manual, CompactionTrigger::Reactive] {
        assert_eq!(CompactionTrigger::parse(trigger.as_str()), Some(trigger));
    }
    assert_eq!(CompactionTrigger::parse("sometimes"), None);
    for (ending, is_budget) in [
        (Ending::MaxTurns, true),
        (Ending::MaxCost, true),
        (Ending::TokenBudget, true),
        (Ending::Completed, false),
        (Ending::ModelError, false),
        (Ending::AbortedTools, false),
        (Ending::PromptTooLong, false),
    ] {
        assert_eq!(ending.is_budget(), is_budget, "{ending:?}");
    }
    for (kind, is_use) in [
        ("server_tool_use", true),
        ("web_search_call", true),
        ("web_search_tool_result", false),
        ("text", false),
    ] {
        let hosted = Hosted { kind: kind.into(), name: String::new(), id: String::new(), value: Value::Null };
        assert_eq!(hosted.is_use(), is_use, "{kind}");
    }
    let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let restored = |restored: &[&str], deleted: &[&str]| {
        let (restored, deleted) = (files(restored), files(deleted));
        FilesRestored { since: CallId(1), restored, deleted, left: Vec::new() }.words()
    };
    assert_eq!(restored(&["a", "b"], &["c"]), "restored: a, b; deleted: c");
    assert_eq!(restored(&[], &[]), "nothing had to be changed");
    assert!(Unsettled(vec![CallId(1), CallId(2)]).to_string().contains("c1, c2"));
}

#[test]
fn what_two_calls_used_is_added_up_member_by_member() {
    let usage = |n: u64, cost: Option<u64>| Usage {
        input: n,
        output: 2 * n,
        cache_read: 3 * n,
        cache_write: 4 * n,
        reasoning: 5 * n,
        cost: cost.map(MicroDollars),
        estimated: false,
    };
    assert_eq!(usage(1, Some(10)).plus(usage(10, Some(100))), usage(11, Some(110)));
    assert_eq!(usage(1, None).plus(usage(10, Some(100))), usage(11, Some(100)));
    assert_eq!(usage(1, None).plus(usage(0, None)), usage(1, None));
    let estimated = Usage { estimated: true, ..usage(1, None) };
    assert!(estimated.plus(usage(1, None)).estimated && usage(1, None).plus(estimated).estimated);
}
