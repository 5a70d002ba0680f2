//! Goal mode: a run that goes on until its done condition holds, with a checkpoint every few turns.
//!
//! At a checkpoint six questions are asked. Evidence answers before opinion: where there is a validation command it
//! runs first, through the gate like every call, and its exit code alone can say that the goal is reached.

use std::sync::Arc;

use serde_json::Value;

use crate::budget::Limit;
use crate::goal::{self, Facts, Validated, read_reply, words};
use crate::ledger::{
    Arguments, Body, Decider, Ending, Entry, Goal, Injected, Injector, Millis, Outcome, Progress, Remark,
    ToolResult, Transition, UserMessage, Validation,
};
use crate::tool::{SideEffect, bound};

use super::phase::{Dispatching, Pending, Phase};
use super::{Agent, Effect, Live};

/// The tool that runs validation commands.
const RUNNER: &str = "shell";
/// Checkpoints in a row without a call that worked, after which the run ends (seed 3: repeated failure threshold).
const MOST_IDLE_CHECKS: u32 = 3;
/// Characters of a validation command's output that a checkpoint shows.
const EVIDENCE_CHARS: usize = 2_000;

impl Agent {
    /// Begins a goal's run.
    pub(super) fn pursue(
        &mut self,
        now: Millis,
        phase: Phase,
        goal: Goal,
        added: UserMessage,
        out: &mut Vec<Effect>,
    ) -> Phase {
        if !matches!(phase, Phase::Idle) {
            return refuse(
                phase,
                "A turn is running: set the goal when it is over, or press Esc first.",
                out,
            );
        }
        self.auto_compaction_failed = false;
        let text = words::wish(&goal, &added.content);
        let said = UserMessage { content: text.clone(), images: added.images };
        let brief = Injected::text(Injector::GoalCheck, words::brief(&goal));
        let written = self.write_message(now, said).and_then(|()| {
            self.books.ledger.remark(now, Remark::Goal(goal));
            self.books.ledger.inject(now, brief)
        });
        match written {
            Ok(_) => self.before_the_model(now, text, out),
            Err(unsettled) => self.give_up(now, &unsettled, out),
        }
    }

    /// Takes up the last goal where its run stopped: with the plan and the progress of its checkpoints.
    pub(super) fn resume_goal(
        &mut self,
        now: Millis,
        phase: Phase,
        added: UserMessage,
        out: &mut Vec<Effect>,
    ) -> Phase {
        match self.books.open_goal() {
            Some(goal) => self.pursue(now, phase, goal, added, out),
            None => refuse(phase, "There is no goal to take up: set one with /goal.", out),
        }
    }

    /// Whether the turn that has just ended is the last before a checkpoint.
    pub(super) fn checkpoint_is_due(&mut self) -> bool {
        let every = self.books.goal().map(|goal| goal.checkpoints);
        every.is_some_and(|every| self.books.guards().turns_since_check >= every)
    }

    /// A checkpoint: the validation command first, if there is one.
    pub(super) fn check_goal(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        let Some(goal) = self.books.goal() else { return self.call_model(now, Transition::NextTurn, 0, out) };
        match goal.validation_method.clone() {
            Validation::Question => self.ask_goal_questions(now, None, out),
            Validation::Command(command) => self.run_validation(now, command, out),
        }
    }

    fn run_validation(&mut self, now: Millis, command: String, out: &mut Vec<Effect>) -> Phase {
        if self.registry.get(RUNNER).is_none() {
            self.note(now, format!("the validation command needs the tool {RUNNER}, which is not there"));
            return self.end(now, Ending::ToolUnavailable, out);
        }
        let arguments =
            Arguments::Object([("command".to_owned(), Value::String(command))].into_iter().collect());
        let (call, token) = match self.books.ledger.validate(now, RUNNER, arguments) {
            Ok(made) => made,
            Err(unsettled) => return self.give_up(now, &unsettled, out),
        };
        let state = self.examine(&call, out);
        let effect = self.registry.get(RUNNER).map_or(SideEffect::Runs, |t| t.effect);
        let calls = [Pending::new(call, token, effect, state)].into_iter().collect();
        self.advance(now, Dispatching::of(calls), out)
    }

