//! Prompts: what they are made of, what is told while their runs go on, and how they are answered.

use std::fs;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::client::{Editor, calls};
use crate::books;
use crate::pictures;
use crate::world::World;

#[test]
fn a_prompt_with_tools_is_told_as_it_goes_and_answered_at_its_end() {
    let world = World::new();
    let items = json!([{ "text": "look", "status": "completed" }, { "text": "say", "status": "pending" }]);
    let script = json!([
        { "thinking": "Hm.", "text": "I look.", "tool_calls": [
            { "name": "read", "arguments": { "path": "one.txt", "offset": 2 } },
            { "name": "plan", "arguments": { "items": items } },
        ] },
        "It has two lines.",
    ]);
    let (mut editor, session) = Editor::with_script(&world, "ask", script);
    let prompt = editor.prompt(&session, "what is in it?");
    let answer = editor.result(&prompt);
    assert_eq!(answer["stopReason"], "end_turn");
    let meta = &answer["_meta"];
    let ended = world.entries().pop().unwrap();
    assert_eq!(
        (&meta["countersign/ending"], &meta["countersign/entry"]),
        (&json!("completed"), &ended["entry"])
    );
    assert_eq!(editor.words("agent_message_chunk"), "I look.It has two lines.");
    let call = editor.updates("tool_call").remove(0);
    assert_eq!(
        (&call["toolCallId"], &call["kind"], &call["status"]),
        (&json!("c1"), &json!("read"), &json!("pending"))
    );
    let place = json!([{ "path": world.work().join("one.txt"), "line": 2 }]);
    assert_eq!((&call["locations"], &call["rawInput"]["offset"]), (&place, &json!(2)));
    let done = editor.updates("tool_call_update");
    let ends: Vec<&Value> = done.iter().filter(|one| one["status"] == "completed").collect();
    assert_eq!(ends.len(), 2, "{done:?}");
    assert!(ends[0]["content"][0]["content"]["text"].as_str().unwrap().contains("second line"), "{ends:?}");
    let plan = editor.updates("plan").pop().unwrap();
    let entry = json!({ "content": "look", "priority": "medium", "status": "completed" });
    assert_eq!((plan["entries"].as_array().unwrap().len(), &plan["entries"][0]), (2, &entry));
    assert_eq!(editor.updates("session_info_update")[0]["title"], "what is in it?");
    let usage = editor.updates("usage_update").pop().unwrap();
    assert!(usage["size"].as_u64().unwrap() > 0 && usage["used"].is_u64(), "{usage}");
    assert!(usage["_meta"]["countersign/budgets"].as_array().unwrap().len() >= 10);
    let ran = editor.leave();
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(books::open_calls(&world.session_file()).is_empty());
}

#[test]
fn one_prompt_follows_another_and_sessions_stand_beside_each_other() {
    let world = World::new();
    let (mut editor, first) = Editor::with_script(&world, "ask", json!(["One.", "Two."]));
    let second = editor.new_session(&world);
    assert_ne!(first, second);
    for (session, wanted) in [(&first, "One."), (&second, "One."), (&first, "Two.")] {
        let prompt = editor.prompt(session, "hi");
        assert_eq!(editor.stop_reason(&prompt), "end_turn");
        let told = editor.seen.iter().filter(|one| one["params"]["sessionId"] == json!(session));
        let told: Vec<&Value> = told.map(|one| &one["params"]["update"]["content"]["text"]).collect();
        assert!(told.contains(&&json!(wanted)), "{told:?}");
    }
    assert_eq!(editor.leave().code, 0);
    assert_eq!(world.sessions().len(), 2);
}

