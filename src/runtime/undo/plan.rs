//! What an undo would do, worked out before anything is touched: pure, from the record and the files as they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use crate::ledger::CallId;

use super::record::{Change, Content, Hash};

/// Which changes are to be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoScope {
    /// Those of these calls: a turn's.
    Calls(BTreeSet<CallId>),
    /// That of this call and all later ones.
    Since(CallId),
}

/// What an undo would do. It can be done when nothing is refused.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// The first of the calls that would be taken back, if any was named.
    pub since: Option<CallId>,
    /// What would be changed, in the order of paths.
    pub steps: Vec<PlannedChange>,
    /// Files that are already what they would become.
    pub already: Vec<PathBuf>,
    /// Why it is not done.
    pub refused: Vec<Refusal>,
}

/// One file that would be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedChange {
    /// The file.
    pub path: PathBuf,
    /// What it is.
    pub from: Content,
    /// What becomes of it.
    pub action: FileAction,
    /// The permissions that it had, for one that has to be made anew.
    pub mode: Option<u32>,
    /// Whether it could be run, if that was changed.
    pub runs: Option<bool>,
    /// The first of the folders that were made for it: removed with it where they are empty.
    pub made: Option<PathBuf>,
}

/// What becomes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileAction {
    /// It gets this content again.
    Restore(Hash),
    /// It was not there before, and goes.
    Delete,
}

/// A file that cannot be taken back, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub why: Why,
}

/// Why a file cannot be taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It is not what the agent left: somebody changed it since.
    ChangedSince,
    /// The agent left it there, and it is gone.
    GoneSince,
    /// A later call, which is not to be taken back, changed it too.
    ChangedLater(CallId),
    /// Somebody changed it between two of the agent's changes; that would be lost.
    ChangedBetween,
    /// It was too large to be kept: so many bytes.
    TooLarge(u64),
    /// The books know of no call that changed it: the record is not theirs.
    NotInBooks,
    /// It cannot be looked at.
    Unreadable(String),
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ChangedSince => f.write_str("was changed since by someone else"),
            Self::GoneSince => f.write_str("was removed since by someone else"),
            Self::ChangedLater(call) => write!(f, "was changed again later, by {call}; undo that first"),
            Self::ChangedBetween => {
                f.write_str("was changed by someone else between two changes of the agent")
            }
            Self::TooLarge(bytes) => {
                write!(f, "was too large to save ({bytes} bytes), so its earlier content is gone")
            }
            Self::NotInBooks => {
                f.write_str("was not changed like that by this session: the undo record is wrong")
            }
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

/// Works out what an undo would do. `look` says what a file is now, `is_in_books` whether the books know of a change.
///
/// A change on record may not have happened: the record is written first, and the process may have died between. So
/// a file that is still what it was before its last change counts as the agent's, too.
pub fn plan(
    changes: &[Change],
    which: &UndoScope,
    is_in_books: impl Fn(&Change) -> bool,
    look: impl Fn(&Path) -> Result<Content, String>,
) -> Plan {
    let since = match which {
        UndoScope::Calls(calls) => calls.first().copied(),
        UndoScope::Since(call) => Some(*call),
    };
    let mut plan = Plan { since, ..Plan::default() };
    for (path, chain) in chains(changes, which) {
        let Some((first, last)) = chain.first().zip(chain.last()) else { continue };
        if !chain.iter().all(|change| is_in_books(change)) {
            plan.refused.push(Refusal { path: path.to_owned(), why: Why::NotInBooks });
            continue;
        }
        let found = match look(path) {
            Ok(found) => found,
            Err(why) => {
                plan.refused.push(Refusal { path: path.to_owned(), why: Why::Unreadable(why) });
                continue;
            }
        };
        let runs = ran(changes, &chain);
        if found == first.before && runs.is_none() && !matches!(found, Content::Large(_)) {
            plan.already.push(path.to_owned());
            continue;
        }
        let is_ours = found == last.after || found == last.before;
        let why = match (&first.before, &found) {
            (Content::Large(bytes), _) => Some(Why::TooLarge(*bytes)),
            (_, found) if matches!(found, Content::Large(_)) || !is_ours => {
                Some(changed_since(changes, last, found))
            }
            _ if !is_unbroken(&chain) => Some(Why::ChangedBetween),
            _ => None,
        };
        match why {
            Some(why) => plan.refused.push(Refusal { path: path.to_owned(), why }),
            None => plan.steps.push(PlannedChange { runs, ..step(first, found) }),
        }
    }
    plan
}

