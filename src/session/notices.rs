//! What a person should know when a session begins.

use crate::config::models::{Choice, Transport};
use crate::config::{Config, ToolCalling};
use crate::policy::Mode;
use crate::runtime::sandbox::support;
use crate::wire::record::SessionFile;

/// What `auto` comes to where there is no sandbox.
pub(super) fn unconfined(config: &Config) -> Option<String> {
    let why = if config.mode == Mode::Auto { support().refuses(false)? } else { return None };
    Some(format!("There is no sandbox here, so mode auto asks before each command: {why}."))
}

/// What cannot be done about how a model calls tools.
pub(super) fn tools_notice(choice: &Choice, tools: ToolCalling) -> Option<String> {
    (tools == ToolCalling::String && choice.way == Transport::Rehearsal)
        .then(|| "The rehearsal model calls tools natively; --tools string has no effect.".to_owned())
}

/// What is wrong with the file of a session that goes on.
pub(super) fn file_notices(file: &SessionFile) -> Vec<String> {
    let missing = missing_notice(file.missing_lines);
    let torn = file.torn_tail.as_ref().map(|torn| {
        format!(
            "Line {} of the session file was incomplete; its {} bytes were dropped.",
            torn.line, torn.bytes
        )
    });
    let skipped = file.skipped.iter().map(|skipped| {
        format!(
            "Line {} of the session file ({}) was not understood; it is ignored.",
            skipped.line, skipped.kind
        )
    });
    missing.into_iter().chain(torn).chain(skipped).collect()
}

/// That so many lines are missing at the end.
pub(super) fn missing_notice(lines: u64) -> Option<String> {
    (lines > 0).then(|| format!("Lines that were saved are missing at the end of the session file: {lines}."))
}

/// What a process that died left open.
pub(super) fn lost_notice((lost, started): (usize, usize)) -> Option<String> {
    (lost > 0).then(|| {
        format!(
            "The session ended with {lost} open {}, {started} of them started: recorded as lost.",
            if lost == 1 { "call" } else { "calls" }
        )
    })
}
