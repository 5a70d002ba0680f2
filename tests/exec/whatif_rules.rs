//! `whatif` where the rules decided, or had not decided yet: a person decides in the branch, and no call of the answer is lost.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::steered::{Steered, answer};
use crate::world::{Ran, World, text};

/// Three calls in one answer: the rules allow the first, a person the second, and the rules the third.
const THREE: &str = r#"[{"tool_calls":[
    {"name":"write","arguments":{"path":"free.txt","content":"one\n"}},
    {"name":"write","arguments":{"path":"asked.txt","content":"two\n"}},
    {"name":"write","arguments":{"path":"free.txt","content":"three\n"}}]}, "Done."]"#;
const RULES: &str = "allow = ['write(free.txt)']\ndeny = ['write(no.txt)']\n";

impl World {
    fn branch_off(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("whatif").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    fn lines(&self) -> Vec<Value> {
        self.session_text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A file in the copies in which branches went on.
    fn in_copies(&self, name: &str) -> Vec<String> {
        let folders = std::fs::read_dir(self.place()).unwrap().map(|entry| entry.unwrap().path());
        let is_copy =
            |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with("countersign-copy-");
        let copies = folders.filter(|path| is_copy(path));
        copies.filter_map(|folder| std::fs::read_to_string(folder.join(name)).ok()).collect()
    }

    fn checked(&self) {
        let listed = self.sessions_cli(&["list", "--json"]);
        for line in listed.out.lines() {
            let session: Value = serde_json::from_str(line).unwrap();
            let checked = self.sessions_cli(&["check", session["session"].as_str().unwrap()]);
            assert_eq!(checked.code, 0, "{checked:?}");
        }
    }
}

/// The entry with the decision about a call.
fn decision(lines: &[Value], call: &str) -> String {
    let line = lines.iter().find(|line| line["type"] == "approval" && line["id"] == call).unwrap();
    line["entry"].as_str().unwrap().to_owned()
}

fn three() -> World {
    let world = World::new().configured(RULES);
    let mut run = Steered::start(&world, &["--mode", "ask", "--script", THREE, "write them"]);
    let asked = run.until("approval_request");
    run.say(&answer(&asked, "allow"));
    run.until("turn_ended");
    run.end();
    world
}

#[test]
fn rules_about_files_hold_for_the_folder_of_the_session_and_for_its_copy() {
    let world = World::new();
    let here = world.work().canonicalize().unwrap().display().to_string();
    fs::create_dir(world.work().join("secret")).unwrap();
    fs::write(world.work().join("secret/key.txt"), "VERYSECRET\n").unwrap();
    // A person has opened what lies outside of the folder that is worked in.
    let world = world.configured(&format!(
        "allow = ['read({here}/*)', 'shell(cat *)']\ndeny = ['read(secret/*)', 'read({here}/other/*)']\n"
    ));
    fs::create_dir(world.work().join("other")).unwrap();
    fs::write(world.work().join("other/a.txt"), "VERYSECRET\n").unwrap();
    let wish = json!({ "name": "write", "arguments": { "path": "free.txt", "content": "x" } });
    world.json(&["--script", &json!([{ "tool_calls": [wish] }, "So be it."]).to_string(), "go"]);
    let denied = decision(&world.lines(), "c1");
    let reads = ["secret/key.txt", "other/a.txt"].map(|file| (file.to_owned(), format!("{here}/{file}")));
    let reads: Vec<Value> = reads
        .into_iter()
        .flat_map(|(near, far)| {
            let line = json!({ "command": format!("cat {far}") });
            [("read", json!({ "path": near })), ("read", json!({ "path": far })), ("shell", line)]
        })
        .map(|(name, arguments)| json!({ "name": name, "arguments": arguments }))
        .collect();
    let replies = json!([{ "tool_calls": reads }, "Done."]).to_string();
    let own = world.session_file().file_stem().unwrap().to_str().unwrap().to_owned();
    // A branch of an import is made here, too.
    let copy = world.place().join("copy.jsonl");
    fs::write(&copy, world.session_text()).unwrap();
    let imported = world.sessions_cli(&["import", copy.to_str().unwrap()]).out;
    let imported = imported.split_whitespace().next().unwrap();
    for session in [own.as_str(), imported] {
        let ran = world.branch_off(&[session, &denied, "--allow", "--script", &replies]);
        assert!(!ran.out.contains("VERYSECRET") && ran.out.matches("+denied c").count() == 6, "{ran:?}");
    }
}

#[test]
fn rules_hold_in_a_branch_of_a_branch_and_in_its_fork() {
    let world = World::new();
    let here = world.work().canonicalize().unwrap().display().to_string();
    fs::create_dir(world.work().join("secret")).unwrap();
    fs::write(world.work().join("secret/key.txt"), "VERYSECRET\n").unwrap();
    let world = world.configured(&format!("allow = ['read({here}/*)']\ndeny = ['read(secret/*)']\n"));
    let wish = json!({ "name": "write", "arguments": { "path": "wished.txt", "content": "x" } });
    world.json(&["--script", &json!([{ "tool_calls": [wish] }, "So be it."]).to_string(), "go"]);
    let denied = decision(&world.lines(), "c1");
    let other = r#"{"path":"other.txt","content":"x"}"#;
    world.branch_off(&["--last", &denied, "--edit", other, "--script", r#"["So."]"#]);
    let lines = world.lines();
    let later = lines.iter().rev().find(|line| line["type"] == "approval").unwrap();
    let (branch, later) = (text(&lines[0], "session"), text(later, "entry"));
    let read =
        json!({ "name": "read", "arguments": { "path": format!("{here}/secret/key.txt") } }).to_string();
    let replies = format!(r#"[{{"tool_calls":[{read}]}}, "Done."]"#);
    let ran = world.branch_off(&[&branch, &later, "--allow", "--script", &replies]);
    assert!(!ran.out.contains("VERYSECRET") && ran.out.contains("+denied c2"), "{ran:?}");
    let forked = world.sessions_cli(&["fork", &branch]).out;
    let forked = forked.split_whitespace().next().unwrap();
    let folder = text(&lines[0], "cwd");
    let ran = world.exec(&["-C", &folder, "--resume", forked, "--script", &replies, "read it"]);
    let fork = world.sessions().into_iter().find(|path| path.to_string_lossy().contains(forked)).unwrap();
    assert!(!fs::read_to_string(fork).unwrap().contains("VERYSECRET"), "{ran:?}");
}

#[test]
fn calls_that_nobody_was_asked_about_are_made_in_the_branch() {
    let world = three();
    let asked = decision(&world.lines(), "c2");
    let ran = world.branch_off(&["--last", &asked, "--deny", "not that", "--script", r#"["Then so."]"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.contains("+denied c2 by user, once: not that"), "{ran:?}");
    assert!(!ran.out.contains("result of c3: lost") && !ran.out.contains("-result of c3: ok"), "{ran:?}");
    assert_eq!(world.in_copies("free.txt"), ["three\n"], "the third call ran in the branch: {ran:?}");
    assert!(world.in_copies("asked.txt").is_empty(), "the second did not");
    world.checked();
}

#[test]
fn what_the_rules_allowed_can_be_denied() {
    let world = three();
    let ruled = decision(&world.lines(), "c3");
    let ran = world.branch_off(&["--last", &ruled, "--deny", "enough", "--script", r#"["Fine."]"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("-allowed c3 by policy") && ran.out.contains("+denied c3 by user, once: enough"),
        "{ran:?}"
    );
    assert!(ran.out.contains("you decide about it in this branch; the rules would allow it"), "{ran:?}");
    assert_eq!(world.in_copies("free.txt"), ["one\n"], "as it was before the third call");
    let offline = world.branch_off(&["--last", &ruled, "--offline", "--deny", "enough"]);
    assert!(offline.code == 0 && offline.out.contains("+denied c3 by user, once: enough"), "{offline:?}");
    assert!(offline.out.contains("+result of c3: denied"), "{offline:?}");
    world.checked();
}

#[test]
fn what_the_rules_denied_can_be_allowed_and_only_that() {
    let world = World::new().configured(RULES);
    let twice = r#"[{"tool_calls":[
        {"name":"write","arguments":{"path":"no.txt","content":"one\n"}},
        {"name":"write","arguments":{"path":"no.txt","content":"two\n"}}]}, "Done."]"#;
    world.exec(&["--mode", "edit", "--script", twice, "write it"]);
    let lines = world.lines();
    assert!(!world.work().join("no.txt").exists(), "{lines:?}");
    let denied = decision(&lines, "c1");
    let ran = world.branch_off(&["--last", &denied, "--allow", "--mode", "edit", "--script", r#"["So."]"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(
        ran.out.contains("+allowed c1 by user, once") && ran.out.contains("the rules would deny it"),
        "{ran:?}"
    );
    assert_eq!(world.in_copies("no.txt"), ["one\n"], "the rule still holds for the second call");
    assert!(!world.work().join("no.txt").exists(), "and nothing happened in the folder itself");
    let edited = world.branch_off(&[
        "--last",
        &denied,
        "--edit",
        r#"{"path":"other.txt","content":"x\n"}"#,
        "--mode",
        "edit",
        "--script",
        r#"["So."]"#,
    ]);
    assert_eq!(world.in_copies("other.txt"), ["x\n"], "the rules allow what it was changed to: {edited:?}");
    world.checked();
}

#[test]
fn what_a_hook_denies_stays_denied() {
    for rules in ["", "deny = ['write(a.txt)']\n"] {
        let hook = "[[hooks.pre_tool]]\ncommand = 'echo not here >&2; exit 2'\n";
        let world = World::new().configured(&format!("{rules}{hook}"));
        let one =
            r#"[{"tool_calls":[{"name":"write","arguments":{"path":"a.txt","content":"a\n"}}]}, "Done."]"#;
        world.exec(&["--mode", "edit", "--script", one, "write it"]);
        let first = decision(&world.lines(), "c1");
        let ran =
            world.branch_off(&["--last", &first, "--allow", "--mode", "edit", "--script", r#"["So."]"#]);
        assert!(ran.code == 0 && !ran.out.contains("+allowed c1"), "{rules}: {ran:?}");
        assert!(world.in_copies("a.txt").is_empty(), "{rules}: {ran:?}");
    }
}

#[test]
fn the_mode_of_a_file_makes_no_branch_looser() {
    let world = World::new();
    let two = r#"[{"tool_calls":[{"name":"write","arguments":{"path":"a.txt","content":"a\n"}}]},
        {"tool_calls":[{"name":"write","arguments":{"path":"b.txt","content":"b\n"}}]}, "Done."]"#;
    world.exec(&["--mode", "unrestricted", "--script", two, "write them"]);
    let lines = world.lines();
    assert_eq!(lines[0]["mode"], "unrestricted");
    let first = decision(&lines, "c1");
    let again = r#"[{"tool_calls":[{"name":"write","arguments":{"path":"b.txt","content":"b\n"}}]}, "So."]"#;
    let ran = world.branch_off(&["--last", &first, "--allow", "--script", again]);
    assert_eq!(world.in_copies("a.txt"), ["a\n"], "{ran:?}");
    assert!(
        world.in_copies("b.txt").is_empty(),
        "the branch is in the mode of the configuration, ask: {ran:?}"
    );
    let branch = world.sessions().into_iter().map(|path| std::fs::read_to_string(path).unwrap());
    let branch = branch.filter(|text| text.contains("forked_from")).collect::<String>();
    assert!(branch.contains(r#""type":"mode_changed""#) && branch.contains(r#""resumed":true"#), "{branch}");
}

#[test]
fn a_branch_leaves_at_the_later_decision_about_a_call_that_was_changed() {
    let world = World::new();
    let wish = json!({ "name": "write", "arguments": { "path": "wished.txt", "content": "x" } });
    world.json(&["--script", &json!([{ "tool_calls": [wish] }, "So be it."]).to_string(), "go"]);
    let denied = decision(&world.lines(), "c1");
    let other = r#"{"path":"other.txt","content":"x"}"#;
    world.branch_off(&["--last", &denied, "--edit", other, "--script", r#"["So."]"#]);
    let lines = world.lines();
    let later = lines.iter().rev().find(|line| line["type"] == "approval").unwrap();
    let (branch, later) = (lines[0]["session"].as_str().unwrap(), later["entry"].as_str().unwrap());
    let offline = world.branch_off(&[branch, later, "--allow", "--offline"]);
    assert!(offline.code == 0 && offline.out.contains("+allowed c1"), "{offline:?}");
    assert!(!offline.out.contains("-changed c1"), "the change stays: {offline:?}");
    let ran = world.branch_off(&[branch, later, "--allow", "--script", r#"["So."]"#]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(world.in_copies("wished.txt").is_empty(), "{ran:?}");
    assert_eq!(world.in_copies("other.txt"), ["x"], "{ran:?}");
    world.checked();
}

#[test]
fn a_message_without_words_makes_no_branch() {
    let world = World::new();
    world.json(&["--script", r#"["So."]"#, "go"]);
    let lines = world.lines();
    let message =
        lines.iter().find(|line| line["type"] == "user_message").unwrap()["entry"].as_str().unwrap();
    let sessions = world.sessions().len();
    for words in ["", " \n "] {
        for more in [&["--script", r#"["x"]"#][..], &["--offline"]] {
            let ran = world.branch_off(&[&["--last", message, "--edit", words], more].concat());
            assert!(ran.code == 2 && ran.err.contains("the message is empty"), "{ran:?}");
        }
    }
    assert_eq!(world.sessions().len(), sessions);
}

#[test]
fn the_check_of_a_goal_can_be_decided_otherwise() {
    let world = World::new();
    let goal = world.place().join("goal");
    fs::write(&goal, "objective = \"Make it\"\ncheck = \"true\"\ncheckpoints = 1\n").unwrap();
    let words = ["--mode", "unrestricted", "--goal", goal.to_str().unwrap(), "--script", r#"["Made."]"#];
    assert_eq!(world.json(&words).code, 0);
    let decided = decision(&world.lines(), "c1");
    let as_it_was = world.branch_off(&["--last", &decided, "--offline", "--allow"]);
    assert!(!as_it_was.out.contains("+denied"), "{as_it_was:?}");
    let offline = world.branch_off(&["--last", &decided, "--offline", "--deny", "not this check"]);
    assert!(offline.out.contains("+denied c1 by user"), "{offline:?}");
    let changed = world.branch_off(&["--last", &decided, "--offline", "--edit", r#"{"command":"false"}"#]);
    assert!(changed.code == 2 && changed.err.contains("which cannot be changed"), "{changed:?}");
    assert_eq!(world.sessions().len(), 1, "no branch was begun");
    // Live, the check is taken up by the branch: it is denied, or it runs and proves the goal there.
    let denied = world.branch_off(&["--last", &decided, "--deny", "not this check"]);
    assert!(denied.err.contains("blocked_on_user") || denied.out.contains("blocked_on_user"), "{denied:?}");
    let allowed = world.branch_off(&["--last", &decided, "--allow"]);
    assert!(allowed.err.contains("goal_reached") || allowed.out.contains("goal_reached"), "{allowed:?}");
}
