//! A command of the user's own is a run without a line at its end: its panel says how it went.

use crate::ledger::{Body, CallId, Entry};

use super::View;

impl View {
    /// The custom command that runs this call before its message is sent, as it is called: `/name`. Somebody else has
    /// written what it runs, so whoever decides must know which one it is.
    pub fn custom_command(&self, call: CallId) -> Option<&str> {
        let mut before = self.rows().iter().rev().map(|row| &row.entry.body);
        before.find(|body| matches!(body, Body::Command(made) if made.id == call))?;
        let Body::User(said) = before.find(|body| matches!(body, Body::User(_)))? else { return None };
        said.content.split_whitespace().next().filter(|name| name.starts_with('/'))
    }

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
