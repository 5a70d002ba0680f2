//! Records of changes that somebody forged: the session decides, and nothing is touched that it does not know.

use std::fs;
use std::path::Path;

use countersign::runtime::undo::{Finished, Hash, UndoScope};
use serde_json::json;

use super::undoing::{books, books_with, untold};
use super::*;

/// Somebody who can write beside the sessions names files that the agent never touched.
#[tokio::test]
async fn a_forged_record_touches_nothing_that_the_books_do_not_know() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.put("theirs", "mine");
    let outside = fixture.folder.path().canonicalize().unwrap().join("outside");
    fs::write(&outside, "mine").unwrap();
    fixture.write(1, "a", "1").await;
    let books = || books(&[(CallId(1), fixture.path("a"))]);
    let kept = fixture.folder.path().join("ID.files");
    let true_record = fs::read_to_string(kept.join("changes")).unwrap();
    let hash = |text: &str| Hash::of(text.as_bytes()).as_str().to_owned();
    let line = |call: Value, path: &Path, before: Value, after: Value| json!({ "call": call, "path": path, "before": before, "after": after, "mode": null, "made": null });
    let untouched = || {
        assert_eq!(fs::read_to_string(&outside).unwrap(), "mine");
        assert_eq!((fixture.get("theirs").as_str(), fixture.get("a").as_str()), ("mine", "1"));
    };
    let inside = fixture.path("theirs");
    for path in [&outside, &inside] {
        // The journal alone, and with a line of the record that goes with it, under a call of the session's and another.
        for (call, in_record) in [("c1", false), ("c1", true), ("c9", true)] {
            let forged = line(json!(call), path, Value::Null, json!(hash("mine")));
            let record = if in_record { format!("{true_record}{forged}\n") } else { true_record.clone() };
            fs::write(kept.join("changes"), record).unwrap();
            let undo = line(Value::Null, path, json!(hash("mine")), Value::Null);
            let journal = format!("{}\n{undo}\n", json!({ "since": "c1", "entries": 0 }));
            fs::write(kept.join("restoring"), &journal).unwrap();
            let refused = Finished::Refused(vec![path.clone()], kept.join("restoring.refused"));
            assert_eq!(snapshots.finish(&books(), untold).unwrap(), refused);
            untouched();
            assert_eq!(fs::read_to_string(kept.join("restoring.refused")).unwrap(), journal);
            fs::remove_file(kept.join("restoring.refused")).unwrap();
            assert_eq!(snapshots.finish(&books(), untold).unwrap(), Finished::Nothing, "it is set aside");
        }
        // A plan names it and does nothing either.
        let plan = snapshots.plan(&UndoScope::Since(CallId(1)), &books()).unwrap();
        assert_eq!(plan.refused[0].path, *path);
        assert_has(&plan.refused[0].why.to_string(), &["was not changed like that by this session"]);
        assert_has(&snapshots.restore(&plan, 0).unwrap_err(), &["nothing was undone"]);
        untouched();
    }
    // A file that the agent did change gets nothing but what was there before.
    fs::write(kept.join("changes"), &true_record).unwrap();
    fs::write(kept.join(hash("planted")), "planted").unwrap();
    let undo = line(Value::Null, &fixture.path("a"), json!(hash("1")), json!(hash("planted")));
    fs::write(kept.join("restoring"), format!("{}\n{undo}\n", json!({ "since": "c1", "entries": 0 })))
        .unwrap();
    assert!(matches!(snapshots.finish(&books(), untold).unwrap(), Finished::Refused(..)));
    untouched();
    // Of one with a line that cannot be read, no part is done.
    let undo = line(Value::Null, &fixture.path("a"), json!(hash("1")), json!(hash("0")));
    fs::write(kept.join("restoring"), format!("{}\n{undo}\n{{\n", json!({ "since": "c1", "entries": 0 })))
        .unwrap();
    let damaged = Finished::Damaged(3, kept.join("restoring.refused.1"));
    assert_eq!(snapshots.finish(&books(), untold).unwrap(), damaged);
    untouched();
    // Nor is a record that never ends waited for.
    fs::remove_file(kept.join("changes")).unwrap();
    pipe_at(&kept.join("restoring"));
    assert_has(&snapshots.finish(&books(), untold).unwrap_err(), &["it is not a regular file"]);
}

#[tokio::test]
async fn what_the_results_say_of_contents_holds_against_the_record() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    let result = fixture.result(1, "write", json!({ "path": "a", "content": "1" })).await;
    let books = || books_with(&[(CallId(1), fixture.path("a"))], std::slice::from_ref(&result));
    let kept = fixture.folder.path().join("ID.files");
    let true_record = fs::read_to_string(kept.join("changes")).unwrap();
    let hash = |text: &str| Hash::of(text.as_bytes()).as_str().to_owned();
    fs::write(kept.join(hash("planted")), "planted").unwrap();
    for (from, to) in [("0", "planted"), ("1", "planted")] {
        let forged = true_record.replace(&hash(from), &hash(to));
        assert_ne!(forged, true_record);
        fs::write(kept.join("changes"), forged).unwrap();
        assert_has(&snapshots.faults(&books()).concat(), &["something else before or after this change"]);
        let plan = snapshots.plan(&UndoScope::Since(CallId(1)), &books()).unwrap();
        assert_has(&plan.refused[0].why.to_string(), &["was not changed like that by this session"]);
        assert_has(&snapshots.restore(&plan, 0).unwrap_err(), &["nothing was undone"]);
        assert!(snapshots.agreed(&books()).unwrap().is_empty());
        let (told, _) = snapshots.differences(&books(), |path| path.display().to_string(), 9).unwrap();
        assert_has(told[0].diff.as_ref().unwrap_err(), &["its undo record is not what the session says"]);
        assert_eq!(fixture.get("a"), "1");
    }
    // The true record agrees, also when the undo is on it.
    fs::write(kept.join("changes"), &true_record).unwrap();
    let plan = snapshots.plan(&UndoScope::Since(CallId(1)), &books()).unwrap();
    snapshots.restore(&plan, 0).unwrap();
    assert_eq!((fixture.get("a").as_str(), snapshots.faults(&books())), ("0", vec![]));
    assert_eq!(snapshots.agreed(&books()).unwrap().len(), 2);
}

fn pipe_at(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}
