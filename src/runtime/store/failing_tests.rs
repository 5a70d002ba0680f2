//! The session file on a disk that fails: what is reported, what is left, and that it goes on.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::*;
use crate::ledger::{Body, EntryId, FORMAT_VERSION, ModelRef, SessionStarted, UserMessage};
use crate::runtime::failing::failing;

const FSYNC: i64 = libc::SYS_fsync;
const FDATASYNC: i64 = libc::SYS_fdatasync;

fn entry(id: u64, body: Body) -> Arc<Entry> {
    Arc::new(Entry { id: EntryId(id), at: Millis(1_763_640_000_000 + id), body })
}

fn started() -> Arc<Entry> {
    let started = SessionStarted {
        session: "s1".into(),
        cwd: "/w".into(),
        model: ModelRef::parse("script"),
        version: FORMAT_VERSION,
        system: String::new(),
        mode: None,
        forked_from: None,
    };
    entry(1, Body::SessionStarted(started))
}

fn said(id: u64, words: &str) -> Arc<Entry> {
    entry(id, Body::User(Arc::new(UserMessage::text(words))))
}

/// A session with one durable entry.
fn begun(state: &Path) -> (SessionStore, PathBuf) {
    let mut store = SessionStore::create(state, "s1").unwrap();
    store.append(&[started()]).unwrap();
    store.sync().unwrap();
    let path = store.path().unwrap().to_owned();
    (store, path)
}

#[test]
fn a_sync_that_fails_is_reported_and_what_it_was_for_is_taken_back() {
    let state = tempfile::tempdir().unwrap();
    let (mut store, path) = begun(state.path());
    let before = fs::read(&path).unwrap();
    let why = failing(&[FDATASYNC], || {
        store.append(&[said(2, "hello")]).unwrap();
        store.sync().unwrap_err().to_string()
    });
    assert!(why.starts_with("cannot write the session: Input/output error"), "{why}");
    assert_eq!(fs::read(&path).unwrap(), before);
    store.append(&[said(2, "hello"), said(3, "again")]).unwrap();
    store.sync().unwrap();
    let read = SessionStore::read(&path).unwrap();
    assert_eq!((read.entries.len(), read.torn_tail), (3, None));
    follow(&fs::read(&path).unwrap(), known(&path).unwrap()).unwrap();
}

#[test]
fn a_session_whose_first_sync_fails_leaves_no_file_and_can_begin_later() {
    let state = tempfile::tempdir().unwrap();
    let mut store = SessionStore::create(state.path(), "s1").unwrap();
    failing(&[FDATASYNC], || {
        store.append(&[started()]).unwrap();
        store.sync().unwrap_err();
    });
    assert!(files(state.path()).is_empty() && store.path().is_none());
    store.append(&[started()]).unwrap();
    store.sync().unwrap();
    assert_eq!(files(state.path()).len(), 1);
}

#[test]
fn a_name_that_cannot_be_made_durable_leaves_no_empty_file() {
    let state = tempfile::tempdir().unwrap();
    let mut store = SessionStore::create(state.path(), "s1").unwrap();
    let why = failing(&[FSYNC], || store.append(&[started()]).unwrap_err().to_string());
    assert!(why.contains("cannot make the session file") && why.contains("Input/output error"), "{why}");
    assert!(files(state.path()).is_empty());
    store.append(&[started()]).unwrap();
    assert_eq!(files(state.path()).len(), 1);
}

#[test]
fn a_file_that_cannot_be_made_ahead_is_made_with_the_first_entry() {
    let state = tempfile::tempdir().unwrap();
    let store = SessionStore::create(state.path(), "s1").unwrap();
    let mut store = failing(&[FSYNC], || {
        let mut store = store.made_ahead(Millis(1_763_640_000_000)).named_ahead();
        let why = store.append(&[started()]).unwrap_err().to_string();
        assert!(why.contains("cannot make the session file"), "{why}");
        store
    });
    assert!(files(state.path()).is_empty());
    store.append(&[started()]).unwrap();
    assert_eq!(files(state.path()).len(), 1);
}

