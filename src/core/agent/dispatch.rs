//! While tools run: results leave in call order, and the next calls start.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::budget::{Bound, Meter};
use crate::ledger::{
    Body, CallId, Decider, Decision, Ending, Entry, Millis, Note, Outcome, Remark, Settlement, Transition,
};
use crate::policy::effect_of_call;
use crate::tool::{Invocation, Shown, SideEffect, ToolNews, ToolReport, ToolSpec, bound, startable};

use super::phase::{CallState, Dispatching, Pending, Permission, Phase, Stopping};
use super::step::Step;
use super::subagents::Share;
use super::{Agent, Effect, Live, Operation};

/// Characters of a late result that its note keeps.
const LATE_CHARS: usize = 2_000;

impl Agent {
    /// News of a tool.
    pub(super) fn on_tool(&mut self, step: &mut Step, phase: Phase, call: CallId, news: ToolNews) -> Phase {
        let Phase::Dispatching(mut dispatching) = phase else {
            self.on_late_news(step, call, news);
            return phase;
        };
        let Some((pending, since)) = running(&mut dispatching, call) else {
            self.on_late_news(step, call, news);
            return Phase::Dispatching(dispatching);
        };
        let repeats = self.tools.registry.get(&pending.call.name).is_some_and(ToolSpec::may_repeat);
        match news {
            ToolNews::Ended(_) => {}
            ToolNews::Output(shown) => {
                self.printed.add(call, &shown);
                match shown {
                    Shown::Text(chunk) => step.emit(Live::ToolOutput { call, chunk }),
                    Shown::Screen(screen) => step.emit(Live::Screen { call, screen }),
                    Shown::Task(id) => self.history.ledger.accepted(step.now, &mut pending.token, &id),
                }
            }
            ToolNews::Done(report) if repeats && may_retry(pending, &report, self.history.meter()) => {
                pending.attempts += 1;
                let attempts = pending.attempts;
                self.printed.forget(call);
                let again = self.running_of(pending);
                self.note_attempt(step.now, call, attempts, &report);
                step.act(again);
            }
            ToolNews::Done(report) => {
                if report.refused && pending.sandboxed {
                    self.history.ledger.remark(step.now, Remark::Note(Note::of_refusal(call)));
                }
                self.settle_task(step.now, call, &report);
                self.printed.forget(call);
                step.emit(Live::ToolFinished { call, outcome: report.outcome.clone() });
                let real = settlement(*report, step.now.since(since));
                pending.state = CallState::Over(self.told_of_typing(call, real));
                return self.advance(step, dispatching);
            }
        }
        Phase::Dispatching(dispatching)
    }

    /// News of a call that does not run any more: the result of a cancelled one becomes a note for people.
    fn on_late_news(&mut self, step: &mut Step, call: CallId, news: ToolNews) {
        let ToolNews::Done(report) = news else { return };
        if !self.cancelled.remove(&call) {
            return;
        }
        self.settle_task(step.now, call, &report);
        let content = bound(&report.content, LATE_CHARS).text;
        let text = match report.remote {
            // It says of itself what it is about: another agent's task.
            Some(_) => content,
            None => format!(
                "A result arrived after the call was cut short ({}):\n{content}",
                report.outcome.as_str()
            ),
        };
        self.history.ledger.remark(step.now, Remark::Note(Note::plain(call, text)));
    }

    /// Writes the results that are due, starts the calls that may start, or goes on to the next turn.
    pub(super) fn advance(&mut self, step: &mut Step, dispatching: Dispatching) -> Phase {
        let Dispatching { mut calls, mut started, mut told, prevented, stopping } = dispatching;
        while let Some(first) = calls.pop_front() {
            let Pending { call, token, ran, state: CallState::Over(ending), .. } = first else {
                calls.push_front(first);
                break;
            };
            // Hooks watch what models do, and are not asked about a run that is being stopped.
            if ran && stopping.is_none() && !self.history.guards().is_own_command {
                told.extend(self.tell_result(step, &call, &ending));
            }
            self.history.ledger.settle(step.now, token, ending);
        }
        if let Some(Stopping { by, timer, .. }) = stopping {
            if calls.is_empty() {
                step.cancel(Operation::Timer(timer));
                return self.end_cut(step, Ending::AbortedTools, by);
            }
            return Phase::Dispatching(Dispatching { calls, started, told, prevented, stopping });
        }
        if calls.is_empty() && told.is_empty() {
            return self.next_turn(step, prevented);
        }
        let is_refused = self.start_those_that_may(step, &mut calls, &mut started);
        let dispatching = Dispatching { calls, started, told, prevented, stopping };
        // What was not started is over: its result is written, or what waits behind it starts.
        if is_refused { self.advance(step, dispatching) } else { Phase::Dispatching(dispatching) }
    }

