//! `!command`: the user runs a command as their own, between two runs of the model.
//!
//! What a custom command runs is the same, except that somebody else has written it: it passes the gate.
//!
//! It is a run of its own: the words that were typed, the call, the user's decision, its result, the end. A model is told of
//! it in a message, with the next one of the user, unless they left it out.

use crate::ledger::{
    Arguments, Body, CallId, Decider, Decision, Ending, Entry, Injected, Injector, Millis, Outcome, Remark,
    Tombstone, UserMessage, tombstoned,
};
use crate::tool::ToolKind;
use crate::tool::name::ADOPT;
use serde_json::Value;

use super::phase::{CallState, Dispatching, Pending, Permission, Phase};
use super::step::Step;
use super::{Agent, Intent, Live, OwnCommand};

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
            Self::not_run(step, own, refusal.unwrap_or_default().to_owned());
            return phase;
        };
        let (name, effect) = (tool.name.clone(), tool.effect);
        self.take_the_chosen(step);
        // Nobody is asked about a command whose output nothing could be said of.
        let first = &self.models.first;
        let refused =
            |said: &UserMessage| first.refusal_of(&said.images).or_else(|| self.no_room_for(first, said));
        if let Some((what, next)) = own.then.as_deref().and_then(refused) {
            Self::not_run(step, own, format!("{what}: {next}"));
            return phase;
        }
        let said = own.said();
        if let Some(then) = own.then {
            self.queue_behind(step, *then);
        }
        if let Err(unsettled) = self.write_message(step.now, said) {
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

    /// It is refused, and comes back with what was to be said after it.
    fn not_run(step: &mut Step, own: OwnCommand, why: String) {
        Intent::Command(own).given_back().into_iter().for_each(|back| step.emit(back));
        step.emit(Live::Refused(why));
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
#[path = "own_command_tests.rs"]
mod tests;
