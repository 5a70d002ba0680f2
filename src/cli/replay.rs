//! A session played through the renderer of the app, with the pauses it had: read-only, nothing is settled or written.

use tokio::sync::mpsc;

use super::args::ReplayArgs;
use super::{appearance, past, recording};
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::session::SessionChoice;
use crate::session::notices::CAME_TO_BE_SEEN;
use crate::ui::UiSettings;

/// Plays a session, or records how it would look.
pub(super) fn run(invocation: &Invocation, which: &SessionChoice, words: &ReplayArgs) -> Result<Exit, Fault> {
    if let Some(file) = &words.record {
        return recording::run(invocation, which, file, words);
    }
    appearance::needs_a_screen(invocation)?;
    // Held until the end: the screen leaves when nobody could tell it anything.
    let (_events_to, events) = mpsc::channel(1);
    past::show(invocation, which, events, |entries, settings| UiSettings {
        replay: Some(entries),
        notice: settings.view.imported_to.map(|_| CAME_TO_BE_SEEN.to_owned()),
        ..settings
    })
}
