//! The user types into the terminal of a running command: passed on, never kept. That it was done is in the books before
//! the first key arrives, and the result says it to the model.

use crate::ledger::{CallId, Note, Remark, Settlement, told_of_typing, was_typed_into};
use crate::tool::{MOST_TYPED, Typed, has_terminal};

use super::phase::{CallState, Phase};
use super::step::Step;
use super::{Agent, Effect, Live};

impl Agent {
    /// Passes on keys, if the call runs and has a terminal; else says why not.
    pub(super) fn type_into(&mut self, step: &mut Step, phase: &Phase, call: CallId, typed: Typed) {
        if let Err(why) = takes_keys(phase, call, &typed) {
            return step.emit(Live::Refused(format!("not typed: {why}")));
        }
        if !was_typed_into(self.history.ledger.entries(), call) {
            self.history.ledger.remark(step.now, Remark::Note(Note::of_typing(call)));
        }
        step.act(Effect::TypeInto(call, typed));
    }

    /// The result, with a line more if the user typed into the call's terminal.
    pub(super) fn told_of_typing(&self, call: CallId, result: Settlement) -> Settlement {
        let content = told_of_typing(self.history.ledger.entries(), call, result.content);
        Settlement { content, ..result }
    }
}

/// Whether the call takes keys now.
///
/// # Errors
/// Why not, in words for a person.
fn takes_keys(phase: &Phase, call: CallId, typed: &Typed) -> Result<(), String> {
    let over = || format!("{call} is not running; nothing was sent");
    let Phase::Dispatching(dispatching) = phase else { return Err(over()) };
    let pending = dispatching.calls.iter().find(|pending| pending.call.id == call).ok_or_else(over)?;
    if !matches!(pending.state, CallState::Running(_)) {
        return Err(over());
    }
    if !has_terminal(&pending.call.name, &pending.call.arguments) {
        return Err(format!("{call} has no terminal; only a `shell` call with `pty` has one"));
    }
    if typed.0.len() > MOST_TYPED {
        return Err(format!("more than {} KB at once; paste less", MOST_TYPED >> 10));
    }
    Ok(())
}
