//! A fresh home, a workspace in it, and the session files that an app leaves there.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

/// Everything that one test's app may read and write.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(home.workspace()).unwrap();
        home.write("notes.txt", "alpha\nbeta\ngamma\n");
        home
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.root().join("work")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.workspace().join(name), text).unwrap();
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.workspace().join(name).exists()
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.workspace().join(name)).unwrap()
    }

    /// All session files, oldest first: their names begin with the time.
    pub(crate) fn session_files(&self) -> Vec<PathBuf> {
        let mut files = Vec::new();
        collect(&self.root().join("state"), &mut files);
        files.sort();
        files
    }

    /// The newest session, line by line.
    pub(crate) fn session(&self) -> Vec<Value> {
        let files = self.session_files();
        let text = std::fs::read_to_string(files.last().expect("a session file")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The newest session's entries of one kind.
    pub(crate) fn entries(&self, kind: &str) -> Vec<Value> {
        self.session().into_iter().filter(|entry| entry["type"] == kind).collect()
    }

    /// One member of the newest session's entries of one kind, as texts.
    pub(crate) fn texts(&self, kind: &str, member: &str) -> Vec<String> {
        self.entries(kind).iter().map(|entry| entry[member].as_str().unwrap_or_default().to_owned()).collect()
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
}
