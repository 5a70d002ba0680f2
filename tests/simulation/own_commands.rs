//! The rules of commands that the user runs as their own: each is a run by itself, and the model is told of it once, or never.

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign::agent::{Input, Intent, OwnCommand};
use countersign::ledger::{Body, Entry, EntryId, UserMessage};

use crate::pasted::numbered;
use crate::typed::typed_line;
use crate::world::World;

/// The command that is the run, if it is one.
#[derive(Default, Clone)]
pub struct OwnCommands {
    /// The user's last message.
    said: Option<EntryId>,
    /// Whether a command is the run, and whether the model was told of it.
    run: Option<bool>,
    /// Whether the run is a race.
    is_race: bool,
}

impl OwnCommands {
    pub fn say(&mut self, message: EntryId) {
        (self.said, self.run, self.is_race) = (Some(message), None, false);
    }

    /// A lane: others may follow in the same run, and no model is asked.
    pub fn lane(&mut self) -> Result<(), String> {
        self.is_race = true;
        match (self.said, self.run) {
            (Some(_), None) => Ok(()),
            _ => Err("a race is not a run of its own".into()),
        }
    }

    pub fn begin(&mut self) -> Result<(), String> {
        match self.run.replace(false) {
            None if self.said.is_some() && !self.is_race => Ok(()),
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
        self.run
            .or(self.is_race.then_some(false))
            .map_or(Ok(()), |_| Err("a model is asked because of a command of the user".into()))
    }

    /// The run ends: the model was told, unless the user left the command out.
    pub fn end(&mut self, withdrawn: &BTreeSet<EntryId>) -> Result<(), String> {
        self.is_race = false;
        let is_hidden = self.said.is_some_and(|said| withdrawn.contains(&said));
        match self.run.take() {
            Some(was_told) if was_told == is_hidden => {
                Err(format!("a command of the user: hidden {is_hidden}, told {was_told}"))
            }
            _ => Ok(()),
        }
    }
}

impl World {
    /// What a person types that is no message.
    pub fn offer_commands(&self, options: &mut Vec<Input>) {
        let own = |command: &str, is_shared, typed, then: Option<UserMessage>| {
            Input::Intent(Intent::Command(OwnCommand {
                command: command.to_owned(),
                is_shared,
                typed,
                then: then.map(Box::new),
                must_succeed: false,
            }))
        };
        options.extend([true, false].map(|is_shared| own("ls", is_shared, None, None)));
        if !self.bounds.rare {
            options.push(typed_line(Intent::Rename("a name".to_owned())));
            // Opened and closed, and what is not a host.
            let host = || "a.example".to_owned();
            options.extend([Intent::OpenHost(host()), Intent::CloseHost(host())].map(typed_line));
            let accepts = Intent::AcceptGaps { call: None, gaps: vec![".env can be read".to_owned()] };
            options.extend([accepts, Intent::RefuseGaps].map(Input::Intent));
            let then = self.commands.is_multiple_of(2).then(|| numbered("behind", self.commands));
            options.push(own("rm x", true, Some("/custom".into()), then));
            let is_said = |entry: &&Arc<Entry>| matches!(entry.body, Body::User(_));
            let said = self.log.entries.iter().filter(is_said).map(|entry| entry.id).next_back();
            // To a message of theirs, and to what is none.
            let back = |message| Intent::Rewind { message, branch: "another".to_owned() };
            options.extend(said.into_iter().chain([EntryId(9_999)]).map(back).map(Input::Intent));
        }
    }
}
