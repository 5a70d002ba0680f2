//! Commands of the user alone, and with a message behind them.

use crate::agent::{Agent, Answer, Effect, Input, Intent, Live, OwnCommand, Settings};
use crate::ledger::{
    Arguments, Body, CallId, Decider, EntryId, Image, Injector, Message, Millis, ModelRef, Outcome,
    UserMessage,
};
use crate::model::ModelSpec;
use crate::tool::{Preparation, SideEffect, ToolKind, ToolNews, ToolReport, ToolSpec};

fn agent(kind: ToolKind) -> Agent {
    seeing(kind, None)
}

fn seeing(kind: ToolKind, vision: Option<bool>) -> Agent {
    let mut shell = ToolSpec::from_elsewhere("shell");
    (shell.kind, shell.effect, shell.schema) = (kind, SideEffect::Runs, serde_json::json!({}));
    let mut spec = ModelSpec::unknown(ModelRef::parse("script"));
    spec.abilities.vision = vision;
    Agent::new(Settings { tools: vec![shell], ..Settings::new(spec) })
}

fn runs(agent: &mut Agent, typed: &str) -> Vec<Effect> {
    agent.step(Millis(1), Input::Intent(Intent::Command(OwnCommand::read(typed).unwrap())))
}

fn ends(agent: &mut Agent, content: &str) -> Vec<Effect> {
    let report = ToolReport { outcome: Outcome::Ok, ..ToolReport::failed(content) };
    agent.step(Millis(2), Input::Tool(CallId(1), ToolNews::Done(Box::new(report))))
}

fn said(agent: &Agent) -> Vec<String> {
    let messages = agent.ledger().project().unwrap().into_iter();
    messages
        .map(|message| match message {
            Message::User(said) => said.content.clone(),
            other @ (Message::Assistant(_) | Message::Results(_)) => panic!("{other:?}"),
        })
        .collect()
}

#[test]
fn it_is_decided_by_the_user_before_it_runs_and_the_model_is_told_of_its_output() {
    let mut agent = agent(ToolKind::Shell);
    let wanted = runs(&mut agent, "!ls -a");
    let position = |is: fn(&Effect) -> bool| wanted.iter().position(is).unwrap();
    let decided = position(|effect| {
        matches!(effect, Effect::Append(entry)
            if matches!(&entry.body, Body::ApprovalDecided(d) if d.allow && d.by == Decider::User))
    });
    let starts = position(|effect| matches!(effect, Effect::RunTool(call) if !call.sandboxed));
    assert!(decided < starts);
    assert!(!agent.is_idle());
    let wanted = ends(&mut agent, "a b c");
    assert!(agent.is_idle() && !wanted.iter().any(|effect| matches!(effect, Effect::CallModel(..))));
    let told = "The user ran this command in their own shell: ls -a\nIt succeeded. Its output:\na b c";
    assert_eq!(said(&agent), ["!ls -a", told]);
    let ended = agent.ledger().entries().last().unwrap();
    assert!(matches!(&ended.body, Body::TurnEnded(end) if end.reason.completed()));
}

#[test]
fn a_message_that_looks_like_a_command_is_not_taken_for_one_that_was_run() {
    let bodies = |agent: &Agent| -> Vec<Body> {
        agent.ledger().entries().iter().map(|entry| entry.body.clone()).collect()
    };
    let was_run = |bodies: &[Body]| {
        let at = bodies.iter().position(|body| matches!(body, Body::User(_))).unwrap();
        let Body::User(said) = &bodies[at] else { panic!("{bodies:?}") };
        OwnCommand::was_run(&said.content, &bodies[at + 1..])
    };
    for typed in ["!ls -a", "!! env "] {
        let mut agent = agent(ToolKind::Shell);
        runs(&mut agent, typed);
        assert!(was_run(&bodies(&agent)), "{typed}");
    }
    for said in ["!ls -a", "ls -a"] {
        let mut agent = agent(ToolKind::Shell);
        agent.step(Millis(1), Input::Intent(Intent::Submit(said.into())));
        assert!(!was_run(&bodies(&agent)), "{said}");
    }
    let mut other = agent(ToolKind::Shell);
    runs(&mut other, "!ls");
    let behind = bodies(&other);
    assert!(!OwnCommand::was_run(
        "!rm x",
        behind.iter().skip_while(|body| !matches!(body, Body::Command(_)))
    ));
}

