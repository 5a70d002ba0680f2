//! Between the screen and the loop: a model that is wished for by its name is found, connected and handed on.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::ports::model_port;
use crate::agent::Intent;
use crate::config::Config;
use crate::config::environment::Environment;
use crate::config::fault::{Fault, one_line};
use crate::config::models::{Table, reach};
use crate::ledger::ModelRef;
use crate::model::ModelSpec;
use crate::runtime::{ModelRouter, RunningMode};

/// Wishes that may wait while a model is looked for.
const WISHES_WAITING: usize = 16;

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

    async fn model(&self, name: String) -> Intent {
        let (switch, wanted) = (self.clone(), name.clone());
        let found = tokio::task::spawn_blocking(move || switch.find(&wanted)).await;
        let why = match found {
            Ok(Ok(spec)) => {
                // Not by the search itself: one that was replaced meanwhile chooses nothing.
                self.choose(&spec.model);
                return Intent::SetModel(Box::new(spec));
            }
            Ok(Err(fault)) => format!("{}: {}", one_line(&fault.message), one_line(&fault.next)),
            Err(broken) => format!("the model cannot be looked for: {broken}"),
        };
        Intent::GiveBack { text: format!("/model {name}"), why }
    }
}

/// A sender for the screen. What it takes reaches the loop in order and at once, except the wish for a model: that
/// arrives when it is found, as the model itself, or goes back to who wrote it. Nothing waits for it, and of two such
/// wishes the later one counts.
pub(crate) fn switching(switch: Switch, to_loop: mpsc::Sender<Intent>) -> mpsc::Sender<Intent> {
    relaying(to_loop, move |name| {
        let switch = switch.clone();
        async move { switch.model(name).await }
    })
}

fn relaying<Found>(
    to_loop: mpsc::Sender<Intent>,
    find: impl Fn(String) -> Found + Send + 'static,
) -> mpsc::Sender<Intent>
where
    Found: Future<Output = Intent> + Send + 'static,
{
    let (sender, mut wishes) = mpsc::channel(WISHES_WAITING);
    tokio::spawn(async move {
        let mut search: Option<JoinHandle<()>> = None;
        while let Some(intent) = wishes.recv().await {
            let Intent::ChooseModel(name) = intent else {
                if to_loop.send(intent).await.is_err() {
                    return;
                }
                continue;
            };
            if let Some(earlier) = search.take() {
                earlier.abort();
            }
            let (finding, to_loop) = (find(name), to_loop.clone());
            search = Some(tokio::spawn(async move {
                let found = finding.await;
                if to_loop.send(found).await.is_err() {
                    tracing::debug!("a model was found after the loop had ended");
                }
            }));
        }
    });
    sender
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, sleep};

    use super::*;

    /// A search takes as many seconds as its name says.
    async fn found(name: String) -> Intent {
        sleep(Duration::from_secs(name.parse().unwrap())).await;
        Intent::Refuse(name)
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_search_holds_nothing_up() {
        let (to_loop, mut heard) = mpsc::channel(16);
        let wishes = relaying(to_loop, found);
        let begun = Instant::now();
        wishes.send(Intent::ChooseModel("12".into())).await.unwrap();
        wishes.send(Intent::Compact).await.unwrap();
        wishes.send(Intent::Submit("y".into())).await.unwrap();
        assert_eq!(heard.recv().await, Some(Intent::Compact));
        assert_eq!(heard.recv().await, Some(Intent::Submit("y".into())));
        assert_eq!(begun.elapsed(), Duration::ZERO);
        assert_eq!(heard.recv().await, Some(Intent::Refuse("12".into())));
        assert_eq!(begun.elapsed().as_secs(), 12);
    }

    #[tokio::test(start_paused = true)]
    async fn of_two_searches_the_later_one_counts() {
        let (to_loop, mut heard) = mpsc::channel(16);
        let wishes = relaying(to_loop, found);
        for name in ["12", "3"] {
            wishes.send(Intent::ChooseModel(name.into())).await.unwrap();
        }
        assert_eq!(heard.recv().await, Some(Intent::Refuse("3".into())));
        wishes.send(Intent::ChooseModel("20".into())).await.unwrap();
        assert_eq!(heard.recv().await, Some(Intent::Refuse("20".into())), "the first was given up");
    }
}
