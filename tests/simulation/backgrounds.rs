//! The rules of commands that go on in the background: an end is written once and after the result that told of its
//! beginning, and the model is told of it once.

use std::collections::{BTreeMap, BTreeSet};

use countersign::ledger::{CallId, Injected, Injector, Note, ToolResult, ToolUse};

#[derive(Default, Clone)]
pub struct Backgrounds {
    shells: BTreeSet<CallId>,
    /// What results and notes say of each, by its id.
    running: BTreeSet<String>,
    /// What a person has stopped, and whether that was done.
    stopped: BTreeMap<String, bool>,
    /// Of those that ended, whether the model was told.
    ended: BTreeMap<String, bool>,
}

impl Backgrounds {
    pub fn begin(&mut self, call: &ToolUse) {
        if call.name == "shell" {
            self.shells.insert(call.id);
        }
    }

    pub fn is_shell(&self, call: CallId) -> bool {
        self.shells.contains(&call)
    }

    pub fn shells(&self) -> impl Iterator<Item = CallId> {
        self.shells.iter().copied().collect::<Vec<_>>().into_iter()
    }

    pub fn result(&mut self, result: &ToolResult) {
        let standing = result.facts.background();
        if let Some(standing) = standing.filter(|_| self.is_shell(result.call)) {
            self.running.insert(standing.id.clone());
        }
    }

    pub fn running(&self) -> impl Iterator<Item = &String> {
        self.running.iter()
    }

    /// That a person stops one is written once, of one that runs.
    pub fn stop(&mut self, id: &str, call: CallId) -> Result<(), String> {
        if !self.running.contains(id) || !self.is_shell(call) {
            return Err(format!("{id} is stopped, and was not known to run"));
        }
        match self.stopped.insert(id.to_owned(), false) {
            None => Ok(()),
            Some(_) => Err(format!("{id} is stopped twice")),
        }
    }

    /// It is done once, and after it was written.
    pub fn is_stopped_now(&mut self, id: &str) -> Result<(), String> {
        match self.stopped.insert(id.to_owned(), true) {
            Some(false) => Ok(()),
            _ => Err(format!("{id} is stopped, and that was not written")),
        }
    }

    pub fn note(&mut self, note: &Note) -> Result<(), String> {
        let Some(standing) = note.ended() else { return Ok(()) };
        if !self.running.remove(&standing.id) {
            return Err(format!("{} has ended, and was not known to run", standing.id));
        }
        self.ended.insert(standing.id.clone(), false);
        Ok(())
    }

    pub fn tell(&mut self, injected: &Injected) -> Result<(), String> {
        let text = &injected.text;
        let said =
            text.strip_prefix("The background command ").filter(|_| injected.by == Injector::Background);
        let Some(id) = said.and_then(|rest| rest.split_once(' ')).map(|(id, _)| id) else { return Ok(()) };
        match self.ended.insert(id.to_owned(), true) {
            Some(false) => Ok(()),
            Some(true) => Err(format!("a model is told twice that {id} has ended")),
            None => Err(format!("a model is told of an end of {id}, which was not written")),
        }
    }

    /// A model that takes a turn knows which of them have ended.
    pub fn are_told(&self) -> Result<(), String> {
        match self.ended.iter().find(|(_, told)| !**told) {
            None => Ok(()),
            Some((id, _)) => Err(format!("a model was not told that {id} has ended")),
        }
    }
}