#[test]
fn what_is_said_meanwhile_begins_the_next_run_in_its_order() {
    let mut agent = agent(ToolKind::Shell);
    runs(&mut agent, "!make");
    for words in ["first", "second"] {
        agent.step(Millis(1), Input::Intent(Intent::Submit(words.into())));
    }
    let wanted = ends(&mut agent, "built");
    assert!(wanted.iter().any(|effect| matches!(effect, Effect::CallModel(..))), "{wanted:?}");
    assert_eq!(said(&agent).last().unwrap(), "first");
    let waits = Effect::Emit(Live::Waiting { steering: Vec::new(), queued: vec!["second".into()] });
    assert!(wanted.contains(&waits), "{wanted:?}");
}

#[test]
fn what_is_left_out_is_in_the_books_and_no_model_reads_it() {
    let mut agent = agent(ToolKind::Shell);
    runs(&mut agent, "!!cat notes");
    ends(&mut agent, "private");
    assert_eq!(said(&agent), [""; 0]);
    let entries = agent.ledger().entries();
    assert!(entries.iter().any(|entry| matches!(&entry.body, Body::ToolResult(r) if r.content == "private")));
    let is_told = |body: &Body| matches!(body, Body::Injected(said) if said.by == Injector::Command);
    assert!(!entries.iter().any(|entry| is_told(&entry.body)));
}

#[test]
fn one_that_is_interrupted_is_told_as_that() {
    let mut agent = agent(ToolKind::Shell);
    runs(&mut agent, "!sleep 9");
    agent.step(Millis(5), Input::Intent(Intent::Abort));
    assert!(agent.is_idle());
    assert!(said(&agent)[1].contains("sleep 9\nThe user interrupted it."), "{:?}", said(&agent));
}

#[test]
fn a_message_about_its_output_goes_out_only_if_it_succeeds() {
    for (outcome, is_sent) in [(Outcome::Ok, true), (Outcome::Failed, false)] {
        let mut agent = agent(ToolKind::Shell);
        let then = Some(Box::new("review it".into()));
        let own = OwnCommand { then, must_succeed: true, ..OwnCommand::read("!git diff").unwrap() };
        agent.step(Millis(1), Input::Intent(Intent::Command(own)));
        let report = ToolReport { outcome, ..ToolReport::failed("fatal") };
        let wanted = agent.step(Millis(2), Input::Tool(CallId(1), ToolNews::Done(Box::new(report))));
        assert_eq!(wanted.iter().any(|effect| matches!(effect, Effect::CallModel(..))), is_sent);
        let returned = Effect::Emit(Live::Returned(vec!["review it".into()]));
        assert_eq!(wanted.contains(&returned), !is_sent, "{wanted:?}");
        let is_why =
            |e: &Effect| matches!(e, Effect::Emit(Live::Refused(why)) if why.starts_with("not sent: "));
        assert_eq!(wanted.iter().any(is_why), !is_sent, "{wanted:?}");
    }
    // A command that is just run holds nothing up.
    let mut agent = agent(ToolKind::Shell);
    runs(&mut agent, "!make");
    agent.step(Millis(1), Input::Intent(Intent::Queue("why?".into())));
    let news = ToolNews::Done(Box::new(ToolReport::failed("broken")));
    let wanted = agent.step(Millis(2), Input::Tool(CallId(1), news));
    assert!(wanted.iter().any(|effect| matches!(effect, Effect::CallModel(..))), "{wanted:?}");
}

/// A custom command has begun, and a message waits for its output.
fn custom(agent: &mut Agent) -> (Vec<Effect>, EntryId) {
    let wanted = agent.step(Millis(1), Input::Intent(tidies("tidy up".into())));
    assert!(wanted.iter().any(|effect| matches!(effect, Effect::Prepare(_))), "it is looked at: {wanted:?}");
    let wanted = agent.step(Millis(1), Input::Prepared(CallId(1), Preparation::default()));
    let asked = agent.ledger().entries().last().unwrap().clone();
    assert!(matches!(asked.body, Body::ApprovalRequested(_)), "{asked:?}");
    (wanted, asked.id)
}

fn tidies(then: UserMessage) -> Intent {
    let (typed, then) = (Some("/tidy now".into()), Some(Box::new(then)));
    Intent::Command(OwnCommand { typed, then, ..OwnCommand::read("!rm x").unwrap() })
}

/// What a person hears of a refusal.
fn news(effect: &Effect) -> Option<&Live> {
    if let Effect::Emit(live @ (Live::Returned(_) | Live::Refused(_))) = effect { Some(live) } else { None }
}

