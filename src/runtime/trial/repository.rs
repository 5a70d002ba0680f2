//! A git repository for the copy of a folder: with the history, the branches and the index of the folder's own, and with nothing else of
//! it. What is done in it changes nothing there.

use std::ffi::OsStr;
use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Stdio};

use crate::runtime::git::{command, git_bytes};

/// Most bytes of a file of the repository that is taken along.
const MOST: u64 = 256 << 20;

/// The repository in which a folder lies.
#[derive(Debug)]
pub(super) struct Repository {
    /// Its top folder.
    top: PathBuf,
    /// Where its objects are, and how they are named.
    objects: PathBuf,
    format: String,
}

impl Repository {
    /// That of a folder; `None`: there is none, or no git.
    pub(super) fn of(folder: &Path) -> Option<Self> {
        let words = ["rev-parse", "--path-format=absolute", "--show-toplevel", "--git-path", "objects"];
        let told = said(folder, &words)?;
        let mut lines = told.strip_suffix(b"\n")?.split(|byte| *byte == b'\n');
        let (top, objects) = (path(lines.next()?), path(lines.next()?));
        // A path with a line feed cannot be told from two.
        lines.next().is_none().then_some(())?;
        let format = said(folder, &["rev-parse", "--show-object-format"])?;
        let format = String::from_utf8(format).ok()?.trim().to_owned();
        Some(Self { top, objects, format })
    }

    /// Beside what a copy can lie without lying in the repository.
    pub(super) fn top(&self) -> &Path {
        &self.top
    }

    /// Gives the copy of a folder a repository of its own. That of the whole repository gets its history; that of a folder in it gets an empty
    /// one, so that git does not take the next one above.
    ///
    /// # Errors
    /// A sentence: git failed, or something cannot be written.
    pub(super) fn give(&self, source: &Path, copy: &Path) -> Result<(), String> {
        let format = format!("--object-format={}", self.format);
        git_bytes(copy, ["init", "-q", "--template=", &format])?;
        let is_whole = self.top.canonicalize().ok() == source.canonicalize().ok();
        if !is_whole {
            return Ok(());
        }
        let own = copy.join(".git");
        let write = |name: &str, content: &[u8]| {
            let place = own.join(name);
            place
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| fs::write(&place, content))
                .map_err(|why| format!("{}: {why}", place.display()))
        };
        write("objects/info/alternates", &[self.objects.as_os_str().as_bytes(), b"\n"].concat())?;
        for name in ["shallow", "info/exclude"] {
            if let Some(content) = self.kept(source, name) {
                write(name, &content)?;
            }
        }
        let refs =
            ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags", "refs/remotes"];
        write("packed-refs", &git_bytes(source, refs)?)?;
        // On a branch, also before its first commit; else at a commit.
        let head = match said(source, &["symbolic-ref", "-q", "HEAD"]) {
            Some(branch) => [b"ref: ", branch.as_slice()].concat(),
            None => git_bytes(source, ["rev-parse", "--verify", "HEAD"])?,
        };
        write("HEAD", &head)?;
        index(source, copy)
    }

    /// A file of the repository that tells how it is read.
    fn kept(&self, source: &Path, name: &str) -> Option<Vec<u8>> {
        let told = said(source, &["rev-parse", "--path-format=absolute", "--git-path", name])?;
        let file = crate::runtime::open_regular(&path(told.strip_suffix(b"\n")?)).ok()?.0;
        let mut content = Vec::new();
        file.take(MOST).read_to_end(&mut content).ok()?;
        Some(content)
    }
}

/// Writes the index anew: git's own may be split, or name a monitor.
fn index(source: &Path, copy: &Path) -> Result<(), String> {
    let listed = git_bytes(source, ["ls-files", "-s", "-z"])?;
    let mut child = command(copy, ["update-index", "-z", "--index-info"])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(|why| format!("git cannot be run: {why}"))?;
    let wrote = child.stdin.take().map_or(Ok(()), |mut stdin: ChildStdin| stdin.write_all(&listed));
    let ended = child.wait().map_err(|why| format!("git did not end: {why}"))?;
    match (wrote, ended.success()) {
        (Ok(()), true) => Ok(()),
        _ => Err("git did not take the index of the folder".to_owned()),
    }
}

fn said(folder: &Path, words: &[&str]) -> Option<Vec<u8>> {
    git_bytes(folder, words).ok()
}

fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}
