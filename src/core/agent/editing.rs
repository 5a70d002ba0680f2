//! A person changes the arguments of a call that waits: it is another action now, examined from the start, and the
//! model is told what became of its words.

use crate::ledger::{Arguments, Injected, Injector, Millis, Remark, ToolUse};

use super::phase::{CallState, Pending};
use super::step::Step;
use super::{Agent, Live};

impl Agent {
    /// Takes in other arguments for a call that waits. Bad ones are refused, and the call still waits.
    pub(super) fn edit_call(&mut self, step: &mut Step, pending: &mut Pending, arguments: Arguments) {
        let changed = ToolUse { arguments, ..pending.call.clone() };
        if self.history.guards().is_validating() {
            let why = "the check of a goal cannot be changed here; n denies it, and /goal sets another";
            step.emit(Live::Refused(why.to_owned()));
            return;
        }
        if let Err(bad) = self.tools.registry.validate_edited(&changed.name, &changed.arguments) {
            let why = format!("not accepted, the arguments of {} are not valid: {bad}", changed.name);
            step.emit(Live::Refused(why));
            return;
        }
        self.history.ledger.remark(step.now, Remark::CallEdited(changed.clone()));
        self.look_at(step, &changed);
        (pending.call, pending.hooked, pending.looked) = (changed, None, None);
        pending.state = CallState::Preparing;
    }

    /// Tells the model what people have changed.
    pub(super) fn tell_edits(&mut self, now: Millis) {
        if let Some(words) = self.history.edits().words() {
            // While a call is open nothing can be said: then it is told later.
            drop(self.history.ledger.inject(now, Injected::text(Injector::Edit, words)));
        }
    }
}
