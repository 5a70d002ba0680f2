//! The session store: modes, lock, torn tails, lazy creation, finding sessions again.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Arc;

use countersign::ledger::*;
use countersign::runtime::store::{SessionStore, find, latest, list};
use countersign::runtime::{StoreError, StorePort};
use tempfile::TempDir;

const NOON: u64 = 1_763_640_000_000;

fn state() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn entry(id: u64, body: Body) -> Arc<Entry> {
    Arc::new(Entry { id: EntryId(id), at: Millis(NOON + id), body })
}

fn started(session: &str, cwd: &str) -> Arc<Entry> {
    let started = SessionStarted {
        session: session.into(),
        cwd: cwd.into(),
        model: ModelRef::parse("script"),
        version: FORMAT_VERSION,
        system: String::new(),
        mode: None,
        forked_from: None,
    };
    entry(1, Body::SessionStarted(started))
}

fn user(id: u64, content: &str) -> Arc<Entry> {
    entry(id, Body::User(Arc::new(UserMessage::text(content))))
}

/// A session with one message, closed again.
fn kept(state: &Path, id: &str, cwd: &str) -> std::path::PathBuf {
    let mut store = SessionStore::create(state, id).unwrap();
    store.append(&[started(id, cwd), user(2, "hello")]).unwrap();
    store.path().unwrap().to_owned()
}

fn files(state: &Path) -> usize {
    list(state).sessions.len() + list(state).unreadable.len()
}

#[test]
fn what_is_appended_outlives_the_process_before_it_is_synced() {
    let state = state();
    let mut store = SessionStore::create(state.path(), "one").unwrap();
    store.sync().unwrap();
    assert_eq!(files(state.path()), 0, "nothing was written that a sync could keep");
    store.append(&[started("one", "/w"), user(2, "hello")]).unwrap();
    let path = store.path().unwrap().to_owned();
    let read = SessionStore::read(&path).unwrap().entries.len();
    store.sync().unwrap();
    store.append(&[user(3, "more")]).unwrap();
    assert_eq!((read, SessionStore::read(&path).unwrap().entries.len()), (2, 3));
}

#[test]
fn a_store_that_wrote_nothing_leaves_nothing() {
    let state = state();
    let mut store = SessionStore::create(state.path(), "s1").unwrap();
    store.append(&[]).unwrap();
    assert_eq!(store.path(), None);
    drop(store);
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 0);
}

#[test]
fn a_file_that_was_made_ahead_is_the_sessions_and_goes_if_it_never_begins() {
    let state = state();
    let made_at =
        |id: &str, at| SessionStore::create(state.path(), id).unwrap().made_ahead(Millis(at)).named_ahead();
    let path = |id: &str| state.path().join(format!("sessions/2025/11/{id}.jsonl"));
    drop(made_at("s1", NOON));
    assert!(!path("s1").exists() && path("s1").parent().unwrap().exists());
    let mut store = made_at("s1", NOON);
    let before = fs::metadata(path("s1")).unwrap().ino();
    assert_eq!((store.path(), files(state.path())), (None, 1));
    let twin = made_at("s1", NOON).append(&[started("s1", "/w")]).unwrap_err();
    // It may go without an entry.
    let says = |why: &str| why.contains("cannot make the session file");
    assert!(matches!(&twin, StoreError::Unwritable(why) if says(why)), "{twin}");
    store.append(&[started("s1", "/w")]).unwrap();
    drop(store);
    assert_eq!(fs::metadata(path("s1")).unwrap().ino(), before);
    assert_eq!(SessionStore::read(&path("s1")).unwrap().entries.len(), 1);
    // It is kept by the month of its first entry.
    let mut store = made_at("s2", 0);
    store.append(&[started("s2", "/w")]).unwrap();
    assert_eq!((store.path(), files(state.path())), (Some(path("s2").as_path()), 2));
    // A process that died before the first entry left the file.
    fs::write(path("s3"), "").unwrap();
    made_at("s3", NOON).append(&[started("s3", "/w")]).unwrap();
    assert_eq!(SessionStore::read(&path("s3")).unwrap().entries.len(), 1);
    let written = made_at("s3", NOON).append(&[started("s3", "/w")]).unwrap_err();
    assert!(matches!(&written, StoreError::NameTaken(why) if why.contains("File exists")), "{written}");
}

#[test]
fn files_and_folders_are_for_their_owner_alone() {
    let state = state();
    let path = kept(state.path(), "s1", "/w");
    assert_eq!(path, state.path().join("sessions/2025/11/s1.jsonl"));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o600);
    for folder in path.ancestors().skip(1).take(3) {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
}

#[test]
fn one_session_has_one_writer() {
    let state = state();
    let mut store = SessionStore::create(state.path(), "s1").unwrap();
    store.append(&[started("s1", "/w")]).unwrap();
    let path = store.path().unwrap().to_owned();
    let refused = SessionStore::open(&path).unwrap_err();
    assert!(refused.contains("session s1 is open in another countersign"), "{refused}");
    assert_eq!(SessionStore::read(&path).unwrap().entries.len(), 1);
    let mut twin = SessionStore::create(state.path(), "s1").unwrap();
    let taken = twin.append(&[started("s1", "/w")]).unwrap_err();
    assert!(taken.to_string().contains("cannot make the session file") && !taken.may_pass(), "{taken}");
    drop(store);
    let (mut again, session) = SessionStore::open(&path).unwrap();
    assert_eq!(session.entries.len(), 1);
    again.append(&[user(2, "hi")]).unwrap();
    assert!(SessionStore::open(&path).is_err());
}

