//! Calls that wait over a restart: what is asked about them anew is never looser than before. And calls on other ways: typed
//! into, renamed, counted by a goal.

use countersign::agent::{Agent, Answer, Effect, Input, Intent, Live, Settings};
use countersign::ledger::{Arguments, Body, CallId, Change, Decider, Millis, Sandboxing, recover};
use countersign::model::{ModelEvent, ModelNews};
use countersign::policy::{Mode, RuleKind};
use countersign::tool::{MOST_TYPED, Preparation, SideEffect, ToolKind, ToolSpec, Typed};
use serde_json::json;

use crate::asking::{Gate, leads_to, settings, users};

/// A person accepts what they have read.
fn accepts(call: Option<CallId>, read: &[&str]) -> Input {
    let gaps = read.iter().map(|gap| (*gap).to_owned()).collect();
    Input::Intent(Intent::AcceptGaps { call, gaps })
}

/// What was accepted last.
fn last_accepted(gate: &Gate) -> Option<Vec<String>> {
    gate.last(|body| match body {
        Body::Change(Change::GapsAccepted { gaps, .. }) => Some(gaps.clone()),
        _ => None,
    })
}

/// The session goes on in another process, with these settings, and the call is looked at again.
fn resumed(gate: &Gate, settings: Settings, call: CallId, found: &Preparation) -> Gate {
    let recovered = recover(gate.agent.ledger().entries().to_vec(), Millis(90_000)).unwrap();
    let mut again = Gate::new(settings.clone());
    again.agent = Agent::resume(settings, recovered, Millis(90_000)).0;
    again.step(Input::Prepared(call, found.clone()));
    again
}

fn with(rules: &[(RuleKind, &str)], mode: Mode, has_sandbox: bool) -> Settings {
    let mut settings = settings(rules.iter().map(|(kind, text)| users(*kind, text)).collect());
    (settings.policy.mode, settings.policy.has_sandbox) = (mode, has_sandbox);
    settings
}

#[test]
fn what_was_to_run_in_the_sandbox_runs_there_after_a_restart_or_not_at_all() {
    use RuleKind::{Allow, Ask};
    let gap = Preparation { gaps: vec![".env can be read".into()], ..Preparation::default() };
    for (rules, mode, has_sandbox, sandboxing) in [
        (&[][..], Mode::Auto, true, Sandboxing::Within),
        (&[], Mode::Ask, true, Sandboxing::Within),
        (&[(Ask, "shell(make *)")], Mode::Auto, true, Sandboxing::Within),
        (&[(Allow, "shell(make *)")], Mode::Ask, true, Sandboxing::Within),
        (&[], Mode::Unrestricted, true, Sandboxing::Within),
        (&[], Mode::Ask, false, Sandboxing::Without),
    ] {
        let mut gate = Gate::new(with(&[], Mode::Auto, true));
        let call = gate.call("shell", json!({ "command": "make test" }), gap.clone());
        assert_eq!(gate.request(call).unwrap().1.sandboxing, Sandboxing::Within);
        let mut again = resumed(&gate, with(rules, mode, has_sandbox), call, &gap);
        assert_eq!(again.request(call).unwrap().1.sandboxing, sandboxing, "{rules:?} {mode} {has_sandbox}");
        assert!(again.runs().is_empty(), "it goes on waiting");
        again.decide(call, Answer::AllowOnce);
        let confined: Vec<bool> = again.runs().iter().map(|run| run.sandboxed).collect();
        assert_eq!(confined, [sandboxing == Sandboxing::Within], "{rules:?} {mode} {has_sandbox}");
    }
    // Where a person had the choice, they have it still.
    let mut gate = Gate::new(with(&[], Mode::Ask, true));
    let call = gate.call("shell", json!({ "command": "make test" }), Preparation::default());
    let again = resumed(&gate, with(&[(Allow, "shell")], Mode::Ask, true), call, &Preparation::default());
    assert_eq!(again.request(call).unwrap().1.sandboxing, Sandboxing::OnWish);
}

#[test]
fn a_rule_that_denies_by_now_is_named_in_the_denial() {
    let mut gate = Gate::new(settings(Vec::new()));
    let call = gate.call("write", json!({ "path": "a" }), leads_to("a"));
    let denies = settings(vec![users(RuleKind::Deny, "write(a)")]);
    let again = resumed(&gate, denies, call, &leads_to("a"));
    let decision = again.decision(call);
    assert_eq!((decision.allow, decision.by), (false, Decider::Policy));
    assert_eq!(decision.rule.as_deref(), Some("write(a)"));
}

#[test]
fn as_much_as_fits_is_typed_at_once_and_no_more() {
    let mut gate = Gate::new(settings(vec![users(RuleKind::Allow, "shell")]));
    let call = gate.call("shell", json!({ "command": "x", "pty": true }), Preparation::default());
    for (bytes, is_typed) in [(1, true), (MOST_TYPED, true), (MOST_TYPED + 1, false), (2 * MOST_TYPED, false)]
    {
        let typed = Typed("a".repeat(bytes).into());
        gate.step(Input::Intent(Intent::TypeInto { call, typed }));
        let passed_on = gate.wanted.iter().any(|e| matches!(e, Effect::TypeInto(..)));
        assert_eq!(passed_on, is_typed, "{bytes}");
    }
}

