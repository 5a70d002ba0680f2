//! What an undo needs, and what a tool writes, on a disk that fails: nothing is changed that could not be put back.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{Change, Content, Hash, Snapshots};
use crate::runtime::failing::failing;
use crate::runtime::tools::anchor::Anchor;

fn change(path: &Path) -> Change {
    Change {
        call: None,
        path: path.to_owned(),
        before: Content::Absent,
        after: Content::Known(Hash::of(b"after")),
        mode: None,
        runs: None,
        made: None,
    }
}

#[test]
fn a_change_whose_record_cannot_be_made_durable_must_not_be_made() {
    let place = tempfile::tempdir().unwrap();
    let snapshots = Snapshots::beside(&place.path().join("s1.jsonl"));
    let file = place.path().join("file");
    // The first line makes the record, a later one is added to it, each with a sync of its own.
    let why = failing(&[libc::SYS_fsync], || snapshots.keep(change(&file), None).unwrap_err());
    assert!(why.contains("Input/output error"), "{why}");
    snapshots.keep(change(&file), None).unwrap();
    failing(&[libc::SYS_fdatasync], || snapshots.keep(change(&file), None).unwrap_err());
    // And the content that it speaks of.
    failing(&[libc::SYS_fsync], || snapshots.keep(change(&file), Some(b"before")).unwrap_err());
    snapshots.keep(change(&file), Some(b"before")).unwrap();
    let kept = snapshots.changes().unwrap();
    assert_eq!(kept.last().unwrap().before, Content::Known(Hash::of(b"before")));
}

#[test]
fn a_content_that_cannot_be_made_durable_is_not_put_in_its_place() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().canonicalize().unwrap().join("file");
    fs::write(&path, "before").unwrap();
    let anchor = Anchor::of(&path).unwrap();
    failing(&[libc::SYS_fsync], || anchor.stage(b"after").map(drop).unwrap_err());
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_record_of_changes_that_is_a_pipe_or_a_link_is_refused_at_once() {
    let place = tempfile::tempdir().unwrap();
    let snapshots = Snapshots::beside(&place.path().join("s1.jsonl"));
    let (record, other) = (place.path().join("s1.files/changes"), place.path().join("other"));
    let file = place.path().join("file");
    fs::create_dir(place.path().join("s1.files")).unwrap();
    mknodat(CWD, &record, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let why = snapshots.keep(change(&file), None).unwrap_err();
    assert!(why.contains("it is not a regular file"), "{why}");
    fs::remove_file(&record).unwrap();
    fs::write(&other, "theirs\n").unwrap();
    symlink(&other, &record).unwrap();
    snapshots.keep(change(&file), None).unwrap_err();
    assert_eq!(fs::read(&other).unwrap(), b"theirs\n");
}
