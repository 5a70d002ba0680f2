//! What came of sub-agents, as the ledger that started them says it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::agent::SubagentReport;
use crate::ledger::{
    Abort, Body, CallId, Change, Entry, EscrowSettlement, Outcome, Reach, Spent, TaskState, came_to_before,
};
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
        reach: Reach::default(),
    }
}

/// What sub-agents reported whose calls were cut short: each had settled before its result was written.
pub(super) fn cut_off(
    entries: &[Arc<Entry>],
    settled: &BTreeMap<CallId, EscrowSettlement>,
) -> BTreeMap<CallId, SubagentReport> {
    let cut = entries.iter().filter_map(|entry| {
        let Body::ToolResult(result) = &entry.body else { return None };
        let Outcome::Aborted(Abort { within: Some(reach), .. }) = result.outcome else { return None };
        let settled = settled.get(&result.call)?;
        let report = SubagentReport {
            outcome: Outcome::Failed,
            content: came_to_before(result)?.to_owned(),
            cut_chars: result.cut_chars,
            state: settled.state,
            spent: settled.spent,
            reach,
        };
        Some((result.call, report))
    });
    cut.collect()
}
