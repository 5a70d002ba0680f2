//! Sub-agents in lines: what waits is said once, what is decided is confirmed, and nothing that is over is said to wait.

use std::collections::BTreeMap;

use countersign::agent::{Event, Intent};
use countersign::ledger::{
    Arguments, CallId, Change, Decider, Decision, Ending, Escrow, EscrowSettlement, Outcome, Preview, Remark,
    RemoteTask, Settlement, Spent, TaskState, UserMessage,
};
use countersign::ui::linear::LinearEffect;
use serde_json::json;

use crate::linear_harness::LinearHarness;
use crate::scenes::{below, child, waiting_below};
use crate::screen_harness::ScreenHarness;
use crate::session_builder::SessionBuilder;

const PARENT: CallId = CallId(1);

/// What the sub-agent records after its call waits.
fn afterwards(more: fn(&mut SessionBuilder)) -> Vec<Event> {
    let mut child = child();
    let told = child.events.len();
    more(&mut child);
    child.events.split_off(told)
}

/// What the sub-agent records next reaches the session.
fn next(lines: &mut LinearHarness, more: fn(&mut SessionBuilder)) -> String {
    below(&mut lines.builder, PARENT, afterwards(more));
    lines.hears()
}

fn change(builder: &mut SessionBuilder, change: Change) {
    builder.remark(Remark::Change(change));
}

/// A session that rests, with a sub-agent that works in the background.
fn in_background() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.user("Have it made.");
    let task = builder.tool_use("delegate_to_general", json!({ "task": "Make it." }));
    let mut open = builder.say(None, "", "I ask.", vec![task]).remove(0);
    builder.decide(PARENT, true, Decider::Policy);
    builder.ledger.delegate(builder.at(), &mut open, "general", "Make it.");
    let (session, limits) = ("0192-test-c1".to_owned(), BTreeMap::new());
    let escrow = Escrow { call: PARENT, session, limits, parallel: 1, in_background: true, waits: false };
    builder.ledger.set_aside(builder.at(), escrow);
    builder.tell();
    let remote = Some(RemoteTask { id: None, state: TaskState::Working });
    builder.finish(open, Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It works.") });
    builder.end(Ending::Completed);
    builder
}

fn settled(state: TaskState, answer: Option<&str>) -> Change {
    let spent = Spent { turns: 1, tool_calls: 1, ..Spent::default() };
    let answer = answer.map(str::to_owned);
    Change::EscrowSettled(EscrowSettlement { call: PARENT, spent, is_assumed: false, state, answer })
}

#[test]
fn what_was_decided_in_its_session_waits_no_more_outside() {
    for stops in [false, true] {
        let mut lines = LinearHarness::new(waiting_below());
        lines.types("/into c1");
        if !stops {
            assert_eq!(lines.types("n").len(), 1, "{}", lines.said);
            next(&mut lines, |child| child.decide(CallId(1), false, Decider::User));
        }
        next(&mut lines, |child| child.end(Ending::AbortedTools));
        lines.said.clear();
        lines.types("/back");
        assert!(!lines.said.contains("still wait"), "{}", lines.said);
        for line in ["y", "y 1", "n 4", "a project"] {
            if line == "y" && !stops {
                continue;
            }
            lines.said.clear();
            assert_eq!(lines.types(line), [], "{line}");
            assert!(lines.said.contains("not an answer: no call waits for you"), "{}", lines.said);
            assert!(lines.said.contains(&format!("kept, /send sends it: {line}")), "{}", lines.said);
        }
    }
}

#[test]
fn a_letter_by_itself_is_a_message_where_no_call_has_gone() {
    let mut lines = LinearHarness::new(SessionBuilder::new());
    assert_eq!(lines.types("y"), [LinearEffect::Send(Intent::Submit("y".into()))]);
    // The call of a run that was stopped has gone: the next line may have been meant for it.
    let mut lines = LinearHarness::new(waiting_below());
    next(&mut lines, |child| child.end(Ending::AbortedTools));
    assert_eq!(lines.types("y"), []);
    assert_eq!(lines.types("y"), [LinearEffect::Send(Intent::Submit("y".into()))]);
}

