//! `ask`: a question to the user. A person answers it, through the loop: nothing runs.

use serde_json::json;
use tokio::sync::mpsc;

use crate::tool::{ASK, Shown, SideEffect, ToolKind, ToolSpec};

use super::tool::{Running, RunningCall, Tool, spec};

/// The tool.
#[derive(Debug)]
pub(super) struct AskTool;

impl Tool for AskTool {
    fn spec(&self) -> ToolSpec {
        let tool = spec(
            ASK,
            "Asks the user one question and waits for the answer. Use it for what only the user can decide \
            or know, not for permission: approvals are requested automatically. Offer choices when there \
            are few sensible answers; the user can always answer freely.",
            json!({
                "question": { "type": "string", "minLength": 1, "description": "The complete question, \
                short." },
                "choices": {
                    "type": "array", "maxItems": 9, "items": { "type": "string", "minLength": 1 },
                    "description": "Answers to choose from, your recommendation first.",
                },
            }),
            &["question"],
            SideEffect::Reads,
        );
        ToolSpec { kind: ToolKind::Question, ..tool }
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, _stop| Err(call.unknown()))
    }
}
