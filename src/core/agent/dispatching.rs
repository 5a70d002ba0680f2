//! While tools run: results leave in call order, and the next calls start.

use crate::budget::{Bound, Meter};
use crate::ledger::{
    CallId, Decider, Decision, Ending, Millis, Note, Outcome, Remark, Settlement, Transition,
};
use crate::policy::effect_of_call;
use crate::tool::{
    Invocation, Shown, SideEffect, ToolNews, ToolReport, ToolSpec, bound, delegate, startable,
};

use super::phase::{Dispatching, Pending, Permission, Phase, State};
use super::{Agent, Effect, Live};

/// Characters of a late result that its note keeps.
const LATE_CHARS: usize = 2_000;

impl Agent {
    /// News of a tool.
    pub(super) fn on_tool(
        &mut self,
        now: Millis,
        phase: Phase,
        call: CallId,
        news: ToolNews,
        out: &mut Vec<Effect>,
    ) -> Phase {
        let mut phase = phase;
        if let Phase::Dispatching(dispatching) = &mut phase
            && let Some((pending, since)) = running(dispatching, call)
        {
            let repeats = self.registry.get(&pending.call.name).is_some_and(ToolSpec::may_repeat);
            match news {
                ToolNews::Output(Shown::Text(chunk)) => {
                    out.push(Effect::Emit(Live::ToolOutput { call, chunk }));
                }
                ToolNews::Output(Shown::Screen(screen)) => {
                    out.push(Effect::Emit(Live::Screen { call, screen }));
                }
                ToolNews::Output(Shown::Task(id)) => {
                    self.books.ledger.accepted(now, &mut pending.token, &id);
                }
                ToolNews::Done(report) if repeats && may_retry(pending, &report, self.books.meter()) => {
                    pending.attempts += 1;
                    let attempts = pending.attempts;
                    let again = self.running_of(pending);
                    self.note_attempt(now, call, attempts, &report);
                    out.push(again);
                }
                ToolNews::Ended(_) => {}
                ToolNews::Done(report) => {
                    if report.refused && pending.sandboxed {
                        self.books.ledger.remark(now, Remark::Note(Note::of_refusal(call)));
                    }
                    out.push(Effect::Emit(Live::ToolFinished { call, outcome: report.outcome.clone() }));
                    let real = settlement(report, now.since(since));
                    pending.state = State::Over(self.told_of_typing(call, real));
                    return match phase {
                        Phase::Dispatching(dispatching) => self.advance(now, dispatching, out),
                        phase @ (Phase::Idle
                        | Phase::AwaitingModel(_)
                        | Phase::BackingOff(_)
                        | Phase::Compacting(_)
                        | Phase::Consulting(_)
                        | Phase::Discovering(_)) => phase,
                    };
                }
            }
            return phase;
        }
        if let ToolNews::Done(report) = news
            && self.cancelled.remove(&call)
        {
            let content = bound(&report.content, LATE_CHARS).text;
            let text = match report.remote {
                // It says of itself what it is about: another agent's task.
                Some(_) => content,
                None => format!(
                    "A result arrived after the call was cut short ({}):\n{content}",
                    report.outcome.as_str()
                ),
            };
            self.books.ledger.remark(now, Remark::Note(Note::plain(call, text)));
        }
        phase
    }

    /// Writes the results that are due, starts the calls that may start, or goes on to the next turn.
    pub(super) fn advance(&mut self, now: Millis, dispatching: Dispatching, out: &mut Vec<Effect>) -> Phase {
        let Dispatching { mut calls, mut started, mut told, prevented } = dispatching;
        while let Some(Pending { state: State::Over(_), .. }) = calls.front() {
            let Some(Pending { call, token, ran, state: State::Over(ending), .. }) = calls.pop_front() else {
                break;
            };
            if ran {
                told.extend(self.tell_result(&call, &ending, out));
            }
            self.books.ledger.settle(now, token, ending);
        }
        if calls.is_empty() && told.is_empty() {
            return self.next_turn(now, prevented, out);
        }
        let most =
            if self.settings.parallel { self.books.meter().limits().bound(Bound::ParallelCalls) } else { 1 };
        let candidates: Vec<_> = calls.iter().map(Pending::candidate).collect();
        let mut is_refused = false;
        for at in startable(&candidates, usize::try_from(most).unwrap_or(usize::MAX)) {
            if let Some(pending) = calls.get_mut(at) {
                let runs = self.start(now, pending, out);
                pending.ran |= runs;
                started |= runs;
                is_refused |= !runs;
            }
        }
        let dispatching = Dispatching { calls, started, told, prevented };
        // What was not started is over: its result is written, or what waits behind it starts.
        if is_refused { self.advance(now, dispatching, out) } else { Phase::Dispatching(dispatching) }
    }

