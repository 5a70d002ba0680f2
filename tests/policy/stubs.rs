//! A folder of harmless programs that write down that they ran, and shells that find nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::executable::executable;

/// Programs that only write down their name, odd ones too: what a shell that reads a line otherwise might start.
pub(crate) const STUBS: &[&str] = &[
    "danger",
    "evil",
    "rm",
    "touch",
    "git",
    "make",
    "cargo",
    "ls",
    "cat",
    "grep",
    "head",
    "sort",
    "10",
    "[[",
    "]]",
    "{",
    "}",
    "!",
    "function",
    "coproc",
    "select",
    "x+=danger",
    "x=danger",
    "-p",
    "-v",
    "((",
    "then",
    "do",
    "fi",
];
/// Programs that start others; the real ones.
const STARTERS: &[&str] =
    &["env", "timeout", "nice", "nohup", "setsid", "stdbuf", "xargs", "find", "sh", "bash", "dash"];

/// Where lines are run.
pub(crate) struct Fixture {
    folder: TempDir,
    lines: usize,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::create_dir(folder.path().join("runs")).unwrap();
        for name in STUBS {
            program(&shared.join(name), "");
        }
        // In a dash `time` is a program like any other.
        program(&shared.join("time"), "[ \"$1\" = -p ] && shift\nexec \"$@\"\n");
        for name in STARTERS {
            if let Some(real) = on_this_machine(name) {
                symlink(real, shared.join(name)).unwrap();
            }
        }
        Self { folder, lines: 0 }
    }

    /// Runs a line with a shell and says which programs ran. It gets no input, no network program, an empty folder.
    pub(crate) fn run(&mut self, shell: &[&str], line: &str) -> BTreeSet<String> {
        self.lines += 1;
        let run = self.folder.path().join("runs").join(self.lines.to_string());
        let (bin, cwd) = (run.join("bin"), run.join("cwd"));
        fs::create_dir_all(cwd.join("sub")).unwrap();
        symlink(self.folder.path().join("shared"), &bin).unwrap();
        symlink(bin.join("evil"), cwd.join("evil")).unwrap();
        let (mut reader, writer) = std::io::pipe().unwrap();
        let mut command = Command::new("timeout");
        command.args(["-s", "KILL", "10"]).args(shell).args(["-c", line]).current_dir(&cwd);
        command.env_clear().env("PATH", &bin).env("HOME", &cwd);
        command.stdin(Stdio::null()).stdout(writer.try_clone().unwrap()).stderr(writer);
        let mut child = spawn(command);
        // All that still runs holds the pipe: its end is the end of the line.
        reader.read_to_end(&mut Vec::new()).unwrap();
        child.wait().unwrap();
        let mut ran = BTreeSet::new();
        for log in [run.join("bin.log"), cwd.join("..log"), cwd.join("sub").join("..log")] {
            let text = fs::read_to_string(log).unwrap_or_default();
            ran.extend(text.lines().map(str::to_owned));
        }
        fs::remove_dir_all(&run).ok();
        ran
    }
}

/// Starts it; the ends of the pipe that the command holds are closed with it.
fn spawn(mut command: Command) -> std::process::Child {
    let timeout = on_this_machine("timeout").unwrap();
    assert!(timeout.is_absolute());
    command.spawn().unwrap()
}

fn program(path: &Path, then: &str) {
    executable(path, &format!("#!/bin/sh\necho \"${{0##*/}}\" >> \"${{0%/*}}.log\"\n{then}"));
}

fn on_this_machine(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin"].iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
}

/// The shells that are here, each as the words that start it.
pub(crate) fn shells() -> Vec<Vec<String>> {
    let mut shells = Vec::new();
    for (name, option) in [("bash", None), ("bash", Some("--posix")), ("dash", None)] {
        if let Some(path) = on_this_machine(name) {
            let path = path.to_string_lossy().into_owned();
            shells.push(std::iter::once(path).chain(option.map(str::to_owned)).collect());
        }
    }
    if shells.is_empty() {
        shells.push(vec!["/bin/sh".to_owned()]);
    }
    shells
}
