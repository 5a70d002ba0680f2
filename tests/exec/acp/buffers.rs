//! Texts of the editor that are not saved: read, changed and written through it, under the rules for files.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use countersign::runtime::undo::Hash;
use serde_json::{Value, json};

use super::client::{Editor, FileAnswer, calls};
use crate::world::World;

const ASKS: &str = "session/request_permission";

/// The buffers of an editor, by their paths.
type Buffers = Rc<RefCell<BTreeMap<PathBuf, String>>>;

/// An editor that has this text of `one.txt`, and answers as one should; `saves`: it writes files as well.
fn holding(world: &World, words: &[&str], text: &str, saves: bool) -> (Editor, Buffers) {
    let fs = json!({ "fs": { "readTextFile": true, "writeTextFile": true } });
    let mut editor = Editor::able(world, words, fs);
    let buffers: Buffers = Rc::default();
    buffers.borrow_mut().insert(world.work().join("one.txt"), text.to_owned());
    let held = Rc::clone(&buffers);
    editor.files = Some(Box::new(move |method, path, content| honest(&held, method, path, content, saves)));
    (editor, buffers)
}

fn honest(held: &Buffers, method: &str, path: &Path, content: Option<&str>, saves: bool) -> FileAnswer {
    if method == "fs/write_text_file" {
        let content = content.unwrap();
        held.borrow_mut().insert(path.to_owned(), content.to_owned());
        if saves {
            fs::write(path, content).unwrap();
        }
        return FileAnswer::Result(Value::Null);
    }
    match held.borrow().get(path).cloned().or_else(|| fs::read_to_string(path).ok()) {
        Some(text) => FileAnswer::Result(json!({ "content": text })),
        None => FileAnswer::Error("no such file"),
    }
}

fn reads(path: &str) -> Value {
    calls("read", json!({ "path": path }))
}

fn edits(old: &str, new: &str) -> Value {
    calls("edit", json!({ "path": "one.txt", "edits": [{ "old_text": old, "new_text": new }] }))
}

fn run(editor: &mut Editor, world: &World) {
    let session = editor.new_session(world);
    let prompt = editor.prompt(&session, "go");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
}

fn results(world: &World) -> Vec<Value> {
    world.entries().into_iter().filter(|entry| entry["type"] == "tool_result").collect()
}

fn content(result: &Value) -> &str {
    result["content"].as_str().unwrap()
}

/// How often the editor was asked for or given a file.
fn asked(editor: &Editor, method: &str) -> usize {
    editor.seen.iter().filter(|one| one["method"] == method).count()
}

#[test]
fn what_is_not_saved_is_read_and_the_ledger_says_so() {
    let world = World::new();
    let script =
        json!([reads("one.txt"), reads("two.txt"), reads("new.txt"), reads("none.txt"), "Done."]).to_string();
    let (mut editor, buffers) = holding(&world, &["--script", &script], "first line\nnot saved\n", false);
    buffers.borrow_mut().insert(world.work().join("new.txt"), "nowhere yet\n".to_owned());
    run(&mut editor, &world);
    editor.leave();
    let results = results(&world);
    assert!(
        content(&results[0]).contains("2\tnot saved") && content(&results[0]).contains("not saved. The file")
    );
    assert_eq!(results[0]["facts"]["editor"], true, "{}", results[0]);
    // What is saved is the file's, and nothing is said of the editor.
    assert!(content(&results[1]).ends_with("another file\n(1 line)"), "{}", results[1]);
    assert_eq!(results[1]["facts"].get("editor"), None, "{}", results[1]);
    assert!(content(&results[2]).contains("nowhere yet") && results[2]["facts"]["editor"] == true);
    assert!(content(&results[3]).contains("does not exist"), "{}", results[3]);
}