    /// The same where the rules have decided about a call. That it is allowed and waits for its turn is told: what waits for a person behind it
    /// is the next that they can decide.
    pub(super) fn advance_or_queue(
        &mut self,
        step: &mut Step,
        dispatching: Dispatching,
        call: CallId,
    ) -> Phase {
        let phase = self.advance(step, dispatching);
        let waits = |p: &Pending| {
            p.call.id == call && matches!(p.state, CallState::Ready(Permission::ByPolicy { .. }))
        };
        if let Phase::Dispatching(now) = &phase
            && now.calls.iter().any(waits)
        {
            step.emit(Live::Allowed { call });
        }
        phase
    }

    /// Starts the calls whose turn it is. Says whether one of them has its result already.
    fn start_those_that_may(
        &mut self,
        step: &mut Step,
        calls: &mut VecDeque<Pending>,
        started: &mut bool,
    ) -> bool {
        let most = if self.settings.parallel { self.history.meter().parallel_left() } else { 1 };
        let candidates: Vec<_> = calls.iter().map(Pending::candidate).collect();
        let mut is_refused = false;
        for at in startable(&candidates, usize::try_from(most).unwrap_or(usize::MAX)) {
            let works = |p: &&Pending| matches!(p.state, CallState::Running(_));
            let running = calls.iter().filter(works).count() as u64;
            let shares = calls.iter().filter(|p| self.will_be_subagent(p)).count() as u64;
            let is_waited_for = calls.iter().filter(works).any(|p| self.subagent(&p.call.name).is_some());
            let Some(pending) = calls.get_mut(at) else { continue };
            if self.must_wait(pending, is_waited_for) {
                continue;
            }
            let runs = self.start(step, pending, Company { running, shares });
            pending.ran |= runs;
            *started |= runs;
            is_refused |= !matches!(pending.state, CallState::Running(_));
        }
        is_refused
    }

    /// Whether a call will start a sub-agent, if it is allowed.
    fn will_be_subagent(&self, pending: &Pending) -> bool {
        let is_to_come = !matches!(pending.state, CallState::Running(_) | CallState::Over(_));
        is_to_come && self.subagent(&pending.call.name).is_some()
    }

    /// All results are in, and the hooks have commented on them.
    fn next_turn(&mut self, step: &mut Step, prevented: Option<String>) -> Phase {
        if let Some(reason) = prevented {
            self.note(step.now, format!("a hook ended the run: {reason}"));
            return self.end(step, Ending::StopHookPrevented);
        }
        if self.history.guards().validating {
            return self.on_evidence(step);
        }
        if self.history.guards().is_own_command {
            return self.on_own_command(step);
        }
        let most = self.settings.max_consecutive_failures;
        if self.history.guards().missing_turns_now() >= most {
            return self.end(step, Ending::ToolUnavailable);
        }
        if self.history.guards().failed_turns_now() >= most {
            return self.end(step, Ending::RepeatedFailures);
        }
        if !self.inbox.steering.is_empty() {
            self.steer(step)
        } else if self.checkpoint_is_due() {
            self.check_goal(step)
        } else {
            self.call_model(step, Transition::NextTurn, 0)
        }
    }

    /// One call has one result; the runs before it that failed are notes.
    fn note_attempt(&mut self, now: Millis, call: CallId, attempt: u64, report: &ToolReport) {
        let content = bound(&report.content, LATE_CHARS).text;
        let note = Note::of_failed_run(call, attempt, &report.outcome, &content);
        self.history.ledger.remark(now, Remark::Note(note));
    }