/// The chosen changes of each file, oldest first.
fn chains<'a>(changes: &'a [Change], which: &UndoScope) -> BTreeMap<&'a Path, Vec<&'a Change>> {
    let mut chains: BTreeMap<&Path, Vec<&Change>> = BTreeMap::new();
    let mut has_begun = false;
    for change in changes {
        let is_chosen = match (which, change.call) {
            (UndoScope::Calls(calls), call) => call.is_some_and(|call| calls.contains(&call)),
            (UndoScope::Since(first), Some(call)) => call >= *first,
            // An undo that came after it.
            (UndoScope::Since(_), None) => has_begun,
        };
        if is_chosen {
            has_begun = true;
            chains.entry(&change.path).or_default().push(change);
        }
    }
    chains
}

/// Whether each change began with what the one before left, or with what that one began with, if it never happened.
fn is_unbroken(chain: &[&Change]) -> bool {
    chain.windows(2).all(|pair| match pair {
        [one, next] => next.before == one.after || next.before == one.before,
        _ => true,
    })
}

fn changed_since(changes: &[Change], last: &Change, found: &Content) -> Why {
    let later = changes.iter().rev().take_while(|change| *change != last);
    let left = later.filter(|change| change.path == last.path && change.after == *found);
    match (left.filter_map(|change| change.call).next(), found) {
        (Some(call), _) => Why::ChangedLater(call),
        (None, Content::Absent) => Why::GoneSince,
        (None, _) => Why::ChangedSince,
    }
}

/// Whether a file could be run before the chosen changes, where the last that is on record of it says otherwise.
fn ran(changes: &[Change], chain: &[&Change]) -> Option<bool> {
    let path = &chain.first()?.path;
    let left = changes.iter().rev().filter(|change| change.path == *path).find_map(|change| change.runs);
    chain.iter().find_map(|change| change.ran()).filter(|ran| left != Some(*ran))
}

