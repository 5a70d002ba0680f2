//! What came of sub-agents, as the ledger that started them says it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::agent::SubagentReport;
use crate::ledger::{Body, CallId, Change, Entry, EscrowSettlement, Spent, TaskState};
use crate::tool::ToolReport;

/// The settlement of each sub-agent.
pub(super) fn settled(entries: &[Arc<Entry>]) -> BTreeMap<CallId, EscrowSettlement> {
    let settled = entries.iter().filter_map(|entry| match &entry.body {
        Body::Change(Change::EscrowSettled(settled)) => Some((settled.call, settled.clone())),
        _ => None,
    });
    settled.collect()
}

/// The report of a sub-agent whose call had this result.
pub(super) fn report(settled: Option<&EscrowSettlement>, report: ToolReport) -> SubagentReport {
    SubagentReport {
        outcome: report.outcome,
        content: report.content,
        cut_chars: report.cut_chars,
        state: settled.map_or(TaskState::Unknown, |settled| settled.state),
        spent: settled.map_or(Spent::default(), |settled| settled.spent),
    }
}
