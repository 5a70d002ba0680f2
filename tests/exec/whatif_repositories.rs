//! `whatif` in a git repository: the branch has one of its own, with the history of the other, which stays as it is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::world::{Ran, World, all_files};

const WRITES: &str =
    r#"[{"tool_calls":[{"name":"write","arguments":{"path":"made.txt","content":"one\n"}}]}, "Written."]"#;

/// Git, with nothing of the settings of the machine.
fn git(folder: &Path, words: &[&str]) -> Option<String> {
    let ran = Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .ok()?;
    assert!(ran.status.success(), "git {words:?}: {}", String::from_utf8_lossy(&ran.stderr));
    Some(String::from_utf8(ran.stdout).unwrap())
}

/// A repository whose settings run something at each step that git takes: whoever runs it leaves a mark.
fn repository(folder: &Path, mark: &Path) -> Option<()> {
    let marks = format!("sh -c 'touch {}; cat'", mark.display());
    git(folder, &["init", "-q", "-b", "trunk"])?;
    std::fs::write(folder.join("kept.txt"), "kept\n").unwrap();
    std::fs::write(folder.join("staged.txt"), "before\n").unwrap();
    std::fs::write(folder.join(".gitattributes"), "*.txt filter=marks\n").unwrap();
    git(folder, &["add", "-A"])?;
    git(folder, &["commit", "-q", "-m", "The beginning."])?;
    git(folder, &["branch", "other"])?;
    std::fs::write(folder.join("staged.txt"), "staged\n").unwrap();
    git(folder, &["add", "staged.txt"])?;
    for (name, value) in [
        ("filter.marks.smudge", marks.as_str()),
        ("filter.marks.clean", marks.as_str()),
        ("core.fsmonitor", marks.as_str()),
        ("remote.origin.url", "ext::sh -c exit"),
    ] {
        git(folder, &["config", name, value])?;
    }
    for hook in ["post-checkout", "reference-transaction", "post-index-change"] {
        let place = folder.join(".git/hooks").join(hook);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(&place, format!("#!/bin/sh\ntouch {}\n", mark.display())).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(place, mode).unwrap();
    }
    Some(())
}

fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    all_files(folder).into_iter().map(|file| (file.clone(), std::fs::read(file).unwrap())).collect()
}

fn branch(world: &World, folder: &Path, within: &Path) -> (Ran, PathBuf) {
    let mut run = world.program();
    run.args(["exec", "--mode", "edit", "--script", WRITES, "write it"]).current_dir(folder);
    assert!(run.output().unwrap().status.success());
    let call = world.entries().into_iter().find(|entry| entry["type"] == "tool_call").unwrap();
    let mut run = world.program();
    let words =
        ["whatif", "--last", call["entry"].as_str().unwrap(), "--deny", "no", "--script", r#"["Not."]"#];
    let ran = run.args(words).current_dir(folder).output().unwrap();
    let copies = std::fs::read_dir(within).unwrap().map(|entry| entry.unwrap().path());
    let copy =
        copies.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("countersign-copy-"));
    let ran = Ran::of(ran.status, ran.stdout, ran.stderr);
    let [copy]: [PathBuf; 1] =
        copy.collect::<Vec<_>>().try_into().unwrap_or_else(|all| panic!("{all:?} {ran:?}"));
    (ran, copy)
}

#[test]
fn a_branch_has_the_history_and_changes_nothing_in_the_repository() {
    let world = World::new();
    let (folder, mark) = (world.work(), world.place().join("mark"));
    let Some(()) = repository(&folder, &mark) else { return };
    let before = contents(&folder.join(".git"));
    let (ran, copy) = branch(&world, &folder, &world.place());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!mark.exists(), "nothing that the repository names was run");
    assert_eq!(contents(&folder.join(".git")), before);
    let own = |words: &[&str]| git(&copy, words).unwrap();
    assert_eq!(own(&["log", "--format=%s", "HEAD"]), "The beginning.\n");
    for words in [["branch", "--format=%(refname:short)"].as_slice(), &["symbolic-ref", "HEAD"]] {
        assert_eq!(Some(own(words)), git(&folder, words), "{words:?}");
    }
    assert!(own(&["branch"]).contains("other"));
    assert_eq!(own(&["diff", "--cached", "--name-only"]), "staged.txt\n", "what was staged is staged");
    assert_eq!(own(&["diff", "--name-only"]), "", "and nothing else is changed");
    assert!(!own(&["status", "--porcelain"]).contains("made.txt") && folder.join("made.txt").exists());
    assert_eq!(own(&["remote"]), "");
    own(&["commit", "-q", "-m", "In the branch."]);
    assert_eq!(own(&["log", "--format=%s"]), "In the branch.\nThe beginning.\n");
    assert_eq!(contents(&folder.join(".git")), before, "commits of the branch stay there");
    assert!(!mark.exists());
}