#[test]
fn a_change_begins_with_the_buffer_says_so_and_goes_through_the_editor() {
    for saves in [false, true] {
        let world = World::new();
        let script =
            json!([reads("one.txt"), edits("not saved", "changed"), reads("one.txt"), "Done."]).to_string();
        let before = world.file("one.txt");
        let words = ["--mode", "ask", "--script", &script];
        let (mut editor, buffers) = holding(&world, &words, "first line\nnot saved\n", saves);
        let session = editor.new_session(&world);
        let prompt = editor.prompt(&session, "go");
        let request = editor.asked(ASKS);
        let call = &request["params"]["toolCall"];
        assert_eq!(call["content"][0]["oldText"], "first line\nnot saved\n", "what the user sees is changed");
        let warning = call["_meta"]["countersign/approval"]["warning"].as_str().unwrap();
        assert!(
            warning.contains("not saved") && call["content"].to_string().contains("not saved: the diff"),
            "{call}"
        );
        assert_eq!((world.file("one.txt"), asked(&editor, "fs/write_text_file")), (before.clone(), 0));
        editor.choose(&request, "once");
        assert_eq!(editor.stop_reason(&prompt), "end_turn");
        let told = editor.updates("tool_call_update");
        let is_end = |one: &&Value| one["toolCallId"] == "c2" && one["status"] == "completed";
        assert!(
            told.iter().find(is_end).unwrap()["content"].to_string().contains("saved with this one"),
            "{told:?}"
        );
        editor.leave();
        let after = "first line\nchanged\n";
        assert_eq!(
            (world.file("one.txt").as_str(), buffers.borrow()[&world.work().join("one.txt")].as_str()),
            (after, after)
        );
        let results = results(&world);
        assert!(content(&results[1]).contains("they are saved with this one"), "{}", results[1]);
        assert_eq!((&results[1]["outcome"], &results[1]["facts"]["editor"]), (&json!("ok"), &json!(true)));
        assert_eq!(results[2]["facts"].get("editor"), None, "buffer and file are the same again");
        // What is kept for an undo is what the file was, and it is there.
        let kept = world.session_file().with_extension("files");
        let line: Value =
            serde_json::from_str(fs::read_to_string(kept.join("changes")).unwrap().trim()).unwrap();
        let hash = |text: &str| json!(Hash::of(text.as_bytes()).as_str());
        assert_eq!((&line["before"], &line["after"]), (&hash(&before), &hash(after)));
        let id = world.session_file().file_stem().unwrap().to_str().unwrap().to_owned();
        assert_eq!(world.sessions_cli(&["check", &id]).code, 0);
    }
}

#[test]
fn a_buffer_that_changed_since_the_diff_was_shown_is_left_alone() {
    let world = World::new();
    let script = json!([edits("second line", "2nd"), "Done."]).to_string();
    let words = ["--mode", "ask", "--script", &script];
    let (mut editor, buffers) = holding(&world, &words, "first line\nsecond line\n", false);
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "go");
    let request = editor.asked(ASKS);
    buffers.borrow_mut().insert(world.work().join("one.txt"), "typed meanwhile\nsecond line\n".to_owned());
    editor.choose(&request, "once");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    assert_eq!(asked(&editor, "fs/write_text_file"), 0);
    editor.leave();
    assert!(
        content(&results(&world)[0]).contains("has changed since the approved diff"),
        "{:?}",
        results(&world)
    );
    assert!(world.file("one.txt").contains("second line"));
}

#[test]
fn an_editor_that_only_reads_keeps_its_unsaved_text_and_one_that_only_writes_is_told() {
    let world = World::new();
    let script = json!([edits("not saved", "changed"), "Done."]).to_string();
    let words = ["--mode", "unrestricted", "--script", &script];
    let mut editor = Editor::able(&world, &words, json!({ "fs": { "readTextFile": true } }));
    editor.files = Some(Box::new(|_, _, _| FileAnswer::Result(json!({ "content": "not saved\n" }))));
    run(&mut editor, &world);
    editor.leave();
    let result = &results(&world)[0];
    assert!(
        result["outcome"] == "failed" && content(result).contains("ask the user to save the file"),
        "{result}"
    );
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");

    let world = World::new();
    let script = json!([edits("second", "2nd"), "Done."]).to_string();
    let words = ["--mode", "unrestricted", "--script", &script];
    let mut editor = Editor::able(&world, &words, json!({ "fs": { "writeTextFile": true } }));
    editor.files = Some(Box::new(|_, _, _| FileAnswer::Result(json!({}))));
    run(&mut editor, &world);
    assert_eq!((asked(&editor, "fs/read_text_file"), asked(&editor, "fs/write_text_file")), (0, 1));
    editor.leave();
    assert_eq!(world.file("one.txt"), "first line\n2nd line\n");
}

#[test]
fn answers_that_are_no_texts_fail_the_call_in_words_and_a_no_leaves_the_file() {
    let large = "x".repeat(11 << 20);
    for (answer, words, outcome) in [
        (FileAnswer::Result(json!({})), "its answer has no text", "failed"),
        (FileAnswer::Result(json!({ "content": 7 })), "its answer has no text", "failed"),
        (FileAnswer::Result(json!({ "content": large })), "too large (11.0 MB)", "failed"),
        (FileAnswer::Result(json!({ "content": "a\u{0}b" })), "is not text", "failed"),
        (
            FileAnswer::Error("not in\nthis \u{1b}[31mproject"),
            "gave no text of it: not in this \\u{1b}[31mproject.",
            "ok",
        ),
    ] {
        let world = World::new();
        let script = json!([reads("one.txt"), "Done."]).to_string();
        let mut editor =
            Editor::able(&world, &["--script", &script], json!({ "fs": { "readTextFile": true } }));
        let mut once = Some(answer);
        editor.files = Some(Box::new(move |_, _, _| once.take().unwrap()));
        run(&mut editor, &world);
        assert_eq!(editor.leave().code, 0);
        let result = &results(&world)[0];
        assert!(
            result["outcome"] == outcome && content(result).contains(words),
            "{words}: {:.300}",
            result.to_string()
        );
    }
}

