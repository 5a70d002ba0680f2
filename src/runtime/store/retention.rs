//! Sessions that have not changed for long, and may go.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::subagents::above;
use super::{Summary, find, remove, summarise};

/// Most sessions that are removed when one begins: that it begins does not take long.
const MOST_AT_ONCE: usize = 200;
/// Seconds of a day.
const DAY: u64 = 86_400;

/// A session that is old enough to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Old {
    /// Its file.
    pub path: PathBuf,
    /// In short; `None`: it was left empty before its first line.
    pub summary: Option<Summary>,
    /// For how many days nothing was written.
    pub days: u64,
}

/// The sessions whose files have not changed for more than so many days, oldest last: without those that are sealed or have
/// a tag, and those that cannot be read. A file from the future is not old, whichever clock is wrong.
pub fn old(state: &Path, days: u64, now: SystemTime) -> Vec<Old> {
    candidates(state, days, now).filter_map(|(path, age)| kept_no_more(path, age)).collect()
}

/// Removes some of them, oldest first, if there is a number of days. What another process writes stays.
pub fn remove_old(state: &Path, days: Option<u64>, now: SystemTime) {
    let Some(days) = days else { return };
    let mut candidates: Vec<_> = candidates(state, days, now).collect();
    candidates.sort_by_key(|(_, age)| std::cmp::Reverse(*age));
    // Those that stay are looked at each time, and do not keep the others from going.
    let old = candidates.into_iter().filter_map(|(path, age)| kept_no_more(path, age));
    for old in old.take(MOST_AT_ONCE) {
        match remove_if_old(state, &old, days, now) {
            Ok(()) => {
                tracing::info!(session = %old.path.display(), days = old.days, "an old session was removed");
            }
            Err(fault) => tracing::info!(session = %old.path.display(), %fault, "an old session stays"),
        }
    }
}

/// Removes one, unless it has changed since it was found.
///
/// # Errors
/// A sentence: it is not old any more, somebody has it, or it cannot be removed.
pub fn remove_if_old(state: &Path, old: &Old, days: u64, now: SystemTime) -> Result<(), String> {
    if age(&old.path, now).is_none_or(|age| !is_older(age, days)) {
        return Err(format!("{} has changed", old.path.display()));
    }
    remove(state, &old.path)
}

fn candidates(state: &Path, days: u64, now: SystemTime) -> impl Iterator<Item = (PathBuf, Duration)> {
    let mut files = find::files(state);
    let ids: BTreeSet<String> = files.iter().filter_map(|path| id_of(path)).map(str::to_owned).collect();
    // What a sub-agent wrote goes with the session above it, and is no session of its own until that is gone.
    files.retain(|path| id_of(path).is_none_or(|id| !above(id).any(|above| ids.contains(above))));
    files.into_iter().filter_map(move |path| {
        let age = age(&path, now).filter(|age| is_older(*age, days))?;
        Some((path, age))
    })
}

fn id_of(path: &Path) -> Option<&str> {
    path.file_stem()?.to_str()
}

fn kept_no_more(path: PathBuf, age: Duration) -> Option<Old> {
    let summary = match summarise(&path) {
        Ok(summary) if summary.is_sealed || !summary.tags.is_empty() => return None,
        Ok(summary) => Some(summary),
        Err(_) if find::is_unwritten(&path) => None,
        Err(_) => return None,
    };
    Some(Old { path, summary, days: age.as_secs() / DAY })
}

/// For how long a file has not changed; `None`: it is from the future, or nobody knows.
fn age(path: &Path, now: SystemTime) -> Option<Duration> {
    let found = std::fs::symlink_metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    now.duration_since(found.modified().ok()?).ok()
}

fn is_older(age: Duration, days: u64) -> bool {
    age > Duration::from_secs(days.saturating_mul(DAY))
}
