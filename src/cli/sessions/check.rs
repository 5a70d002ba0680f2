//! `sessions check`: whether the books of a session are sound. Reads, and changes nothing.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::args::Pick;
use super::place::{EMPTY, SessionPlace, entries, lines, now};
use crate::cli::outcome::say;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::ledger::{Body, Entry};
use crate::policy::shell::shell_word;
use crate::runtime::SessionStore;
use crate::runtime::store::{checked, held, known};
use crate::runtime::undo::{Agreement, Snapshots, Unrecorded};
use crate::session::exporting::{came_along, is_ahead, unchecked, went_back};
use crate::ui::text::counted;
use crate::wire::record::Audit;

/// Faults that are listed; the rest is counted.
const MOST_FAULTS: usize = 100;

/// Calls that are named in one line.
const MOST_CALLS: usize = 10;

/// Reports what is right and what is wrong; exit 0 or 1.
pub(super) fn run(place: &SessionPlace, pick: &Pick) -> Result<Exit, Fault> {
    let path = place.locate(pick)?;
    // What stands beside the file is ours only where we keep it. It is read first: a session that is being written has more
    // lines then than it names, and never fewer.
    let is_kept = place.keeps(&path);
    let known = if is_kept { known(&path) } else { None };
    let bytes = SessionStore::bytes(&path).map_err(|why| Fault::usage(why, "name another file"))?;
    let has_end = known.is_some();
    if bytes.is_empty() && !has_end {
        say(&lines([one_line(&empty(place, &path))]))?;
        return Ok(Exit::Failed);
    }
    let links = known.unwrap_or_default();
    let (audit, read) = checked(&bytes, if is_kept { links.kept() } else { links });
    let name = place.name(&path);
    // Kept beside the file, and not part of it.
    let is_ours = audit.faults.is_empty() && is_kept;
    let books = is_ours.then(|| agreement(place, &read));
    let kept = books.as_ref().map(|books| kept(books, &path, &read)).unwrap_or_default();
    let told = if audit.faults.is_empty() {
        sound(place, &path, &name, &audit, has_end)
    } else {
        unsound(&name, &audit)
    };
    let is_sound = audit.faults.is_empty() && kept.is_empty();
    let unrecorded = if is_sound && is_kept { unrecorded(&path, &read) } else { None };
    let left = books.filter(|_| is_sound).map(|books| left_behind(&books, &path, &name)).unwrap_or_default();
    let told = told.iter().chain(&kept).chain(&unrecorded).chain(&left);
    say(&lines(told.map(|line| one_line(line))))?;
    Ok(if is_sound { Exit::Completed } else { Exit::Failed })
}

/// What is said of a file without a byte, of which nobody knows that there were more.
fn empty(place: &SessionPlace, path: &Path) -> String {
    let name = place.name(path);
    match held(path) {
        Some(who) => format!("{name}: empty: {who}, which has not written its first line"),
        None if place.keeps(path) => {
            format!("{name}: {EMPTY}; `countersign sessions remove {}` removes it", shell_word(&name))
        }
        None => format!("{name}: {EMPTY}, or cut off later; this cannot be told apart here"),
    }
}

fn sound(place: &SessionPlace, path: &Path, name: &str, audit: &Audit, has_end: bool) -> Vec<String> {
    let calls = match (audit.calls, audit.open.len()) {
        (0, _) => "no call".to_owned(),
        (1, 0) => "1 call with its one result".to_owned(),
        (1, _) => "1 call, still open".to_owned(),
        (made, 0) => format!("{made} calls, each with one result"),
        (made, open) => format!("{made} calls, {open} of them still open"),
    };
    let mut told = vec![format!("{name}: well-formed; {}, {calls}", entries(audit.entries))];
    told.extend(chain(audit, has_end));
    let more = if has_end { "; what was there may have had more lines after them" } else { "" };
    told.extend(came_along(audit.imported_to).map(|words| words + more));
    told.extend(went_back(audit.earlier));
    told.extend(is_ahead(audit.latest, now()));
    if audit.is_older {
        told.push(
            "receipts: checked only in lines with hashes, and lines are not compared with each other, \
             because the session began with an older version, or in a copy without hashes"
                .to_owned(),
        );
    }
    let goes_on = if place.keeps(path) {
        format!("`countersign resume {}`", shell_word(name))
    } else {
        "resuming".to_owned()
    };
    if let Some(torn) = &audit.torn_tail {
        let why = if has_end {
            "it was never acknowledged"
        } else {
            "the process died while writing it, or it was cut off later; this cannot be told apart here"
        };
        told.push(format!(
            "line {}: incomplete, {} bytes; {why}; {goes_on} cuts it off",
            torn.line, torn.bytes
        ));
    }
    if !audit.open.is_empty() {
        let calls: Vec<String> = audit.open.iter().map(ToString::to_string).collect();
        told.push(format!(
            "open at the end: {}; the session is being written, or its process died: {goes_on} resolves them",
            calls.join(", ")
        ));
    }
    told.extend(unknown(audit));
    told
}

