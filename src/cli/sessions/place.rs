//! Where sessions are, as seen from a folder, and how they are named.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::args::Pick;
use crate::config::environment::Environment;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{About, Body, Change, Entry, EntryId, Millis, Note};
use crate::policy::shell::shell_word;
use crate::runtime::store::{damage, known};
use crate::runtime::{SessionStore, StorePort as _};
use crate::session::SessionChoice;
use crate::session::compose::{locate_from, state_of};
use crate::session::exporting::without;
use crate::session::notices::end_notice;
use crate::wire::record::{SessionFile, read_document};

/// What is said of a session's file that holds nothing.
pub(super) const EMPTY: &str = "empty: killed before its first line";

/// The store, and the folder that `--last` is about.
pub(in crate::cli) struct SessionPlace {
    pub(in crate::cli) state: PathBuf,
    pub(in crate::cli) environment: Environment,
    pub(in crate::cli) cwd: PathBuf,
    /// The values of keys in the environment: whoever says much looks for them once.
    keys: Vec<String>,
}

impl SessionPlace {
    /// # Errors
    /// When there is no home to keep sessions in.
    pub(in crate::cli) fn new(cwd: PathBuf, environment: Environment) -> Result<Self, Fault> {
        let keys = environment.keys().into_iter().map(str::to_owned).collect();
        Ok(Self { state: state_of(&environment)?, environment, cwd, keys })
    }

    /// The file that is meant: any file by its name, or a kept session.
    ///
    /// # Errors
    /// A sentence that names what there is instead.
    pub(in crate::cli) fn locate(&self, pick: &Pick) -> Result<PathBuf, Fault> {
        if let Some(name) = pick.session.as_deref().filter(|name| name.contains(['/', '.'])) {
            let path = self.cwd.join(name);
            return if path.exists() {
                Ok(path)
            } else {
                Err(Fault::usage(
                    format!("there is no file {name}"),
                    "give a session's id (`countersign sessions list`) or an existing file",
                ))
            };
        }
        let which = SessionChoice::named(pick.session.clone(), pick.last).unwrap_or(SessionChoice::Last);
        locate_from(&self.cwd, &self.state, &which)
    }

    /// Whether the file is one of those that we keep.
    pub(in crate::cli) fn keeps(&self, path: &Path) -> bool {
        let inside =
            |folder: PathBuf| Some(path.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?));
        inside(self.state.join("sessions")).unwrap_or(false)
    }

    /// The folder from which it is seen.
    pub(super) fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// A path that was named on the command line.
    pub(in crate::cli) fn path(&self, path: &Path) -> PathBuf {
        self.cwd.join(path)
    }

    /// How a session is named in what to type next: its id, or the file when it is not one of ours.
    pub(in crate::cli) fn name(&self, path: &Path) -> String {
        if self.keeps(path) { id_of(path) } else { path.display().to_string() }
    }

    /// The same as a word of a command to paste.
    pub(in crate::cli) fn word(&self, path: &Path) -> String {
        shell_word(&self.name(path))
    }

    /// The text without the values of keys in the environment: a tool may have printed one.
    pub(in crate::cli) fn without_keys(&self, text: String) -> String {
        without(self.keys.iter().map(String::as_str), text)
    }
}

/// The bytes of a session and what they mean; of a copy without some of its contents, too.
///
/// # Errors
/// It cannot be read, or is not sound; says how to see what is wrong.
pub(in crate::cli) fn read(place: &SessionPlace, path: &Path) -> Result<(Vec<u8>, SessionFile), Fault> {
    let (bytes, file, damage) = read_audited(place, path)?;
    damage.iter().for_each(|why| remark(why));
    Ok((bytes, file))
}

