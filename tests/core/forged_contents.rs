//! Forgeries, with a chain made anew, of what a file says of one call in two places: what was shown, answered, denied, and made of a file.

use std::sync::Arc;

use countersign::ledger::*;
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::contradictions::checked;
use crate::one_of_all::{allowed, begun, call, changes, ended, entries, result, said};

const CONTENT: &str = "one\ntwo\n";
const DIFF: &str = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn asked(call: &ToolUse, preview: Preview, sandboxing: Sandboxing) -> Body {
    Body::ApprovalRequested(ApprovalRequest {
        call: call.id,
        name: call.name.clone(),
        arguments: call.arguments.to_value(),
        why: String::new(),
        risk: "writes".into(),
        effects: Vec::new(),
        preview,
        warning: None,
        rule: None,
        sandboxing,
        leads_to: None,
        is_partial: false,
        is_usual: false,
        replaces: false,
        gaps: Vec::new(),
    })
}

fn with(body: Body, change: impl FnOnce(&mut ToolResult)) -> Body {
    let Body::ToolResult(mut result) = body else { panic!("{body:?}") };
    change(Arc::make_mut(&mut result));
    Body::ToolResult(result)
}

fn decided(body: Body, change: impl FnOnce(&mut Decision)) -> Body {
    let Body::ApprovalDecided(mut decision) = body else { panic!("{body:?}") };
    change(&mut decision);
    Body::ApprovalDecided(decision)
}

/// A file is written, a question is answered, a call is denied, a hook changes a call that runs in the sandbox, and all is undone.
pub(crate) fn bodies() -> Vec<Body> {
    let write = call(1, "write", json!({ "path": "a.txt", "content": CONTENT }));
    let ask = call(2, "ask", json!({ "question": "Which?" }));
    let denied = call(3, "shell", json!({ "command": "rm a" }));
    let shell = call(4, "shell", json!({ "command": "ls" }));
    let hooked = call(4, "shell", json!({ "command": "ls -l" }));
    let file = ChangedFile {
        path: "a.txt".into(),
        before: FileContent::Absent,
        after: FileContent::Sha256(sha256(CONTENT)),
    };
    let canonical = hooked.arguments.canonical();
    let calls = [&write, &ask, &denied, &shell];
    let mut bodies = vec![
        begun(Some(Mode::Ask)),
        Body::User(Arc::new(UserMessage::text("write"))),
        Body::Transition { turn: 1, reason: Transition::Submitted },
        said(4, calls.map(|call| Block::ToolUse(call.clone())).into(), Stop::ToolUse),
    ];
    bodies.extend(calls.map(|call| Body::ToolCall(call.clone())));
    bodies.extend([
        // 9: what was shown of the file
        asked(&write, Preview::Diff(DIFF.into()), Sandboxing::Without),
        allowed(&write, Decider::User),
        with(result(&write, Outcome::Ok), |result| result.facts.files = vec![file]),
        asked(&ask, Preview::None, Sandboxing::Without),
        decided(allowed(&ask, Decider::User), |decision| decision.answer = Some("this".into())),
        with(result(&ask, Outcome::Ok), |result| result.content = "this".into()),
        // 15: why it was denied
        Body::ApprovalDecided(Decision::denial(CallId(3), Decider::Policy, "rule deny shell(rm *)")),
        with(result(&denied, Outcome::Denied(Decider::Policy)), |result| {
            result.content = "Denied: rule deny shell(rm *). The call was not started.".into();
        }),
        Body::Note(Note::of_hook(
            CallId(4),
            hooked.arguments.to_value(),
            format!("A hook changed the arguments of the call of shell to {canonical}"),
        )),
        // 18: where it is to run
        asked(&hooked, Preview::Command("ls -l".into()), Sandboxing::Within),
        decided(allowed(&hooked, Decider::User), |decision| decision.sandboxed = true),
        Body::Note(Note::of_refusal(CallId(4))),
        with(result(&hooked, Outcome::Failed), |result| {
            result.facts.blocked_hosts = vec!["a.example".into()]
        }),
        Body::Transition { turn: 2, reason: Transition::NextTurn },
        // 23: the last answer
        said(23, vec![Block::Text("Done.".into())], Stop::End),
    ]);
    let Body::TurnEnded(end) = ended(&bodies) else { panic!("it is an end") };
    let not_ok = vec![(CallId(3), "denied".into()), (CallId(4), "failed".into())];
    bodies.push(Body::TurnEnded(TurnEnded { reason: Ending::Completed, tool_calls: 4, not_ok, ..end }));
    bodies.extend([undo(3), undo(1)]);
    bodies
}

