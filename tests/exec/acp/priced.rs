//! A price that waits: the editor is asked, and only a yes of the person lets the run go on.

use serde_json::{Value, json};

use super::client::Editor;
use crate::model_server::{ModelServer, Reply};
use crate::servers::ANTHROPIC;
use crate::world::World;

const ASKS: &str = "session/request_permission";

fn priced(replies: usize) -> (ModelServer, World) {
    let (server, world) = ANTHROPIC.serve((0..replies).map(|_| Reply::text("Said.")).collect());
    (server, world.configured("budget.ask_above = 0.0001\n"))
}

fn asked(world: &World) -> (Editor, String, Value, Value) {
    let mut editor = Editor::start(world, &["-m", "anthropic/claude-sonnet-5-5"]);
    let session = editor.new_session(world);
    let prompt = editor.prompt(&session, "hi");
    let request = editor.asked(ASKS);
    (editor, session, prompt, request)
}

fn accepted(world: &World) -> usize {
    world.entries().iter().filter(|entry| entry["type"] == "price_accepted").count()
}

#[test]
fn a_price_is_asked_about_and_the_run_goes_on_when_it_is_accepted() {
    let (server, world) = priced(1);
    let (mut editor, _, prompt, request) = asked(&world);
    let call = &request["params"]["toolCall"];
    let price = &call["_meta"]["countersign/price"];
    assert!(
        call["title"].as_str().unwrap().contains('$') && price["upTo"].as_u64() > price["limit"].as_u64(),
        "{call}"
    );
    assert_eq!((server.requests().len(), accepted(&world)), (0, 0), "nothing was sent");
    let options = request["params"]["options"].as_array().unwrap();
    assert_eq!((&options[0]["optionId"], &options[1]["kind"]), (&json!("accept"), &json!("reject_once")));
    editor.choose(&request, "accept");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert_eq!((server.requests().len(), accepted(&world)), (1, 1));
    // Once more: too late.
    editor.choose(&request, "accept");
    editor.until(|one| one.to_string().contains("too late, or twice"));
    let change = world.entries().into_iter().find(|entry| entry["type"] == "price_accepted").unwrap();
    assert!(change["up_to"].is_number(), "{change}");
    editor.leave();
}

#[test]
fn a_price_that_is_not_accepted_ends_the_prompt_and_accepts_nothing() {
    let nonsense = json!({ "outcome": { "outcome": "selected", "optionId": "everything" } });
    let stop = json!({ "outcome": { "outcome": "selected", "optionId": "stop" } });
    for (answer, reason) in [
        (stop, "max_turn_requests"),
        (nonsense, "max_turn_requests"),
        (json!({ "outcome": { "outcome": "cancelled" } }), "cancelled"),
    ] {
        let (server, world) = priced(0);
        let (mut editor, session, prompt, request) = asked(&world);
        editor.answer(&request, answer.clone());
        assert_eq!(editor.stop_reason(&prompt), reason, "{answer}");
        assert_eq!((server.requests().len(), accepted(&world)), (0, 0));
        // The session goes on, and asks again.
        let prompt = editor.prompt(&session, "again");
        editor.asked(ASKS);
        editor.tell("session/cancel", json!({ "sessionId": session }));
        assert_eq!(editor.stop_reason(&prompt), "cancelled");
        assert_eq!(editor.leave().code, 0);
        assert_eq!((server.requests().len(), accepted(&world)), (0, 0));
    }
}
