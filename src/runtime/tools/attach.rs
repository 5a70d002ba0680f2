//! Files that a person attaches to a message: found and read as the tool `read` does it, and the names to choose from.

use std::sync::Arc;

use rustix::fs::FileType;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::all_tools::tool_named;
use super::ignored::{Excludes, GitSettings};
use super::list;
use super::read;
use super::stop::StopFlag;
use super::target::Target;
use super::walk::Walk;
use super::workspace::Workspace;
use crate::ledger::{Arguments, AttachedFile};
use crate::policy::{Decided, Policy, one_reading};
use crate::tool::name::{LIST, READ};
use crate::tool::{Preparation, Territory, bound};

pub use super::read::NotAttached;

/// Names that are listed at most: what is beyond that can still be typed.
const MOST_NAMES: usize = 200_000;
/// Longer paths are not listed.
const LONGEST_NAME: usize = 1_000;

/// The files of a workspace, as a person attaches them.
#[derive(Debug, Clone)]
pub struct WorkspaceFiles {
    workspace: Arc<Workspace>,
    git: Arc<GitSettings>,
}

/// A file that a message names, found once: what is decided about is what is read.
#[derive(Debug)]
pub struct MentionedFile {
    target: Target,
    /// What a look knows before it looks.
    unlooked: Preparation,
    first: u64,
    count: Option<u64>,
    /// Of a folder, what lists it.
    folder: Option<WorkspaceFiles>,
}

/// A file or a folder that can be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path in the workspace; that of a folder ends with `/`.
    pub path: String,
    /// Whether ignore files leave it out, or its name begins with a dot, or it lies in such a folder.
    pub comes_last: bool,
}

/// What can be named.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileNames {
    /// In the order of names.
    pub files: Vec<ListedFile>,
    /// Whether there are more, which are not listed.
    pub is_cut: bool,
}

impl WorkspaceFiles {
    pub(super) fn new(workspace: Arc<Workspace>, git: Arc<GitSettings>) -> Self {
        Self { workspace, git }
    }

    /// Finds what a message names; `None` when it is nothing. `lines`: the first and the last that are meant.
    ///
    /// # Errors
    /// A sentence, when links go in a circle or the name can be read in two ways.
    pub fn find(&self, path: &str, lines: Option<(u64, u64)>) -> Result<Option<MentionedFile>, String> {
        let target = Target::of(&self.workspace, path)?;
        let folder = match target.anchor().and_then(|anchor| anchor.kind()) {
            Ok(FileType::Directory) => Some(self.clone()),
            Err(failure) if failure.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            // Whoever reads it says what is wrong with it.
            Ok(_) | Err(_) => None,
        };
        one_reading(&target.shown)?;
        if folder.is_some() && lines.is_some() {
            return Err(format!("{} is a folder, and a folder has no lines", target.shown));
        }
        let (first, count) =
            lines.map_or((1, None), |(first, last)| (first, Some(last.saturating_sub(first) + 1)));
        Ok(Some(MentionedFile { target, unlooked: self.workspace.unlooked(), first, count, folder }))
    }

    /// All files and folders, of which there may be many: for a thread of its own.
    pub fn list(&self) -> FileNames {
        let mut names = FileNames::default();
        let stop = StopFlag::default();
        let Ok(top) = Target::of(&self.workspace, ".") else { return names };
        let excludes = Excludes::new(&self.git, self.workspace.root());
        let left_out = self.workspace.left_out_below(&top, true);
        let Ok(walk) = Walk::through(&top, left_out, excludes, &stop) else { return names };
        for entry in walk.telling_ignored() {
            if names.files.len() == MOST_NAMES {
                names.is_cut = true;
                break;
            }
            let Some(path) = entry.below().to_str().filter(|path| path.len() <= LONGEST_NAME) else {
                continue;
            };
            if one_reading(path).is_err() {
                continue;
            }
            // What is neither text nor a folder cannot be attached: a FIFO, a socket, a device.
            let is_special =
                [FileType::Fifo, FileType::Socket, FileType::CharacterDevice, FileType::BlockDevice];
            if is_special.contains(&entry.kind) {
                continue;
            }
            let comes_last = entry.is_ignored || path.starts_with('.') || path.contains("/.");
            let end = if entry.kind == FileType::Directory { "/" } else { "" };
            names.files.push(ListedFile { path: format!("{path}{end}"), comes_last });
        }
        names
    }
}

