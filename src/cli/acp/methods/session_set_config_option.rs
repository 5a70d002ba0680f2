//! `session/set_config_option`: mode, model and effort, and what each can be.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::acp::rpc::{self, RpcError};
use crate::config::models::{Listed, choices};
use crate::ledger::ModelRef;
use crate::model::{Effort, ModelSpec};
use crate::policy::Mode;

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/set_config_option";
/// The effort that is left to the vendor.
const VENDORS: &str = "default";
/// Most models that are offered: some clients read no line of more than 64 KiB.
const MOST_MODELS: usize = 200;
/// Longest value.
const LONGEST: usize = 512;

/// What is chosen, and what there is to choose from.
#[derive(Debug, Clone)]
pub(in crate::cli::acp) struct Options {
    /// The mode in force.
    pub(in crate::cli::acp) mode: Mode,
    /// The model that answers, now or from the next turn on.
    pub(in crate::cli::acp) model: String,
    /// How hard it thinks.
    pub(in crate::cli::acp) effort: Option<Effort>,
    /// What is known about models, that which the session began with first.
    known: Vec<ModelSpec>,
    /// Those that can be chosen, with their windows and prices.
    models: Vec<(String, String)>,
}

/// What is to be set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli::acp) enum OptionSetting {
    /// The mode.
    Mode(Mode),
    /// The model of this name.
    Model(String),
    /// The effort.
    Effort(Option<Effort>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetOptionParams {
    config_id: String,
    value: Value,
}

/// What is asked for.
///
/// # Errors
/// -32602: no such option, or no such value.
pub(in crate::cli::acp) fn read(params: Value) -> Result<OptionSetting, RpcError> {
    let SetOptionParams { config_id, value } = rpc::params(params)?;
    let Some(value) = value.as_str().filter(|value| value.len() <= LONGEST) else {
        return Err(RpcError::params("the value is not one of those that were offered"));
    };
    match config_id.as_str() {
        "mode" => Mode::parse(value).map(OptionSetting::Mode).map_err(RpcError::params),
        "model" => Ok(OptionSetting::Model(value.to_owned())),
        "effort" if value == VENDORS => Ok(OptionSetting::Effort(None)),
        "effort" => {
            Effort::parse(value).map(|level| OptionSetting::Effort(Some(level))).map_err(RpcError::params)
        }
        _ => Err(RpcError::params("there is no such option; there are mode, model and effort")),
    }
}

impl Options {
    /// What a session begins with.
    pub(in crate::cli::acp) fn new(
        mode: Mode,
        spec: &ModelSpec,
        effort: Option<Effort>,
        listed: &[Listed],
    ) -> Self {
        let (model, known) = (spec.model.to_string(), vec![spec.clone()]);
        let mut options = Self { mode, model, effort, known, models: Vec::new() };
        options.learn(listed);
        options
    }

    /// More models are known. Says whether more can be chosen.
    pub(in crate::cli::acp) fn learn(&mut self, listed: &[Listed]) -> bool {
        let Some(first) = self.known.first().cloned() else { return false };
        let begun_with = (first.model.to_string(), String::new());
        let specs = listed.iter().flat_map(|one| one.models.iter().cloned());
        self.known = std::iter::once(first).chain(specs).collect();
        let mut models = choices(listed, &self.model);
        // What the session began with can be chosen again, also where no list has it.
        if models.iter().all(|(name, _)| *name != begun_with.0) {
            models.insert(0, begun_with);
        }
        let is_news = models != self.models;
        self.models = models;
        is_news
    }

    /// Another model, or effort.
    pub(in crate::cli::acp) fn answering(&mut self, model: &ModelRef, effort: Option<Effort>) {
        (self.model, self.effort) = (model.to_string(), effort);
    }

    /// All three, as the protocol has them.
    pub(in crate::cli::acp) fn all(&self) -> Value {
        json!([self.modes(), self.models(), self.efforts()])
    }

    fn modes(&self) -> Value {
        let offered = Mode::ALL.iter().map(
            |mode| json!({ "value": mode.as_str(), "name": mode.as_str(), "description": mode.allows() }),
        );
        select(["mode", "Mode", "mode"], self.mode.as_str(), offered.collect())
    }

    fn models(&self) -> Value {
        let is_listed = self.models.iter().take(MOST_MODELS).any(|(name, _)| *name == self.model);
        let own = (!is_listed).then(|| json!({ "value": self.model, "name": self.model }));
        let listed = self.models.iter().take(MOST_MODELS).map(|(name, note)| {
            match note.split_whitespace().collect::<Vec<_>>().join(" ") {
                note if note.is_empty() => json!({ "value": name, "name": name }),
                note => json!({ "value": name, "name": name, "description": note }),
            }
        });
        select(["model", "Model", "model"], &self.model, own.into_iter().chain(listed).collect())
    }

    fn efforts(&self) -> Value {
        let spec = self.known.iter().find(|spec| spec.model.to_string() == self.model);
        let taken = spec.map_or_else(|| Effort::ALL.to_vec(), |spec| spec.abilities.efforts());
        let named = |level: &Effort| json!({ "value": level.as_str(), "name": level.as_str() });
        let vendors =
            json!({ "value": VENDORS, "name": VENDORS, "description": "as its vendor thinks best" });
        let offered = std::iter::once(vendors).chain(taken.iter().map(named)).collect();
        let current = self.effort.map_or(VENDORS, Effort::as_str);
        select(["effort", "Effort", "thought_level"], current, offered)
    }
}

fn select([id, name, category]: [&str; 3], current: &str, options: Vec<Value>) -> Value {
    json!({
        "id": id, "name": name, "category": category, "type": "select",
        "currentValue": current, "options": options,
    })
}
