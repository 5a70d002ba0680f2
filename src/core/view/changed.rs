//! The files that calls of this session have changed, by their paths.

use std::collections::BTreeSet;

use crate::ledger::Outcome;
use crate::tool::name::{EDIT, WRITE};

use super::{View, subject};

impl View {
    /// The paths of calls that wrote or edited a file and worked, each once.
    pub fn changed_paths(&self) -> BTreeSet<String> {
        let panels = (0..self.len()).filter_map(|at| self.card(at)?.panel());
        let changed = panels.filter(|panel| {
            let worked = panel.result().is_some_and(|result| result.outcome == Outcome::Ok);
            worked && [WRITE, EDIT].contains(&panel.name())
        });
        changed.map(subject).collect()
    }
}
