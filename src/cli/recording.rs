//! A recording of how a session looks when it is played: asciicast v2, without a terminal and without the keys of this environment.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::args::ReplayArgs;
use super::chat::entry_json;
use super::outcome::say;
use super::sessions::place::remark;
use super::{past, themes};
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::ledger::{Body, Entry};
use crate::runtime::{SessionStore, new_private};
use crate::session::SessionChoice;
use crate::session::compose::{locate, state_dir};
use crate::session::exporting::{came_along, without_keys};
use crate::session::notices::CAME_TO_BE_SEEN;
use crate::ui::layout::{LEAST_HEIGHT, LEAST_WIDTH};
use crate::ui::text::counted;
use crate::ui::{Recorder, Recording};
use crate::wire::record;

/// The largest that a recording can be: larger than a screen.
const MOST: u16 = 500;

/// Writes the recording to a file that is not there yet.
pub(super) fn run(
    invocation: &Invocation,
    which: &SessionChoice,
    file: &Path,
    words: &ReplayArgs,
) -> Result<Exit, Fault> {
    let size = size(&words.size)?;
    if !(0.01..=1000.0).contains(&words.speed) {
        return Err(Fault::usage("--speed must be from 0.01 to 1000", "2 is twice as fast"));
    }
    let theme = themes::theme_of_a_recording(invocation)?;
    let path = locate(invocation, &state_dir(invocation)?, which)?;
    let (session, damage) = SessionStore::document(&path).map_err(|why| Fault::failed(why, ""))?;
    let imported_to = session.came_to();
    damage.iter().chain(&came_along(imported_to)).for_each(|why| remark(why));
    let entries: Vec<Arc<Entry>> =
        session.entries.iter().map(|entry| hidden(invocation, entry)).collect::<Result<_, _>>()?;
    let (model, cwd, title) = match entries.first().map(|entry| &entry.body) {
        Some(Body::SessionStarted(began)) => {
            (began.model.to_string(), began.cwd.clone(), format!("countersign {}", began.session))
        }
        _ => Default::default(),
    };
    let began = entries.first().map_or(0, |entry| entry.at.0 / 1_000);
    // Nothing is made before it is known where it goes.
    let mut out = created(file)?;
    let header =
        json!({ "version": 2, "width": size.0, "height": size.1, "timestamp": began, "title": title });
    let view = past::view(invocation, model, &cwd, imported_to);
    let notice = imported_to.map(|_| CAME_TO_BE_SEEN);
    let recorder = Recorder { view, notice, theme, size, speed: words.speed, entry_json };
    let frames = recorder.record(&entries).map_err(|why| written(file, &why))?;
    let count = frames.len();
    let mut lines = format!("{}\n", record::line(&header));
    for Recording { seconds, bytes } in frames {
        let event: Value = json!([seconds, "o", bytes]);
        lines.push_str(&record::line(&event));
        lines.push('\n');
    }
    // Half a recording would be in the way of the next try.
    let wrote = out.write_all(lines.as_bytes()).inspect_err(|_| drop(std::fs::remove_file(file)));
    wrote.map_err(|why| written(file, &why))?;
    let were = if count == 1 { "was" } else { "were" };
    say(&format!("{} {were} recorded to {}\n", counted(count as u64, "frame"), file.display()))
}

fn created(file: &Path) -> Result<std::fs::File, Fault> {
    new_private(file).map_err(|why| match why.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Fault::usage(format!("{} exists already", file.display()), "name a new file with --record")
        }
        _ => written(file, &why),
    })
}

fn written(file: &Path, why: &std::io::Error) -> Fault {
    Fault::failed(format!("{} cannot be written: {why}", file.display()), "name another file with --record")
}

/// An entry without the values of keys: the screen breaks lines, so nothing could be found in its frames.
fn hidden(invocation: &Invocation, entry: &Arc<Entry>) -> Result<Arc<Entry>, Fault> {
    let line = record::line(&record::encode(entry));
    let without = without_keys(&invocation.environment, line.clone());
    if without == line {
        return Ok(Arc::clone(entry));
    }
    let value: Option<Value> = serde_json::from_str(&without).ok();
    let entry = value.and_then(|value| record::decode(&value).ok());
    entry.map(Arc::new).ok_or_else(|| {
        Fault::failed(
            "a key of the environment cannot be taken out of this session",
            "unset the variable, if its value is not a key",
        )
    })
}

fn size(text: &str) -> Result<(u16, u16), Fault> {
    let (columns, rows) = text.split_once('x').unwrap_or_default();
    let size = columns.parse().ok().zip(rows.parse().ok());
    let fits = |(columns, rows): &(u16, u16)| {
        (LEAST_WIDTH..=MOST).contains(columns) && (LEAST_HEIGHT..=MOST).contains(rows)
    };
    size.filter(fits).ok_or_else(|| {
        Fault::usage(
            format!("--size {text} is not a screen size"),
            format!("write COLUMNSxROWS, from {LEAST_WIDTH}x{LEAST_HEIGHT} to {MOST}x{MOST}"),
        )
    })
}
