//! From what a person types, or from an id, to the file of a session.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::ledger::Millis;
use crate::wire::record::{FirstLine, first_line};

use super::head::known;
use super::lock::held;
use super::place::{SNAPSHOTS, place};
use super::plain;
use super::subagents::{above, is_of_subagent, is_whole, started_by};

/// Bytes in which the first line of a session ends.
const MOST_OF_HEAD: u64 = 1 << 20;
/// How many sessions an error names.
const SHOWN: usize = 5;
/// Milliseconds of a day.
const DAY: u64 = 86_400_000;

/// The session of this id, of the one id that begins like this, or in the file of this name.
///
/// # Errors
/// A sentence: there is none, or there are several, with some ids to choose from.
pub fn find(state: &Path, wanted: &str) -> Result<PathBuf, String> {
    if wanted.ends_with(".jsonl") && Path::new(wanted).is_file() {
        return Ok(PathBuf::from(wanted));
    }
    if let Some(path) = by_month(state, wanted).filter(|path| is_session(path)) {
        return Ok(path);
    }
    let all = files(state);
    if let Some(exact) = all.iter().find(|path| id_of(path) == wanted) {
        return Ok(exact.clone());
    }
    let fitting = |path: &&PathBuf| !wanted.is_empty() && id_of(path).starts_with(wanted);
    let mut fitting: Vec<&PathBuf> = all.iter().filter(fitting).collect();
    // The beginning of an id means the session, and not what it has started.
    if fitting.iter().any(|path| !is_of_subagent(path)) {
        fitting.retain(|path| !is_of_subagent(path));
    }
    match fitting.as_slice() {
        [one] => Ok((*one).clone()),
        [] if all.is_empty() => Err(format!(
            "there is no session `{wanted}`: there are none yet in {}; start one with `countersign`",
            state.join("sessions").display()
        )),
        [] => Err(match (began_above(&all, wanted), nearest(&all, wanted)) {
            (Some(above), _) => format!(
                "there is no session `{wanted}`: that sub-agent never began, or its session was removed; `countersign inspect {above}` \
                 shows the session that would have started it"
            ),
            (None, Some(near)) => format!("there is no session `{wanted}`; did you mean {near}?"),
            (None, None) => format!(
                "there is no session `{wanted}`; the newest are {}; choose one, or use --last",
                names(&all.iter().collect::<Vec<_>>())
            ),
        }),
        several => Err(format!(
            "`{wanted}` matches {} sessions: {}; give more of its id",
            several.len(),
            names(several)
        )),
    }
}

/// The session that starts the sub-agent of this id, if it is there: then no other session is meant.
fn began_above<'i>(all: &[PathBuf], wanted: &'i str) -> Option<&'i str> {
    started_by(wanted).filter(|above| all.iter().any(|path| id_of(path) == *above))
}

/// The session of this id, and no other: for an id that stands in a ledger, which may have been written elsewhere and is no path.
pub fn exact(state: &Path, id: &str) -> Option<PathBuf> {
    of_id(state, id).filter(|path| is_session(path))
}

/// The file of this id, also one without a byte. All are listed only if it does not lie where its id says.
fn of_id(state: &Path, id: &str) -> Option<PathBuf> {
    by_month(state, id).or_else(|| with_made_ahead(state).into_iter().find(|path| id_of(path) == id))
}

/// The same, if it lies in the month in which its id was made. The session may have begun a day later, or by another clock a day earlier; that
/// of a sub-agent lies in the month of the session that a person began, if both began then. An id that is not written as ours are is no
/// path to look at.
fn by_month(state: &Path, id: &str) -> Option<PathBuf> {
    let first = above(id).last().unwrap_or(id);
    if !is_whole(first) {
        return None;
    }
    let (seconds, nanoseconds) = Uuid::try_parse(first).ok()?.get_timestamp()?.to_unix();
    let made = seconds.saturating_mul(1_000).saturating_add(u64::from(nanoseconds / 1_000_000));
    let moments = [made, made.saturating_add(DAY), made.saturating_sub(DAY)];
    let is_there = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| !found.is_dir());
    moments.into_iter().map(|at| place(state, id, Millis(at))).find(is_there)
}

