//! The ledger inspector alone: read-only, nothing is settled or written.

use tokio::sync::mpsc;

use super::past;
use crate::agent::Event;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::session::SessionChoice;
use crate::ui::UiSettings;

/// Shows a session's ledger, and first what to know of it.
pub(super) fn run(
    invocation: &Invocation,
    which: &SessionChoice,
    notice: Option<String>,
) -> Result<Exit, Fault> {
    // Held until the end: the screen leaves when nobody could tell it anything.
    let (_events_to, events) = mpsc::channel(1);
    past::show(invocation, which, events, |entries, settings| UiSettings {
        history: entries.into_iter().map(Event::Appended).collect(),
        read_only: true,
        notice,
        ..settings
    })
}
