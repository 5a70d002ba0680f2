//! `sessions list`: one line a session.

use std::path::Path;

use serde_json::{Value, json};

use super::place::{SessionPlace, lines, remark};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::runtime::store::{Listing, Summary, each, list};
use crate::session::other_sessions::{first_words, when};
use crate::ui::text::width;
use crate::wire::record;

/// Most characters of the first words that are shown.
const MOST_WORDS: usize = 60;
/// What stands in the place of the ending of a run that was cut off, or goes on.
const UNFINISHED: &str = "unfinished";

/// Lists all sessions, newest first.
pub(super) fn run(place: &SessionPlace, tag: Option<&str>, json: bool) -> Result<Exit, Fault> {
    let Listing { mut sessions, unreadable } = list(&place.state);
    for (_, why) in &unreadable {
        remark(&format!("{why}; omitted from the list"));
    }
    if sessions.is_empty() && !json {
        remark("there are no sessions yet; start one with `countersign`");
    } else if let Some(tag) = tag {
        sessions.retain(|summary| summary.tags.iter().any(|one| one == tag));
        if sessions.is_empty() && !json {
            remark(&format!(
                "no session has the tag `{tag}`; give it with `countersign sessions tag SESSION +TAG`"
            ));
        }
    }
    say(&lines(if json {
        each(&sessions, |(): &mut (), summary| as_json(summary))
    } else {
        table(place, &sessions)
    }))
}

fn as_json(summary: &Summary) -> String {
    record::line(&json!({
        "session": summary.id,
        "at": record::moment(summary.started),
        "cwd": summary.cwd,
        "model": summary.model,
        "name": summary.name,
        "tags": summary.tags,
        "first_message": summary.first_message,
        "ending": summary.ending.as_deref().map_or(Value::Null, Value::from),
        "entries": summary.entries,
        "bytes": summary.bytes,
        "path": summary.path.to_string_lossy(),
    }))
}

fn table(place: &SessionPlace, sessions: &[Summary]) -> Vec<String> {
    let rows: Vec<[(String, usize); 6]> = each(sessions, |(): &mut (), summary| {
        row(place, summary).map(|cell| {
            let width = width(&cell);
            (cell, width)
        })
    });
    let widest = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|(_, width)| *width).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..6).map(widest).collect();
    let whole: usize = widths.iter().map(|width| width + 2).sum();
    let padded = |row: &[(String, usize); 6]| {
        let mut line = String::with_capacity(whole);
        for ((cell, width), to) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', to.saturating_sub(*width) + 2));
        }
        line.truncate(line.trim_end().len());
        line
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
        titled(summary),
    ]
}

/// The title, and the tags after it.
fn titled(summary: &Summary) -> String {
    let title = first_words(summary.title(), MOST_WORDS);
    let tags = summary.tags.iter().map(|tag| format!(" #{}", first_words(tag, MOST_WORDS)));
    std::iter::once(title).chain(tags).collect()
}
