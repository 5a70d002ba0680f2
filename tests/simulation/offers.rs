//! What could happen next: everything that is in flight, a person, and late news of what was cancelled.
//!
//! A new feature comes in here: a flag in [`crate::bounds::Bounds`], its settings in `bounds::settings`, an `offer_…` below
//! for what may then happen, a weight in `walk::likely`, what it writes in `main::REACHED`; and what it leaves in flight
//! in `World::perform` and `World::note_delivery`.

use std::collections::BTreeSet;

use countersign::agent::{Answer, Input, Intent, Shutdown};
use countersign::budget::Limit;
use countersign::goal;
use countersign::hooks::{HookAnswer, HookDecision, HookPoint};
use countersign::ledger::{
    Arguments, BackgroundStatus, CallId, EntryId, Facts, FilesRestored, Hosted, Outcome, Scope, Stop,
};
use countersign::model::{Effort, FailureClass, ModelEvent, ModelFailure, ModelNews};
use countersign::policy::Mode;
use countersign::tool::{Discovered, Preparation, Row, Screen, Shown, ToolNews, ToolReport, Typed};
use serde_json::Value;

use crate::books::LATE;
use crate::bounds::{A_TASK, DELEGATE, FROM_ELSEWHERE, ON_TERMINAL, found, spec};
use crate::legacy_facts;
use crate::pasted::numbered;
use crate::requests::silence;
use crate::world::{Stream, World};

impl World {
    /// All that could happen next.
    pub fn options(&self) -> Vec<Input> {
        let mut options = Vec::new();
        if self.over {
            return options;
        }
        if self.bounds.scene.is_some() {
            return self.options_in_time();
        }
        if self.agent.is_idle() && self.submits < self.bounds.submits {
            options.push(Input::Intent(Intent::Submit(numbered("message", self.submits))));
        }
        // A long walk has much else to do.
        if self.bounds.subagents {
            self.offer_races(&mut options);
        } else if self.commands < self.bounds.commands && (self.agent.is_idle() || !self.bounds.rare) {
            self.offer_commands(&mut options);
        }
        if self.discovers {
            options.push(Input::Discovered(found()));
        } else if self.bounds.discovers && self.bounds.rare {
            // It comes once; another one changes nothing.
            options.push(Input::Discovered(Discovered::default()));
        }
        if self.escapes < self.bounds.escapes {
            options.push(Input::Intent(Intent::Abort));
            self.offer_cuts(&mut options);
        }
        for (message, stream) in &self.models {
            if self.bounds.subagents {
                self.offer_subagents(*message, stream, &mut options);
            } else {
                self.offer_stream(*message, stream, &mut options);
            }
        }
        for message in &self.late_models {
            options.push(Input::Model(*message, ModelNews::Event(ModelEvent::Text(LATE.into()))));
            options.push(Input::Model(*message, ModelNews::Finished));
        }
        for call in &self.preparations {
            let leads_to = if self.bounds.rules { vec!["src/lib.rs".to_owned()] } else { Vec::new() };
            options.push(Input::Prepared(*call, Preparation { leads_to, ..Preparation::default() }));
            if self.bounds.rare {
                let outside = vec!["/etc/passwd".to_owned()];
                options.push(Input::Prepared(*call, Preparation { outside, ..Preparation::default() }));
            }
        }
        options.extend(self.late_preparations.iter().map(|c| Input::Prepared(*c, Preparation::default())));
        for (call, request) in &self.log.asked {
            let decide = |answer| Input::Intent(Intent::Decide { request: *request, call: *call, answer });
            options.push(decide(Answer::AllowOnce));
            options.push(decide(Answer::Deny(String::new())));
            if self.bounds.rules {
                let rule = "write(src/*)".to_owned();
                options.push(decide(Answer::Always { rule, scope: Scope::Session }));
            }
            if self.bounds.asks {
                options.push(decide(Answer::Reply(format!("the answer to {call}"))));
            }
            if self.edits < self.bounds.edits {
                options.push(decide(Answer::Edit(Arguments::parse("{\"path\":\"edited\"}"))));
                options.push(decide(Answer::Edit(Arguments::Unusable("cut".into()))));
            }
        }
        if self.revokes < self.bounds.revokes {
            let revoke = |call: &CallId| Input::Intent(Intent::Revoke(*call));
            options.extend(self.log.granted.calls().map(revoke));
            // Of this one nothing was ever granted.
            options.extend(self.bounds.rare.then(|| revoke(&CallId(9_999))));
        }
        if self.bounds.gaps > 0 {
            self.offer_gaps(&mut options);
        }
        if self.prices < self.bounds.prices {
            for up_to in [1, u64::MAX] {
                options.push(Input::Intent(Intent::AcceptPrice { up_to }));
            }
        }
        for call in self.tools.keys() {
            options.push(done(*call, Outcome::Ok, "fine"));
            options.push(done(*call, Outcome::Failed, "broken"));
        }
        self.offer_news_of_subagents(&mut options);
        if self.bounds.backgrounds {
            self.offer_backgrounds(&mut options);
        }
        if self.bounds.delegates {
            self.offer_unsent_tasks(&mut options);
            // Of a call that is no delegation nothing may be written; twice, nothing either.
            options.extend(self.tools.keys().map(|call| Input::Tool(*call, ToolNews::Output(named(*call)))));
        }
        options.extend(self.late_tools.iter().map(|call| done(*call, Outcome::Ok, LATE)));
        options.extend(self.timers.keys().map(|timer| Input::Timer(*timer)));
        if self.bounds.mends && self.submits < self.bounds.submits {
            options.push(Input::Intent(Intent::Compact));
        }
        if self.bounds.goals {
            self.offer_goals(&mut options);
        }
        if self.bounds.hooks {
            self.offer_hooks(&mut options);
        }
        if self.switches < self.bounds.switches {
            self.offer_models(&mut options);
        }
        if self.typings < self.bounds.typings {
            self.offer_keys(&mut options);
        }
        if self.bounds.rare {
            self.offer_rare(&mut options);
        }
        options
    }

