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
    let digest = text(&of_type(&entries, "approval")[0], "digest");
    assert_eq!(message.trim(), format!("One line.\n\nCountersigned-by: {session}/c1 sha256:{digest}"));
}

#[test]
fn without_the_key_nothing_is_added() {
    let Some((_, message)) = committed(&[]) else { return };
    assert_eq!(message.trim(), "One line.");
}
