//! The model that was chosen and does not answer yet.

use crate::ledger::ModelRef;

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PendingModel {
    /// It is looked for, by this name: a command may have to find its key. Until then messages go to the other one.
    Sought(String),
    /// It answers from the next turn on.
    Next(String),
}

impl PendingModel {
    /// What is said when the search begins.
    pub(super) fn words(name: &str, now: &str) -> String {
        format!("looking for {name}: until it is found, {now} is used")
    }

    /// Whether the loop's word about `model` leaves the search as it is.
    pub(super) fn goes_on(&self, model: &ModelRef) -> bool {
        matches!(self, Self::Sought(name) if ModelRef::parse(name) != *model)
    }

    /// Whether the model of this name is what is looked for.
    pub(super) fn is_sought(&self, wanted: &str) -> bool {
        matches!(self, Self::Sought(name) if name == wanted)
    }
}