    /// A command goes on in the background, and ends by itself: before its first result, after it, twice, and of a call that
    /// was cut short.
    fn offer_backgrounds(&self, options: &mut Vec<Input>) {
        for call in self.tools.keys().filter(|call| self.log.backgrounds.is_shell(**call)) {
            options.push(done(*call, Outcome::Ok, &BackgroundStatus::running(call.0, 1).line()));
        }
        if self.stops < self.bounds.stops {
            let stop = |id: &String| Input::Intent(Intent::StopBackground(id.clone()));
            options.extend(self.log.backgrounds.running().map(stop));
            // This one never was.
            options.extend(self.bounds.rare.then(|| stop(&"b9999".to_owned())));
        }
        let begun = self.log.backgrounds.shells();
        options.extend(begun.map(|call| {
            Input::Tool(call, ToolNews::Ended(BackgroundStatus::ended(call.0, "exit code 3", 2)))
        }));
    }

    /// What stands on the terminals of calls that run. Keys for each call that is somewhere on its way, and for the first one, whether it was, is, or is over.
    fn offer_keys(&self, options: &mut Vec<Input>) {
        let screen = || Shown::Screen(Screen { rows: vec![Row::from("name? ")], ..Screen::default() });
        options.extend(self.tools.keys().map(|c| Input::Tool(*c, ToolNews::Output(screen()))));
        let mut calls = BTreeSet::from([CallId(1)]);
        calls.extend(self.tools.keys().chain(&self.preparations).chain(self.log.asked.keys()));
        let typed = || Typed(b"yes\r".to_vec());
        options
            .extend(calls.into_iter().map(|call| Input::Intent(Intent::TypeInto { call, typed: typed() })));
    }