#[test]
fn a_decision_about_the_call_of_a_sub_agent_is_confirmed() {
    for (key, allows, said) in [
        ("y", true, "allowed once (of the sub-agent general c1): shell touch made.txt\n"),
        ("n", false, "denied by you (of the sub-agent general c1): shell touch made.txt\n"),
    ] {
        let mut lines = LinearHarness::new(waiting_below());
        assert_eq!(lines.types(key).len(), 1);
        let heard = match allows {
            true => next(&mut lines, |child| child.decide(CallId(1), true, Decider::User)),
            false => next(&mut lines, |child| child.decide(CallId(1), false, Decider::User)),
        };
        assert!(heard.contains(said), "{heard}");
        // What nobody here has decided is not.
        let mut lines = LinearHarness::new(waiting_below());
        let heard = next(&mut lines, |child| child.decide(CallId(1), true, Decider::Policy));
        assert!(!heard.contains("allowed"), "{heard}");
    }
}

#[test]
fn a_call_that_waits_is_said_once_and_how_to_get_to_it() {
    let mut builder = waiting_below();
    change(&mut builder, Change::SubagentWaits { call: PARENT, waits: true });
    let mut lines = LinearHarness::new(builder);
    assert_eq!(lines.said.matches("waits for you").count(), 1, "{}", lines.said);
    assert_eq!(lines.said.matches("/into c1 shows its session").count(), 1, "{}", lines.said);
    // It may have been stopped: nobody has said that it goes on.
    change(&mut lines.builder, Change::SubagentWaits { call: PARENT, waits: false });
    let heard = lines.hears();
    assert!(!heard.contains("goes on") && !heard.contains("sub-agent"), "{heard}");
}

#[test]
fn a_call_that_comes_to_wait_outside_is_said_inside() {
    let mut builder = crate::scenes::waiting_below_beside(Some("touch own.txt"));
    builder.tell();
    let mut lines = LinearHarness::new(builder);
    lines.types("/into c1");
    lines.builder.ask(CallId(2), "shell", Preview::Command("touch own.txt".into()));
    let heard = lines.hears();
    assert!(heard.contains("waits for you outside this session: shell; /back goes there"), "{heard}");
    lines.said.clear();
    lines.types("/back");
    assert!(lines.said.contains("command: touch own.txt"), "{}", lines.said);
}

#[test]
fn who_goes_into_one_that_waits_for_its_turn_hears_that_it_does() {
    let mut builder = SessionBuilder::new();
    builder.user("Have both made.");
    let tasks = ["Make one.", "Make two."]
        .map(|task| builder.tool_use("delegate_to_general", json!({ "task": task })));
    let mut open = builder.say(None, "", "I ask.", tasks.to_vec());
    builder.ledger.delegate(builder.at(), &mut open[0], "general", "Make one.");
    let (session, limits) = ("0192-test-c1".to_owned(), BTreeMap::new());
    let escrow = Escrow { call: PARENT, session, limits, parallel: 1, in_background: false, waits: false };
    builder.ledger.set_aside(builder.at(), escrow);
    builder.tell();
    builder.run(PARENT, "delegate_to_general");
    std::mem::forget(open);
    let mut lines = LinearHarness::new(builder);
    lines.said.clear();
    assert_eq!(lines.types("/into c2"), []);
    assert!(
        lines.said.contains("the sub-agent of c2 waits for its turn and has no session yet"),
        "{}",
        lines.said
    );
    // A lane has its session already.
    let mut builder = SessionBuilder::new();
    builder.ledger.user(builder.at(), UserMessage::text("A race: make it.")).unwrap();
    let (made, mut token) =
        builder.ledger.command(builder.at(), "delegate_to_lane_1", Arguments::parse("{}")).unwrap();
    builder.ledger.delegate(builder.at(), &mut token, "lane_1", "Make it.");
    let (call, session, limits) = (made.id, format!("0192-test-{}", made.id), BTreeMap::new());
    let escrow = Escrow { call, session, limits, parallel: 1, in_background: true, waits: true };
    builder.ledger.set_aside(builder.at(), escrow);
    builder.finish(token, Settlement::synthetic(Outcome::Ok, "It starts later."));
    let mut lines = LinearHarness::new(builder);
    lines.said.clear();
    lines.types(&format!("/into {call}"));
    assert!(lines.said.contains("it waits for its turn: nothing has happened in it yet"), "{}", lines.said);
}

/// A session of which one call waits, beside one of its sub-agent.
fn two_wait() -> LinearHarness {
    let mut builder = crate::scenes::waiting_below_beside(Some("touch own.txt"));
    builder.ask(CallId(2), "shell", Preview::Command("touch own.txt".into()));
    let lines = LinearHarness::new(builder);
    assert!(lines.said.contains("waits for you 2: shell (of the sub-agent general c1)"), "{}", lines.said);
    lines
}