#[test]
fn an_editor_that_says_it_wrote_and_did_not_or_that_refuses_is_found_out() {
    let after = "first line\n2nd line\n";
    // It keeps its own text; it refuses; it answers a write with nothing that means anything, which is none of our concern.
    for (lies, words, outcome) in
        [(true, "has another text", "failed"), (false, "did not take that over: read only", "ok")]
    {
        let world = World::new();
        let script = json!([edits("second", "2nd"), "Done."]).to_string();
        let words_of_it = ["--mode", "unrestricted", "--script", &script];
        let (mut editor, _) = holding(&world, &words_of_it, "first line\nsecond line\n", false);
        editor.files = Some(Box::new(move |method, _, _| match (method, lies) {
            ("fs/write_text_file", true) => FileAnswer::Result(Value::Null),
            ("fs/write_text_file", false) => FileAnswer::Error("read only"),
            _ => FileAnswer::Result(json!({ "content": "first line\nsecond line\n" })),
        }));
        run(&mut editor, &world);
        editor.leave();
        let result = &results(&world)[0];
        assert!(result["outcome"] == outcome && content(result).contains(words), "{result}");
        assert_eq!(world.file("one.txt"), after, "the file is as the call says");
    }
    // One that refuses while it holds changes keeps them, and the file stays.
    let world = World::new();
    let script = json!([edits("not saved", "changed"), "Done."]).to_string();
    let (mut editor, _) = holding(&world, &["--mode", "unrestricted", "--script", &script], "", false);
    editor.files = Some(Box::new(|method, _, _| match method {
        "fs/write_text_file" => FileAnswer::Error("read only"),
        _ => FileAnswer::Result(json!({ "content": "not saved\n" })),
    }));
    run(&mut editor, &world);
    editor.leave();
    let result = &results(&world)[0];
    assert!(
        result["outcome"] == "failed" && content(result).contains("nothing was changed on disk"),
        "{result}"
    );
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");
    // One that formats what it saves is said to.
    let world = World::new();
    let script = json!([edits("second", "2nd"), edits("2nd", "3rd"), "Done."]).to_string();
    let (mut editor, _) = holding(&world, &["--mode", "unrestricted", "--script", &script], "", false);
    editor.files = Some(Box::new(|method, path, content| match method {
        "fs/write_text_file" => {
            fs::write(path, content.unwrap().to_uppercase()).unwrap();
            FileAnswer::Result(Value::Null)
        }
        _ => FileAnswer::Result(json!({ "content": fs::read_to_string(path).unwrap() })),
    }));
    run(&mut editor, &world);
    editor.leave();
    let results = results(&world);
    assert!(content(&results[0]).contains("saved it as another text"), "{}", results[0]);
    assert!(content(&results[1]).contains("has changed since it was read"), "{}", results[1]);
}

#[test]
fn rules_come_before_the_editor_and_a_silent_one_is_left_with_esc() {
    let world = World::new();
    let script = json!([reads("two.txt"), reads("/etc/hostname"), reads("one.txt"), "Done."]).to_string();
    let words = ["--mode", "ask", "--deny", "read(two.txt)", "--script", &script];
    let (mut editor, _) = holding(&world, &words, "x", false);
    editor.files = Some(Box::new(|_, _, _| FileAnswer::Silence));
    let session = editor.new_session(&world);
    let prompt = editor.prompt(&session, "go");
    let outside = editor.asked(ASKS);
    assert_eq!(asked(&editor, "fs/read_text_file"), 0, "a denied file is not asked for, nor one that waits");
    editor.choose(&outside, "deny");
    let request = editor.asked("fs/read_text_file");
    assert_eq!(request["params"]["path"], json!(world.work().join("one.txt")));
    editor.tell("session/cancel", json!({ "sessionId": session }));
    assert_eq!(editor.stop_reason(&prompt), "cancelled");
    // It answers after all, twice: nobody waits.
    editor.answer(&request, json!({ "content": "late" }));
    editor.answer(&request, json!({ "content": "later" }));
    let prompt = editor.prompt(&session, "and on");
    assert_eq!(editor.stop_reason(&prompt), "end_turn");
    let ran = editor.leave();
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let outcomes: Vec<Value> = results(&world).iter().map(|one| one["outcome"].clone()).collect();
    assert_eq!(outcomes, ["denied", "denied", "aborted"]);
}
