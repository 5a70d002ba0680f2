//! What a run is started with: the folder, the environment, the configuration.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::environment::Environment;
use super::kept_files::KeptFiles;
use super::{Config, Source};
use crate::agent::Intent;
use crate::ledger::Goal;
use crate::tool::AnswerSchema;

/// What every run of the loop and every screen is started with.
#[derive(Debug, Clone)]
pub struct Invocation {
    /// The folder that is worked in: absolute, symlinks resolved.
    pub cwd: PathBuf,
    /// The user's own folder, where the work goes on in a branch's.
    pub(crate) came_from: Option<PathBuf>,
    /// Of a sub-agent in a worktree: the folders of the sessions above it, the first the one of a person.
    pub(crate) parents: Vec<PathBuf>,
    /// The environment.
    pub environment: Environment,
    /// The configuration.
    pub config: Config,
    /// The goal of `--goal`.
    pub goal: Option<Goal>,
    /// The schema of `--output-schema`.
    pub answer_schema: Option<Arc<AnswerSchema>>,
    /// Where images of the clipboard are, whichever session is open.
    pub(crate) pasted: KeptFiles,
}

impl Invocation {
    /// In a folder of the user's, without a goal and without a schema.
    pub(crate) fn new(cwd: PathBuf, environment: Environment, config: Config) -> Self {
        let (came_from, parents) = (None, Vec::new());
        let (goal, answer_schema, pasted) = Default::default();
        Self { cwd, came_from, parents, environment, config, goal, answer_schema, pasted }
    }

    /// How the run begins: with the goal, with a message, with both; `None` when there is neither.
    pub(crate) fn first(&self, prompt: Option<&str>) -> Option<Intent> {
        let prompt = prompt.filter(|words| !words.trim().is_empty());
        match (&self.goal, prompt) {
            (Some(goal), words) => {
                Some(Intent::Pursue(Box::new(goal.clone()), words.unwrap_or_default().into()))
            }
            (None, Some(words)) => Some(Intent::Submit(words.into())),
            (None, None) => None,
        }
    }

    /// The same in another folder, with another model if one is named.
    pub(crate) fn elsewhere(&self, folder: &Path, model: Option<&str>) -> Self {
        let mut config = self.config.clone();
        if let Some(name) = model {
            config.model = Some(name.to_owned());
            config.origins.insert("model".to_owned(), Source::Flag("/whatif"));
        }
        Self {
            cwd: folder.to_owned(),
            came_from: Some(self.came_from.as_ref().unwrap_or(&self.cwd).clone()),
            parents: self.parents.clone(),
            environment: self.environment.clone(),
            config,
            goal: None,
            answer_schema: self.answer_schema.clone(),
            pasted: self.pasted.clone(),
        }
    }
}

impl Invocation {
    /// What tools and hooks may know of the environment. Whatever a variable is called: one that the configuration
    /// names as a key's stays here.
    pub(crate) fn environment_of_programs(&self) -> Vec<(OsString, OsString)> {
        let keys = self.config.providers.values().filter_map(|p| p.api_key_env.as_deref());
        let keys: Vec<&str> = keys.chain(self.config.telemetry.headers_env.as_deref()).collect();
        let mut all = self.environment.all();
        all.retain(|(name, _)| !keys.iter().any(|key| name.as_os_str() == *key));
        all
    }

    /// The variables that the configuration names for commands, whatever they look like.
    pub(crate) fn named_for_programs(&self) -> Vec<(OsString, OsString)> {
        let mut all = self.environment.all();
        all.retain(|(name, _)| self.config.pass_env.iter().any(|named| name.as_os_str() == named.as_str()));
        all
    }
}