#[test]
fn a_call_has_one_number_in_the_session_of_its_sub_agent_and_outside() {
    let mut lines = two_wait();
    lines.said.clear();
    lines.types("/into c1");
    assert!(lines.said.contains("waits for you 2: shell"), "{}", lines.said);
    assert!(!lines.said.contains("waits for you 1: shell"), "{}", lines.said);
    assert_eq!(lines.types("y 1"), [], "that one waits outside");
    lines.said.clear();
    lines.types("/back");
    assert!(lines.said.contains("2 calls still wait for you: 1, 2\n"), "{}", lines.said);
    assert!(!lines.said.contains("waits for you 3") && !lines.said.contains("has ended"), "{}", lines.said);
    let acts = lines.types("n 2");
    assert!(matches!(&acts[..], [LinearEffect::Send(Intent::Subagent { call: PARENT, .. })]), "{acts:?}");
}

#[test]
fn a_call_that_was_answered_in_its_session_is_not_missed_outside() {
    let mut lines = two_wait();
    lines.types("/into c1");
    assert_eq!(lines.types("y").len(), 1, "{}", lines.said);
    next(&mut lines, |child| child.decide(CallId(1), true, Decider::User));
    lines.said.clear();
    lines.types("/back");
    assert!(lines.said.contains("1 call still waits for you: 1\n"), "{}", lines.said);
    assert_eq!(lines.types("y").len(), 1, "{}", lines.said);
    // The decision may still be on its way.
    let mut lines = two_wait();
    lines.types("/into c1");
    assert_eq!(lines.types("y").len(), 1, "{}", lines.said);
    lines.said.clear();
    lines.types("/back");
    assert!(lines.said.contains("1 call still waits for you: 1\n"), "{}", lines.said);
}

#[test]
fn the_prompt_stands_behind_the_question() {
    let mut builder = in_background();
    below(&mut builder, PARENT, child().events);
    let lines = LinearHarness::new(builder);
    let said = &lines.said;
    let (_, question) = said.split_once("waits for you 1").unwrap();
    assert!(question.contains("touch made.txt\nanswer: y once"), "{said}");
    assert!(said.ends_with("\nyou: "), "{said}");
}

#[test]
fn one_in_the_background_that_does_not_start_says_why_at_once() {
    let mut lines = LinearHarness::new(in_background());
    change(&mut lines.builder, settled(TaskState::Rejected, Some("There is no repository here.")));
    let heard = lines.hears();
    assert!(heard.contains("c1 is rejected: 1 turn, 1 call,"), "{heard}");
    assert!(heard.contains("\n  why: There is no repository here.\n"), "{heard}");
}

/// A sub-agent in the background that a rule has denied a call: its check, with which it is over, or another one.
fn denied(is_check: bool) -> SessionBuilder {
    let mut below_it = SessionBuilder::new();
    below_it.user("Make it.");
    let arguments = json!({ "command": "test -f made.txt" });
    let call = if is_check {
        let arguments = Arguments::from_value(arguments);
        let (check, open) = below_it.ledger.validate(below_it.at(), "shell", arguments).unwrap();
        std::mem::forget(open);
        below_it.tell();
        check.id
    } else {
        let call = below_it.tool_use("shell", arguments);
        let id = call.id;
        std::mem::forget(below_it.say(None, "", "I look.", vec![call]));
        id
    };
    let denial = Decision::denial(call, Decider::Policy, "rule shell(test *) denies it");
    below_it.remark(Remark::ApprovalDecided(denial));
    let mut builder = in_background();
    if is_check {
        below_it.end(Ending::PolicyDenied);
    }
    below(&mut builder, PARENT, below_it.events);
    if is_check {
        change(&mut builder, settled(TaskState::Failed, Some("The sub-agent stopped before its end.")));
    }
    builder
}

#[test]
fn what_denied_the_check_of_a_sub_agent_is_said_with_its_end() {
    let words = "the check `test -f made.txt` was denied by the rules: rule shell(test *) denies it";
    let said = LinearHarness::new(denied(true)).said;
    assert!(said.contains(words), "{said}");
    let frame = ScreenHarness::new(denied(true)).frame(120, 40);
    assert!(frame.contains(words), "{frame}");
}

#[test]
fn the_box_of_a_sub_agent_says_what_denied_its_call() {
    let frame = ScreenHarness::new(denied(false)).frame(120, 40);
    assert!(
        frame.contains("test -f made.txt · denied by the rules: rule shell(test *) denies it"),
        "{frame}"
    );
}

