//! What becomes of the worktree of a sub-agent whose process died, and what is said of it.

use std::path::Path;
use std::sync::Arc;

use super::LaneTerms;
use super::worktree::{Worktree, became, worktree_of};
use crate::ledger::{Body, Entry, Escrow};
use crate::runtime::git;

/// Of one that has worked: what a lane of a race made becomes its branch, or is it already if a process died after that.
pub(super) fn of_one_that_worked(cwd: &Path, entries: &[Arc<Entry>], escrow: &Escrow) -> Option<String> {
    let terms = terms(entries, escrow);
    let Some(top) = worktree_of(cwd, &escrow.session) else {
        return terms.and_then(|terms| became(cwd, &terms.branch));
    };
    Some(match terms {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::ledger::{CallId, EntryId, Millis, ToolUse};
    use crate::session::subagents::as_made;
    use crate::tool::DELEGATE_TO;
    use crate::tool::name::LANE;

    #[test]
    fn a_lane_whose_worktree_went_with_the_process_is_told_with_the_branch_that_it_became() {
        let place = tempfile::tempdir().unwrap();
        let home = place.path().canonicalize().unwrap().join("home");
        std::fs::create_dir(&home).unwrap();
        let run = |words: &[&str]| git(&home, words).unwrap();
        run(&["init", "-q"]);
        run(&[
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b.example",
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            "one",
        ]);
        let base = run(&["rev-parse", "HEAD"]);
        let call = CallId(1);
        let terms = LaneTerms {
            task: "Do it".to_owned(),
            model: None,
            seed: None,
            check: None,
            base: base.clone(),
            branch: "race/0a1b/1".to_owned(),
        };
        let made = ToolUse {
            id: call,
            wire_id: String::new(),
            name: format!("{DELEGATE_TO}{LANE}1"),
            arguments: terms.arguments(),
        };
        let entries = [Arc::new(Entry { id: EntryId(1), at: Millis(1), body: Body::Command(made) })];
        let escrow = Escrow {
            call,
            session: "s-c1".to_owned(),
            limits: BTreeMap::new(),
            parallel: 1,
            in_background: true,
            waits: false,
        };
        let told = || of_one_that_worked(&home, &entries, &escrow);
        assert_eq!(told(), None, "it has made nothing");
        // Whoever was killed then had made the branch and removed the worktree.
        run(&["update-ref", &as_made(&terms.branch), &base]);
        run(&["update-ref", "refs/heads/race/0a1b/1", &base]);
        let said = told().unwrap();
        assert!(said.starts_with("/adopt 1 takes its changes") && said.contains("race/0a1b/1"), "{said}");
        run(&["update-ref", "-d", "refs/heads/race/0a1b/1"]);
        assert_eq!(told(), None, "somebody removed it");
    }
}
