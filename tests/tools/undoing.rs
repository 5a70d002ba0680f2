//! Undo: what the agent changed goes back, what others changed stays, and it is all of it or nothing.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use std::path::PathBuf;
use std::sync::Arc;

use countersign::ledger::{
    Body, Change, Decider, Decision, Entry, EntryId, FilesRestored, Millis, ToolResult, ToolUse,
};
use countersign::runtime::undo::{Agreement, Content, Finished, Hash, Restored, Snapshots, UndoScope};
use serde_json::json;

use super::*;

impl Fixture {
    pub(super) fn kept() -> (Self, Snapshots) {
        let mut fixture = Self::new();
        let snapshots = Snapshots::beside(&fixture.folder.path().join("ID.jsonl"));
        fixture.tools = fixture.tools.clone().keeping(snapshots.clone());
        (fixture, snapshots)
    }

    async fn call(&self, call: u64, name: &str, arguments: Value) {
        self.result(call, name, arguments).await;
    }

    pub(super) async fn result(&self, call: u64, name: &str, arguments: Value) -> ToolResult {
        let mut invocation = invocation(name, arguments, 30_000);
        invocation.call = CallId(call);
        let (output, _listener) = mpsc::channel(1);
        let report = self.tools.run(invocation, output).await;
        assert_eq!(report.outcome, Outcome::Ok, "{}", report.content);
        ToolResult {
            call: CallId(call),
            name: name.to_owned(),
            outcome: report.outcome,
            content: report.content,
            written: None,
            duration_ms: 0,
            cut_chars: 0,
            facts: report.facts,
            images: Vec::new(),
        }
    }

    pub(super) async fn write(&self, call: u64, path: &str, content: &str) {
        self.call(call, "write", json!({ "path": path, "content": content })).await;
    }
}

/// Books that say of these calls that they wrote these files.
pub(super) fn books(calls: &[(CallId, PathBuf)]) -> Agreement {
    books_with(calls, &[])
}

pub(super) fn books_with(calls: &[(CallId, PathBuf)], results: &[ToolResult]) -> Agreement {
    let mut entries = Vec::new();
    for (id, path) in calls {
        let arguments = Arguments::from_value(json!({ "path": path, "content": "" }));
        let call = ToolUse { id: *id, wire_id: String::new(), name: "write".to_owned(), arguments };
        let decision = Decision { allow: true, ..Decision::denial(*id, Decider::User, "") };
        for body in [Body::ToolCall(call), Body::ApprovalDecided(decision)] {
            entries.push(Arc::new(Entry { id: EntryId(entries.len() as u64), at: Millis(0), body }));
        }
    }
    for result in results {
        let body = Body::ToolResult(Arc::new(result.clone()));
        entries.push(Arc::new(Entry { id: EntryId(entries.len() as u64), at: Millis(0), body }));
    }
    Agreement::with(&entries, Path::new("/"), None)
}

/// Books that say all that is on record.
pub(super) fn told(snapshots: &Snapshots) -> Agreement {
    let changes = snapshots.changes().unwrap().into_iter();
    books(&changes.filter_map(|change| Some((change.call?, change.path))).collect::<Vec<_>>())
}

/// What a restore came to that was cut off.
fn finished(snapshots: &Snapshots) -> Restored {
    match snapshots.finish(&told(snapshots), untold).unwrap() {
        Finished::Done(restored) => restored,
        other => unreachable!("{other:?}"),
    }
}

/// The books say nothing of a restore.
pub(super) fn untold(_since: CallId, _entries: u64) -> bool {
    false
}

fn calls(calls: &[u64]) -> UndoScope {
    UndoScope::Calls(calls.iter().copied().map(CallId).collect::<BTreeSet<_>>())
}