#[test]
fn what_was_appended_is_read_back_after_every_cut() {
    let state = state();
    let path = kept(state.path(), "s1", "/w");
    let whole = fs::read(&path).unwrap();
    let first = whole.iter().position(|b| *b == b'\n').unwrap();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        if cut == 1 {
            // Any other file of one long line without a newline.
            fs::write(&path, "x".repeat(70_000)).unwrap();
            assert!(SessionStore::open(&path).unwrap_err().contains("not a session file"));
            fs::write(&path, &whole[..cut]).unwrap();
        }
        if cut < first {
            assert!(SessionStore::open(&path).unwrap_err().contains("cut in its first line"), "{cut}");
            continue;
        }
        let (mut store, session) = SessionStore::open(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), whole[..cut], "opening alone changes nothing");
        let before = session.entries.len();
        store.append(&[user(7, "after")]).unwrap();
        store.append(&[user(8, "and on")]).unwrap();
        let read = SessionStore::read(&path).unwrap();
        assert_eq!(read.entries.len(), before + 2, "cut at {cut}");
        assert_eq!((read.torn_tail, read.entries[before].clone()), (None, user(7, "after")));
    }
}

#[test]
fn what_cannot_be_written_is_said_and_can_be_tried_again() {
    let state = state();
    let blocked = state.path().join("blocked");
    fs::write(&blocked, "a file where the folder should be").unwrap();
    let mut store = SessionStore::create(&blocked, "s1").unwrap();
    let refused = store.append(&[started("s1", "/w")]).unwrap_err();
    let why = refused.to_string();
    assert!(why.contains("cannot create the folder") && why.contains("s1.jsonl"), "{why}");
    assert!(refused.may_pass());
    fs::remove_file(&blocked).unwrap();
    store.append(&[started("s1", "/w")]).unwrap();
    assert_eq!(files(&blocked), 1);
    for bad in ["", "../s1", "a/b", "s 1"] {
        assert!(SessionStore::create(state.path(), bad).unwrap_err().contains("session's id"), "{bad}");
    }
}

#[test]
fn a_broken_file_is_refused_with_its_name_and_line() {
    let state = state();
    let path = kept(state.path(), "s1", "/w");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replace("\"content\"", "\"contents\"") + &text).unwrap();
    let refused = SessionStore::open(&path).unwrap_err();
    assert!(refused.contains("s1.jsonl: line 2: `user_message`: field `content` is missing"), "{refused}");
    assert!(SessionStore::open(&state.path().join("none.jsonl")).unwrap_err().contains("cannot open"));
}

#[test]
fn sessions_are_found_by_id_and_by_its_beginning() {
    let state = state();
    let root = state.path();
    let none = find(root, "x").unwrap_err();
    assert!(none.contains("there are none yet"), "{none}");
    let one = kept(root, "0199-aaa", "/w");
    let longer = kept(root, "0199-aaa-b", "/w");
    kept(root, "0200-ccc", "/w");
    assert_eq!(find(root, "0199-aaa"), Ok(one.clone()), "an exact id wins over a longer one");
    assert_eq!(find(root, "0199-aaa-"), Ok(longer));
    assert_eq!(find(root, one.to_str().unwrap()), Ok(one.clone()), "a file's name will do");
    let several = find(root, "0199").unwrap_err();
    assert!(several.contains("matches 2 sessions: 0199-aaa, 0199-aaa-b; give more of its id"), "{several}");
    let missing = find(root, "7").unwrap_err();
    assert!(missing.contains("no session `7`; the newest are 0200-ccc,"), "{missing}");
    assert!(find(root, "").is_err());
}

#[test]
fn the_latest_is_the_newest_of_this_folder() {
    let state = state();
    let root = state.path();
    assert_eq!(latest(root, "/w"), None);
    kept(root, "01", "/w");
    let newest = kept(root, "02", "/w");
    kept(root, "03", "/elsewhere");
    fs::write(newest.with_file_name("04.jsonl"), "{\"type\":").unwrap();
    assert_eq!(latest(root, "/w"), Some(newest));
    assert_eq!(latest(root, "/w/"), None);
}

/// A file with holes has any size and takes no room; whoever reads a hole as a line reads it whole.
#[test]
fn the_list_reads_no_file_that_is_too_large_to_be_a_session() {
    let state = state();
    kept(state.path(), "01", "/a");
    for (id, size, why) in
        [("02", 20_u64 << 30, "is too large"), ("03", 300 << 20, "one of its lines is larger")]
    {
        let path = kept(state.path(), id, "/b");
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(size).unwrap();
        let listing = list(state.path());
        let ids: Vec<&str> = listing.sessions.iter().map(|session| session.id.as_str()).collect();
        assert_eq!(ids, ["01"], "{id}");
        let said = &listing.unreadable[0].1;
        assert!(said.contains(why) && said.contains(id), "{said}");
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn the_list_says_what_there_is_and_what_cannot_be_read() {
    let state = state();
    let root = state.path();
    kept(root, "01", "/a");
    let path = kept(root, "02", "/b");
    fs::write(path.with_file_name("03.jsonl"), "not a session\n").unwrap();
    fs::write(path.with_file_name("notes.txt"), "nothing").unwrap();
    let listing = list(root);
    let ids: Vec<_> = listing.sessions.iter().map(|s| (s.id.as_str(), s.cwd.as_str())).collect();
    assert_eq!(ids, [("02", "/b"), ("01", "/a")]);
    let newest = &listing.sessions[0];
    assert_eq!((newest.first_message.as_str(), newest.entries), ("hello", 2));
    assert_eq!((newest.started, newest.bytes), (Millis(NOON + 1), fs::metadata(&path).unwrap().len()));
    assert_eq!(listing.unreadable.len(), 1);
    assert!(listing.unreadable[0].1.contains("03.jsonl: its first line is not session_started"));
}
