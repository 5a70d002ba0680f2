//! What a lane made, taken into the folder; and the branches of a race removed.

use std::collections::BTreeSet;
use std::path::Path;

use memchr::memmem;
use serde_json::json;

use super::LaneStanding;
use super::told::changed;
use crate::agent::{ADOPTED, Adoption};
use crate::ledger::Arguments;
use crate::policy::shell::shell_word;
use crate::runtime::store::subagents::started_by;
use crate::runtime::{SessionStore, changed_files, git};
use crate::session::subagents::as_made;

/// Where git keeps the branches of races.
const RACES: &str = "refs/heads/race";

/// The adoption of what this lane made, as the session is told of it.
///
/// # Errors
/// Why there is nothing to take, in one sentence.
pub(crate) fn adoption(lanes: &[LaneStanding], lane: u64, folder: &Path) -> Result<Adoption, String> {
    let Some(standing) = lanes.iter().find(|one| one.lane == lane) else {
        let last = lanes.last().map_or(0, |one| one.lane);
        return Err(format!("the race has no lane {lane}; its lanes are 1 to {last}"));
    };
    if let Some(why) = &standing.damage {
        return Err(format!("nothing was taken: {why}"));
    }
    let Some((commit, _)) = &standing.made else {
        return Err(match (&standing.settled, &standing.forsaken) {
            (None, Some(_)) if standing.never_began() => {
                format!("lane {lane} never began, and the process of its race is gone")
            }
            (None, Some(session)) => format!(
                "the process that ran lane {lane} is gone: `countersign resume {}` saves what it made as a \
                 branch",
                shell_word(session)
            ),
            (Some(_), _) if standing.session.is_none() => format!("lane {lane} was not started"),
            (Some(_), _) => format!("lane {lane} changed no file, or its branch is gone"),
            (None, None) if standing.waits => format!("lane {lane} waits for its turn"),
            (None, None) => format!("lane {lane} is still at work"),
        });
    };
    if let Some(why) = changed(standing) {
        return Err(format!("nothing was taken: {why}"));
    }
    let base = &standing.terms.base;
    let files: Vec<String> = changed_files(folder, base, commit)?.into_iter().map(|file| file.path).collect();
    if files.is_empty() {
        let branch = &standing.terms.branch;
        return Err(format!(
            "lane {lane} changed nothing in this folder; what it changed is outside it, in the branch {branch}"
        ));
    }
    let mut arguments = json!({ "lane": lane, "base": base, "commit": commit, "files": files });
    // Where the folder is not what the lane began with, these are why.
    let adopted: Vec<u64> = lanes.iter().filter(|one| one.is_adopted).map(|one| one.lane).collect();
    if let Some(members) = arguments.as_object_mut().filter(|_| !adopted.is_empty()) {
        members.insert(ADOPTED.to_owned(), adopted.into());
    }
    let arguments = Arguments::from_value(arguments);
    let typed = format!("Adopt lane {lane} of the race");
    Ok(Adoption { typed, line: format!("/adopt {lane}"), arguments })
}

/// The branches of the last race of the session in this file that are still there. Those of a fork belong to the session that had the race.
pub(crate) fn branches_of(state: &Path, session: &Path, folder: &Path, id: &str) -> Vec<String> {
    // A race can be anywhere in a session. Most folders have no branch of one, and most sessions name none: of these nothing is decoded.
    if let Ok(branches) = git(folder, ["for-each-ref", "--format=%(refname)", RACES])
        && (branches.is_empty()
            || !SessionStore::bytes(session).is_ok_and(|bytes| names_one(&branches, &bytes)))
    {
        return Vec::new();
    }
    let entries = SessionStore::read(session).map(|file| file.entries).unwrap_or_default();
    let is_its = |one: &LaneStanding| one.session.as_deref().and_then(started_by).is_none_or(|by| by == id);
    let lanes = super::lanes(state, &entries, folder, false);
    let made = lanes.into_iter().filter(|one| one.made.is_some() && is_its(one));
    made.map(|one| one.terms.branch).collect()
}

/// Whether a session names a race that one of these branches is of, a line each.
fn names_one(branches: &str, session: &[u8]) -> bool {
    let races: BTreeSet<&str> = branches
        .lines()
        .filter_map(|branch| Some(branch.strip_prefix("refs/heads/")?.rsplit_once('/')?.0))
        .collect();
    races.into_iter().any(|race| memmem::find(session, race.as_bytes()).is_some())
}

/// Removes the branches of a race, except those that somebody went on with. Says which, a line each.
///
/// # Errors
/// A lane is not over, so that its branch would come afterwards; or what git says.
pub(crate) fn drop_branches(lanes: &[LaneStanding], folder: &Path) -> Result<Vec<String>, String> {
    if let Some(session) = lanes.iter().find_map(|one| one.forsaken.as_deref()) {
        return Err(format!(
            "nothing was removed: the process that ran the lanes is gone; run `countersign resume {}` \
             first, which saves what they made as branches",
            shell_word(session)
        ));
    }
    if let Some(one) = lanes.iter().find(|one| one.settled.is_none() && one.has_begun()) {
        return Err(format!(
            "nothing was removed: lane {} is still at work; wait for it, or stop it",
            one.lane
        ));
    }
    let mut told = Vec::new();
    for one in lanes {
        let branch = &one.terms.branch;
        let Some((commit, _)) = &one.made else { continue };
        if one.changed_from.is_some() {
            told.push(format!("kept {branch}: it was changed after the lane had ended"));
            continue;
        }
        // Only if it is still what the lane made.
        git(folder, ["update-ref", "-d", &format!("refs/heads/{branch}"), commit])?;
        git(folder, ["update-ref", "-d", &as_made(branch)])?;
        told.push(format!("removed {branch}"));
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_that_names_no_race_of_these_branches_is_not_one_of_theirs() {
        let branches = "refs/heads/race/0a1b/1\nrefs/heads/race/0a1b/2\nrefs/heads/race/77ff/1";
        for (line, is_named) in [
            (r#"{"arguments":{"branch":"race/0a1b/3"}}"#, true),
            (r#"{"arguments":{"branch":"race/77ff/1"}}"#, true),
            (r#"{"arguments":{"branch":"race/0a1c/1"}}"#, false),
            (r#"{"text":"a race in refs/heads"}"#, false),
        ] {
            assert_eq!(names_one(branches, line.as_bytes()), is_named, "{line}");
        }
        assert!(!names_one("", b"race/0a1b/1"));
    }
}
