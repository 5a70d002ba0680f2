//! Calls at the gate: what a person is asked, where what they allow runs, what is written of it, and what is taken back.

use countersign::agent::{Agent, Answer, Effect, Input, Intent, Live, Settings};
use countersign::hooks::{HookAnswer, HookDecision, HookPoint, HookSpec};
use countersign::ledger::{
    ApprovalRequest, Body, CallId, Change, Decider, Decision, EntryId, Millis, ModelRef, Outcome, Sandboxing,
    Scope,
};
use countersign::model::{ModelEvent, ModelNews, ModelSpec};
use countersign::policy::{Mode, Origin, Rule, RuleKind, Tier, digest};
use countersign::tool::{Invocation, Preparation, SideEffect, ToolKind, ToolNews, ToolReport, ToolSpec};
use serde_json::{Value, json};

/// An agent with three tools, and what its last step wanted.
pub(crate) struct Gate {
    pub(crate) agent: Agent,
    now: u64,
    pub(crate) wanted: Vec<Effect>,
    /// The model call that is to be answered.
    pub(crate) asked: EntryId,
}

fn tool(name: &str, effect: SideEffect, member: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: String::new(),
        schema: json!({ "type": "object", "properties": { member: { "type": "string" } } }),
        effect,
        paths: if member == "path" { vec![member.to_owned()] } else { Vec::new() },
        timeout_ms: None,
        kind: match name {
            "shell" => ToolKind::Shell,
            "ask" => ToolKind::Question,
            "fetch" => ToolKind::Fetch,
            other => ToolSpec::from_elsewhere(other).kind,
        },
        retrieves: false,
    }
}

pub(crate) fn users(kind: RuleKind, text: &str) -> Rule {
    Rule::parse(kind, text).unwrap().from(Origin::of(Tier::User))
}

pub(crate) fn settings(rules: Vec<Rule>) -> Settings {
    let mut settings = Settings::new(ModelSpec::unknown(ModelRef::parse("first")));
    (settings.cwd, settings.session) = ("/work".to_owned(), "s1".to_owned());
    settings.tools = vec![
        tool("shell", SideEffect::Runs, "command"),
        tool("write", SideEffect::Writes, "path"),
        tool("read", SideEffect::Reads, "path"),
    ];
    settings.policy.rules = rules;
    settings
}

/// With a hook that is asked about every call.
pub(crate) fn hooked(settings: Settings) -> Settings {
    let hook =
        HookSpec { point: HookPoint::PreTool, command: "check".into(), timeout_ms: 1_000, matcher: vec![] };
    Settings { hooks: vec![hook], ..settings }
}

fn always(rule: &str, scope: Scope) -> Answer {
    Answer::Always { rule: rule.to_owned(), scope }
}

fn says(decision: HookDecision) -> HookAnswer {
    HookAnswer { decision: Some(decision), reason: Some("the hook's reason".into()), ..HookAnswer::default() }
}

pub(crate) fn leads_to(path: &str) -> Preparation {
    Preparation { leads_to: vec![path.to_owned()], ..Preparation::default() }
}

impl Gate {
    pub(crate) fn new(settings: Settings) -> Self {
        Self { agent: Agent::new(settings), now: 1_000, wanted: Vec::new(), asked: EntryId(0) }
    }

    pub(crate) fn step(&mut self, input: Input) {
        self.now += 10;
        self.wanted = self.agent.step(Millis(self.now), input);
        let called = |e: &Effect| if let Effect::CallModel(id, _) = e { Some(*id) } else { None };
        self.asked = self.wanted.iter().find_map(called).unwrap_or(self.asked);
    }

    /// The user says something and the model answers with calls; the looks at them are wanted now.
    pub(crate) fn make(&mut self, calls: &[(&str, Value)]) -> Vec<Invocation> {
        if self.agent.is_idle() {
            self.step(Input::Intent(Intent::Submit("go".into())));
        }
        let message = self.asked;
        for (index, (name, arguments)) in (0..).zip(calls) {
            for event in [
                ModelEvent::CallStarted { index, wire_id: format!("w{index}"), name: (*name).to_owned() },
                ModelEvent::CallArguments { index, text: arguments.to_string() },
                ModelEvent::CallDone { index },
            ] {
                self.step(Input::Model(message, ModelNews::Event(event)));
            }
        }
        self.step(Input::Model(message, ModelNews::Finished));
        let looks = self.wanted.iter();
        looks.filter_map(|e| if let Effect::Prepare(look) = e { Some(look.clone()) } else { None }).collect()
    }

    /// One call of the model's, looked at.
    pub(crate) fn call(&mut self, name: &str, arguments: Value, found: Preparation) -> CallId {
        let look = self.make(&[(name, arguments)]).remove(0);
        self.step(Input::Prepared(look.call, found));
        look.call
    }

