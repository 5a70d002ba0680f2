//! A command of the user's own is a run without a line at its end: its panel says how it went.

use crate::ledger::{Body, CallId, Entry, EntryId};

use super::{CardBody, CardId, Mark, NamedCommand, Row, View};

impl View {
    /// Whether what runs now is a command of the user's own, which nothing steers.
    pub fn runs_own_command(&self) -> bool {
        self.is_own_command && self.status.is_busy()
    }

    /// Whether this end of a run is that of a command of the user's own, of which the panel stands right above it.
    pub fn ended_own_command(&self, end: EntryId) -> bool {
        let at = self.place(CardId::Entry(end)).unwrap_or(0);
        let mut before = (0..at).rev().filter_map(|at| self.card(at));
        let last = before.find(|card| !matches!(card.body, CardBody::Injected(_)));
        last.is_some_and(|card| matches!(&card.body, CardBody::Tool(panel) if panel.is_own_command()))
    }

    /// Whether no model is told of this call: `!!command`.
    pub fn is_untold(&self, call: CallId) -> bool {
        let said = self.message_of_command(call);
        said.is_some_and(|row| row.marks.iter().any(|mark| matches!(mark, Mark::Tombstoned(_))))
    }

    /// The custom command or the skill that runs this call before its message is sent, as it is called: `/name`. Somebody else has
    /// written what it runs, so whoever decides must know which one it is.
    pub fn custom_command(&self, call: CallId) -> Option<&str> {
        let Body::User(said) = &self.message_of_command(call)?.entry.body else { return None };
        said.content.split_whitespace().next().filter(|name| name.starts_with('/'))
    }

    /// What a person calls that which is called by this name, as in `/name`: a skill, where it is known as one. A name that was
    /// recorded and is known no more was that of a custom command, as far as anyone can tell.
    pub fn kind_of_named(&self, name: &str) -> &'static str {
        let is_it = |command: &&NamedCommand| name.strip_prefix('/') == Some(command.name.as_str());
        match self.settings.commands.iter().find(is_it) {
            Some(command) if command.is_skill => "skill",
            Some(_) | None => "custom command",
        }
    }

    /// The message that began the run of this command; `None`: the call is none. It stands right before the command, so little is
    /// looked through, however long the session is.
    fn message_of_command(&self, call: CallId) -> Option<&Row> {
        self.panel(call).filter(|panel| panel.is_own_command())?;
        self.message_before(call)
    }

    /// The last message of the user before this call.
    pub fn message_before(&self, call: CallId) -> Option<&Row> {
        let made = self.panel(call)?.made_by();
        let before = self.rows.get(..*self.row_of.get(&made)?)?;
        before.iter().rev().find(|row| matches!(row.entry.body, Body::User(_)))
    }

    /// Whether this is the end of such a run, which needs no line.
    pub(super) fn ends_own_command(&mut self, entry: &Entry) -> bool {
        match &entry.body {
            Body::Command(_) => {
                self.is_own_command = true;
                // What was said is known now as the command that runs, and may be shown otherwise.
                let revision = self.revision;
                let said = self.cards.iter_mut().rev().find(|card| matches!(card.body, CardBody::User(_)));
                said.into_iter().for_each(|card| card.revision = revision);
            }
            Body::User(_) => self.is_own_command = false,
            Body::TurnEnded(ended) => {
                return std::mem::take(&mut self.is_own_command) && ended.reason.completed();
            }
            _ => {}
        }
        false
    }
}
