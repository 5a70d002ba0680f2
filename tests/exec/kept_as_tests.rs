//! `test`: sessions that were kept as tests are played through the program as it is now.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::world::{Ran, World};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/recorded");
const SCRIPT: &str = r#"[{"tool_calls":[{"name":"shell","arguments":{"command":"touch made"}}]}, "Done."]"#;

impl World {
    fn test(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("test").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    /// A session that ran a command, kept as a test.
    fn recorded(&self) -> String {
        self.exec(&["--mode", "unrestricted", "--script", SCRIPT, "make it"]);
        let ran = self.test(&["record", "--last", "--mode", "unrestricted", "-o", "kept.jsonl"]);
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{}", ran.out);
        assert!(ran.out.contains("2 requests to models"), "{ran:?}");
        let mode = std::fs::metadata(self.work().join("kept.jsonl")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "it holds what the session says");
        "kept.jsonl".to_owned()
    }
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<_> = std::fs::read_dir(FOLDER).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files
}

/// Also in another folder, without a key, and with a home of its own. `countersign test run --accept` on them takes what is
/// different, once a person has read it.
#[test]
fn the_recorded_sessions_of_this_suite_go_as_they_went() {
    let files = files();
    assert!(files.len() >= 20, "{}", files.len());
    let named: Vec<&str> = files.iter().map(|path| path.to_str().unwrap()).collect();
    let ran = World::new().test(&[&["run"], named.as_slice()].concat());
    assert_eq!(ran.code, 0, "{}{}", ran.out, ran.err);
    assert!(ran.out.ends_with(&format!("all {} tests are as expected\n", files.len())), "{}", ran.out);
}

#[test]
fn nothing_runs_and_what_is_different_is_shown() {
    let world = World::new();
    let kept = world.recorded();
    std::fs::remove_file(world.work().join("made")).unwrap();
    let same = world.test(&["run", &kept]);
    assert_eq!((same.code, same.out.lines().last()), (0, Some("the test is as expected")), "{same:?}");
    assert!(!world.work().join("made").exists(), "the tool did not run");
    let rule = world.test(&["run", &kept, "--deny", "shell(touch *)", "--junit", "report.xml"]);
    assert_eq!(rule.code, 1, "{rule:?}");
    assert!(
        rule.out.contains("-allowed c1 by policy") && rule.out.contains("+denied c1 by policy"),
        "{rule:?}"
    );
    let report = world.file("report.xml");
    assert!(report.contains("failures=\"1\"") && report.contains("+denied c1 by policy"), "{report}");
    let limit = world.test(&["run", &kept, "-c", "budget.max_model_turns=1"]);
    assert!(limit.code == 1 && limit.out.contains("+ends: max_turns"), "{limit:?}");
    // Instructions are part of every request.
    std::fs::write(world.work().join("AGENTS.md"), "Be brief.\n").unwrap();
    let told = world.test(&["run", &kept]);
    assert!(told.code == 1 && told.out.contains("+    Be brief."), "{told:?}");
    let accepted = world.test(&["run", &kept, "--accept"]);
    assert!(accepted.code == 0 && accepted.out.starts_with("accepted"), "{accepted:?}");
    assert_eq!(world.test(&["run", &kept]).code, 0);
}

#[test]
fn hooks_of_today_are_heard() {
    let world = World::new();
    let kept = world.recorded();
    let hook = "[[hooks.pre_tool]]\ncommand = \"echo '{\\\"decision\\\":\\\"deny\\\",\\\"reason\\\":\\\"not today\\\"}'\"\n";
    let world = world.configured(hook);
    let ran = world.test(&["run", &kept]);
    assert!(ran.code == 1 && ran.out.contains("denied c1 by hook"), "{ran:?}");
}

#[test]
fn a_model_is_asked_again_and_only_decisions_count() {
    let world = World::new();
    let kept = world.recorded();
    let live = |script: &str| world.test(&["run", &kept, "--live", "-m", "script", "--script", script]);
    let other_words = SCRIPT.replace("Done.", "It is done, as you wished.");
    assert_eq!(live(&other_words).code, 0);
    let other_tool =
        r#"[{"tool_calls":[{"name":"write","arguments":{"path":"made","content":""}}]}, "Done."]"#;
    let ran = live(other_tool);
    assert!(ran.code == 1 && ran.out.contains("+call c1 write"), "{ran:?}");
}

#[test]
fn a_run_that_stopped_because_nobody_was_there_stops_again() {
    let world = World::new();
    world.exec(&["--on-approval", "stop", "--script", SCRIPT, "make it"]);
    let ran = world.test(&["record", "--last", "-o", "stopped.jsonl"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(world.file("stopped.jsonl").contains("ends: approval_required"), "{ran:?}");
    assert_eq!(world.test(&["run", "stopped.jsonl"]).code, 0);
}

#[test]
fn what_is_no_test_is_named() {
    let world = World::new();
    let kept = world.recorded();
    let again = world.test(&["record", "--last", "-o", &kept]);
    assert!(again.code == 2 && again.err.contains("exists already"), "{again:?}");
    let good = world.file(&kept);
    let write = |text: &str| std::fs::write(world.work().join("bad.jsonl"), text).unwrap();
    for (text, why) in [
        (String::new(), "its first line is not that of a recorded test"),
        (good.replace("\"version\":1,", "\"version\":9,"), "another version"),
        (good.lines().take(1).collect::<String>() + "\n", "nothing of the session is left"),
        (good.clone() + "{", "line "),
        (good.replacen("\"user_message\"", "\"no_such_message\"", 1), "no_such_message is not understood"),
    ] {
        write(&text);
        let ran = world.test(&["run", "bad.jsonl"]);
        assert!(ran.code == 1 && ran.out.contains(why), "{why}: {ran:?}");
    }
    // Whoever wrote such a line believes that it is tested.
    for (was, written, why) in [
        ("\"deny\":[]", "\"deny\":\"shell(touch *)\"", "`deny` in its first line is not a list of texts"),
        ("\"deny\":[]", "\"deny\":[1]", "`deny` in its first line is not a list of texts"),
        ("\"deny\":[]", "\"deny\":[],\"denyy\":[\"shell\"]", "its first line has `denyy`, which no test has"),
        ("\"config\":[]", "\"config\":{}", "`config` in its first line is not a list of texts"),
        ("\"mode\":\"unrestricted\"", "\"mode\":5", "`mode` in its first line is not text"),
        (
            "\"type\":\"recorded_test\"",
            "\"type\":\"recorded_test\",\"rules\":{}",
            "its first line has `rules`",
        ),
    ] {
        let changed = good.replacen(was, written, 1);
        assert_ne!(changed, good, "{written}");
        write(&changed);
        let ran = world.test(&["run", "bad.jsonl"]);
        assert!(ran.code == 1 && ran.out.contains(why), "{why}: {ran:?}");
    }
    // A test of somebody else starts nothing.
    let hook = r#""config":["hooks.pre_tool=[{command=\"touch hooked\"}]"]"#;
    let hostile = good.replacen("\"config\":[]", hook, 1);
    assert_ne!(hostile, good);
    write(&hostile);
    let ran = world.test(&["run", "bad.jsonl"]);
    assert!(ran.code == 1 && ran.out.contains("a test cannot set hooks.pre_tool"), "{ran:?}");
    assert!(!world.work().join("hooked").exists());
    let own =
        world.test(&["record", "--last", "-o", "own.jsonl", "-c", "network.proxy=\"http://127.0.0.1:1\""]);
    assert!(own.code == 2 && own.err.contains("a test cannot set network.proxy"), "{own:?}");
    let gone = world.test(&["run", "gone.jsonl", &kept]);
    assert!(
        gone.code == 1 && gone.out.contains("cannot be read") && gone.out.contains("as expected"),
        "{gone:?}"
    );
    assert!(Path::new(FOLDER).is_dir());
}

#[test]
fn a_report_takes_the_place_of_a_report_alone() {
    let world = World::new();
    let kept = world.recorded();
    let good = world.file(&kept);
    for words in [["run", &kept, "--junit", &kept], ["run", "gone.jsonl", "--junit", &kept]] {
        let ran = world.test(&words);
        assert!(ran.code == 2 && ran.err.contains("it is no report"), "{ran:?}");
        assert_eq!(world.file(&kept), good);
    }
    for _ in 0..2 {
        assert_eq!(world.test(&["run", &kept, "--junit", "report.xml"]).code, 0);
        assert!(world.file("report.xml").contains("tests=\"1\" failures=\"0\""));
    }
    // Nothing of what was there is lost if the new one cannot be written.
    let gone = world.test(&["run", &kept, "--junit", "no/such/folder.xml"]);
    assert!(gone.code == 1 && gone.err.contains("cannot be written"), "{gone:?}");
}

#[test]
fn a_session_without_some_of_its_contents_is_no_test() {
    let world = World::new();
    world.recorded();
    let part = world.sessions_cli(&["export", "--last", "--format", "jsonl", "--redact", "arguments"]);
    assert_eq!(part.code, 0, "{part:?}");
    std::fs::write(world.work().join("part.jsonl"), part.out).unwrap();
    let ran = world.test(&["record", "part.jsonl", "-o", "part-test.jsonl"]);
    assert!(ran.code == 1 && ran.err.contains("were left out of this session"), "{ran:?}");
    assert!(!world.work().join("part-test.jsonl").exists());
}

#[test]
fn a_tool_that_is_gone_is_named_when_a_session_is_recorded() {
    let world = World::new().configured("");
    let script = r#"[{"tool_calls":[{"name":"echo","arguments":{"text":"hi"}}]}, "So."]"#;
    assert_eq!(world.json(&["-c", "tools.echo=true", "--script", script, "go"]).code, 0);
    let recorded = world.test(&["record", "--last", "-o", "gone.jsonl"]);
    assert!(recorded.out.contains("called echo, which is not there now"), "{recorded:?}");
    std::fs::write(world.config_file(), "tools.echo = true\n").unwrap();
    let recorded = world.test(&["record", "--last", "-o", "there.jsonl"]);
    assert!(!recorded.out.contains("not there now"), "{recorded:?}");
}
