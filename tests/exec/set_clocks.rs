//! Clocks that are set back: what is written after that has no earlier time, and a check names the lines
//! whose time is, and a time that is still to come.

use serde_json::Value;

use crate::forged::forge;
use crate::world::World;

/// The session with another time in one of its lines, counted from the end.
fn with_time(world: &World, from_the_end: usize, at: &str) {
    let text = world.session_text();
    let mut records: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let place = records.len() - 1 - from_the_end;
    records[place]["at"] = at.into();
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    forge(&world.session_file(), &text);
}

#[test]
fn what_is_added_has_no_earlier_time_than_what_stands() {
    let world = World::new();
    assert_eq!(world.json(&["--script", r#"["One."]"#, "first"]).code, 0);
    // As if the clock was right now, and had been ahead then.
    with_time(&world, 0, "2090-01-01T00:00:00.000Z");
    let went_back = || {
        let checked = world.sessions_cli(&["check", "--last"]);
        assert_eq!(checked.code, 0, "{checked:?}");
        checked.out.contains("its time is earlier than that of the line before")
    };
    assert!(!went_back());
    assert_eq!(world.sessions_cli(&["tag", "--last", "+work"]).code, 0);
    assert!(!went_back());
    assert_eq!(world.json(&["--last", "--script", r#"["Two."]"#, "second"]).code, 0);
    assert!(!went_back());
    with_time(&world, 1, "2020-01-01T00:00:00.000Z");
    assert!(went_back());
}

#[test]
fn a_time_that_is_still_to_come_is_named_and_is_no_fault() {
    let world = World::new();
    assert_eq!(world.json(&["--script", r#"["One."]"#, "first"]).code, 0);
    let says = "is still to come by the clock of this machine";
    let sound = world.sessions_cli(&["check", "--last"]);
    assert!(sound.code == 0 && !sound.out.contains(says), "{sound:?}");
    with_time(&world, 0, "2999-01-01T00:00:00.000Z");
    let count = world.session_text().lines().count();
    let checked = world.sessions_cli(&["check", "--last"]);
    let named = format!("line {count}: its time, 2999-01-01T00:00:00.000Z, {says}");
    assert!(checked.code == 0 && checked.out.contains(&named), "{checked:?}");
}
