//! Hooks that nobody waits for: what they say after an answer reaches the next turn or message, and stops nothing.

use countersign::agent::{Agent, Effect, Input, Intent, Live, Operation, Settings};
use countersign::hooks::{HookAnswer, HookDecision, HookId, HookPoint, HookSpec, Payload, Start};
use countersign::ledger::{
    Body, CallId, Change, Ending, EntryId, Facts, FilesRestored, Message, Millis, ModelRef, Outcome, recover,
};
use countersign::model::{FailureClass, ModelEvent, ModelFailure, ModelNews, ModelSpec, Request};
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolNews, ToolReport, ToolSpec};

/// An agent with one hook and one tool, and what its last step wanted.
struct AgentFixture {
    settings: Settings,
    agent: Agent,
    now: u64,
    wanted: Vec<Effect>,
}

impl AgentFixture {
    fn with_a_hook(point: HookPoint) -> Self {
        let hook = HookSpec { point, command: "watch".into(), timeout_ms: 1_000, matcher: vec![] };
        let read = ToolSpec {
            name: "read".into(),
            description: String::new(),
            schema: serde_json::json!({}),
            effect: SideEffect::Reads,
            paths: vec![],
            timeout_ms: None,
            kind: ToolKind::Plain,
            retrieves: false,
        };
        let model = ModelSpec::unknown(ModelRef::parse("first"));
        let settings = Settings { tools: vec![read], hooks: vec![hook], ..Settings::new(model) };
        Self { agent: Agent::new(settings.clone()), settings, now: 1_000, wanted: Vec::new() }
    }

    fn step(&mut self, input: Input) {
        self.now += 10;
        self.wanted = self.agent.step(Millis(self.now), input);
    }

    fn submit(&mut self, text: &str) {
        self.step(Input::Intent(Intent::Submit(text.into())));
    }

    fn find<T>(&self, pick: impl Fn(&Effect) -> Option<T>) -> Option<T> {
        self.wanted.iter().find_map(pick)
    }

    fn model_call(&self) -> Option<(EntryId, Request)> {
        self.find(|e| {
            if let Effect::CallModel(id, request) = e { Some((*id, (**request).clone())) } else { None }
        })
    }

    fn hooks(&self) -> Option<(HookId, Payload)> {
        self.find(
            |e| if let Effect::RunHooks(call) = e { Some((call.id, call.payload.clone())) } else { None },
        )
    }

    fn ending(&self) -> Option<Ending> {
        self.find(|e| match e {
            Effect::Append(entry) => {
                if let Body::TurnEnded(end) = &entry.body {
                    Some(end.reason)
                } else {
                    None
                }
            }
            _ => None,
        })
    }

    /// The model's whole answer; the effects of its end remain.
    fn answer(&mut self, events: Vec<ModelEvent>) {
        let (message, _) = self.model_call().unwrap();
        for event in events {
            self.step(Input::Model(message, ModelNews::Event(event)));
        }
        self.step(Input::Model(message, ModelNews::Finished));
    }
}

fn says(text: &str) -> Vec<HookAnswer> {
    vec![HookAnswer { inject: Some(text.into()), ..HookAnswer::default() }]
}

fn users_words(request: &Request) -> Vec<&str> {
    request
        .messages
        .iter()
        .filter_map(|m| if let Message::User(said) = m { Some(said.content.as_str()) } else { None })
        .collect()
}

#[test]
fn what_is_said_after_sampling_reaches_the_next_turn_alone() {
    let mut fixture = AgentFixture::with_a_hook(HookPoint::PostSampling);
    fixture.submit("look");
    fixture.answer(vec![ModelEvent::CallStarted { index: 0, wire_id: "w".into(), name: "read".into() }]);
    let (hook, payload) = fixture.hooks().unwrap();
    assert!(matches!(payload, Payload::PostSampling { .. }));
    let look = fixture.find(|e| if let Effect::Prepare(call) = e { Some(call.call) } else { None });
    let call = look.unwrap_or_else(|| panic!("the call does not wait for the hook"));
    let at = |is_it: fn(&Effect) -> bool| fixture.wanted.iter().position(is_it).unwrap();
    let (told, looked) = (at(|e| matches!(e, Effect::RunHooks(_))), at(|e| matches!(e, Effect::Prepare(_))));
    assert!(told < looked, "hooks are told before the call is dispatched");
    let answer = HookAnswer { prevent: Some("enough".into()), ..says("mind the gap").remove(0) };
    fixture.step(Input::Hooks(hook, vec![answer]));
    assert!(fixture.model_call().is_none(), "nothing of the turn at hand changes");
    fixture.step(Input::Prepared(call, Preparation::default()));
    assert!(fixture.wanted.iter().any(|e| matches!(e, Effect::RunTool(_))), "nor is the tool held up");
    let done = ToolReport {
        outcome: Outcome::Ok,
        content: "seen".into(),
        written: None,
        cut_chars: 0,
        facts: Facts::default(),
        images: vec![],
        transient: false,
        refused: false,
        remote: None,
        is_unsent: false,
    };
    fixture.step(Input::Tool(call, ToolNews::Done(Box::new(done))));
    let (_, request) = fixture.model_call().unwrap();
    assert_eq!(users_words(&request), ["look", "mind the gap"]);
    assert!(matches!(request.messages.last(), Some(Message::User(said)) if said.content == "mind the gap"));
}