    /// The decision is written, then the tool runs: exactly what was decided about, or nothing. Says whether it runs.
    fn start(&mut self, step: &mut Step, pending: &mut Pending, company: Company) -> bool {
        let ready = std::mem::replace(&mut pending.state, CallState::Running(step.now));
        if let CallState::Ready(Permission::ByPolicy { reason, rule, sandboxed }) = ready {
            let once = Decision::permission(pending.call.id, Decider::Policy, reason);
            self.allowed_by_policy(step.now, pending, Decision { sandboxed, rule, ..once });
        }
        if let Err(why) = self.is_what_was_allowed(pending) {
            pending.state = CallState::Over(Settlement::synthetic(Outcome::Failed, why));
            return false;
        }
        if self.subagent(&pending.call.name).is_some() {
            let Company { running, shares } = company;
            let started =
                self.start_subagent(step, pending, Share { with: shares, is_all: false }, running + 1);
            if !started {
                return false;
            }
        } else {
            if let Err(why) = self.tell_delegation(step.now, pending) {
                pending.state = CallState::Over(Settlement::synthetic(Outcome::Failed, why));
                return false;
            }
            step.act(self.running_of(pending));
        }
        let turn = u32::try_from(self.history.meter().turns()).unwrap_or(u32::MAX);
        let (call, target) = (pending.call.id, pending.call.name.clone());
        let tool = self.tools.registry.get(&target);
        let effect = tool.map_or(SideEffect::Sends, |tool| effect_of_call(tool, &pending.call.arguments));
        step.emit(Live::Progress { step: turn, call, target, effect });
        true
    }

    /// The call as it is to be run.
    fn running_of(&mut self, pending: &Pending) -> Effect {
        let is_shown = pending.receipt.as_ref().is_some_and(|receipt| receipt.decider == Decider::User);
        let allows = |entry: &&Arc<Entry>| matches!(&entry.body, Body::ApprovalDecided(one) if one.call == pending.call.id);
        // It stands near the end, however long the session is.
        let allowed_in = self.history.ledger.entries().iter().rev().find(allows).map(|entry| entry.id);
        Effect::RunTool(Invocation {
            sandboxed: pending.sandboxed,
            is_shown,
            allowed_in,
            ..self.invocation(&pending.call)
        })
    }
}

/// What else is to be known when a call starts.
#[derive(Clone, Copy)]
struct Company {
    /// Calls of the message that run.
    running: u64,
    /// Sub-agents of the message that are still to start, this one included.
    shares: u64,
}

fn running(dispatching: &mut Dispatching, call: CallId) -> Option<(&mut Pending, Millis)> {
    dispatching.calls.iter_mut().find_map(|p| match p.state {
        CallState::Running(since) if p.call.id == call => Some((p, since)),
        CallState::Running(_)
        | CallState::Preparing
        | CallState::Consulting(..)
        | CallState::Waiting(_)
        | CallState::Revisiting { .. }
        | CallState::Ready(_)
        | CallState::Over(_) => None,
    })
}

/// Tells of a call that is over before it was started: its result may have to wait for those of the calls before it.
pub(super) fn tell_over(step: &mut Step, pending: &Pending) {
    if let CallState::Over(ending) = &pending.state {
        step.emit(Live::ToolFinished { call: pending.call.id, outcome: ending.outcome.clone() });
    }
}

/// Only after a failure that may pass, and not without end. Which tools may run again is [`ToolSpec::may_repeat`]'s to say.
fn may_retry(pending: &Pending, report: &ToolReport, meter: &Meter) -> bool {
    let failed = matches!(report.outcome, Outcome::Failed | Outcome::TimedOut);
    failed && report.transient && pending.attempts < meter.limits().bound(Bound::ToolRetries)
}

/// A tool says how its run went, or that nobody knows; only the loop can say that a call was denied or aborted.
fn settlement(report: ToolReport, duration_ms: u64) -> Settlement {
    let outcome = match report.outcome {
        outcome @ (Outcome::Ok
        | Outcome::Failed
        | Outcome::Invalid
        | Outcome::TimedOut
        | Outcome::Lost { started: true }) => outcome,
        Outcome::UnknownTool
        | Outcome::Denied(_)
        | Outcome::Aborted(_)
        | Outcome::Lost { started: false } => Outcome::Failed,
    };
    let ToolReport { content, written, cut_chars, facts, images, remote, .. } = report;
    Settlement { outcome, content, written, duration_ms, cut_chars, facts, images, remote }
}
