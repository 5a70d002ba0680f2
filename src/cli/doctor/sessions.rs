//! The session store: whether sessions can be kept, how many there are, which are damaged, which are being written.

use std::fs::{Metadata, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::statvfs;

use super::finding::{Finding, Subject};
use crate::config::environment::Environment;
use crate::config::reading;
use crate::config::reading::Reading;
use crate::policy::shell::shell_word;
use crate::runtime::SessionStore;
use crate::runtime::store::{files, is_unwritten, known, open_plain};
use crate::wire::record::audit_with;

const SUBJECT: Subject = Subject::Sessions;
/// How many sessions are read, the newest first.
const MOST_READ: usize = 50;
/// A session larger than this is not read.
const MOST_OF_ONE: u64 = 16 * 1024 * 1024;
/// Bytes that are read of all of them.
const MOST_OF_ALL: u64 = 128 * 1024 * 1024;
/// Free bytes below which room is short, and below which there is none.
const SHORT: u64 = 200 * 1024 * 1024;
const NONE: u64 = 4 * 1024 * 1024;

pub(super) fn look(environment: &Environment) -> Vec<Finding> {
    let Some(state) = environment.state_dir() else {
        return vec![Finding::problem(
            SUBJECT,
            "there is no folder for sessions",
            "set HOME or XDG_STATE_HOME",
        )];
    };
    let mut findings = of_folder(&state);
    let mut paths = files(&state);
    // What a killed process left before its first line is no session.
    paths.retain(|path| !is_unwritten(path));
    let sizes = paths.iter().filter_map(|path| Some(std::fs::metadata(path).ok()?.len()));
    let total: u64 = sizes.sum();
    findings.push(match paths.first() {
        None => Finding::ok(SUBJECT, "there are no sessions yet"),
        Some(newest) => {
            let count =
                if paths.len() == 1 { "1 session".to_owned() } else { format!("{} sessions", paths.len()) };
            Finding::ok(SUBJECT, format!("{count}, {} in all; the newest is {}", size(total), id_of(newest)))
        }
    });
    findings.extend(of_books(&paths));
    findings.extend(paths.iter().take(MOST_READ).filter_map(|path| of_lock(path)));
    findings
}

fn word(path: &Path) -> String {
    shell_word(&path.display().to_string())
}

/// The folder, or where it would be made: whether something can be written there, by whom it can be read, how much
/// room there is.
fn of_folder(state: &Path) -> Vec<Finding> {
    let shown = state.display();
    let existing = state.ancestors().find(|folder| folder.exists());
    let Some(existing) = existing.filter(|folder| folder.is_dir()) else {
        let existing = existing.unwrap_or(state).display();
        return vec![Finding::problem(
            SUBJECT,
            format!("{shown}: cannot be created, since {existing} is not a folder"),
            format!("move {existing} away, or set XDG_STATE_HOME to another folder"),
        )];
    };
    // A file without a name: nothing is left of it.
    if let Err(why) = tempfile::tempfile_in(existing) {
        return vec![Finding::problem(
            SUBJECT,
            format!("{shown}: cannot write to {}: {why}", existing.display()),
            format!("chmod u+rwx {}, or set XDG_STATE_HOME to another folder", word(existing)),
        )];
    }
    let kept = state.join("sessions");
    let mode = std::fs::metadata(&kept).map(|found| found.mode() & 0o777);
    let mut findings = vec![match mode {
        Ok(mode) if mode & 0o077 != 0 => Finding::warning(
            SUBJECT,
            format!("{}: others can read it (mode {mode:03o})", kept.display()),
            format!("chmod 700 {}", word(&kept)),
        ),
        Ok(mode) => {
            Finding::ok(SUBJECT, format!("{}: writable, only by you (mode {mode:03o})", kept.display()))
        }
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            Finding::ok(SUBJECT, format!("{}: does not exist yet, but can be created", kept.display()))
        }
        Err(why) => Finding::problem(
            SUBJECT,
            format!("{}: cannot be looked at: {why}", kept.display()),
            format!("make {} a folder of yours, or set XDG_STATE_HOME to another folder", kept.display()),
        ),
    }];
    findings.extend(of_room(existing));
    findings
}

fn of_room(folder: &Path) -> Option<Finding> {
    let found = statvfs(folder).ok()?;
    Some(judge_room(found.f_bavail.saturating_mul(found.f_frsize)))
}

