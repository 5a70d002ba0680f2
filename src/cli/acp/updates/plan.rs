//! `plan`: the to-do list of the model.

use serde_json::{Value, json};

use crate::ui::text::sanitize;
use crate::view::{PlanItem, PlanStatus};

/// The list as it is now.
pub(in crate::cli::acp) fn now(items: &[PlanItem]) -> Value {
    let entry = |item: &PlanItem| {
        let status = match item.status {
            PlanStatus::Pending => "pending",
            PlanStatus::InProgress => "in_progress",
            PlanStatus::Completed => "completed",
        };
        json!({ "content": sanitize(&item.text), "priority": "medium", "status": status })
    };
    json!({ "sessionUpdate": "plan", "entries": items.iter().map(entry).collect::<Vec<_>>() })
}
