//! "Always" in lines of words: a rule is said, with what it would have covered, before a line can take it.

use crate::linear_harness::{LinearHarness, asked, snapshot};
use crate::session_builder::{SessionBuilder, settings, shell_tool};
use countersign::agent::{Answer, Intent, Live};
use countersign::ledger::{CallId, Decider, Outcome, Preview, Sandboxing, Scope};
use countersign::ui::Request;
use countersign::ui::linear::{Line, LinearEffect};
use countersign::view::ViewSettings;
use serde_json::json;

const RULE: &str = "shell(cargo test *)";

/// So many tests and another command have run; a test waits for which a rule is offered, and a call for which none is. A
/// last call is announced.
fn a_rule_is_offered(tests: usize) -> LinearHarness {
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    for command in (0..tests).map(|n| format!("cargo test part{n}")).chain(["rm -rf target".to_owned()]) {
        let call = builder.tool_use("shell", json!({ "command": command }));
        let open = builder.say(None, "", "", vec![call]).remove(0);
        builder.decide(open.id(), true, Decider::User);
        builder.settle(open, Outcome::Ok, "fine", 10);
    }
    let calls = ["cargo test all", "./configure && make", "true"];
    let calls = calls.map(|command| builder.tool_use("shell", json!({ "command": command })));
    let open = builder.say(None, "", "Now all of it.", calls.to_vec());
    builder.offer(open[0].id(), "shell", Preview::Command("cargo test all".into()), Some(RULE));
    builder.ask(open[1].id(), "shell", Preview::Command("./configure && make".into()));
    std::mem::forget(open);
    LinearHarness::told(builder, ViewSettings { tools: vec![shell_tool()], ..settings() })
}

/// What saying the rule asks of the session.
fn plan() -> LinearEffect {
    LinearEffect::Ask(Request::PlanRule(RULE.to_owned()))
}

fn takes_the_rule(acts: &[LinearEffect]) -> bool {
    matches!(acts, [LinearEffect::Send(Intent::Decide { answer: Answer::Always { rule, scope: Scope::Session }, .. })] if rule == RULE)
}

#[test]
fn a_rule_is_said_with_what_it_would_have_covered_and_a_once_more_takes_it() {
    let mut linear = a_rule_is_offered(2);
    assert!(linear.said.contains("answer: y once, s this session, a 1 always, n deny"), "{}", linear.said);
    linear.said.clear();
    assert_eq!(linear.types("a"), [], "two calls wait");
    assert!(linear.said.contains("2 calls wait: say which one, as in a 1"), "{}", linear.said);
    linear.said.clear();
    assert_eq!(linear.types("a 1"), [plan()], "it only says the rule");
    snapshot("always", &linear.said);
    let acts = linear.types("a");
    assert!(takes_the_rule(&acts), "{acts:?}");
    let (request, call) = linear.builder.events.iter().find_map(asked).unwrap();
    assert!(
        matches!(acts[..], [LinearEffect::Send(Intent::Decide { request: to, call: of, .. })] if (to, of) == (request, call))
    );
    assert_eq!(linear.types("a"), [], "what is left is another call");
    assert!(
        linear
            .said
            .ends_with("always 2: no rule for ./configure: none is narrow enough, s allows exactly this call for the session\n"),
        "{}",
        linear.said
    );
    assert_eq!(linear.types("a"), [], "and again nothing is taken");
}

#[test]
fn any_other_line_takes_no_rule() {
    // A letter that would answer the call, or another one, takes no rule and decides nothing either.
    for line in [
        "",
        "yes",
        "/status",
        "a 2",
        "y 7",
        "\"\"\"two\"\"\"",
        "n 2",
        "y 1",
        "n 1",
        "s 1",
        "r 1",
        "e 1",
        "y",
        "n",
    ] {
        let mut linear = a_rule_is_offered(2);
        linear.types("a 1");
        linear.said.clear();
        assert_eq!(linear.types(line), [], "{line:?}");
        let is_cancelled = linear.said.contains("cancelled: no rule was added\n");
        assert!(is_cancelled || line == "a 2", "{line:?} {}", linear.said);
        linear.said.clear();
        assert_eq!(linear.types("a 1"), [plan()], "{line:?}: it is said anew");
        assert!(linear.said.contains("always 1: rule shell(cargo test *)\n"), "{line:?} {}", linear.said);
        assert!(takes_the_rule(&linear.types("a 1")), "{line:?}");
    }
    let mut linear = a_rule_is_offered(2);
    linear.types("a 1");
    linear.types("");
    assert!(linear.said.ends_with("cancelled: no rule was added\n"), "{}", linear.said);
    linear.types("a 1");
    linear.said.clear();
    linear.types("n");
    let asks_again = "cancelled: no rule was added\nanswer: y once, s this session,";
    assert!(linear.said.contains(asks_again), "{}", linear.said);
    linear.types("a 1");
    assert_eq!(linear.talk.interrupt(true), [LinearEffect::Abort]);
    assert_eq!(linear.types("a"), [], "Ctrl-C took it back");
}

