//! `plan`: the model's to-do list. What it says is in the ledger as the call's arguments; here it is checked.

use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::ledger::{Arguments, Summary};
use crate::tool::name::PLAN;
use crate::tool::{Shown, SideEffect, ToolSpec};

use super::arguments::member;
use super::tool::{Running, RunningCall, Tool, ToolOutput, spec};

/// Longer lists are not read by anybody.
const MOST_ITEMS: usize = 50;
/// An item is a line.
const MOST_CHARS: usize = 300;

/// The tool.
#[derive(Debug)]
pub(super) struct PlanTool;

impl Tool for PlanTool {
    fn spec(&self) -> ToolSpec {
        spec(
            PLAN,
            "Sets the to-do list that the user sees. Give the whole list each time, in order; an empty list \
            clears it. Use it for work with several steps: set it before you begin, keep one item in \
            progress, and mark each item completed when it is done.",
            json!({
                "items": {
                    "type": "array",
                    "maxItems": MOST_ITEMS,
                    "items": {
                        "type": "object",
                        "properties": {
                            "text": {
                                "type": "string", "minLength": 1, "maxLength": MOST_CHARS,
                                "description": "What to do, in one line."
                            },
                            "status": { "type": "string", "enum": ["pending", "in_progress", "completed"] },
                        },
                        "required": ["text", "status"],
                        "additionalProperties": false,
                    },
                },
            }),
            &["items"],
            SideEffect::Reads,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, _stop| run(call.arguments()))
    }
}

/// Does it.
///
/// # Errors
/// A sentence that says which item is wrong.
fn run(arguments: &Arguments) -> Result<ToolOutput, String> {
    let items = member(arguments, "items").and_then(Value::as_array);
    let items = items.ok_or("`items` is missing; give a list of {text, status}, empty to clear the plan")?;
    if items.len() > MOST_ITEMS {
        return Err(format!("{} items are too many; plan with at most {MOST_ITEMS}", items.len()));
    }
    let mut counts = [0_usize; 3];
    let mut underway = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let text = item.get("text").and_then(Value::as_str).unwrap_or_default().trim();
        let wrong = |why: String| format!("item {}: {why}; the plan was not changed", at + 1);
        if text.is_empty() {
            return Err(wrong("`text` is empty; say what to do".to_owned()));
        }
        if text.chars().count() > MOST_CHARS || text.contains('\n') {
            return Err(wrong(format!("`text` must be one line of at most {MOST_CHARS} characters")));
        }
        let status = item.get("status").and_then(Value::as_str).unwrap_or_default();
        let [pending, in_progress, completed] = &mut counts;
        match status {
            "pending" => *pending += 1,
            "in_progress" => {
                *in_progress += 1;
                underway.push(text);
            }
            "completed" => *completed += 1,
            other => {
                return Err(wrong(format!(
                    "`status` must be pending, in_progress or completed, not \
                    {other:?}"
                )));
            }
        }
    }
    let [_, _, completed] = counts;
    let text = match (items.len(), underway.as_slice()) {
        (0, _) => "the plan is empty".to_owned(),
        (all, _) if completed == all => format!("plan: all {all} done"),
        (all, []) => format!("plan: {completed} of {all} done, none in progress"),
        (all, underway) => format!("plan: {completed} of {all} done, in progress: {}", underway.join("; ")),
    };
    Ok(ToolOutput::summed_up(text, Summary::Words("set".to_owned())))
}
