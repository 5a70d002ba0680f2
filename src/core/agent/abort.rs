//! Esc, and everything else that stops a run in its middle: one step, no await, idle before it returns. Only sub-agents that are at work
//! are waited for: they settle their own calls first.
//!
//! Path A: a model speaks and no call is finished. Path B: finished calls, none started. Path C: calls run.

use crate::ledger::{
    Abort, AbortPath, About, CallId, CutBy, Ending, Millis, Note, OpenCall, Outcome, Remark, Settlement,
    aborted_after, aborted_text, grouped, was_typed_into,
};

use crate::model::{Glimpse, UnfinishedCall};

use super::phase::{Awaiting, CallState, Dispatching, Pending, Phase};
use super::step::Step;
use super::unanswered::Silence;
use super::{Agent, Effect, Operation};

/// How far the arguments of a call came: the file, if one is named by then, and the lines or bytes.
fn how_far(call: &UnfinishedCall) -> Option<String> {
    let glimpse = Glimpse::of(&call.arguments);
    let written = match (glimpse.breaks, call.arguments.len() as u64) {
        (0, 0) => return None,
        (0, 1) => "1 byte so far".to_owned(),
        (0, bytes) => format!("{} bytes so far", grouped(bytes)),
        (breaks, _) => format!("{} lines so far", grouped(breaks + 1)),
    };
    // A path may hold a line break, and the line ends there.
    let path = glimpse.path.map(|path| path.replace(['\n', '\r'], " "));
    Some(path.map_or_else(|| written.clone(), |path| format!("{path}, {written}")))
}

impl Agent {
    /// Stops whatever is under way. Idle stays idle.
    pub(super) fn stop(&mut self, step: &mut Step, phase: Phase, by: CutBy) -> Phase {
        // A run that stops by itself may just have told of that.
        if by == CutBy::User && !matches!(phase, Phase::Idle) {
            self.cancel_fired(step);
        }
        let met = match phase {
            Phase::Idle => return Phase::Idle,
            Phase::AwaitingModel(awaiting) => self.stop_model(step, awaiting, by),
            Phase::Dispatching(dispatching) => match self.let_subagents_settle(step, dispatching, by) {
                Ok(phase) => return phase,
                Err(dispatching) => self.stop_tools(step, dispatching, by),
            },
            Phase::BackingOff(waiting) => {
                step.cancel(Operation::Timer(waiting.timer));
                if waiting.summary.is_some_and(|wanted| wanted.then.is_none()) {
                    let about = self.history.ledger.last_id().into();
                    return self.no_summary(step, about);
                }
                Ending::AbortedStreaming
            }
            Phase::Consulting(consulting) => {
                step.cancel(Operation::Hooks(consulting.hook));
                Ending::AbortedStreaming
            }
            // The servers go on starting: the next message needs them.
            Phase::Discovering(_) => Ending::AbortedStreaming,
            Phase::Compacting(compacting) => {
                step.cancel(Operation::Model(compacting.message));
                let silence = Silence::of(self.was_sent(compacting.message));
                self.withdraw_summary(step.now, &compacting, "the compaction was interrupted", silence);
                if compacting.wanted.then.is_none() {
                    return self.no_summary(step, compacting.message.into());
                }
                Ending::AbortedStreaming
            }
        };
        self.end_cut(step, met, by)
    }

    /// Whoever started this session stops it.
    pub(super) fn cut_from_above(&mut self, step: &mut Step, phase: Phase, by: CutBy) -> Phase {
        self.is_cut_from_above = true;
        let phase = self.stop(step, phase, by);
        self.is_cut_from_above = phase.is_stopping();
        phase
    }

    /// Who stops sub-agents of a session that is stopped so.
    pub(super) fn cut_below(&self, by: CutBy) -> CutBy {
        if by == CutBy::User && self.is_leaving { CutBy::SessionEnd } else { by }
    }

    /// Ends a run that was cut short.
    pub(super) fn end_cut(&mut self, step: &mut Step, met: Ending, by: CutBy) -> Phase {
        // What is over above it is no limit of its own.
        let is_from_above = std::mem::take(&mut self.is_cut_from_above);
        let ending = match by {
            CutBy::WallTime if !is_from_above => Ending::WallTime,
            CutBy::Approval if !is_from_above => Ending::ApprovalRequired,
            CutBy::User | CutBy::WallTime | CutBy::Approval | CutBy::SessionEnd => met,
        };
        self.end_by(step, ending, Some(by).filter(|_| ending.interrupted()))
    }

    /// A compaction between two runs is cut short: no run ends by it.
    fn no_summary(&mut self, step: &mut Step, about: About) -> Phase {
        self.history.ledger.remark(step.now, Remark::Note(Note::of_summary_stopped(about)));
        self.give_back(step);
        Phase::Idle
    }

