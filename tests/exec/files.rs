//! Tools on real files, as far as mode and rules let them.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::world::{Ran, World, script, text};

/// One message with these calls, then an answer.
fn calls(world: &World, words: &[&str], calls: &[(&str, Value)]) -> Ran {
    let calls: Vec<Value> =
        calls.iter().map(|(name, arguments)| json!({ "name": name, "arguments": arguments })).collect();
    let replies = script(json!([{ "tool_calls": calls }, "Done."]));
    let ran = world.json(&[words, &["--script", &replies, "go"]].concat());
    let is_denied = ran.outcomes().contains(&"denied".to_owned());
    assert_eq!(ran.code, if is_denied { 4 } else { 0 }, "{}", ran.err);
    ran
}

fn contents(ran: &Ran) -> Vec<String> {
    ran.all("tool_result").iter().map(|result| text(result, "content")).collect()
}

fn everything() -> [(&'static str, Value); 7] {
    [
        ("read", json!({ "path": "one.txt" })),
        ("list", json!({})),
        ("search", json!({ "pattern": "sec[o]nd" })),
        ("edit", json!({ "path": "one.txt", "edits": [{ "old_text": "second", "new_text": "changed" }] })),
        ("write", json!({ "path": "deep/new.txt", "content": "new\n" })),
        ("shell", json!({ "command": "cat deep/new.txt one.txt; pwd; echo made > made.txt" })),
        ("shell", json!({ "command": "awk 'BEGIN { print \"to stderr\" > \"/dev/stderr\"; exit 3 }'" })),
    ]
}

#[test]
fn unrestricted_does_it_all() {
    let world = World::new();
    let ran = calls(&world, &["--mode", "unrestricted"], &everything());
    assert_eq!(ran.outcomes(), ["ok", "ok", "ok", "ok", "ok", "ok", "failed"]);
    let said = contents(&ran);
    assert!(
        said[0].contains("1\tfirst line") && said[1].contains("two.txt") && said[2].contains("one.txt:2"),
        "{said:?}"
    );
    assert_eq!(world.file("one.txt"), "first line\nchanged line\n");
    assert_eq!((world.file("deep/new.txt").as_str(), world.file("made.txt").as_str()), ("new\n", "made\n"));
    assert_eq!(said[5], format!("new\nfirst line\nchanged line\n{}", world.work().display()));
    assert_eq!(said[6], "to stderr\nexit code 3");
    assert!(ran.all("approval_request").is_empty());
}

#[test]
fn plan_only_reads() {
    let world = World::new();
    let ran = calls(&world, &["--mode", "plan", "--allow", "write", "--allow", "shell"], &everything());
    assert_eq!(ran.outcomes(), ["ok", "ok", "ok", "denied", "denied", "denied", "denied"]);
    assert!(contents(&ran)[4].contains("plan mode"), "{:?}", contents(&ran));
    untouched(&world);
}

#[test]
fn ask_reads_and_edit_edits() {
    let world = World::new();
    let ran = calls(&world, &[], &everything());
    assert_eq!(ran.outcomes(), ["ok", "ok", "ok", "denied", "denied", "denied", "denied"]);
    let requests = ran.all("approval_request");
    assert_eq!(requests.len(), 4);
    let edit = requests.iter().find(|request| request["name"] == "edit").unwrap();
    assert!(text(&edit["preview"], "text").contains("+changed line"), "{edit}");
    untouched(&world);
    let ran = calls(&world, &["--mode", "edit"], &everything());
    assert_eq!(ran.outcomes(), ["ok", "ok", "ok", "ok", "ok", "denied", "denied"]);
    assert_eq!(world.file("one.txt"), "first line\nchanged line\n");
}

fn untouched(world: &World) {
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");
    assert!(!world.work().join("deep").exists() && !world.work().join("made.txt").exists());
}

#[test]
fn rules_allow_and_deny() {
    let world = World::new();
    let commands = ["echo yes", "echo yes > stolen.txt", "rm one.txt", "true; rm one.txt"];
    let shells = commands.map(|command| ("shell", json!({ "command": command })));
    let ran = calls(&world, &["--allow", "shell(echo *)", "--deny", "shell(rm *)"], &shells);
    assert_eq!(ran.outcomes(), ["ok", "denied", "denied", "denied"]);
    let reason = |call: &str| {
        let decisions = ran.all("approval");
        text(decisions.iter().find(|decision| decision["id"] == call).unwrap(), "reason")
    };
    assert!(reason("c1").contains("shell(echo *)") && reason("c3").contains("shell(rm *)"));
    let ran = calls(
        &world,
        &["--mode", "unrestricted", "--deny", "shell(rm *)", "--deny", "write"],
        &[
            ("shell", json!({ "command": "true && rm one.txt" })),
            ("write", json!({ "path": "one.txt", "content": "" })),
        ],
    );
    assert_eq!(ran.outcomes(), ["denied", "denied"], "deny rules hold in every mode");
    assert!(!world.work().join("stolen.txt").exists());
    untouched(&world);
}

#[test]
fn outside_of_the_workspace() {
    let world = World::new();
    let outside = world.place().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("diary.txt"), "dear diary\n").unwrap();
    symlink(&outside, world.work().join("link")).unwrap();
    symlink(outside.join("diary.txt"), world.work().join("innocent.txt")).unwrap();
    let absolute = outside.join("diary.txt").display().to_string();
    let looks = [
        absolute.as_str(),
        "../outside/diary.txt",
        "link/diary.txt",
        "innocent.txt",
        "link/../outside/diary.txt",
    ];
    let mut tried: Vec<(&str, Value)> = looks.iter().map(|path| ("read", json!({ "path": path }))).collect();
    tried.push(("list", json!({ "path": "link" })));
    tried.push(("search", json!({ "pattern": "dear", "path": ".." })));
    tried.push(("write", json!({ "path": "link/new.txt", "content": "x" })));
    tried.push((
        "edit",
        json!({ "path": "innocent.txt", "edits": [{ "old_text": "dear", "new_text": "x" }] }),
    ));

    for mode in [&[][..], &["--mode", "edit"], &["--allow", "read", "--allow", "write", "--allow", "list"]] {
        let ran = calls(&world, mode, &tried);
        assert_eq!(ran.outcomes(), vec!["denied"; tried.len()], "{mode:?}");
        assert!(!contents(&ran).concat().contains("diary\n"), "{mode:?}: the model read it");
        let whys: Vec<String> =
            ran.all("approval_request").iter().map(|request| text(request, "why")).collect();
        assert!(whys.iter().all(|why| why.contains("leaves the workspace: /")), "{whys:?}");
        let really = whys.iter().filter(|why| why.contains(&outside.display().to_string())).count();
        assert_eq!(really, tried.len() - 1, "the place it really is: {whys:?}");
    }
    let rule = format!("read({}/*)", outside.display());
    let ran = calls(&world, &["--allow", &rule, "--allow", "read(link/*)"], &tried);
    let outcomes = ran.outcomes();
    assert_eq!((outcomes[0].as_str(), outcomes[2].as_str(), outcomes[7].as_str()), ("ok", "ok", "denied"));
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 1);
    assert_eq!(std::fs::read_to_string(outside.join("diary.txt")).unwrap(), "dear diary\n");
}