#[tokio::test]
async fn a_turn_goes_back_to_what_was_before_it() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "one\n");
    fixture.put("binary", b"\0\xff\x01");
    fs::set_permissions(fixture.path("a"), fs::Permissions::from_mode(0o751)).unwrap();
    let edit = json!({ "path": "a", "edits": [{ "old_text": "one", "new_text": "two" }] });
    fixture.call(1, "edit", edit).await;
    fixture.write(2, "a", "three\n").await;
    fixture.write(3, "binary", "text").await;
    fixture.write(4, "new/deep/file", "made").await;
    let plan = snapshots.plan(&calls(&[1, 2, 3, 4]), &told(&snapshots)).unwrap();
    assert_eq!((plan.steps.len(), plan.refused.len()), (3, 0));
    let restored = snapshots.restore(&plan, 0).unwrap();
    assert_eq!(restored.files, [fixture.path("a"), fixture.path("binary"), fixture.path("new/deep/file")]);
    assert_eq!((fixture.get("a").as_str(), mode(&fixture.path("a"))), ("one\n", 0o751));
    assert_eq!(fs::read(fixture.path("binary")).unwrap(), b"\0\xff\x01");
    assert!(!fixture.path("new").exists(), "the folders that were made for it go, too");
    let again = snapshots.plan(&calls(&[1, 2, 3, 4]), &told(&snapshots)).unwrap();
    assert_eq!((again.steps.len(), again.already.len()), (0, 3));
    // The undo is on record, and what it replaced is kept.
    let changes = snapshots.changes().unwrap();
    assert_eq!(changes.iter().filter(|change| change.call.is_none()).count(), 3);
    assert!(fixture.folder.path().join("ID.files").join(Hash::of(b"three\n").as_str()).exists());
    assert_eq!(snapshots.faults(&told(&snapshots)), [""; 0]);
    // Without its lines on record, the session's entry still tells of it.
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let (since, left) = (CallId(1), Vec::new());
    let done =
        FilesRestored { since, restored: names(&["a", "binary"]), deleted: names(&["new/deep/file"]), left };
    let body = Body::Change(Change::FilesRestored(done));
    let entries = [Arc::new(Entry { id: EntryId(1), at: Millis(0), body })];
    assert_eq!(snapshots.unrecorded(&entries).restored, 0);
    let record = fixture.folder.path().join("ID.files/changes");
    let lines = fs::read_to_string(&record).unwrap();
    let lines: String = lines.split_inclusive('\n').filter(|line| !line.contains("\"call\":null")).collect();
    fs::write(&record, lines).unwrap();
    assert_eq!(snapshots.unrecorded(&entries).restored, 3);
}

#[tokio::test]
async fn one_turn_of_several_and_everything_since() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.write(1, "a", "1").await;
    fixture.write(2, "b", "2").await;
    fixture.write(3, "a", "3").await;
    let first = snapshots.plan(&calls(&[1]), &told(&snapshots)).unwrap();
    assert_has(&first.refused[0].why.to_string(), &["changed again later, by c3"]);
    snapshots.restore(&snapshots.plan(&calls(&[3]), &told(&snapshots)).unwrap(), 0).unwrap();
    assert_eq!((fixture.get("a").as_str(), fixture.get("b").as_str()), ("1", "2"));
    snapshots.restore(&snapshots.plan(&UndoScope::Since(CallId(1)), &told(&snapshots)).unwrap(), 0).unwrap();
    assert_eq!(fixture.get("a"), "0");
    assert!(!fixture.path("b").exists());
}

