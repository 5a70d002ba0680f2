//! What if: a session that leaves another one before a decision or a message, in a copy of its folder as it was then.

mod brancher;
mod origin;
mod otherwise;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use uuid::Uuid;

use crate::config::fault::Fault;
use crate::ledger::{Body, Entry, EntryId, Millis};
use crate::recorded::{Crossroads, Departure, Twist, TwistFault};
use crate::runtime::trial::TrialFolder;
use crate::runtime::undo::Snapshots;
use crate::session::bisect::SessionWalk;
use crate::session::branching::Trunk;

pub(crate) use brancher::Brancher;
pub(crate) use otherwise::{Typed, first, twist};

/// A branch that can go on.
pub(crate) struct Branch {
    /// Its session.
    pub(crate) id: String,
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// What goes otherwise in it.
    pub(crate) twist: Twist,
    /// What to know beside it.
    pub(crate) remarks: Vec<String>,
}

/// Where a branch leaves its session before what came of an entry.
///
/// # Errors
/// Nothing could have gone otherwise there: says what to name instead.
pub(crate) fn departure(entries: &[Arc<Entry>], at: EntryId) -> Result<Departure, Fault> {
    let left = Departure::before(entries, at).map_err(|why| {
        let next = match why {
            TwistFault::NeverDecided(_)
            | TwistFault::OwnCommand(_)
            | TwistFault::NoEntry(_)
            | TwistFault::NothingToChange(_) => {
                "`countersign sessions show SESSION --json` lists its entries; name a message, or a call \
                 that was decided about"
            }
            TwistFault::Undecided(_) => "resume the session and decide",
        };
        Fault::usage(why.to_string(), next)
    })?;
    not_changed_before(entries, at, &left)?;
    Ok(left)
}

/// That a person did not change the call between where the branch leaves and the entry that is named: the branch would decide about the call
/// as it was before.
fn not_changed_before(entries: &[Arc<Entry>], at: EntryId, left: &Departure) -> Result<(), Fault> {
    let Crossroads::Decision(call) = left.crossroads else { return Ok(()) };
    let is_change =
        |entry: &&Arc<Entry>| matches!(&entry.body, Body::CallEdited(changed) if changed.id == call);
    let between = |entry: &&Arc<Entry>| entry.id >= left.first && entry.id < at;
    match entries.iter().filter(between).find(is_change) {
        Some(change) => Err(Fault::usage(
            format!("{call} was changed by a person before {at}, and nobody was asked about it after that"),
            format!("name {}, the change itself, and give the arguments with --edit", change.id),
        )),
        None => Ok(()),
    }
}

/// Makes the branch: the copy of the folder, then the session. `here`: it goes on in the folder of the other one.
///
/// # Errors
/// The folder cannot be copied, what is allowed would reach out of the copy, or the session cannot be written.
pub(crate) fn branch(
    trunk: &Trunk<'_>,
    (twist, departure, entries): (&Twist, &Departure, &[Arc<Entry>]),
    (folder, here): (&Path, bool),
    home: Option<PathBuf>,
    now: Millis,
) -> Result<Branch, Fault> {
    let id = Uuid::now_v7().to_string();
    let (place, twist, remarks) = match here {
        true => (folder.to_owned(), twist.clone(), Vec::new()),
        false => {
            let copy = copied(trunk, (departure, entries), folder, home.clone())?;
            let places = (folder, copy.folder.path());
            let twist = origin::kept_in_copy((twist, departure), entries, places, home.clone())?;
            (copy.folder.keep(), twist, copy.remarks)
        }
    };
    let branched = trunk.branch_before(departure.first, &place, (&id, now, home))?;
    let remarks = remarks.into_iter().chain(branched.remark).collect();
    Ok(Branch { id, folder: place, twist, remarks })
}

/// A copy that is gone unless it is kept.
struct FolderCopy {
    folder: TrialFolder,
    remarks: Vec<String>,
}

/// A copy of the folder in which the files that the session changed are as they were at the departure.
fn copied(
    trunk: &Trunk<'_>,
    (departure, entries): (&Departure, &[Arc<Entry>]),
    folder: &Path,
    home: Option<PathBuf>,
) -> Result<FolderCopy, Fault> {
    let failed = |why: String| Fault::failed(why, "branch with --here, or --offline");
    // Beside the folder, as worktrees of git are: what lies in hidden folders or in those of the program is hidden from tools.
    let copy = TrialFolder::copy_beside(folder, &AtomicBool::new(false)).map_err(failed)?;
    let mut remarks = Vec::new();
    // A session that changed no file has nothing to walk.
    if let Ok(walk) = SessionWalk::of(trunk.path, home) {
        let unknown = walk.set_after(&copy, &departure.over).map_err(failed)?;
        let left = walk.left.iter().map(|(file, _)| file).chain(&unknown);
        remarks.extend(
            left.map(|file| format!("{} is as it is now: its earlier content is not kept", file.display())),
        );
    }
    let nested = copy.nested().iter().map(|folder| {
        format!(
            "{} is a repository of its own: its files are in the copy, its history is not",
            folder.display()
        )
    });
    remarks.extend(nested);
    remarks.extend(copy.shared_in_words());
    // What nobody has recorded cannot be taken back.
    let unrecorded = Snapshots::beside(trunk.path).unrecorded(entries);
    let later: Vec<String> = unrecorded
        .calls
        .iter()
        .filter(|call| !departure.over.contains(call))
        .map(ToString::to_string)
        .collect();
    if unrecorded.restored > 0 {
        remarks.push("files that /undo restored may differ: the session has no record of it".to_owned());
    }
    if !later.is_empty() {
        remarks.push(format!(
            "files that {} changed are as they are now: the session has no record of these changes",
            later.join(", ")
        ));
    }
    remarks.push(
        "changes made by commands are not tracked; files that they changed are as they are now".to_owned(),
    );
    Ok(FolderCopy { folder: copy, remarks })
}