    pub(crate) fn hooks_say(&mut self, decision: HookDecision) {
        let run = |e: &Effect| if let Effect::RunHooks(call) = e { Some(call.id) } else { None };
        let hook = self.wanted.iter().find_map(run).expect("hooks are asked");
        self.step(Input::Hooks(hook, vec![says(decision)]));
    }

    pub(crate) fn hooks_change(&mut self, arguments: Value) {
        let run = |e: &Effect| if let Effect::RunHooks(call) = e { Some(call.id) } else { None };
        let hook = self.wanted.iter().find_map(run).expect("hooks are asked");
        let updated_input = Some(countersign::ledger::Arguments::from_value(arguments));
        self.step(Input::Hooks(hook, vec![HookAnswer { updated_input, ..HookAnswer::default() }]));
    }

    pub(crate) fn last<'a, T>(&'a self, pick: impl Fn(&'a Body) -> Option<T>) -> Option<T> {
        self.agent.ledger().entries().iter().rev().find_map(|entry| pick(&entry.body))
    }

    pub(crate) fn request(&self, call: CallId) -> Option<(EntryId, ApprovalRequest)> {
        self.agent.ledger().entries().iter().rev().find_map(|entry| match &entry.body {
            Body::ApprovalRequested(request) if request.call == call => Some((entry.id, request.clone())),
            _ => None,
        })
    }

    pub(crate) fn decision(&self, call: CallId) -> Decision {
        let of = |body: &Body| match body {
            Body::ApprovalDecided(decision) if decision.call == call => Some(decision.clone()),
            _ => None,
        };
        self.last(of).expect("it is decided")
    }

    pub(crate) fn decide(&mut self, call: CallId, answer: Answer) {
        let (request, _) = self.request(call).expect("somebody is asked");
        self.step(Input::Intent(Intent::Decide { request, call, answer }));
    }

    pub(crate) fn runs(&self) -> Vec<Invocation> {
        let run = |e: &Effect| if let Effect::RunTool(run) = e { Some(run.clone()) } else { None };
        self.wanted.iter().filter_map(run).collect()
    }

    pub(crate) fn done(&mut self, call: CallId) {
        let report = ToolReport { outcome: Outcome::Ok, ..ToolReport::failed("done") };
        self.step(Input::Tool(call, ToolNews::Done(Box::new(report))));
    }

    pub(crate) fn revoke(&mut self, call: CallId) {
        self.step(Input::Intent(Intent::Revoke(call)));
        let told = self.last(|body| {
            if let Body::Change(Change::GrantRevoked { call }) = body { Some(*call) } else { None }
        });
        assert_eq!(told, Some(call), "it is taken back");
    }

    /// A call that somebody allows for the session, with its result.
    pub(crate) fn grant(&mut self, path: &str, leads: &str) -> CallId {
        let call = self.call("write", json!({ "path": path }), leads_to(leads));
        self.decide(call, Answer::AllowSession);
        self.done(call);
        call
    }

    /// Whether the call runs unasked; if so, it has its result now, and else it is denied.
    pub(crate) fn runs_unasked(&mut self, path: &str, leads: &str) -> bool {
        let call = self.call("write", json!({ "path": path }), leads_to(leads));
        let runs = !self.runs().is_empty();
        if runs {
            self.done(call);
        } else {
            self.decide(call, Answer::Deny(String::new()));
        }
        runs
    }
}

#[test]
fn a_rule_is_offered_only_where_it_would_be_what_decides() {
    let make = json!({ "command": "make test" });
    for (kind, text, offered) in [
        (RuleKind::Allow, "shell(echo *)", Some("shell(make test)")),
        // The user's rule allows it anyway: the new one would change nothing.
        (RuleKind::Allow, "shell(make *)", None),
        (RuleKind::Allow, "shell", None),
        (RuleKind::Ask, "shell(make *)", None),
        (RuleKind::Sandbox, "shell(make *)", None),
    ] {
        let mut gate = Gate::new(hooked(settings(vec![users(kind, text)])));
        let call = gate.call("shell", make.clone(), Preparation::default());
        gate.hooks_say(HookDecision::Ask);
        let (_, request) = gate.request(call).unwrap();
        assert_eq!(request.rule.as_deref(), offered, "{text}");
        gate.decide(call, always("shell(make test)", Scope::Session));
        assert_eq!(gate.runs().len(), usize::from(offered.is_some()), "{text}");
        let refused = gate.wanted.iter().any(|e| matches!(e, Effect::Emit(Live::Refused(_))));
        assert_eq!(refused, offered.is_none(), "{text}");
    }
}

