//! What notes change in what is to be seen.

use crate::ledger::{Millis, Note};

use super::{View, shells};

impl View {
    /// A background command has ended, or a hook has changed a call.
    pub(super) fn noted(&mut self, note: &Note, at: Millis) {
        if let Some(status) = note.ended() {
            shells::end(&mut self.shells, status.clone(), at);
        }
        if let Some((call, arguments)) = note.changed_by_hook() {
            self.change_panel(call, |panel| panel.change_by_hook(arguments));
        }
    }
}
