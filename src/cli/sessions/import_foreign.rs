//! `sessions import` of a file of Claude Code or Codex: a new session of ours, in which all calls are done elsewhere.

use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;

use super::args::ForeignAgent;
use super::place::{SessionPlace, now};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{Entry, ForeignTool};
use crate::policy::shell::shell_word;
use crate::runtime::store::{ForeignFile, remove};
use crate::runtime::{SessionStore, StorePort as _};
use crate::wire::foreign::{Counts, Import, Survey};

/// Entries that are written at once.
const BATCH: usize = 256;

/// Makes a session of the file. It always gets an id of ours: nothing in the file becomes the name of a file.
pub(super) fn run(place: &SessionPlace, file: &Path, from: Option<ForeignAgent>) -> Result<Exit, Fault> {
    let refused = |why: String| refused(file, &why);
    let mut lines = ForeignFile::open(&place.path(file))
        .map_err(|why| Fault::usage(why, "name a session file of countersign, Claude Code or Codex"))?;
    let mut survey = Survey::of(from.map(|agent| match agent {
        ForeignAgent::Claude => ForeignTool::Claude,
        ForeignAgent::Codex => ForeignTool::Codex,
    }));
    lines.lines(|line| Ok(survey.read(line))).map_err(refused)?;
    let Some(tool) = survey.tool() else {
        return Err(Fault::failed(
            format!("{} is not a session file of countersign, Claude Code or Codex", file.display()),
            "nothing was imported; if it is one, name its agent with --from",
        ));
    };
    let cwd = survey.cwd().map_or_else(|| place.cwd().to_string_lossy().into_owned(), str::to_owned);
    let id = Uuid::now_v7().to_string();
    let store = SessionStore::create(&place.state, &id).map_err(not_kept)?;
    let Some(import) = Import::new(survey, &id, &cwd, now()) else {
        return Err(refused("it is not of a known agent".to_owned()));
    };
    let counts = written(place, store, import, &mut lines, &refused)?;
    say(&told(tool, file, &id, &cwd, counts))
}

/// That something is wrong with the file.
fn refused(file: &Path, why: &str) -> Fault {
    Fault::failed(
        format!("{}: {why}", file.display()),
        "nothing was imported; name a session file that is whole",
    )
}

/// That nothing is wrong with the file, and the session cannot be written.
fn not_kept(why: String) -> Fault {
    Fault::failed(why, "nothing was imported; free disk space, or fix the folder's permissions")
}

/// Writes the session. Of a failed attempt nothing is left.
fn written(
    place: &SessionPlace,
    mut store: SessionStore,
    mut import: Import,
    lines: &mut ForeignFile,
    refused: &dyn Fn(String) -> Fault,
) -> Result<Counts, Fault> {
    let result = write(&mut store, &mut import, lines, refused).and_then(|mut waiting| {
        let (last, counts) = import.finish();
        if counts.messages == 0 {
            return Err(refused("it contains no message".to_owned()));
        }
        waiting.extend(last.into_iter().map(Arc::new));
        store.append(&waiting).and_then(|()| store.sync()).map_err(|why| not_kept(why.to_string()))?;
        Ok(counts)
    });
    if let (Err(_), Some(path)) = (&result, store.path().map(Path::to_owned)) {
        drop(store);
        remove(&place.state, &path).ok();
    }
    result
}

/// Writes all entries but the last ones, which it returns.
fn write(
    store: &mut SessionStore,
    import: &mut Import,
    lines: &mut ForeignFile,
    refused: &dyn Fn(String) -> Fault,
) -> Result<Vec<Arc<Entry>>, Fault> {
    let mut waiting: Vec<Arc<Entry>> = Vec::new();
    let mut unwritten = None;
    let read = lines.lines(|line| {
        waiting.extend(import.read(line).into_iter().map(Arc::new));
        if waiting.len() >= BATCH {
            if let Err(why) = store.append(&waiting) {
                unwritten = Some(why.to_string());
                return Ok(false);
            }
            waiting.clear();
        }
        Ok(true)
    });
    match unwritten {
        Some(why) => Err(not_kept(why)),
        None => read.map(|()| waiting).map_err(refused),
    }
}

fn told(tool: ForeignTool, file: &Path, id: &str, cwd: &str, counts: Counts) -> String {
    let some = |count: usize, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let left_out: Vec<String> = [
        some(counts.beside, "line of another branch or agent", "lines of other branches or agents"),
        some(counts.skipped, "line of another kind", "lines of other kinds"),
        some(counts.parts, "part of another kind", "parts of other kinds"),
        some(counts.repeated_calls, "call with the id of another one", "calls with ids of others"),
        some(
            counts.stray_results,
            "result that belongs to no open call",
            "results that belong to no open call",
        ),
        some(counts.unreadable, "line that cannot be read", "lines that cannot be read"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let left_out =
        if left_out.is_empty() { String::new() } else { format!("Left out: {}.\n", left_out.join(", ")) };
    let open = some(counts.without_result, "of them without a result", "of them without a result")
        .map_or(String::new(), |open| format!(" ({open})"));
    format!(
        "{id} imported from {}: {}: {} and {}{open}, done elsewhere: nobody here approved them\n{left_out}\
         Its folder is {}. Continue with: countersign -C {} resume {id}\n",
        tool.name(),
        one_line(&file.display().to_string()),
        some(counts.messages, "message", "messages").unwrap_or_default(),
        some(counts.calls, "call", "calls").unwrap_or_else(|| "no calls".to_owned()),
        one_line(cwd),
        shell_word(&one_line(cwd)),
    )
}