fn judge_room(free: u64) -> Finding {
    let told = format!("{} free on its disk", size(free));
    if free < NONE {
        Finding::problem(
            SUBJECT,
            format!("{told}: nothing can be recorded, so no action will be taken"),
            "free disk space",
        )
    } else if free < SHORT {
        Finding::warning(SUBJECT, told, "free disk space; `countersign sessions remove SESSION` deletes one")
    } else {
        Finding::ok(SUBJECT, told)
    }
}

/// Reads the newest sessions as `sessions check` does.
fn of_books(paths: &[PathBuf]) -> Vec<Finding> {
    let (mut findings, mut sound, mut left_out, mut read) = (Vec::new(), 0_usize, 0_usize, 0);
    for path in paths.iter().take(MOST_READ) {
        let length = std::fs::metadata(path).map(|found| found.len()).unwrap_or_default();
        if length > MOST_OF_ONE || read + length > MOST_OF_ALL {
            left_out += 1;
            continue;
        }
        read += length;
        let id = id_of(path);
        // Before the session: one that is being written has more lines then than are known, and never fewer.
        let known = known(path).unwrap_or_default();
        match SessionStore::bytes(path).map(|bytes| audit_with(&bytes, known.kept())) {
            Err(why) => findings.push(Finding::problem(SUBJECT, why, format!("chmod u+rw {}", word(path)))),
            Ok(audit) => match audit.faults.first() {
                None => sound += 1,
                Some(first) => findings.push(Finding::problem(
                    SUBJECT,
                    format!("{id}: not well-formed: {first}"),
                    format!("countersign sessions check {}", shell_word(&id)),
                )),
            },
        }
    }
    left_out += paths.len().saturating_sub(MOST_READ);
    if sound > 0 {
        findings.push(Finding::ok(SUBJECT, format!("{sound} of the newest are well-formed")));
    }
    if left_out > 0 {
        findings.push(Finding::skipped(
            SUBJECT,
            format!("{left_out} older or very large ones were not checked"),
            "countersign sessions check SESSION",
        ));
    }
    findings
}

/// A session that somebody writes. The system gives a lock back when its process ends, however it ends.
fn of_lock(path: &Path) -> Option<Finding> {
    let file = open_plain(path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => {}
        Ok(()) | Err(TryLockError::Error(_)) => return None,
    }
    let id = id_of(path);
    let holder = file.metadata().ok().and_then(|found| holder(&found));
    Some(match holder {
        Some((pid, name)) if !is_ours(pid, &name) => Finding::warning(
            SUBJECT,
            format!(
                "{id}: is locked by process {pid} ({name}): another countersign if that is its name, or what a killed \
                 one has left behind"
            ),
            format!("look at it (`ps -p {pid}`) before you end it: a session that runs would be cut short"),
        ),
        Some((pid, _)) => Finding::ok(SUBJECT, format!("{id}: is being written by process {pid}")),
        None => Finding::ok(SUBJECT, format!("{id}: is being written by another process")),
    })
}

/// Whether a process is countersign: by its name, or by its program, which may have another name.
fn is_ours(pid: u32, name: &str) -> bool {
    let program =
        |of: &str| std::fs::metadata(format!("/proc/{of}/exe")).map(|found| (found.dev(), found.ino()));
    name.starts_with("countersign")
        || matches!((program(&pid.to_string()), program("self")), (Ok(its), Ok(ours)) if its == ours)
}

/// Whose lock it is, by the system's list of locks: its process and what that is called.
fn holder(file: &Metadata) -> Option<(u32, String)> {
    let locks = text("/proc/locks")?;
    let inode = format!(":{}", file.ino());
    let pid: u32 = locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_ours = words.get(1) == Some(&"FLOCK") && words.get(5).is_some_and(|id| id.ends_with(&inode));
        words.get(4).filter(|_| is_ours)?.parse().ok()
    })?;
    let name = text(&format!("/proc/{pid}/comm"))?;
    Some((pid, name.trim().to_owned()))
}

fn text(path: &str) -> Option<String> {
    match reading::read(path.as_ref(), MOST_OF_ONE) {
        Reading::Text { text, .. } => Some(text),
        Reading::Absent | Reading::Refused(_) => None,
    }
}

fn id_of(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// `12 KB`, `3 MB`, `56 GB`.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{} KB", bytes.div_ceil(1000)),
        1_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Severity;
    use super::*;

    #[test]
    fn room_is_judged_by_what_is_left() {
        for (free, wanted) in
            [(NONE - 1, Severity::Problem), (NONE, Severity::Warning), (SHORT, Severity::Ok)]
        {
            assert_eq!(judge_room(free).status, wanted, "{free}");
        }
        assert_eq!(size(1), "1 KB");
        assert_eq!(size(56_000_000_000), "56 GB");
    }
}
