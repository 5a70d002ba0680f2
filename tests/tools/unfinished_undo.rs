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
    // The process ends before the books tell of it, or they cannot: it is told again, and what could not be
    // done is kept once.
    for _ in 0..2 {
        match snapshots.finish(&told(&snapshots), untold).unwrap() {
            Finished::Failed(restored, failed, place) => {
                assert_eq!((restored.since, restored.files), (Some(CallId(1)), vec![fixture.path("a")]));
                assert_eq!(
                    failed.iter().map(|(file, _)| file.clone()).collect::<Vec<_>>(),
                    [fixture.path("b")]
                );
                assert_eq!(place, kept.join("restoring.refused"));
            }
            other => unreachable!("{other:?}"),
        }
        assert_eq!((fixture.get("a").as_str(), fixture.get("b").as_str()), ("a", "1"));
        assert!(snapshots.is_unfinished(untold).unwrap());
        assert!(!kept.join("restoring.refused.1").exists());
    }
    let books = |since, entries| (since, entries) == (CallId(1), 7);
    assert!(!snapshots.is_unfinished(books).unwrap());
    assert_eq!(snapshots.finish(&told(&snapshots), books).unwrap(), Finished::Nothing);
    assert_eq!(
        snapshots.finish(&told(&snapshots), untold).unwrap(),
        Finished::Nothing,
        "nobody does it later"
    );
    assert!(kept.join("restoring.refused").exists());
}

#[tokio::test]
async fn what_is_set_aside_takes_the_place_of_nothing() {
    let (fixture, snapshots) = Fixture::kept();
    fixture.put("a", "0");
    fixture.write(1, "a", "1").await;
    let kept = fixture.folder.path().join("ID.files");
    for (name, words) in [("restoring.refused", "one\n"), ("restoring.refused.1", "another\n")] {
        fs::write(kept.join("restoring"), words).unwrap();
        assert_eq!(
            snapshots.finish(&told(&snapshots), untold).unwrap(),
            Finished::Damaged(1, kept.join(name))
        );
    }
    assert_eq!(fs::read_to_string(kept.join("restoring.refused")).unwrap(), "one\n");
    assert_eq!(fs::read_to_string(kept.join("restoring.refused.1")).unwrap(), "another\n");
}
