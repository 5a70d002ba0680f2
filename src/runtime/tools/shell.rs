//! `shell`: a command line, waited for, on a terminal of its own, or in the background.

use serde_json::json;
use tokio::sync::mpsc;

use crate::ledger::Preview;
use crate::policy::opened;
use crate::tool::name::SHELL;
use crate::tool::{Preparation, Shown, SideEffect, Territory, ToolKind, ToolSpec, has_terminal};

use super::arguments::is_set;
use super::command::MOST_SECONDS;
use super::tool::{LookedAt, Running, RunningCall, Tool, spec};

/// How long a command may run when the model names no time.
const TIMEOUT_MS: u64 = 120_000;

/// The tool.
#[derive(Debug)]
pub(super) struct ShellTool;

impl Tool for ShellTool {
    fn spec(&self) -> ToolSpec {
        let tool = spec(
            SHELL,
            "Runs a command with `sh -c` in the workspace: builds, tests, git, other programs. Returns its \
            output (stdout and stderr interleaved) and, if it failed, the exit code. Without pty it has no \
            input and no terminal, so nothing interactive works; each call starts in the workspace, and \
            processes it leaves running are ended with it. For long-running processes (a server, a watcher) \
            set background: the call returns at once with an id. For \
            files prefer read, list, search, edit and write.",
            json!({
                "command": { "type": "string", "minLength": 1, "description": "The command line." },
                "timeout_seconds": {
                    "type": "integer", "minimum": 1, "maximum": MOST_SECONDS,
                    "description": "When to stop it. Default 120; none in the background."
                },
                "background": { "type": "boolean", "description": "Keep it running after the call, until \
                the session ends at the latest. At most 8 at once." },
                "pty": { "type": "boolean", "description": "Run it on its own 120x40 terminal, for programs \
                that need one; returns its screen and scrollback as text. You cannot type into it. A user \
                at the screen can, and is shown how; without one, its input is closed." },
            }),
            &["command"],
            SideEffect::Runs,
        );
        ToolSpec { kind: ToolKind::Shell, timeout_ms: Some(TIMEOUT_MS), ..tool }
    }

    fn look(&self, look: LookedAt<'_>, found: &mut Preparation) {
        let Some(command) = look.invocation.arguments.text("command") else { return };
        for path in opened(command) {
            let place = look.tools.workspace.resolve(&path);
            let (shown, territory) =
                place.map_or((path, Territory::Outside), |place| (place.shown, place.territory));
            found.leads(shown, territory);
        }
        found.preview = Preview::Command(command.to_owned());
    }

    fn run(&self, call: RunningCall, output: mpsc::Sender<Shown>) -> Running {
        Box::pin(async move {
            let RunningCall { tools, invocation } = call;
            if is_set(&invocation.arguments, "background") {
                return tools.background.start(&tools.shell, &tools.workspace, &invocation).await;
            }
            if has_terminal(SHELL, &invocation.arguments) {
                let keyboard = tools.keyboards.plug_in(invocation.call);
                return tools.shell.run_on_terminal(&tools.workspace, &invocation, keyboard, output).await;
            }
            tools.shell.run(&tools.workspace, &invocation, output).await
        })
    }
}
