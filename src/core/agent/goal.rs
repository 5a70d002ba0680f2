//! Goal mode: a run that goes on until its done condition holds, with a checkpoint every few turns.
//!
//! At a checkpoint six questions are asked. Evidence answers before opinion: where there is a validation command it
//! runs first, through the gate like every call, and its exit code alone can say that the goal is reached.

use std::sync::Arc;

use serde_json::Value;

use crate::budget::Limit;
use crate::goal::{self, KnownFacts, Validated, read_reply, words};
use crate::ledger::{
    Arguments, Body, Decider, Ending, Entry, Goal, Injected, Injector, Millis, Outcome, Pastes, Progress,
    Remark, ToolResult, Transition, UserMessage, Validation,
};
use crate::tool::name::SHELL;
use crate::tool::{ToolKind, bound};

use super::phase::{Dispatching, Pending, Phase};
use super::step::Step;
use super::{Agent, Live};

/// Checkpoints in a row without a call that worked, after which the run ends (the threshold of repeated failures).
const MOST_IDLE_CHECKS: u32 = 3;
/// Characters of a validation command's output that a checkpoint shows.
const EVIDENCE_CHARS: usize = 2_000;
/// What can be done after the run of a sub-agent: its session takes no message any more.
const OVER_BELOW: &str = "This sub-agent is not taken up again. The session that started it says where its changes are, and can \
    give the task again.";

impl Agent {
    /// Begins a goal's run.
    pub(super) fn pursue(&mut self, step: &mut Step, phase: Phase, goal: Goal, added: UserMessage) -> Phase {
        if !matches!(phase, Phase::Idle) {
            return refuse(
                step,
                phase,
                "A turn is running: set the goal when it has finished, or press Esc first.",
            );
        }
        self.models.auto_compaction_failed = false;
        let text = words::wish(&goal, &added.content);
        let said = UserMessage { content: text.clone(), pastes: Pastes::default(), ..added };
        if let Some((what, next)) = self.no_room_for(&self.models.first, &said) {
            // Whoever gave it waits to hear that it came back; a line that was typed comes back by itself.
            step.emit(Live::Returned(Vec::new()));
            return refuse(step, phase, &format!("{what}: {next}"));
        }
        let brief = Injected::text(Injector::GoalCheck, words::brief(&goal));
        let written = self.write_message(step.now, said).and_then(|()| {
            self.history.ledger.remark(step.now, Remark::Goal(goal));
            self.history.ledger.inject(step.now, brief)
        });
        match written {
            Ok(_) => self.before_the_model(step, text),
            Err(unsettled) => self.give_up(step, &unsettled),
        }
    }

    /// Takes up the last goal where its run stopped: with the plan and the progress of its checkpoints.
    pub(super) fn resume_goal(&mut self, step: &mut Step, phase: Phase, added: UserMessage) -> Phase {
        match self.history.open_goal() {
            Some(goal) => self.pursue(step, phase, goal, added),
            None => refuse(step, phase, "There is no goal to resume: set one with /goal."),
        }
    }

    /// Whether the turn that has just ended is the last before a checkpoint.
    pub(super) fn checkpoint_is_due(&mut self) -> bool {
        let every = self.history.goal().map(|goal| goal.checkpoints);
        every.is_some_and(|every| self.history.guards().turns_since_check >= every)
    }

    /// A checkpoint: the validation command first, if there is one.
    pub(super) fn check_goal(&mut self, step: &mut Step) -> Phase {
        let Some(goal) = self.history.goal() else {
            return self.bug(step, "a checkpoint is due without a goal");
        };
        match goal.validation_method.clone() {
            Validation::Question => self.ask_goal_questions(step, None),
            Validation::Command(command) => self.run_validation(step, command),
        }
    }