/// What the session says was changed.
fn agreement(place: &SessionPlace, entries: &[Arc<Entry>]) -> Agreement {
    let folder = entries.first().and_then(|entry| match &entry.body {
        Body::SessionStarted(started) => Some(PathBuf::from(&started.cwd)),
        _ => None,
    });
    Agreement::with(entries, &folder.unwrap_or_default(), place.environment.home())
}

/// What is wrong with what is kept for an undo.
fn kept(books: &Agreement, path: &Path, entries: &[Arc<Entry>]) -> Vec<String> {
    let faults = Snapshots::beside(path).faults(books);
    let head = "undo: what is kept for it is not what was put there, and /undo refuses it:";
    let head = (!faults.is_empty()).then(|| head.to_owned());
    let exchanged = exchanged(path, entries);
    exchanged.into_iter().chain(head).chain(faults.into_iter().take(MOST_FAULTS)).collect()
}

/// Which files a killed process has left half written beside others. While the session is open, they are being written.
fn left_behind(books: &Agreement, path: &Path, name: &str) -> Vec<String> {
    if held(path).is_some() {
        return Vec::new();
    }
    let left = Snapshots::beside(path).leftovers(books).into_iter();
    let words = left.map(|left| {
        let whose = left.call.map_or_else(|| "an undo".to_owned(), |call| call.to_string());
        format!(
            "left behind: {}, half written by {whose} when the process died; `countersign resume {}` removes it",
            left.path.display(),
            shell_word(name)
        )
    });
    words.take(MOST_FAULTS).collect()
}

/// Which changes nobody can undo or trace.
fn unrecorded(path: &Path, entries: &[Arc<Entry>]) -> Option<String> {
    let Unrecorded { calls, restored } = Snapshots::beside(path).unrecorded(entries);
    let mut named: Vec<String> = calls.iter().take(MOST_CALLS).map(ToString::to_string).collect();
    if calls.len() > named.len() {
        named.push(format!("{} more calls", calls.len() - named.len()));
    }
    if restored > 0 {
        named.push(format!("undos ({})", counted(restored as u64, "file")));
    }
    (!named.is_empty()).then(|| {
        format!(
            "changes: those of {} are not on record, as in a copy or where the record was removed; undo, blame and bisect do \
             not know them",
            named.join(", ")
        )
    })
}

/// That the file is kept under the name of another session.
fn exchanged(path: &Path, entries: &[Arc<Entry>]) -> Option<String> {
    let Body::SessionStarted(started) = &entries.first()?.body else { return None };
    let name = path.file_stem()?.to_string_lossy();
    (started.session != name).then(|| {
        format!(
            "line 1: this is session {}, and is kept under the name of another one, {name}",
            started.session
        )
    })
}

/// What the hashes of the lines prove.
fn chain(audit: &Audit, has_end: bool) -> Vec<String> {
    let Some(head) = &audit.head else {
        return vec![
            "hash chain: none, since an older version wrote the file, or an export left the hashes out; \
             changes cannot be found"
                .to_owned(),
        ];
    };
    let mut told = vec![match audit.unchained {
        0 => format!("hash chain: intact; {} lines, the last is {head}", audit.chained),
        older => format!(
            "hash chain: intact from line {} on, the last is {head}; the lines before it have no hashes, since an older version or an export wrote them, and \
            changes in them from before that cannot be found",
            older + 1
        ),
    }];
    told.extend(unchecked(audit));
    if !has_end {
        told.push("end: cannot be checked here; lines after the last one may have been removed".to_owned());
    }
    told
}

fn unsound(name: &str, audit: &Audit) -> Vec<String> {
    let count = audit.faults.len();
    let mut told =
        vec![format!("{name}: not well-formed; {count} {}", if count == 1 { "fault" } else { "faults" })];
    told.extend(audit.faults.iter().take(MOST_FAULTS).map(ToString::to_string));
    if let Some(more) = count.checked_sub(MOST_FAULTS).filter(|more| *more > 0) {
        told.push(format!("… and {more} more"));
    }
    told.extend(unknown(audit));
    told.push(match &audit.sound_to {
        Some(entry) => format!(
            "what to do: `countersign sessions fork {} --at {entry}` saves the {} before that as a new \
            session; this file does not change",
            shell_word(name),
            entries(audit.sound_entries)
        ),
        None => "what to do: nothing before that can be saved; name another file, or start a new session"
            .to_owned(),
    });
    told
}

fn unknown(audit: &Audit) -> impl Iterator<Item = String> {
    audit.skipped.iter().map(|skipped| {
        format!("line {}: `{}` is not known to this version; it is ignored", skipped.line, skipped.kind)
    })
}
