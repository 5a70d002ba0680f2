//! Models by their names: one is found, connected and chosen while another answers.

use super::ports::{model_port, with_tool_calls};
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::fault::{Fault, one_line};
use crate::config::models::{Table, reach};
use crate::ledger::ModelRef;
use crate::model::ModelSpec;
use crate::runtime::ModelRouter;

/// Finds models by their names.
#[derive(Clone)]
pub(crate) struct Switch {
    config: Config,
    environment: Environment,
    router: ModelRouter,
}

impl Switch {
    /// A switch over a router.
    pub(crate) fn new(config: Config, environment: Environment, router: ModelRouter) -> Self {
        Self { config, environment, router }
    }

    /// The model of this name, reachable from here on. Runs the key's command and asks a server on this machine, if
    /// there are any.
    ///
    /// # Errors
    /// As at the start: a name that is none, a key that is missing, a cost limit and no price.
    fn find(&self, name: &str) -> Result<ModelSpec, Fault> {
        let choice = reach(&ModelRef::parse(name), &self.config, &self.environment, &Table::embedded())?;
        let choice = with_tool_calls(choice, &self.config);
        let model = &choice.spec.model;
        if !self.router.has(model) {
            self.router.add(model.clone(), model_port(&choice, &self.config)?);
        }
        Ok(choice.spec)
    }

    /// The model of this name, found beside the loop and chosen.
    ///
    /// # Errors
    /// What happened and what to do next, in a line.
    pub(crate) async fn model(&self, name: String) -> Result<ModelSpec, String> {
        let switch = self.clone();
        match tokio::task::spawn_blocking(move || switch.find(&name)).await {
            Ok(Ok(spec)) => Ok(spec),
            Ok(Err(fault)) => Err(format!("{}: {}", one_line(&fault.message), one_line(&fault.next))),
            Err(broken) => Err(format!("the search for the model failed: {broken}")),
        }
    }
}