#[tokio::test]
async fn what_somebody_else_changed_stops_all_of_it() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.put("gone", "0");
    for (call, path) in [(1, "a"), (2, "b"), (3, "gone"), (4, "swapped/file")] {
        fixture.write(call, path, "mine").await;
    }
    let all = calls(&[1, 2, 3, 4]);
    let good = snapshots.plan(&all, &told(&snapshots)).unwrap();
    fixture.put("a", "theirs");
    fs::remove_file(fixture.path("gone")).unwrap();
    fs::rename(fixture.path("swapped"), fixture.folder.path().join("elsewhere")).unwrap();
    symlink(fixture.folder.path().join("elsewhere"), fixture.path("swapped")).unwrap();
    let plan = snapshots.plan(&all, &told(&snapshots)).unwrap();
    let refused: Vec<String> =
        plan.refused.iter().map(|refusal| format!("{} {}", refusal.path.display(), refusal.why)).collect();
    assert_eq!(refused.len(), 3, "{refused:?}");
    assert_has(&refused[0], &["work/a was changed since by someone else"]);
    assert_has(&refused[1], &["work/gone was removed since by someone else"]);
    assert_has(&refused[2], &["`swapped` has just become a symlink"]);
    assert_has(&snapshots.restore(&plan, 0).unwrap_err(), &["work/a", "nothing was undone"]);
    // Neither does a plan that was made before do any of it.
    assert_has(
        &snapshots.restore(&good, 0).unwrap_err(),
        &["changed since this was planned", "nothing was undone"],
    );
    assert_eq!((fixture.get("a").as_str(), fixture.get("b").as_str()), ("theirs", "mine"));
}

/// It has no blocks on the disk: whoever read it whole would need 64 GB of memory.
#[tokio::test]
async fn what_has_grown_too_large_since_is_refused_and_not_read() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.write(1, "a", "1").await;
    fs::OpenOptions::new().write(true).open(fixture.path("a")).unwrap().set_len(64 << 30).unwrap();
    let plan = snapshots.plan(&calls(&[1]), &told(&snapshots)).unwrap();
    assert_eq!((plan.steps.len(), plan.refused.len()), (0, 1));
    assert_has(&plan.refused[0].why.to_string(), &["changed since by someone else"]);
    assert_has(&snapshots.restore(&plan, 0).unwrap_err(), &["nothing was undone"]);
    assert_eq!(fs::metadata(fixture.path("a")).unwrap().len(), 64 << 30);
}

/// What it was is too large to be kept: a plan of ours has no such step.
#[tokio::test]
#[cfg(target_os = "linux")]
async fn what_cannot_be_taken_back_after_a_failure_is_named_and_stays_on_record() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.put("big", "");
    fixture.write(1, "a", "1").await;
    fs::OpenOptions::new().write(true).open(fixture.path("big")).unwrap().set_len(11 << 20).unwrap();
    let mut plan = snapshots.plan(&calls(&[1]), &told(&snapshots)).unwrap();
    let (mut second, mut third) = (plan.steps[0].clone(), plan.steps[0].clone());
    (second.path, second.from) = (plan.steps[0].path.with_file_name("big"), Content::Large(11 << 20));
    // Nobody makes a file there, not even root.
    (third.path, third.from) = (PathBuf::from("/proc/countersign-cannot-write-here"), Content::Absent);
    plan.steps.extend([second, third]);
    let why = snapshots.restore(&plan, 0).unwrap_err();
    assert_has(&why, &["/proc/countersign", "work/big stay as the undo made them"]);
    assert!(!why.contains("nothing was undone"), "{why}");
    assert_eq!((fixture.get("a").as_str(), fixture.get("big").as_str()), ("1", "0"));
    // Here the books know nothing of the other files.
    assert!(matches!(snapshots.finish(&told(&snapshots), untold).unwrap(), Finished::Refused(..)));
}

