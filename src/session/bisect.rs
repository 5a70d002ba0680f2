//! Which call of a session broke a command: its recorded changes are walked in a copy of the folder, half of them at a time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use tokio::sync::watch;

use crate::ledger::CallId;
use crate::runtime::trial::{Attempt, Trial, TrialFolder};
use crate::runtime::undo::{FileDifference, difference_of};
use crate::session::blame::{WrittenBy, written_by};
use crate::session::file_history::{ChangingSession, Contents, FileStep};

/// What a file is at each position; the outer `None`: that is not known.
type States = Vec<Option<Option<Vec<u8>>>>;

/// The changes of a session, call by call.
#[derive(Debug)]
pub(crate) struct SessionWalk {
    source: ChangingSession,
    /// The steps of each call, or of an undo, in their order.
    calls: Vec<Vec<FileStep>>,
    /// Of each file, by its path in the folder: what it is before the first of them, and after each.
    files: BTreeMap<PathBuf, States>,
    /// Files that are left as they are now, and why.
    pub(crate) left: Vec<(PathBuf, String)>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) enum BisectVerdict {
    /// These calls broke the command: one, unless what lies between them is not known.
    Broken(Vec<Culprit>),
    /// It fails before the first change.
    FailsBefore(Attempt),
    /// It succeeds after the last change.
    SucceedsAfter,
    /// It was stopped.
    Stopped,
}

/// A call that broke the command, or may have.
#[derive(Debug)]
pub(crate) struct Culprit {
    pub(crate) by: WrittenBy,
    /// What it did to each file.
    pub(crate) diffs: Vec<FileDifference>,
}

impl SessionWalk {
    /// Of the session in this file.
    ///
    /// # Errors
    /// A sentence: it cannot be read, or has no change that can be walked.
    pub(crate) fn of(path: &Path, home: Option<PathBuf>) -> Result<Self, String> {
        let source = ChangingSession::read(path, |_| true)?;
        let source = source.ok_or_else(|| "the session has recorded no change of a file".to_owned())?;
        let steps = source.steps(0, home)?;
        let sources = [source];
        let contents = Contents::of(&sources, None);
        let folder = sources.iter().map(|source| real(&source.folder)).next().unwrap_or_default();
        let mut calls: Vec<Vec<FileStep>> = Vec::new();
        for step in steps {
            match calls.last_mut() {
                Some(last) if last.iter().all(|other| other.change.call == step.change.call) => {
                    last.push(step)
                }
                _ => calls.push(vec![step]),
            }
        }
        let (mut files, mut left) = (BTreeMap::new(), Vec::new());
        for step in calls.iter().flatten() {
            let path = &step.change.path;
            let Ok(inside) = path.strip_prefix(&folder) else {
                left.push((path.clone(), "it is not in the folder of the session".to_owned()));
                continue;
            };
            if !files.contains_key(inside) {
                match contents.before(step) {
                    Ok(before) => {
                        drop(files.insert(inside.to_owned(), states(&calls, path, before, &contents)))
                    }
                    Err(why) => left.push((inside.to_owned(), why)),
                }
            }
        }
        left.sort();
        left.dedup();
        let [source] = sources;
        if files.is_empty() {
            return Err(
                "the session has recorded no change of a file in its folder that is still kept".to_owned()
            );
        }
        Ok(Self { source, calls, files, left })
    }

    /// What is wrong first with the lines of the session.
    pub(crate) fn damage(&self) -> Option<&str> {
        self.source.damage.as_deref()
    }

    /// The folder of the session.
    pub(crate) fn folder(&self) -> &Path {
        &self.source.folder
    }

    /// How many calls, or undos, changed files.
    pub(crate) fn len(&self) -> usize {
        self.calls.len()
    }

