//! `!command`: the user runs a command as their own, between two runs of the model.
//!
//! What a custom command runs is the same, except that somebody else has written it: it passes the gate.
//!
//! It is a run of its own: the words that were typed, the call, the user's decision, its result, the end. A model is told of
//! it in a message, with the next one of the user, unless they left it out.

use crate::ledger::{
    Arguments, Body, CallId, Decider, Decision, Ending, Entry, Injected, Injector, Millis, Outcome, Remark,
    Tombstone, tombstoned,
};
use crate::tool::ToolKind;
use crate::tool::name::ADOPT;
use serde_json::Value;

use super::phase::{CallState, Dispatching, Pending, Permission, Phase};
use super::step::Step;
use super::{Agent, Live, OwnCommand};

/// How long a command of the user may take: they wait for it, and can stop it.
pub(super) const OWN_COMMAND_MS: u64 = 3_600_000;

impl Agent {
    /// Runs it, if nothing else is under way. Where the user has typed it, no rule is asked: that is the decision.
    pub(super) fn run_own_command(&mut self, step: &mut Step, phase: Phase, own: OwnCommand) -> Phase {
        let runner = self.tools.registry.tools().iter().find(|tool| tool.kind == ToolKind::Shell);
        let refusal = match runner {
            _ if own.command.is_empty() => Some("not run: type a command after the !"),
            _ if !matches!(phase, Phase::Idle) => {
                Some("not run: a turn is running; wait until it has finished, or interrupt it first")
            }
            None => Some("not run: no tool runs commands here"),
            Some(_) => None,
        };
        let (Some(tool), None) = (runner, refusal) else {
            Self::not_obeyed(step, own.said(), refusal.unwrap_or_default().to_owned());
            return phase;
        };
        let (name, effect) = (tool.name.clone(), tool.effect);
        self.take_the_chosen(step);
        if let Err(unsettled) = self.write_message(step.now, own.said()) {
            return self.give_up(step, &unsettled);
        }
        if let (false, Some(target)) = (own.is_shared, self.history.ledger.last_id()) {
            let reason = "the user keeps this command out of the context".to_owned();
            self.history.ledger.remark(step.now, Remark::Tombstone(Tombstone { target, reason }));
        }
        let is_typed = own.typed.is_none();
        let command = ("command".to_owned(), Value::String(own.command));
        let arguments = Arguments::Object([command].into_iter().collect());
        let (call, token) = match self.history.ledger.command(step.now, &name, arguments) {
            Ok(made) => made,
            Err(unsettled) => return self.give_up(step, &unsettled),
        };
        self.inbox.needs_success = own.must_succeed.then_some(call.id);
        let pending = if is_typed {
            let decision = Decision::permission(call.id, Decider::User, "the user typed it");
            let receipt = Some(self.receive(step.now, &call, decision));
            let state = CallState::Ready(Permission::Recorded);
            Pending { receipt, ..Pending::new(call, token, effect, state) }
        } else {
            let state = self.examine(step, &call);
            Pending::new(call, token, effect, state)
        };
        self.advance(step, Dispatching::of([pending].into_iter().collect()))
    }

    /// The command is settled. What was to be said with its output is not said without it.
    pub(super) fn on_own_command(&mut self, step: &mut Step) -> Phase {
        let needs = self.inbox.needs_success.take();
        let result = self.history.last_result().filter(|result| Some(result.call) == needs);
        let has_failed = result.is_some_and(|result| result.outcome != Outcome::Ok);
        let is_waited_for = !self.inbox.queued.is_empty();
        if has_failed || self.history.own_command_was_denied() {
            self.give_back(step);
        }
        if has_failed && is_waited_for {
            step.emit(Live::Refused(
                "not sent: the command before it failed; its output says why".to_owned(),
            ));
        }
        self.end(step, Ending::Completed)
    }

    /// The message that tells the model of the command, once it has its result; whatever that is.
    pub(super) fn tell_own_command(&mut self, now: Millis) {
        let Some(text) = self.history.own_command_in_words() else { return };
        let said = self.history.ledger.inject(now, Injected::text(Injector::Command, text));
        debug_assert!(said.is_ok(), "the run of a command ends when the command is settled");
    }
}

impl super::history::History {
    /// Whether the command that is this run was not allowed.
    pub(super) fn own_command_was_denied(&self) -> bool {
        let is_denied =
            |body: &Body| matches!(body, Body::ToolResult(r) if matches!(r.outcome, Outcome::Denied(_)));
        self.run().iter().any(|entry| is_denied(&entry.body))
    }

