//! The budgets over time: what was used at each answer of the model.

use crate::budget::{Limits, Meter};
use crate::ledger::{Body, EntryId};

use super::Row;

/// What was used when an answer stood; of the run but for cost and context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spent {
    /// The answer.
    pub entry: EntryId,
    /// Turns.
    pub turns: u64,
    /// Tool calls.
    pub tools: u64,
    /// Input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Cost of the session, in micro-dollars.
    pub cost: u64,
    /// Tokens of the context.
    pub context: u64,
}

/// The points so far; reads each row once.
#[derive(Debug, Clone, Default)]
pub struct Spending {
    points: Vec<Spent>,
    read: usize,
    meter: Option<Meter>,
}

impl Spending {
    /// Takes in the rows that are new.
    pub fn read(&mut self, rows: &[Row], limits: &Limits) {
        let meter = self.meter.get_or_insert_with(|| Meter::new(limits.clone()));
        for row in rows.iter().skip(self.read) {
            meter.read(&row.entry);
            if matches!(row.entry.body, Body::Assistant(_) | Body::Compaction(_)) {
                self.points.push(Spent {
                    entry: row.entry.id,
                    turns: meter.turns(),
                    tools: meter.tool_calls(),
                    input: meter.usage().input,
                    output: meter.usage().output,
                    cost: meter.session_usage().cost.map_or(0, |cost| cost.0),
                    context: meter.context_tokens(),
                });
            } else if matches!(row.entry.body, Body::ToolCall(_))
                && let Some(last) = self.points.last_mut()
            {
                last.tools = meter.tool_calls();
            }
        }
        self.read = rows.len();
    }

    /// One an answer or summary, oldest first.
    pub fn points(&self) -> &[Spent] {
        &self.points
    }
}
