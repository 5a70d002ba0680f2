//! Lanes that would have somebody else do what they may not: git, which countersign runs in their worktree, and whoever adopts what they made.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::races::{git, in_a_repository};
use crate::world::{Ran, World, of_type, parse, script};

/// Two lanes whose every turn is this command. They end at the limit of turns.
fn raced(world: &World, command: &str) -> Ran {
    let turn = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": command } }] });
    let replies = script(Value::Array(vec![turn; 20]));
    let words = ["--lanes", "2", "--mode", "unrestricted", "--max-turns", "4", "--script", &replies];
    world.race(&[&words[..], &["Do it with care"]].concat())
}

/// The file that a program makes which nobody allowed, and the command that makes it.
fn marker(world: &World) -> (PathBuf, String) {
    let file = world.place().join("ran-outside");
    (file.clone(), format!("touch '{}'", file.display()))
}

/// What the session of the race was told of its lanes.
fn told(world: &World) -> String {
    let of_race = |file: &PathBuf| file.file_stem().unwrap().len() == 36;
    let text = fs::read_to_string(world.sessions().into_iter().find(of_race).unwrap()).unwrap();
    of_type(&parse(&text), "escrow_settled").iter().map(Value::to_string).collect()
}

#[test]
fn git_does_nothing_that_the_settings_in_a_worktree_say() {
    let world = in_a_repository(World::new());
    let (ran, touches) = marker(&world);
    let filter = format!("git config filter.x.clean \"{touches}; cat\"");
    let attack = format!(
        "test -d .git || {{ rm .git && git init -q && {filter} && echo '* filter=x' > .gitattributes; }}; echo new > new.txt"
    );
    let raced = raced(&world, &attack);
    assert!(!ran.exists(), "{raced:?}");
    assert!(told(&world).contains("`.git` in it is not what git made"), "{}", told(&world));
    // What it made is kept, and said to be there.
    assert!(raced.out.contains("lane 1 left its worktree behind"), "{raced:?}");
    assert_eq!(git(&world, &["for-each-ref", "refs/heads/race"]), "");
}

#[test]
fn nor_what_the_settings_of_a_submodule_say() {
    let world = in_a_repository(World::new());
    let head = git(&world, &["rev-parse", "HEAD"]);
    git(&world, &["update-index", "--add", "--cacheinfo", &format!("160000,{head},sub")]);
    git(&world, &["commit", "-q", "-m", "with a submodule"]);
    fs::create_dir(world.work().join("sub")).unwrap();
    let (ran, touches) = marker(&world);
    let commits = "git -C sub -c user.name=a -c user.email=a@b commit -q --allow-empty -m x";
    let attack = format!(
        "test -d sub/.git || {{ git init -q sub && {commits} && git -C sub config core.fsmonitor \"{touches}; false\"; }}"
    );
    let raced = raced(&world, &attack);
    assert!(!ran.exists(), "{raced:?}");
    assert!(told(&world).contains("`sub/.git` in it is not what git made"), "{}", told(&world));
}

/// A race of which lane 1 has made a commit of this tree, beside all that the last commit has.
fn made(world: &World, entry: &str) {
    let ran = raced(world, "echo new > new.txt");
    assert!(ran.out.contains("is the branch race/"), "{ran:?}");
    let own = git(world, &["for-each-ref", "--format=%(refname)", "refs/heads/race"]);
    let branch = own.lines().next().unwrap().strip_prefix("refs/heads/").unwrap().to_owned();
    let tree = piped(world, &["mktree"], &format!("{}\n{entry}\n", git(world, &["ls-tree", "HEAD"])));
    let commit = git(world, &["commit-tree", &tree, "-p", "HEAD", "-m", "by hand"]);
    for name in [format!("refs/heads/{branch}"), format!("refs/countersign/{branch}")] {
        git(world, &["update-ref", &name, &commit]);
    }
}

fn piped(world: &World, words: &[&str], input: &str) -> String {
    let mut child = Command::new("git")
        .args(words)
        .current_dir(world.work())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap().trim().to_owned()
}

#[test]
fn nothing_is_taken_to_where_git_keeps_its_own_files_or_out_of_the_folder() {
    for name in [".git", ".GIT", ".."] {
        let world = in_a_repository(World::new());
        let blob = piped(&world, &["hash-object", "-w", "--stdin"], "#!/bin/sh\nexit 1\n");
        let hooks = piped(&world, &["mktree"], &format!("100755 blob {blob}\tpost-commit\n"));
        let folder = piped(&world, &["mktree"], &format!("040000 tree {hooks}\thooks\n"));
        made(&world, &format!("040000 tree {folder}\t{name}"));
        let refused = world.race(&["adopt", "1"]);
        assert!(refused.code == 1 && refused.err.contains("is not a file of a work tree"), "{refused:?}");
        let reached = [".git/hooks/post-commit", ".GIT/hooks/post-commit", "../hooks/post-commit"];
        assert!(reached.iter().all(|file| !world.work().join(file).exists()), "{name}");
    }
}

