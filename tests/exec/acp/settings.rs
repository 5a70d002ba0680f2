//! Mode, model and effort: offered when a session is opened, set by the editor, and in force for what comes after.

use serde_json::{Value, json};

use super::client::{Editor, touches};
use crate::model_server::{ModelServer, Reply};
use crate::servers::ANTHROPIC;
use crate::world::World;

fn option<'v>(options: &'v Value, id: &str) -> &'v Value {
    options.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap()
}

fn values(option: &Value) -> Vec<&str> {
    option["options"].as_array().unwrap().iter().map(|one| one["value"].as_str().unwrap()).collect()
}

#[test]
fn a_mode_is_set_in_either_way_and_counts_for_the_next_decision() {
    let world = World::new();
    let script = json!([touches("a"), "Done.", touches("b"), "Done."]).to_string();
    let mut editor = Editor::start(&world, &["--mode", "ask", "--script", &script]);
    let opened = editor.ask("session/new", json!({ "cwd": world.work(), "mcpServers": [] }));
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(opened["modes"]["currentModeId"], "ask");
    assert_eq!(
        values(option(&opened["configOptions"], "mode")),
        ["plan", "ask", "edit", "auto", "unrestricted"]
    );
    let set = |mode: &str| json!({ "sessionId": session, "modeId": mode });
    assert_eq!(editor.ask("session/set_mode", set("unrestricted")), json!({}));
    assert_eq!(editor.updates("current_mode_update").pop().unwrap()["currentModeId"], "unrestricted");
    assert_eq!(editor.ask("session/set_mode", set("unrestricted")), json!({}), "the same once more");
    let prompt = editor.prompt(&session, "go");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(world.work().join("a").exists());
    let plan = json!({ "sessionId": session, "configId": "mode", "value": "plan" });
    let result = editor.ask("session/set_config_option", plan);
    assert_eq!(option(&result["configOptions"], "mode")["currentValue"], "plan");
    let prompt = editor.prompt(&session, "go");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert!(!world.work().join("b").exists(), "plan mode reads only");
    for (method, params) in [
        ("session/set_mode", set("fast")),
        ("session/set_config_option", json!({ "sessionId": session, "configId": "mode", "value": "fast" })),
        ("session/set_config_option", json!({ "sessionId": session, "configId": "colour", "value": "red" })),
        (
            "session/set_config_option",
            json!({ "sessionId": session, "configId": "mode", "type": "boolean", "value": true }),
        ),
        ("session/set_config_option", json!({ "sessionId": session })),
    ] {
        assert_eq!(editor.refused(method, params.clone()).0, -32602, "{params}");
    }
    editor.leave();
}

#[test]
fn a_model_and_an_effort_are_set_and_the_next_request_has_them() {
    let (server, world) = ANTHROPIC.serve(vec![Reply::text("One."), Reply::text("Two.")]);
    let mut editor = Editor::start(&world, &["-m", "anthropic/claude-sonnet-5-5"]);
    let opened = editor.ask("session/new", json!({ "cwd": world.work(), "mcpServers": [] }));
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    let models = option(&opened["configOptions"], "model");
    assert_eq!(models["currentValue"], "anthropic/claude-sonnet-5-5");
    let other = values(models)
        .into_iter()
        .find(|name| name.starts_with("anthropic/") && *name != "anthropic/claude-sonnet-5-5");
    let other = other.expect("another model").to_owned();
    let prompt = editor.prompt(&session, "hi");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let usage = editor.updates("usage_update").pop().unwrap();
    assert!(usage["cost"]["amount"].as_f64().unwrap() > 0.0 && usage["cost"]["currency"] == "USD", "{usage}");
    let set = |id: &str, value: &str| json!({ "sessionId": session, "configId": id, "value": value });
    let result = editor.ask("session/set_config_option", set("model", &other));
    assert_eq!(option(&result["configOptions"], "model")["currentValue"], json!(other));
    let level = values(option(&result["configOptions"], "effort"));
    assert_eq!(level[0], "default");
    let result = editor.ask("session/set_config_option", set("effort", "default"));
    assert_eq!(option(&result["configOptions"], "effort")["currentValue"], "default");
    let prompt = editor.prompt(&session, "hi");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let asked: Vec<Value> = server.requests().into_iter().map(|one| one.body["model"].clone()).collect();
    assert_eq!(asked, [json!("claude-sonnet-5-5"), json!(other.trim_start_matches("anthropic/"))]);
    let (code, why) = editor.refused("session/set_config_option", set("model", "nobody/nothing"));
    assert!(code == -32602 && why.contains("nobody"), "{why}");
    let (code, why) = editor.refused("session/set_config_option", set("effort", "much"));
    assert!(code == -32602 && why.contains("xhigh"), "{why}");
    editor.leave();
}

#[test]
fn models_of_an_own_server_can_be_chosen_and_chosen_again() {
    let server =
        ModelServer::start(Vec::new()).page("/v1/models", json!({ "data": [{ "id": "m" }, { "id": "n" }] }));
    let world = World::new().configured(&format!("[providers.mine]\nbase_url = \"{}\"\n", server.base_url()));
    let mut editor = Editor::start(&world, &["-m", "mine/m"]);
    let opened = editor.ask("session/new", json!({ "cwd": world.work(), "mcpServers": [] }));
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    let all = |options: &Value| -> Vec<String> {
        values(option(options, "model")).into_iter().map(str::to_owned).collect()
    };
    // Nobody waits for the server when the session is opened: what it knows is told when it comes.
    let at_first = all(&opened["configOptions"]);
    assert!(at_first.iter().any(|one| one == "mine/m") && !at_first.iter().any(|one| one == "mine/n"));
    let offered = all(&editor.update("config_option_update")["configOptions"]);
    assert!(
        ["mine/m", "mine/n", "rehearsal"].iter().all(|name| offered.iter().any(|one| one == name)),
        "{offered:?}"
    );
    for name in ["rehearsal", "mine/m", "mine/n"] {
        let chosen = json!({ "sessionId": session, "configId": "model", "value": name });
        let result = editor.ask("session/set_config_option", chosen);
        assert_eq!(option(&result["configOptions"], "model")["currentValue"], json!(name));
        assert_eq!(all(&result["configOptions"]), offered, "{name}");
    }
    editor.leave();
}

#[test]
fn a_model_that_no_list_has_can_be_chosen_again() {
    // Nobody answers there: the list cannot have it.
    let world = World::new().configured("[providers.mine]\nbase_url = \"http://127.0.0.1:9\"\n");
    let mut editor = Editor::start(&world, &["-m", "mine/m"]);
    let opened = editor.ask("session/new", json!({ "cwd": world.work(), "mcpServers": [] }));
    let session = opened["sessionId"].as_str().unwrap().to_owned();
    for name in ["rehearsal", "mine/m"] {
        let chosen = json!({ "sessionId": session, "configId": "model", "value": name });
        let result = editor.ask("session/set_config_option", chosen);
        assert!(values(option(&result["configOptions"], "model")).contains(&"mine/m"), "{name}");
    }
    editor.leave();
}
