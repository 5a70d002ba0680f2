//! Esc, and everything else that stops a run in its middle: one step, no await, idle before it returns.
//!
//! Path A: a model speaks and no call is finished. Path B: finished calls, none started. Path C: calls run.

use crate::ledger::{
    Abort, AbortPath, About, CutBy, Ending, Millis, Note, OpenCall, Outcome, Remark, Settlement, aborted_text,
};

use crate::model::UnfinishedCall;

use super::phase::{Awaiting, Dispatching, Pending, Phase, State};
use super::{Agent, Effect, Operation};

impl Agent {
    /// Stops whatever is under way. Idle stays idle.
    pub(super) fn stop(&mut self, now: Millis, phase: Phase, by: CutBy, out: &mut Vec<Effect>) -> Phase {
        let met = match phase {
            Phase::Idle => return Phase::Idle,
            Phase::AwaitingModel(awaiting) => self.stop_model(now, awaiting, by, out),
            Phase::Dispatching(dispatching) => self.stop_tools(now, dispatching, by, out),
            Phase::BackingOff(waiting) => {
                out.push(Effect::Cancel(Operation::Timer(waiting.timer)));
                if waiting.summary.is_some_and(|wanted| wanted.then.is_none()) {
                    let about = self.books.ledger.last_id().into();
                    return self.no_summary(now, about, out);
                }
                Ending::AbortedStreaming
            }
            Phase::Consulting(consulting) => {
                out.push(Effect::Cancel(Operation::Hooks(consulting.hook)));
                Ending::AbortedStreaming
            }
            // The servers go on starting: the next message needs them.
            Phase::Discovering(_) => Ending::AbortedStreaming,
            Phase::Compacting(compacting) => {
                out.push(Effect::Cancel(Operation::Model(compacting.message)));
                self.withdraw_summary(now, &compacting, "the compaction was interrupted");
                if compacting.wanted.then.is_none() {
                    return self.no_summary(now, compacting.message.into(), out);
                }
                Ending::AbortedStreaming
            }
        };
        let ending = match by {
            CutBy::User => met,
            CutBy::WallTime => Ending::WallTime,
            CutBy::Approval => Ending::ApprovalRequired,
        };
        self.end(now, ending, out)
    }

    /// A compaction between two runs is cut short: no run ends by it.
    fn no_summary(&mut self, now: Millis, about: About, out: &mut Vec<Effect>) -> Phase {
        let text = "The compaction was interrupted; nothing was replaced.".to_owned();
        self.books.ledger.remark(now, Remark::Note(Note::plain(about, text)));
        self.give_back(out);
        Phase::Idle
    }

    /// Paths A and B, while the model speaks. Partial text is kept; finished calls are settled at once;
    /// unfinished arguments become a note.
    fn stop_model(&mut self, now: Millis, awaiting: Awaiting, by: CutBy, out: &mut Vec<Effect>) -> Ending {
        out.push(Effect::Cancel(Operation::Model(awaiting.message)));
        if awaiting.draft.is_empty() {
            return Ending::AbortedStreaming;
        }
        let usage = self.priced(awaiting.draft.usage(awaiting.estimated_input));
        let ledger = &mut self.books.ledger;
        let (mut message, unfinished) =
            awaiting.draft.interrupt(awaiting.message, awaiting.model, usage, || ledger.mint_call());
        self.restore_arguments(&mut message);
        if let Ok(tokens) = self.books.ledger.assistant(now, message) {
            for token in tokens {
                self.settle_aborted(now, token, AbortPath::B, None, by);
            }
        }
        for call in unfinished {
            let UnfinishedCall { name, arguments, is_hosted } = call;
            let text = if is_hosted {
                format!("The provider had not finished its own call of {name}: {arguments}")
            } else {
                format!("The arguments of a call of {name} were not finished: {arguments}")
            };
            self.books.ledger.remark(now, Remark::Note(Note::plain(awaiting.message, text)));
        }
        Ending::AbortedStreaming
    }

    /// Paths B and C, after the model has spoken. Finished calls keep their real result.
    fn stop_tools(
        &mut self,
        now: Millis,
        dispatching: Dispatching,
        by: CutBy,
        out: &mut Vec<Effect>,
    ) -> Ending {
        let path = if dispatching.started { AbortPath::C } else { AbortPath::B };
        out.extend(dispatching.told.iter().map(|hook| Effect::Cancel(Operation::Hooks(*hook))));
        for pending in dispatching.calls {
            self.stop_call(now, pending, path, by, out);
        }
        if dispatching.started { Ending::AbortedTools } else { Ending::AbortedStreaming }
    }

    fn stop_call(
        &mut self,
        now: Millis,
        pending: Pending,
        path: AbortPath,
        by: CutBy,
        out: &mut Vec<Effect>,
    ) {
        let call = pending.call.id;
        match pending.state {
            State::Over(real) => {
                self.books.ledger.settle(now, pending.token, real);
            }
            State::Running(since) => {
                out.push(Effect::Cancel(Operation::Tool(call)));
                self.cancelled.insert(call);
                self.settle_aborted(now, pending.token, path, Some(now.since(since)), by);
            }
            State::Preparing | State::Revisiting { is_looked_at: true, .. } => {
                out.push(Effect::Cancel(Operation::Preparation(call)));
                self.settle_aborted(now, pending.token, path, None, by);
            }
            State::Consulting(hook, _) => {
                out.push(Effect::Cancel(Operation::Hooks(hook)));
                self.settle_aborted(now, pending.token, path, None, by);
            }
            State::Waiting(_) | State::Revisiting { is_looked_at: false, .. } | State::Ready(_) => {
                self.settle_aborted(now, pending.token, path, None, by);
            }
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
        let abort = Abort { path, ran_ms, by };
        let ended = Settlement::synthetic(Outcome::Aborted(abort), aborted_text(abort));
        let result = Settlement { duration_ms: ran_ms.unwrap_or(0), ..ended };
        let result = self.told_of_typing(token.id(), result);
        self.books.ledger.settle(now, token, result);
    }

    /// The user closes the app. Calls that wait for an approval stay undecided, to be offered again on resume;
    /// their siblings are settled; anything that runs makes it an abort like any other.
    pub(super) fn quit(&mut self, now: Millis, phase: Phase, out: &mut Vec<Effect>) -> Phase {
        let dispatching = match phase {
            Phase::Dispatching(dispatching) => dispatching,
            phase @ (Phase::Idle
            | Phase::AwaitingModel(_)
            | Phase::BackingOff(_)
            | Phase::Compacting(_)
            | Phase::Consulting(_)
            | Phase::Discovering(_)) => {
                return self.stop(now, phase, CutBy::User, out);
            }
        };
        let runs = dispatching.calls.iter().any(|p| matches!(p.state, State::Running(_)));
        let waits = dispatching.calls.iter().any(|p| p.waits_since().is_some());
        if runs || !waits {
            return self.stop(now, Phase::Dispatching(dispatching), CutBy::User, out);
        }
        for pending in dispatching.calls {
            match pending.state {
                State::Waiting(_) | State::Revisiting { is_looked_at: false, .. } => {}
                State::Revisiting { is_looked_at: true, .. } => {
                    out.push(Effect::Cancel(Operation::Preparation(pending.call.id)));
                }
                State::Preparing
                | State::Consulting(..)
                | State::Ready(_)
                | State::Running(_)
                | State::Over(_) => self.stop_call(now, pending, AbortPath::B, CutBy::User, out),
            }
        }
        Phase::Idle
    }
}
