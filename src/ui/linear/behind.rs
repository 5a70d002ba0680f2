//! A session in lines that stands behind that of a sub-agent.

use std::collections::BTreeSet;

use crate::agent::{Event, Live};
use crate::ledger::{CallId, EntryId, Millis};

use super::approvals::Approvals;
use super::budget_stop::Stop;
use super::output::LinearOutput;
use super::renderer::LinearRenderer;
use super::said_call::whose;

/// A session that stands behind the one that is said.
#[derive(Debug)]
pub(super) struct Behind {
    /// The call that started the one before it.
    pub(super) call: CallId,
    pub(super) renderer: LinearRenderer,
    pub(super) asking: Approvals,
    pub(super) stop: Stop,
}

impl Behind {
    /// Says what happens there. A call that comes to wait there is said whole only when the person is back.
    pub(super) fn hear(&mut self, event: &Event, now: Millis, output: &mut LinearOutput) {
        let waited: BTreeSet<EntryId> = self.renderer.view.waiting().iter().map(|(id, _)| *id).collect();
        self.renderer.view.tick(now);
        self.renderer.hear(event, now, output);
        // An answer may have been on its way when the session was left.
        if matches!(event.located().1, Event::Live(Live::Refused(_))) {
            self.asking.reopen();
        }
        let view = &self.renderer.view;
        for (_, request) in view.waiting().iter().filter(|(id, _)| !waited.contains(id)) {
            let whose = whose(view, request.call);
            output.say(&format!(
                "waits for you outside this session: {}{whose}; /back goes there",
                request.name
            ));
        }
    }
}
