//! Several files changed by one call: all of them, or none.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::ledger::CallId;

use super::super::tools::anchor::Anchor;
use super::blobs;
use super::files::{named, open, put_back, roll_back};
use super::journal::cannot_keep;
use super::record::{Change, Content, MOST_BYTES};
use super::restore::{Snapshots, append, withdraw};

/// What one file is, and what it is to become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContent {
    /// The file: absolute, symlinks resolved.
    pub path: PathBuf,
    /// What it is; `None`: it is not there.
    pub before: Option<Vec<u8>>,
    /// What it becomes; `None`: it goes.
    pub after: Option<Vec<u8>>,
    /// Whether it can be run, for one that is made anew.
    pub is_executable: bool,
    /// Whether it can be run from then on, for one that is there, if that changes.
    pub runs: Option<bool>,
}

impl Snapshots {
    /// Makes them for a call. What is replaced is kept, and all is on record, before anything is touched.
    ///
    /// # Errors
    /// A sentence: a file is not what it is said to be, or cannot be written. All files are then as they were, but those that it names.
    pub(in crate::runtime) fn make_all(&self, call: CallId, wanted: &[NewContent]) -> Result<(), String> {
        let folder = self.folder()?;
        let changes: Vec<Change> =
            wanted.iter().map(|one| change_of(&folder, call, one)).collect::<Result<_, String>>()?;
        append(&folder, &changes).map_err(cannot_keep)?;
        for (done, (change, one)) in changes.iter().zip(wanted).enumerate() {
            let mode = if one.is_executable { 0o755 } else { 0o644 };
            let change = Change { mode: change.mode.or(Some(mode)), ..change.clone() };
            if let Err(why) = put_back(&folder, &change) {
                let stay = roll_back(&folder, changes.get(..done).unwrap_or_default());
                let what = match stay.as_slice() {
                    [] => {
                        // An undo of it would take nothing back, and stand before the one that is wanted.
                        if let Err(why) = withdraw(&folder, &changes) {
                            tracing::error!("the record of what was not changed stays: {why}");
                        }
                        "nothing was changed".to_owned()
                    }
                    stay => format!("not all of it could be reverted: {} stay changed", named(stay)),
                };
                return Err(format!("{}: {why}; {what}", change.path.display()));
            }
        }
        Ok(())
    }
}