#[test]
fn a_change_behind_the_models_back_is_noticed() {
    let world = World::new();
    let replies = json!([
        { "name": "read", "arguments": { "path": "one.txt" } },
        { "name": "shell", "arguments": { "command": "echo overwritten > one.txt" } },
        { "name": "edit", "arguments": { "path": "one.txt", "edits": [{ "old_text": "overwritten", "new_text": "x" }] } },
        "Done.",
    ]);
    let ran = world.json(&["--mode", "unrestricted", "--script", &script(replies), "go"]);
    assert_eq!(ran.outcomes(), ["ok", "ok", "failed"]);
    assert_eq!(world.file("one.txt"), "overwritten\n");
}

#[test]
fn long_output_is_bounded_and_says_so() {
    let world = World::new();
    let ran = calls(
        &world,
        &["--mode", "unrestricted", "-c", "budget.max_tool_result_chars=500"],
        &[("shell", json!({ "command": "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done" }))],
    );
    let result = ran.one("tool_result");
    let content = text(&result, "content");
    assert!(
        content.contains("line 0\n") && content.contains("line 1999") && content.contains("characters cut")
    );
    assert!(result["cut_chars"].as_u64() > Some(10_000) && content.chars().count() < 600, "{result}");
    let told: usize = ran.all("tool_output").iter().map(|output| text(output, "chunk").len()).sum();
    assert!(told > 0);
}

