//! What no editor should send: refused or bounded in words, and the connection goes on.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::client::Editor;
use crate::world::World;

fn error(editor: &mut Editor, line: &str) -> (Value, i64, String) {
    editor.raw(line);
    let message = editor.until(|one| one.get("error").is_some());
    let error = &message["error"];
    (message["id"].clone(), error["code"].as_i64().unwrap(), error["message"].as_str().unwrap().to_owned())
}

#[test]
fn lines_that_are_no_messages_are_named_with_their_codes() {
    let world = World::new();
    let mut editor = Editor::silent(&world, &["--script", r#"["Hi."]"#]);
    let long = format!("{{\"x\":\"{}\"}}", "y".repeat(33 << 20));
    let many = format!("{{\"x\":[{}]}}", "{},".repeat(200_000));
    for (line, code, words) in [
        ("hello", -32700, "not JSON"),
        ("{\"jsonrpc\":", -32700, "not JSON"),
        ("\u{1}", -32700, "not JSON"),
        ("[]", -32600, "one JSON object"),
        ("{}", -32600, "jsonrpc"),
        (long.as_str(), -32600, "longer than 32 MiB"),
        (many.as_str(), -32600, "too many values"),
        ("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}", -32600, "the id"),
        ("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"x\"}", -32600, "the id"),
    ] {
        let shown = &line[..line.len().min(60)];
        let (id, found, why) = error(&mut editor, line);
        assert_eq!((id, found), (Value::Null, code), "{shown}: {why}");
        assert!(why.contains(words), "{shown}: {why}");
    }
    for name in ["session/fork", "fs/read_text_file", "_mine/thing", "logout", ""] {
        let line = json!({ "jsonrpc": "2.0", "id": "a", "method": name }).to_string();
        let (id, code, _) = error(&mut editor, &line);
        assert_eq!((id, code), (json!("a"), -32601), "{name}");
    }
    // Notifications and answers that nobody knows are left alone; before `initialize` nothing is opened.
    editor.raw("");
    editor.tell("$/whatever", json!({}));
    editor.answer(&json!({ "id": 7 }), json!({}));
    let (code, why) = editor.refused("session/new", json!({ "cwd": world.work(), "mcpServers": [] }));
    assert!(code == -32600 && why.contains("initialize"), "{why}");
    assert_eq!(editor.refused("initialize", json!({})).0, -32602);
    assert_eq!(
        editor.ask("initialize", json!({ "protocolVersion": 7 }))["protocolVersion"],
        1,
        "it is told ours"
    );
    assert_eq!(editor.refused("authenticate", json!({ "methodId": "x" })).0, -32602);
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "hi");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn folders_that_are_none_are_refused() {
    let world = World::new();
    let mut editor = Editor::start(&world, &["--script", r#"["Hi."]"#]);
    let file = world.work().join("one.txt");
    for (cwd, words) in [
        (json!("work"), "not absolute"),
        (json!("/not/there"), "cannot work in"),
        (json!(file), "is not a folder"),
        (json!(7), "not understood"),
    ] {
        let (code, why) = editor.refused("session/new", json!({ "cwd": cwd, "mcpServers": [] }));
        assert!(code == -32602 && why.contains(words), "{cwd}: {why}");
    }
    let more = json!({ "cwd": world.work(), "mcpServers": [], "additionalDirectories": ["/tmp"] });
    assert_eq!(editor.refused("session/new", more).0, -32602);
    assert_eq!(editor.refused("session/new", Value::Null).0, -32602);
    editor.leave();
    assert!(world.sessions().is_empty());
}

#[test]
fn prompts_that_name_what_may_not_be_sent_are_refused_and_nothing_is_said() {
    let world = World::new();
    std::fs::write(world.place().join("secret.txt"), "outside\n").unwrap();
    symlink(world.place().join("secret.txt"), world.work().join("link.txt")).unwrap();
    std::fs::write(world.work().join(".env"), "TOKEN=1\n").unwrap();
    let script = r#"["Hi."]"#;
    let mut editor = Editor::start(&world, &["--deny", "read(two.txt)", "--script", script]);
    let session = editor.new_session(&world);
    let link = |path: &str| json!({ "type": "resource_link", "name": "x", "uri": path });
    let here = |name: &str| format!("file://{}", world.work().join(name).display());
    let held = |uri: String| json!({ "type": "resource", "resource": { "uri": uri, "text": "x" } });
    for (block, words) in [
        (link("file:///etc/passwd"), "is outside"),
        (link(&here("../secret.txt")), "is outside"),
        (held("file:///etc/passwd".to_owned()), "is outside"),
        (link(&here("link.txt")), "secret.txt"),
        (link(&here("gone.txt")), "there is no file"),
        (link(&here("two.txt")), "two.txt"),
        (held(here("two.txt")), "two.txt"),
        (link(&here(".env")), ".env"),
        (json!({ "type": "image", "mimeType": "image/png", "data": "!" }), "not base64"),
        (json!({ "type": "image", "mimeType": "image/png", "data": "aGVsbG8=" }), "cannot be sent"),
        (json!({ "type": "image", "mimeType": "image/png", "data": "A".repeat(8 << 20) }), "too large"),
        (json!({ "type": "audio", "mimeType": "audio/wav", "data": "" }), "not understood"),
        (json!({ "type": "resource", "resource": { "uri": "x:y", "blob": "" } }), "no text"),
        (
            json!({ "type": "resource", "resource": { "uri": "x:y", "text": "x".repeat(500_000) } }),
            "larger than 400 kB",
        ),
        (json!("words"), "not understood"),
        (json!({ "type": "text", "text": " \n" }), "empty"),
    ] {
        let prompt = editor.say(&session, json!([block]));
        let (code, why) = editor.error(&prompt);
        assert!(code == -32602 && why.contains(words), "{words}: {why}");
    }
    let many: Vec<Value> = (0..300).map(|_| json!({ "type": "text", "text": "x" })).collect();
    let prompt = editor.say(&session, json!(many));
    assert_eq!(editor.error(&prompt).0, -32602);
    assert!(world.sessions().is_empty(), "nothing was said");
    let prompt = editor.prompt(&session, "hi");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    editor.leave();
}

#[test]
fn a_second_prompt_in_one_session_is_refused_and_unknown_sessions_are() {
    let world = World::new();
    let script = json!([super::client::touches("a"), "Done."]);
    let (mut editor, session) = Editor::with_script(&world, "ask", script);
    let first = editor.prompt(&session, "go");
    let request = editor.asked("session/request_permission");
    let second = editor.prompt(&session, "me too");
    let (code, why) = editor.error(&second);
    assert!(code == -32600 && why.contains("under way"), "{why}");
    editor.choose(&request, "deny");
    assert_eq!(editor.stop_reason(&first), "end_turn");
    for method in ["session/prompt", "session/set_mode", "session/close"] {
        let (code, why) =
            editor.refused(method, json!({ "sessionId": "nobody", "prompt": [], "modeId": "ask" }));
        assert!(code == -32602 && why.contains("session"), "{why}");
        assert_eq!(editor.refused(method, json!({})).0, -32602);
    }
    editor.tell("session/cancel", json!({ "sessionId": "nobody" }));
    editor.tell("session/cancel", json!(7));
    assert_eq!(editor.leave().code, 0);
}

#[test]
fn the_session_of_a_subagent_and_a_relative_folder_are_refused_in_words() {
    let world = World::new();
    let mut editor = Editor::start(&world, &["--script", r#"["Hi."]"#]);
    let session = editor.new_session(&world);
    let of_subagent = format!("{session}-c1");
    let at = json!({ "sessionId": of_subagent, "cwd": world.work(), "mcpServers": [] });
    let (code, why) = editor.refused("session/load", at);
    assert_eq!(code, -32602);
    assert!(
        why.contains("a sub-agent") && why.contains(&format!("countersign resume {of_subagent}")),
        "{why}"
    );
    let (code, why) = editor.refused("session/list", json!({ "cwd": "src" }));
    assert!(code == -32602 && why.contains("cwd is not absolute"), "{why}");
    editor.leave();
}

#[test]
fn what_is_wrong_on_the_command_line_is_told_before_any_editor() {
    let world = World::new();
    for words in [&["--mode", "fast"][..], &["--goal", "x"], &["-C", "/not/there"]] {
        let output = world.program().arg("acp").args(words).output().unwrap();
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{words:?}");
    }
}

#[test]
fn a_custom_command_whose_file_cannot_be_used_is_no_prompt() {
    let world = World::new();
    let commands = world.config_file().parent().unwrap().join("commands");
    std::fs::create_dir_all(&commands).unwrap();
    std::fs::write(commands.join("fix.md"), "---\ndescription: [never closed\nFix $1.\n").unwrap();
    let mut editor = Editor::start(&world, &["--script", r#"["Hi."]"#]);
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "/fix it");
    let (code, why) = editor.error(&prompt);
    assert_eq!(code, -32602);
    assert!(why.contains("/fix cannot be used") && why.contains("fix.md"), "{why}");
    // Nothing was said, and the next prompt is the first.
    let prompt = editor.prompt(&session, "hi");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    editor.leave();
    assert_eq!(crate::world::of_type(&world.entries(), "user_message").len(), 1);
}