#[tokio::test]
async fn a_kept_content_that_is_lost_stops_all_of_it() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.put("z/file", "0");
    fixture.write(1, "a", "1").await;
    fixture.write(2, "z/file", "1").await;
    let plan = snapshots.plan(&calls(&[1, 2]), &told(&snapshots)).unwrap();
    // The content of the second is lost: found out before the first is touched.
    let kept = fixture.folder.path().join("ID.files").join(Hash::of(b"0").as_str());
    fs::write(&kept, "damaged").unwrap();
    assert_has(&snapshots.restore(&plan, 0).unwrap_err(), &["is damaged", "nothing was undone"]);
    assert_eq!((fixture.get("a").as_str(), fixture.get("z/file").as_str()), ("1", "1"));
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn a_file_that_cannot_be_written_takes_back_what_was_done() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.write(1, "a", "1").await;
    fixture.write(2, "b", "1").await;
    let mut plan = snapshots.plan(&calls(&[1, 2]), &told(&snapshots)).unwrap();
    // Nobody makes a file there, not even root.
    let nowhere = std::path::PathBuf::from("/proc/countersign-cannot-write-here");
    let mut third = plan.steps[0].clone();
    (third.path, third.from) = (nowhere, Content::Absent);
    plan.steps.push(third);
    assert_has(&snapshots.restore(&plan, 0).unwrap_err(), &["/proc/countersign", "nothing was undone"]);
    assert_eq!((fixture.get("a").as_str(), fixture.get("b").as_str()), ("1", "1"), "both are as they were");
    assert_eq!(snapshots.finish(&told(&snapshots), untold).unwrap(), Finished::Nothing);
    snapshots.restore(&snapshots.plan(&calls(&[1, 2]), &told(&snapshots)).unwrap(), 0).unwrap();
    assert_eq!(fixture.get("a"), "0");
    assert!(!fixture.path("b").exists());
}

#[tokio::test]
async fn a_restore_that_was_cut_off_is_finished_once() {
    let (fixture, snapshots) = Fixture::kept();
    for name in ["a", "b", "c"] {
        fixture.put(name, "0");
        fixture.write(1, name, "1").await;
    }
    let plan = snapshots.plan(&calls(&[1]), &told(&snapshots)).unwrap();
    snapshots.restore(&plan, 0).unwrap();
    // As the process leaves it that dies after the first file: the journal is there, two files are not restored.
    let changes = fs::read_to_string(fixture.folder.path().join("ID.files/changes")).unwrap();
    let undone: Vec<&str> = changes.lines().skip(3).collect();
    let journal = format!("{}\n{}\n", json!({ "since": "c1" }), undone.join("\n"));
    fs::write(fixture.folder.path().join("ID.files/restoring"), journal).unwrap();
    fixture.put("b", "1");
    fixture.put("c", "theirs");
    let finished = finished(&snapshots);
    assert_eq!(finished.files, [fixture.path("a"), fixture.path("b")]);
    assert_eq!(finished.left, [fixture.path("c")]);
    assert_eq!(["a", "b", "c"].map(|name| fixture.get(name)), ["0", "0", "theirs"]);
}

#[tokio::test]
async fn a_restore_is_told_again_until_the_books_have_it() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.write(1, "a", "1").await;
    snapshots.restore(&snapshots.plan(&calls(&[1]), &told(&snapshots)).unwrap(), 7).unwrap();
    // The process dies before the entry that tells of it is durable, and so does the next one.
    for _ in 0..2 {
        let told = finished(&snapshots);
        assert_eq!(
            (told.since, told.files, fixture.get("a").as_str()),
            (Some(CallId(1)), vec![fixture.path("a")], "0")
        );
    }
    // The books have it: it is over, and what is done to the file from then on stays.
    fixture.put("a", "2");
    let books = |since, entries| (since, entries) == (CallId(1), 7);
    assert_eq!(snapshots.finish(&told(&snapshots), books).unwrap(), Finished::Nothing);
    assert_eq!(
        snapshots.finish(&told(&snapshots), untold).unwrap(),
        Finished::Nothing,
        "nothing is left of it"
    );
    assert_eq!(fixture.get("a"), "2");
}

