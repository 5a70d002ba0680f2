//! Races and adoptions that a front end asks for, and how the lanes stand.

use std::path::PathBuf;

use super::{LaneStanding, adoption, lanes, race_in};
use crate::agent::Intent;
use crate::runtime::SessionStore;
use crate::runtime::store::{find, held};
use crate::ui::RaceWish;

/// Of one session.
#[derive(Debug, Clone)]
pub(crate) struct Racer {
    state: PathBuf,
    id: String,
    folder: PathBuf,
}

impl Racer {
    /// Of the session of this id, which works in this folder.
    pub(crate) fn new(state: PathBuf, id: String, folder: PathBuf) -> Self {
        Self { state, id, folder }
    }

    /// The race as an intent.
    ///
    /// # Errors
    /// Why it cannot be run, in one sentence.
    pub(crate) fn race(&self, wish: &RaceWish) -> Result<Intent, String> {
        race_in(&self.folder, wish).map(|(race, _)| Intent::Race(Box::new(race)))
    }

    /// The adoption of a lane as an intent.
    ///
    /// # Errors
    /// Why there is nothing to take, in one sentence.
    pub(crate) fn adopt(&self, lane: u64) -> Result<Intent, String> {
        let lanes = self.lanes()?;
        if lanes.is_empty() {
            return Err("this session had no race: /race starts one".to_owned());
        }
        Ok(Intent::Adopt(Box::new(adoption(&lanes, lane, &self.folder)?)))
    }

    /// How the lanes of the last race stand.
    ///
    /// # Errors
    /// The session cannot be read.
    pub(crate) fn lanes(&self) -> Result<Vec<LaneStanding>, String> {
        let Ok(path) = find(&self.state, &self.id) else { return Ok(Vec::new()) };
        let entries = SessionStore::read(&path)?.entries;
        Ok(lanes(&self.state, &entries, &self.folder, held(&path).is_some()))
    }
}
