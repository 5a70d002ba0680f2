//! The rules of commands that the user runs as their own: each is a run by itself, and the model is told of it once, or never.

use std::collections::BTreeSet;

use countersign::ledger::EntryId;

/// The command that is the run, if it is one.
#[derive(Default, Clone)]
pub struct OwnCommands {
    /// The user's last message.
    said: Option<EntryId>,
    /// Whether a command is the run, and whether the model was told of it.
    run: Option<bool>,
}

impl OwnCommands {
    pub fn say(&mut self, message: EntryId) {
        (self.said, self.run) = (Some(message), None);
    }

    pub fn begin(&mut self) -> Result<(), String> {
        match self.run.replace(false) {
            None if self.said.is_some() => Ok(()),
            _ => Err("a command of the user is not a run of its own".into()),
        }
    }

    pub fn tell(&mut self) -> Result<(), String> {
        match self.run.replace(true) {
            Some(false) => Ok(()),
            _ => Err("a model is told of a command that was not run, or twice".into()),
        }
    }

    /// A model is asked.
    pub fn ask(&self) -> Result<(), String> {
        self.run.map_or(Ok(()), |_| Err("a model is asked because of a command of the user".into()))
    }

    /// The run ends: the model was told, unless the user left the command out.
    pub fn end(&mut self, withdrawn: &BTreeSet<EntryId>) -> Result<(), String> {
        let is_hidden = self.said.is_some_and(|said| withdrawn.contains(&said));
        match self.run.take() {
            Some(was_told) if was_told == is_hidden => {
                Err(format!("a command of the user: hidden {is_hidden}, told {was_told}"))
            }
            _ => Ok(()),
        }
    }
}
