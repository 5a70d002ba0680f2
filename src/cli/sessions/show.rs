//! `sessions show`: the transcript, the durable lines, or the short form.

use super::args::Pick;
use super::place::{SessionPlace, entries, lines, read};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::Body;
use crate::session::exporting::came_along;
use crate::session::other_sessions::when;
use crate::ui::text::sanitize;
use crate::view::{Style, transcript};
use crate::wire::record::{self, SessionFile, durable_lines, short_form};

/// Prints one session.
pub(super) fn run(place: &SessionPlace, pick: &Pick, json: bool, events: bool) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    let (bytes, file) = read(place, &path)?;
    if json {
        return say(&lines(durable_lines(&bytes)));
    }
    if events {
        return say(&lines(short_form(&file.entries).iter().map(record::line)));
    }
    let came = came_along(file.came_to()).map(|words| format!("\n{words}")).unwrap_or_default();
    let text = format!("{}{came}\n\n{}", head(place, &file), transcript(&file.entries, Style::Plain));
    // Whatever models and tools wrote cannot steer the terminal.
    say(&sanitize(&text))
}

fn head(place: &SessionPlace, file: &SessionFile) -> String {
    let Some(first) = file.entries.first() else { return String::new() };
    let Body::SessionStarted(started) = &first.body else { return String::new() };
    let folder = place.environment.shown(std::path::Path::new(&started.cwd));
    format!(
        "session {} \u{b7} {} \u{b7} {} \u{b7} {folder} \u{b7} {}",
        started.session,
        when(first.at),
        started.model,
        entries(file.entries.len())
    )
}