#[test]
fn after_the_last_turn_it_reaches_the_next_message() {
    let mut fixture = AgentFixture::with_a_hook(HookPoint::PostSampling);
    fixture.submit("hello");
    fixture.answer(vec![ModelEvent::Text("Good day.".into())]);
    assert_eq!(fixture.ending(), Some(Ending::Completed), "the end does not wait for the hook");
    let (hook, _) = fixture.hooks().unwrap();
    fixture.step(Input::Hooks(hook, says("one more thing")));
    assert!(fixture.wanted.is_empty(), "an idle session stays idle: {:?}", fixture.wanted);
    fixture.submit("and now?");
    let (_, request) = fixture.model_call().unwrap();
    let mut words = users_words(&request);
    words.sort_unstable();
    assert_eq!(words, ["and now?", "hello", "one more thing"]);
}

#[test]
fn a_failure_is_told_and_nobody_is_asked() {
    let mut fixture = AgentFixture::with_a_hook(HookPoint::StopFailure);
    fixture.submit("hello");
    let (message, _) = fixture.model_call().unwrap();
    let failure = ModelFailure::new(FailureClass::BadRequest, "refused as it is");
    fixture.step(Input::Model(message, ModelNews::Failed(failure)));
    assert_eq!(fixture.ending(), Some(Ending::ModelError), "the end does not wait for the hook");
    let (hook, payload) = fixture.hooks().unwrap();
    let told = matches!(&payload, Payload::StopFailure { reason, error, recovering: false } if reason == "model_error" && error.contains("refused"));
    assert!(told, "{payload:?}");
    assert!(fixture.agent.is_idle());
    let block = HookAnswer { decision: Some(HookDecision::Deny), ..HookAnswer::default() };
    fixture.step(Input::Hooks(hook, vec![block]));
    assert!(
        fixture.agent.is_idle() && fixture.model_call().is_none(),
        "a block of what is over blocks nothing"
    );
}

#[test]
fn a_failure_is_told_of_every_error_and_of_nothing_else() {
    let failed = |class| ModelNews::Failed(ModelFailure::new(class, "no"));
    let told = |fixture: &AgentFixture| match fixture.hooks() {
        Some((_, Payload::StopFailure { reason, recovering, .. })) => Some((reason, recovering)),
        _ => None,
    };
    // A summary that fails too: the prompt stays too long.
    let mut fixture = AgentFixture::with_a_hook(HookPoint::StopFailure);
    fixture.submit("hello");
    assert_eq!(told(&fixture), None);
    let (message, _) = fixture.model_call().unwrap();
    fixture.step(Input::Model(message, failed(FailureClass::Overflow)));
    assert_eq!(told(&fixture), Some(("model_error".into(), true)), "the history is made shorter");
    let (message, _) = fixture.model_call().unwrap();
    fixture.step(Input::Model(message, failed(FailureClass::BadRequest)));
    assert_eq!(
        (fixture.ending(), told(&fixture)),
        (Some(Ending::PromptTooLong), Some(("prompt_too_long".into(), false)))
    );

    // One that passes.
    let mut fixture = AgentFixture::with_a_hook(HookPoint::StopFailure);
    fixture.submit("hello");
    let (message, _) = fixture.model_call().unwrap();
    fixture.step(Input::Model(message, failed(FailureClass::Transient)));
    assert_eq!((fixture.ending(), told(&fixture)), (None, Some(("model_error".into(), true))));

    let mut fixture = AgentFixture::with_a_hook(HookPoint::StopFailure);
    fixture.submit("hello");
    fixture.answer(vec![ModelEvent::Text("Good day.".into())]);
    assert_eq!((fixture.ending(), told(&fixture)), (Some(Ending::Completed), None));
    fixture.submit("and now?");
    fixture.step(Input::Intent(Intent::Abort));
    assert_eq!((fixture.ending(), told(&fixture)), (Some(Ending::AbortedStreaming), None));
    assert!(!fixture.wanted.iter().any(|effect| matches!(effect, Effect::RunHooks(_))));
}

