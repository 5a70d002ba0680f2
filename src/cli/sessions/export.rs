//! `sessions export`: a session for others to read, on stdout.

use super::args::Pick;
use super::place::{SessionPlace, lines, read};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::session::exporting::{markdown, without_keys};
use crate::wire::record::exported_lines;

/// Prints one session without what was withdrawn, and without the keys of this environment.
pub(super) fn run(place: &SessionPlace, pick: &Pick, json: bool) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    let (bytes, file) = read(place, &path)?;
    let text = if json { lines(exported_lines(&bytes, &file.entries)) } else { markdown(&file) };
    say(&without_keys(&place.environment, text))
}
