//! `git.trailers`: commits name the call that made them, with the digest of its receipt.

use std::process::Command;

use serde_json::json;

use crate::world::{World, of_type, text};

/// A line that makes a repository and two commits: one of `git commit`, one that a rebase would make.
const LINE: &str = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m 'One line.' && \
    git -c user.name=a -c user.email=a@b commit-tree -m plumbing HEAD^{tree}";

fn committed(extra: &[&str]) -> Option<(World, String)> {
    Command::new("git").arg("--version").output().ok()?;
    let world = World::new();
    let call = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": LINE } }] });
    let script = json!([call, "Done."]).to_string();
    let mut words = vec!["--mode", "unrestricted", "--script", &script];
    words.extend(extra);
    words.push("commit it");
    world.json(&words);
    let log = Command::new("git")
        .args(["log", "--format=%B"])
        .current_dir(world.work())
        .env_remove("GIT_DIR")
        .output()
        .unwrap();
    Some((world, String::from_utf8(log.stdout).unwrap()))
}

#[test]
fn a_commit_names_its_call_and_the_digest_of_its_receipt() {
    let Some((world, message)) = committed(&["-c", "git.trailers=true"]) else { return };
    let entries = world.entries();
    let session = text(&entries[0], "session");
    let allowed = &of_type(&entries, "approval")[0];
    let (entry, digest) = (text(allowed, "entry"), text(allowed, "digest"));
    assert_eq!(message.trim(), format!("One line.\n\nCountersigned-by: {session}/{entry} sha256:{digest}"));
}

#[test]
fn without_the_key_nothing_is_added() {
    let Some((_, message)) = committed(&[]) else { return };
    assert_eq!(message.trim(), "One line.");
}

/// Merges, also one with a conflict, a revert and a cherry-pick, also two that go on after a conflict, and a pull.
const OTHERS: &str = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b && \
    git init -q -b trunk made && cd made && echo 1 > a && git add a && git commit -q -m Begin && \
    git checkout -q -b side && echo 2 > b && git add b && git commit -q -m Side && \
    git checkout -q trunk && echo 3 > c && git add c && git commit -q -m Trunk && \
    git merge -q --no-edit side && git revert --no-edit HEAD~1 >/dev/null && \
    git checkout -q -b pick HEAD~1 && git cherry-pick trunk >/dev/null && \
    git checkout -q -b clash HEAD~1 && echo 4 > a && git commit -q -a -m Four && \
    git checkout -q -b more && echo e > e && git add e && git commit -q -m Extra && \
    git checkout -q pick && echo 5 > a && git commit -q -a -m Five && \
    ! git merge -q clash >/dev/null && echo 6 > a && git add a && GIT_EDITOR=true git merge --continue >/dev/null && \
    ! git revert HEAD~1 >/dev/null 2>&1 && echo 7 > a && git add a && git revert --continue >/dev/null && \
    ! git cherry-pick clash more >/dev/null 2>&1 && echo 8 > a && git add a && git cherry-pick --no-edit --continue >/dev/null && \
    git clone -q . ../copy && (cd ../copy && git reset -q --hard HEAD~1 && echo 9 > d && git add d && git commit -q -m Nine && \
    git pull -q --no-rebase && git -C ../made fetch -q ../copy HEAD:pulled)";

#[test]
fn merges_reverts_and_picks_name_their_call_too() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let world = World::new();
    let call = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": OTHERS } }] });
    let script = json!([call, "Done."]).to_string();
    let ran = world.json(&["--mode", "unrestricted", "-c", "git.trailers=true", "--script", &script, "go"]);
    assert_eq!(ran.outcomes(), ["ok"], "{}", ran.out);
    let log = |format: &str| {
        let words = ["log", "--all", format];
        let said = Command::new("git")
            .args(words)
            .current_dir(world.work().join("made"))
            .env_remove("GIT_DIR")
            .output()
            .unwrap();
        String::from_utf8(said.stdout).unwrap()
    };
    let subjects = log("--format=%s");
    for subject in [
        "Merge branch 'side'",
        "Revert \"Trunk\"",
        "Merge branch 'clash' into pick",
        "Revert \"Five\"",
        "Four",
        "Merge branch 'pick' of",
    ] {
        assert!(subjects.contains(subject), "{subjects}");
    }
    let trailers = log("--format=%(trailers:key=Countersigned-by,valueonly)|");
    let named: Vec<&str> = trailers.split('|').map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(subjects.lines().filter(|line| *line == "Four" || *line == "Extra").count(), 4, "{subjects}");
    assert_eq!(named.len(), subjects.lines().count(), "one each: {subjects}{trailers}");
    assert!(
        named.iter().all(|name| *name == named[0] && name.contains("/e") && name.contains(" sha256:")),
        "{trailers}"
    );
    assert!(!log("--format=%B").contains('#'), "nothing of what git tells an editor is left");
}

/// Commits of a script, of another program, and by two aliases, one of which says more than a commit.
const THROUGH: &str = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b && \
    git init -q . && git config alias.ci commit && git config alias.empty 'ci --allow-empty -q -m' && \
    printf 'git commit -q --allow-empty -m Script\\n' > release.sh && sh ./release.sh && \
    echo Other | xargs -I '{}' git commit -q --allow-empty -m '{}' && \
    git ci -q --allow-empty -m Short && git -C . empty Long";

