//! Runs of hooks, as far as the loop knows of them.

use std::collections::BTreeSet;

use crate::hooks::{HookId, Start};

/// Runs of hooks.
#[derive(Debug)]
pub(super) struct HookRuns {
    /// The name of the last run.
    pub(super) last: u64,
    /// Runs that nobody waits for.
    pub(super) fired: BTreeSet<HookId>,
    /// Hooks are told once per process how the session began.
    pub(super) starting: Option<Start>,
}

impl HookRuns {
    /// None yet; a session that has entries is resumed.
    pub(super) fn new(is_resumed: bool) -> Self {
        let starting = Some(if is_resumed { Start::Resume } else { Start::Startup });
        Self { last: 0, fired: BTreeSet::new(), starting }
    }
}
