//! Rules that an editor's user wants kept: written where the name of the option says, once the decision is recorded.

use std::fs;

use serde_json::{Value, json};

use super::client::{Editor, calls};
use crate::world::World;

const ASKS: &str = "session/request_permission";

fn adds(file: &str) -> Value {
    calls("shell", json!({ "command": format!("git add {file}") }))
}

fn option<'v>(request: &'v Value, id: &str) -> Option<&'v Value> {
    request["params"]["options"].as_array().unwrap().iter().find(|one| one["optionId"] == id)
}

#[test]
fn a_rule_is_written_to_the_file_that_its_option_names_and_holds_in_the_next_session() {
    for (id, place, scope) in
        [("rule-everywhere", "everywhere: ", "everywhere"), ("rule-project", "in this project: ", "project")]
    {
        let world = World::new().configured("# mine\n");
        let script = json!([adds("one.txt"), adds("two.txt"), "Done."]);
        let (mut editor, session) = Editor::with_script(&world, "ask", script.clone());
        let prompt = editor.prompt(&session, "go");
        let request = editor.asked(ASKS);
        let rule = request["params"]["toolCall"]["_meta"]["countersign/approval"]["rule"].as_str().unwrap();
        let offered = option(&request, id).unwrap_or_else(|| panic!("{id}: {request}"));
        let name = offered["name"].as_str().unwrap();
        assert_eq!(offered["kind"], "allow_always");
        assert!(name.contains(place) && name.contains(rule) && name.contains("config.toml"), "{name}");
        assert_eq!(fs::read_to_string(world.config_file()).unwrap(), "# mine\n", "nothing is written yet");
        editor.choose(&request, id);
        assert_eq!(editor.stop_reason(&prompt), "end_turn");
        assert_eq!(
            editor.seen.iter().filter(|one| one["method"] == ASKS).count(),
            1,
            "the second is covered"
        );
        editor.leave();
        let file = match scope {
            "project" => world.work().join(".countersign/config.toml"),
            _ => world.config_file(),
        };
        let written = fs::read_to_string(&file).unwrap();
        assert!(written.contains(rule), "{written}");
        let decision = world.entries().into_iter().find(|entry| entry["type"] == "approval").unwrap();
        assert_eq!((&decision["by"], &decision["scope"]), (&json!("user"), &json!(scope)));
        // The next session is not asked at all.
        let (mut editor, session) = Editor::with_script(&world, "ask", script);
        let prompt = editor.prompt(&session, "go");
        assert_eq!(editor.stop_reason(&prompt), "end_turn");
        assert!(editor.seen.iter().all(|one| one["method"] != ASKS));
        editor.leave();
    }
}

#[test]
fn a_file_that_changed_meanwhile_is_left_alone_and_the_rule_holds_for_the_session() {
    let world = World::new().configured("allow = [\"shell(ls)\"]\n");
    let (mut editor, session) =
        Editor::with_script(&world, "ask", json!([adds("one.txt"), adds("two.txt"), "Done."]));
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    assert!(option(&request, "rule-everywhere").is_some(), "{request}");
    fs::write(world.config_file(), "allow = [\"shell(pwd)\"]\n").unwrap();
    editor.choose(&request, "rule-everywhere");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    // It may be told before the end of the run, or after.
    let is_told = |one: &Value| one.to_string().contains("holds for this session only");
    if !editor.seen.iter().any(is_told) {
        editor.until(is_told);
    }
    editor.leave();
    assert_eq!(fs::read_to_string(world.config_file()).unwrap(), "allow = [\"shell(pwd)\"]\n");
}
