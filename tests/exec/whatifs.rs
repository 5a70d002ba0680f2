//! `whatif`: a session from one of its decisions or messages on, otherwise.

use std::path::PathBuf;

use serde_json::Value;

use crate::steered::{Steered, answer};
use crate::world::{Ran, World};

const SCRIPT: &str =
    r#"[{"tool_calls":[{"name":"write","arguments":{"path":"made.txt","content":"one\n"}}]}, "Written."]"#;

impl World {
    fn whatif(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("whatif").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    /// A session in which a person allowed a call that wrote a file. Returns the entries of the message and the decision.
    fn allowed(&self) -> (String, String) {
        let mut run = Steered::start(self, &["--mode", "ask", "--script", SCRIPT, "write it"]);
        let asked = run.until("approval_request");
        run.say(&answer(&asked, "allow"));
        run.until("turn_ended");
        run.end();
        let lines: Vec<Value> =
            self.session_text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let entry = |kind: &str| {
            let line = lines.iter().find(|line| line["type"] == kind).unwrap();
            line["entry"].as_str().unwrap().to_owned()
        };
        (entry("user_message"), entry("approval"))
    }

    /// Folders beside the workspace that branches went on in.
    fn branches(&self) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(self.place()).unwrap().map(|entry| entry.unwrap().path());
        folders
            .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("countersign-copy-"))
            .collect()
    }
}