#[test]
fn what_is_taken_is_named_on_a_line_of_its_own_and_first_what_nobody_starts_by_name() {
    let world = in_a_repository(World::new());
    let many = "for i in $(seq 60); do echo $i > \"a$i\"; done";
    let forged = "printf x > \"$(printf '0\\nforged.txt (new')\"";
    let ran = raced(&world, &format!("{many}; {forged}; mkdir -p .vscode; echo '{{}}' > .vscode/tasks.json"));
    let first = "lane 1 changes what other programs run or obey by themselves: .vscode/tasks.json";
    assert!(ran.out.contains(first), "{ran:?}");
    let adopted = world.race(&["adopt", "1"]);
    let mut lines = adopted.out.lines();
    assert_eq!(lines.next(), Some("took 62 files:"), "{adopted:?}");
    assert_eq!(
        lines.next(),
        Some(".vscode/tasks.json (new; other programs obey it by themselves)"),
        "{adopted:?}"
    );
    assert_eq!(lines.next(), Some("0\\nforged.txt (new (new)"), "{adopted:?}");
}

#[test]
fn a_file_that_is_a_second_name_of_another_one_is_taken_and_the_other_is_left() {
    let world = in_a_repository(World::new());
    let ran = raced(&world, "echo changed > one.txt");
    assert!(ran.out.contains("is the branch race/"), "{ran:?}");
    let other = world.place().join("other.txt");
    fs::hard_link(world.work().join("one.txt"), &other).unwrap();
    let before = fs::read_to_string(&other).unwrap();
    let adopted = world.race(&["adopt", "1"]);
    assert_eq!(adopted.code, 0, "{adopted:?}");
    assert_eq!((world.file("one.txt").as_str(), fs::read_to_string(&other).unwrap()), ("changed\n", before));
}

#[test]
fn a_new_program_is_adopted_once() {
    let world = in_a_repository(World::new());
    raced(&world, "printf x > run && chmod 755 run two.txt");
    assert_eq!(world.race(&["adopt", "1"]).code, 0);
    let again = world.race(&["adopt", "1"]);
    assert!(again.code == 1 && again.err.contains("nothing was changed: this folder has all"), "{again:?}");
}

#[test]
fn a_signal_settles_the_lanes_before_the_table_is_printed() {
    let ended = "because the session that it worked for ended";
    for (signal, said, by) in
        [(Signal::INT, "stopped by you", "by the user"), (Signal::TERM, "stopped by a signal", ended)]
    {
        stopped_by(signal, said, by);
    }
}

fn stopped_by(signal: Signal, said: &str, by: &str) {
    let world = in_a_repository(World::new());
    let (waits, mut beacon) = world.beacon();
    let write = json!({ "name": "write", "arguments": { "path": "one.txt", "content": "1st line\n" } });
    let wait = json!({ "name": "shell", "arguments": { "command": waits } });
    let both = json!({ "tool_calls": [write, wait] });
    let replies = script(json!([both, both, both]));
    let words = ["--lanes", "3", "-c", "agents.max_parallel=2", "--mode", "unrestricted"];
    let race = world
        .program()
        .arg("race")
        .args(words)
        .args(["--script", &replies, "Do it with care"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    beacon.lit();
    beacon.lit();
    kill_process(Pid::from_child(&race), signal).unwrap();
    let output = race.wait_with_output().unwrap();
    let ran = Ran::of(output.status, output.stdout, output.stderr);
    assert_eq!(ran.code, 130, "{ran:?}");
    assert!(ran.err.contains(said) && !ran.out.contains("is gone"), "{ran:?}");
    assert_eq!(ran.err.matches(&format!("stopped before its end, {by}.")).count(), 2, "{ran:?}");
    assert_eq!(ran.err.matches("effects may be partial; check before repeating").count(), 2, "{ran:?}");
    assert_eq!(ran.out.matches("interrupted").count(), 2, "{ran:?}");
    assert!(ran.out.contains("lane 3 (not started)") && ran.out.contains("lane 1 is the branch"), "{ran:?}");
    let shown = world.race(&["show", "--json"]).out;
    let lanes: Vec<Value> = shown.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lanes.iter().all(|lane| lane["is_over"] == true && lane["is_cut_off"] == false), "{shown}");
    assert_eq!(git(&world, &["worktree", "list"]).lines().count(), 1, "none is left");
    beacon.gone();
}