#[test]
fn a_command_and_the_message_behind_it_are_refused_together_before_anybody_is_asked() {
    let image = Image { name: "a.png".into(), media_type: "image/png".into(), data: "".into(), size: None };
    let with_image = UserMessage { images: vec![image], ..then() };
    let mut blind = seeing(ToolKind::Shell, Some(false));
    let refused = blind.step(Millis(1), Input::Intent(tidies(with_image)));
    assert!(blind.is_idle() && blind.ledger().entries().is_empty());
    let mut busy = agent(ToolKind::Shell);
    runs(&mut busy, "!make");
    for effects in [refused, busy.step(Millis(1), Input::Intent(tidies(then())))] {
        let told: Vec<&Live> = effects.iter().filter_map(news).collect();
        let [Live::Returned(back), Live::Refused(_)] = told.as_slice() else { panic!("{effects:?}") };
        assert_eq!(*back, [then()]);
    }
    ends(&mut busy, "built");
    assert!(busy.is_idle(), "nothing was queued");
}

fn then() -> UserMessage {
    "tidy up".into()
}

#[test]
fn what_a_custom_command_runs_waits_for_the_user() {
    let mut agent = agent(ToolKind::Shell);
    let (wanted, request) = custom(&mut agent);
    assert!(!wanted.iter().any(|effect| matches!(effect, Effect::RunTool(_))));
    let allow = Intent::Decide { request, call: CallId(1), answer: Answer::AllowOnce };
    let wanted = agent.step(Millis(2), Input::Intent(allow));
    assert!(wanted.iter().any(|effect| matches!(effect, Effect::RunTool(_))), "{wanted:?}");
    let wanted = ends(&mut agent, "gone");
    let told = "The custom command of the user runs this: rm x\nIt succeeded. Its output:\ngone";
    assert_eq!(said(&agent), ["/tidy now", told, "tidy up"]);
    assert!(wanted.iter().any(|effect| matches!(effect, Effect::CallModel(..))));
}

#[test]
fn what_was_changed_in_its_pane_is_what_is_told() {
    let mut agent = agent(ToolKind::Shell);
    let (_, request) = custom(&mut agent);
    let other = ("command".to_owned(), serde_json::Value::from("rm y"));
    let answer = Answer::Edit(Arguments::Object([other].into_iter().collect()));
    agent.step(Millis(2), Input::Intent(Intent::Decide { request, call: CallId(1), answer }));
    agent.step(Millis(2), Input::Prepared(CallId(1), Preparation::default()));
    let asked = agent.ledger().entries().iter().rev();
    let is_request = |body: &Body| matches!(body, Body::ApprovalRequested(_));
    let request = asked.clone().find(|entry| is_request(&entry.body)).unwrap().id;
    let answer = Answer::AllowOnce;
    agent.step(Millis(2), Input::Intent(Intent::Decide { request, call: CallId(1), answer }));
    ends(&mut agent, "gone");
    assert!(
        said(&agent)[1].starts_with("The custom command of the user runs this: rm y\n"),
        "{:?}",
        said(&agent)
    );
}

#[test]
fn after_a_no_nothing_is_run_or_sent() {
    let mut agent = agent(ToolKind::Shell);
    let (_, request) = custom(&mut agent);
    let deny = Intent::Decide { request, call: CallId(1), answer: Answer::Deny(String::new()) };
    let wanted = agent.step(Millis(2), Input::Intent(deny));
    let sends = |effect: &Effect| matches!(effect, Effect::RunTool(_) | Effect::CallModel(..));
    assert!(agent.is_idle() && !wanted.iter().any(sends), "{wanted:?}");
    assert!(wanted.contains(&Effect::Emit(Live::Returned(vec!["tidy up".into()]))), "{wanted:?}");
    assert!(said(&agent)[1].contains("rm x\nIt was not allowed, and did not run."), "{:?}", said(&agent));
}

#[test]
fn nothing_is_run_within_a_turn_without_a_shell_or_without_a_command() {
    let refused = |mut agent: Agent, typed: &str| {
        let before = agent.ledger().entries().len();
        let wanted = runs(&mut agent, typed);
        assert_eq!(agent.ledger().entries().len(), before, "{typed}");
        let returned = Effect::Emit(Live::ReturnedLine(typed.into()));
        assert!(wanted.contains(&returned), "what was typed is given back: {wanted:?}");
        let why = |effect: &Effect| {
            if let Effect::Emit(Live::Refused(why)) = effect { Some(why.clone()) } else { None }
        };
        wanted.iter().find_map(why).unwrap()
    };
    let mut busy = agent(ToolKind::Shell);
    runs(&mut busy, "!sleep 9");
    assert!(refused(busy, "!ls").contains("interrupt it first"));
    assert!(refused(agent(ToolKind::Mcp), "!ls").contains("no tool runs commands"));
    assert!(refused(agent(ToolKind::Shell), "!").contains("type a command"));
}