#[test]
fn a_person_reads_all_effects_of_a_line_that_has_several() {
    for (line, effects) in [
        ("rm -rf target && git push --force", &[SideEffect::Deletes, SideEffect::Sends][..]),
        (
            "make && chmod +x y && touch z",
            &[SideEffect::ChangesPermissions, SideEffect::Runs, SideEffect::Writes],
        ),
        ("make", &[]),
        ("rm a; rm b", &[]),
    ] {
        let mut gate = Gate::new(settings(Vec::new()));
        let call = gate.call("shell", json!({ "command": line }), Preparation::default());
        let (_, request) = gate.request(call).unwrap();
        let told: Vec<&str> = effects.iter().map(|effect| effect.as_str()).collect();
        assert_eq!(request.effects, told, "{line}");
        assert!(told.first().is_none_or(|worst| *worst == request.risk), "{line}: {}", request.risk);
    }
}

#[test]
fn a_look_seeks_what_a_sandbox_would_not_hide_where_there_may_be_one() {
    for (mode, has_sandbox, sought) in
        [(Mode::Auto, true, true), (Mode::Auto, false, false), (Mode::Ask, true, false)]
    {
        let mut settings = settings(Vec::new());
        (settings.policy.mode, settings.policy.has_sandbox) = (mode, has_sandbox);
        let looks = Gate::new(settings).make(&[("shell", json!({ "command": "make" }))]);
        assert_eq!(looks[0].sandboxed, sought, "{mode} {has_sandbox}");
    }
}

#[test]
fn what_a_hook_asks_about_runs_where_the_rules_put_it() {
    for (kind, sandboxing, confined) in
        [(RuleKind::Sandbox, Sandboxing::Within, true), (RuleKind::Allow, Sandboxing::OnWish, false)]
    {
        for answer in [Answer::AllowOnce, Answer::AllowSession] {
            let mut settings = settings(vec![users(kind, "shell(make *)")]);
            settings.policy.has_sandbox = true;
            let mut gate = Gate::new(hooked(settings));
            let call = gate.call("shell", json!({ "command": "make test" }), Preparation::default());
            gate.hooks_say(HookDecision::Ask);
            assert_eq!(gate.request(call).unwrap().1.sandboxing, sandboxing);
            gate.decide(call, answer);
            assert_eq!(
                gate.runs().iter().map(|run| run.sandboxed).collect::<Vec<_>>(),
                [confined],
                "{kind:?}"
            );
            assert_eq!(gate.decision(call).sandboxed, confined);
        }
    }
}

#[test]
fn who_denied_a_call_is_who_would_not_let_it_run() {
    use HookDecision::{Allow, Ask, Deny};
    for (said, kind, by, rule) in [
        (Allow, RuleKind::Deny, Decider::Policy, Some("shell(make *)")),
        (Ask, RuleKind::Deny, Decider::Policy, Some("shell(make *)")),
        (Deny, RuleKind::Deny, Decider::Policy, Some("shell(make *)")),
        (Deny, RuleKind::Allow, Decider::Hook, None),
        (Deny, RuleKind::Ask, Decider::Hook, None),
    ] {
        let mut gate = Gate::new(hooked(settings(vec![users(kind, "shell(make *)")])));
        let call = gate.call("shell", json!({ "command": "make test" }), Preparation::default());
        gate.hooks_say(said);
        let decision = gate.decision(call);
        assert!(!decision.allow);
        assert_eq!((decision.by, decision.rule.as_deref()), (by, rule), "{said:?} {kind:?}");
    }
}

#[test]
fn what_is_written_of_an_allowed_call_names_the_exact_action_and_its_folder() {
    let mut gate = Gate::new(settings(vec![users(RuleKind::Allow, "shell(make *)")]));
    let arguments = json!({ "command": "make test" });
    let by_rule = gate.call("shell", arguments.clone(), Preparation::default());
    gate.done(by_rule);
    let by_user = gate.call("write", json!({ "path": "a" }), leads_to("a"));
    gate.decide(by_user, Answer::AllowOnce);
    for (call, name, arguments) in [(by_rule, "shell", arguments), (by_user, "write", json!({ "path": "a" }))]
    {
        let decision = gate.decision(call);
        let exact = countersign::ledger::Arguments::from_value(arguments);
        assert_eq!((decision.digest, decision.cwd), (digest(name, &exact), "/work".to_owned()), "{name}");
        assert_eq!((decision.allow, decision.key), (true, format!("s1-{call}")));
    }
    assert_eq!(gate.agent.session(), "s1");
}

