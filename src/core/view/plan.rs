//! The model's to-do list: what its last `plan` call that worked was called with.

use serde_json::Value;

use crate::ledger::{Arguments, Outcome, ToolResult};
use crate::tool::name::PLAN;

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

impl PlanStatus {
    /// In a word, for screens without colours and signs, and for lines that are spoken.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Pending => "later",
            Self::InProgress => "now",
            Self::Completed => "done",
        }
    }
}

/// How far a plan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanProgress<'a> {
    /// Items done.
    pub done: usize,
    /// Items in all.
    pub all: usize,
    /// What is under way, else what comes next; `None` when all is done.
    pub current: Option<&'a PlanItem>,
}

impl<'a> PlanProgress<'a> {
    /// Counts the items.
    pub fn of(items: &'a [PlanItem]) -> Self {
        let first = |status| items.iter().find(|item| item.status == status);
        Self {
            done: items.iter().filter(|item| item.status == PlanStatus::Completed).count(),
            all: items.len(),
            current: first(PlanStatus::InProgress).or_else(|| first(PlanStatus::Pending)),
        }
    }

    /// `3 of 7 done · now: write the tests`; the item's words are not yet safe for a screen.
    pub fn words(&self) -> String {
        match self.current {
            None if self.all == 0 => "cleared".to_owned(),
            None => format!("all {} done", self.all),
            Some(item) => {
                let when = if item.status == PlanStatus::InProgress { "now" } else { "next" };
                format!("{} of {} done · {when}: {}", self.done, self.all, item.text)
            }
        }
    }
}

/// The list that a call has set; `None` when it is another tool's, or did not work.
pub(super) fn of(panel: &Panel, result: &ToolResult) -> Option<Vec<PlanItem>> {
    if panel.name() != PLAN || result.outcome != Outcome::Ok {
        return None;
    }
    read(panel.arguments()?)
}

/// The items that a call of `plan` has; `None` when the arguments are those of no plan.
pub(super) fn read(arguments: &Arguments) -> Option<Vec<PlanItem>> {
    let Arguments::Object(members) = arguments else { return None };
    members.get("items")?.as_array()?.iter().map(item).collect()
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
