//! `echo`: says its text again. A tool for tests and demonstrations; the configuration adds it (`tools.echo`).

use serde_json::json;
use tokio::sync::mpsc;

use crate::ledger::Arguments;
use crate::tool::{Shown, SideEffect, ToolSpec};

use super::tool::{Running, RunningCall, Tool, ToolOutput, spec};

/// The tool, which is no part of the built-in ones.
#[derive(Debug)]
pub(super) struct EchoTool;

impl Tool for EchoTool {
    fn spec(&self) -> ToolSpec {
        spec(
            "echo",
            "Returns the text it is given. For tests and demonstrations.",
            json!({
                "text": { "type": "string", "description": "What to return." },
                "msg": { "type": "string", "description": "Another name of text." },
            }),
            &[],
            SideEffect::Reads,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        call.off_thread(|call, _stop| run(call.arguments()).map(ToolOutput::from))
    }
}

/// Does it.
///
/// # Errors
/// A sentence that says what to do instead.
fn run(arguments: &Arguments) -> Result<String, String> {
    let text = arguments.text("text").or_else(|| arguments.text("msg"));
    text.map(str::to_owned).ok_or_else(|| "there is nothing to repeat; give `text`".to_owned())
}
