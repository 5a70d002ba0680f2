//! The background command that a call started.

use crate::tool::name::SHELL;

use super::shells::{BackgroundShell, began};
use super::{Panel, PanelState, View};

impl View {
    /// The command that this call started in the background, as it stands now.
    pub fn shell_of(&self, panel: &Panel) -> Option<&BackgroundShell> {
        let (PanelState::Finished(entry), Some(result)) = (&panel.state, panel.result()) else { return None };
        let standing = result.facts.background().filter(|_| panel.name() == SHELL)?;
        // An id can come again after a restart.
        let since = began(result, entry.at);
        self.shells.iter().rev().find(|shell| shell.id == standing.id && shell.since == since)
    }
}
