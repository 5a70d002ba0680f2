//! `--output-schema`: the answer satisfies the schema, or the run says why not.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::model_server::{ModelServer, Part, Reply};
use crate::servers::{ALL, ANTHROPIC, OPENAI, RESPONSES, Speech, accepted};
use crate::world::{World, of_type, script, text};

fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": { "colour": { "type": "string" }, "lines": { "type": "integer" } },
        "required": ["colour", "lines"],
        "additionalProperties": false,
    })
}

const GOOD: &str = "{\"colour\": \"green\", \"lines\": 2}";
const WORDS: [&str; 3] = ["--output-schema", "schema.json", "what colour?"];

fn given(speech: Speech, schema: &Value, replies: Vec<Reply>) -> (ModelServer, World) {
    let (server, world) = speech.serve(replies);
    fs::write(world.work().join("schema.json"), schema.to_string()).unwrap();
    (server, world)
}

/// The schema of a request, where each protocol has it.
fn asked(speech: Speech, body: &Value) -> &Value {
    match speech.model {
        model if model == ANTHROPIC.model => &body["output_config"]["format"]["schema"],
        model if model == OPENAI.model => &body["response_format"]["json_schema"]["schema"],
        _ => &body["text"]["format"]["schema"],
    }
}

#[test]
fn every_protocol_is_asked_for_the_schema_beside_the_tools() {
    for speech in ALL {
        let replies = vec![
            Reply::Stream(vec![Part::call("call_1", "read", &json!({ "path": "one.txt" }))]),
            Reply::text(GOOD),
        ];
        let (server, world) = given(speech, &schema(), replies);
        let ran = world.exec(&WORDS);
        assert_eq!((ran.code, ran.out.trim_end(), ran.err.as_str()), (0, GOOD, ""), "{speech:?}");
        let sent = accepted(&server);
        assert_eq!(sent.len(), 2);
        for body in &sent {
            let asked = asked(speech, body);
            assert_eq!(asked["required"], schema()["required"], "{speech:?}: {body:#}");
            assert!(asked.get("$schema").is_none() && !body["tools"].as_array().unwrap().is_empty());
        }
        // Without the flag nothing is asked for.
        let (server, world) = given(speech, &schema(), vec![Reply::text("Green.")]);
        assert_eq!(world.exec(&["what colour?"]).code, 0);
        assert!(asked(speech, &accepted(&server)[0]).is_null());
    }
}

#[test]
fn an_answer_that_does_not_fit_is_asked_for_once_more_and_the_books_say_by_whom() {
    for speech in ALL {
        let wrong = "{\"colour\": \"green\", \"lines\": \"two\"}";
        let (server, world) = given(speech, &schema(), vec![Reply::text(wrong), Reply::text(GOOD)]);
        let ran = world.exec(&WORDS);
        assert_eq!((ran.code, ran.out.trim_end(), ran.err.as_str()), (0, GOOD, ""), "{speech:?}");
        let sent = accepted(&server);
        let last = sent[1].to_string();
        assert!(last.contains("/lines: ") && last.contains("does not satisfy the JSON Schema"), "{last}");
        let entries = world.entries();
        assert_eq!(of_type(&entries, "user_message").len(), 1, "the repair is not the user's message");
        let said = of_type(&entries, "injected");
        let repair = said.iter().find(|entry| text(entry, "text").contains("/lines: ")).unwrap();
        assert_eq!(repair["by"], "continuation", "{repair}");
        let transitions = of_type(&entries, "transition");
        assert_eq!(transitions.last().unwrap()["reason"], "schema_repair");
    }
}

#[test]
fn the_second_answer_that_does_not_fit_ends_the_run_with_the_reason() {
    for speech in ALL {
        let fenced = format!("```json\n{GOOD}\n```");
        let (server, world) = given(speech, &schema(), vec![Reply::text("Green."), Reply::text(&fenced)]);
        fs::write(world.work().join("answer.json"), "before").unwrap();
        let ran = world.exec(&[&["-o", "answer.json"], &WORDS[..]].concat());
        assert_eq!((ran.code, ran.out.as_str()), (1, ""), "{speech:?}");
        let says =
            "The answer does not satisfy the output schema, also when asked again: the answer is not JSON";
        assert!(ran.err.contains(says), "{}", ran.err);
        assert_eq!(world.file("answer.json"), "before");
        assert_eq!(accepted(&server).len(), 2);
        assert_eq!(world.entries().last().unwrap()["reason"], "invalid_answer");
    }
}