fn undo(since: u64) -> Body {
    let since = CallId(since);
    changes(Change::FilesRestored(FilesRestored {
        since,
        restored: vec![],
        deleted: vec!["a.txt".into()],
        left: vec![],
    }))
}

#[track_caller]
fn found(change: impl Fn(&mut Vec<Body>), line: usize, what: &str) {
    let mut bodies = bodies();
    change(&mut bodies);
    let audit = checked(bodies);
    let first = audit.faults.first().unwrap_or_else(|| panic!("nothing is found of: {what}"));
    assert!(first.line == line && first.what.contains(what), "{:?}", audit.faults);
}

#[track_caller]
fn stands(change: impl Fn(&mut Vec<Body>)) {
    let mut bodies = bodies();
    change(&mut bodies);
    assert_eq!(checked(bodies).faults, []);
}

#[test]
fn the_session_that_is_forged_contradicts_itself_nowhere() {
    stands(|_| ());
    assert_eq!(entries(bodies()).len(), 26);
}

#[test]
fn a_diff_is_one_to_what_the_call_writes() {
    let shown = |all: &mut Vec<Body>, diff: &str, is_cut: bool| {
        let Body::ApprovalRequested(asked) = &mut all[8] else { panic!("{:?}", all[8]) };
        (asked.preview, asked.is_partial) = (Preview::Diff(diff.into()), is_cut);
    };
    let another = "shows something else than the call would do";
    for diff in [DIFF.replace("+two", "+three"), DIFF.replace("+two\n", ""), DIFF.replace("+one", " zero")] {
        found(|all| shown(all, &diff, false), 9, another);
        stands(|all| shown(all, &diff, true));
    }
    let changed = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-2\n+two\n";
    stands(|all| shown(all, changed, false));
    found(|all| shown(all, &changed.replace("+two", "+2"), false), 9, another);
    stands(|all| shown(all, "! the file is not text\n", false));
    stands(|all| shown(all, "--- /dev/null\n+++ b/a\n@@ -0,0 +1,2 @@\n+one\n… 1 more line\n", true));
}

#[test]
fn a_diff_is_one_of_the_file_to_which_the_path_leads() {
    let shown = |all: &mut Vec<Body>, diff: &str, to: &str| {
        let Body::ApprovalRequested(asked) = &mut all[8] else { panic!("{:?}", all[8]) };
        (asked.preview, asked.leads_to) = (Preview::Diff(diff.into()), Some(to.into()));
    };
    let another = "shows something else than the call would do";
    stands(|all| shown(all, DIFF, "a.txt"));
    found(|all| shown(all, DIFF, "/etc/passwd"), 9, another);
    found(|all| shown(all, &DIFF.replace("b/a.txt", "b/other.txt"), "a.txt"), 9, another);
    // A path from the root has no letter before it.
    stands(|all| shown(all, &DIFF.replace("b/a.txt", "/home/a.txt"), "/home/a.txt"));
    let changed = DIFF.replace("/dev/null", "a/a.txt");
    stands(|all| shown(all, &changed, "a.txt"));
    found(|all| shown(all, &changed.replace("a/a.txt", "a/other.txt"), "a.txt"), 9, another);
    stands(|all| shown(all, "! the file is not text\n", "a.txt"));
}