#[test]
fn esc_reaches_hooks_that_nobody_waits_for() {
    let mut fixture = AgentFixture::with_a_hook(HookPoint::PostSampling);
    fixture.submit("hello");
    fixture.answer(vec![ModelEvent::CallStarted { index: 0, wire_id: "w".into(), name: "read".into() }]);
    let (hook, payload) = fixture.hooks().unwrap();
    assert!(matches!(payload, Payload::PostSampling { .. }), "{payload:?}");
    fixture.step(Input::Intent(Intent::Abort));
    assert!(fixture.wanted.contains(&Effect::Cancel(Operation::Hooks(hook))), "{:?}", fixture.wanted);
    // What it says too late is nobody's.
    fixture.step(Input::Hooks(hook, says("too late")));
    fixture.submit("and now?");
    let (_, request) = fixture.model_call().unwrap();
    assert!(!users_words(&request).contains(&"too late"));
}

#[test]
fn a_stop_hook_is_told_whether_one_has_sent_the_model_on_already() {
    let mut fixture = AgentFixture::with_a_hook(HookPoint::Stop);
    fixture.submit("hello");
    for active in [false, true, true] {
        fixture.answer(vec![ModelEvent::Text(format!("Good day, {active}."))]);
        let (hook, payload) = fixture.hooks().unwrap();
        let Payload::Stop { stop_hook_active, .. } = payload else { panic!("{payload:?}") };
        assert_eq!(stop_hook_active, active);
        let why = Some(format!("not yet, {}", fixture.now));
        let block = HookAnswer { decision: Some(HookDecision::Deny), reason: why, ..HookAnswer::default() };
        fixture.step(Input::Hooks(hook, vec![block]));
    }
    fixture.answer(vec![ModelEvent::Text("Good day.".into())]);
    let (hook, _) = fixture.hooks().unwrap();
    fixture.step(Input::Hooks(hook, Vec::new()));
    fixture.submit("and now?");
    fixture.answer(vec![ModelEvent::Text("Good night.".into())]);
    assert!(
        matches!(fixture.hooks(), Some((_, Payload::Stop { stop_hook_active: false, .. }))),
        "another run"
    );
}

#[test]
fn a_session_begins_once_in_each_process() {
    let source = |fixture: &AgentFixture| match fixture.hooks() {
        Some((_, Payload::SessionStart { source })) => Some(source),
        _ => None,
    };
    let mut fixture = AgentFixture::with_a_hook(HookPoint::SessionStart);
    fixture.submit("hello");
    assert_eq!(source(&fixture), Some(Start::Startup));
    let (hook, _) = fixture.hooks().unwrap();
    // News of hooks that nobody waits for decides nothing.
    fixture.step(Input::Hooks(HookId(hook.0 + 1), says("of another one")));
    assert!(fixture.model_call().is_none());
    fixture.step(Input::Hooks(hook, says("the branch is main")));
    let (_, request) = fixture.model_call().unwrap();
    assert!(users_words(&request).contains(&"the branch is main"));
    assert!(!users_words(&request).contains(&"of another one"));
    fixture.answer(vec![ModelEvent::Text("Good day.".into())]);
    fixture.submit("and now?");
    assert!(fixture.model_call().is_some() && fixture.hooks().is_none(), "it has begun");
    fixture.answer(vec![ModelEvent::Text("Good night.".into())]);
    let recovered = recover(fixture.agent.ledger().entries().to_vec(), Millis(9_000)).unwrap();
    let again = AgentFixture::with_a_hook(HookPoint::SessionStart);
    let mut again =
        AgentFixture { agent: Agent::resume(again.settings.clone(), recovered, Millis(9_000)).0, ..again };
    again.submit("once more");
    assert_eq!(source(&again), Some(Start::Resume));
}