    /// The validation command is over.
    pub(super) fn on_evidence(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        let Some(result) = self.books.last_result() else {
            return self.end(now, Ending::ToolUnavailable, out);
        };
        let seen = |holds| {
            let output = bound(&result.content, EVIDENCE_CHARS).text;
            Some(Validated { holds, output })
        };
        match result.outcome {
            Outcome::Ok => {
                self.write_checkpoint(now, seen(true));
                self.conclude(now, Ending::GoalReached, out)
            }
            Outcome::Failed | Outcome::TimedOut | Outcome::Aborted(_) | Outcome::Lost { .. } => {
                self.ask_goal_questions(now, seen(false), out)
            }
            // Without its proof the goal cannot be reached; to ask the model instead would prove nothing.
            Outcome::Denied(Decider::User) => self.end(now, Ending::BlockedOnUser, out),
            Outcome::Denied(_) if self.books.was_asked(result.call) => {
                self.end(now, Ending::ApprovalRequired, out)
            }
            Outcome::Denied(_) => self.end(now, Ending::PolicyDenied, out),
            Outcome::Invalid | Outcome::UnknownTool => self.end(now, Ending::ToolUnavailable, out),
        }
    }

    /// The model was asked and has answered without a tool call: the goal is reached, blocked, or checked again.
    pub(super) fn on_goal_words(&mut self, now: Millis, out: &mut Vec<Effect>) -> Phase {
        let asks = self.books.goal().is_some_and(|goal| goal.validation_method == Validation::Question);
        let said = read_reply(self.books.guards().checkpoints, &self.books.last_text());
        if self.books.guards().asked || said.blocked.is_some() {
            self.write_progress(now);
            if asks && said.done == Some(true) {
                return self.conclude(now, Ending::GoalReached, out);
            }
        }
        if said.blocked.is_some() || said.objective_valid == Some(false) {
            return self.end(now, Ending::BlockedOnUser, out);
        }
        if self.books.guards().idle_checks >= MOST_IDLE_CHECKS {
            return self.end(now, Ending::RepeatedFailures, out);
        }
        self.check_goal(now, out)
    }

    /// Keeps what the model answered at a checkpoint, if a goal is pursued.
    pub(super) fn write_progress(&mut self, now: Millis) {
        if self.books.goal().is_none() {
            return;
        }
        let checkpoint = self.books.guards().checkpoints;
        let said = read_reply(checkpoint, &self.books.last_text());
        if said != (Progress { checkpoint, ..Progress::default() }) {
            self.books.ledger.remark(now, Remark::Progress(said));
        }
    }

    fn ask_goal_questions(&mut self, now: Millis, seen: Option<Validated>, out: &mut Vec<Effect>) -> Phase {
        let Some(text) = self.write_checkpoint(now, seen) else {
            return self.call_model(now, Transition::NextTurn, 0, out);
        };
        match self.books.ledger.inject(now, Injected::text(Injector::GoalCheck, text)) {
            Ok(_) => self.call_model(now, Transition::GoalCheck, 0, out),
            Err(unsettled) => self.give_up(now, &unsettled, out),
        }
    }

    /// Writes the six questions down; returns them as the model reads them.
    fn write_checkpoint(&mut self, now: Millis, validated: Option<Validated>) -> Option<String> {
        let goal = self.books.goal()?.clone();
        let facts = Facts {
            validated,
            done_since: self.books.done_since_checkpoint(),
            budgets: self.budgets_in_words(now),
            approvals: self.approvals_in_words(),
            context: self.context_in_words(),
        };
        let number = self.books.guards().checkpoints + 1;
        let checkpoint = goal::checkpoint(number, &goal, &facts);
        let text = words::ask(&goal, &checkpoint);
        self.books.ledger.remark(now, Remark::Checkpoint(checkpoint));
        Some(text)
    }

    fn budgets_in_words(&mut self, now: Millis) -> String {
        let meter = self.books.meter();
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
        let denied = self.books.denials();
        let mode = self.settings.policy.mode;
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
        let Some(goal) = self.books.goal().cloned() else { return };
        if reason == Ending::GoalReached {
            return;
        }
        let next = format!("{} `/goal resume` takes the goal up again.", self.books.next_safe_action(reason));
        let evidence = self.books.last_evidence();
        let text = words::handoff(&goal, reason.as_str(), &self.books.progress(), &evidence, &next);
        self.books.ledger.remark(now, Remark::Handoff { text });
    }
}

fn refuse(phase: Phase, why: &str, out: &mut Vec<Effect>) -> Phase {
    out.push(Effect::Emit(Live::Refused(why.to_owned())));
    phase
}

impl super::books::Books {
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

    fn last_result(&self) -> Option<Arc<ToolResult>> {
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
            return "no tool was called since the last checkpoint".to_owned();
        }
        let calls = if worked.len() == 1 { "call" } else { "calls" };
        if worked.is_empty() {
            return format!("no call worked, {failed} did not");
        }
        format!("{} {calls} worked ({}), {failed} did not", worked.len(), worked.join(", "))
    }

    fn denials(&self) -> usize {
        let denied = |e: &&Arc<Entry>| matches!(&e.body, Body::ApprovalDecided(d) if !d.allow);
        self.run().iter().filter(denied).count()
    }
}