/// The id that shares most characters with what was typed, place by place: three in four at least.
fn nearest(all: &[PathBuf], wanted: &str) -> Option<String> {
    let shared = |id: &str| id.chars().zip(wanted.chars()).filter(|(one, other)| one == other).count();
    let length = wanted.chars().count();
    let close = |(shared, _): &(usize, String)| length >= 4 && *shared * 4 >= length * 3;
    all.iter().map(|path| id_of(path)).map(|id| (shared(&id), id)).filter(close).max().map(|(_, id)| id)
}

/// The newest session that began in the folder `cwd`, as an absolute path is written. Ids are ordered by time.
pub fn latest(state: &Path, cwd: &str) -> Option<PathBuf> {
    files(state)
        .into_iter()
        .filter(|path| !is_of_subagent(path))
        .find(|path| head(path).is_some_and(|head| head.cwd == cwd))
}

/// All session files, newest first. That of a sub-agent is made before its first entry: without a byte it is no session, and no damage
/// either, unless it is known that it had lines.
pub fn files(state: &Path) -> Vec<PathBuf> {
    let mut found = with_made_ahead(state);
    found.retain(|path| is_session(path));
    found
}

fn is_session(path: &Path) -> bool {
    !is_of_subagent(path) || !is_empty(path) || known(path).is_some()
}

/// Whether the file of this sub-agent's session was made ahead and nothing was ever written to it. A file whose lines were removed is none of
/// these: beside it stands how many there were.
pub fn never_begun(state: &Path, id: &str) -> bool {
    of_id(state, id).is_some_and(|path| is_empty(&path) && known(&path).is_none())
}

/// Whether the file of a session was left empty by a process that was killed before its first line. Such a file holds nothing. One that
/// somebody has open is about to be written, and one whose lines were removed has beside it how many there were.
pub fn is_unwritten(path: &Path) -> bool {
    is_empty(path) && known(path).is_none() && held(path).is_none()
}

fn is_empty(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == 0)
}

/// The same with files of sub-agents that never began, or are about to.
pub(super) fn with_made_ahead(state: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&state.join("sessions"), &mut found);
    found
}