    fn run_validation(&mut self, step: &mut Step, command: String) -> Phase {
        let runner = self.tools.registry.tools().iter().find(|tool| tool.kind == ToolKind::Shell);
        let Some((runner, effect)) = runner.map(|tool| (tool.name.clone(), tool.effect)) else {
            let text = format!("the validation command needs the tool {SHELL}, which is not there");
            self.note(step.now, text);
            return self.end(step, Ending::ToolUnavailable);
        };
        let arguments =
            Arguments::Object([("command".to_owned(), Value::String(command))].into_iter().collect());
        let (call, token) = match self.history.ledger.validate(step.now, &runner, arguments) {
            Ok(made) => made,
            Err(unsettled) => return self.give_up(step, &unsettled),
        };
        let state = self.examine(step, &call);
        let calls = [Pending::new(call, token, effect, state)].into_iter().collect();
        self.advance(step, Dispatching::of(calls))
    }

    /// The validation command is over.
    pub(super) fn on_evidence(&mut self, step: &mut Step) -> Phase {
        let Some(result) = self.history.last_result() else {
            return self.bug(step, "the check of a goal has no result");
        };
        let seen = |holds| {
            let output = bound(&result.content, EVIDENCE_CHARS).text;
            Some(Validated { holds, output })
        };
        match result.outcome {
            Outcome::Ok => {
                self.write_checkpoint(step.now, seen(true));
                self.conclude(step, Ending::GoalReached)
            }
            Outcome::Failed | Outcome::TimedOut | Outcome::Aborted(_) | Outcome::Lost { .. } => {
                self.ask_goal_questions(step, seen(false))
            }
            // Without its proof the goal cannot be reached; to ask the model instead would prove nothing.
            Outcome::Denied(Decider::User) => self.end(step, Ending::BlockedOnUser),
            Outcome::Denied(_) if self.history.was_asked(result.call) => {
                self.end(step, Ending::ApprovalRequired)
            }
            Outcome::Denied(_) => self.end(step, Ending::PolicyDenied),
            Outcome::Invalid | Outcome::UnknownTool => self.end(step, Ending::ToolUnavailable),
        }
    }

    /// The model was asked and has answered without a tool call: the goal is reached, blocked, or checked again.
    pub(super) fn on_goal_words(&mut self, step: &mut Step) -> Phase {
        let asks = self.history.goal().is_some_and(|goal| goal.validation_method == Validation::Question);
        let said = read_reply(self.history.guards().checkpoints, &self.history.last_text());
        if self.history.guards().asked || said.blocked.is_some() {
            self.write_progress(step.now);
            if asks && said.done == Some(true) {
                return self.conclude(step, Ending::GoalReached);
            }
        }
        if said.blocked.is_some() || said.objective_valid == Some(false) {
            return self.end(step, Ending::BlockedOnUser);
        }
        if self.history.guards().idle_checks >= MOST_IDLE_CHECKS {
            return self.end(step, Ending::RepeatedFailures);
        }
        self.check_goal(step)
    }

    /// Keeps what the model answered at a checkpoint, if a goal is pursued.
    pub(super) fn write_progress(&mut self, now: Millis) {
        if self.history.goal().is_none() {
            return;
        }
        let checkpoint = self.history.guards().checkpoints;
        let said = read_reply(checkpoint, &self.history.last_text());
        if said != (Progress { checkpoint, ..Progress::default() }) {
            self.history.ledger.remark(now, Remark::Progress(said));
        }
    }

    fn ask_goal_questions(&mut self, step: &mut Step, seen: Option<Validated>) -> Phase {
        let Some(text) = self.write_checkpoint(step.now, seen) else {
            return self.bug(step, "a checkpoint is due without a goal");
        };
        match self.history.ledger.inject(step.now, Injected::text(Injector::GoalCheck, text)) {
            Ok(_) => self.call_model(step, Transition::GoalCheck, 0),
            Err(unsettled) => self.give_up(step, &unsettled),
        }
    }

    /// Writes the six questions down; returns them as the model reads them.
    fn write_checkpoint(&mut self, now: Millis, validated: Option<Validated>) -> Option<String> {
        let goal = self.history.goal()?.clone();
        let facts = KnownFacts {
            validated,
            done_since: self.history.done_since_checkpoint(),
            budgets: self.budgets_in_words(now),
            approvals: self.approvals_in_words(),
            context: self.context_in_words(),
        };
        let number = self.history.guards().checkpoints + 1;
        let checkpoint = goal::checkpoint(number, &goal, &facts);
        let text = words::ask(&goal, &checkpoint);
        self.history.ledger.remark(now, Remark::Checkpoint(checkpoint));
        Some(text)
    }

