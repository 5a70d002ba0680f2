//! `sessions list`: one line a session.

use std::path::Path;

use serde_json::{Value, json};

use super::place::{SessionPlace, lines, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::store::{Listing, Summary, list};
use crate::session::other_sessions::{first_words, when};
use crate::ui::text::{fit, width};
use crate::wire::record;

/// Most characters of the first words that are shown.
const MOST_WORDS: usize = 60;
/// What stands in the place of the ending of a run that was cut off, or goes on.
const UNFINISHED: &str = "unfinished";

/// Lists all sessions, newest first.
pub(super) fn run(place: &SessionPlace, json: bool) -> Result<Exit, Fault> {
    let Listing { sessions, unreadable } = list(&place.state);
    for (_, why) in &unreadable {
        remark(&format!("{why}; omitted from the list"));
    }
    if sessions.is_empty() && !json {
        remark("there are no sessions yet; start one with `countersign`");
    }
    say(&lines(if json { sessions.iter().map(as_json).collect() } else { table(place, &sessions) }))
}

fn as_json(summary: &Summary) -> String {
    record::line(&json!({
        "session": summary.id,
        "at": record::moment(summary.started),
        "cwd": summary.cwd,
        "model": summary.model,
        "name": summary.name,
        "first_message": summary.first_message,
        "ending": summary.ending.as_deref().map_or(Value::Null, Value::from),
        "entries": summary.entries,
        "bytes": summary.bytes,
        "path": summary.path.to_string_lossy(),
    }))
}

fn table(place: &SessionPlace, sessions: &[Summary]) -> Vec<String> {
    let rows: Vec<[String; 6]> = sessions.iter().map(|summary| row(place, summary)).collect();
    let widest = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| width(cell)).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..6).map(widest).collect();
    let padded = |row: &[String; 6]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| fill(cell, *width));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(padded).collect()
}

fn row(place: &SessionPlace, summary: &Summary) -> [String; 6] {
    let folder = place.environment.shown(Path::new(&summary.cwd));
    [
        first_words(&summary.id, MOST_WORDS),
        when(summary.started),
        first_words(summary.ending.as_deref().unwrap_or(UNFINISHED), MOST_WORDS),
        first_words(&summary.model, MOST_WORDS),
        first_words(&folder, MOST_WORDS),
        first_words(summary.title(), MOST_WORDS),
    ]
}

fn fill(cell: &str, to: usize) -> String {
    let cell = fit(cell, to);
    let space = to.saturating_sub(width(&cell));
    cell + &" ".repeat(space)
}
