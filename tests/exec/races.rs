//! `race`: lanes in worktrees of their own, one budget, a check as the referee; what one made is adopted.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::world::{Ran, World, of_type, script, text};

pub(super) fn git(world: &World, words: &[&str]) -> String {
    let named = ["-c", "user.name=a", "-c", "user.email=a@b"];
    let ran = Command::new("git")
        .args(named)
        .args(words)
        .current_dir(world.work())
        .env_remove("GIT_DIR")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// A repository with a commit, a change that is not committed, and a file that git does not know.
pub(super) fn repository() -> World {
    in_a_repository(World::new())
}

pub(super) fn in_a_repository(world: World) -> World {
    fs::remove_dir_all(world.work().join(".git")).unwrap();
    git(&world, &["init", "-q"]);
    git(&world, &["add", "."]);
    git(&world, &["commit", "-q", "-m", "first"]);
    fs::write(world.work().join("two.txt"), "not committed\n").unwrap();
    fs::write(world.work().join("unknown.txt"), "mine\n").unwrap();
    world
}

/// The same reply for every turn of every lane, since lanes share the script in any order. The check comes after five turns.
fn again(call: &Value) -> String {
    script(Value::Array(vec![json!({ "tool_calls": [call] }); 40]))
}

impl World {
    pub(super) fn race(&self, words: &[&str]) -> Ran {
        let output = self.program().arg("race").args(words).output().unwrap();
        Ran::of(output.status, output.stdout, output.stderr)
    }

    /// Three lanes that do the same, and are checked.
    pub(super) fn raced(&self) -> Vec<Value> {
        let arguments = json!({ "path": "one.txt", "content": "1st line\nsecond line\n" });
        let replies = again(&json!({ "name": "write", "arguments": arguments }));
        let check = ["--check", "grep -q 1st one.txt", "--allow", "shell(grep *)"];
        let words = ["--json", "--lanes", "3", "--mode", "edit", "--max-turns", "24", "--script", &replies];
        let ran = self.race(&[&words[..], &check[..], &["Replace first by 1st in one.txt"]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    fn main_session(&self) -> String {
        let lanes = self.race(&["show", "--json"]).out;
        let first: Value = serde_json::from_str(lanes.lines().next().unwrap()).unwrap();
        text(&first, "session").rsplit_once('-').unwrap().0.to_owned()
    }

    pub(super) fn session_of_race(&self) -> std::path::PathBuf {
        let id = self.main_session();
        self.sessions().into_iter().find(|path| path.file_stem().unwrap().to_string_lossy() == id).unwrap()
    }

    fn is_sound(&self, session: &str) {
        let checked = self.sessions_cli(&["check", session]);
        assert_eq!(checked.code, 0, "{}", checked.out);
    }
}

#[test]
fn three_lanes_share_one_budget_and_what_one_made_is_adopted() {
    let world = repository();
    let lanes = world.raced();
    assert_eq!(lanes.len(), 3);
    for lane in &lanes {
        assert_eq!((&lane["passed"], &lane["ending"]), (&json!(true), &json!("goal_reached")), "{lane}");
        assert_eq!((&lane["files"], &lane["added"], &lane["removed"]), (&json!(1), &json!(1), &json!(1)));
        world.is_sound(&text(lane, "session"));
    }
    let session = world.main_session();
    world.is_sound(&session);
    let file =
        world.sessions().into_iter().find(|path| path.file_stem().unwrap() == session.as_str()).unwrap();
    let entries: Vec<Value> =
        fs::read_to_string(file).unwrap().lines().map(crate::books::unchained).collect();
    let reserved = of_type(&entries, "escrow_reserved");
    let turns: u64 =
        reserved.iter().map(|escrow| escrow["limits"]["max_model_turns"].as_u64().unwrap()).sum();
    assert_eq!(turns, 24, "all of it, in equal parts: {reserved:?}");

    // Nothing of it is here, and the worktrees are gone.
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");
    assert_eq!(git(&world, &["worktree", "list"]).lines().count(), 1);
    let branch = text(&lanes[1], "branch");
    assert_eq!(git(&world, &["show", &format!("{branch}:one.txt")]), "1st line\nsecond line");
    assert_eq!(
        git(&world, &["show", &format!("{branch}:two.txt")]),
        "not committed",
        "lanes begin with that"
    );

    let adopted = world.race(&["adopt", "2"]);
    assert_eq!(adopted.code, 0, "{adopted:?}");
    assert!(adopted.out.contains("took 1 file:\none.txt (+1 -1)"), "{adopted:?}");
    assert_eq!(world.file("one.txt"), "1st line\nsecond line\n");
    let shown = world.race(&["show"]).out;
    assert!(shown.contains("and is adopted") && !shown.contains("takes lane"), "{shown}");
    let again = world.race(&["adopt", "2"]);
    let why = "nothing was changed: this folder has all that the lane made already";
    assert!(again.code == 1 && again.err.contains(why), "{again:?}");
    assert_eq!(
        (world.file("two.txt"), world.file("unknown.txt")),
        ("not committed\n".into(), "mine\n".into())
    );
    world.is_sound(&session);

    let dropped = world.race(&["drop"]);
    assert_eq!(dropped.out.lines().count(), 3, "{dropped:?}");
    let again = world.race(&["drop"]);
    assert_eq!(
        (again.code, again.out.as_str()),
        (0, "nothing to remove: no lane of the race has a branch\n")
    );
    assert_eq!(git(&world, &["branch", "--list", "race/*"]), "");
    assert_eq!(world.race(&["adopt", "2"]).code, 2, "there is nothing to take any more");
}

#[test]
fn what_was_changed_meanwhile_is_not_overwritten() {
    let world = repository();
    world.raced();
    fs::write(world.work().join("one.txt"), "mine\n").unwrap();
    let adopted = world.race(&["adopt", "1"]);
    assert_eq!(adopted.code, 1, "{adopted:?}");
    assert!(adopted.err.contains("a file has changed since the lane began: one.txt"), "{adopted:?}");
    assert_eq!(world.file("one.txt"), "mine\n");
    world.is_sound(&world.main_session());
}

#[test]
fn files_that_are_new_deleted_or_programs_are_taken_and_links_are_not() {
    let world = repository();
    let command = "mkdir -p bin && printf x > bin/run && chmod 755 bin/run two.txt && rm -f one.txt";
    let link = format!("{command} && ln -sf two.txt link");
    let race = |command: &str| {
        let replies = again(&json!({ "name": "shell", "arguments": { "command": command } }));
        let words = ["--lanes", "2", "--mode", "unrestricted", "--max-turns", "16", "--script", &replies];
        let ran = world.race(&[&words[..], &["--check", "test -x bin/run", "Do it with care"]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
    };
    race(&link);
    let refused = world.race(&["adopt", "1"]);
    assert!(refused.code == 1 && refused.err.contains("`link` is a symlink"), "{refused:?}");
    assert!(world.work().join("one.txt").exists() && !world.work().join("bin").exists());
    race(command);
    // A folder of that name leads out by now.
    let outside = world.place().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, world.work().join("bin")).unwrap();
    let refused = world.race(&["adopt", "1"]);
    assert!(refused.code == 1 && refused.err.contains("symlink"), "{refused:?}");
    assert!(fs::read_dir(&outside).unwrap().next().is_none() && world.work().join("one.txt").exists());
    fs::remove_file(world.work().join("bin")).unwrap();
    let adopted = world.race(&["adopt", "1"]);
    assert!(
        adopted.out.contains("bin/run (new)")
            && adopted.out.contains("one.txt (deleted)")
            && adopted.out.contains("two.txt (+0 -0; is executable)"),
        "{adopted:?}"
    );
    assert!(!world.work().join("one.txt").exists());
    for name in ["bin/run", "two.txt"] {
        let mode = std::os::unix::fs::PermissionsExt::mode(
            &fs::metadata(world.work().join(name)).unwrap().permissions(),
        );
        assert_eq!(mode & 0o111, 0o111, "{name}");
    }
}

#[test]
fn a_race_that_cannot_be_run_says_why() {
    let world = World::new();
    let none = world.race(&["Do it with care"]);
    assert!(
        none.code == 2 && none.err.contains("a race needs a git repository with a commit in it"),
        "{none:?}"
    );
    let world = repository();
    let many = world.race(&["--lanes", "17", "--script", "[]", "Do it with care"]);
    assert!(many.code != 0 && many.err.contains("at most 16 lanes, not 17"), "{many:?}");
    let none =
        world.race(&["-c", "agents.max_parallel=0", "--lanes", "2", "--script", "[]", "Do it with care"]);
    assert!(none.code != 0 && none.err.contains("agents.max_parallel is 0"), "{none:?}");
    let vague = world.race(&["--check", "true", "--script", "[]", "improve it"]);
    assert!(vague.code == 2 && vague.err.contains("too general"), "{vague:?}");
    let shown = world.race(&["show"]);
    assert!(shown.code == 2 && shown.err.contains("no session of this folder had a race"), "{shown:?}");
    // Folders with nothing in them are nothing that the lanes miss.
    fs::create_dir_all(world.work().join("empty/folder")).unwrap();
    let many = world.race(&["--lanes", "2", "--script", "[]", "Do it with care"]);
    assert!(many.err.contains("not in the lanes: a file or folder that"), "{many:?}");
    // A check that nobody allowed does not run, and proves nothing.
    let replies = script(json!(["Done.", "Done."]));
    let denied =
        world.race(&["--lanes", "2", "--check", "touch ran", "--script", &replies, "Make one.txt say 1st"]);
    assert_eq!(denied.code, 4, "{denied:?}");
    assert!(denied.out.contains("denied") && !world.work().join("ran").exists(), "{denied:?}");
}

#[test]
fn lanes_beyond_those_that_may_be_at_work_wait_for_their_turn() {
    let world = repository();
    let replies = script(Value::Array(vec![json!("Done."); 5]));
    let words = ["--json", "--lanes", "5", "-c", "agents.max_parallel=2", "--max-turns", "20"];
    let ran = world.race(&[&words[..], &["--script", &replies, "Do it with care"]].concat());
    assert_eq!(ran.code, 0, "{ran:?}");
    let lanes: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lanes.len() == 5 && lanes.iter().all(|lane| lane["passed"] == true), "{ran:?}");
    assert!(ran.err.contains("lane 3: waits for its turn") && ran.err.contains("lane 3: started"), "{ran:?}");
    let entries: Vec<Value> =
        fs::read_to_string(world.session_of_race()).unwrap().lines().map(crate::books::unchained).collect();
    let reserved = of_type(&entries, "escrow_reserved");
    let waits: Vec<bool> = reserved.iter().map(|escrow| escrow["waits"] == true).collect();
    assert_eq!(waits, [false, false, true, true, true]);
    assert!(reserved.iter().all(|escrow| escrow["limits"]["max_model_turns"] == 4), "{reserved:?}");
    assert_eq!(of_type(&entries, "subagent_started").len(), 3);
    // Never more than two at once.
    let mut at_work = 0;
    for entry in &entries {
        at_work += match text(entry, "type").as_str() {
            "escrow_reserved" if entry["waits"] != true => 1,
            "subagent_started" => 1,
            "escrow_settled" => -1,
            _ => 0,
        };
        assert!((0..=2).contains(&at_work), "{entry}");
    }
    world.is_sound(&world.main_session());
}

#[test]
fn a_lane_that_waited_when_the_process_died_is_settled_as_not_started() {
    let world = repository();
    let (waits, mut beacon) = world.beacon();
    let wait = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": waits } }] });
    let replies = script(json!([wait, wait]));
    let words = ["--lanes", "3", "-c", "agents.max_parallel=2", "--mode", "unrestricted"];
    let mut racing = world
        .program()
        .arg("race")
        .args(words)
        .args(["--script", &replies, "Do it with care"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    beacon.lit();
    beacon.lit();
    let stands = || -> Vec<Value> {
        let shown = world.race(&["show", "--json"]).out;
        shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    assert_eq!(stands()[2]["waits"], true);
    racing.kill().unwrap();
    racing.wait().unwrap();
    let third = stands().remove(2);
    assert_eq!(
        (&third["waits"], &third["is_cut_off"], &third["session"]),
        (&json!(false), &json!(true), &json!(null))
    );
    let gone = "the process that ran lanes 1, 2 is gone, and lane 3 never began: ";
    assert!(world.race(&["show"]).out.contains(gone));
    let session = world.main_session();
    beacon.put_out();
    let ran = world.exec(&["--last", "--script", r#"["Fine."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let third = stands().remove(2);
    assert_eq!(
        (&third["turns"], &third["cost"], &third["is_cut_off"]),
        (&json!(0), &json!(null), &json!(false))
    );
    assert!(
        world.race(&["show"]).out.lines().any(|line| line.starts_with('3') && line.contains("not started"))
    );
    let why = "lane 3 (not started): It was not started: the process ended while it waited for its turn.";
    assert!(world.race(&["show"]).out.contains(why));
    let refused = world.race(&["adopt", "3"]);
    assert!(refused.code == 2 && refused.err.contains("lane 3 was not started"), "{refused:?}");
    world.is_sound(&session);
}

#[test]
fn what_a_killed_race_made_is_on_its_branches_after_a_resume() {
    let world = repository();
    let (waits, mut beacon) = world.beacon();
    let write =
        json!({ "name": "write", "arguments": { "path": "one.txt", "content": "1st line\nsecond line\n" } });
    // In one answer, because either lane may be the first to ask for the next: both write, then wait.
    let wait = json!({ "name": "shell", "arguments": { "command": waits } });
    let both = json!({ "tool_calls": [write, wait] });
    let replies = script(json!([both, both]));
    let words = ["--lanes", "2", "--mode", "unrestricted", "--script", &replies, "Make one.txt say 1st"];
    let mut racing =
        world.program().arg("race").args(words).stdout(std::process::Stdio::null()).spawn().unwrap();
    beacon.lit();
    beacon.lit();
    let shown = world.race(&["show"]);
    assert!(shown.out.contains("at work") && !shown.out.contains("is gone"), "{shown:?}");
    let lanes = world.race(&["show", "--json"]).out;
    for lane in lanes.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        assert_eq!(
            (&lane["turns"], &lane["is_over"]),
            (&json!(1), &json!(false)),
            "what it has spent so far"
        );
    }
    let refused = world.race(&["drop"]);
    assert!(refused.code == 1 && refused.err.contains("lane 1 is still at work"), "{refused:?}");
    racing.kill().unwrap();
    racing.wait().unwrap();
    assert_eq!(git(&world, &["worktree", "list"]).lines().count(), 3, "they were at work");
    // Nobody runs them any more, and that is said, and what to do.
    let session = world.main_session();
    let shown = world.race(&["show"]);
    assert!(!shown.out.contains("at work") && shown.out.contains("cut off"), "{shown:?}");
    let gone = format!("the process that ran lanes 1, 2 is gone: `countersign resume {session}`");
    assert!(shown.out.contains(&gone), "{shown:?}");
    let refused = world.race(&["drop"]);
    let why = format!("`countersign resume {session}` first");
    assert!(refused.code == 1 && refused.err.contains(&why), "{refused:?}");
    let adopted = world.race(&["adopt", "1"]);
    assert!(adopted.code == 2 && adopted.err.contains("the process that ran lane 1 is gone"), "{adopted:?}");
    beacon.put_out();
    let ran = world.exec(&["--last", "--script", r#"["Fine."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(git(&world, &["worktree", "list"]).lines().count(), 1, "none is left");
    let shown = world.race(&["show"]);
    assert!(shown.out.contains("is the branch race/"), "{shown:?}");
    let branches = git(&world, &["for-each-ref", "--format=%(refname:short)", "refs/heads/race"]);
    assert_eq!(branches.lines().count(), 2);
    for branch in branches.lines() {
        assert_eq!(git(&world, &["show", &format!("{branch}:one.txt")]), "1st line\nsecond line");
    }
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n", "nothing of it is here");
    let told = fs::read_to_string(world.session_of_race()).unwrap();
    assert!(
        told.contains("as does `countersign race adopt 1`: the user decides that"),
        "the model is told: {told}"
    );
}

#[test]
fn a_race_that_cannot_be_run_is_refused_before_anything_starts() {
    let world = repository();
    let script = again(&json!({ "name": "read", "arguments": { "path": "one.txt" } }));
    for (words, why) in [
        (&[""][..], "needs a task"),
        (&["  ", "Do it."], "needs a task"),
        (&["", "--lanes", "2", "--check", "true"], "needs a task"),
        (&["Do it.", "--lanes", "17"], "at most 16 lanes, not 17"),
        (&["Do it.", "-c", "agents.max_parallel=0"], "agents.max_parallel is 0"),
        (&["Do it.", "--models", "nosuch/x,rehearsal"], "nosuch/x cannot be used"),
    ] {
        let ran = world.race(&[words, &["--script", &script]].concat());
        assert_eq!(ran.code, 2, "{words:?}: {ran:?}");
        assert!(ran.err.contains(why) && !ran.err.contains("ctrl-c"), "{words:?}: {}", ran.err);
        assert!(world.sessions().is_empty(), "{words:?}");
    }
}

#[test]
fn a_lane_for_which_too_little_is_left_says_so() {
    let world = repository();
    let ran =
        world.race(&["Do it.", "--max-turns", "2", "--script", &script(json!(["Done.", "Done.", "Done."]))]);
    assert_eq!(
        ran.err.matches(": not started: Too little is left of the budget max_model_turns").count(),
        1,
        "{ran:?}"
    );
    let shown = world.race(&["show"]);
    assert_eq!(
        shown.out.matches("(not started): Too little is left of the budget max_model_turns").count(),
        1,
        "{shown:?}"
    );
    let said: Vec<Value> =
        world.race(&["show", "--json"]).out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let reasons =
        said.iter().filter(|lane| lane["why"].as_str().is_some_and(|why| why.contains("max_model_turns")));
    assert_eq!(reasons.count(), 1, "{said:?}");
}
