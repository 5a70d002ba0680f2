//! Background commands that end by themselves: written once, and told to the model with its next turn or message.

use std::collections::BTreeSet;

use crate::ledger::{
    BackgroundStatus, Body, CallId, Entry, Injected, Injector, Millis, Note, Remark, ToolUse,
};
use crate::tool::background_status;

use super::Agent;

/// What the ledger says of background commands.
#[derive(Debug, Clone, Default)]
pub(super) struct Shells {
    /// Calls without a result yet whose result will speak of one.
    about: BTreeSet<CallId>,
    running: BTreeSet<String>,
    /// Those whose end is written, and of them those whose end a result told the model.
    ended: BTreeSet<String>,
    told: BTreeSet<String>,
}

impl Shells {
    /// Takes in one more entry.
    pub(super) fn read(&mut self, entry: &Entry) {
        if let Body::ToolCall(call) | Body::CallEdited(call) = &entry.body
            && speaks(call)
        {
            self.about.insert(call.id);
        }
        if let Body::Note(note) = &entry.body
            && let Some(status) = note.ended()
        {
            self.stands(status.clone());
        }
        if let Body::ToolResult(result) = &entry.body
            && self.about.remove(&result.call)
            && let Some((standing, _)) = background_status(&result.content)
        {
            if !standing.is_running {
                self.told.insert(standing.id.clone());
            }
            self.stands(standing);
        }
    }

    fn stands(&mut self, standing: BackgroundStatus) {
        if standing.is_running {
            self.running.insert(standing.id);
        } else {
            self.running.remove(&standing.id);
            self.ended.insert(standing.id);
        }
    }
}

fn speaks(call: &ToolUse) -> bool {
    ["shell", "shell_output", "shell_kill"].contains(&call.name.as_str())
}

impl Agent {
    /// Writes the ends that nobody asked about. One whose first call has no result yet waits for it.
    pub(super) fn write_ended(&mut self, now: Millis) {
        for (call, standing) in std::mem::take(&mut self.ended) {
            let shells = self.books.shells();
            if shells.ended.contains(&standing.id) {
                continue;
            }
            if shells.running.contains(&standing.id) {
                self.books.ledger.remark(now, Remark::Note(Note::of_background(call, standing.clone())));
                self.untold.push(standing);
            } else {
                self.ended.push((call, standing));
            }
        }
    }

    /// Tells the model, unless a result has by now.
    pub(super) fn tell_ended(&mut self, now: Millis) {
        for standing in std::mem::take(&mut self.untold) {
            if self.books.shells().told.contains(&standing.id) {
                continue;
            }
            let text = format!(
                "The background command {} has ended: {}. shell_output says what it printed.",
                standing.id, standing.words
            );
            if self.books.ledger.inject(now, Injected::text(Injector::Environment, &text)).is_err() {
                self.untold.push(standing);
            }
        }
    }
}
