//! What a killed process has left beside files: contents that it had not put in their places yet. Each has a name that only one call of
//! one session gives, so the books of the session prove whose it is.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::staged_name::StagedBy;
use super::super::tools::anchor::Anchor;
use super::agreement::Agreement;
use super::journal::RESTORING;
use super::restore::Snapshots;
use crate::ledger::CallId;

/// A content that a killed process has left beside the file that was to have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leftover {
    /// Where it lies.
    pub path: PathBuf,
    /// The file that was to have it.
    pub file: PathBuf,
    /// The call that wrote it; `None`: an undo.
    pub call: Option<CallId>,
}

impl Snapshots {
    /// What is left in the folder of the session. While a process has the session open, it may be writing just that.
    pub fn leftovers(&self, books: &Agreement) -> Vec<Leftover> {
        self.left(books, Anchor::left_by)
    }

    /// Removes the same, and says what went. Only for whoever has the session open: nobody else writes files of these names.
    pub fn remove_leftovers(&self, books: &Agreement) -> Vec<Leftover> {
        self.left(books, |anchor, by| {
            let removed = anchor.remove_left_by(by);
            removed.unwrap_or_else(|why| {
                tracing::warn!("a half-written file could not be removed: {why}");
                None
            })
        })
    }

    fn left(
        &self,
        books: &Agreement,
        find: impl Fn(&Anchor, StagedBy<'_>) -> Option<OsString>,
    ) -> Vec<Leftover> {
        let of_undo = self.being_restored(books);
        let of_calls = books.unfinished().map(|(call, file)| (Some(call), file));
        let files = of_calls.chain(of_undo.iter().map(|file| (None, file.as_path())));
        let found = files.filter_map(|(call, file): (Option<CallId>, &Path)| {
            // A folder that is not there, or that a link leads to, holds nothing of it.
            let name = find(&Anchor::of(file).ok()?, self.staged_by(call)?)?;
            Some(Leftover { path: file.with_file_name(name), file: file.to_owned(), call })
        });
        found.collect()
    }

    /// The files of an undo that was begun and that nobody has told of yet.
    fn being_restored(&self, books: &Agreement) -> Vec<PathBuf> {
        if !self.folder().is_ok_and(|folder| folder.join(RESTORING).exists()) {
            return Vec::new();
        }
        let changes = self.agreed(books).unwrap_or_default().into_iter();
        let mut files: Vec<PathBuf> = changes
            .filter(|change| change.call.is_none() && books.is_within(&change.path))
            .map(|change| change.path)
            .collect();
        files.sort();
        files.dedup();
        files
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use super::*;
    use crate::ledger::{Arguments, Body, Decider, Decision, Entry, EntryId, Millis, ToolUse};
    use crate::runtime::undo::{Change, Content, Hash};
    use crate::tool::name::WRITE;

    fn write(id: u64, path: &str) -> [Body; 2] {
        let arguments = Arguments::Object([("path".to_owned(), path.into())].into_iter().collect());
        let call = ToolUse { id: CallId(id), wire_id: String::new(), name: WRITE.to_owned(), arguments };
        [Body::ToolCall(call), Body::ApprovalDecided(Decision::permission(CallId(id), Decider::User, ""))]
    }

    fn books(bodies: Vec<Body>, folder: &Path) -> Agreement {
        let entry = |(body, id)| Arc::new(Entry { id: EntryId(id), at: Millis(0), body });
        let entries: Vec<Arc<Entry>> = bodies.into_iter().zip(1..).map(entry).collect();
        Agreement::with(&entries, folder, None)
    }

    /// Writes beside a file, and is killed.
    fn leave(file: &Path, session: &str, call: Option<u64>) -> PathBuf {
        let by = StagedBy { session, call: call.map(CallId) };
        let anchor = Anchor::of(file).unwrap();
        std::mem::forget(anchor.stage_by(Some(by), b"half").unwrap());
        file.with_file_name(anchor.left_by(by).unwrap())
    }

    #[test]
    fn only_what_the_books_of_the_session_prove_to_be_its_own_goes() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let work = top.join("work");
        fs::create_dir_all(work.join("deep")).unwrap();
        symlink(work.join("deep"), work.join("link")).unwrap();
        let snapshots = Snapshots::beside(&top.join("s1.jsonl"));
        let outside = top.join("outside");
        let mut bodies = [write(1, "deep/a"), write(2, "link/b"), write(3, "c")].concat();
        bodies.extend(write(4, &outside.display().to_string()));
        let [denied, _] = write(5, "denied");
        bodies.push(denied);
        let books = books(bodies, &work);
        let own = [leave(&work.join("deep/a"), "s1", Some(1)), leave(&work.join("deep/b"), "s1", Some(2))];
        let others = [
            leave(&work.join("c"), "s2", Some(3)),
            leave(&work.join("c"), "s1", Some(1)),
            leave(&work.join("c"), "s1", None),
            leave(&work.join("denied"), "s1", Some(5)),
            leave(&outside, "s1", Some(4)),
        ];
        let paths = |found: Vec<Leftover>| found.into_iter().map(|left| left.path).collect::<Vec<_>>();
        assert_eq!(paths(snapshots.leftovers(&books)), own);
        let removed = snapshots.remove_leftovers(&books);
        let first = removed.first().map(|left| (left.file.clone(), left.call));
        assert_eq!(first, Some((work.join("deep/a"), Some(CallId(1)))));
        assert_eq!(paths(removed), own);
        assert!(own.iter().all(|file| !file.exists()) && others.iter().all(|file| file.exists()));
        assert!(snapshots.remove_leftovers(&books).is_empty());
    }

    #[test]
    fn what_an_undo_has_left_goes_while_nobody_has_told_of_it() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let snapshots = Snapshots::beside(&top.join("s1.jsonl"));
        let books = books(write(1, "a").to_vec(), &top);
        let change = Change {
            call: Some(CallId(1)),
            path: top.join("a"),
            before: Content::Absent,
            after: Content::Known(Hash::of(b"new")),
            mode: None,
            runs: None,
            made: None,
        };
        snapshots.keep(change.clone(), Some(b"old")).unwrap();
        let back = Change { call: None, after: Content::Known(Hash::of(b"old")), ..change };
        snapshots.keep(back, Some(b"new")).unwrap();
        let left = leave(&top.join("a"), "s1", None);
        assert!(snapshots.leftovers(&books).is_empty());
        fs::write(top.join("s1.files").join(RESTORING), "").unwrap();
        let found = snapshots.remove_leftovers(&books);
        assert_eq!(found, [Leftover { path: left.clone(), file: top.join("a"), call: None }]);
        assert!(!left.exists());
    }
}
