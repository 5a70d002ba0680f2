//! What becomes of the worktree of a sub-agent whose process died, and what is said of it.

use std::path::Path;
use std::sync::Arc;

use super::LaneTerms;
use super::worktree::{Worktree, worktree_of};
use crate::ledger::{Body, Entry, Escrow};
use crate::runtime::git;

/// Of one that has worked: what a lane of a race made becomes its branch.
pub(super) fn of_one_that_worked(cwd: &Path, entries: &[Arc<Entry>], escrow: &Escrow) -> Option<String> {
    let top = worktree_of(cwd, &escrow.session)?;
    Some(match terms(entries, escrow) {
        Some(terms) => match Worktree::left(cwd, top.clone(), terms.base) {
            Ok(left) => left.end_as(&terms.branch),
            Err(why) => format!("Its changes are in {}, which is no branch: {why}.", top.display()),
        },
        None => still_there(&top),
    })
}

/// Of one that never began: it goes, unless something is in it that git did not put there.
pub(super) fn of_one_unbegun(cwd: &Path, entries: &[Arc<Entry>], escrow: &Escrow) -> Option<String> {
    let top = worktree_of(cwd, &escrow.session)?;
    let began =
        terms(entries, escrow).map_or_else(|| git(cwd, ["rev-parse", "HEAD"]), |terms| Ok(terms.base));
    let left = began.and_then(|began| Worktree::left(cwd, top.clone(), began));
    left.and_then(|left| left.end_unused()).is_err().then(|| still_there(&top))
}

/// Of one whose ledger says nothing that can be believed: nothing is done about it.
pub(super) fn of_one_unknown(cwd: &Path, escrow: &Escrow) -> Option<String> {
    worktree_of(cwd, &escrow.session).map(|top| still_there(&top))
}

fn still_there(top: &Path) -> String {
    format!("Its git worktree is still there: {}.", top.display())
}

/// What it was given, if it is a lane of a race.
fn terms(entries: &[Arc<Entry>], escrow: &Escrow) -> Option<LaneTerms> {
    entries.iter().find_map(|entry| match &entry.body {
        Body::Command(call) if call.id == escrow.call => LaneTerms::read(&call.arguments).ok(),
        _ => None,
    })
}