    fn budgets_in_words(&mut self, now: Millis) -> String {
        let meter = self.history.meter();
        let used: Vec<String> = Limit::forbidding()
            .filter_map(|limit| {
                let most = meter.limits().get(limit)?;
                Some(format!("{} {} of {most}", limit.name(), meter.used(limit, now)))
            })
            .collect();
        let within = if meter.exhausted(now).is_none() { "yes" } else { "no" };
        if used.is_empty() {
            format!("{within}: no limit is set")
        } else {
            format!("{within}: {}", used.join(", "))
        }
    }

    fn approvals_in_words(&self) -> String {
        let denied = self.history.denials();
        let mode = self.policy.mode;
        format!("each action is decided when it is called (mode {mode}); {denied} denied so far in this run")
    }

    fn context_in_words(&mut self) -> String {
        let window = self.window();
        let Ok(request) = self.request(None) else { return "unknown".to_owned() };
        let size = self.measure(&request);
        let due = if self.compaction_is_due(&request) { "yes, the context is compacted next" } else { "no" };
        format!("{due}: about {size} of {window} tokens")
    }

    /// The note for whoever takes over: written with every ending of a goal's run but the one that was wanted.
    pub(super) fn hand_off(&mut self, now: Millis, reason: Ending) {
        let Some(goal) = self.history.goal().cloned() else { return };
        if reason == Ending::GoalReached {
            return;
        }
        let next = if self.settings.path.is_empty() {
            format!("{} `/goal resume` resumes the goal.", self.history.next_safe_action(reason))
        } else {
            OVER_BELOW.to_owned()
        };
        let evidence = self.history.last_evidence();
        let text = words::handoff(&goal, reason.words(), &self.history.progress(), &evidence, &next);
        self.history.ledger.remark(now, Remark::Handoff { text });
    }
}

fn refuse(step: &mut Step, phase: Phase, why: &str) -> Phase {
    step.emit(Live::Refused(why.to_owned()));
    phase
}

impl super::history::History {
    /// The goal that the current run pursues.
    pub(super) fn goal(&self) -> Option<&Goal> {
        self.run().iter().rev().find_map(|e| if let Body::Goal(goal) = &e.body { Some(goal) } else { None })
    }

    /// The last goal of the session that was not reached, with what its checkpoints have added to it.
    fn open_goal(&self) -> Option<Goal> {
        let entries = self.ledger.entries();
        let at = entries.iter().rposition(|e| matches!(e.body, Body::Goal(_)))?;
        let since = entries.get(at..)?;
        let reached =
            |e: &Arc<Entry>| matches!(&e.body, Body::TurnEnded(end) if end.reason == Ending::GoalReached);
        let Body::Goal(goal) = &entries.get(at)?.body else { return None };
        if since.iter().any(reached) {
            return None;
        }
        let mut goal = goal.clone();
        for said in since.iter().filter_map(|e| if let Body::Progress(p) = &e.body { Some(p) } else { None })
        {
            if !said.plan.is_empty() {
                goal.current_plan.clone_from(&said.plan);
            }
            goal.progress_log.extend(Some(said.progress.clone()).filter(|p| !p.is_empty()));
        }
        Some(goal)
    }

    /// What the model answered at the checkpoints of the run.
    fn progress(&self) -> Vec<Progress> {
        let said = |e: &Arc<Entry>| if let Body::Progress(p) = &e.body { Some(p.clone()) } else { None };
        self.run().iter().filter_map(said).collect()
    }

    pub(super) fn last_result(&self) -> Option<Arc<ToolResult>> {
        let result =
            |e: &Arc<Entry>| if let Body::ToolResult(r) = &e.body { Some(Arc::clone(r)) } else { None };
        self.run().iter().rev().find_map(result)
    }