#[test]
fn an_import_that_cannot_be_made_durable_leaves_nothing() {
    for call in [FSYNC, FDATASYNC] {
        let state = tempfile::tempdir().unwrap();
        failing(&[call], || adopt(state.path(), "s1", Millis(1), "{}\n", true).unwrap_err());
        assert!(files(state.path()).is_empty());
    }
}

/// A limit on the size of files makes the system take a part of a write, as a full disk does. It is one of the whole
/// process, so this test runs in one of its own, in which the signal that comes with it is ignored.
#[test]
fn of_a_write_that_is_taken_in_part_nothing_is_left() {
    const NAME: &str = "runtime::store::failing_tests::of_a_write_that_is_taken_in_part_nothing_is_left";
    if std::env::var_os("COUNTERSIGN_TEST_LIMITED").is_none() {
        let me = std::env::current_exe().unwrap();
        let ran = Command::new("sh")
            .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
            .arg(me)
            .args(["--exact", NAME, "--test-threads=1"])
            .env("COUNTERSIGN_TEST_LIMITED", "1")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let state = tempfile::tempdir().unwrap();
    let (mut store, path) = begun(state.path());
    let before = fs::read(&path).unwrap();
    let limit = getrlimit(Resource::Fsize);
    for _ in 0..3 {
        let most = Some(before.len() as u64 + 10);
        setrlimit(Resource::Fsize, Rlimit { current: most, maximum: limit.maximum }).unwrap();
        let why = store.append(&[said(2, "more than ten letters")]).unwrap_err().to_string();
        assert!(why.contains("File too large"), "{why}");
        assert_eq!(fs::read(&path).unwrap(), before, "well-formed at once, not only after the next write");
    }
    setrlimit(Resource::Fsize, limit).unwrap();
    store.append(&[said(2, "more than ten letters")]).unwrap();
    store.sync().unwrap();
    let read = SessionStore::read(&path).unwrap();
    assert_eq!((read.entries.len(), read.torn_tail), (2, None));
    follow(&fs::read(&path).unwrap(), known(&path).unwrap()).unwrap();
}

#[test]
fn a_file_that_was_exchanged_or_removed_is_not_written() {
    let state = tempfile::tempdir().unwrap();
    let (mut store, path) = begun(state.path());
    let before = fs::read(&path).unwrap();
    let aside = path.with_extension("aside");
    fs::rename(&path, &aside).unwrap();
    let why = store.append(&[said(2, "lost")]).unwrap_err().to_string();
    assert!(why.contains("was moved or removed"), "{why}");
    fs::copy(&aside, &path).unwrap();
    let why = store.append(&[said(2, "lost")]).unwrap_err().to_string();
    assert!(why.contains("was replaced by another file"), "{why}");
    assert_eq!((fs::read(&path).unwrap(), fs::read(&aside).unwrap()), (before.clone(), before));
    fs::rename(&aside, &path).unwrap();
    store.append(&[said(2, "kept")]).unwrap();
    // Exchanged between the write and the sync: nobody may act on it.
    fs::rename(&path, &aside).unwrap();
    assert!(store.sync().unwrap_err().to_string().contains("was moved or removed"));
    fs::rename(&aside, &path).unwrap();
    store.append(&[said(2, "kept")]).unwrap();
    store.sync().unwrap();
    assert_eq!(SessionStore::read(&path).unwrap().entries.len(), 2);
}

#[test]
fn a_session_file_of_absurd_size_is_refused_before_it_is_read() {
    let state = tempfile::tempdir().unwrap();
    let (store, path) = begun(state.path());
    drop(store);
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(20 << 30).unwrap();
    for why in [SessionStore::open(&path).map(drop), SessionStore::read(&path).map(drop)] {
        let why = why.unwrap_err();
        assert!(why.contains("is too large: it has 21474 MB"), "{why}");
    }
}
