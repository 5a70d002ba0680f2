//! Models by their names: one is found, connected and chosen while another answers.

use std::sync::{Arc, Mutex, PoisonError};

use super::ports::model_port;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::fault::{Fault, one_line};
use crate::config::models::{Table, reach};
use crate::ledger::ModelRef;
use crate::model::ModelSpec;
use crate::runtime::{ModelRouter, RunningMode};

/// Finds models by their names, and how each calls tools.
#[derive(Clone)]
pub(crate) struct Switch {
    config: Config,
    environment: Environment,
    router: ModelRouter,
    modes: Arc<Mutex<Modes>>,
}

struct Modes {
    chosen: RunningMode,
    all: Vec<(ModelRef, RunningMode)>,
}

impl Switch {
    /// A switch over a router whose models call tools in these modes, the first of them the one that answers.
    pub(crate) fn new(
        config: Config,
        environment: Environment,
        router: ModelRouter,
        all: Vec<(ModelRef, RunningMode)>,
    ) -> Self {
        let chosen = all.first().map(|(_, mode)| mode.clone()).unwrap_or_default();
        Self { config, environment, router, modes: Arc::new(Mutex::new(Modes { chosen, all })) }
    }

    /// How the chosen model calls tools: `native` or `string`. A server that refuses tools changes it.
    pub(crate) fn tools_mode(&self) -> &'static str {
        self.modes.lock().unwrap_or_else(PoisonError::into_inner).chosen.word()
    }

    /// The model of this name, reachable from here on. Runs the key's command and asks a server on this machine, if
    /// there are any.
    ///
    /// # Errors
    /// As at the start: a name that is none, a key that is missing, a cost limit and no price.
    fn find(&self, name: &str) -> Result<ModelSpec, Fault> {
        let choice = reach(&ModelRef::parse(name), &self.config, &self.environment, &Table::embedded())?;
        let model = &choice.spec.model;
        let mut modes = self.modes.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.router.has(model) {
            let (port, mode) = model_port(&choice, &self.config)?;
            self.router.add(model.clone(), port);
            modes.all.push((model.clone(), mode));
        }
        Ok(choice.spec)
    }

    /// From here on this model is the one that answers.
    fn choose(&self, model: &ModelRef) {
        let mut modes = self.modes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = modes.all.iter().find(|(of, _)| of == model).map(|(_, mode)| mode.clone());
        modes.chosen = known.unwrap_or_default();
    }

    /// The model of this name, found beside the loop and chosen.
    ///
    /// # Errors
    /// What happened and what to do next, in a line.
    pub(crate) async fn model(&self, name: String) -> Result<ModelSpec, String> {
        let switch = self.clone();
        match tokio::task::spawn_blocking(move || switch.find(&name)).await {
            Ok(Ok(spec)) => {
                // Not by the search itself: one that was replaced meanwhile chooses nothing.
                self.choose(&spec.model);
                Ok(spec)
            }
            Ok(Err(fault)) => Err(format!("{}: {}", one_line(&fault.message), one_line(&fault.next))),
            Err(broken) => Err(format!("the model cannot be looked for: {broken}")),
        }
    }
}
