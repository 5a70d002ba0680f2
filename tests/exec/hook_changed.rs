//! Calls that a hook has changed: all that tells of the past tells what was run, and not what the model wished.

use std::fs;

use serde_json::{Value, json};

use crate::forged::forge;
use crate::steered::{Steered, answer};
use crate::world::{Ran, World, of_type, text};

impl World {
    fn said(&self, words: &[&str]) -> Ran {
        let output = self.program().args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    /// A world in which a hook turns calls of this tool into others.
    fn turning(tool: &str, into: &Value) -> Self {
        let said = json!({ "updated_input": into }).to_string();
        Self::new().configured(&format!(
            "[[hooks.pre_tool]]\nmatcher = '{tool}'\ncommand = '''printf %s '{said}' '''\n"
        ))
    }
}

fn one(tool: &str, arguments: &Value) -> String {
    json!([{ "tool_calls": [{ "name": tool, "arguments": arguments }] }, "Done."]).to_string()
}

#[test]
fn exposure_names_the_file_that_was_sent() {
    let world = World::turning("read", &json!({ "path": "secret/key.txt" }));
    fs::create_dir(world.work().join("secret")).unwrap();
    fs::write(world.work().join("secret/key.txt"), "KEY=topsecret\n").unwrap();
    fs::write(world.work().join("notes.txt"), "nothing\n").unwrap();
    let ran = world.json(&["--script", &one("read", &json!({ "path": "notes.txt" })), "go"]);
    assert!(ran.out.contains("topsecret"), "{}", ran.out);
    let sent = world.said(&["exposure", "secret/key.txt"]);
    assert!(sent.out.contains("the result of read secret/key.txt"), "{sent:?}");
    let wished = world.said(&["exposure", "notes.txt"]);
    assert!(!wished.out.contains("the result of"), "{wished:?}");
}

#[test]
fn rules_are_suggested_and_tried_on_what_was_decided() {
    let world = World::turning("shell", &json!({ "command": "make safe" }));
    for _ in 0..3 {
        let script = one("shell", &json!({ "command": "make deploy" }));
        let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "go"]);
        let asked = run.until("approval_request");
        assert_eq!(asked["arguments"]["command"], "make safe");
        run.say(&answer(&asked, "allow"));
        run.until("turn_ended");
        run.end();
    }
    let shown = world.said(&["sessions", "show", "--last"]).out;
    assert!(shown.contains("$ make safe") && !shown.contains("$ make deploy"), "{shown}");
    let suggested = world.said(&["policy", "suggest"]);
    assert!(!suggested.out.contains("make deploy"), "{suggested:?}");
    assert!(suggested.out.contains("make safe"), "{suggested:?}");
    let tried = world.said(&["policy", "test", "--deny", "shell(make *)"]);
    assert!(tried.out.contains("make safe") && !tried.out.contains("make deploy"), "{tried:?}");
}

