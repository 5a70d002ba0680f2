//! What an adoption says, and what it leaves as it was.

use std::fs;

use serde_json::Value;

use crate::races::repository;
use crate::world::{World, of_type};

fn entries_of_race(world: &World) -> Vec<Value> {
    let session = fs::read_to_string(world.session_of_race()).unwrap();
    session.lines().map(crate::books::unchained).collect()
}

#[test]
fn an_adoption_leaves_the_session_its_model() {
    let world = repository();
    world.raced();
    // A script answered the race. Nothing names it here, so that another model would answer.
    let adopted = world.race(&["adopt", "1"]);
    assert_eq!(adopted.code, 0, "{adopted:?}");
    assert_eq!(world.file("one.txt"), "1st line\nsecond line\n");
    let entries = entries_of_race(&world);
    assert_eq!(of_type(&entries, "session_started")[0]["model"], "script");
    assert!(of_type(&entries, "model_changed").is_empty(), "{entries:?}");
}
