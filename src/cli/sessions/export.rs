//! `sessions export`: a session for others to read, on stdout.

use super::args::Pick;
use super::place::{SessionPlace, document, lines, read};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry};
use crate::view::{Style, code, transcript};
use crate::wire::record::{exported_lines, moment};

/// Prints one session without what was withdrawn, and without the keys of this environment.
pub(super) fn run(place: &SessionPlace, pick: &Pick, json: bool) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    let (bytes, file) = read(place, &path)?;
    let text = if json {
        lines(exported_lines(&bytes, &file.entries))
    } else {
        let title = file.entries.first().map(|first| title(first)).unwrap_or_default();
        document(&format!("{title}{}", transcript(&file.entries, Style::Markdown)))
    };
    say(&place.without_keys(text))
}

fn title(first: &Entry) -> String {
    let Body::SessionStarted(started) = &first.body else { return String::new() };
    let at = moment(first.at);
    format!(
        "# Session {}\n\n- Began: {}\n- Folder: {}\n- Model: {}\n\n",
        code(&started.session).trim_matches('`'),
        at.as_str().unwrap_or_default(),
        code(&started.cwd),
        code(&started.model.to_string())
    )
}
