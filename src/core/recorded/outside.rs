//! What the player needs that no ledger holds.

use crate::hooks::{HookAnswer, HookCall};
use crate::ledger::ModelRef;
use crate::model::{ModelSpec, Request};
use crate::tool::{Invocation, Preparation};

use super::Answered;

/// Answers for the world. Whoever implements it decides how much of today's world a session is played in.
pub trait Outside {
    /// What a look at a call says. What was recorded about it (preview, where its path led) is put over it.
    fn look(&mut self, call: &Invocation) -> Preparation;

    /// What the configured hooks say.
    fn hooks(&mut self, call: &HookCall) -> Vec<HookAnswer>;

    /// Facts about a model that a person chose.
    fn model(&mut self, model: &ModelRef) -> ModelSpec;

    /// What a model of today answers, in the place of the one on the tape.
    fn answer(&mut self, _request: &Request) -> Option<Answered> {
        None
    }
}

/// No world at all: looks find nothing, hooks say nothing, models are unknown.
#[derive(Debug, Clone, Copy, Default)]
pub struct NothingOutside;

impl Outside for NothingOutside {
    fn look(&mut self, _call: &Invocation) -> Preparation {
        Preparation::default()
    }

    fn hooks(&mut self, _call: &HookCall) -> Vec<HookAnswer> {
        Vec::new()
    }

    fn model(&mut self, model: &ModelRef) -> ModelSpec {
        ModelSpec::unknown(model.clone())
    }
}