/// All below a folder, in the reverse order of paths as they are compared, part by part: so only names are compared, which differ early.
fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(children) = std::fs::read_dir(folder) else { return };
    // Of what stands beside sessions no path is made.
    let wanted = children.flatten().filter_map(|child| {
        // A link to a folder is not followed, so that no circle is walked for ever.
        let is_folder = child.file_type().is_ok_and(|kind| kind.is_dir());
        let name = child.file_name();
        let ending = Path::new(&name).extension();
        let is_wanted = if is_folder {
            ending.is_none_or(|ending| ending != SNAPSHOTS)
        } else {
            ending.is_some_and(|ending| ending == "jsonl")
        };
        is_wanted.then_some((name, is_folder))
    });
    let mut wanted: Vec<(OsString, bool)> = wanted.collect();
    wanted.sort_unstable_by(|(one, _), (other, _)| other.cmp(one));
    for (name, is_folder) in wanted {
        let path = folder.join(name);
        if is_folder {
            collect(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The first line of a session file.
pub fn head(path: &Path) -> Option<FirstLine> {
    let mut line = Vec::new();
    BufReader::new(plain::open(path).ok()?.take(MOST_OF_HEAD)).read_until(b'\n', &mut line).ok()?;
    first_line(&line)
}

fn id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn names(paths: &[&PathBuf]) -> String {
    let shown: Vec<String> = paths.iter().take(SHOWN).map(|path| id_of(path)).collect();
    let more = if paths.len() > SHOWN { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_the_reverse_order_of_their_paths() {
        let state = tempfile::tempdir().unwrap();
        let top = state.path().join("sessions");
        let names = [
            "2026/01/a.jsonl",
            "2026/01/a-c1.jsonl",
            "2026/01/b.jsonl",
            "2026/01/b/deep.jsonl",
            "2026/01-b/c.jsonl",
            "2026/02/Z.jsonl",
            "2026/02/z.jsonl",
            "2025/12/z.jsonl",
            "lost.jsonl",
        ];
        let mut paths: Vec<PathBuf> = names.iter().map(|name| top.join(name)).collect();
        for other in ["2026/01/a.head", "2026/01/a.files/kept.jsonl", "2026/02/jsonl"] {
            paths.push(top.join(other));
        }
        for path in &paths {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}\n").unwrap();
        }
        paths.truncate(names.len());
        paths.sort_by(|one, other| other.cmp(one));
        assert_eq!(with_made_ahead(state.path()), paths);
    }

    #[test]
    fn a_session_is_looked_for_in_the_month_of_its_id_and_then_everywhere() {
        let state = tempfile::tempdir().unwrap();
        let file = |month: &str, id: &str| {
            let path = state.path().join("sessions").join(month).join(format!("{id}.jsonl"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "{}\n").unwrap();
            path
        };
        // Made on 2026-11-27, and a second before December.
        let id = "01a21db5-e221-745d-a97f-ce32a18bfec8";
        let late = "01a22ee6-ac18-745d-a97f-ce32a18bfec8";
        let below = format!("{id}-c7");
        for id in [id, late, &below] {
            assert_eq!(exact(state.path(), id), None);
            let elsewhere = file("2027/03", id);
            assert_eq!(exact(state.path(), id), Some(elsewhere), "where nobody expects it");
        }
        // All of them were listed if those that come first there were found.
        for (month, id) in [("2026/11", id), ("2026/12", late), ("2026/11", below.as_str())] {
            let near = file(month, id);
            assert_eq!(exact(state.path(), id), Some(near.clone()));
            assert_eq!(find(state.path(), id), Ok(near));
        }
        // What is no id of ours leads nowhere.
        file("2026", "other");
        for id in ["../other", "s1", "", &format!("{}-c1", "../".repeat(12))] {
            assert_eq!(exact(state.path(), id), None, "{id}");
        }
        assert!(exact(state.path(), "other").is_some());
    }

    #[test]
    fn only_a_file_that_nobody_has_written_or_has_open_was_left_empty() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("s1.jsonl");
        assert!(!is_unwritten(&path), "there is none");
        std::fs::write(&path, "").unwrap();
        assert!(is_unwritten(&path));
        let file = std::fs::File::open(&path).unwrap();
        file.lock().unwrap();
        assert!(!is_unwritten(&path), "somebody is about to write it");
        drop(file);
        assert!(is_unwritten(&path));
        std::fs::write(place.path().join("s1.head"), "2 x\n").unwrap();
        assert!(!is_unwritten(&path), "its lines are gone");
        std::fs::remove_file(place.path().join("s1.head")).unwrap();
        std::fs::write(&path, "{").unwrap();
        assert!(!is_unwritten(&path));
    }

    #[test]
    fn a_file_of_a_sub_agent_without_a_byte_is_no_session() {
        let state = tempfile::tempdir().unwrap();
        let folder = state.path().join("sessions/2026/11");
        std::fs::create_dir_all(&folder).unwrap();
        let file = |id: &str, text: &str| {
            let path = folder.join(format!("{id}.jsonl"));
            std::fs::write(&path, text).unwrap();
            path
        };
        let id = "01a21db5-e221-745d-a97f-ce32a18bfec8";
        let own = file(id, "");
        let below = ["c1", "c2", "c3"]
            .map(|call| file(&format!("{id}-{call}"), if call == "c2" { "{}\n" } else { "" }));
        // The lines of this one are gone.
        std::fs::write(below[2].with_extension("head"), "11 x\n").unwrap();
        assert_eq!(
            files(state.path()),
            [own, below[2].clone(), below[1].clone()],
            "a session of a person that is empty is found, so that it can be removed"
        );
        assert_eq!(exact(state.path(), &format!("{id}-c1")), None);
        assert_eq!(exact(state.path(), &format!("{id}-c3")), Some(below[2].clone()));
        let said = find(state.path(), &format!("{id}-c1")).unwrap_err();
        assert!(said.contains("never began") && !said.contains("did you mean"), "{said}");
        let near = find(state.path(), &id.replace('8', "9")).unwrap_err();
        assert!(near.contains(&format!("did you mean {id}")), "{near}");
        assert!(with_made_ahead(state.path()).contains(&below[0]));
    }
}