    /// All results are in, and the hooks have commented on them.
    fn next_turn(&mut self, now: Millis, prevented: Option<String>, out: &mut Vec<Effect>) -> Phase {
        if let Some(reason) = prevented {
            self.note(now, format!("a hook ended the run: {reason}"));
            return self.end(now, Ending::StopHookPrevented, out);
        }
        if self.books.guards().validating {
            return self.on_evidence(now, out);
        }
        let most = self.settings.max_consecutive_failures;
        if self.books.guards().missing_turns_now() >= most {
            return self.end(now, Ending::ToolUnavailable, out);
        }
        if self.books.guards().failed_turns_now() >= most {
            return self.end(now, Ending::RepeatedFailures, out);
        }
        if !self.steering.is_empty() {
            self.steer(now, out)
        } else if self.checkpoint_is_due() {
            self.check_goal(now, out)
        } else {
            self.call_model(now, Transition::NextTurn, 0, out)
        }
    }

    /// One call has one result; the runs before it that failed are notes.
    fn note_attempt(&mut self, now: Millis, call: CallId, attempt: u64, report: &ToolReport) {
        let content = bound(&report.content, LATE_CHARS).text;
        let note = Note::of_failed_run(call, attempt, &report.outcome, &content);
        self.books.ledger.remark(now, Remark::Note(note));
    }

    /// The decision is written, then the tool runs: exactly what was decided about, or nothing. Says whether it runs.
    fn start(&mut self, now: Millis, pending: &mut Pending, out: &mut Vec<Effect>) -> bool {
        let ready = std::mem::replace(&mut pending.state, State::Running(now));
        if let State::Ready(Permission::ByPolicy { reason, rule, sandboxed }) = ready {
            pending.sandboxed = sandboxed;
            let call = &pending.call;
            let denial = Decision::denial(call.id, Decider::Policy, reason);
            let decision = Decision { sandboxed, rule, ..denial };
            pending.receipt = Some(self.receive(now, call, decision));
        }
        if let Err(why) = self.is_what_was_allowed(pending) {
            pending.state = State::Over(Settlement::synthetic(Outcome::Failed, why));
            return false;
        }
        self.tell_delegation(now, pending);
        out.push(self.running_of(pending));
        let step = u32::try_from(self.books.meter().turns()).unwrap_or(u32::MAX);
        let (call, target) = (pending.call.id, pending.call.name.clone());
        let tool = self.registry.get(&target);
        let effect = tool.map_or(SideEffect::Sends, |tool| effect_of_call(tool, &pending.call.arguments));
        out.push(Effect::Emit(Live::Progress { step, call, target, effect }));
        true
    }

    /// A task that goes to another agent is in the books before it is sent.
    fn tell_delegation(&mut self, now: Millis, pending: &mut Pending) {
        if let Some(agent) = delegate(&pending.call.name) {
            let task = pending.call.arguments.text("task").unwrap_or_default();
            self.books.ledger.delegate(now, &mut pending.token, agent, task);
        }
    }

    /// The call as it is to be run.
    fn running_of(&mut self, pending: &Pending) -> Effect {
        Effect::RunTool(Invocation { sandboxed: pending.sandboxed, ..self.invocation(&pending.call) })
    }
}

fn running(dispatching: &mut Dispatching, call: CallId) -> Option<(&mut Pending, Millis)> {
    dispatching.calls.iter_mut().find_map(|p| match p.state {
        State::Running(since) if p.call.id == call => Some((p, since)),
        State::Running(_)
        | State::Preparing
        | State::Consulting(..)
        | State::Waiting(_)
        | State::Revisiting { .. }
        | State::Ready(_)
        | State::Over(_) => None,
    })
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
