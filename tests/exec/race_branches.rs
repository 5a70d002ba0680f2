//! Branches of lanes that somebody went on with, and files that were only touched before a race.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use crate::races::{git, in_a_repository};
use crate::world::{World, of_type, parse, script, text};

/// Two lanes that do the same, and are checked.
fn raced(world: &World) -> Vec<Value> {
    let arguments = json!({ "path": "one.txt", "content": "1st line\nsecond line\n" });
    let turn = json!({ "tool_calls": [{ "name": "write", "arguments": arguments }] });
    let replies = script(Value::Array(vec![turn; 30]));
    let ran = world.race(&[
        "--json",
        "--lanes",
        "2",
        "--mode",
        "edit",
        "--max-turns",
        "16",
        "--script",
        &replies,
        "--check",
        "grep -q 1st one.txt",
        "--allow",
        "shell(grep *)",
        "Replace first by 1st in one.txt",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_branch_that_was_changed_after_the_check_did_not_pass() {
    let world = in_a_repository(World::new());
    let lanes = raced(&world);
    let (branch, made) = (text(&lanes[0], "branch"), text(&lanes[0], "commit"));
    let tree = git(&world, &["rev-parse", "HEAD^{tree}"]);
    let other = git(&world, &["commit-tree", &tree, "-p", &made, "-m", "nobody checked this"]);
    git(&world, &["update-ref", &format!("refs/heads/{branch}"), &other]);

    let shown = world.race(&["show", "--json"]).out;
    let of = |lane: usize| -> Value { serde_json::from_str(shown.lines().nth(lane).unwrap()).unwrap() };
    assert_eq!((&of(0)["passed"], &of(0)["changed_from"]), (&json!(false), &json!(made)), "{shown}");
    assert_eq!((&of(1)["passed"], &of(1)["changed_from"]), (&json!(true), &Value::Null), "{shown}");
    let table = world.race(&["show"]).out;
    assert!(table.contains("changed since") && table.contains("passed"), "{table}");
    assert!(table.contains("the branch of lane 1 was changed after its last check"), "{table}");
    assert!(table.contains("adopt 2 takes lane 2") && !table.contains("adopt 1"), "{table}");

    let refused = world.race(&["adopt", "1"]);
    assert!(
        refused.code == 2 && refused.err.contains("nothing was taken: the branch of lane 1"),
        "{refused:?}"
    );
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");
    let dropped = world.race(&["drop"]);
    assert!(dropped.out.contains(&format!("kept {branch}: it was changed")), "{dropped:?}");
    assert_eq!(git(&world, &["rev-parse", &branch]), other);

    // As it was made, it is what was checked.
    git(&world, &["update-ref", &format!("refs/heads/{branch}"), &made]);
    let adopted = world.race(&["adopt", "1"]);
    assert!(adopted.code == 0 && world.file("one.txt").starts_with("1st"), "{adopted:?}");
    world.race(&["drop"]);
    assert_eq!(git(&world, &["for-each-ref", "refs/heads/race", "refs/countersign"]), "");
}

#[test]
fn a_lane_whose_session_was_changed_did_not_pass_and_is_not_taken() {
    let world = in_a_repository(World::new());
    let lanes = raced(&world);
    let session = text(&lanes[0], "session");
    let file = world.sessions().into_iter().find(|file| id(file) == session).unwrap();
    let was = fs::read_to_string(&file).unwrap();
    assert!(was.contains("1st line"));
    fs::write(&file, was.replace("1st line", "2nd line")).unwrap();

    let shown = world.race(&["show", "--json"]).out;
    let first: Value = serde_json::from_str(shown.lines().next().unwrap()).unwrap();
    assert_eq!(first["passed"], false, "{shown}");
    assert!(text(&first, "damage").contains("is not well-formed"), "{shown}");
    let table = world.race(&["show"]).out;
    let says = format!("lane 1 (damaged): session {session} is not well-formed");
    assert!(table.contains(&says) && table.contains("adopt 2 takes lane 2"), "{table}");
    let refused = world.race(&["adopt", "1"]);
    let says = format!("nothing was taken: session {session} is not well-formed");
    assert!(refused.code == 2 && refused.err.contains(&says), "{refused:?}");
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");

    fs::write(&file, was).unwrap();
    assert_eq!(world.race(&["adopt", "1"]).code, 0);
}

#[test]
fn a_lane_whose_session_is_gone_or_cannot_be_read_did_not_pass_and_is_not_taken() {
    let world = in_a_repository(World::new());
    let lanes = raced(&world);
    let session = text(&lanes[0], "session");
    let file = world.sessions().into_iter().find(|file| id(file) == session).unwrap();
    let was = fs::read(&file).unwrap();
    let refused = |says: &str| {
        let shown = world.race(&["show", "--json"]).out;
        let first: Value = serde_json::from_str(shown.lines().next().unwrap()).unwrap();
        assert_eq!(first["passed"], false, "{shown}");
        assert!(text(&first, "damage").starts_with(says), "{shown}");
        let table = world.race(&["show"]).out;
        assert!(table.contains(&format!("lane 1 (damaged): {says}")), "{table}");
        assert!(table.contains("adopt 2 takes lane 2"), "{table}");
        let refused = world.race(&["adopt", "1"]);
        assert!(
            refused.code == 2 && refused.err.contains(&format!("nothing was taken: {says}")),
            "{refused:?}"
        );
        assert_eq!(world.file("one.txt"), "first line\nsecond line\n");
    };
    fs::write(&file, "what nobody can read\n").unwrap();
    refused(&format!("session {session} cannot be read: "));
    fs::remove_file(&file).unwrap();
    refused(&format!("session {session} is gone or empty"));

    fs::write(&file, was).unwrap();
    assert_eq!(world.race(&["adopt", "1"]).code, 0);
}

/// The check of the lanes stands in it.
#[test]
fn a_race_whose_own_session_was_changed_has_no_lane_that_passed_and_none_is_taken() {
    let world = in_a_repository(World::new());
    raced(&world);
    let file = of_lanes(&world, false).remove(0);
    let race = id(&file);
    assert_eq!(world.sessions_cli(&["fork", &race]).code, 0);
    let fork = of_lanes(&world, false).iter().map(|file| id(file)).find(|other| *other != race).unwrap();
    let was = fs::read_to_string(&file).unwrap();
    assert!(was.contains("grep -q 1st"));
    fs::write(&file, was.replace("grep -q 1st", "grep -q 2nd")).unwrap();

    let why = format!("session {race} is not well-formed");
    for session in [&race, &fork] {
        let shown = world.race(&["show", "--json", session]).out;
        let lanes: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lanes.len(), 2, "{shown}");
        for lane in &lanes {
            assert_eq!(lane["passed"], false, "{shown}");
            assert!(text(lane, "damage").contains(&why), "{shown}");
        }
        let table = world.race(&["show", session]).out;
        assert!(table.contains(&format!("lanes 1, 2 (damaged): {why}")), "{table}");
        assert_eq!(table.matches(&why).count(), 1, "{table}");
        assert!(!table.contains("countersign race adopt"), "{table}");
        let refused = world.race(&["adopt", "1", session]);
        let says = format!("nothing was taken: {why}");
        assert!(refused.code == 2 && refused.err.contains(&says), "{refused:?}");
    }
    assert_eq!(world.file("one.txt"), "first line\nsecond line\n");
    let branches = git(&world, &["for-each-ref", "refs/heads/race"]);
    let kept = world.race(&["drop", &race]);
    assert!(kept.code == 1 && kept.err.contains(&format!("nothing was removed: {why}")), "{kept:?}");
    assert_eq!(git(&world, &["for-each-ref", "refs/heads/race"]), branches);

    fs::write(&file, was).unwrap();
    assert_eq!(world.race(&["adopt", "1", &race]).code, 0);
}

#[test]
fn a_fork_leaves_the_branches_to_the_session_of_the_race() {
    let world = in_a_repository(World::new());
    raced(&world);
    let of_race = |path: &std::path::PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut ids: Vec<String> = world.sessions().iter().map(of_race).collect();
    ids.retain(|id| id.len() == 36);
    let branches = git(&world, &["for-each-ref", "refs/heads/race"]);
    assert_eq!(world.sessions_cli(&["fork", &ids[0]]).code, 0);
    let refused = world.race(&["drop"]);
    let whose = format!("its branches belong to {}", ids[0]);
    assert!(refused.code == 2 && refused.err.contains(&whose), "{refused:?}");
    assert_eq!(git(&world, &["for-each-ref", "refs/heads/race"]), branches);
    // One that ends before the lanes did tells what the session of the race says of them.
    let file = world.sessions().into_iter().find(|file| of_race(file) == ids[0]).unwrap();
    let ended = text(&of_type(&parse(&fs::read_to_string(file).unwrap()), "turn_ended")[0], "entry");
    assert_eq!(world.sessions_cli(&["fork", &ids[0], "--at", &ended]).code, 0);
    let shown = world.race(&["show"]);
    assert!(shown.out.matches("passed").count() == 2 && !shown.out.contains("cut off"), "{shown:?}");
    assert_eq!(world.race(&["drop", &ids[0]]).code, 0);
    assert_eq!(git(&world, &["for-each-ref", "refs/heads/race"]), "");
}

fn id(file: &Path) -> String {
    file.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// The sessions of lanes, or the others.
fn of_lanes(world: &World, is_lane: bool) -> Vec<PathBuf> {
    let mut files = world.sessions();
    files.retain(|file| (file.file_stem().unwrap().len() > 36) == is_lane);
    files
}

/// Two lanes whose models never answer.
fn asked(world: &World) -> Child {
    let replies =
        script(json!([{ "text": "Never.", "delay_ms": 600_000 }, { "text": "Never.", "delay_ms": 600_000 }]));
    let words = ["race", "--lanes", "2", "--mode", "edit", "--script", &replies, "Wait for the model."];
    let race = world.program().args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let is_asked =
        |file: &PathBuf| fs::read_to_string(file).is_ok_and(|text| text.contains("\"type\":\"transition\""));
    while of_lanes(world, true).iter().filter(|file| is_asked(file)).count() < 2 {
        std::thread::yield_now();
    }
    race
}

#[test]
fn the_worktree_of_a_lane_that_never_began_goes_unless_something_is_in_it() {
    let world = in_a_repository(World::new());
    let mut race = asked(&world);
    race.kill().unwrap();
    race.wait().unwrap();
    let mut lanes = of_lanes(&world, true);
    lanes.sort();
    // As if the process had died before their first entries.
    for lane in &lanes {
        fs::write(lane, "").unwrap();
        let head = lane.with_extension("head");
        assert!(!head.exists() || fs::remove_file(head).is_ok());
    }
    let work = world.work().canonicalize().unwrap();
    let name = work.file_name().unwrap().to_str().unwrap();
    let worktrees: Vec<PathBuf> =
        lanes.iter().map(|lane| work.with_file_name(format!("{name}-{}", id(lane)))).collect();
    fs::write(worktrees[1].join("mine.txt"), "somebody put this here\n").unwrap();
    let session = id(&of_lanes(&world, false)[0]);
    let ran = world.exec(&["--resume", &session, "--script", r#"["I see."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!((worktrees[0].exists(), worktrees[1].exists()), (false, true));
    let shown = world.race(&["show", &session]);
    let left = format!("lane 2 left its worktree behind: {}", worktrees[1].display());
    assert!(shown.out.contains(&left) && !shown.out.contains("lane 1 left"), "{shown:?}");
    let why = "lanes 1, 2 (not started): It was not started: the process ended before it began.";
    assert_eq!(shown.out.matches(why).count(), 1, "{shown:?}");
    let lanes = world.race(&["show", "--json", &session]).out;
    for lane in lanes.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        assert_eq!((&lane["turns"], &lane["wall_ms"]), (&json!(0), &json!(0)), "{lane}");
    }
    let removed = world.sessions_cli(&["remove", &session]);
    let stays = format!("a sub-agent's git worktree stays: {};", worktrees[1].display());
    assert!(removed.code == 0 && removed.err.contains(&stays), "{removed:?}");
}

#[test]
fn lanes_at_work_belong_to_the_session_that_a_fork_was_made_from_and_are_cut_off_with_it() {
    let world = in_a_repository(World::new());
    let mut race = asked(&world);
    let of_lanes = |is_lane: bool| of_lanes(&world, is_lane);
    let before = of_lanes(false);
    assert_eq!(world.sessions_cli(&["fork", &id(&before[0])]).code, 0);
    let fork = of_lanes(false).into_iter().find(|file| !before.contains(file)).unwrap();
    let ran = world.exec(&["--resume", &id(&fork), "--script", r#"["I see."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let lines: Vec<Value> = fs::read_to_string(&fork).unwrap().lines().map(crate::books::unchained).collect();
    let told: Vec<String> =
        lines.iter().map(Value::to_string).filter(|line| line.contains("that worked as c")).collect();
    assert_eq!(told.len(), 2, "{lines:?}");
    for told in &told {
        assert!(told.contains("belongs to the session that this one was forked from"), "{told}");
        assert!(!told.contains("ended with") && !told.contains("worktree"), "{told}");
    }
    let shown = world.race(&["show", &id(&fork)]);
    assert!(shown.out.contains("at work") && !shown.out.contains("behind"), "{shown:?}");
    race.kill().unwrap();
    race.wait().unwrap();
    // Nobody interrupted a lane whose process was killed.
    let ran = world.exec(&["--resume", &id(&before[0]), "--script", r#"["I see."]"#, "go on"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let shown = world.race(&["show", &id(&before[0])]);
    assert!(shown.out.matches("cut off").count() >= 2 && !shown.out.contains("interrupted"), "{shown:?}");
}

#[test]
fn a_file_that_was_only_touched_is_in_nobodys_way() {
    let world = in_a_repository(World::new());
    git(&world, &["checkout", "-q", "--", "."]);
    let index = world.work().join(".git/index");
    let before = fs::read(&index).unwrap();
    let touched = File::options().append(true).open(world.work().join("one.txt")).unwrap();
    touched.set_modified(SystemTime::now() - Duration::from_secs(3_600)).unwrap();
    assert_eq!(raced(&world).len(), 2);
    assert_eq!(fs::read(&index).unwrap(), before, "the index is the user's");
}