#[test]
fn a_call_reaches_its_tool_under_the_names_that_the_tool_itself_has() {
    let mut settings = settings(Vec::new());
    settings.tools.push(ToolSpec {
        name: "mcp__there__odd".into(),
        description: String::new(),
        schema: json!({ "type": "object", "properties": { "two words": { "type": "string" } } }),
        effect: SideEffect::Sends,
        paths: Vec::new(),
        timeout_ms: None,
        kind: ToolKind::Mcp,
        retrieves: false,
    });
    let mut gate = Gate::new(settings);
    gate.step(Input::Intent(Intent::Submit("go".into())));
    let shown = |effect: &Effect| match effect {
        Effect::CallModel(_, request) => {
            let tool = request.tools.iter().find(|tool| tool.name == "mcp__there__odd")?;
            tool.schema["properties"].as_object()?.keys().next().cloned()
        }
        _ => None,
    };
    let shown = gate.wanted.iter().find_map(shown).unwrap();
    assert_ne!(shown, "two words", "no provider takes it");
    let looks = gate.make(&[("mcp__there__odd", json!({ shown: "x" }))]);
    assert_eq!(looks[0].arguments.to_value(), json!({ "two words": "x" }));
}

#[test]
fn a_checkpoint_counts_what_was_denied_in_its_run() {
    let mut gate = Gate::new(settings(vec![users(RuleKind::Allow, "shell(make test)")]));
    let goal = countersign::goal::read("Make the tests pass | check: make test").unwrap();
    gate.step(Input::Intent(Intent::Pursue(Box::new(goal), "".into())));
    for _ in 0..2 {
        let call = gate.call("write", json!({ "path": "a" }), leads_to("a"));
        gate.decide(call, Answer::Deny(String::new()));
    }
    let done = ModelNews::Event(ModelEvent::Text("Done.".into()));
    gate.step(Input::Model(gate.asked, done));
    gate.make(&[]);
    let check = |e: &Effect| if let Effect::Prepare(look) = e { Some(look.call) } else { None };
    let check = gate.wanted.iter().find_map(check).unwrap();
    gate.step(Input::Prepared(check, Preparation::default()));
    gate.done(check);
    let answers = gate.last(|body| match body {
        Body::Checkpoint(checkpoint) => Some(checkpoint.clone()),
        _ => None,
    });
    let answers = answers.unwrap();
    let said: Vec<&str> = answers.questions.iter().filter_map(|asked| asked.answer.as_deref()).collect();
    assert!(said.iter().any(|answer| answer.contains("2 denied")), "{said:?}");
    assert_eq!(answers.done().and_then(|asked| asked.answer.as_deref()), Some("yes"));
}

#[test]
fn what_the_sandbox_cannot_hide_is_asked_about_once_in_a_session() {
    let found = |gaps: &[&str]| Preparation {
        gaps: gaps.iter().map(|gap| (*gap).to_owned()).collect(),
        ..Preparation::default()
    };
    let make = |what: &str| json!({ "command": format!("make {what}") });
    let mut gate = Gate::new(with(&[], Mode::Auto, true));
    gate.step(accepts(None, &[".env can be read"]));
    let accepted = |gate: &Gate| {
        gate.last(|body| matches!(body, Body::Change(Change::GapsAccepted { .. })).then_some(())).is_some()
    };
    assert!(!accepted(&gate), "nobody waits for that");
    let first = gate.call("shell", make("one"), found(&[".env can be read"]));
    gate.step(accepts(None, &[".env can be read"]));
    assert!(accepted(&gate) && gate.runs().is_empty(), "the call itself goes on waiting");
    gate.decide(first, Answer::AllowOnce);
    assert_eq!(gate.runs().iter().map(|run| run.sandboxed).collect::<Vec<_>>(), [true]);
    gate.done(first);
    // Another command is not asked about, but for something new.
    let second = gate.call("shell", make("two"), found(&[".env can be read"]));
    assert!(gate.request(second).is_none());
    assert_eq!(gate.runs().iter().map(|run| run.sandboxed).collect::<Vec<_>>(), [true]);
    gate.done(second);
    let third = gate.call("shell", make("three"), found(&[".env can be read", "key.pem can be read"]));
    let (_, asked) = gate.request(third).unwrap();
    assert!(asked.why.contains("key.pem can be read") && !asked.why.contains(".env"), "{}", asked.why);
    // After a restart it holds, and it can be taken back.
    let again = resumed(&gate, with(&[], Mode::Auto, true), third, &found(&[".env can be read"]));
    assert!(again.request(third).is_some(), "what waited goes on waiting");
    gate.decide(third, Answer::Deny("no".to_owned()));
    gate.step(Input::Intent(Intent::RefuseGaps));
    let fourth = gate.call("shell", make("four"), found(&[".env can be read"]));
    assert!(gate.request(fourth).is_some());
}

