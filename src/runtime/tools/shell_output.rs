//! `shell_output`: what a background command has printed since, and how it stands.

use tokio::sync::mpsc;

use crate::tool::name::SHELL_OUTPUT;
use crate::tool::{Shown, SideEffect, ToolSpec};

use super::background::background_id;
use super::tool::{Running, RunningCall, Tool, spec};

/// The tool.
#[derive(Debug)]
pub(super) struct ShellOutputTool;

impl Tool for ShellOutputTool {
    fn spec(&self) -> ToolSpec {
        spec(
            SHELL_OUTPUT,
            "Returns what a background command has printed since the last call, and whether it is still \
            running. Waits up to a second for new output.",
            background_id(),
            &["id"],
            SideEffect::Reads,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        Box::pin(async move { call.tools.background.output(&call.invocation).await })
    }
}
