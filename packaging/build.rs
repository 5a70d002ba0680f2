//! Names the commit in `--version`. Reads git's own files and starts no program; without them, as in an archive, the version stays
//! alone. A debug build names none, so that a commit rebuilds nothing.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a build script reads its surroundings and tells cargo on stdout"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A packager names it by this variable where there is no repository.
const COMMIT: &str = "COUNTERSIGN_COMMIT";
/// As many letters of a commit are shown.
const LETTERS: usize = 12;

fn main() {
    println!("cargo:rerun-if-changed=packaging/build.rs");
    println!("cargo:rerun-if-env-changed={COMMIT}");
    let version = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let named = env::var(COMMIT).ok().filter(|commit| is_commit(commit));
    let commit = named.or_else(|| is_release.then(of_repository).flatten());
    let shown = commit.map_or_else(|| version.clone(), |commit| format!("{version} ({commit:.LETTERS$})"));
    println!("cargo:rustc-env=COUNTERSIGN_VERSION={shown}");
}

/// The commit of the repository whose top this folder is, and of no other.
fn of_repository() -> Option<String> {
    let top = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR")?);
    let git = top.join(".git");
    let folder = if git.is_dir() {
        git
    } else {
        // A work tree beside the first one: a file that says where.
        top.join(fs::read_to_string(&git).ok()?.strip_prefix("gitdir:")?.trim())
    };
    let head = read(&folder.join("HEAD"))?;
    let Some(name) = head.strip_prefix("ref:").map(str::trim) else {
        return Some(head).filter(|head| is_commit(head));
    };
    let common = read(&folder.join("commondir")).map_or_else(|| folder.clone(), |path| folder.join(path));
    let loose = read(&common.join(name));
    let packed = || {
        let all = read(&common.join("packed-refs"))?;
        all.lines().find_map(|line| line.strip_suffix(name)?.strip_suffix(' ').map(str::to_owned))
    };
    loose.or_else(packed).filter(|commit| is_commit(commit))
}

/// The text of a file, without blanks around it; a change of it asks for another build.
fn read(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    println!("cargo:rerun-if-changed={}", file.display());
    Some(text.trim().to_owned())
}

fn is_commit(text: &str) -> bool {
    text.len() >= LETTERS && text.chars().all(|c| c.is_ascii_hexdigit())
}
