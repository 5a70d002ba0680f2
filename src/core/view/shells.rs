//! The commands that go on in the background, as the results of the calls about them tell it.
//!
//! No live event adds to it: what is shown of one that runs is what the model was last told, and from when that is. Its end
//! is noted when it comes.

use crate::ledger::{Arguments, BackgroundStatus, Change, Millis, ToolResult};
use crate::tool::name::{SHELL, SHELL_KILL, SHELL_OUTPUT};

use super::panel::Panel;

/// One background command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundShell {
    /// `b1`, `b2`, …
    pub id: String,
    /// The command line, as the model wrote it: not yet safe for a screen.
    pub command: String,
    /// When it was started.
    pub since: Millis,
    /// When it was last asked for.
    pub asked: Millis,
    /// Whether it ran then.
    pub is_running: bool,
    /// Whether it ended by itself, and not well.
    pub has_failed: bool,
    /// Whether it was told to end, by a person or by the model.
    pub was_stopped: bool,
    /// How it stood then: "running for 3 s", "exit code 1 after 3 s".
    pub words: String,
    /// The last line that it had printed then: not yet safe for a screen. Empty when it had printed nothing.
    pub last_line: String,
}

/// When the command began whose call ended with this result.
pub(super) fn began(result: &ToolResult, at: Millis) -> Millis {
    Millis(at.0.saturating_sub(result.duration_ms))
}

/// Takes in the result of a call that was about a background command.
pub(super) fn take(shells: &mut Vec<BackgroundShell>, panel: &Panel, result: &ToolResult, at: Millis) {
    let Some(standing) = result.facts.background() else { return };
    let text = |name: &str| panel.arguments().and_then(|arguments| arguments.text(name));
    let begins = panel.name() == SHELL && panel.arguments().is_some_and(is_background);
    if begins {
        shells.push(BackgroundShell {
            id: standing.id.clone(),
            command: text("command").unwrap_or_default().to_owned(),
            since: began(result, at),
            asked: at,
            is_running: false,
            has_failed: false,
            was_stopped: false,
            words: String::new(),
            last_line: String::new(),
        });
    }
    let is_about =
        [SHELL_OUTPUT, SHELL_KILL].contains(&panel.name()) && text("id").is_some_and(|id| id == standing.id);
    let known = shells.iter_mut().rev().find(|shell| shell.id == standing.id);
    let Some(shell) = known.filter(|_| begins || is_about) else { return };
    if !result.facts.is_silent {
        // The last line says how it stands.
        let printed = result.content.rsplit_once('\n').map_or("", |(printed, _)| printed);
        if let Some(line) = printed.lines().rev().map(str::trim).find(|line| !line.is_empty()) {
            line.clone_into(&mut shell.last_line);
        }
    }
    shell.was_stopped |= panel.name() == SHELL_KILL && shell.is_running && !standing.is_running;
    (shell.asked, shell.is_running, shell.words) = (at, standing.is_running, standing.words.clone());
    shell.has_failed = standing.has_failed;
}

/// Takes in that a person ends one.
pub(super) fn stop(shells: &mut [BackgroundShell], change: &Change) {
    let Change::BackgroundStopped { id, .. } = change else { return };
    if let Some(shell) = shells.iter_mut().rev().find(|shell| shell.id == *id && shell.is_running) {
        shell.was_stopped = true;
    }
}

/// Takes in that one has ended, of which no call has told yet.
pub(super) fn end(shells: &mut [BackgroundShell], standing: BackgroundStatus, at: Millis) {
    if let Some(shell) = shells.iter_mut().rev().find(|shell| shell.id == standing.id && shell.is_running) {
        (shell.asked, shell.is_running, shell.words) = (at, standing.is_running, standing.words);
        shell.has_failed = standing.has_failed;
    }
}

/// The process that ran them is gone, and they with it.
pub(super) fn forsake(shells: &mut [BackgroundShell]) {
    for shell in shells.iter_mut().filter(|shell| shell.is_running) {
        let gone = BackgroundStatus::lost(&shell.id);
        (shell.is_running, shell.words) = (gone.is_running, gone.words);
    }
}

fn is_background(arguments: &Arguments) -> bool {
    let Arguments::Object(members) = arguments else { return false };
    members.get("background").and_then(serde_json::Value::as_bool).unwrap_or_default()
}