#[test]
fn a_stricter_mode_holds_for_what_has_not_started() {
    let mut gate = Gate::new(with(&[], Mode::Edit, false));
    let looks = gate.make(&[("write", json!({ "path": "a" })), ("write", json!({ "path": "a" }))]);
    let (first, second) = (looks[0].call, looks[1].call);
    let runs = |gate: &Gate| gate.runs().iter().map(|run| run.call).collect::<Vec<_>>();
    let mut started = Vec::new();
    for call in [first, second] {
        gate.step(Input::Prepared(call, leads_to("a")));
        started.extend(runs(&gate));
    }
    assert_eq!(started, [first], "one file is changed by one call after the other");
    gate.step(Input::Intent(Intent::SetMode(Mode::Plan)));
    gate.done(first);
    assert!(!gate.decision(second).allow && runs(&gate).is_empty());
}

#[test]
fn nobody_accepts_a_gap_that_no_question_names() {
    let gaps = |count: usize| Preparation {
        gaps: (0..count).map(|number| format!("key{number} can be read")).collect(),
        ..Preparation::default()
    };
    let accepted = |gate: &Gate| {
        gate.last(|body| match body {
            Body::Change(Change::GapsAccepted { gaps, .. }) => Some(gaps.len()),
            _ => None,
        })
    };
    // A rule asks about it, and the question says nothing of gaps.
    let mut gate = Gate::new(with(&[(RuleKind::Ask, "shell(make *)")], Mode::Auto, true));
    let call = gate.call("shell", json!({ "command": "make one" }), gaps(1));
    let (_, asked) = gate.request(call).unwrap();
    assert!(!asked.why.contains("key0"), "{}", asked.why);
    gate.step(accepts(None, &["key0 can be read"]));
    assert_eq!(accepted(&gate), None);
    // Of many, those that are named.
    let mut gate = Gate::new(with(&[], Mode::Auto, true));
    let call = gate.call("shell", json!({ "command": "make one" }), gaps(103));
    let (_, asked) = gate.request(call).unwrap();
    assert!(asked.why.contains("key99 can be read; and 3 more"), "{}", asked.why);
    let all = gaps(103).gaps;
    gate.step(Input::Intent(Intent::AcceptGaps { call: None, gaps: all }));
    assert_eq!(accepted(&gate), Some(100));
}

#[test]
fn who_accepts_what_one_call_names_accepts_nothing_of_another() {
    let mut gate = Gate::new(with(&[], Mode::Auto, true));
    let make = |what: &str| ("shell", json!({ "command": format!("make {what}") }));
    let looks: Vec<CallId> = gate.make(&[make("one"), make("two")]).iter().map(|look| look.call).collect();
    for (call, gap) in looks.iter().zip([".env can be read", "key.pem can be read"]) {
        let gaps = vec![gap.to_owned()];
        gate.step(Input::Prepared(*call, Preparation { gaps, ..Preparation::default() }));
    }
    gate.step(accepts(Some(looks[0]), &[".env can be read", "key.pem can be read"]));
    assert_eq!(last_accepted(&gate), Some(vec![".env can be read".to_owned()]));
}

#[test]
fn nobody_accepts_what_stands_in_a_question_that_they_have_not_read() {
    let found = |gaps: &[&str]| Preparation {
        gaps: gaps.iter().map(|gap| (*gap).to_owned()).collect(),
        ..Preparation::default()
    };
    let make = |what: &str| json!({ "command": format!("make {what}") });
    // The person reads a question, and another one stands there when the answer comes.
    let mut gate = Gate::new(with(&[], Mode::Auto, true));
    let call = gate.call("shell", make("one"), found(&[".env can be read"]));
    let (read, _) = gate.request(call).unwrap();
    gate.decide(call, Answer::Edit(Arguments::from_value(make("two"))));
    gate.step(Input::Prepared(call, found(&["key.pem can be read"])));
    let (request, asked) = gate.request(call).unwrap();
    assert!(request != read && asked.gaps == ["key.pem can be read"], "{asked:?}");
    for answer in [
        accepts(Some(call), &[".env can be read"]),
        Input::Intent(Intent::Decide { request: read, call, answer: Answer::AllowOnce }),
    ] {
        gate.step(answer);
        let is_refused = |effect: &Effect| matches!(effect, Effect::Emit(Live::Refused(_)));
        assert!(gate.wanted.iter().any(is_refused), "{:?}", gate.wanted);
    }
    assert_eq!(last_accepted(&gate), None);
    // All questions that wait are accepted by somebody who has read some of them.
    let mut gate = Gate::new(with(&[], Mode::Auto, true));
    let calls = [("shell", make("one")), ("shell", make("two"))];
    let looks: Vec<CallId> = gate.make(&calls).iter().map(|look| look.call).collect();
    for (call, gap) in looks.iter().zip([".env can be read", "key.pem can be read"]) {
        gate.step(Input::Prepared(*call, found(&[gap])));
    }
    gate.step(accepts(None, &[".env can be read"]));
    assert_eq!(last_accepted(&gate), Some(vec![".env can be read".to_owned()]));
}