    fn offer_stream(&self, message: EntryId, stream: &Stream, options: &mut Vec<Input>) {
        let news = |event| Input::Model(message, ModelNews::Event(event));
        if stream.texts < self.bounds.texts {
            options.push(news(ModelEvent::Text(format!("words of {message}. "))));
        }
        if stream.calls < self.bounds.calls && !stream.unfinished {
            options.push(news(started(stream.calls, "read")));
            options.push(news(started(stream.calls, "write")));
            if self.bounds.discovers {
                options.push(news(started(stream.calls, FROM_ELSEWHERE)));
            }
            if self.bounds.asks {
                options.push(news(started(stream.calls, "ask")));
            }
        }
        let shells = self.bounds.typings > 0 || self.bounds.backgrounds;
        if shells && stream.calls < self.bounds.calls && !stream.unfinished {
            options.push(news(started(stream.calls, "shell")));
        }
        if self.bounds.typings > 0 && stream.unfinished && !stream.has_arguments {
            let text = ON_TERMINAL.to_owned();
            options.push(news(ModelEvent::CallArguments { index: stream.calls - 1, text }));
        }
        if self.bounds.delegates && stream.calls < self.bounds.calls && !stream.unfinished {
            options.push(news(started(stream.calls, DELEGATE)));
        }
        if self.bounds.delegates && stream.unfinished && !stream.has_arguments {
            let text = A_TASK.to_owned();
            options.push(news(ModelEvent::CallArguments { index: stream.calls - 1, text }));
        }
        if stream.unfinished {
            options.push(news(ModelEvent::CallDone { index: stream.calls - 1 }));
        } else {
            options.push(Input::Model(message, ModelNews::Finished));
        }
        let failed = |class| Input::Model(message, ModelNews::Failed(ModelFailure::new(class, "no")));
        options.push(failed(FailureClass::Transient));
        if self.bounds.mends {
            options.push(silence(message));
            options.extend([FailureClass::Quota, FailureClass::Overflow].map(failed));
            options.push(news(ModelEvent::Stop(Stop::Length)));
            if self.bounds.discovers && stream.texts == 0 && stream.calls == 0 {
                options.push(Input::Model(message, ModelNews::ToolsRefused));
            }
        }
        if self.bounds.rare {
            options.push(failed(FailureClass::BadRequest));
            options.push(news(ModelEvent::Thinking("hm ".into())));
            options.push(news(ModelEvent::Stop(Stop::ContextOverflow)));
            // Only now and then: a walk that pauses and searches all the time ends nowhere else.
            if stream.texts == 1 && message.0.is_multiple_of(3) {
                options.push(news(ModelEvent::Hosted(hosted())));
                options.push(news(ModelEvent::Stop(Stop::Pause)));
            }
            if stream.calls < self.bounds.calls {
                options.push(news(started(stream.calls, "no_such_tool")));
            }
            if stream.unfinished {
                let text = "{\"path\": 1".to_owned();
                options.push(news(ModelEvent::CallArguments { index: stream.calls - 1, text }));
            }
        }
    }

    /// Goals of both kinds, and what a model answers to them.
    fn offer_goals(&self, options: &mut Vec<Input>) {
        if self.submits < self.bounds.submits {
            for goal in ["go | check: make test", "go | done: is it so? | checkpoints: 1"] {
                let goal = Box::new(goal::read(goal).unwrap());
                options.push(Input::Intent(Intent::Pursue(goal, "".into())));
            }
            if self.bounds.rare {
                options.push(Input::Intent(Intent::ResumeGoal("and on".into())));
            }
        }
        for (message, stream) in self.models.iter().filter(|(_, stream)| stream.texts < self.bounds.texts) {
            let words: &[&str] =
                if stream.calls == 0 { &["done: yes", "blocked: why?"] } else { &["plan: on"] };
            options.extend(words.iter().map(|words| {
                Input::Model(*message, ModelNews::Event(ModelEvent::Text((*words).to_owned())))
            }));
        }
    }

    /// Another model, the first one again, one of the chain; and an effort.
    fn offer_models(&self, options: &mut Vec<Input>) {
        let names: &[&str] =
            if self.bounds.rare { &["third", "script", "second"] } else { &["third", "script"] };
        let choose = |name: &&str| Input::Intent(Intent::SetModel(Box::new(spec(name, self.bounds))));
        options.extend(names.iter().map(choose));
        if self.bounds.rare {
            options.push(Input::Intent(Intent::SetEffort(Some(Effort::High))));
        }
    }

