//! A session that has one of all that lines can say against each other.

use std::collections::BTreeMap;
use std::sync::Arc;

use countersign::budget::{Limits, Meter};
use countersign::ledger::*;
use countersign::policy::digest;
use serde_json::{Value, json};

/// How a session begins.
pub(crate) fn begun(mode: Option<Mode>) -> Body {
    Body::SessionStarted(SessionStarted {
        session: "0199".into(),
        cwd: "/w".into(),
        model: ModelRef::parse("script"),
        version: FORMAT_VERSION,
        system: "be brief".into(),
        mode,
        forked_from: None,
    })
}

pub(crate) fn call(id: u64, name: &str, arguments: Value) -> ToolUse {
    ToolUse {
        id: CallId(id),
        wire_id: format!("call_{id}"),
        name: name.into(),
        arguments: Arguments::from_value(arguments),
    }
}

pub(crate) fn said(id: u64, blocks: Vec<Block>, stop: Stop) -> Body {
    Body::Assistant(Arc::new(AssistantMessage {
        id: EntryId(id),
        model: ModelRef::parse("script"),
        blocks,
        stop,
        usage: Usage { input: 10, output: 4, cost: Some(MicroDollars(123_456)), ..Usage::default() },
        interrupted: false,
    }))
}

pub(crate) fn allowed(call: &ToolUse, by: Decider) -> Body {
    Body::ApprovalDecided(Decision {
        digest: digest(&call.name, &call.arguments),
        cwd: "/w".into(),
        key: format!("0199-{}", call.id),
        ..Decision::permission(call.id, by, "")
    })
}

/// By a person, in the sandbox.
fn allowed_within(call: &ToolUse) -> Body {
    let Body::ApprovalDecided(decision) = allowed(call, Decider::User) else { unreachable!() };
    Body::ApprovalDecided(Decision { sandboxed: true, ..decision })
}

pub(crate) fn result(call: &ToolUse, outcome: Outcome) -> Body {
    Body::ToolResult(Arc::new(ToolResult {
        call: call.id,
        name: call.name.clone(),
        outcome,
        content: "x".into(),
        duration_ms: 3,
        written: None,
        cut_chars: 0,
        facts: Facts::default(),
        images: vec![],
    }))
}

pub(crate) fn changes(change: Change) -> Body {
    Body::Change(change)
}

/// What a person is asked about the first call.
pub(crate) fn asked() -> Body {
    Body::ApprovalRequested(ApprovalRequest {
        call: CallId(1),
        name: "shell".into(),
        arguments: json!({ "command": "ls" }),
        why: String::new(),
        risk: "runs".into(),
        effects: Vec::new(),
        preview: Preview::Command("ls".into()),
        warning: None,
        rule: None,
        sandboxing: Sandboxing::Within,
        leads_to: None,
        is_partial: false,
        is_usual: false,
        replaces: false,
        gaps: vec!["a socket".into()],
    })
}

/// What is set aside for the second call, what came of it, and its answer.
pub(crate) fn of_the_subagent() -> [Body; 3] {
    let limits = BTreeMap::from([(Limit::Turns, 5), (Limit::Cost, 1_000_000)]);
    let (call, session) = (CallId(2), "0199-c2".to_owned());
    let escrow = Escrow { call, session, limits, parallel: 1, in_background: false, waits: false };
    let spent = Spent { turns: 1, tool_calls: 0, wall_ms: 4, usage: Usage { input: 3, ..Usage::default() } };
    let settled = EscrowSettlement {
        call: CallId(2),
        spent,
        is_assumed: false,
        state: TaskState::Completed,
        answer: None,
    };
    let answered = DelegationResponse {
        call: CallId(2),
        agent: "helper".into(),
        content: "x".into(),
        is_error: false,
        task_id: None,
        state: TaskState::Completed,
    };
    [
        changes(Change::EscrowReserved(escrow)),
        changes(Change::EscrowSettled(settled)),
        Body::DelegationAnswered(answered),
    ]
}

/// A session that has one of all: a person is asked and accepts a gap, a sub-agent works, an answer fails, a price is asked about.
pub(crate) fn bodies() -> Vec<Body> {
    let (shell, task) = (
        call(1, "shell", json!({ "command": "ls" })),
        call(2, "delegate_to_helper", json!({ "task": "look" })),
    );
    let [escrow, settled, answered] = of_the_subagent();
    let mut bodies = vec![
        begun(Some(Mode::Ask)),
        Body::User(Arc::new(UserMessage::text("list"))),
        Body::Transition { turn: 1, reason: Transition::Submitted },
        said(4, vec![Block::ToolUse(shell.clone()), Block::ToolUse(task.clone())], Stop::ToolUse),
        Body::ToolCall(shell.clone()),
        Body::ToolCall(task.clone()),
        asked(),
        changes(Change::GapsAccepted { gaps: vec!["a socket".into()], call: Some(CallId(1)) }),
        allowed_within(&shell),
        result(&shell, Outcome::Failed),
        allowed(&task, Decider::Policy),
        Body::DelegationRequested(DelegationRequest {
            call: CallId(2),
            agent: "helper".into(),
            task: "look".into(),
        }),
        escrow,
        changes(Change::SubagentWaits { call: CallId(2), waits: true }),
        changes(Change::SubagentWaits { call: CallId(2), waits: false }),
        settled,
        answered,
        result(&task, Outcome::Ok),
        changes(Change::Mode { mode: Mode::Edit, resumed: false }),
        Body::Transition { turn: 2, reason: Transition::NextTurn },
        said(21, vec![Block::Text("Hm".into())], Stop::End),
        Body::Tombstone(Tombstone { target: EntryId(21), reason: "it failed".into() }),
        Body::Transition { turn: 2, reason: Transition::TransientRetry },
        said(24, vec![Block::Text("Done.".into())], Stop::End),
    ];
    bodies.push(ended(&bodies));
    bodies.push(changes(Change::PriceAccepted { up_to: 9 }));
    bodies
}

pub(crate) fn ended(bodies: &[Body]) -> Body {
    let mut meter = Meter::new(Limits::default());
    entries(bodies.to_vec()).iter().for_each(|entry| meter.read(entry));
    Body::TurnEnded(TurnEnded {
        reason: Ending::PriceAsked,
        turns: 2,
        tool_calls: 2,
        hosted_tools: 0,
        usage: meter.usage(),
        wall_ms: 5,
        text: "Done.".into(),
        not_ok: vec![(CallId(1), "failed".into())],
        next_safe_action: String::new(),
        cut_by: None,
    })
}

pub(crate) fn entries(bodies: Vec<Body>) -> Vec<Entry> {
    let entry = |(id, body)| Entry { id: EntryId(id), at: Millis(1_763_679_241_120 + id), body };
    (1..).zip(bodies).map(entry).collect()
}