fn change_of(folder: &Path, call: CallId, one: &NewContent) -> Result<Change, String> {
    let kept = |content: &Option<Vec<u8>>| match content {
        None => Ok(Content::Absent),
        Some(content) if content.len() as u64 > MOST_BYTES => {
            Err(format!("{} is too large to be kept; nothing was changed", one.path.display()))
        }
        Some(content) => blobs::put(folder, content).map(Content::Known).map_err(cannot_keep),
    };
    let file = match &one.before {
        None => None,
        Some(_) => Anchor::of(&one.path).map_err(|failure| failure.to_string()).and_then(|at| open(&at))?,
    };
    let mode = file.map(|file| file.metadata()).transpose().map_err(|failure| failure.to_string())?;
    let missing = |folder: &&Path| !folder.exists();
    let made = one.path.ancestors().skip(1).take_while(missing).last().map(Path::to_owned);
    Ok(Change {
        call: Some(call),
        path: one.path.clone(),
        before: kept(&one.before)?,
        after: kept(&one.after)?,
        mode: mode.map(|meta| meta.permissions().mode() & 0o7777),
        runs: one.runs.filter(|_| one.before.is_some() && one.after.is_some()),
        made,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::runtime::undo::{Hash, UndoScope, plan};

    fn content(path: PathBuf, before: Option<&str>, after: Option<&str>) -> NewContent {
        let bytes = |text: Option<&str>| text.map(|text| text.as_bytes().to_vec());
        NewContent { path, before: bytes(before), after: bytes(after), is_executable: false, runs: None }
    }

    #[test]
    fn all_are_changed_and_can_be_taken_back_or_none_is() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let at = |name: &str| top.join(name);
        fs::write(at("a"), "one").unwrap();
        fs::write(at("gone"), "old").unwrap();
        let snapshots = Snapshots::beside(&at("s.jsonl"));
        let wanted = [
            content(at("a"), Some("one"), Some("1")),
            content(at("gone"), Some("old"), None),
            content(at("new/deep/b"), None, Some("two")),
        ];
        // The last one is not what it is said to be: the others are put back.
        let wrong = content(at("a"), Some("else"), Some("x"));
        let mut all = wanted[1..].to_vec();
        all.push(wrong);
        let why = snapshots.make_all(CallId(1), &all).unwrap_err();
        assert!(why.contains("nothing was changed"), "{why}");
        assert_eq!(fs::read_to_string(at("gone")).unwrap(), "old");
        assert!(!at("new").exists());
        assert!(snapshots.changes().unwrap().is_empty(), "there is nothing to take back");

        snapshots.make_all(CallId(2), &wanted).unwrap();
        assert_eq!(fs::read_to_string(at("a")).unwrap(), "1");
        assert!(!at("gone").exists());
        assert_eq!(fs::read_to_string(at("new/deep/b")).unwrap(), "two");

        let changes = snapshots.changes().unwrap();
        let scope = UndoScope::Since(CallId(2));
        let back = plan(&changes, &scope, |_| true, super::super::files::look);
        assert!(back.refused.is_empty(), "{back:?}");
        snapshots.restore(&back, 1).unwrap();
        assert_eq!(fs::read_to_string(at("a")).unwrap(), "one");
        assert_eq!(fs::read_to_string(at("gone")).unwrap(), "old");
        assert!(!at("new").exists(), "the folders that were made for it are gone, too");
        assert_eq!(changes.last().unwrap().after, Content::Known(Hash::of(b"two")));
    }

    /// What it was is not kept any more when it is to be put back.
    #[test]
    fn what_cannot_be_taken_back_is_named() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        fs::write(top.join("a"), "one").unwrap();
        fs::write(top.join("b"), "two").unwrap();
        let kept = top.join("s.files").join(Hash::of(b"one").as_str());
        let wanted = [
            content(top.join("a"), Some("one"), Some("1")),
            content(kept.clone(), Some("one"), None),
            content(top.join("b"), Some("else"), Some("x")),
        ];
        let why = Snapshots::beside(&top.join("s.jsonl")).make_all(CallId(1), &wanted).unwrap_err();
        let named = format!("reverted: {}, {} stay changed", kept.display(), top.join("a").display());
        assert!(why.contains(&named) && !why.contains("nothing was changed"), "{why}");
        assert_eq!(fs::read_to_string(top.join("a")).unwrap(), "1");
        assert_eq!(fs::read_to_string(top.join("b")).unwrap(), "two");
        assert_eq!(Snapshots::beside(&top.join("s.jsonl")).changes().unwrap().len(), 3, "an undo is needed");
    }

    #[test]
    fn a_file_that_is_to_go_and_is_gone_already_is_in_nobodys_way() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        fs::write(top.join("z"), "one").unwrap();
        let snapshots = Snapshots::beside(&top.join("s.jsonl"));
        let gone = || [content(top.join("gone"), None, None), content(top.join("no/folder"), None, None)];
        let with = |last: NewContent| -> Vec<NewContent> { gone().into_iter().chain([last]).collect() };
        let wrong = content(top.join("z"), Some("else"), Some("x"));
        let why = snapshots.make_all(CallId(1), &with(wrong)).unwrap_err();
        assert!(why.starts_with(&top.join("z").display().to_string()), "{why}");
        snapshots.make_all(CallId(2), &with(content(top.join("z"), Some("one"), Some("1")))).unwrap();
        assert_eq!(fs::read_to_string(top.join("z")).unwrap(), "1");
        let scope = UndoScope::Since(CallId(2));
        let back = plan(&snapshots.changes().unwrap(), &scope, |_| true, super::super::files::look);
        assert_eq!((back.steps.len(), back.already.len(), back.refused.len()), (1, 2, 0), "{back:?}");
        snapshots.restore(&back, 1).unwrap();
        assert_eq!(fs::read_to_string(top.join("z")).unwrap(), "one");
        assert!(!top.join("no").exists() && !top.join("gone").exists());
    }

    #[test]
    fn the_permission_to_run_a_file_is_changed_and_taken_back_once() {
        let place = tempfile::tempdir().unwrap();
        let top = place.path().canonicalize().unwrap();
        let mode = |name: &str| fs::metadata(top.join(name)).unwrap().permissions().mode() & 0o777;
        for (name, bits) in [("a", 0o640), ("b", 0o750)] {
            fs::write(top.join(name), "one").unwrap();
            fs::set_permissions(top.join(name), fs::Permissions::from_mode(bits)).unwrap();
        }
        let snapshots = Snapshots::beside(&top.join("s.jsonl"));
        let wanted = [("a", "one", true), ("b", "two", false)].map(|(name, after, runs)| NewContent {
            runs: Some(runs),
            ..content(top.join(name), Some("one"), Some(after))
        });
        // What fails later takes the permission back, too.
        let mut all = wanted.to_vec();
        all.push(content(top.join("b"), Some("else"), Some("x")));
        snapshots.make_all(CallId(1), &all).unwrap_err();
        assert_eq!((mode("a"), mode("b")), (0o640, 0o750));
        snapshots.make_all(CallId(2), &wanted).unwrap();
        assert_eq!((mode("a"), mode("b")), (0o750, 0o640));
        let planned = || {
            let scope = UndoScope::Calls([CallId(2)].into_iter().collect());
            plan(&snapshots.changes().unwrap(), &scope, |_| true, super::super::files::look)
        };
        let back = planned();
        assert_eq!((back.steps.len(), back.refused.len()), (2, 0), "{back:?}");
        snapshots.restore(&back, 1).unwrap();
        assert_eq!((mode("a"), mode("b")), (0o640, 0o750));
        assert_eq!(fs::read_to_string(top.join("b")).unwrap(), "one");
        assert_eq!(planned().already.len(), 2, "it is taken back once");
    }
}