impl MentionedFile {
    /// What the rules say of it, as of a call of `read`; of a folder, of `list`.
    ///
    /// # Errors
    /// A sentence, if there is no such tool.
    pub fn decided(&self, policy: &Policy) -> Result<Decided, String> {
        let tool = self.tool();
        let (_, spec) = tool_named(tool).ok_or_else(|| format!("there is no tool {tool}"))?;
        let mut found = self.unlooked.clone();
        found.leads(self.target.shown.clone(), self.target.territory);
        let path = Map::from_iter([("path".to_owned(), Value::from(self.target.shown.as_str()))]);
        Ok(policy.decide(spec, &Arguments::Object(path), &found))
    }

    /// Where it lies, links resolved, if that is outside of the workspace.
    pub fn outside(&self) -> Option<&str> {
        (self.target.territory == Territory::Outside).then_some(self.target.shown.as_str())
    }

    /// Whether it may contain secrets; what is outside of the workspace is asked about for that.
    pub fn is_secret(&self) -> bool {
        self.target.territory == Territory::Secret
    }

    /// The call of a model that returns the same: its tool and its arguments.
    pub fn as_call(&self) -> (&'static str, Arguments) {
        let mut arguments = Map::from_iter([("path".to_owned(), Value::from(self.target.shown.as_str()))]);
        if let Some(count) = self.count {
            arguments.insert("offset".to_owned(), self.first.into());
            arguments.insert("limit".to_owned(), count.into());
        }
        (self.tool(), Arguments::Object(arguments))
    }

    fn tool(&self) -> &'static str {
        if self.folder.is_some() { LIST } else { READ }
    }

    /// Reads it, at most so many characters.
    ///
    /// # Errors
    /// What it is instead of text, or that it cannot be read, or has no such lines.
    pub fn read(&self, most_chars: usize) -> Result<AttachedFile, NotAttached> {
        if let Some(files) = &self.folder {
            return Ok(self.list(files, most_chars)?);
        }
        let read = read::lines(&self.target, self.first, self.count)?;
        let sent = bound(&read.text, most_chars);
        Ok(AttachedFile {
            path: self.target.shown.clone(),
            first: self.first,
            last: read.last,
            of_lines: read.of_lines,
            sha256: read.sha256,
            confirmed: String::new(),
            cut_bytes: read.cut_bytes,
            cut_chars: sent.cut_chars,
            text: sent.text.into(),
        })
    }

    /// What is in the folder, as the tool `list` returns it.
    fn list(&self, files: &WorkspaceFiles, most_chars: usize) -> Result<AttachedFile, String> {
        let excludes = Excludes::new(&files.git, files.workspace.root());
        let (text, entries) = list::listing(&files.workspace, &self.target, excludes, &StopFlag::default())?;
        let sha256 = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
        let sent = bound(&text, most_chars);
        Ok(AttachedFile {
            path: AttachedFile::folder(&self.target.shown),
            first: 1,
            // The line above the entries counts; what is said below them is none.
            last: entries.min(list::MOST_ENTRIES) as u64 + 1,
            of_lines: if entries > list::MOST_ENTRIES { entries as u64 } else { 0 },
            sha256,
            confirmed: String::new(),
            cut_bytes: 0,
            cut_chars: sent.cut_chars,
            text: sent.text.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::super::LocalTools;
    use crate::runtime::Groups;

    #[test]
    fn what_cannot_be_attached_is_not_offered() {
        let held = tempfile::tempdir().unwrap();
        let work = held.path().canonicalize().unwrap();
        std::fs::write(work.join("b.rs"), "x").unwrap();
        std::fs::create_dir(work.join("d")).unwrap();
        let _socket = UnixListener::bind(work.join("a.sock")).unwrap();
        let listed = LocalTools::new(work, Vec::new(), Groups::default()).files().list();
        let names: Vec<&str> = listed.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(names, ["b.rs", "d/"]);
    }
}