/// Whoever leaves would stop it without a word.
#[test]
fn a_session_is_not_left_while_one_works_in_the_background() {
    let mut lines = LinearHarness::new(in_background());
    for typed in ["/new", "/clear", "/fork"] {
        let acts = lines.types(typed);
        assert!(acts.len() == 1 && lines.talk.stays(&acts[0]), "{typed}: {acts:?}");
        let said = lines.writes();
        assert!(said.contains("refused: sub-agents work in the background"), "{typed}: {said}");
    }
    assert!(!lines.talk.stays(&LinearEffect::Quit) && !lines.talk.stays(&LinearEffect::Abort));
    change(&mut lines.builder, settled(TaskState::Completed, Some("Done.")));
    lines.hears();
    assert!(!lines.talk.stays(&LinearEffect::New));
}

#[test]
fn one_is_stopped_by_its_call() {
    let mut lines = LinearHarness::new(waiting_below());
    lines.said.clear();
    lines.types("/fleet");
    assert!(lines.said.contains("/fleet stop c1 stops the first one"), "{}", lines.said);
    assert_eq!(lines.types("/fleet stop c1"), [LinearEffect::Send(Intent::Abort.within(&[PARENT]))]);
    let deeper = Intent::Abort.within(&[PARENT, CallId(3)]);
    assert_eq!(lines.types("/fleet stop c1/c3"), [LinearEffect::Send(deeper)]);
    assert_eq!(lines.types("/fleet stop b2"), [LinearEffect::Send(Intent::StopBackground("b2".into()))]);
    lines.said.clear();
    assert_eq!(lines.types("/fleet stop all of it"), []);
    assert!(lines.said.contains("as in /fleet stop c3"), "{}", lines.said);
}

#[test]
fn a_change_without_a_line_says_so() {
    for (arguments, says) in [
        (json!({ "path": "empty.txt", "content": "" }), "a new file, which is empty"),
        (json!({ "path": "empty.txt", "content": "x" }), "no line changes"),
    ] {
        let mut builder = SessionBuilder::new();
        builder.user("Make it.");
        let call = builder.tool_use("write", arguments);
        let open = builder.say(None, "", "I make it.", vec![call]);
        builder.ask(open[0].id(), "write", Preview::Diff(String::new()));
        std::mem::forget(open);
        let said = LinearHarness::new(builder).said;
        assert!(said.contains(says) && !said.contains("note:"), "{said}");
    }
}

/// A session that has started the lanes of a race.
fn racing() -> SessionBuilder {
    let mut builder = SessionBuilder::new();
    builder.ledger.user(builder.at(), UserMessage::text("A race: make it.")).unwrap();
    for lane in ["lane_1", "lane_2"] {
        let task = Arguments::parse(r#"{"task":"Make it."}"#);
        let tool = format!("delegate_to_{lane}");
        let (made, mut token) = builder.ledger.command(builder.at(), &tool, task).unwrap();
        builder.ledger.delegate(builder.at(), &mut token, lane, "Make it.");
        let (call, session, limits) = (made.id, format!("0192-test-{}", made.id), BTreeMap::new());
        let escrow = Escrow { call, session, limits, parallel: 1, in_background: true, waits: false };
        builder.ledger.set_aside(builder.at(), escrow);
        let remote = Some(RemoteTask { id: None, state: TaskState::Working });
        let works = Settlement { remote, ..Settlement::synthetic(Outcome::Ok, "It works.") };
        builder.finish(token, works);
    }
    builder.end(Ending::Completed);
    builder
}

#[test]
fn a_race_begins_with_the_word_that_its_lanes_work_and_not_with_an_end() {
    let said = LinearHarness::new(racing()).said;
    assert!(said.contains("started: the lanes work in the background"), "{said}");
    assert!(!said.contains("end: done") && !said.contains("Ready for the next task"), "{said}");
}

#[test]
fn a_message_that_a_limit_stops_while_a_race_works_is_told_with_its_end() {
    let mut builder = racing();
    builder.ledger.user(builder.at(), UserMessage::text("hello there")).unwrap();
    builder.end(Ending::MaxTurns);
    let said = LinearHarness::new(builder).said;
    assert_eq!(said.matches("started: the lanes work in the background").count(), 1, "{said}");
    let after = said.rsplit("hello there").next().unwrap();
    assert!(after.contains("end: stopped, ") && after.contains("next: "), "{said}");
}
