//! One step of the loop: when it happens, and what is to be done because of it.

use crate::ledger::{EntryId, Millis};

use super::effect::ordered;
use super::{Effect, Live, Operation};

/// The instant of a step and the effects collected so far. Every function of the loop that wants something done takes it.
#[derive(Debug)]
pub(super) struct Step {
    /// When the input arrived.
    pub(super) now: Millis,
    out: Vec<Effect>,
}

impl Step {
    /// A step with no effects yet.
    pub(super) fn at(now: Millis) -> Self {
        Self { now, out: Vec::new() }
    }

    /// Wants something done.
    pub(super) fn act(&mut self, effect: Effect) {
        self.out.push(effect);
    }

    /// Wants several things done.
    pub(super) fn extend(&mut self, effects: impl IntoIterator<Item = Effect>) {
        self.out.extend(effects);
    }

    /// Tells whoever watches.
    pub(super) fn emit(&mut self, live: Live) {
        self.act(Effect::Emit(live));
    }

    /// What a line asked for was obeyed or refused: then the line goes back, and not what was made of it.
    pub(super) fn give_back(&mut self, line: String) {
        if !self.out.iter().any(is_refusal) {
            return;
        }
        let is_returned =
            |effect: &Effect| matches!(effect, Effect::Emit(Live::Returned(_) | Live::ReturnedLine(_)));
        self.out.retain(|effect| !is_returned(effect));
        let at = self.out.iter().position(is_refusal).unwrap_or(self.out.len());
        self.out.insert(at, Effect::Emit(Live::ReturnedLine(line.into())));
    }

    /// A decision about this request was taken or refused: then the refusal is told to be of that one, so that whoever asks a person asks
    /// again about no other.
    pub(super) fn name_refusal(&mut self, request: EntryId) {
        if let Some(at) = self.out.iter().position(is_refusal) {
            self.out.insert(at, Effect::Emit(Live::Undecided(request)));
        }
    }

    /// Stops an operation.
    pub(super) fn cancel(&mut self, operation: Operation) {
        self.act(Effect::Cancel(operation));
    }

    /// The effects, in their order.
    pub(super) fn finish(self) -> Vec<Effect> {
        ordered(self.out)
    }
}

fn is_refusal(effect: &Effect) -> bool {
    matches!(effect, Effect::Emit(Live::Refused(_)))
}
