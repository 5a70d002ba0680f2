//! The models of a session: who answers, and who was chosen next.

use std::collections::BTreeSet;

use crate::ledger::ModelRef;
use crate::model::{Effort, ModelSpec};

use super::Settings;
use super::scale::Scale;

/// What was chosen and is not in force yet.
#[derive(Debug, Default)]
pub(super) struct Chosen {
    pub(super) model: Option<Box<ModelSpec>>,
    pub(super) effort: Option<Option<Effort>>,
    /// The effort was chosen before the session had a ledger to write it into.
    pub(super) effort_is_unwritten: bool,
}

/// The models of a session: who answers, who was chosen next, and what answers have taught.
#[derive(Debug)]
pub(super) struct ModelChoice {
    /// The first of the chain: the one that the user chose last.
    pub(super) first: ModelSpec,
    /// How hard the models are to think; `None`: as each vendor thinks best.
    pub(super) effort: Option<Effort>,
    /// The model and the effort that the next turn will have.
    pub(super) chosen: Chosen,
    /// Models whose servers were found to take no tools.
    pub(super) without_tools: BTreeSet<ModelRef>,
    /// What the provider counted last where we estimated.
    pub(super) scale: Option<Scale>,
    /// An automatic compaction of this run failed; it is not tried again before the next message.
    pub(super) auto_compaction_failed: bool,
    /// Since the last answer a call was made again with less output, because the window had no room for more.
    pub(super) asked_for_less: bool,
}

impl ModelChoice {
    /// What a process begins with.
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            first: settings.model.clone(),
            effort: settings.effort,
            chosen: Chosen::default(),
            without_tools: BTreeSet::new(),
            scale: None,
            auto_compaction_failed: false,
            asked_for_less: false,
        }
    }
}