#[test]
fn a_folder_in_a_repository_is_copied_out_of_it() {
    let world = World::new();
    let (top, mark) = (world.work(), world.place().join("mark"));
    let Some(()) = repository(&top, &mark) else { return };
    let folder = top.join("below");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("a.txt"), "a\n").unwrap();
    let (ran, copy) = branch(&world, &folder, &world.place());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(copy.join("a.txt").exists() && !copy.join("kept.txt").exists());
    // Git does not take the repository of the folder, nor any above.
    let top = git(&copy, &["rev-parse", "--show-toplevel"]).unwrap();
    assert_eq!(Path::new(top.trim()).canonicalize().unwrap(), copy.canonicalize().unwrap());
    assert_eq!(git(&copy, &["status", "--porcelain"]).unwrap(), "?? a.txt\n");
    assert!(!mark.exists());
}

#[test]
fn a_repository_without_a_commit_and_one_at_a_commit_have_branches_too() {
    for is_detached in [false, true] {
        let world = World::new();
        let folder = world.work();
        let Some(_) = git(&folder, &["init", "-q", "-b", "trunk"]) else { return };
        if is_detached {
            git(&folder, &["add", "-A"]);
            git(&folder, &["commit", "-q", "-m", "One."]);
            git(&folder, &["checkout", "-q", "--detach"]);
        }
        let (ran, copy) = branch(&world, &folder, &world.place());
        assert_eq!(ran.code, 0, "{ran:?}");
        let head = |folder: &Path| {
            let status = git(folder, &["status", "--branch", "--porcelain"]).unwrap();
            status.lines().next().unwrap().to_owned()
        };
        assert_eq!(head(&copy), head(&folder));
        assert_eq!(head(&copy).contains("no branch"), is_detached);
    }
}

#[test]
fn another_model_at_a_decision_needs_the_decision_too() {
    let world = World::new();
    let ran = world.exec(&["--mode", "edit", "--script", WRITES, "write it"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let call: Value = world.entries().into_iter().find(|entry| entry["type"] == "tool_call").unwrap();
    let at = call["entry"].as_str().unwrap();
    let whatif = |words: &[&str]| {
        let ran = world.program().args(["whatif", "--last", at]).args(words).output().unwrap();
        Ran::of(ran.status, ran.stdout, ran.stderr)
    };
    let refused = whatif(&["--script", r#"["Not."]"#]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.err.contains("before another model can answer; next: also say what you decide: --allow"),
        "{refused:?}"
    );
    let allowed = whatif(&["--allow", "--script", r#"["From another model."]"#]);
    assert!(allowed.code == 0 && allowed.out.contains("+allowed c1 by user, once"), "{allowed:?}");
}

#[test]
fn a_branch_has_the_files_of_repositories_in_the_folder_and_says_that_their_history_is_left() {
    let world = World::new();
    let folder = world.place().join("outer");
    for (inner, name) in [("", "top.txt"), ("linked", "a.txt"), ("plain/deep", "b.txt")] {
        let place = folder.join(inner);
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join(name), "text\n").unwrap();
        if git(&place, &["init", "-q"]).is_none() {
            return;
        }
        git(&place, &["add", name]).unwrap();
        git(&place, &["commit", "-q", "-m", "One."]).unwrap();
    }
    std::fs::write(folder.join("linked/new.txt"), "untracked\n").unwrap();
    // As a submodule is: git knows the commit alone.
    git(&folder, &["add", "linked"]).unwrap();
    let (ran, copy) = branch(&world, &folder, &world.place());
    for (name, text) in [
        ("top.txt", "text\n"),
        ("linked/a.txt", "text\n"),
        ("linked/new.txt", "untracked\n"),
        ("plain/deep/b.txt", "text\n"),
    ] {
        assert_eq!(std::fs::read_to_string(copy.join(name)).unwrap(), text, "{name}: {ran:?}");
    }
    for inner in ["linked", "plain/deep"] {
        let said =
            format!("{inner} is a repository of its own: its files are in the copy, its history is not");
        assert!(ran.err.contains(&said), "{ran:?}");
    }
}

#[test]
fn rules_of_the_project_hold_in_a_branch_also_where_git_ignores_them() {
    let world = World::new();
    let (folder, mark) = (world.work(), world.place().join("mark"));
    let Some(()) = repository(&folder, &mark) else { return };
    std::fs::create_dir_all(folder.join(".countersign")).unwrap();
    std::fs::write(folder.join(".countersign/config.toml"), "deny = ['read(kept.txt)']\n").unwrap();
    std::fs::write(folder.join(".gitignore"), ".countersign\n").unwrap();
    let (ran, copy) = branch(&world, &folder, &world.place());
    assert!(copy.join(".countersign/config.toml").exists(), "{ran:?}");
    let reads = r#"[{"tool_calls":[{"name":"read","arguments":{"path":"kept.txt"}}]}, "Read."]"#;
    let mut run = world.program();
    run.args(["exec", "--json", "--mode", "unrestricted", "--script", reads, "go"]).current_dir(&copy);
    let said = String::from_utf8(run.output().unwrap().stdout).unwrap();
    assert!(said.contains("rule read(kept.txt) denies it"), "{said}");
}
