//! Between the screen and the loop: a model that is wished for by its name is found, connected and handed on.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;

use super::config::Config;
use super::environment::Environment;
use super::fault::{Fault, one_line};
use super::models::{Table, reach};
use super::ports::model_port;
use crate::agent::Intent;
use crate::ledger::ModelRef;
use crate::model::ModelSpec;
use crate::runtime::{ModelRouter, RunningMode};

/// Wishes that may wait while a model is looked for.
const WISHES_WAITING: usize = 16;

/// Finds models by their names, and how each calls tools.
#[derive(Clone)]
pub(super) struct Switch {
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
    pub(super) fn new(
        config: Config,
        environment: Environment,
        router: ModelRouter,
        all: Vec<(ModelRef, RunningMode)>,
    ) -> Self {
        let chosen = all.first().map(|(_, mode)| mode.clone()).unwrap_or_default();
        Self { config, environment, router, modes: Arc::new(Mutex::new(Modes { chosen, all })) }
    }

    /// How the chosen model calls tools: `native` or `string`. A server that refuses tools changes it.
    pub(super) fn tools_mode(&self) -> &'static str {
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
        let known = modes.all.iter().find(|(of, _)| of == model).map(|(_, mode)| mode.clone());
        modes.chosen = known.unwrap_or_default();
        Ok(choice.spec)
    }

    async fn model(&self, name: String) -> Intent {
        let (switch, wanted) = (self.clone(), name.clone());
        let found = tokio::task::spawn_blocking(move || switch.find(&wanted)).await;
        let why = match found {
            Ok(Ok(spec)) => return Intent::SetModel(Box::new(spec)),
            Ok(Err(fault)) => format!("{}: {}", one_line(&fault.message), one_line(&fault.next)),
            Err(broken) => format!("the model cannot be looked for: {broken}"),
        };
        Intent::GiveBack { text: format!("/model {name}"), why }
    }
}

/// A sender for the screen. What it takes reaches the loop in order; the wish for a model as the model itself, or back
/// to who wrote it. Esc has a channel of its own and waits for no server.
pub(super) fn switching(switch: Switch, to_loop: mpsc::Sender<Intent>) -> mpsc::Sender<Intent> {
    let (sender, mut wishes) = mpsc::channel(WISHES_WAITING);
    tokio::spawn(async move {
        while let Some(intent) = wishes.recv().await {
            let intent = match intent {
                Intent::ChooseModel(name) => switch.model(name).await,
                other => other,
            };
            if to_loop.send(intent).await.is_err() {
                return;
            }
        }
    });
    sender
}
