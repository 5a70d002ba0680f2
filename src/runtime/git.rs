//! git as this program runs it: in the repository of a folder and no other, without the hooks and monitors of its settings, which nobody
//! has allowed, and never waiting for words.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

/// Most bytes that git may print.
const MOST: u64 = 256 << 20;
/// Most bytes that are read of its complaints.
const MOST_COMPLAINTS: u64 = 4096;
/// How the line begins that says why git failed; lines before it say what it was doing.
const REASONS: [&str; 2] = ["fatal: ", "error: "];
/// Variables by which git would take another repository than that of the folder.
const ELSEWHERE: [&str; 9] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_TEMPLATE_DIR",
    "GIT_WORK_TREE",
];

/// Settings under which git starts no monitor and no hook, also none that the settings of a repository name (git 2.54 and later). The
/// events are those of what this program does.
const UNHOOKED: [&str; 5] = [
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "hook.post-checkout.enabled=false",
    "hook.post-index-change.enabled=false",
    "hook.reference-transaction.enabled=false",
];

/// The command. What it prints goes nowhere unless the caller wants it.
pub(super) fn command<A: AsRef<OsStr>>(folder: &Path, words: impl IntoIterator<Item = A>) -> Command {
    let mut command = Command::new("git");
    command.args(UNHOOKED.iter().flat_map(|setting| ["-c", *setting])).args(words);
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    // Its words are looked at, and are those of one language.
    command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C").current_dir(folder);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What git prints, without the white space around it.
///
/// # Errors
/// As [`git_bytes`].
pub(crate) fn git<A: AsRef<OsStr>>(
    folder: &Path,
    words: impl IntoIterator<Item = A>,
) -> Result<String, String> {
    let printed = git_bytes(folder, words)?;
    Ok(String::from_utf8_lossy(&printed).trim().to_owned())
}

/// What git prints, byte by byte.
///
/// # Errors
/// The reason among what it complained about, or the first line of it; or it cannot be run, or prints too much.
pub(crate) fn git_bytes<A: AsRef<OsStr>>(
    folder: &Path,
    words: impl IntoIterator<Item = A>,
) -> Result<Vec<u8>, String> {
    let unable = |fault: io::Error| format!("git cannot be run: {fault}");
    let mut child =
        command(folder, words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(unable)?;
    let complaints = complaints(&mut child);
    let mut printed = Vec::new();
    let read = child.stdout.take().map_or(Ok(0), |out| out.take(MOST + 1).read_to_end(&mut printed));
    let is_whole = read.is_ok() && printed.len() as u64 <= MOST;
    if !is_whole {
        child.kill().unwrap_or_default();
    }
    let ended = child.wait().map_err(unable)?;
    let said = complaints.join().unwrap_or_default();
    match (is_whole, ended.success()) {
        (false, _) => Err("git printed too much".to_owned()),
        (true, true) => Ok(printed),
        (true, false) => {
            let said = String::from_utf8_lossy(&said);
            let reason = said.lines().find(|line| REASONS.iter().any(|begins| line.starts_with(begins)));
            let first = || said.trim().lines().next().unwrap_or("failed");
            Err(format!("git: {}", reason.unwrap_or_else(first)))
        }
    }
}

/// Whether this is the whole name of a commit.
pub(crate) fn is_commit(name: &str) -> bool {
    matches!(name.len(), 40 | 64) && name.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
}

/// A file that is different in two commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChangedFile {
    /// Its path, from the folder.
    pub(crate) path: String,
    /// What it was and what it is, as git writes modes; six zeros: nothing.
    pub(crate) modes: (String, String),
}

/// The files of a folder that are different in two commits.
///
/// # Errors
/// As [`git_bytes`]; also when the name of a file is no text.
pub(crate) fn changed_files(folder: &Path, base: &str, commit: &str) -> Result<Vec<ChangedFile>, String> {
    let words =
        ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", "--relative", base, commit];
    let printed = String::from_utf8(git_bytes(folder, words)?)
        .map_err(|_bytes| "a file's name is not text; merge its branch with git")?;
    let mut parts = printed.split_terminator('\0');
    let mut all = Vec::new();
    while let (Some(head), Some(path)) = (parts.next(), parts.next()) {
        let mut words = head.trim_start_matches(':').split(' ');
        let (Some(from), Some(to)) = (words.next(), words.next()) else { continue };
        all.push(ChangedFile { path: path.to_owned(), modes: (from.to_owned(), to.to_owned()) });
    }
    Ok(all)
}

/// The files of the repository beside this folder that are different in two commits, from its top folder.
///
/// # Errors
/// As [`git_bytes`].
pub(crate) fn changed_outside(folder: &Path, base: &str, commit: &str) -> Result<Vec<String>, String> {
    let prefix = git(folder, ["rev-parse", "--show-prefix"])?;
    let words = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", base, commit];
    let printed = git_bytes(folder, words)?;
    let paths = printed.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    let outside = paths.filter(|path| !path.starts_with(prefix.as_bytes()));
    Ok(outside.map(|path| String::from_utf8_lossy(path).into_owned()).collect())
}

/// Says of files that adopting leaves them where they are; `None`: there are none.
pub(crate) fn left_in_branch(outside: &[String]) -> Option<String> {
    const MOST_NAMED: usize = 5;
    let named: Vec<&str> = outside.iter().take(MOST_NAMED).map(String::as_str).collect();
    let more = outside.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let files = match outside.len() {
        0 => return None,
        1 => "1 changed file is outside of this folder and stays".to_owned(),
        many => format!("{many} changed files are outside of this folder and stay"),
    };
    Some(format!("{files} in the branch: {}{more}", named.join(", ")))
}

/// Reads what it complains about beside what it prints: it would wait for ever if nobody did.
fn complaints(child: &mut Child) -> thread::JoinHandle<Vec<u8>> {
    let pipe = child.stderr.take();
    thread::spawn(move || {
        let mut said = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.by_ref().take(MOST_COMPLAINTS).read_to_end(&mut said).unwrap_or_default();
            io::copy(&mut pipe, &mut io::sink()).unwrap_or_default();
        }
        said
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_prints_and_complains_about_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let none = git(folder.path(), ["rev-parse", "--show-toplevel"]).unwrap_err();
        assert!(none.starts_with("git: ") && !none.contains('\n'), "{none}");
        git(folder.path(), ["init", "-q"]).unwrap();
        let top = git(folder.path(), ["rev-parse", "--show-toplevel"]).unwrap();
        assert_eq!(Path::new(&top), folder.path().canonicalize().unwrap());
        assert_eq!(git_bytes(folder.path(), ["rev-parse", "--is-bare-repository"]).unwrap(), b"false\n");
    }
}