#[test]
fn what_hooks_have_for_people_is_noted() {
    let mut fixture = AgentFixture::with_a_hook(HookPoint::UserPrompt);
    fixture.submit("hello");
    let (hook, _) = fixture.hooks().unwrap();
    let answer = HookAnswer {
        hook: "watch".into(),
        remark: Some("a remark".into()),
        trouble: Some("a trouble".into()),
        ..HookAnswer::default()
    };
    fixture.step(Input::Hooks(hook, vec![answer]));
    let noted = |fixture: &AgentFixture| {
        let entries = fixture.agent.ledger().entries().iter();
        let notes = entries.filter_map(|e| match &e.body {
            Body::Note(note) => Some(note.for_people().to_owned()),
            _ => None,
        });
        notes.collect::<Vec<_>>()
    };
    assert_eq!(noted(&fixture), ["hook `watch`: a trouble", "hook `watch`: a remark"]);
    assert!(fixture.model_call().is_some());
}

#[test]
fn only_its_own_timer_ends_a_wait() {
    let mut fixture = AgentFixture::with_a_hook(HookPoint::PostTool);
    let fail = |fixture: &mut AgentFixture| {
        let (message, _) = fixture.model_call().unwrap();
        let failure = ModelFailure::new(FailureClass::Transient, "overloaded");
        fixture.step(Input::Model(message, ModelNews::Failed(failure)));
        fixture.find(|e| if let Effect::SetTimer(timer, _) = e { Some(*timer) } else { None }).unwrap()
    };
    fixture.submit("hello");
    let first = fail(&mut fixture);
    fixture.step(Input::Intent(Intent::Abort));
    fixture.submit("again");
    let second = fail(&mut fixture);
    fixture.step(Input::Timer(first));
    assert!(fixture.model_call().is_none(), "the wait of before is over");
    fixture.step(Input::Timer(second));
    assert!(fixture.model_call().is_some());
}

#[test]
fn what_was_taken_back_is_in_the_books_and_told_with_the_next_message() {
    let done = || FilesRestored {
        since: CallId(1),
        restored: vec!["a.txt".into()],
        deleted: Vec::new(),
        left: Vec::new(),
    };
    let mut fixture = AgentFixture::with_a_hook(HookPoint::PostTool);
    fixture.step(Input::Intent(Intent::Restored(done())));
    assert!(fixture.agent.ledger().entries().is_empty(), "a session without an entry has changed no file");
    let is_kept = |e: &Effect| matches!(e, Effect::Append(e) if matches!(&e.body, Body::Change(Change::FilesRestored(_))));
    fixture.submit("hello");
    fixture.answer(vec![ModelEvent::CallStarted { index: 0, wire_id: "w".into(), name: "gone".into() }]);
    fixture.answer(vec![ModelEvent::Text("Good day.".into())]);
    fixture.step(Input::Intent(Intent::Restored(FilesRestored { since: CallId(9), ..done() })));
    assert!(!fixture.wanted.iter().any(is_kept), "there is no such call");
    fixture.step(Input::Intent(Intent::Restored(done())));
    assert!(fixture.wanted.iter().any(is_kept));
    fixture.submit("and now?");
    let (_, request) = fixture.model_call().unwrap();
    let told = |request: &Request| {
        users_words(request).iter().filter(|words| words.contains("undid some of your changes")).count()
    };
    assert_eq!(told(&request), 1, "{request:?}");
    assert!(users_words(&request).iter().any(|words| words.contains("a.txt")));
    fixture.answer(vec![ModelEvent::Text("Good night.".into())]);
    fixture.submit("once more");
    assert_eq!(told(&fixture.model_call().unwrap().1), 1, "it is told once");
}

#[test]
fn what_a_model_says_is_told_while_it_is_said() {
    let mut fixture = AgentFixture::with_a_hook(HookPoint::PostTool);
    fixture.submit("hello");
    let (message, _) = fixture.model_call().unwrap();
    let mut told = |event| {
        fixture.step(Input::Model(message, ModelNews::Event(event)));
        fixture.find(|e| if let Effect::Emit(live) = e { Some(live.clone()) } else { None })
    };
    assert!(
        matches!(told(ModelEvent::Thinking("hm".into())), Some(Live::Thinking { text, .. }) if text == "hm")
    );
    assert!(matches!(told(ModelEvent::Text("Good".into())), Some(Live::Text { text, .. }) if text == "Good"));
    let call = ModelEvent::CallStarted { index: 0, wire_id: "w".into(), name: "read".into() };
    assert!(matches!(told(call), Some(Live::CallForming { name, .. }) if name == "read"));
    assert_eq!(told(ModelEvent::CallDone { index: 0 }), None);
}