    /// What a model is told of the command that is this run, if it is to be told.
    fn own_command_in_words(&self) -> Option<String> {
        let run = self.run();
        let made = run
            .iter()
            .find_map(|entry| if let Body::Command(call) = &entry.body { Some(call) } else { None })?;
        let call = made.id;
        let said = run.first()?;
        let is_told = |body: &Body| matches!(body, Body::Injected(said) if said.by == Injector::Command);
        // The process may have ended between that message and the end of the run.
        if tombstoned(run).contains(&said.id) || run.iter().any(|entry| is_told(&entry.body)) {
            return None;
        }
        let result = run.iter().find_map(|entry| {
            let Body::ToolResult(result) = &entry.body else { return None };
            (result.call == call).then_some(result)
        })?;
        let how = match result.outcome {
            Outcome::Ok => "It succeeded.",
            Outcome::Failed => "It failed.",
            Outcome::TimedOut => "It timed out.",
            Outcome::Aborted(_) => "The user interrupted it.",
            Outcome::Denied(_) => "It was not allowed, and did not run.",
            Outcome::Lost { .. } | Outcome::Invalid | Outcome::UnknownTool => "How it ended is not known.",
        };
        let (what, follows) = if made.name == ADOPT {
            (adopted(&made.arguments), "What came of it")
        } else {
            (self.command_in_words(call, said)?, "Its output")
        };
        Some(format!("{what}\n{how} {follows}:\n{}", result.content))
    }

    /// Whose command it is, and which.
    fn command_in_words(&self, call: CallId, said: &Entry) -> Option<String> {
        // What was changed in its pane is what ran.
        let command = self.run().iter().rev().find_map(|entry| {
            let made = if let Body::Command(made) = &entry.body { Some(made) } else { None };
            let made = made.map(|made| (made.id, made.arguments.clone()));
            let (of, arguments) = made.or_else(|| entry.body.changes())?;
            arguments.text("command").filter(|_| of == call).map(str::to_owned)
        })?;
        let is_custom = matches!(&said.body, Body::User(message) if message.content.starts_with('/'));
        let whose = if is_custom {
            "The custom command of the user runs this"
        } else {
            "The user ran this command in their own shell"
        };
        Some(format!("{whose}: {command}"))
    }
}

/// What the user took into the folder.
fn adopted(arguments: &Arguments) -> String {
    let lane = match arguments {
        Arguments::Object(members) => members.get("lane").and_then(Value::as_u64).unwrap_or_default(),
        Arguments::Unusable(_) => 0,
    };
    format!("The user took what lane {lane} of the race made into the folder.")
}

#[cfg(test)]
mod tests {
    use crate::agent::{Agent, Answer, Effect, Input, Intent, Live, OwnCommand, Settings};
    use crate::ledger::{
        Arguments, Body, CallId, Decider, EntryId, Injector, Message, Millis, ModelRef, Outcome,
    };
    use crate::model::ModelSpec;
    use crate::tool::{Preparation, SideEffect, ToolKind, ToolNews, ToolReport, ToolSpec};

    fn agent(kind: ToolKind) -> Agent {
        let mut shell = ToolSpec::from_elsewhere("shell");
        (shell.kind, shell.effect, shell.schema) = (kind, SideEffect::Runs, serde_json::json!({}));
        let spec = ModelSpec::unknown(ModelRef::parse("script"));
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
        assert!(
            entries.iter().any(|entry| matches!(&entry.body, Body::ToolResult(r) if r.content == "private"))
        );
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
            let own = OwnCommand { must_succeed: true, ..OwnCommand::read("!git diff").unwrap() };
            agent.step(Millis(1), Input::Intent(Intent::Command(own)));
            agent.step(Millis(1), Input::Intent(Intent::Queue("review it".into())));
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
        let typed = Some("/tidy now".into());
        let own = OwnCommand { command: "rm x".to_owned(), is_shared: true, typed, must_succeed: false };
        let wanted = agent.step(Millis(1), Input::Intent(Intent::Command(own)));
        assert!(
            wanted.iter().any(|effect| matches!(effect, Effect::Prepare(_))),
            "it is looked at: {wanted:?}"
        );
        let wanted = agent.step(Millis(1), Input::Prepared(CallId(1), Preparation::default()));
        let asked = agent.ledger().entries().last().unwrap().clone();
        assert!(matches!(asked.body, Body::ApprovalRequested(_)), "{asked:?}");
        agent.step(Millis(1), Input::Intent(Intent::Queue("tidy up".into())));
        (wanted, asked.id)
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
}