#[test]
fn what_a_branch_allows_is_what_was_decided_about() {
    let world = World::turning("shell", &json!({ "command": "mkdir -p safe" }));
    let script = one("shell", &json!({ "command": "mkdir -p wished" }));
    world.json(&["--mode", "unrestricted", "--script", &script, "go"]);
    let decided = text(&of_type(&world.entries(), "approval")[0], "entry");
    fs::write(world.config_file(), "").unwrap();
    let ran = world.said(&["whatif", "--last", &decided, "--allow", "--script", r#"["So."]"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let checked = world.said(&["sessions", "check", "--last"]);
    assert_eq!(checked.code, 0, "{checked:?} {ran:?}");
    let copies = fs::read_dir(world.place()).unwrap().map(|entry| entry.unwrap().path());
    let is_copy = |path: &std::path::PathBuf| {
        path.file_name().unwrap().to_string_lossy().starts_with("countersign-copy-")
    };
    let copies: Vec<_> = copies.filter(is_copy).collect();
    assert!(copies.iter().all(|copy| !copy.join("wished").exists()), "{ran:?}");
    assert!(copies.iter().any(|copy| copy.join("safe").exists()), "{ran:?}");
}

#[test]
fn a_write_that_went_elsewhere_has_its_history() {
    let world = World::turning("write", &json!({ "path": "src.py", "content": "new = 1\n" }));
    fs::write(world.work().join("src.py"), "old = 1\n").unwrap();
    let script = one("write", &json!({ "path": "notes.txt", "content": "x\n" }));
    assert_eq!(world.json(&["--mode", "edit", "--script", &script, "go"]).code, 0);
    assert_eq!(world.file("src.py"), "new = 1\n");
    let blamed = world.said(&["blame", "src.py:1"]);
    assert!(blamed.code == 0 && blamed.out.contains("write src.py"), "{blamed:?}");
    let bisected = world.said(&["sessions", "bisect", "--last", "--", "grep", "-q", "old", "src.py"]);
    assert!(bisected.out.contains("c1") && !bisected.err.contains("no change"), "{bisected:?}");
    let checked = world.said(&["sessions", "check", "--last"]);
    assert_eq!(checked.code, 0, "{checked:?}");
}

#[test]
fn what_is_left_out_of_a_copy_is_not_quoted_by_the_hook() {
    let world = World::turning("shell", &json!({ "command": "echo topsecret" }));
    let script = one("shell", &json!({ "command": "true" }));
    world.json(&["--mode", "unrestricted", "--script", &script, "go"]);
    for kind in ["tool_call", "note"] {
        let entry = text(&of_type(&world.entries(), kind)[0], "entry");
        let copy = world.said(&["sessions", "export", "--last", "--format", "jsonl", "--redact", &entry]);
        assert_eq!(copy.code, 0, "{copy:?}");
        let lines: Vec<&str> = copy.out.lines().filter(|line| line.contains("topsecret")).collect();
        let others = lines.iter().filter(|line| !line.contains("\"type\":\"tool_result\""));
        assert_eq!(others.count(), 0, "{kind}: {lines:?}");
    }
}

#[test]
fn nobody_is_said_to_have_allowed_what_they_were_not_shown() {
    let world = World::new();
    let script = one("shell", &json!({ "command": "true" }));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "go"]);
    let asked = run.until("approval_request");
    run.say(&answer(&asked, "allow"));
    run.until("turn_ended");
    run.end();
    let file = world.session_file();
    let whole = fs::read_to_string(&file).unwrap();
    let other = countersign::ledger::Arguments::from_value(json!({ "command": "rm -rf Documents" }));
    let digest = countersign::policy::digest("shell", &other);
    let changed = |kind: &str| {
        let mut lines: Vec<Value> = whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let at = lines.iter().position(|line| line["type"] == "approval").unwrap();
        lines[at]["digest"] = json!(digest);
        let mut made = lines.iter().find(|line| line["type"] == "tool_call").unwrap().clone();
        let (entry, at_time) = (format!("e{}", 900), lines[at]["at"].clone());
        (made["entry"], made["id"], made["at"]) = (json!(entry), made["id"].clone(), at_time.clone());
        made["arguments"] = json!({ "command": "rm -rf Documents" });
        made["type"] = json!(kind);
        if kind == "note" {
            made = json!({ "type": "note", "entry": entry, "at": at_time, "id": entry, "about": "c1",
                "kind": "changed_by_hook", "arguments": { "command": "rm -rf Documents" }, "text": "A hook changed it." });
        }
        lines.insert(at, made);
        lines.iter().map(|line| format!("{line}\n")).collect::<String>()
    };
    for kind in ["call_edited", "note"] {
        forge(&file, &changed(kind));
        let checked = world.said(&["sessions", "check", "--last"]);
        assert_eq!(checked.code, 1, "{kind}: {checked:?}");
        assert!(checked.out.contains("but nobody was asked"), "{kind}: {checked:?}");
    }
    forge(&file, &whole);
    assert_eq!(world.said(&["sessions", "check", "--last"]).code, 0);
}

