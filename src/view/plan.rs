//! The model's to-do list: what its last `plan` call that worked was called with.

use serde_json::Value;

use crate::ledger::{Arguments, Outcome, ToolResult};

use super::Panel;

/// One thing that is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanItem {
    /// In the model's words, one line: not yet safe for a screen.
    pub text: String,
    /// How far it is.
    pub status: PlanStatus,
}

/// How far an item of the plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanStatus {
    /// Not begun.
    Pending,
    /// Under way.
    InProgress,
    /// Done.
    Completed,
}

/// The list that a call has set; `None` when it is another tool's, or did not work.
pub(super) fn of(panel: &Panel, result: &ToolResult) -> Option<Vec<PlanItem>> {
    if panel.name() != "plan" || result.outcome != Outcome::Ok {
        return None;
    }
    let Some(Arguments::Object(members)) = panel.arguments() else { return None };
    let items = members.get("items").and_then(Value::as_array)?;
    Some(items.iter().filter_map(item).collect())
}

fn item(value: &Value) -> Option<PlanItem> {
    let status = match value.get("status")?.as_str()? {
        "pending" => PlanStatus::Pending,
        "in_progress" => PlanStatus::InProgress,
        "completed" => PlanStatus::Completed,
        _ => return None,
    };
    Some(PlanItem { text: value.get("text")?.as_str()?.trim().to_owned(), status })
}