#[tokio::test]
async fn what_is_a_symlink_after_a_crash_is_left_alone() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("deep/a", "0");
    fixture.write(1, "deep/a", "1").await;
    snapshots.restore(&snapshots.plan(&calls(&[1]), &told(&snapshots)).unwrap(), 0).unwrap();
    let changes = fs::read_to_string(fixture.folder.path().join("ID.files/changes")).unwrap();
    let undone = changes.lines().last().unwrap();
    let journal = format!("{}\n{undone}\n", json!({ "since": "c1" }));
    fs::write(fixture.folder.path().join("ID.files/restoring"), journal).unwrap();
    let outside = fixture.folder.path().join("outside");
    fs::rename(fixture.path("deep"), &outside).unwrap();
    fs::write(outside.join("a"), "1").unwrap();
    symlink(&outside, fixture.path("deep")).unwrap();
    let finished = finished(&snapshots);
    assert_eq!((finished.since, finished.files), (Some(CallId(1)), Vec::new()));
    assert_eq!(finished.left, [fixture.path("deep/a")]);
    assert_eq!(fs::read_to_string(outside.join("a")).unwrap(), "1", "nothing is written through it");
}

#[tokio::test]
async fn a_torn_record_is_survived_and_a_damaged_one_is_said() {
    let (fixture, snapshots) = Fixture::kept();
    let record = fixture.folder.path().join("ID.files/changes");
    fixture.put("a", "0");
    fixture.write(1, "a", "1").await;
    let whole = fs::read_to_string(&record).unwrap();
    fs::write(&record, format!("{whole}{}", whole.get(..20).unwrap())).unwrap();
    assert_eq!(snapshots.changes().unwrap().len(), 1);
    fixture.write(2, "a", "2").await;
    assert_eq!(snapshots.changes().unwrap().len(), 2);
    snapshots.restore(&snapshots.plan(&UndoScope::Since(CallId(1)), &told(&snapshots)).unwrap(), 0).unwrap();
    assert_eq!(fixture.get("a"), "0");
    fs::write(&record, format!("nonsense\n{whole}")).unwrap();
    assert_has(&snapshots.changes().unwrap_err(), &["line 1 of", "is damaged"]);
}

#[tokio::test]
async fn what_is_kept_is_the_users_alone_and_no_change_is_made_without_it() {
    let (mut fixture, snapshots) = Fixture::kept();
    fixture.put("a", "secret");
    fixture.write(1, "a", "1").await;
    let folder = fixture.folder.path().join("ID.files");
    assert_eq!(mode(&folder), 0o700);
    let files: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 2);
    for file in &files {
        assert_eq!(mode(file), 0o600, "{}", file.display());
        assert!(!file.to_string_lossy().ends_with(".jsonl"));
    }
    assert_eq!(snapshots.changes().unwrap()[0].before, Content::Known(Hash::of(b"secret")));
    let blocked = fixture.folder.path().join("blocked.files");
    fs::write(&blocked, "a file stands where the folder should be").unwrap();
    fixture.tools = fixture.tools.clone().keeping(Snapshots::beside(&blocked.with_extension("jsonl")));
    let why = fixture.fails("write", json!({ "path": "a", "content": "2" })).await;
    assert_has(&why, &["the data for undo cannot be saved", "nothing was changed"]);
    assert_eq!(fixture.get("a"), "1");
    let left: Vec<_> = fs::read_dir(fixture.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["a"], "no temporary file stays");
}

#[tokio::test]
async fn removing_a_session_takes_its_snapshots_along() {
    use countersign::runtime::store::{files, remove};
    let (fixture, _snapshots) = Fixture::kept();
    let state = fixture.folder.path().join("state");
    let session = state.join("sessions/2026/11/ID.jsonl");
    fs::create_dir_all(session.parent().unwrap()).unwrap();
    fs::write(&session, "{}\n").unwrap();
    let tools = fixture.tools.clone().keeping(Snapshots::of_session(state.clone(), "ID".to_owned()));
    let write = invocation("write", json!({ "path": "a", "content": "1" }), 30_000);
    let (output, _listener) = mpsc::channel(1);
    assert_eq!(tools.run(write, output).await.outcome, Outcome::Ok);
    let kept = session.with_extension("files");
    assert!(kept.join("changes").exists());
    fs::write(kept.join("planted.jsonl"), "{}\n").unwrap();
    assert_eq!(files(&state), std::slice::from_ref(&session), "what is kept is no session");
    remove(&state, &session).unwrap();
    assert!(!session.exists() && !kept.exists());
}
