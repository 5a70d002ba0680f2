//! An import whose last run has no end: the end that is written when it goes on is ours, and claims nothing.

use serde_json::json;

use crate::foreign::{codex, import};
use crate::world::{World, of_type, text};

#[test]
fn the_end_that_is_written_into_an_import_is_ours_and_claims_nothing() {
    let world = World::new();
    let mut lines = codex(&world);
    // The file ends with results: the model has not said a last word.
    lines.retain(|line| line["payload"]["role"] != "assistant");
    let ran = import(&world, &lines, &[]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let last = world.entries().pop().unwrap();
    assert_eq!(last["type"], "tool_result");
    let told =
        format!("entries up to {} came with an import; nobody here saw them decided", text(&last, "entry"));
    assert!(world.sessions_cli(&["check", "--last"]).out.contains(&told));
    let ran = world.exec(&["--last", "--script", r#"["Gone on."]"#, "and on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let end = of_type(&world.entries(), "turn_ended").remove(0);
    assert_eq!((&end["turns"], &end["tool_calls"], &end["wall_ms"]), (&json!(0), &json!(0), &json!(0)));
    let checked = world.sessions_cli(&["check", "--last"]);
    assert!(checked.code == 0 && checked.out.contains(&told), "{}", checked.out);
    let shown = world.sessions_cli(&["show", "--last"]).out;
    assert!(
        shown.contains(&told) && shown.contains("How it ended in the other program is not known;"),
        "{shown}"
    );
    assert!(!shown.contains("No call was cut short") && !shown.contains("2 tool calls"), "{shown}");
}