#[test]
fn what_was_typed_before_the_rule_was_said_does_not_take_it() {
    let mut linear = a_rule_is_offered(2);
    assert_eq!(linear.types_at("a 1", 0), [], "before the call was seen");
    assert!(
        linear.said.ends_with("a was typed before the question; type it again to answer\n"),
        "{}",
        linear.said
    );
    let before = linear.questions;
    linear.types("a 1");
    assert_eq!(linear.types_at("a", before), [], "before the rule was heard");
    assert!(
        linear.said.ends_with(
            "not an answer: a was typed before the rule was shown; type it again to add the rule\n"
        ),
        "{}",
        linear.said
    );
    assert!(takes_the_rule(&linear.types("a")), "it is still offered");

    // Two lines that come at once: nothing was written between them.
    let mut linear = a_rule_is_offered(2);
    let line = Line { alone: false, ..linear.line("a 1", linear.questions) };
    assert_eq!([linear.talk.line(&line), linear.talk.line(&line)], [[], []]);
    assert!(linear.writes().contains("a 1 came together with other lines"));
}

#[test]
fn a_call_that_comes_meanwhile_leaves_the_rule_where_it_was() {
    let mut linear = a_rule_is_offered(2);
    linear.types("a 1");
    let before = linear.questions;
    linear.builder.ask(CallId(6), "shell", Preview::Command("true".into()));
    let said = linear.hears();
    assert!(said.contains("waits for you 3: shell"), "{said}");
    assert!(
        said.ends_with(
            "always 1: type a again to add it for the rest of this session; anything else cancels\n"
        ),
        "{said}"
    );
    assert_eq!(linear.types_at("y 3", before), [], "it was not there yet");
    linear.types("a 1");
    assert!(takes_the_rule(&linear.types("a")));

    let mut waits_no_more = a_rule_is_offered(2);
    waits_no_more.types("a 1");
    let (_, call) = waits_no_more.builder.events.iter().find_map(asked).unwrap();
    waits_no_more.builder.decide(call, false, Decider::User);
    waits_no_more.hears();
    assert_eq!(waits_no_more.types("a"), [], "it is another call's turn");
}

#[test]
fn a_rule_that_was_not_taken_after_all_can_be_said_again_and_a_long_past_is_cut() {
    let mut linear = a_rule_is_offered(11);
    linear.types("a 1");
    assert!(
        linear.said.contains("11 earlier calls it would have matched, latest first:\n  c11 shell"),
        "{}",
        linear.said
    );
    assert!(
        linear.said.contains("  c4 shell cargo test part3\n  (3 more calls before these)\n"),
        "{}",
        linear.said
    );
    assert_eq!(linear.types("a").len(), 1);
    linear.builder.live(Live::Refused("not accepted: the rule for this call is another one".into()));
    linear.hears();
    assert_eq!(linear.types("a 1"), [plan()], "it is said first");
    assert!(takes_the_rule(&linear.types("a")));
    let mut none = a_rule_is_offered(0);
    none.types("a 1");
    assert!(none.said.contains("always 1: it would not have matched any earlier call\n"), "{}", none.said);
}

#[test]
fn b_is_for_commands_that_can_run_in_the_sandbox() {
    let mut builder = SessionBuilder::new();
    builder.user("Test it.");
    let arguments = [
        json!({ "command": "make", "background": true, "timeout_seconds": 600 }),
        json!({ "command": "true" }),
    ];
    let calls = arguments.map(|arguments| builder.tool_use("shell", arguments));
    let open = builder.say(None, "", "", calls.to_vec());
    builder.sandboxing = Sandboxing::OnWish;
    builder.ask(open[0].id(), "shell", Preview::Command("make".into()));
    builder.sandboxing = Sandboxing::Within;
    builder.ask(open[1].id(), "shell", Preview::Command("true".into()));
    std::mem::forget(open);
    let mut linear = LinearHarness::new(builder);
    for words in [
        "command: make\n",
        "\nwith background: true\n",
        "\nwith timeout_seconds: 600\n",
        " b 1 once in the sandbox,",
    ] {
        assert!(linear.said.contains(words), "{words} in {}", linear.said);
    }
    assert!(
        linear.types("b 2").is_empty() && linear.said.contains("call 2 cannot run in the sandbox"),
        "{}",
        linear.said
    );
    let acts = linear.types("b 1");
    assert!(
        matches!(&acts[..], [LinearEffect::Send(Intent::Decide { answer: Answer::AllowSandboxed, .. })]),
        "{acts:?}"
    );
}
