//! Forgeries of somebody who makes the chain anew: each line stands, and what they say of each other cannot be.

use std::sync::Arc;

use countersign::ledger::*;
use countersign::wire::record::{Audit, Chain, Links, Salt, audit_entries, encode};
use serde_json::{Value, json};

use crate::one_of_all::{allowed, bodies, call, changes, entries, result, said};

/// The chain as a forger makes it: it holds.
pub(crate) fn chained_text(records: Vec<Value>) -> String {
    let (mut chain, mut given) = (Chain::default(), 0_u8);
    let mut salt = || -> Salt {
        given = given.wrapping_add(1);
        [given; 16]
    };
    records.into_iter().map(|record| chain.line(record, &mut salt) + "\n").collect()
}

fn chained(records: Vec<Value>) -> Audit {
    audit_entries(chained_text(records).as_bytes(), Links::default()).0
}

pub(crate) fn checked(bodies: Vec<Body>) -> Audit {
    chained(entries(bodies).iter().map(encode).collect())
}

#[track_caller]
fn found(change: impl Fn(&mut Vec<Body>), line: usize, what: &str) {
    let mut bodies = bodies();
    change(&mut bodies);
    let audit = checked(bodies);
    let first = audit.faults.first().unwrap_or_else(|| panic!("nothing is found of: {what}"));
    assert!(first.line == line && first.what.contains(what), "{:?}", audit.faults);
}

/// The same for a member of one line, whatever the rest of it says.
#[track_caller]
fn found_in(line: usize, member: &str, value: Value) {
    let mut records: Vec<Value> = entries(bodies()).iter().map(encode).collect();
    records[line - 1][member] = value;
    let audit = chained(records);
    let first = audit.faults.first().unwrap_or_else(|| panic!("nothing is found of {member}"));
    assert!(first.line == line, "{member}: {:?}", audit.faults);
}

#[test]
fn a_session_of_ours_contradicts_itself_nowhere() {
    let audit = checked(bodies());
    assert_eq!(audit.faults, []);
    assert!(audit.open.is_empty());
}

#[test]
fn what_a_person_did_was_asked_of_them() {
    found(
        |all| {
            all.remove(6);
            all.remove(6);
        },
        7,
        "nobody was asked",
    );
    let decision = |all: &mut Vec<Body>, at: usize, change: &dyn Fn(&mut Decision)| {
        let Body::ApprovalDecided(decision) = &mut all[at] else { panic!("{:?}", all[at]) };
        change(decision);
    };
    found(|all| decision(all, 10, &|one| one.by = Decider::User), 11, "nobody was asked");
    found(|all| decision(all, 10, &|one| one.by = Decider::Hook), 11, "a hook can only deny");
    found(|all| decision(all, 10, &|one| one.scope = Scope::Session), 11, "nobody but a person can grant");
    found(|all| decision(all, 8, &|one| one.key = "0199-c2".into()), 9, "the key of another call");
    found(|all| decision(all, 8, &|one| one.key = "0200-c1".into()), 9, "the key of another call");
    let gap = |gaps: &[&str], call| {
        let gaps = gaps.iter().map(|gap| (*gap).to_owned()).collect();
        changes(Change::GapsAccepted { gaps, call })
    };
    let unasked = "what no question that waits has named";
    found(|all| all[7] = gap(&["another socket"], Some(CallId(1))), 8, unasked);
    found(|all| all[7] = gap(&["a socket", "another"], None), 8, unasked);
    found(|all| all[7] = gap(&["a socket"], Some(CallId(2))), 8, unasked);
    found(|all| all.insert(9, gap(&["a socket"], None)), 10, unasked);
    let accepts = || changes(Change::PriceAccepted { up_to: 9_000_000 });
    found(|all| all.insert(18, accepts()), 19, "no run has ended to ask");
    found(|all| all.insert(2, accepts()), 3, "no run has ended to ask");
    found(
        |all| all.insert(11, changes(Change::GrantRevoked { call: CallId(2) })),
        12,
        "no person has given one",
    );
    found(
        |all| all[18] = changes(Change::Mode { mode: Mode::Ask, resumed: false }),
        19,
        "which it was before",
    );
    found(
        |all| all.push(changes(Change::Mode { mode: Mode::Edit, resumed: true })),
        27,
        "which it was before",
    );
    let back = |message| changes(Change::Rewound { message, branch: "0200".into() });
    found(|all| all.push(back(EntryId(4))), 27, "which is no message");
    let restored = FilesRestored { since: CallId(9), restored: vec![], deleted: vec![], left: vec![] };
    found(
        |all| all.push(changes(Change::FilesRestored(restored.clone()))),
        27,
        "call c9, which is not there",
    );
}

