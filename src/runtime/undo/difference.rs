//! What a session has changed so far: each file as it was before its first change, beside what it is now.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::tools::compare;
use super::agreement::{Agreement, Disagreement};
use super::blobs;
use super::files;
use super::record::{Content, Hash, MOST_BYTES};
use super::restore::Snapshots;
use crate::runtime::tools::anchor::Anchor;

/// Why there is no difference to show.
const WRONG: &str = "its undo record is not what the session says; `countersign sessions check` names it";

/// A file that is not what it was before the session changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDifference {
    /// The file.
    pub path: PathBuf,
    /// How it differs: a unified diff of bounded length with the lines added and removed; or, in a few words, why there is
    /// none.
    pub diff: Result<(String, usize, usize), String>,
}

impl Snapshots {
    /// The files that this session changed and that are different now, in the order of their paths, `most` of them at most;
    /// and how many files it changed.
    ///
    /// # Errors
    /// The record of changes cannot be read.
    pub fn differences(
        &self,
        books: &Agreement,
        shown: impl Fn(&Path) -> String,
        most: usize,
    ) -> Result<(Vec<FileDifference>, usize), String> {
        // `None`: a record of it is not what the session says, so nobody knows what it was.
        let mut first: BTreeMap<PathBuf, Option<Content>> = BTreeMap::new();
        for change in self.changes()? {
            match books.against(&change) {
                None => drop(first.entry(change.path).or_insert(Some(change.before))),
                Some(Disagreement::OtherContent) => drop(first.insert(change.path, None)),
                Some(Disagreement::NoCall) => {}
            }
        }
        let all = first.len();
        let kept = |hash: &Hash| self.kept(hash);
        let differences = first.into_iter().filter_map(|(path, before)| {
            let name = shown(&path);
            let diff = match before {
                Some(before) => difference(&path, &before, &name, kept).transpose()?,
                None => Err(WRONG.to_owned()),
            };
            Some(FileDifference { path, diff })
        });
        Ok((differences.take(most).collect(), all))
    }

    fn kept(&self, hash: &Hash) -> Result<Vec<u8>, String> {
        blobs::get(&self.folder()?, hash).map_err(|why| format!("its earlier content cannot be read: {why}"))
    }
}

/// How one file differs; `None`: it does not.
fn difference(
    path: &Path,
    before: &Content,
    name: &str,
    kept: impl Fn(&Hash) -> Result<Vec<u8>, String>,
) -> Result<Option<(String, usize, usize)>, String> {
    let was = match before {
        Content::Absent => None,
        Content::Known(hash) => Some(text(kept(hash)?)?),
        Content::Large(bytes) => return Err(format!("was too large to save ({bytes} bytes)")),
    };
    let is = now(path)?.map(text).transpose()?;
    if was == is {
        return Ok(None);
    }
    let found = compare(name, was.as_deref(), is.as_deref().unwrap_or_default());
    Ok(Some((found.text, found.added, found.removed)))
}

/// What the file holds now; `None`: there is none.
fn now(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let anchor = match Anchor::of(path) {
        Ok(anchor) => anchor,
        Err(failure) if failure.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(failure) => return Err(failure.to_string()),
    };
    let Some(file) = files::open(&anchor)? else { return Ok(None) };
    let content = files::content_of(file)?;
    if content.len() as u64 > MOST_BYTES {
        return Err(format!("is larger than {MOST_BYTES} bytes now"));
    }
    Ok(Some(content))
}

fn text(content: Vec<u8>) -> Result<String, String> {
    String::from_utf8(content).map_err(|_binary| "is not text".to_owned())
}
