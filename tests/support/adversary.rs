//! Models, tools and hooks that always say the same, and what becomes of the loop against them.

#![allow(unreachable_pub, reason = "tests")]

use std::collections::VecDeque;

use countersign::agent::{Agent, Effect, Input, Intent, Settings};
use countersign::hooks::HookAnswer;
use countersign::ledger::{Body, Facts, Millis, ModelRef, Outcome, Stop, TurnEnded, Usage};
use countersign::model::{FailureClass, ModelEvent, ModelFailure, ModelNews, ModelSpec};
use countersign::tool::{Preparation, SideEffect, ToolKind, ToolNews, ToolReport, ToolSpec};

/// What an adversary does to every model call and every tool run.
pub struct Adversary {
    pub model: fn(call: u64) -> Vec<ModelNews>,
    pub tool: fn() -> ToolReport,
    pub hook: fn(calls: u64) -> Vec<HookAnswer>,
}

/// How a run ended, and after how many model calls.
pub struct Ended {
    pub calls: u64,
    pub end: TurnEnded,
    pub agent: Agent,
}

/// More calls than any bound allows.
pub const FOREVER: u64 = 500;

pub fn settings() -> Settings {
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
    Settings { tools: vec![read], ..Settings::new(ModelSpec::unknown(ModelRef::parse("first"))) }
}

pub fn run(settings: Settings, adversary: &Adversary) -> Ended {
    let mut agent = Agent::new(settings);
    let (calls, end) = drive(&mut agent, Intent::Submit("go".into()), adversary);
    Ended { calls, end: end.expect("the run has an end"), agent }
}

/// Lets the adversary answer whatever follows from this, until nothing is left to do.
pub fn drive(agent: &mut Agent, intent: Intent, adversary: &Adversary) -> (u64, Option<TurnEnded>) {
    let mut inputs = VecDeque::from([Input::Intent(intent)]);
    let (mut calls, mut now) = (0, 1_000);
    let mut end = None;
    while let Some(input) = inputs.pop_front() {
        now += 10;
        for effect in agent.step(Millis(now), input) {
            match effect {
                Effect::CallModel(message, _) => {
                    calls += 1;
                    assert!(calls < FOREVER, "the loop has no end");
                    inputs
                        .extend((adversary.model)(calls).into_iter().map(|news| Input::Model(message, news)));
                }
                Effect::Prepare(call) => inputs.push_back(Input::Prepared(call.call, Preparation::default())),
                Effect::RunTool(call) => {
                    inputs.push_back(Input::Tool(call.call, ToolNews::Done(Box::new((adversary.tool)()))))
                }
                // The wall-time limit never comes first here; a wait is over at once.
                Effect::SetTimer(timer, wait_ms) if wait_ms < 1_000_000 => {
                    inputs.push_back(Input::Timer(timer))
                }
                Effect::Append(entry) => {
                    if let Body::TurnEnded(ended) = &entry.body {
                        end = Some(ended.clone());
                    }
                }
                Effect::RunHooks(hooks) => inputs.push_back(Input::Hooks(hooks.id, (adversary.hook)(calls))),
                Effect::SetTimer(..)
                | Effect::DiscoverTools
                | Effect::TypeInto(..)
                | Effect::StopBackground(..)
                | Effect::StartSubagent(_)
                | Effect::TellSubagent(..)
                | Effect::Cancel(_)
                | Effect::Emit(_) => {}
            }
        }
    }
    assert!(agent.is_idle());
    countersign::ledger::check(agent.ledger().entries()).unwrap();
    (calls, end)
}

pub fn text(words: &str) -> ModelNews {
    ModelNews::Event(ModelEvent::Text(words.into()))
}

pub fn stop(reason: Stop) -> ModelNews {
    ModelNews::Event(ModelEvent::Stop(reason))
}

pub fn call() -> ModelNews {
    ModelNews::Event(ModelEvent::CallStarted { index: 0, wire_id: "same".into(), name: "read".into() })
}

pub fn spent(output: u64) -> ModelNews {
    ModelNews::Event(ModelEvent::Usage(Usage { input: 10, output, ..Usage::default() }))
}

pub fn failed(class: FailureClass) -> Vec<ModelNews> {
    vec![ModelNews::Failed(ModelFailure::new(class, "no"))]
}

pub fn report(outcome: Outcome, transient: bool) -> ToolReport {
    ToolReport {
        outcome,
        content: "said the tool".into(),
        written: None,
        cut_chars: 0,
        facts: Facts::default(),
        images: vec![],
        transient,
        refused: false,
        remote: None,
        is_unsent: false,
    }
}

pub fn silence(_: u64) -> Vec<HookAnswer> {
    vec![]
}

pub fn fine() -> ToolReport {
    report(Outcome::Ok, false)
}