#[test]
fn what_a_hook_changed_is_compared_and_played_as_it_ran() {
    let world = World::turning("shell", &json!({ "command": "echo safe" }));
    let run = |wished: &str| {
        let script = one("shell", &json!({ "command": wished }));
        world.json(&["--mode", "unrestricted", "--script", &script, "go"]);
        text(&world.entries()[0], "session")
    };
    let hooked = run("echo wished");
    let message = text(&of_type(&world.entries(), "user_message")[0], "entry");
    let settings = fs::read_to_string(world.config_file()).unwrap();
    fs::write(world.config_file(), "").unwrap();
    let plain = run("echo wished");
    let compared = world.said(&["sessions", "compare", &plain, &hooked]);
    let change = r#"+a hook changed c1 to {"command":"echo safe"}"#;
    assert!(compared.code == 1 && compared.out.contains(change), "{compared:?}");

    fs::write(world.config_file(), settings).unwrap();
    let test = world.place().join("hooked.json");
    let recorded = world.said(&["test", "record", &hooked, "-o", test.to_str().unwrap()]);
    assert_eq!(recorded.code, 0, "{recorded:?}");
    assert!(!fs::read_to_string(&test).unwrap().contains("has no result"), "{recorded:?}");
    let again = world.said(&["test", "run", test.to_str().unwrap()]);
    assert_eq!(again.code, 0, "{again:?}");
    let offline = world.said(&["whatif", &hooked, &message, "--edit", "otherwise", "--offline"]);
    assert!(offline.code == 0 && !offline.out.contains("no result"), "{offline:?}");
    assert!(offline.out.contains("otherwise"), "{offline:?}");
    assert!(!offline.err.contains("does not go on as it did"), "{offline:?}");
    // Without the hook the session goes on otherwise, and that is said.
    fs::write(world.config_file(), "").unwrap();
    let offline = world.said(&["whatif", &hooked, &message, "--edit", "otherwise", "--offline"]);
    assert!(offline.err.contains("does not go on as it did"), "{offline:?}");
}

#[test]
fn a_transcript_says_who_changed_a_call() {
    let world = World::turning("shell", &json!({ "command": "echo safe" }));
    let script = one("shell", &json!({ "command": "echo wished" }));
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", &script, "go"]);
    let asked = run.until("approval_request");
    run.say(&answer(&asked, "allow"));
    run.until("turn_ended");
    run.end();
    let shown = world.said(&["sessions", "show", "--last"]).out;
    assert!(shown.contains("$ echo safe") && shown.contains("changed by a hook"), "{shown}");
    let page = world.said(&["sessions", "export", "--last", "--format", "markdown"]).out;
    let (wished, safe) = (page.find("echo wished"), page.find("echo safe"));
    assert!(wished.is_some() && wished < safe && page.contains("changed by a hook"), "{page}");
    let events = world.said(&["sessions", "show", "--last", "--events"]).out;
    let call = events.lines().find(|line| line.contains("tool_call")).unwrap_or_default();
    let call: Value = serde_json::from_str(call).unwrap();
    assert_eq!(call["arguments"]["command"], "echo wished");
    assert_eq!(
        (&call["changed_by"], &call["changed_to"]["command"]),
        (&json!(["hook"]), &json!("echo safe"))
    );
}

#[test]
fn a_run_without_anybody_names_the_command_that_was_denied() {
    let world = World::turning("shell", &json!({ "command": "make safe" }));
    let script = one("shell", &json!({ "command": "make deploy" }));
    let ran = world.exec(&["--mode", "ask", "--script", &script, "go"]);
    assert!(ran.err.contains("make safe") && !ran.err.contains("make deploy"), "{ran:?}");
}

#[test]
fn what_proves_a_goal_is_not_changed_by_a_hook() {
    let world = World::turning("shell", &json!({ "command": "true" }));
    fs::write(world.place().join("goal"), "objective = \"Make it\"\ncheck = \"test -f made.txt\"\n").unwrap();
    let ran = world.json(&[
        "--allow",
        "shell(*)",
        "--goal",
        "../goal",
        "--script",
        r#"["Done.", "Done.", "Done."]"#,
    ]);
    let ended = ran.ended();
    assert!(ran.code != 0 && ended["reason"] != "goal_reached", "{}", ran.out);
    assert!(ran.out.contains("a hook would change what checks the goal"), "{}", ran.out);
    let done = ran.all("goal_checkpoint");
    assert!(done.iter().all(|checkpoint| !checkpoint.to_string().contains("\"yes\"")), "{done:?}");
}