#[test]
fn a_command_that_takes_too_long() {
    let world = World::new();
    let (command, mut beacon) = world.beacon();
    let call = ("shell", json!({ "command": command, "timeout_seconds": 1 }));
    let replies = script(json!([{ "name": call.0, "arguments": call.1 }, "Done."]));
    let run = world.begin(&["--json", "--mode", "unrestricted", "--script", &replies, "go"]);
    beacon.lit();
    let ran = run.finish();
    beacon.gone();
    crate::books::check_run(&ran, &world.session_text());
    assert_eq!((ran.code, ran.outcomes()), (0, vec!["timed_out".to_owned()]));
    assert!(text(&ran.one("tool_result"), "content").contains("effects may be partial"));
}

#[test]
fn a_projects_file_loosens_nothing() {
    let world = World::new();
    std::fs::create_dir(world.work().join(".countersign")).unwrap();
    let file = world.work().join(".countersign/config.toml");
    std::fs::write(&file, "mode = \"unrestricted\"\nallow = [\"shell\"]\n").unwrap();
    let touch = [("shell", json!({ "command": "touch loosened" }))];
    let ran = calls(&world, &[], &touch);
    assert_eq!(ran.outcomes(), ["denied"]);
    let (denied, notes): (Vec<&str>, Vec<&str>) =
        ran.err.lines().partition(|line| line.starts_with("denied by "));
    assert!(
        matches!(denied[..], [line] if line.starts_with("denied by policy: shell $ touch loosened (")),
        "{denied:?}"
    );
    assert!(notes.iter().all(|line| line.starts_with("note: ") && line.contains("tighten")), "{}", ran.err);
    std::fs::write(&file, "deny = [\"shell\"]\n").unwrap();
    assert_eq!(calls(&world, &["--mode", "unrestricted"], &touch).outcomes(), ["denied"]);
    assert!(!world.work().join("loosened").exists());
}

#[test]
fn a_url_that_reads_in_two_ways_is_not_asked_about() {
    let world = World::new();
    let odd = [("fetch", json!({ "url": "http:/127.0.0.1:9/://example.com/login" }))];
    let ran = calls(&world, &[], &odd);
    assert_eq!(ran.outcomes(), ["invalid"]);
    assert!(ran.all("approval_request").is_empty());
    assert!(contents(&ran)[0].contains("exactly two slashes"), "{}", ran.out);
}

#[test]
fn edits_of_one_file_in_one_answer_are_all_made() {
    let world = World::new();
    let edit =
        |old: &str, new: &str| json!({ "path": "one.txt", "edits": [{ "old_text": old, "new_text": new }] });
    let both = [("edit", edit("first", "1st")), ("edit", edit("second", "2nd"))];
    let ran = calls(&world, &["--mode", "edit"], &both);
    assert_eq!(ran.outcomes(), ["ok", "ok"], "{:?}", contents(&ran));
    assert!(world.file("one.txt").starts_with("1st line\n2nd line\n"), "{}", world.file("one.txt"));
}
