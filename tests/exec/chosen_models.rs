//! Models that lanes of a race are given and that agents name, beside a script.

use serde_json::{Value, json};

use crate::races::in_a_repository;
use crate::world::{World, script, text};

#[test]
fn a_lane_with_the_script_runs_beside_one_with_another_model() {
    for models in ["script,rehearsal", "rehearsal,script"] {
        let world = in_a_repository(World::new());
        let replies = script(json!(["x", "y", "z"]));
        let ran = world.race(&["--json", "--models", models, "--script", &replies, "list files"]);
        assert_eq!(ran.code, 0, "{models}: {ran:?}");
        let lanes: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let named: Vec<String> = lanes.iter().map(|lane| text(lane, "model")).collect();
        assert_eq!(named.join(","), models, "{}", ran.out);
        assert!(!ran.err.contains("cannot be used"), "{ran:?}");
        assert!(lanes.iter().all(|lane| lane["turns"].as_u64() > Some(0)), "{}", ran.out);
    }
}

#[test]
fn a_race_with_a_model_that_cannot_be_used_is_refused_before_anything_starts() {
    for (configured, models, why) in [
        ("", "script,rehearsal", "script cannot be used: the model `script` has no script"),
        ("", "rehearsal,zebra/x", "zebra/x cannot be used: "),
        (
            "model = 'rehearsal'\nscript = '[7]'\n",
            "rehearsal,script",
            "script cannot be used: the script cannot be read",
        ),
    ] {
        let world = in_a_repository(World::new()).configured(configured);
        let ran = world.race(&["--models", models, "list files"]);
        assert!(ran.code == 2 && ran.err.contains(why), "{models}: {ran:?}");
        assert!(world.sessions().is_empty(), "{models}");
    }
}

#[test]
fn a_script_answers_instead_of_a_model_that_an_agent_names() {
    let call = json!({ "name": "delegate_to_far", "arguments": { "task": "Do it." } });
    let replies = script(json!([{ "tool_calls": [call] }, "It is done.", "Done."]));
    let defined = "[agents.far]\ndescription = 'Far'\ninstructions = 'Do it.'\nmodel = 'openai/x'\n";
    let mocked = World::new().configured(defined).with("DEBUG_MOCK_RESPONSES", &replies);
    let flagged = World::new().configured(defined);
    for ran in [mocked.json(&["go"]), flagged.json(&["--script", &replies, "go"])] {
        assert_eq!(text(&ran.one("tool_result"), "content"), "It is done.", "{ran:?}");
    }
}