    /// Looks for the call. `tell` is told of each attempt: how many calls were made before it, and what came of it.
    ///
    /// # Errors
    /// A sentence: the command cannot be started, or the copy cannot be written.
    pub(crate) async fn search(
        &self,
        folder: &TrialFolder,
        trial: &Trial,
        quit: &mut watch::Receiver<bool>,
        mut tell: impl FnMut(usize, Attempt),
    ) -> Result<BisectVerdict, String> {
        let places = self.known();
        let mut at = async |place: usize| {
            self.set(folder, place)?;
            let attempt = trial.attempt(folder.path(), quit).await?;
            tell(place, attempt);
            Ok::<Attempt, String>(attempt)
        };
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return Ok(BisectVerdict::Stopped);
        };
        match at(*first).await? {
            Attempt::Succeeded => {}
            Attempt::Stopped => return Ok(BisectVerdict::Stopped),
            attempt => return Ok(BisectVerdict::FailsBefore(attempt)),
        }
        match at(*last).await? {
            Attempt::Succeeded => return Ok(BisectVerdict::SucceedsAfter),
            Attempt::Stopped => return Ok(BisectVerdict::Stopped),
            Attempt::Failed(_) | Attempt::TimedOut => {}
        }
        let (mut good, mut bad) = (0, places.len() - 1);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            match at(places.get(middle).copied().unwrap_or_default()).await? {
                Attempt::Succeeded => good = middle,
                Attempt::Stopped => return Ok(BisectVerdict::Stopped),
                Attempt::Failed(_) | Attempt::TimedOut => bad = middle,
            }
        }
        let (from, to) = (places.get(good).copied().unwrap_or(0), places.get(bad).copied().unwrap_or(0));
        Ok(BisectVerdict::Broken((from..to).filter_map(|call| self.culprit(call)).collect()))
    }

    /// The positions at which all files are known; before the first call they are.
    fn known(&self) -> Vec<usize> {
        let is_known =
            |place: &usize| self.files.values().all(|states| matches!(states.get(*place), Some(Some(_))));
        (0..=self.calls.len()).filter(is_known).collect()
    }

    /// Sets all files to what they were when these calls were over and no others; those that are not known are left, and named.
    ///
    /// # Errors
    /// A sentence: one cannot be written.
    pub(crate) fn set_after(
        &self,
        folder: &TrialFolder,
        over: &BTreeSet<CallId>,
    ) -> Result<Vec<PathBuf>, String> {
        let is_over = |step: &FileStep| step.change.call.is_none_or(|call| over.contains(&call));
        let is_earlier = |call: &&Vec<FileStep>| call.iter().all(is_over);
        let place = self.calls.iter().take_while(is_earlier).count();
        self.set(folder, place)?;
        let is_unknown = |states: &&States| !matches!(states.get(place), Some(Some(_)));
        Ok(self.files.iter().filter(|(_, states)| is_unknown(states)).map(|(file, _)| file.clone()).collect())
    }

    /// Sets all files to what they are after so many calls.
    fn set(&self, folder: &TrialFolder, place: usize) -> Result<(), String> {
        for (file, states) in &self.files {
            if let Some(Some(content)) = states.get(place) {
                folder.set(file, content.as_deref())?;
            }
        }
        Ok(())
    }

    fn culprit(&self, call: usize) -> Option<Culprit> {
        let steps = self.calls.get(call)?;
        let by = written_by(&self.source, steps.first()?);
        let state = |file: &Path, place: usize| self.files.get(file)?.get(place)?.clone();
        let folder = real(&self.source.folder);
        let files = steps.iter().filter_map(|step| step.change.path.strip_prefix(&folder).ok());
        let diffs = files.map(|file| {
            let sides = state(file, call).zip(state(file, call + 1));
            let diff = sides.and_then(|(before, after)| {
                difference_of(&file.display().to_string(), before.as_deref(), &after.unwrap_or_default())
            });
            let diff = diff.ok_or_else(|| "it is not text, or no longer known".to_owned());
            FileDifference { path: file.to_owned(), diff }
        });
        Some(Culprit { by, diffs: diffs.collect() })
    }
}

/// What a file is before the first call, and after each.
fn states(calls: &[Vec<FileStep>], path: &Path, before: Option<Vec<u8>>, contents: &Contents<'_>) -> States {
    let mut states: States = vec![Some(before)];
    for call in calls {
        let last = call.iter().rev().find(|step| step.change.path == path);
        let state = match last {
            Some(step) => contents.after(step).ok(),
            None => states.last().cloned().flatten(),
        };
        states.push(state);
    }
    states
}

/// The folder without links, as recorded paths are.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// Copies the folder of a session; ends early when `quit` becomes true: `None`.
///
/// # Errors
/// A sentence: it cannot be copied.
pub(crate) async fn copied(
    folder: PathBuf,
    quit: &mut watch::Receiver<bool>,
) -> Result<Option<TrialFolder>, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&stop);
    let mut copying = tokio::task::spawn_blocking(move || TrialFolder::copy(&folder, &stopped));
    let made = tokio::select! {
        biased;
        made = &mut copying => made,
        _ = quit.wait_for(|quit| *quit) => {
            stop.store(true, Relaxed);
            // What was copied is gone when this has ended.
            copying.await.map(drop).ok();
            return Ok(None);
        }
    };
    made.map_err(|why| format!("the copy was cut off: {why}"))?.map(Some)
}
