//! What all sessions have spent, as their lines say.

use std::path::{Path, PathBuf};
use std::thread;

use crate::wire::record::{SpentLine, first_line, inherited_to};

use super::find;
use super::list::{SessionLines, unreadable};

/// Threads that read; more would wait for the disk.
const MOST_THREADS: usize = 8;

/// What one session has spent itself: what a fork has inherited is the other session's.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSpending {
    /// Its folder.
    pub cwd: String,
    /// The model it began with.
    pub model: String,
    /// The lines about spending, in order.
    pub lines: Vec<SpentLine>,
}

/// Reads all sessions of a state folder, in no order. The second list says which cannot be read, and why.
pub fn spending(state: &Path) -> (Vec<SessionSpending>, Vec<String>) {
    let files = find::files(state);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
    let share = files.len().div_ceil(threads).max(1);
    let read = |files: &[PathBuf]| files.iter().map(|path| of_session(path)).collect::<Vec<_>>();
    let all: Vec<Result<SessionSpending, String>> = thread::scope(|scope| {
        let readers: Vec<_> = files.chunks(share).map(|files| scope.spawn(move || read(files))).collect();
        readers.into_iter().flat_map(|reader| reader.join().unwrap_or_default()).collect()
    });
    let (mut sessions, mut unreadable) = (Vec::new(), Vec::new());
    for session in all {
        match session {
            Ok(session) => sessions.push(session),
            Err(why) => unreadable.push(why),
        }
    }
    (sessions, unreadable)
}

fn of_session(path: &Path) -> Result<SessionSpending, String> {
    let unreadable = |fault: std::io::Error| unreadable(path, &fault);
    let mut file = SessionLines::open(path)?;
    file.advance().map_err(unreadable)?;
    let head = first_line(&file.line)
        .ok_or_else(|| format!("{}: its first line is not session_started", path.display()))?;
    let inherited = inherited_to(&file.line);
    let mut lines = Vec::new();
    while file.advance().map_err(unreadable)? {
        let own = |line: &SpentLine| inherited.is_none_or(|last| line.entry > last);
        lines.extend(SpentLine::of(&file.line).filter(own));
    }
    Ok(SessionSpending { cwd: head.cwd, model: head.model, lines })
}
