//! "Always" in lines of words: a rule is said, with what it would have covered, before a line can take it.

use crate::desk::{Desk, asked, snapshot};
use crate::stage::{Stage, settings, shell_tool};
use countersign::agent::{Answer, Intent, Live};
use countersign::ledger::{CallId, Decider, Outcome, Preview, Sandboxing};
use countersign::ui::linear::{Act, Line};
use countersign::view::ViewSettings;
use serde_json::json;

const RULE: &str = "shell(cargo test *)";

/// So many tests and another command have run; a test waits for which a rule is offered, and a call for which none is. A
/// last call is announced.
fn a_rule_is_offered(tests: usize) -> Desk {
    let mut stage = Stage::new();
    stage.user("Test it.");
    for command in (0..tests).map(|n| format!("cargo test part{n}")).chain(["rm -rf target".to_owned()]) {
        let call = stage.tool_use("shell", json!({ "command": command }));
        let open = stage.say(None, "", "", vec![call]).remove(0);
        stage.decide(open.id(), true, Decider::User);
        stage.settle(open, Outcome::Ok, "fine", 10);
    }
    let calls = ["cargo test all", "./configure && make", "true"];
    let calls = calls.map(|command| stage.tool_use("shell", json!({ "command": command })));
    let open = stage.say(None, "", "Now all of it.", calls.to_vec());
    stage.offer(open[0].id(), "shell", Preview::Command("cargo test all".into()), Some(RULE));
    stage.ask(open[1].id(), "shell", Preview::Command("./configure && make".into()));
    std::mem::forget(open);
    Desk::told(stage, ViewSettings { tools: vec![shell_tool()], ..settings() })
}

fn takes_the_rule(acts: &[Act]) -> bool {
    matches!(acts, [Act::Send(Intent::Decide { answer: Answer::Always(rule), .. })] if rule == RULE)
}

#[test]
fn a_rule_is_said_with_what_it_would_have_covered_and_a_once_more_takes_it() {
    let mut desk = a_rule_is_offered(2);
    assert!(desk.said.contains("answer: y once, s this session, a always, n deny"), "{}", desk.said);
    desk.said.clear();
    assert_eq!(desk.types("a"), [], "two calls wait");
    assert!(desk.said.contains("2 calls wait: say which one, as in a 1"), "{}", desk.said);
    desk.said.clear();
    assert_eq!(desk.types("a 1"), [], "it only says the rule");
    snapshot("always", &desk.said);
    let acts = desk.types("a");
    assert!(takes_the_rule(&acts), "{acts:?}");
    let (request, call) = desk.stage.events.iter().find_map(asked).unwrap();
    assert!(
        matches!(acts[..], [Act::Send(Intent::Decide { request: to, call: of, .. })] if (to, of) == (request, call))
    );
    assert_eq!(desk.types("a"), [], "what is left is another call");
    assert!(
        desk.said
            .ends_with("always 2: no suitable rule to suggest, s allows exactly this call for the session\n"),
        "{}",
        desk.said
    );
    assert_eq!(desk.types("a"), [], "and again nothing is taken");
}

#[test]
fn any_other_line_takes_no_rule() {
    for (line, sends) in
        [("", 0), ("yes", 0), ("/status", 0), ("a 2", 0), ("y 7", 0), ("\"\"\"two\"\"\"", 0), ("n 2", 1)]
    {
        let mut desk = a_rule_is_offered(2);
        desk.types("a 1");
        assert_eq!(desk.types(line).len(), sends, "{line:?}");
        desk.said.clear();
        assert_eq!(desk.types("a 1"), [], "{line:?}: it is said anew");
        assert!(desk.said.contains("always 1: rule shell(cargo test *)\n"), "{line:?} {}", desk.said);
        assert!(takes_the_rule(&desk.types("a 1")), "{line:?}");
    }
    let mut desk = a_rule_is_offered(2);
    desk.types("a 1");
    desk.types("");
    assert!(desk.said.ends_with("cancelled: no rule was added\n"), "{}", desk.said);
    desk.types("a 1");
    assert_eq!(desk.talk.interrupt(true), [Act::Abort]);
    assert_eq!(desk.types("a"), [], "Ctrl-C took it back");
}