    fn offer_hooks(&self, options: &mut Vec<Input>) {
        for (hook, point) in &self.hooks {
            let said = |answer: HookAnswer| Input::Hooks(*hook, vec![answer]);
            let silent = HookAnswer { hook: "hear".into(), ..HookAnswer::default() };
            options.push(said(silent.clone()));
            let refuses = HookAnswer {
                decision: Some(HookDecision::Deny),
                reason: Some(format!("no, at {hook:?}")),
                ..silent.clone()
            };
            options.push(said(refuses.clone()));
            options.push(said(HookAnswer { inject: Some("mind the gap".into()), ..silent.clone() }));
            options.push(said(HookAnswer { trouble: Some("it crashed".into()), ..silent.clone() }));
            options.push(said(HookAnswer { prevent: Some("enough".into()), ..refuses }));
            if *point == HookPoint::PreTool {
                options.push(said(HookAnswer {
                    updated_input: Some(Arguments::parse("{\"path\":\"x\"}")),
                    ..silent.clone()
                }));
                options.push(said(HookAnswer {
                    updated_input: Some(Arguments::Unusable("cut".into())),
                    ..silent
                }));
            }
        }
    }

    fn offer_rare(&self, options: &mut Vec<Input>) {
        for (call, request) in &self.log.asked {
            for rule in ["write", "write(*)"] {
                let answer = Answer::Always { rule: rule.to_owned(), scope: Scope::Project };
                options.push(Input::Intent(Intent::Decide { request: *request, call: *call, answer }));
            }
            for answer in [Answer::AllowSession, Answer::AllowSandboxed] {
                options.push(Input::Intent(Intent::Decide { request: *request, call: *call, answer }));
            }
            let stale = EntryId(request.0 + 50_000);
            options.push(Input::Intent(Intent::Decide {
                request: stale,
                call: *call,
                answer: Answer::AllowOnce,
            }));
        }
        for mode in [Mode::Plan, Mode::Ask, Mode::Edit, Mode::Unrestricted] {
            options.push(Input::Intent(Intent::SetMode(mode)));
        }
        let restored = vec!["notes.txt".to_owned()];
        let done = FilesRestored { since: CallId(1), restored, deleted: Vec::new(), left: Vec::new() };
        options.push(Input::Intent(Intent::Restored(done)));
        if self.submits < self.bounds.submits {
            options.push(Input::Intent(Intent::Submit(numbered("steer", self.submits))));
            options.push(Input::Intent(Intent::Queue(numbered("later", self.submits))));
        }
        for call in self.tools.keys() {
            let report = ToolReport {
                outcome: Outcome::TimedOut,
                content: "slow".into(),
                written: None,
                cut_chars: 0,
                facts: Facts::default(),
                images: vec![],
                transient: true,
                refused: false,
                remote: None,
                is_unsent: false,
            };
            options.push(Input::Tool(*call, ToolNews::Done(Box::new(report))));
        }
        for (limit, to) in
            [(Limit::Turns, 9), (Limit::WallTime, 600), (Limit::ToolCalls, 20), (Limit::Tokens, 90)]
        {
            options.push(Input::Intent(Intent::Raise { limit, to }));
        }
        options.extend(self.tools.keys().map(|c| Input::Tool(*c, ToolNews::Output("more".into()))));
        if self.now > 200_000 {
            options.push(Input::Shutdown(Shutdown::Quit));
            options.push(Input::Shutdown(Shutdown::Signal));
        }
    }
}

/// A search that the provider has begun.
fn hosted() -> Hosted {
    let text = str::to_owned;
    Hosted { kind: text("server_tool_use"), name: text("web_search"), id: text("srv"), value: Value::Null }
}

pub(crate) fn started(index: u32, name: &str) -> ModelEvent {
    ModelEvent::CallStarted { index, wire_id: "same".into(), name: name.into() }
}

/// What an agent calls the task of a call.
fn named(call: CallId) -> Shown {
    Shown::Task(format!("task of {call}"))
}

pub(crate) fn done(call: CallId, outcome: Outcome, content: &str) -> Input {
    let is_status = content.ends_with(']');
    let facts = if is_status { legacy_facts::facts("shell", &outcome, content) } else { Facts::default() };
    Input::Tool(
        call,
        ToolNews::Done(Box::new(ToolReport {
            outcome,
            content: content.into(),
            written: None,
            cut_chars: 0,
            facts,
            images: vec![],
            transient: false,
            refused: false,
            remote: None,
            is_unsent: false,
        })),
    )
}