    /// What the last checkpoint saw: the answer to its second question.
    fn last_evidence(&self) -> String {
        let seen = |e: &Arc<Entry>| {
            let Body::Checkpoint(made) = &e.body else { return None };
            made.evidence().and_then(|asked| asked.answer.clone())
        };
        self.run().iter().rev().find_map(seen).unwrap_or_default()
    }

    /// The calls since the last checkpoint, by tool and outcome: what the ledger can prove.
    fn done_since_checkpoint(&self) -> String {
        let run = self.run();
        let start = run.iter().rposition(|e| matches!(e.body, Body::Checkpoint(_))).unwrap_or(0);
        let since = run.get(start..).unwrap_or_default();
        let ours: Vec<_> = since
            .iter()
            .filter_map(|e| if let Body::Validation(u) = &e.body { Some(u.id) } else { None })
            .collect();
        let mut worked: Vec<&str> = Vec::new();
        let mut failed = 0_usize;
        for entry in since {
            if let Body::ToolResult(r) = &entry.body
                && !ours.contains(&r.call)
            {
                if r.outcome == Outcome::Ok { worked.push(&r.name) } else { failed += 1 }
            }
        }
        if worked.is_empty() && failed == 0 {
            return "no tool has been called since the last checkpoint".to_owned();
        }
        let calls = if worked.len() == 1 { "call" } else { "calls" };
        if worked.is_empty() {
            return format!("no call succeeded, {failed} failed");
        }
        format!("{} {calls} worked ({}), {failed} failed", worked.len(), worked.join(", "))
    }

    fn denials(&self) -> usize {
        let denied = |e: &&Arc<Entry>| matches!(&e.body, Body::ApprovalDecided(d) if !d.allow);
        self.run().iter().filter(denied).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::{Effect, Input, Intent, Settings, SubagentPath};
    use crate::goal::Draft;
    use crate::ledger::{CallId, ModelRef};
    use crate::model::ModelSpec;

    /// A lane waits for the task to come back; a refusal by itself may be of something else.
    #[test]
    fn a_goal_that_does_not_fit_comes_back_and_says_why() {
        let spec = ModelSpec { window: 600, ..ModelSpec::unknown(ModelRef::parse("near/small")) };
        let mut agent = Agent::new(Settings::new(spec));
        let objective = "Make the parser accept empty input. ".repeat(80);
        let draft = Draft { objective, command: "make test".to_owned(), ..Draft::default() };
        let goal = draft.settle().unwrap();
        let pursue = Intent::Pursue(Box::new(goal), UserMessage::text(""));
        let effects = agent.step(Millis(1), Input::Intent(pursue));
        let [Effect::Emit(Live::Returned(_)), Effect::Emit(Live::Refused(why)), ..] = &effects[..] else {
            panic!("{effects:?}")
        };
        assert!(
            why.contains("near/small") && agent.is_idle() && agent.ledger().entries().is_empty(),
            "{why}"
        );
    }

    #[test]
    fn only_a_session_that_can_be_gone_on_with_offers_that() {
        for (path, is_offered) in [(SubagentPath::new(), true), (vec![CallId(1)], false)] {
            let spec = ModelSpec::unknown(ModelRef::parse("script"));
            let mut agent = Agent::new(Settings { path, ..Settings::new(spec) });
            let draft =
                Draft { objective: "Make the parser accept empty input".to_owned(), ..Draft::default() };
            let goal = Draft { command: "make test".to_owned(), ..draft }.settle().unwrap();
            let pursue = Intent::Pursue(Box::new(goal), UserMessage::text(""));
            agent.step(Millis(1), Input::Intent(pursue));
            agent.step(Millis(2), Input::Intent(Intent::Abort));
            assert!(agent.is_idle());
            let handed = agent.ledger().entries().iter().find_map(|entry| {
                if let Body::Handoff { text } = &entry.body { Some(text.clone()) } else { None }
            });
            let handed = handed.unwrap();
            assert_eq!(handed.contains("`/goal resume` resumes the goal."), is_offered, "{handed}");
            assert_eq!(handed.ends_with("can give the task again."), !is_offered, "{handed}");
        }
    }
}
