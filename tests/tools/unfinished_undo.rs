//! An undo that failed half-way: it is known as long as nobody has finished it, and set aside where that cannot be.

use std::fs;

use countersign::runtime::undo::{Finished, Hash, UndoScope};

use super::undoing::{told, untold};
use super::*;

#[tokio::test]
async fn what_cannot_be_finished_is_set_aside_and_what_was_done_of_it_is_told() {
    let (fixture, snapshots) = Fixture::kept();
    for name in ["a", "b"] {
        fixture.put(name, name);
        fixture.write(1, name, "1").await;
    }
    let plan = snapshots.plan(&UndoScope::Since(CallId(1)), &told(&snapshots)).unwrap();
    assert!(!snapshots.is_unfinished(untold).unwrap(), "there is none yet");
    snapshots.restore(&plan, 7).unwrap();
    assert!(!snapshots.is_unfinished(|since, entries| (since, entries) == (CallId(1), 7)).unwrap());
    // As it is where the second file could not be put back; and what it was is lost since.
    fixture.put("b", "1");
    let kept = fixture.folder.path().join("ID.files");
    fs::remove_file(kept.join(Hash::of(b"b").as_str())).unwrap();
    assert!(snapshots.is_unfinished(untold).unwrap());
    match snapshots.finish(&told(&snapshots), untold).unwrap() {
        Finished::Failed(restored, failed, place) => {
            assert_eq!(restored.files, [fixture.path("a")]);
            assert_eq!(failed.iter().map(|(file, _)| file.clone()).collect::<Vec<_>>(), [fixture.path("b")]);
            assert_eq!(place, kept.join("restoring.refused"));
        }
        other => unreachable!("{other:?}"),
    }
    assert_eq!((fixture.get("a").as_str(), fixture.get("b").as_str()), ("a", "1"));
    assert!(!snapshots.is_unfinished(untold).unwrap());
    assert_eq!(
        snapshots.finish(&told(&snapshots), untold).unwrap(),
        Finished::Nothing,
        "nobody does it later"
    );
}