#[test]
fn a_grant_is_taken_back_wherever_its_path_led_and_no_other_is() {
    let mut gate = Gate::new(settings(Vec::new()));
    let linked = gate.grant("link/a", "real/a");
    let plain = gate.grant("b", "b");
    let third = gate.grant("link/c", "real/c");
    let all = [("link/a", "real/a"), ("b", "b"), ("link/c", "real/c")];
    let run = |gate: &mut Gate| all.map(|(path, leads)| gate.runs_unasked(path, leads));
    assert_eq!(run(&mut gate), [true, true, true]);
    gate.revoke(linked);
    assert_eq!(run(&mut gate), [false, true, true]);
    gate.revoke(plain);
    assert_eq!(run(&mut gate), [false, false, true]);
    gate.revoke(third);
    assert_eq!(run(&mut gate), [false, false, false]);
}

#[test]
fn a_rule_is_taken_back_and_no_other_is() {
    // The hook asks about the first two; the user's own rule for `make` is written as the one that is taken.
    let mut gate = Gate::new(hooked(settings(vec![users(RuleKind::Allow, "shell(make test)")])));
    // However long it is to hold, it holds for the session and is taken back.
    let scopes = [Scope::Session, Scope::Project, Scope::Everywhere];
    let taken: Vec<CallId> = ["make test", "cargo test x", "cargo build x"]
        .iter()
        .zip(scopes)
        .map(|(line, scope)| {
            let call = gate.call("shell", json!({ "command": line }), Preparation::default());
            gate.hooks_say(HookDecision::Ask);
            let rule = gate.request(call).unwrap().1.rule.unwrap_or_else(|| panic!("{line} is offered none"));
            gate.decide(call, always(&rule, Scope::Once));
            assert!(gate.runs().is_empty(), "a rule for one call is none");
            gate.decide(call, always(&rule, scope));
            gate.done(call);
            call
        })
        .collect();
    let run = |gate: &mut Gate| {
        ["make test", "cargo test y", "cargo build y"].map(|line| {
            let call = gate.call("shell", json!({ "command": line }), Preparation::default());
            gate.hooks_say(HookDecision::Allow);
            let runs = !gate.runs().is_empty();
            if runs {
                gate.done(call)
            } else {
                gate.decide(call, Answer::Deny(String::new()))
            }
            runs
        })
    };
    assert_eq!(run(&mut gate), [true, true, true]);
    gate.revoke(taken[1]);
    assert_eq!(run(&mut gate), [true, false, true]);
    gate.revoke(taken[0]);
    assert_eq!(run(&mut gate), [true, false, true], "the user's own rule was not taken in this session");
    gate.revoke(taken[2]);
    assert_eq!(run(&mut gate), [true, false, false]);
}

#[test]
fn calls_that_lose_their_grant_are_each_asked_about_by_their_own_look() {
    let mut gate = Gate::new(settings(Vec::new()));
    let first = gate.call("write", json!({ "path": "out/a" }), leads_to("out/a"));
    gate.decide(first, always("write(out/*)", Scope::Everywhere));
    gate.done(first);
    let paths = ["x", "y", "z"];
    let calls = paths.map(|name| ("write", json!({ "path": format!("link/{name}") })));
    let looks = gate.make(&calls);
    for (look, name) in looks.iter().zip(paths) {
        gate.step(Input::Prepared(look.call, leads_to(&format!("out/{name}"))));
    }
    assert!(looks.iter().all(|look| gate.request(look.call).is_none()), "the rule allows each");
    gate.revoke(first);
    assert!(gate.request(looks[0].call).is_none(), "what runs runs on");
    for (look, name) in looks.iter().zip(paths).skip(1) {
        let (_, request) = gate.request(look.call).unwrap();
        assert_eq!(request.leads_to, Some(format!("out/{name}")));
    }
}

#[test]
fn what_a_hook_makes_of_a_call_is_what_is_looked_at_decided_and_run() {
    let changed = json!({ "path": "safe" });
    let mut gate = Gate::new(hooked(settings(Vec::new())));
    let call = gate.call("write", json!({ "path": "danger" }), leads_to("danger"));
    gate.hooks_change(changed.clone());
    let look =
        |e: &Effect| if let Effect::Prepare(look) = e { Some(look.arguments.to_value()) } else { None };
    assert_eq!(gate.wanted.iter().find_map(look), Some(changed.clone()));
    gate.step(Input::Prepared(call, leads_to("safe")));
    let (_, request) = gate.request(call).unwrap();
    assert_eq!((request.arguments, request.leads_to), (changed.clone(), Some("safe".to_owned())));
    gate.decide(call, Answer::AllowOnce);
    assert_eq!(gate.runs().iter().map(|run| run.arguments.to_value()).collect::<Vec<_>>(), [changed]);
}
