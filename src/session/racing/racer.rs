//! Races and adoptions that a front end asks for.

use std::path::PathBuf;

use super::{adoption, lanes_of, race_in};
use crate::agent::Intent;
use crate::config::environment::Environment;
use crate::config::{Config, Invocation};
use crate::ui::RaceWish;

/// Of one session.
#[derive(Debug, Clone)]
pub(crate) struct Racer {
    state: PathBuf,
    id: String,
    folder: PathBuf,
    config: Config,
    environment: Environment,
}

impl Racer {
    /// Of the session of this id.
    pub(crate) fn new(state: PathBuf, id: String, invocation: &Invocation) -> Self {
        let (config, environment) = (invocation.config.clone(), invocation.environment.clone());
        Self { state, id, folder: invocation.cwd.clone(), config, environment }
    }

    /// The race as an intent.
    ///
    /// # Errors
    /// Why it cannot be run, in one sentence.
    pub(crate) fn race(&self, wish: &RaceWish) -> Result<Intent, String> {
        race_in(&self.folder, wish, &self.config, &self.environment)
            .map(|(race, _)| Intent::Race(Box::new(race)))
    }

    /// The adoption of a lane as an intent.
    ///
    /// # Errors
    /// Why there is nothing to take, in one sentence.
    pub(crate) fn adopt(&self, lane: u64) -> Result<Intent, String> {
        let lanes = lanes_of(&self.state, &self.id, &self.folder)?;
        if lanes.is_empty() {
            return Err("this session had no race: /race starts one".to_owned());
        }
        Ok(Intent::Adopt(Box::new(adoption(&lanes, lane, &self.folder)?)))
    }
}
