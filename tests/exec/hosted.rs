//! What the provider runs itself, end to end: off unless listed, in the stream, in the books, back to the provider.

use serde_json::{Value, json};

use crate::model_server::{Part, Reply};
use crate::servers::{ANTHROPIC, OPENAI, accepted};

/// A block of the provider's own. Its place is far behind those that the server numbers itself.
fn block(place: u64, content: &Value) -> Part {
    let event = |kind: &str, data: Value| format!("event: {kind}\ndata: {data}\n\n");
    let start = json!({ "type": "content_block_start", "index": 100 + place, "content_block": content });
    let stop = json!({ "type": "content_block_stop", "index": 100 + place });
    Part::Bytes(event("content_block_start", start) + &event("content_block_stop", stop))
}

fn search(id: &str) -> Value {
    json!({ "type": "server_tool_use", "id": id, "name": "web_search", "input": { "query": "news" } })
}

fn found(id: &str) -> Value {
    let page =
        json!({ "type": "web_search_result", "url": "https://a.example", "encrypted_content": "b3BhcXVl" });
    json!({ "type": "web_search_tool_result", "tool_use_id": id, "content": [page] })
}

#[test]
fn a_paused_search_goes_on_and_is_in_the_books_as_it_came() {
    let (server, world) = ANTHROPIC.serve(vec![
        Reply::Stream(vec![
            Part::text("Searching. "),
            block(0, &search("s1")),
            block(1, &found("s1")),
            block(2, &search("s2")),
            Part::Stop("pause_turn".to_owned()),
        ]),
        Reply::Stream(vec![block(0, &found("s2")), Part::text("Nothing new.")]),
    ]);
    let world = world.configured("[hosted_tools]\nanthropic = [\"web_search\"]\n");
    let ran = world.json(&["what is new?"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
    let sent = accepted(&server);
    let tools = sent[0]["tools"].as_array().unwrap();
    let listed = |tool: &&Value| tool["name"] == "web_search";
    assert_eq!(tools.iter().find(listed).unwrap()["type"], "web_search_20250305");
    assert_eq!(sent[0]["tools"], sent[1]["tools"], "frozen");
    // The turn goes back as it is; the provider's are no calls of ours.
    let back = sent[1]["messages"].as_array().unwrap().last().unwrap();
    assert_eq!(back["role"], "assistant");
    assert_eq!(back["content"].as_array().unwrap()[1..], [search("s1"), found("s1"), search("s2")]);
    assert!(ran.all("tool_call").is_empty() && ran.all("approval_request").is_empty());
    let reasons: Vec<Value> = ran.all("transition").iter().map(|t| t["reason"].clone()).collect();
    assert_eq!(reasons, ["submitted", "provider_pause"]);
    let ended = ran.ended();
    assert_eq!((&ended["text"], &ended["turns"]), (&json!("Searching. Nothing new."), &json!(1)));
    assert_eq!((&ended["hosted_tools"], &ended["tool_calls"]), (&json!(2), &json!(0)));
    // Verbatim in the stream and in the file, and sent again from there.
    let hosted = &ran.all("agent_response")[0]["hosted"];
    assert_eq!((&hosted[0]["value"], &hosted[1]["value"]), (&search("s1"), &found("s1")));
    let file: Vec<Value> = world.entries().into_iter().filter(|e| e["type"] == "agent_response").collect();
    assert_eq!(file[0]["hosted"], *hosted);
    assert_eq!(file[1]["hosted"][0]["id"], "s2");
}

#[test]
fn a_subagent_has_no_hosted_tool_that_its_file_does_not_give_it() {
    for (head, is_offered) in [
        ("disallowedTools: WebSearch", [false, true]),
        ("disallowedTools: WebFetch", [true, false]),
        ("tools: Read, WebSearch", [true, false]),
        ("tools: Read", [false, false]),
        ("permission: {websearch: ask}", [false, true]),
        ("model: inherit", [true, true]),
    ] {
        let delegate = Part::call("a", "delegate_to_reader", &json!({ "task": "Look." }));
        let (server, world) = ANTHROPIC.serve(vec![
            Reply::Stream(vec![delegate]),
            Reply::text("Nothing."),
            Reply::text("Done."),
        ]);
        let world = world.configured("[hosted_tools]\nanthropic = [\"web_search\", \"web_fetch\"]\n");
        let agents = world.config_file().parent().unwrap().join("agents");
        std::fs::create_dir_all(&agents).unwrap();
        let file = format!("---\ndescription: Reads.\n{head}\n---\nRead it.\n");
        std::fs::write(agents.join("reader.md"), file).unwrap();
        let ran = world.exec(&["--mode", "unrestricted", "go"]);
        assert_eq!(ran.code, 0, "{head}: {}", ran.err);
        let offered: Vec<[bool; 2]> = accepted(&server)
            .iter()
            .map(|sent| {
                let tools = sent["tools"].as_array().unwrap();
                ["web_search", "web_fetch"].map(|name| tools.iter().any(|tool| tool["name"] == name))
            })
            .collect();
        assert_eq!(offered, [[true, true], is_offered, [true, true]], "{head}");
    }
}

#[test]
fn nothing_is_hosted_unless_a_person_lists_it() {
    let (server, world) = ANTHROPIC.serve(vec![Reply::text("Hello.")]);
    std::fs::create_dir_all(world.work().join(".countersign")).unwrap();
    let project = "hosted_tools.anthropic = ['web_search']";
    std::fs::write(world.work().join(".countersign/config.toml"), project).unwrap();
    let ran = world.exec(&["hello"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(!accepted(&server)[0]["tools"].to_string().contains("web_search"));
    assert!(ran.err.contains("`hosted_tools.anthropic` is ignored"), "{}", ran.err);
}

#[test]
fn a_tool_that_the_protocol_does_not_have_is_refused_at_the_start() {
    let refused = |model: &str, list: &str| {
        let (_server, world) = if model == "anthropic" { ANTHROPIC } else { OPENAI }.serve(Vec::new());
        world.refused(&["-c", &format!("hosted_tools.{model}=['{list}']"), "hello"])
    };
    let said = refused("anthropic", "web_serch");
    assert!(said.contains("\"web_serch\"") && said.contains("use one of web_search"), "{said}");
    let said = refused("openai-chat", "web_search");
    assert!(said.contains("remove hosted_tools.openai-chat"), "{said}");
}