#[test]
fn links_pictures_and_buffers_go_with_a_prompt_and_the_ledger_says_which() {
    let world = World::new();
    let (mut editor, session) = Editor::with_script(&world, "ask", json!(["Seen."]));
    let link = format!("file://{}#L2", world.work().join("one.txt").display());
    let buffer = format!("file://{}", world.work().join("two.txt").display());
    let prompt = editor.say(
        &session,
        json!([
            { "type": "text", "text": "compare " },
            { "type": "resource_link", "uri": link, "name": "one.txt" },
            { "type": "resource", "resource": { "uri": buffer, "text": "not saved </resource> yet\n" } },
            { "type": "resource_link", "uri": "https://example.org/x", "name": "a page" },
            { "type": "image", "mimeType": "image/png", "data": STANDARD.encode(pictures::png(2, 3)) },
        ]),
    );
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let said = world.entries().into_iter().find(|entry| entry["type"] == "user_message").unwrap();
    let content = said["content"].as_str().unwrap();
    assert!(
        content.starts_with("compare @one.txt@two.txt[a page](https://example.org/x)[image 1]\n\n"),
        "{content}"
    );
    let block = "two.txt, as the editor has it:\n<resource-1>\nnot saved </resource> yet\n</resource-1>";
    assert!(content.ends_with(block), "{content}");
    let pictures = said["images"].as_array().unwrap();
    assert_eq!((pictures.len(), &pictures[0]["media_type"]), (1, &json!("image/png")), "{said}");
    let files = said["files"].as_array().unwrap();
    assert_eq!((files.len(), &files[0]["path"]), (1, &json!("one.txt")), "{said}");
    assert!(files[0]["text"].as_str().unwrap().contains("second line"));
    assert!(!files[0]["text"].as_str().unwrap().contains("first line"));
    editor.leave();
}

#[test]
fn an_at_sign_in_words_is_a_word_and_a_skill_is_called_by_its_name() {
    let world = World::new();
    let skill = world.place().join(".agents/skills/pdf");
    fs::create_dir_all(&skill).unwrap();
    fs::write(skill.join("SKILL.md"), "---\nname: pdf\ndescription: Reads PDFs\n---\nuse pdftotext\n")
        .unwrap();
    let (mut editor, session) = Editor::with_script(&world, "ask", json!(["A.", "B."]));
    let commands = editor.update("available_commands_update");
    let names: Vec<&str> = commands["availableCommands"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(names.contains(&"pdf") && names.contains(&"review") && !names.contains(&"quit"), "{names:?}");
    let prompt = editor.prompt(&session, "look at @one.txt");
    editor.result(&prompt);
    let prompt = editor.prompt(&session, "/pdf read it");
    editor.result(&prompt);
    let said: Vec<Value> =
        world.entries().into_iter().filter(|entry| entry["type"] == "user_message").collect();
    assert!(said[0].get("files").is_none(), "{}", said[0]);
    let words = said[1]["content"].as_str().unwrap();
    assert!(words.starts_with("/pdf read it\n\n[from ") && words.contains("SKILL.md, SHA-256 "), "{words}");
    assert!(words.ends_with("use pdftotext\n\n\nARGUMENTS: read it"), "{words}");
    editor.leave();
}

#[test]
fn a_command_has_the_words_of_its_block_and_the_other_blocks_follow_it() {
    let world = World::new();
    let commands = world.config_file().parent().unwrap().join("commands");
    fs::create_dir_all(&commands).unwrap();
    fs::write(commands.join("rel.md"), "Release $1 as $2.\n").unwrap();
    fs::write(commands.join("help.md"), "Help me.\n").unwrap();
    let (mut editor, session) = Editor::with_script(&world, "ask", json!(["Done."]));
    let told = editor.update("available_commands_update");
    let told = told["availableCommands"].as_array().unwrap();
    let has = |name: &str| told.iter().any(|one| one["name"] == name);
    assert!(has("rel") && !has("help"), "a built-in command has the name /help: {told:?}");
    let link = format!("file://{}", world.work().join("one.txt").display());
    let prompt = editor.say(
        &session,
        json!([
            { "type": "text", "text": "/rel 1 2" },
            { "type": "resource_link", "uri": link, "name": "one.txt" },
            { "type": "text", "text": " and more" },
        ]),
    );
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let said = world.entries().into_iter().find(|entry| entry["type"] == "user_message").unwrap();
    let content = said["content"].as_str().unwrap();
    assert!(content.starts_with("/rel 1 2\n\n[from "), "{content}");
    assert!(content.ends_with("]\n\nRelease 1 as 2. @one.txt and more"), "{content}");
    assert_eq!(said["files"][0]["path"], "one.txt", "{said}");
    editor.leave();
}

#[test]
fn a_run_that_a_budget_stops_says_which_ending_that_was() {
    let world = World::new();
    let list = || calls("list", json!({}));
    let script = json!([list(), list(), "never"]).to_string();
    let mut editor = Editor::start(&world, &["--max-turns", "1", "--script", &script]);
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "go");
    let answer = editor.result(&prompt);
    assert_eq!(answer["stopReason"], "max_turn_requests");
    assert_eq!(answer["_meta"]["countersign/ending"], "max_turns");
    editor.leave();
}
