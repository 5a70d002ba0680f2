//! A command of the user's own is a run without a line at its end: its panel says how it went.

use crate::ledger::{Body, Entry};

use super::View;

impl View {
    /// Whether this is the end of such a run, which needs no line.
    pub(super) fn ends_own_command(&mut self, entry: &Entry) -> bool {
        match &entry.body {
            Body::Command(_) => self.is_own_command = true,
            Body::User(_) => self.is_own_command = false,
            Body::TurnEnded(ended) => {
                return std::mem::take(&mut self.is_own_command) && ended.reason.completed();
            }
            _ => {}
        }
        false
    }
}