#[test]
fn results_say_what_was_decided_and_done() {
    let change = |all: &mut Vec<Body>, at: usize, change: &dyn Fn(&mut ToolResult)| {
        let Body::ToolResult(result) = &mut all[at] else { panic!("{:?}", all[at]) };
        change(Arc::make_mut(result));
    };
    found(|all| change(all, 9, &|one| one.name = "read".into()), 10, "of another tool");
    found(
        |all| change(all, 9, &|one| one.outcome = Outcome::Denied(Decider::User)),
        10,
        "is said to be denied, but was decided otherwise",
    );
    found(
        |all| change(all, 9, &|one| one.outcome = Outcome::Lost { started: false }),
        10,
        "not to have been started, but was allowed",
    );
    found(|all| change(all, 9, &|one| one.facts.is_from_editor = true), 10, "a text in an editor");
    let file = ChangedFile { path: "a".into(), before: FileContent::Absent, after: FileContent::Large(1) };
    let files = move |one: &mut ToolResult| one.facts.files = vec![file.clone()];
    found(|all| change(all, 9, &files), 10, "to have changed files, which its tool does not do");
    let shows = |all: &mut Vec<Body>| {
        let Body::ApprovalRequested(asked) = &mut all[6] else { panic!("{:?}", all[6]) };
        asked.preview = Preview::Command("rm -r .".into());
    };
    found(shows, 7, "shows something else than the call would do");
    let within = Some(Reach::NothingStarted);
    let cut = Abort { path: AbortPath::C, ran_ms: Some(9), by: CutBy::User, within };
    found(
        |all| change(all, 9, &|one| one.outcome = Outcome::Aborted(cut)),
        10,
        "to have started a sub-agent",
    );
    found(|all| change(all, 9, &|one| one.outcome = Outcome::Ok), 25, "the calls that were not ok");
    found(|all| drop(all.remove(4)), 9, "has no line of its own");
    let denied = |by| Body::ApprovalDecided(Decision::denial(CallId(1), by, ""));
    let denies = |all: &mut Vec<Body>, by, outcome: Outcome| {
        all[8] = denied(by);
        change(all, 9, &|one| one.outcome = outcome.clone());
    };
    found(|all| denies(all, Decider::User, Outcome::Denied(Decider::Policy)), 10, "decided otherwise");
    found(|all| denies(all, Decider::User, Outcome::Failed), 10, "ran, but nobody allowed it before");
    // Without a decision nothing fails, except what the output limit cut off, and nothing leaves what only a run leaves.
    found(|all| drop(all.remove(8)), 9, "ran, but nobody allowed it before");
    let leaves = |all: &mut Vec<Body>| {
        change(all, 9, &|one| (one.outcome, one.facts.is_silent) = (Outcome::Invalid, true));
        all.remove(8);
    };
    found(leaves, 9, "ran, but nobody allowed it before");
    let shows_a_diff = |all: &mut Vec<Body>| {
        let Body::ApprovalRequested(asked) = &mut all[6] else { panic!("{:?}", all[6]) };
        asked.preview = Preview::Diff("ls".into());
    };
    found(shows_a_diff, 7, "shows something else than the call would do");
    found_in(10, "is_error", json!(false));
    found_in(2, "id", json!("e9"));
}

#[test]
fn results_of_calls_that_ran_are_in_the_order_of_the_calls() {
    let calls = [1, 2].map(|id| call(id, "read", json!({ "path": format!("{id}") })));
    let session = |order: [usize; 2], outcomes: [Outcome; 2]| {
        let mut all: Vec<Body> = bodies().drain(..3).collect();
        all.push(said(4, calls.iter().cloned().map(Block::ToolUse).collect(), Stop::ToolUse));
        all.extend(calls.iter().cloned().map(Body::ToolCall));
        all.extend(calls.iter().map(|call| allowed(call, Decider::Policy)));
        all.extend(order.map(|at| result(&calls[at], outcomes[at].clone())));
        checked(all).faults.first().map(|fault| (fault.line, fault.what.clone()))
    };
    let ok = || [Outcome::Ok, Outcome::Ok];
    assert_eq!(session([0, 1], ok()), None);
    assert_eq!(session([1, 0], ok()), Some((9, "the result of call c2 comes before that of c1".to_owned())));
    // A call that still waits is passed by one that came to nothing.
    assert_eq!(session([1, 0], [Outcome::Ok, Outcome::Lost { started: true }]), None);
}