#[test]
fn a_schema_that_the_provider_refuses_is_refused_in_its_words() {
    let open = json!({ "type": "object", "properties": { "colour": { "type": "string" } } });
    let (_server, world) = given(ANTHROPIC, &open, vec![Reply::text("{}")]);
    let ran = world.exec(&WORDS);
    assert_eq!((ran.code, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("'additionalProperties' must be explicitly set to false"), "{}", ran.err);
    let helps = "If it refuses the schema of --output-schema, which it may call `answer`";
    assert!(ran.err.contains(helps) && ran.err.contains("add `--tools string`"), "{}", ran.err);
    let list = json!({ "type": "array" });
    for speech in [OPENAI, RESPONSES] {
        // An object that is open is asked for without strict output, and checked here.
        let (server, world) = given(speech, &open, vec![Reply::text("{\"colour\": \"green\"}")]);
        let ran = world.exec(&WORDS);
        assert_eq!(ran.code, 0, "{}", ran.err);
        accepted(&server);
        let (_server, world) = given(speech, &list, vec![Reply::text("[]")]);
        let ran = world.exec(&WORDS);
        assert_eq!((ran.code, ran.out.as_str()), (1, ""));
        assert!(ran.err.contains("schema must be a JSON Schema of 'type"), "{}", ran.err);
        assert!(ran.err.contains(helps), "{}", ran.err);
    }
    // In words the provider gets no schema that it could refuse.
    let refusal = || vec![Reply::error(400, "invalid_request_error", "no such parameter")];
    let (_server, world) = given(OPENAI, &open, refusal());
    assert!(world.exec(&WORDS).err.contains(helps));
    let (_server, world) = given(OPENAI, &open, refusal());
    let ran = world.exec(&[&["--tools", "string"], &WORDS[..]].concat());
    assert!(ran.err.contains("next: Read the provider's message; it refuses this request."), "{}", ran.err);
}

#[test]
fn a_model_whose_calls_are_text_is_told_the_schema_in_words() {
    let (server, world) = given(OPENAI, &schema(), vec![Reply::text(GOOD)]);
    let ran = world.exec(&[&["--tools", "string"], &WORDS[..]].concat());
    assert_eq!((ran.code, ran.out.trim_end()), (0, GOOD), "{}", ran.err);
    let sent = accepted(&server);
    assert!(sent[0].get("response_format").is_none());
    let told = text(&sent[0]["messages"][0], "content");
    assert!(told.contains("satisfies this JSON Schema: {\"type\":\"object\""), "{told}");
}

#[test]
fn what_is_no_schema_is_refused_before_anything_is_sent() {
    let world = World::new();
    let work = world.work();
    assert!(Command::new("mkfifo").arg(work.join("pipe")).status().unwrap().success());
    let long = format!("{{\"description\": \"{}\"}}", "x".repeat(300 << 10));
    let deep = format!("{}{}{}", "{\"not\":".repeat(300), "{}", "}".repeat(300));
    for (name, content) in [
        ("words", "not JSON"),
        ("list", "[]"),
        ("odd", "{\"type\": \"strng\"}"),
        ("remote", "{\"$ref\": \"http://127.0.0.1:9/s.json\"}"),
        ("other", "{\"$ref\": \"other.json\"}"),
        ("long", long.as_str()),
        ("deep", deep.as_str()),
    ] {
        fs::write(work.join(name), content).unwrap();
    }
    let cases = [
        ("words", "cannot be read as JSON at line 1, column 2; a JSON Schema is expected, as in {"),
        ("list", "is not a JSON object"),
        ("odd", "cannot be used ("),
        ("remote", "refers to http://127.0.0.1:9/s.json, which is not in the file, and nothing is fetched"),
        ("other", "refers to something that is not in it"),
        ("long", "is larger than 256 KiB"),
        ("deep", "cannot be read as JSON at line 1, column "),
        ("pipe", "cannot be read: it is not a regular file"),
        ("/dev/zero", "cannot be read: it is not a regular file"),
        ("missing", "does not exist"),
    ];
    let answer = script(json!(["{}"]));
    for (file, why) in cases {
        let line = world.refused(&["--script", &answer, "--output-schema", file, "ask"]);
        assert!(line.contains(&format!("--output-schema: {file} {why}")), "{file}: {line}");
        let is_schema = matches!(file, "list" | "odd" | "remote" | "other");
        assert_eq!(line.contains("; next: correct the schema"), is_schema, "{file}: {line}");
    }
    fs::write(work.join("goal.toml"), "objective = \"x\"\ndone = \"y\"\n").unwrap();
    fs::write(work.join("fine"), "{}").unwrap();
    let line = world.refused(&["--script", &answer, "--output-schema", "fine", "--goal", "goal.toml"]);
    assert!(line.contains("--output-schema cannot be combined with --goal"), "{line}");
    assert!(world.sessions().is_empty());
}

#[test]
fn a_program_that_steers_the_run_gets_the_repair_and_the_ending() {
    let world = World::new();
    fs::write(world.work().join("schema.json"), r#"{"type": "array"}"#).unwrap();
    let line = |words: &str| format!("{}\n", json!({ "type": "user_message", "content": words }));
    let replies = script(json!(["no", "[1]"]));
    let words =
        ["--json", "--input", "jsonl", "--output-schema", "schema.json", "--script", &replies, "first"];
    let ran = world.exec_fed(&words, b"");
    assert_eq!((ran.code, ran.reason().as_str()), (0, "completed"), "{}", ran.err);
    let again = script(json!(["no", "still no"]));
    let words = ["--json", "--input", "jsonl", "--output-schema", "schema.json", "--script", &again];
    let ran = world.exec_fed(&words, line("second").as_bytes());
    assert_eq!((ran.code, ran.reason().as_str()), (1, "invalid_answer"));
    assert!(ran.complaint().contains("does not satisfy the output schema"), "{}", ran.err);
    assert_eq!(ran.all("transition").last().unwrap()["reason"], "schema_repair");
}
