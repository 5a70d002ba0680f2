//! Commands that wait for the end of a run.

use crate::agent::Intent;
use crate::ui::request::Request;

use super::meaning::Meaning;

/// What is said while a command is kept that cannot be obeyed yet.
pub(in crate::ui) const KEPT: &str = "a turn is running: press enter when it has finished, or esc to stop it";

/// The same while a command of the user's own runs.
pub(in crate::ui) const KEPT_BY_COMMAND: &str =
    "your command is running: press enter when it has finished, or esc to stop it";

/// The same of a command that was picked, and is not kept.
pub(in crate::ui) const PICKED: &str =
    "a turn is running: do this when it has finished, or interrupt it first";

/// What is said instead of leaving a session for which sub-agents work in the background.
pub(in crate::ui) const STOPS_WORK: &str =
    "sub-agents work in the background and would be stopped: wait for them, or stop them with /fleet first";

/// Whether a command cannot be obeyed while a run is under way: it would be a run of its own, or cut the run short.
pub(in crate::ui) fn is_for_later(meaning: &Meaning) -> bool {
    match meaning {
        Meaning::New
        | Meaning::Review(_)
        | Meaning::Request(Request::Fork | Request::Race(_) | Request::Adopt(_)) => true,
        Meaning::Intent(intent) => matches!(
            intent,
            Intent::Command(_) | Intent::Compact | Intent::Pursue(..) | Intent::ResumeGoal(_)
        ),
        _ => false,
    }
}