    /// Paths A and B, while the model speaks. Partial text is kept; finished calls are settled at once;
    /// unfinished arguments become a note.
    fn stop_model(&mut self, step: &mut Step, awaiting: Awaiting, by: CutBy) -> Ending {
        step.cancel(Operation::Model(awaiting.message));
        if awaiting.draft.is_empty() {
            if self.was_sent(awaiting.message) {
                self.count_unheard(step.now, awaiting.message, awaiting.model, awaiting.estimated_input);
            }
            return Ending::AbortedStreaming;
        }
        let usage = self.priced(awaiting.draft.usage_when_cut(awaiting.estimated_input));
        let ledger = &mut self.history.ledger;
        let (mut message, unfinished) =
            awaiting.draft.interrupt(awaiting.message, awaiting.model, usage, || ledger.mint_call());
        self.restore_arguments(&mut message);
        if let Ok(tokens) = self.history.ledger.assistant(step.now, message) {
            for token in tokens {
                self.settle_aborted(step.now, token, AbortPath::B, None, by);
            }
        }
        for call in unfinished {
            let UnfinishedCall { name, arguments, is_hosted } = &call;
            // The first line is what people are told; what was written of the arguments stands below it.
            let about = match how_far(&call) {
                Some(how_far) => format!("{name} was not finished: {how_far}"),
                None => format!("{name} was not finished"),
            };
            let text = if *is_hosted {
                format!("A call of the provider's own {about}:\n{arguments}")
            } else {
                format!("A call of {about}:\n{arguments}")
            };
            self.history.ledger.remark(step.now, Remark::Note(Note::plain(awaiting.message, text)));
        }
        Ending::AbortedStreaming
    }

    /// Paths B and C, after the model has spoken. Finished calls keep their real result.
    pub(super) fn stop_tools(&mut self, step: &mut Step, dispatching: Dispatching, by: CutBy) -> Ending {
        let path = if dispatching.started { AbortPath::C } else { AbortPath::B };
        step.extend(dispatching.told.iter().map(|hook| Effect::Cancel(Operation::Hooks(*hook))));
        for pending in dispatching.calls {
            self.stop_call(step, pending, path, by);
        }
        if dispatching.started { Ending::AbortedTools } else { Ending::AbortedStreaming }
    }

    fn stop_call(&mut self, step: &mut Step, pending: Pending, path: AbortPath, by: CutBy) {
        let ended = self.cut(step, pending.call.id, pending.state, path, by);
        self.history.ledger.settle(step.now, pending.token, ended);
    }

    /// Cuts a call short, however far it is, and says how it ended.
    pub(super) fn cut(
        &mut self,
        step: &mut Step,
        call: CallId,
        state: CallState,
        path: AbortPath,
        by: CutBy,
    ) -> Settlement {
        match state {
            CallState::Over(real) => real,
            CallState::Running(since) => {
                let is_subagent = self.history.subagents().open.contains_key(&call);
                let operation = match is_subagent {
                    true => Operation::Subagent(call, self.cut_below(by)),
                    false => Operation::Tool(call),
                };
                step.cancel(operation);
                self.cancelled.insert(call);
                self.aborted(call, path, Some(step.now.since(since)), by)
            }
            CallState::Preparing | CallState::Revisiting { is_looked_at: true, .. } => {
                step.cancel(Operation::Preparation(call));
                self.aborted(call, path, None, by)
            }
            CallState::Consulting(hook, _) => {
                step.cancel(Operation::Hooks(hook));
                self.aborted(call, path, None, by)
            }
            CallState::Waiting(_)
            | CallState::Revisiting { is_looked_at: false, .. }
            | CallState::Ready(_) => self.aborted(call, path, None, by),
        }
    }

    fn settle_aborted(
        &mut self,
        now: Millis,
        token: OpenCall,
        path: AbortPath,
        ran_ms: Option<u64>,
        by: CutBy,
    ) {
        let result = self.aborted(token.id(), path, ran_ms, by);
        self.history.ledger.settle(now, token, result);
    }

    fn aborted(&mut self, call: CallId, path: AbortPath, ran_ms: Option<u64>, by: CutBy) -> Settlement {
        let abort = Abort { path, ran_ms, by, within: None };
        let (mut text, mut cut) = (aborted_text(abort), 0);
        // A terminal shows what was typed into it, and that is not kept.
        let has_typed = was_typed_into(self.history.ledger.entries(), call);
        if let Some((printed, cut_chars)) = self.printed.take(call).filter(|_| !has_typed) {
            (text, cut) = (aborted_after(abort, &printed), cut_chars);
        }
        let ended = Settlement { cut_chars: cut, ..Settlement::synthetic(Outcome::Aborted(abort), text) };
        self.told_of_typing(call, Settlement { duration_ms: ran_ms.unwrap_or(0), ..ended })
    }

    /// The user closes the app. Calls that wait for an approval stay undecided, to be offered again on resume;
    /// their siblings are settled; anything that runs makes it an abort like any other.
    pub(super) fn quit(&mut self, step: &mut Step, phase: Phase) -> Phase {
        let Phase::Dispatching(dispatching) = phase else {
            return self.stop(step, phase, CutBy::User);
        };
        let runs = dispatching.calls.iter().any(|p| matches!(p.state, CallState::Running(_)));
        let waits = dispatching.calls.iter().any(|p| p.waits_since().is_some());
        if runs || !waits {
            return self.stop(step, Phase::Dispatching(dispatching), CutBy::User);
        }
        for pending in dispatching.calls {
            match pending.state {
                CallState::Waiting(_) | CallState::Revisiting { is_looked_at: false, .. } => {}
                CallState::Revisiting { is_looked_at: true, .. } => {
                    step.cancel(Operation::Preparation(pending.call.id));
                }
                CallState::Preparing
                | CallState::Consulting(..)
                | CallState::Ready(_)
                | CallState::Running(_)
                | CallState::Over(_) => self.stop_call(step, pending, AbortPath::B, CutBy::User),
            }
        }
        self.give_back(step);
        Phase::Idle
    }
}
