//! What a lane made, taken into the folder; and the branches of a race removed.

use std::path::Path;

use serde_json::json;

use super::LaneStanding;
use crate::agent::Adoption;
use crate::ledger::Arguments;
use crate::runtime::{git, git_bytes};

/// The adoption of what this lane made, as the session is told of it.
///
/// # Errors
/// Why there is nothing to take, in one sentence.
pub(crate) fn adoption(lanes: &[LaneStanding], lane: u64, folder: &Path) -> Result<Adoption, String> {
    let Some(standing) = lanes.iter().find(|one| one.lane == lane) else {
        let last = lanes.last().map_or(0, |one| one.lane);
        return Err(format!("the race has no lane {lane}; its lanes are 1 to {last}"));
    };
    let Some((commit, _)) = &standing.made else {
        return Err(match standing.settled {
            Some(_) => format!("lane {lane} changed no file, or its branch is gone"),
            None => format!("lane {lane} is still at work"),
        });
    };
    let base = &standing.terms.base;
    let files = files(folder, base, commit)?;
    if files.is_empty() {
        return Err(format!("lane {lane} changed nothing in this folder"));
    }
    let arguments = json!({ "lane": lane, "base": base, "commit": commit, "files": files });
    let arguments = Arguments::from_value(arguments);
    Ok(Adoption { typed: format!("Adopt lane {lane} of the race"), arguments })
}

/// The files of this folder that are different.
fn files(folder: &Path, base: &str, commit: &str) -> Result<Vec<String>, String> {
    let words = [
        "diff-tree",
        "-r",
        "-z",
        "--name-only",
        "--no-renames",
        "--no-commit-id",
        "--relative",
        base,
        commit,
    ];
    let printed = git_bytes(folder, words)?;
    let names = String::from_utf8(printed)
        .map_err(|_other| "a file's name is no text; merge the branch with git".to_owned())?;
    Ok(names.split_terminator('\0').map(str::to_owned).collect())
}

/// Removes the branches of a race. Says which.
///
/// # Errors
/// What git says.
pub(crate) fn drop_branches(lanes: &[LaneStanding], folder: &Path) -> Result<Vec<String>, String> {
    let mut dropped = Vec::new();
    for one in lanes {
        let Some((commit, _)) = &one.made else { continue };
        // Only if it is still what the lane made.
        git(folder, ["update-ref", "-d", &format!("refs/heads/{}", one.terms.branch), commit])?;
        dropped.push(one.terms.branch.clone());
    }
    Ok(dropped)
}