#[test]
fn the_recorded_rest_is_played_and_nothing_is_written() {
    let world = World::new();
    let (message, decision) = world.allowed();
    let before = world.session_text();
    std::fs::remove_file(world.work().join("made.txt")).unwrap();
    let ran = world.whatif(&["--last", &decision, "--offline", "--deny", "use the API"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("-allowed c1 by user, once") && ran.out.contains("+denied c1 by user"),
        "{ran:?}"
    );
    assert!(ran.out.contains("-result of c1: ok") && ran.out.contains("+result of c1: denied"), "{ran:?}");
    let same = world.whatif(&["--last", &decision, "--offline", "--allow"]);
    assert_eq!(same.out, "nothing would have been different\n", "{same:?}");
    let words = world.whatif(&["--last", &message, "--offline", "--edit", "write something else"]);
    assert!(words.out.contains("+    write something else"), "{words:?}");
    assert_eq!((world.session_text(), world.branches().len()), (before, 0));
    assert!(!world.work().join("made.txt").exists());
}

#[test]
fn a_branch_goes_on_in_a_copy_as_it_was_then() {
    let world = World::new();
    let (_, decision) = world.allowed();
    let (file, before) = (world.session_file(), world.session_text());
    let id = before.lines().next().map(|line| serde_json::from_str::<Value>(line).unwrap()).unwrap();
    let id = id["session"].as_str().unwrap();
    let ran = world.whatif(&[id, &decision, "--deny", "not now", "--script", r#"["Then not."]"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("+denied c1 by user, once: not now") && ran.out.contains("+ends: completed"),
        "{ran:?}"
    );
    let [branch] = world.branches().try_into().unwrap();
    assert!(!branch.join("made.txt").exists(), "there it was not written yet");
    assert!(branch.join("one.txt").exists() && world.work().join("made.txt").exists());
    let kept = std::fs::read_to_string(file).unwrap();
    assert_eq!(kept, before, "the session itself is as it was");
    let listed = world.sessions_cli(&["list", "--json"]);
    let branched: Vec<Value> = listed.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let other = branched.iter().find(|line| line["session"] != id).unwrap();
    let checked = world.sessions_cli(&["check", other["session"].as_str().unwrap()]);
    assert!(checked.code == 0 && checked.out.contains("hash chain: intact"), "{checked:?}");
    // The call as it was decided about, also where the file would now be another.
    let again = world.whatif(&[id, &decision, "--allow", "--script", r#"["Done."]"#]);
    assert!(
        again.code == 0 && world.branches().iter().any(|folder| folder.join("made.txt").exists()),
        "{again:?}"
    );
    let misfit = world.whatif(&[id, &decision, "--edit", r#"{"foo":1}"#, "--offline"]);
    assert!(misfit.code == 2 && misfit.err.contains("cannot be made like that"), "{misfit:?}");
    let edited = world.whatif(&[
        id,
        &decision,
        "--edit",
        r#"{"path":"other.txt","content":"two\n"}"#,
        "--script",
        r#"["Done."]"#,
    ]);
    assert!(edited.out.contains("changed c1 to"), "{edited:?}");
    assert!(
        !world.branches().iter().any(|folder| folder.join("other.txt").exists()),
        "what was edited is another action, and nobody is here to allow it"
    );
}

/// A branch knows what the calls changed that it has, and goes back over them as its session does.
#[test]
fn a_branch_of_a_branch_has_the_files_of_its_entry() {
    let world = World::new();
    std::fs::write(world.work().join("made.txt"), "original").unwrap();
    let script = r#"[{"tool_calls":[{"name":"read","arguments":{"path":"made.txt"}}]},
        {"tool_calls":[{"name":"write","arguments":{"path":"made.txt","content":"changed"}}]},"Done."]"#;
    assert_eq!(world.json(&["--mode", "edit", "--script", script, "change it"]).code, 0);
    assert_eq!(world.json(&["--last", "--script", r#"["Two."]"#, "second"]).code, 0);
    let entries = world.entries();
    let entry = |kind: &str, at: usize| {
        let found = entries.iter().filter(|entry| entry["type"] == kind).nth(at).unwrap();
        found["entry"].as_str().unwrap().to_owned()
    };
    let (second, write) = (entry("user_message", 1), entry("tool_call", 1));
    assert_eq!(world.whatif(&["--last", &second, "--edit", "third", "--script", r#"["x"]"#]).code, 0);
    let [first] = world.branches().try_into().unwrap();
    let made = |folder: &PathBuf| std::fs::read_to_string(folder.join("made.txt")).unwrap();
    assert_eq!(made(&first), "changed");
    let newest = world.session_file();
    let branch = newest.file_stem().unwrap().to_str().unwrap();
    let ran = world.whatif(&[branch, &write, "--deny", "no", "--script", r#"["Not."]"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let [below] =
        world.branches().into_iter().filter(|one| *one != first).collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(made(&below), "original", "{ran:?}");
    for session in world.sessions() {
        let checked = world.sessions_cli(&["check", session.file_stem().unwrap().to_str().unwrap()]);
        assert_eq!(checked.code, 0, "{checked:?}");
    }
    // Where the record is gone, it says what it cannot take back.
    std::fs::remove_file(newest.with_extension("files").join("changes")).unwrap();
    let told = world.whatif(&[branch, &write, "--deny", "no", "--script", r#"["Not."]"#]);
    assert!(told.err.contains("files that c2 changed are as they are now"), "{told:?}");
}

#[test]
fn another_model_gets_the_same_words() {
    let world = World::new();
    let (message, _) = world.allowed();
    let ran = world.whatif(&["--last", &message, "--script", r#"["I would rather not."]"#]);
    assert!(ran.code == 0 && ran.out.contains("-call c1 write"), "{ran:?}");
    let listed = world.sessions_cli(&["list"]);
    assert_eq!(listed.out.matches("write it").count(), 2, "{listed:?}");
}

#[test]
fn branches_are_a_tree_and_can_be_compared() {
    let world = World::new();
    let (_, decision) = world.allowed();
    world.whatif(&["--last", &decision, "--deny", "no", "--script", r#"["Not."]"#]);
    let listed = world.sessions_cli(&["list", "--json"]);
    let ids: Vec<String> = listed
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["session"].as_str().unwrap().to_owned())
        .collect();
    let [branch, trunk] = ids.as_slice() else { panic!("{listed:?}") };
    let tree = world.sessions_cli(&["tree"]);
    let rows: Vec<&str> = tree.out.lines().collect();
    assert!(rows.len() == 2 && rows[0].starts_with(trunk.as_str()), "{tree:?}");
    assert!(rows[1].starts_with("└─ e") && rows[1].contains(branch.as_str()), "{tree:?}");
    let own = world.sessions_cli(&["tree", branch]);
    assert_eq!(own.out.lines().next().unwrap(), rows[0], "{own:?}");
    assert!(own.out.lines().nth(1).unwrap().ends_with("← this session"), "{own:?}");
    assert_eq!(world.sessions_cli(&["tree", "nothing"]).code, 2);
    let compared = world.sessions_cli(&["compare", trunk, branch]);
    assert_eq!(compared.code, 1, "{compared:?}");
    assert!(compared.out.contains("+denied c1 by user") && compared.out.contains("-result of c1: ok"));
    let same = world.sessions_cli(&["compare", trunk, trunk]);
    assert_eq!(
        (same.code, same.out.as_str()),
        (0, "both went the same way, whatever models and tools said\n")
    );
    // Whole messages are compared, and what became of files.
    let run = |message: &str, content: &str| {
        let world = World::new();
        let script = SCRIPT.replace("one\\n", content);
        assert_eq!(world.json(&["--mode", "edit", "--script", &script, message]).code, 0);
        world
    };
    let one = run("same\nkeep all", "1");
    for (message, content) in [("same\nkeep all", "2"), ("same\ndelete all", "1")] {
        let other = run(message, content);
        std::fs::copy(other.session_file(), one.work().join("other.jsonl")).unwrap();
        let told = one.sessions_cli(&["compare", one.session_file().to_str().unwrap(), "other.jsonl"]);
        assert_eq!(told.code, 1, "{message} {content}: {told:?}");
    }
}

#[test]
fn where_nothing_could_go_otherwise_it_says_so() {
    let world = World::new();
    world.exec(&["--mode", "edit", "--script", SCRIPT, "write it"]);
    for (words, why) in [
        (vec!["--last", "e999", "--allow"], "no entry e999"),
        (vec!["--last", "e1", "--allow"], "neither a message nor a decision"),
        (vec!["--last", "e3"], "nothing would be different"),
        (vec!["--last", "e3", "--deny", "x"], "not a call to decide about"),
        (vec!["--last", "e6"], "nothing would be different"),
        (vec!["--last", "made", "--allow"], "is not an entry"),
        (vec!["e3"], "a session or an entry is missing"),
        (vec!["--last", "x", "e3"], "--last names a session already"),
    ] {
        let ran = world.whatif(&words);
        assert!(ran.code == 2 && ran.err.contains(why), "{words:?}: {ran:?}");
    }
    assert!(world.branches().is_empty());
}

#[test]
fn other_calls_that_wait_in_a_branch_are_denied_by_nobody() {
    let world = World::new();
    let script = r#"[{"tool_calls":[{"name":"write","arguments":{"path":"made.txt","content":"one\n"}},
        {"name":"shell","arguments":{"command":"touch other.txt"}}]}, "Done."]"#;
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", script, "do it"]);
    let first = run.until("approval_request");
    let second = run.until("approval_request");
    run.say(&answer(&first, "allow"));
    run.say(&answer(&second, "allow"));
    run.until("turn_ended");
    run.end();
    let approval = world.entries().into_iter().find(|entry| entry["type"] == "approval").unwrap();
    let (decision, call) = (approval["entry"].as_str().unwrap(), approval["id"].as_str().unwrap());
    let ran = world.whatif(&["--last", decision, "--deny", "use the API", "--script", r#"["I see."]"#]);
    assert!(ran.out.contains(&format!("+denied {call} by user")), "{ran:?}");
    let sessions = world.sessions();
    let branch = sessions.iter().max_by_key(|path| path.metadata().unwrap().modified().unwrap()).unwrap();
    let branch = std::fs::read_to_string(branch).unwrap();
    let nobody = branch.lines().filter(|line| line.contains("nobody can decide in this branch here"));
    let decided: Vec<&str> = nobody.filter(|line| line.starts_with(r#"{"type":"approval""#)).collect();
    assert_eq!(decided.len(), 1, "{branch}");
    assert!(!decided[0].contains(r#""by":"user""#), "{decided:?}");
}

#[test]
fn what_the_rules_decided_goes_otherwise_offline_too() {
    let world = World::new();
    world.json(&["--mode", "edit", "--script", SCRIPT, "write it"]);
    let decision = world.entries().into_iter().find(|entry| entry["type"] == "approval").unwrap();
    let decision = decision["entry"].as_str().unwrap();
    let ran = world.whatif(&["--last", decision, "--offline", "--deny", "use the API"]);
    assert!(ran.out.contains("+denied c1 by user"), "{ran:?}");
}

#[test]
fn what_nobody_was_there_to_allow_goes_otherwise_offline() {
    let world = World::new();
    world.json(&["--script", SCRIPT, "write it"]);
    let decision = world.entries().into_iter().find(|entry| entry["type"] == "approval").unwrap();
    let decision = decision["entry"].as_str().unwrap();
    let ran = world.whatif(&["--last", decision, "--offline", "--allow"]);
    assert!(ran.out.contains("-denied c1 by policy") && ran.out.contains("+allowed c1 by user"), "{ran:?}");
    // What a limit of then did is not known today.
    let world = World::new();
    world.json(&["--mode", "edit", "--max-turns", "1", "--script", SCRIPT, "write it"]);
    let entries = world.entries();
    let decision = entries.iter().find(|entry| entry["type"] == "approval").unwrap();
    let ran = world.whatif(&["--last", decision["entry"].as_str().unwrap(), "--offline", "--deny", "no"]);
    assert!(ran.err.contains("does not go on as it did"), "{ran:?}");
}

#[test]
fn as_it_was_is_as_the_rules_of_then_had_it() {
    let world = World::new();
    world.json(&["--allow", "write", "--script", SCRIPT, "write it"]);
    let decision = world.entries().into_iter().find(|entry| entry["type"] == "approval").unwrap();
    let decision = decision["entry"].as_str().unwrap();
    // Today's rules would ask.
    let ran = world.whatif(&["--last", decision, "--offline", "--deny", "use the API"]);
    assert!(ran.out.contains("-allowed c1 by policy") && ran.out.contains("-result of c1: ok"), "{ran:?}");
    assert!(ran.out.contains("+denied c1 by user"), "{ran:?}");
    // A test is about today's rules, and says where they decide otherwise.
    let recorded = world.program().args(["test", "record", "--last", "-o", "one.jsonl"]).output().unwrap();
    let told = String::from_utf8(recorded.stdout).unwrap();
    assert!(told.contains("does not go on as it did"), "{told}");
    let allowed = ["test", "record", "--last", "--allow", "write", "-o", "two.jsonl"];
    let recorded = world.program().args(allowed).output().unwrap();
    let told = String::from_utf8(recorded.stdout).unwrap();
    assert!(recorded.status.success() && !told.contains("does not go on"), "{told}");
}

/// A call of which a person said nothing, so that it was denied: what `--allow` makes of it.
fn denied(world: &World, name: &str, arguments: &Value) -> String {
    let script = serde_json::json!([{ "tool_calls": [{ "name": name, "arguments": arguments }] }, "Done."]);
    world.json(&["--mode", "ask", "--script", &script.to_string(), "go"]);
    let entries = world.entries();
    entries.iter().find(|line| line["type"] == "approval").unwrap()["entry"].as_str().unwrap().to_owned()
}

#[test]
fn an_allowed_call_stays_out_of_the_folder_of_the_session() {
    let calls = [
        ("write", |file: &str, _: &str| serde_json::json!({ "path": file, "content": "x" })),
        ("write", |_: &str, _: &str| serde_json::json!({ "path": "../back/abs.txt", "content": "x" })),
        ("shell", |file: &str, _: &str| serde_json::json!({ "command": format!("touch {file}") })),
        (
            "shell",
            |_: &str, work: &str| serde_json::json!({ "command": format!("cd {work} && touch abs.txt") }),
        ),
        ("shell", |_: &str, _: &str| serde_json::json!({ "command": "touch ../work/abs.txt" })),
    ] as [(&str, fn(&str, &str) -> Value); 5];
    for (name, arguments) in calls {
        let world = World::new();
        let work = world.work().to_str().unwrap().to_owned();
        std::fs::create_dir(world.work().join("real")).unwrap();
        std::os::unix::fs::symlink(format!("{work}/real"), world.place().join("back")).unwrap();
        let entry = denied(&world, name, &arguments(&format!("{work}/abs.txt"), &work));
        let ran = world.whatif(&["--last", &entry, "--allow", "--script", r#"["x"]"#]);
        assert_eq!(ran.code, 2, "{name}: {ran:?}");
        assert!(
            ran.err.contains("in the folder of the session itself") && ran.err.contains("--here"),
            "{ran:?}"
        );
        assert!(!world.work().join("abs.txt").exists() && !world.work().join("real/abs.txt").exists());
        assert!(world.branches().is_empty() && world.sessions().len() == 1, "{name}");
        let here = world.whatif(&["--last", &entry, "--allow", "--here", "--script", r#"["x"]"#]);
        assert!(here.out.contains("+allowed c1 by user, once"), "{name}: {here:?}");
    }
}

/// A later message is of another process, which loses no call that was over before it began.
#[test]
fn a_denied_call_that_is_allowed_has_no_result_and_is_not_lost() {
    let world = World::new();
    let entry = denied(&world, "shell", &serde_json::json!({ "command": "touch made.txt" }));
    world.json(&["--last", "--script", r#"["Later."]"#, "more"]);
    let allowed = world.whatif(&["--last", &entry, "--allow", "--offline"]);
    assert!(allowed.out.contains("+result of c1: failed"), "{allowed:?}");
    assert!(allowed.out.contains("The recorded session has no result of this call"), "{allowed:?}");
    assert!(!allowed.out.contains("lost") && !allowed.out.contains("aborted"), "{allowed:?}");
}

#[test]
fn nobody_decides_about_a_call_that_is_changed_offline() {
    let world = World::new();
    let (_, decision) = world.allowed();
    let other = r#"{"path":"other.txt","content":"two\n"}"#;
    for _ in 0..2 {
        let edited = world.whatif(&["--last", &decision, "--edit", other, "--offline"]);
        assert!(edited.out.contains("+denied c1 by nobody"), "{edited:?}");
        assert!(
            !edited.out.contains("+denied c1 by user") && !edited.out.contains("The user denied"),
            "{edited:?}"
        );
        assert!(!edited.out.contains("+result of c1: lost"), "{edited:?}");
        world.json(&["--last", "--script", r#"["Later."]"#, "more"]);
    }
}

/// Of the recorded question a person knows why it was asked. Another one is theirs to answer again.
#[test]
fn what_is_allowed_beforehand_is_the_recorded_question() {
    let world = World::new().configured("");
    let entry = denied(&world, "shell", &serde_json::json!({ "command": "touch made.txt" }));
    std::fs::write(world.config_file(), "ask = [\"shell(touch *)\"]\n").unwrap();
    let ran = world.whatif(&["--last", &entry, "--allow", "--script", r#"["x"]"#]);
    assert!(ran.out.contains("it asks something else in the branch than it did in the session"), "{ran:?}");
    assert!(!world.branches().iter().any(|folder| folder.join("made.txt").exists()), "{ran:?}");
}