#[test]
fn a_result_names_the_file_and_the_content_of_its_call() {
    let file = |all: &mut Vec<Body>, change: &dyn Fn(&mut ToolResult)| {
        all[10] = with(all[10].clone(), |result| change(result));
    };
    let another = "changed a file differently";
    found(|all| file(all, &|one| one.facts.files[0].path = "b.txt".into()), 11, another);
    found(|all| file(all, &|one| one.facts.files[0].after = FileContent::Absent), 11, another);
    let hash = || FileContent::Sha256(sha256("one\n"));
    found(|all| file(all, &|one| one.facts.files[0].after = hash()), 11, another);
    found(|all| file(all, &|one| one.facts.files.extend(one.facts.files.clone())), 11, another);
    stands(|all| file(all, &|one| one.facts.files[0].before = hash()));
}

#[test]
fn answers_and_reasons_are_those_of_the_decision() {
    let content = |all: &mut Vec<Body>, at: usize, words: &str| {
        all[at] = with(all[at].clone(), |result| result.content = words.into());
    };
    found(|all| content(all, 13, "that"), 14, "another answer than a person gave");
    let unsaid = |all: &mut Vec<Body>| {
        content(all, 13, "that");
        all[12] = decided(all[12].clone(), |decision| decision.answer = None);
    };
    found(unsaid, 14, "but nobody has answered it");
    let cut = |all: &mut Vec<Body>| {
        content(all, 13, "that");
        all[13] = with(all[13].clone(), |result| result.cut_chars = 9);
    };
    found(cut, 14, "another answer than a person gave");
    found(
        |all| content(all, 15, "Denied: rule deny shell(ls). The call was not started."),
        16,
        "another reason",
    );
    let decision = |all: &mut Vec<Body>, at: usize, change: &dyn Fn(&mut Decision)| {
        all[at] = decided(all[at].clone(), |decision| change(decision));
    };
    found(|all| decision(all, 9, &|one| one.answer = Some("x".into())), 10, "which is no question");
    found(|all| decision(all, 14, &|one| one.reason = "mode plan".into()), 16, "another reason");
}

#[test]
fn a_call_runs_in_the_sandbox_if_the_person_was_told_so() {
    let decision = |all: &mut Vec<Body>, at: usize, change: &dyn Fn(&mut Decision)| {
        all[at] = decided(all[at].clone(), |decision| change(decision));
    };
    let otherwise = "otherwise in the sandbox than they were asked";
    found(|all| decision(all, 18, &|one| one.sandboxed = false), 19, otherwise);
    found(|all| decision(all, 9, &|one| one.sandboxed = true), 10, otherwise);
    let sandboxing = |all: &mut Vec<Body>, to| {
        let Body::ApprovalRequested(asked) = &mut all[17] else { panic!("{:?}", all[17]) };
        asked.sandboxing = to;
    };
    stands(|all| sandboxing(all, Sandboxing::OnWish));
    let outside = |all: &mut Vec<Body>| {
        sandboxing(all, Sandboxing::OnWish);
        decision(all, 18, &|one| one.sandboxed = false);
    };
    found(outside, 20, "stopped by the sandbox");
    let told_by_hosts = |all: &mut Vec<Body>| {
        outside(all);
        all[19] = Body::Note(Note::plain(CallId(4), "it ran"));
    };
    found(told_by_hosts, 21, "stopped by the sandbox");
}

#[test]
fn a_provider_has_one_name_for_a_call() {
    let renamed = |all: &mut Vec<Body>| {
        let Body::ToolCall(call) = &mut all[7] else { panic!("{:?}", all[7]) };
        call.wire_id = "call_3".into();
    };
    found(renamed, 8, "another name of the provider");
}

#[test]
fn the_end_has_the_last_answer() {
    let text = |all: &mut Vec<Body>, words: &str| {
        let Body::TurnEnded(end) = &mut all[23] else { panic!("{:?}", all[23]) };
        end.text = words.into();
    };
    found(|all| text(all, "Failed."), 24, "another answer than its last one");
    found(|all| text(all, ""), 24, "another answer than its last one");
    found(|all| text(all, "All is Done."), 24, "another answer than its last one");
}
