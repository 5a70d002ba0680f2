//! Tools of servers over HTTP: fitted to what providers take, and left out by name where one is refused all the same.

use serde_json::{Value, json};

use super::{journal, stub};
use crate::model_server::{ModelServer, Part, Reply};
use crate::servers::{ALL, ANTHROPIC, OPENAI, RESPONSES, Speech, accepted};
use crate::world::World;

const SAY: &str = "mcp__stub__say";
const ODD: &str = "mcp__stub__odd";

/// A model server, and a world whose MCP server has the tools `say` and `odd`.
fn serve(speech: Speech, replies: Vec<Reply>) -> (ModelServer, World) {
    let (server, world) = speech.serve(replies);
    let text = format!(
        "[mcp_servers.stub]\ncommand = {:?}\nargs = [\"odd\", \"journal={}\"]\n",
        stub(),
        journal(&world).display()
    );
    (server, world.configured(&text))
}

/// The names of the tools of a request, in order.
fn tools(body: &Value) -> Vec<String> {
    let name = |tool: &Value| tool.get("name").or(tool.pointer("/function/name")).cloned().unwrap();
    body["tools"].as_array().unwrap().iter().map(|tool| name(tool).as_str().unwrap().to_owned()).collect()
}

/// A refusal as the providers of this protocol say it, of the tool at a place among all that are sent.
fn refusals(speech: Speech, place: usize) -> Vec<Reply> {
    let openai = |message: &str, param: &str| {
        let error = json!({
            "message": message, "type": "invalid_request_error", "param": param,
            "code": "invalid_function_parameters",
        });
        Reply::raw(400, "application/json", &json!({ "error": error }).to_string())
    };
    let schema = format!("Invalid schema for function '{SAY}': In context=(), array schema missing items.");
    let name =
        format!("Invalid 'tools[{place}].name': string too long. Expected a string with maximum length 64.");
    if speech.model == ANTHROPIC.model {
        let words = format!("tools.{place}.custom.input_schema: JSON schema is invalid.");
        return vec![Reply::error(400, "invalid_request_error", &words)];
    }
    if speech.model == RESPONSES.model {
        let param = format!("tools[{place}].parameters");
        return vec![
            openai(&schema, &param),
            openai(&name, ""),
            openai("Object schema missing properties.", &param),
        ];
    }
    let google = format!(
        "* GenerateContentRequest.tools[0].function_declarations[{place}].parameters.properties[x].items: missing field."
    );
    let param = openai("Object schema missing properties.", &format!("tools[{place}].function.parameters"));
    let way = json!(["body", "tools", place, "function", "parameters"]);
    let fastapi = json!({ "detail": [{ "type": "dict_type", "loc": way, "msg": "Input should be a valid dictionary" }] });
    let google = json!([{ "error": { "code": 400, "message": google, "status": "INVALID_ARGUMENT" } }]);
    vec![
        openai(&schema, &format!("tools[{place}].function.parameters")),
        openai(&name.replace(".name", ".function.name"), ""),
        Reply::raw(400, "application/json", &google.to_string()),
        param,
        Reply::raw(422, "application/json", &fastapi.to_string()),
    ]
}

#[test]
fn a_tool_that_a_provider_refuses_is_named_and_the_turn_goes_on_without_it() {
    for speech in ALL {
        let (server, world) = serve(speech, vec![Reply::text("Hello.")]);
        assert_eq!(world.exec(&["go"]).code, 0);
        let all = tools(&accepted(&server)[0]);
        let place = all.iter().position(|name| name == SAY).unwrap();
        for refusal in refusals(speech, place) {
            let look = Reply::Stream(vec![Part::call("c1", "read", &json!({ "path": "one.txt" }))]);
            let (server, world) =
                serve(speech, vec![refusal, look, Reply::text("Looked."), Reply::text("Again.")]);
            let ran = world.json(&["go"]);
            assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]), "{speech:?}: {}", ran.err);
            let told = format!(
                "note: From here on the tool {SAY} is left out of requests: the provider does not take it.\n"
            );
            assert_eq!(ran.err, told, "{speech:?}");
            let reasons: Vec<Value> = ran.all("transition").iter().map(|t| t["reason"].clone()).collect();
            assert_eq!(
                reasons,
                ["submitted", "transient_retry", "next_turn"],
                "one run, one turn of the user's"
            );
            assert_eq!(ran.ended()["text"], "Looked.");
            // It stays out.
            assert_eq!(world.exec(&["--last", "again"]).code, 0);
            let sent: Vec<Vec<String>> = server.requests().iter().map(|r| tools(&r.body)).collect();
            let others: Vec<String> = all.iter().filter(|name| *name != SAY).cloned().collect();
            assert_eq!(sent, [all.clone(), others.clone(), others.clone(), others], "{speech:?}");
            assert_eq!(server.left(), 0);
        }
    }
}

#[test]
fn an_odd_tool_is_sent_as_a_strict_server_takes_it_and_is_called_by_its_own_names() {
    for speech in [ANTHROPIC, OPENAI, RESPONSES] {
        let arguments = json!({ "_filter": "x eq 1", "rows": [{ "a": 1 }, "b"] });
        let call = Reply::call("c1", ODD, &arguments);
        let (server, world) = serve(speech, vec![call, Reply::text("Done.")]);
        let ran = world.json(&["--allow", "mcp__stub__*", "go"]);
        assert_eq!((ran.code, ran.outcomes()), (0, vec!["ok".to_owned()]), "{speech:?}: {}", ran.err);
        // What the stub was called with, it says back.
        let heard: Value = serde_json::from_str(ran.one("tool_result")["content"].as_str().unwrap()).unwrap();
        assert_eq!(heard, json!({ "$filter": "x eq 1", "rows": [{ "a": 1 }, "b"] }), "{speech:?}");
        assert_eq!(std::fs::read_to_string(journal(&world)).unwrap().matches("call odd").count(), 1);
        let sent = accepted(&server);
        let place = tools(&sent[0]).iter().position(|name| name == ODD).unwrap();
        let shown = sent[0]["tools"][place].to_string();
        assert!(!shown.contains('$') && shown.contains("_filter"), "{shown}");
    }
}