#[test]
fn tasks_and_what_is_set_aside_for_them_are_those_of_the_call() {
    let sent = |agent: &str, task: &str| {
        Body::DelegationRequested(DelegationRequest {
            call: CallId(2),
            agent: agent.into(),
            task: task.into(),
        })
    };
    found(|all| all[11] = sent("helper", "delete all"), 12, "another task is sent");
    found(|all| all[11] = sent("other", "look"), 12, "another task is sent");
    let escrow = |all: &mut Vec<Body>, change: &dyn Fn(&mut Escrow)| {
        let Body::Change(Change::EscrowReserved(escrow)) = &mut all[12] else { panic!("{:?}", all[12]) };
        change(escrow);
    };
    found(|all| escrow(all, &|one| one.session = "0199-c3".into()), 13, "for another session");
    found(|all| escrow(all, &|one| one.session = "0200-c2".into()), 13, "for another session");
    found(|all| escrow(all, &|one| one.in_background = true), 14, "none is waited for");
    found(|all| all.swap(13, 15), 15, "none is waited for");
    let settled = |all: &mut Vec<Body>, change: &dyn Fn(&mut EscrowSettlement)| {
        let Body::Change(Change::EscrowSettled(settled)) = &mut all[15] else { panic!("{:?}", all[15]) };
        change(settled);
    };
    found(|all| settled(all, &|one| one.is_assumed = true), 16, "not all of it is charged");
    found(|all| settled(all, &|one| one.spent.usage.input = 1), 25, "other tokens");
    found(|all| drop(all.remove(15)), 17, "is not settled");
}

#[test]
fn turns_are_counted_one_by_one() {
    let turn = |all: &mut Vec<Body>, at: usize, to: u32| {
        let Body::Transition { turn, .. } = &mut all[at] else { panic!("{:?}", all[at]) };
        *turn = to;
    };
    found(|all| turn(all, 2, 99), 3, "turn 99 of the run, and is turn 1");
    found(|all| turn(all, 22, 3), 23, "turn 3 of the run, and is turn 2");
    // Of a mode that only a later version knows, nothing is known, and that is said.
    let mut records: Vec<Value> = entries(bodies()).iter().map(encode).collect();
    records[0]["mode"] = json!("god");
    let audit = chained(records);
    assert_eq!((audit.skipped.len(), audit.skipped[0].kind.as_str()), (1, "mode \"god\""));
}

#[test]
fn the_end_of_a_run_says_what_it_came_to() {
    let ended = |all: &mut Vec<Body>, change: &dyn Fn(&mut TurnEnded)| {
        let Body::TurnEnded(ended) = &mut all[24] else { panic!("{:?}", all[24]) };
        change(ended);
    };
    found(|all| ended(all, &|one| one.turns = 1), 25, "1 turns, and has 2");
    found(|all| ended(all, &|one| one.tool_calls = 0), 25, "0 calls, and has 2");
    found(|all| ended(all, &|one| one.usage.cost = Some(MicroDollars(1))), 25, "cost something else");
    found(|all| ended(all, &|one| one.not_ok.clear()), 25, "the calls that were not ok");
    found(|all| drop(all.drain(20..22)), 23, "other tokens");
    found_in(25, "status", json!("completed"));
    found_in(25, "completed", json!(true));
    found_in(25, "cost_usd", json!(0.01));
}

#[test]
fn a_time_that_goes_back_is_told_and_one_in_another_form_is_found() {
    let records = |changes: &[(usize, &str, &str)]| {
        let mut records: Vec<Value> = entries(bodies()).iter().map(encode).collect();
        changes.iter().for_each(|(line, member, value)| records[line - 1][*member] = json!(value));
        chained(records)
    };
    assert_eq!(records(&[]).earlier, None);
    let back = records(&[(6, "at", "2020-01-01T00:00:00.000Z")]);
    assert_eq!((back.earlier, back.faults), (Some(6), vec![]));
    // The first line of a copy was written when it was made.
    let ahead = (1, "at", "2090-01-01T00:00:00.000Z");
    assert_eq!(records(&[ahead]).earlier, Some(2));
    let copy = records(&[ahead, (1, "forked_from", "0198@e26")]);
    assert_eq!((copy.earlier, copy.faults), (None, vec![]));
    // The same moment, as somebody else would write it.
    found_in(6, "at", json!("2025-11-20T23:54:01.126+01:00"));
}

#[test]
fn what_was_withdrawn_could_be() {
    let stone = |target| Body::Tombstone(Tombstone { target: EntryId(target), reason: String::new() });
    for target in [4, 10, 9] {
        found(|all| all.push(stone(target)), 27, "no such entry can be");
    }
    found(|all| all.insert(4, stone(11)), 11, "before it was written");
    found(
        |all| all.push(changes(Change::Sealed { head: "0".repeat(64), signature: "x".into() })),
        27,
        "`head` does not follow",
    );
}