#[test]
fn scripts_programs_and_aliases_name_their_call_too() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    for mode in ["unrestricted", "auto"] {
        let world = World::new().configured("git.trailers = true\n");
        let call = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": THROUGH } }] });
        let script = json!([call, "Done."]).to_string();
        let ran = world.json(&["--mode", mode, "--script", &script, "go"]);
        if mode == "auto" && ran.outcomes() == ["denied"] {
            continue; // No sandbox here.
        }
        assert_eq!(ran.outcomes(), ["ok"], "{}", ran.out);
        let log = Command::new("git")
            .args(["log", "--format=%s %(trailers:key=Countersigned-by,valueonly,separator=%x2C)"])
            .current_dir(world.work())
            .env_remove("GIT_DIR")
            .output()
            .unwrap();
        let log = String::from_utf8(log.stdout).unwrap();
        let subjects: Vec<&str> = log.lines().map(|line| line.split_once(' ').unwrap().0).collect();
        assert_eq!(subjects, ["Long", "Short", "Other", "Script"], "{log}");
        assert!(log.lines().all(|line| line.matches("/e").count() == 1), "{log}");
    }
}

/// Conflicts of a merge, and what is done about each: a look, a commit that a hook refuses, one that takes the message that git left, one with a
/// message of its own, and one with a message that somebody has written into the file.
const CONFLICTS: &str = r"export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
    git init -q -b trunk made && cd made && echo 1 > a && git add a && git commit -q -m Begin
    git checkout -q -b side && echo 2 > a && git commit -q -a -m Side
    conflict() { git checkout -q -f trunk && git checkout -q -b $1 && echo 9 > a && git commit -q -a -m Nine && ! git merge -q side >/dev/null 2>&1 &&
        echo 8 > a && git add a && cp .git/MERGE_MSG left-$1; }
    conflict one && git commit --dry-run >/dev/null; cmp .git/MERGE_MSG left-one && echo dry-same
    printf '#!/bin/sh\nexit 1\n' > .git/hooks/pre-commit && chmod +x .git/hooks/pre-commit
    git commit --no-edit >/dev/null; cmp .git/MERGE_MSG left-one && echo refused-same
    rm .git/hooks/pre-commit && git commit -q --no-edit
    conflict two && git commit -q -am 'Mine.'
    conflict three && printf 'Words\n# ------------------------ >8 ------------------------\n# mine\nmine, too\n' > .git/MERGE_MSG && git commit -q --no-edit";

#[test]
fn of_a_message_that_a_conflict_left_only_what_git_wrote_is_taken_and_only_for_a_commit() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let world = World::new();
    let call = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": CONFLICTS } }] });
    let script = json!([call, "Done."]).to_string();
    let ran = world.json(&["--mode", "unrestricted", "-c", "git.trailers=true", "--script", &script, "go"]);
    assert!(ran.out.contains("dry-same") && ran.out.contains("refused-same"), "{}", ran.out);
    let message = |branch: &str| {
        let words = ["log", "-1", "--format=%B", branch, "--"];
        let made = world.work().join("made");
        let said = Command::new("git").args(words).current_dir(made).env_remove("GIT_DIR").output();
        String::from_utf8(said.unwrap().stdout).unwrap()
    };
    for branch in ["one", "two", "three"] {
        assert_eq!(message(branch).matches("Countersigned-by: ").count(), 1, "{}", message(branch));
    }
    let one = message("one");
    assert!(one.starts_with("Merge branch 'side' into one") && !one.contains(">8"), "{one}");
    assert!(message("two").starts_with("Mine.\n"), "{}", message("two"));
    assert!(message("three").contains("\n# mine\nmine, too\n"), "{}", message("three"));
}

/// What stands first on the path of commands is nowhere where a command in the sandbox could put a program.
#[test]
fn where_commands_may_write_the_program_before_git_is_not_kept_and_it_is_said() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let line = "git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m One && echo \"path=$PATH\"";
    let call = json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": line } }] });
    let script = json!([call, "Done."]).to_string();
    for (is_open, setting) in
        [(true, "tools.sandbox.writable=['~/.cache']"), (false, "tools.sandbox.writable=['~/.else']")]
    {
        let world = World::new();
        let words =
            ["--mode", "unrestricted", "-c", "git.trailers=true", "-c", setting, "--script", &script, "go"];
        let ran = world.json(&words);
        assert_eq!(ran.outcomes(), ["ok"], "{}", ran.out);
        assert_eq!(
            ran.err.contains("Commits do not name their calls (git.trailers)"),
            is_open,
            "{}",
            ran.err
        );
        assert_eq!(ran.out.contains("countersign/git:"), !is_open, "{}", ran.out);
    }
}

/// A file that comes to stand beside the program costs the trailer, and no command.
#[test]
fn a_command_does_not_fail_for_want_of_a_trailer() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let beside = "echo x > \"$(dirname \"$(command -v git)\")/mytool\"";
    let call = |line: &str| json!({ "tool_calls": [{ "name": "shell", "arguments": { "command": line } }] });
    let script = json!([call(beside), call(LINE), call("echo later"), "Done."]).to_string();
    let world = World::new();
    let ran = world.json(&["--mode", "unrestricted", "-c", "git.trailers=true", "--script", &script, "go"]);
    assert_eq!(ran.outcomes(), ["ok", "ok", "ok"], "{}", ran.out);
    let entries = world.entries();
    let told = |entry: &serde_json::Value| text(entry, "content").contains("do not name their calls");
    let told: Vec<bool> = of_type(&entries, "tool_result").iter().map(told).collect();
    assert_eq!(told, [false, true, false], "said once");
}