fn step(first: &Change, found: Content) -> PlannedChange {
    let action = match &first.before {
        Content::Known(hash) => FileAction::Restore(hash.clone()),
        Content::Absent | Content::Large(_) => FileAction::Delete,
    };
    PlannedChange {
        path: first.path.clone(),
        from: found,
        action,
        mode: first.mode,
        runs: None,
        made: first.made.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> Content {
        if text.is_empty() { Content::Absent } else { Content::Known(Hash::of(text.as_bytes())) }
    }

    fn change(call: u64, path: &str, before: &str, after: &str) -> Change {
        Change {
            call: (call > 0).then_some(CallId(call)),
            path: path.into(),
            before: content(before),
            after: content(after),
            mode: None,
            runs: None,
            made: None,
        }
    }

    /// What would be done about the one file: `restore a`, `delete`, `already`, or why not.
    fn about(changes: &[Change], which: &UndoScope, now: &str) -> String {
        let plan = plan(changes, which, |_| true, |_| Ok(content(now)));
        match (plan.steps.as_slice(), plan.already.as_slice(), plan.refused.as_slice()) {
            ([step], [], []) if step.action == FileAction::Delete => "delete".to_owned(),
            ([step], [], []) => {
                let of = |text: &&str| step.action == FileAction::Restore(Hash::of(text.as_bytes()));
                format!("restore {}", ["a", "b", "c"].into_iter().find(of).unwrap())
            }
            ([], [_], []) => "already".to_owned(),
            ([], [], [refusal]) => format!("{:?}", refusal.why),
            ([], [], []) => "nothing".to_owned(),
            other => panic!("{other:?}"),
        }
    }

    fn calls(calls: &[u64]) -> UndoScope {
        UndoScope::Calls(calls.iter().copied().map(CallId).collect())
    }

    #[test]
    fn a_turn_goes_back_to_what_was_before_it() {
        let changes = [change(1, "/f", "a", "b"), change(2, "/f", "b", "c")];
        assert_eq!(about(&changes, &calls(&[1, 2]), "c"), "restore a");
        assert_eq!(about(&changes, &calls(&[2]), "c"), "restore b");
        assert_eq!(about(&changes, &UndoScope::Since(CallId(1)), "c"), "restore a");
        assert_eq!(about(&changes, &UndoScope::Since(CallId(2)), "c"), "restore b");
        assert_eq!(about(&changes, &calls(&[1, 2]), "a"), "already");
        assert_eq!(about(&changes, &calls(&[3]), "c"), "nothing");
        let made = [change(1, "/f", "", "b")];
        assert_eq!(about(&made, &calls(&[1]), "b"), "delete");
        assert_eq!(about(&made, &calls(&[1]), ""), "already");
    }

    #[test]
    fn what_somebody_else_changed_is_left_alone() {
        let changes = [change(1, "/f", "a", "b"), change(2, "/f", "b", "c")];
        assert_eq!(about(&changes, &calls(&[1, 2]), "theirs"), "ChangedSince");
        assert_eq!(about(&changes, &calls(&[1, 2]), ""), "GoneSince");
        assert_eq!(about(&changes, &calls(&[1]), "c"), "ChangedLater(CallId(2))");
        let broken = [change(1, "/f", "a", "b"), change(2, "/f", "theirs", "c")];
        assert_eq!(about(&broken, &calls(&[1, 2]), "c"), "ChangedBetween");
        assert_eq!(about(&broken, &calls(&[2]), "theirs"), "already");
    }

    #[test]
    fn a_change_that_never_happened_stands_in_nobodys_way() {
        let died = [change(1, "/f", "a", "b"), change(2, "/f", "b", "c")];
        assert_eq!(about(&died, &calls(&[1, 2]), "b"), "restore a");
        let went_on = [change(1, "/f", "a", "b"), change(2, "/f", "a", "c")];
        assert_eq!(about(&went_on, &calls(&[1, 2]), "c"), "restore a");
    }

    #[test]
    fn an_undo_is_a_change_like_others() {
        let undone = [change(1, "/f", "a", "b"), change(0, "/f", "b", "a")];
        assert_eq!(about(&undone, &calls(&[1]), "a"), "already");
        let again = [change(1, "/f", "a", "b"), change(0, "/f", "b", "a"), change(2, "/f", "a", "c")];
        assert_eq!(about(&again, &UndoScope::Since(CallId(1)), "c"), "restore a");
        assert_eq!(about(&again, &calls(&[2]), "c"), "restore a");
        assert_eq!(about(&again, &UndoScope::Since(CallId(3)), "c"), "nothing");
        // The restore on record was cut off: it is done now.
        assert_eq!(about(&undone, &calls(&[1]), "b"), "restore a");
    }

    #[test]
    fn what_was_not_kept_is_said() {
        let mut large = change(1, "/f", "", "b");
        large.before = Content::Large(11 << 20);
        assert_eq!(about(&[large.clone()], &calls(&[1]), "b"), "TooLarge(11534336)");
        let blind = plan(&[large], &calls(&[1]), |_| true, |_| Err("no permission".to_owned()));
        assert_eq!(blind.refused[0].why, Why::Unreadable("no permission".to_owned()));
    }
}