/// The same, and what is wrong with it first, for whoever does more than say so.
///
/// # Errors
/// As [`read`].
pub(super) fn read_audited(
    place: &SessionPlace,
    path: &Path,
) -> Result<(Vec<u8>, SessionFile, Option<String>), Fault> {
    let failed = |why: String| {
        Fault::failed(why, format!("`countersign sessions check {}` lists what is wrong", place.word(path)))
    };
    let known = known(path);
    let bytes = SessionStore::bytes(path).map_err(|why| Fault::failed(why, "name another session"))?;
    let file = read_document(&bytes).map_err(|why| failed(format!("{}: {why}", path.display())))?;
    let damage = damage(path, known, &bytes);
    Ok((bytes, file, damage))
}

/// Adds a change to the end of a session that nobody else writes. It is on disk when this returns.
///
/// # Errors
/// Another process has it, it is not well-formed, or it cannot be written.
pub(super) fn add(path: &Path, change: Change) -> Result<(), Fault> {
    opened(path)?.write(Body::Change(change))
}

/// A session that is open to be added to.
pub(super) struct OpenedSession {
    pub(super) store: SessionStore,
    /// The number and the time of the last entry.
    last: (u64, Millis),
    /// The last entry that came with an import.
    pub(super) imported_to: Option<EntryId>,
}

/// Opens a session to add to it. What is wrong with it is refused: what is added would seem to
/// vouch for it. Where nobody knows its end, that is recorded first, since afterwards nothing would show it.
///
/// # Errors
/// Another process has it, it is not well-formed, or it cannot be written.
pub(super) fn opened(path: &Path) -> Result<OpenedSession, Fault> {
    let advice = "change a session while no process writes it, and while it is intact";
    let (store, file) = SessionStore::open(path).map_err(|why| Fault::failed(why, advice))?;
    has_its_end(&file)?;
    let bytes = SessionStore::bytes(path).map_err(|why| Fault::failed(why, advice))?;
    if let Some(why) = damage(path, known(path), &bytes) {
        return Err(Fault::failed(format!("nothing was written: {why}"), advice));
    }
    let number = file.entries.iter().map(|entry| entry.id.0).max().unwrap_or_default();
    let at = file.entries.iter().map(|entry| entry.at).fold(Millis(0), Ord::max);
    let mut opened = OpenedSession { store, last: (number, at), imported_to: file.came_to() };
    if let Some(why) = end_notice(&file) {
        remark(&why);
        opened.write(Body::Note(Note::plain(About::Session, why)))?;
    }
    Ok(opened)
}

/// That no line is missing which was on disk: what is added would hide it.
///
/// # Errors
/// How many are missing.
fn has_its_end(file: &SessionFile) -> Result<(), Fault> {
    let which = match file.missing_lines {
        0 => return Ok(()),
        1 => "a line that was on disk is".to_owned(),
        lines => format!("{lines} lines that were on disk are"),
    };
    Err(Fault::failed(
        format!("{which} missing at the end of the session; nothing was written"),
        "`countersign sessions check` says where; `countersign resume` goes on from there, and records the \
         loss",
    ))
}

impl OpenedSession {
    /// Adds an entry, at no earlier time than the last one has: the clock may have been set back.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn write(&mut self, body: Body) -> Result<(), Fault> {
        let (number, at) = (self.last.0 + 1, now().max(self.last.1));
        let entry = Entry { id: EntryId(number), at, body };
        let written = self.store.append(&[Arc::new(entry)]).and_then(|()| self.store.sync());
        self.last = (number, at);
        written
            .map_err(|why| Fault::failed(why.to_string(), "free disk space, or fix the folder's permissions"))
    }
}

/// The id that a file is named by.
pub(in crate::cli) fn id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// This moment.
pub(in crate::cli) fn now() -> Millis {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}

/// A remark on stderr, beside the answer.
pub(in crate::cli) fn remark(text: &str) {
    writeln!(std::io::stderr(), "note: {}", one_line(text)).unwrap_or_default();
}

/// Lines as one text.
pub(in crate::cli) fn lines(lines: impl IntoIterator<Item = String>) -> String {
    lines.into_iter().map(|line| line + "\n").collect()
}

/// `1 entry`, `2 entries`.
pub(in crate::cli) fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}
