//! `shell_kill`: ends a background command.

use tokio::sync::mpsc;

use crate::tool::name::SHELL_KILL;
use crate::tool::{Shown, SideEffect, ToolSpec};

use super::background::background_id;
use super::tool::{Running, RunningCall, Tool, spec};

/// The tool. It ends what the agent itself started, and takes no file or data away: a program's affair, not a deletion.
#[derive(Debug)]
pub(super) struct ShellKillTool;

impl Tool for ShellKillTool {
    fn spec(&self) -> ToolSpec {
        spec(
            SHELL_KILL,
            "Ends a background command and everything it started. Returns its remaining output.",
            background_id(),
            &["id"],
            SideEffect::Runs,
        )
    }

    fn run(&self, call: RunningCall, _output: mpsc::Sender<Shown>) -> Running {
        Box::pin(async move { call.tools.background.kill(&call.invocation).await })
    }
}