#[test]
fn what_was_typed_before_the_rule_was_said_does_not_take_it() {
    let mut desk = a_rule_is_offered(2);
    assert_eq!(desk.types_at("a 1", 0), [], "before the call was seen");
    assert!(
        desk.said.ends_with("a was typed before the question; type it again to answer\n"),
        "{}",
        desk.said
    );
    let before = desk.questions;
    desk.types("a 1");
    assert_eq!(desk.types_at("a", before), [], "before the rule was heard");
    assert!(
        desk.said.ends_with(
            "not an answer: a was typed before the rule was shown; type it again to add the rule\n"
        ),
        "{}",
        desk.said
    );
    assert!(takes_the_rule(&desk.types("a")), "it is still offered");

    // Two lines that come at once: nothing was written between them.
    let mut desk = a_rule_is_offered(2);
    let line = Line { alone: false, ..desk.line("a 1", desk.questions) };
    assert_eq!([desk.talk.line(&line), desk.talk.line(&line)], [[], []]);
    assert!(desk.writes().contains("a 1 came together with other lines"));
}

#[test]
fn a_call_that_comes_meanwhile_leaves_the_rule_where_it_was() {
    let mut desk = a_rule_is_offered(2);
    desk.types("a 1");
    let before = desk.questions;
    desk.stage.ask(CallId(6), "shell", Preview::Command("true".into()));
    let said = desk.hears();
    assert!(said.contains("waits for you 3 of 3"), "{said}");
    assert!(
        said.ends_with(
            "always 1: type a again to add it for the rest of this session; anything else cancels\n"
        ),
        "{said}"
    );
    assert_eq!(desk.types_at("y 3", before), [], "it was not there yet");
    desk.types("a 1");
    assert!(takes_the_rule(&desk.types("a")));

    let mut waits_no_more = a_rule_is_offered(2);
    waits_no_more.types("a 1");
    let (_, call) = waits_no_more.stage.events.iter().find_map(asked).unwrap();
    waits_no_more.stage.decide(call, false, Decider::User);
    waits_no_more.hears();
    assert_eq!(waits_no_more.types("a"), [], "it is another call's turn");
}

#[test]
fn a_rule_that_was_not_taken_after_all_can_be_said_again_and_a_long_past_is_cut() {
    let mut desk = a_rule_is_offered(11);
    desk.types("a 1");
    assert!(
        desk.said.contains("11 earlier calls it would have matched, latest first:\n  c11 shell"),
        "{}",
        desk.said
    );
    assert!(
        desk.said.contains("  c4 shell cargo test part3\n  (3 more calls before these)\n"),
        "{}",
        desk.said
    );
    assert_eq!(desk.types("a").len(), 1);
    desk.stage.live(Live::Refused("not accepted: the rule for this call is another one".into()));
    desk.hears();
    assert_eq!(desk.types("a 1"), [], "it is said first");
    assert!(takes_the_rule(&desk.types("a")));
    let mut none = a_rule_is_offered(0);
    none.types("a 1");
    assert!(none.said.contains("always 1: it would not have matched any earlier call\n"), "{}", none.said);
}

#[test]
fn b_is_for_commands_that_can_run_in_the_sandbox() {
    let mut stage = Stage::new();
    stage.user("Test it.");
    let arguments = [
        json!({ "command": "make", "background": true, "timeout_seconds": 600 }),
        json!({ "command": "true" }),
    ];
    let calls = arguments.map(|arguments| stage.tool_use("shell", arguments));
    let open = stage.say(None, "", "", calls.to_vec());
    stage.sandboxing = Sandboxing::OnWish;
    stage.ask(open[0].id(), "shell", Preview::Command("make".into()));
    stage.sandboxing = Sandboxing::Within;
    stage.ask(open[1].id(), "shell", Preview::Command("true".into()));
    std::mem::forget(open);
    let mut desk = Desk::new(stage);
    for words in ["command: make\n", "background: true", "timeout_seconds: 600", " b once in the sandbox,"] {
        assert!(desk.said.contains(words), "{words} in {}", desk.said);
    }
    assert!(
        desk.types("b 2").is_empty() && desk.said.contains("call 2 cannot run in the sandbox"),
        "{}",
        desk.said
    );
    let acts = desk.types("b 1");
    assert!(
        matches!(&acts[..], [Act::Send(Intent::Decide { answer: Answer::AllowSandboxed, .. })]),
        "{acts:?}"
    );
}
