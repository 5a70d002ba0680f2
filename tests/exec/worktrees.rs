//! A sub-agent in a worktree of its own is no looser than the session that starts it: not in the copy, and not in the session's folder.
#![cfg(target_os = "linux")]

use std::fs;

use serde_json::{Value, json};

use crate::confined::is_there;
use crate::races::{git, in_a_repository};
use crate::world::{Ran, World, of_type, parse, script, text};

/// A repository with a file that git knows and one that it does not know, and an agent that works in a worktree.
fn repository() -> World {
    let world = World::new();
    fs::create_dir(world.work().join("secret")).unwrap();
    fs::write(world.work().join("secret/key.txt"), "VERYSECRET committed\n").unwrap();
    fs::write(world.work().join(".gitignore"), ".env\ndeny.sh\n").unwrap();
    let world = in_a_repository(world);
    fs::write(world.work().join(".env"), "VERYSECRET=ignored\n").unwrap();
    with_an_agent_aside(world)
}

fn with_an_agent_aside(world: World) -> World {
    let folder = world.place().join("config/countersign/agents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("aside.md"), "---\ndescription: Works aside\nisolation: worktree\n---\nDo it.\n")
        .unwrap();
    world
}

/// Has the sub-agent make these calls, and returns what its own ledger says.
fn aside(world: &World, words: &[&str], calls: &[(&str, Value)]) -> (Ran, Vec<Value>) {
    let task = json!({ "name": "delegate_to_aside", "arguments": { "task": "Do it." } });
    let calls: Vec<Value> =
        calls.iter().map(|(name, arguments)| json!({ "name": name, "arguments": arguments })).collect();
    let replies = script(json!([{ "tool_calls": [task] }, { "tool_calls": calls }, "It is done.", "Done."]));
    let ran = world.json(&[&["--script", &replies], words, &["go"]].concat());
    let is_below = |path: &std::path::PathBuf| path.file_stem().unwrap().len() > 36;
    let below = world.sessions().into_iter().find(is_below).unwrap();
    (ran, parse(&fs::read_to_string(below).unwrap()))
}

fn outcomes(entries: &[Value]) -> Vec<String> {
    of_type(entries, "tool_result").iter().map(|result| text(result, "outcome")).collect()
}

#[test]
fn rules_about_files_hold_for_the_folder_of_the_session_and_for_its_copy() {
    let work = |world: &World| world.work().canonicalize().unwrap().display().to_string();
    let place = work(&repository());
    let name = place.rsplit('/').next().unwrap().to_owned();
    for absolute in [false, true] {
        let world = repository();
        let here = work(&world);
        let rule = if absolute { format!("read({here}/secret/*)") } else { "read(secret/*)".to_owned() };
        let calls = [
            ("read", json!({ "path": "secret/key.txt" })),
            ("read", json!({ "path": format!("{here}/secret/key.txt") })),
            ("read", json!({ "path": format!("../{name}/secret/key.txt") })),
            ("shell", json!({ "command": format!("cat {here}/secret/key.txt") })),
            ("shell", json!({ "command": "cat secret/key.txt" })),
            ("shell", json!({ "command": format!("cd {here}/secret && cat key.txt") })),
            ("read", json!({ "path": "one.txt" })),
        ];
        let (ran, below) = aside(&world, &["--mode", "unrestricted", "--deny", &rule], &calls);
        let denied = ["denied"; 6];
        assert_eq!(outcomes(&below), [&denied[..], &["ok"]].concat(), "{rule}: {below:?} {}", ran.err);
        assert!(!format!("{below:?}").contains("VERYSECRET"), "{rule}: {below:?}");
    }
}

#[test]
fn secrets_of_the_session_s_folder_are_hidden_from_commands_in_the_sandbox() {
    if !is_there() {
        return;
    }
    let world = repository();
    fs::write(world.work().join("plain.txt"), "not committed, no secret\n").unwrap();
    let here = world.work().canonicalize().unwrap().display().to_string();
    let calls = [
        ("shell", json!({ "command": format!("cat {here}/.env") })),
        ("shell", json!({ "command": format!("cp {here}/.env copied; cat copied") })),
        ("read", json!({ "path": format!("{here}/.env") })),
        ("write", json!({ "path": format!("{here}/new.txt"), "content": "x" })),
        ("shell", json!({ "command": format!("touch {here}/new.txt") })),
        ("shell", json!({ "command": format!("cat {here}/plain.txt; git status --short") })),
    ];
    let (ran, below) = aside(&world, &["--mode", "auto"], &calls);
    assert_eq!(
        outcomes(&below),
        ["failed", "failed", "denied", "denied", "failed", "ok"],
        "{below:?} {}",
        ran.err
    );
    let results = of_type(&below, "tool_result");
    assert!(!format!("{results:?}").contains("VERYSECRET"), "{results:?}");
    assert!(text(&results[5], "content").contains("no secret"), "the rest can be read: {results:?}");
    assert!(!world.work().join("new.txt").exists());
}

#[test]
fn a_hook_that_is_named_from_the_session_s_folder_runs_in_a_worktree_too() {
    for command in ["./deny.sh", "sh deny.sh", "cd checks && ./deny.sh", "cd checks; sh deny.sh"] {
        let world = repository()
            .configured(&format!("[[hooks.pre_tool]]\nmatcher = 'read'\ncommand = '{command}'\n"));
        // Git does not know it, so the worktree does not have it.
        let folder = world.work().join(if command.starts_with("cd") { "checks" } else { "" });
        fs::create_dir_all(&folder).unwrap();
        let hook = folder.join("deny.sh");
        fs::write(&hook, "#!/bin/sh\necho not today >&2\nexit 2\n").unwrap();
        fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let (ran, below) = aside(&world, &["--mode", "edit"], &[("read", json!({ "path": "one.txt" }))]);
        let results = of_type(&below, "tool_result");
        assert_eq!(outcomes(&below), ["denied"], "{command}: {results:?} {}", ran.err);
        assert!(text(&results[0], "content").contains("not today"), "{command}: {results:?}");
    }
}

#[test]
fn what_decides_about_a_sub_agent_is_not_in_its_worktree() {
    for command in ["timeout 9 ./gate.sh", "test -x ./gate.sh && ./gate.sh", "x=gate.sh; sh \"./$x\""] {
        let world = World::new();
        let gate = world.work().join("gate.sh");
        fs::write(&gate, "#!/bin/sh\necho not today >&2\nexit 2\n").unwrap();
        fs::set_permissions(&gate, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let world = with_an_agent_aside(in_a_repository(world));
        let world =
            world.configured(&format!("[[hooks.pre_tool]]\nmatcher = 'list'\ncommand = '{command}'\n"));
        let list = || ("list", json!({ "path": "." }));
        let opened = ("write", json!({ "path": "gate.sh", "content": "#!/bin/sh\nexit 0\n" }));
        let (ran, below) = aside(&world, &["--mode", "edit"], &[list(), opened, list()]);
        assert_eq!(outcomes(&below), ["denied", "ok", "denied"], "{command}: {} {below:?}", ran.err);
    }
}

#[test]
fn no_file_of_the_workspace_runs_in_place_of_a_word_of_a_hook() {
    let command = "cat | grep -q FORBIDDEN && exit 2; nice test -d /nonexistent; exit 0";
    for point in ["pre_tool", "post_tool"] {
        let world = World::new();
        let ran_here = world.place().join("ran-here");
        for name in ["grep", "exit", "test"] {
            let file = world.work().join(name);
            fs::write(&file, format!("#!/bin/sh\ntouch {}\nexit 1\n", ran_here.display())).unwrap();
            fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        let world = with_an_agent_aside(in_a_repository(world));
        let world =
            world.configured(&format!("[[hooks.{point}]]\nmatcher = 'write'\ncommand = '{command}'\n"));
        let written = |path: &str, words: &str| ("write", json!({ "path": path, "content": words }));
        let calls = [written("one-more.txt", "FORBIDDEN"), written("another.txt", "fine")];
        let (ran, below) = aside(&world, &["--mode", "edit"], &calls);
        assert!(!ran_here.exists(), "{point}: {} {below:?}", ran.err);
        let first = if point == "pre_tool" { "denied" } else { "ok" };
        assert_eq!(outcomes(&below), [first, "ok"], "{point}: {} {below:?}", ran.err);
    }
}

#[test]
fn no_hook_runs_what_a_sub_agent_wrote_in_its_worktree() {
    for command in [
        "sh -o nounset check.sh",
        "env sh -u -- check.sh",
        "timeout 9 sh check.sh",
        "test -f check.sh && sh check.sh",
        "timeout 9 ./check.sh",
        "x=check.sh; sh \"./$x\"",
    ] {
        for point in ["post_tool", "stop"] {
            let world = World::new();
            let [ours, theirs] = ["ours", "theirs"].map(|name| world.place().join(name));
            let script = |ran: &std::path::Path| format!("#!/bin/sh\ntouch {}\n", ran.display());
            let check = world.work().join("check.sh");
            fs::write(&check, script(&ours)).unwrap();
            fs::set_permissions(&check, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
            let world = with_an_agent_aside(in_a_repository(world));
            let world = world.configured(&format!("[[hooks.{point}]]\ncommand = '''{command}'''\n"));
            let written = ("write", json!({ "path": "check.sh", "content": script(&theirs) }));
            let other = ("write", json!({ "path": "other.txt", "content": "x" }));
            let (ran, below) = aside(&world, &["--mode", "edit"], &[written, other]);
            assert_eq!(outcomes(&below), ["ok", "ok"], "{point} {command}: {} {below:?}", ran.err);
            assert!(ours.exists() && !theirs.exists(), "{point} {command}: {}", ran.err);
        }
    }
}

#[test]
fn a_formatter_works_on_the_file_in_the_worktree() {
    let world = repository();
    fs::write(world.work().join("made.txt"), "mine\n").unwrap();
    let told = world.place().join("told");
    let command = format!(
        "f=$(sed 's/.*\"path\":\"//; s/\".*//'); echo formatted >\"$f\"; echo \"$COUNTERSIGN_CWD\" >{}",
        told.display()
    );
    let world =
        world.configured(&format!("[[hooks.post_tool]]\nmatcher = 'write'\ncommand = '''\n{command}\n'''\n"));
    let calls = [("write", json!({ "path": "made.txt", "content": "unformatted\n" }))];
    let (ran, below) = aside(&world, &["--mode", "edit"], &calls);
    assert_eq!(outcomes(&below), ["ok"], "{} {below:?}", ran.err);
    let folder = text(&of_type(&below, "session_started")[0], "cwd");
    assert_eq!(fs::read_to_string(told).unwrap().trim(), folder);
    assert_eq!(fs::read_to_string(format!("{folder}/made.txt")).unwrap(), "formatted\n", "{}", ran.err);
    assert_eq!(world.file("made.txt"), "mine\n");
}

#[test]
fn an_agent_of_the_configuration_works_in_a_worktree_and_in_the_background_as_one_of_a_file_does() {
    let world = in_a_repository(World::new()).configured(
        "[agents.aside]\ndescription = 'Works aside'\ninstructions = 'Do it.'\nisolation = 'worktree'\nbackground = true\n",
    );
    let call = ("write", json!({ "path": "new.txt", "content": "x" }));
    let (ran, below) = aside(&world, &["--mode", "unrestricted"], &[call]);
    assert_eq!(outcomes(&below), ["ok"]);
    assert!(!world.work().join("new.txt").exists());
    assert!(text(&ran.one("tool_result"), "content").contains("worktree"), "{ran:?}");
}

#[test]
fn a_worktree_that_stays_is_named_with_a_command_that_removes_it() {
    let world = repository();
    let calls = [("write", json!({ "path": "made.txt", "content": "kept\n" }))];
    let (_, below) = aside(&world, &["--mode", "unrestricted"], &calls);
    let own = text(&of_type(&below, "session_started")[0], "session");
    let above = own.strip_suffix("-c1").unwrap().to_owned();
    let listed = git(&world, &["worktree", "list", "--porcelain"]);
    let top = listed.lines().filter_map(|line| line.strip_prefix("worktree ")).next_back().unwrap();
    assert!(top.ends_with(&own), "{listed}");
    let stays = format!("a sub-agent's git worktree stays: {top}; `");
    for session in [own, above] {
        let removed = world.sessions_cli(&["remove", &session]);
        assert!(removed.code == 0 && removed.err.contains(&stays), "{session}: {removed:?}");
        let command = removed.err.split('`').nth(1).unwrap().to_owned();
        if session.ends_with("-c1") {
            continue;
        }
        let ran = std::process::Command::new("sh").args(["-c", &command]).current_dir("/").output().unwrap();
        assert!(ran.status.success(), "{command}: {ran:?}");
    }
    assert!(!std::path::Path::new(top).exists());
}
