//! What if: a session that leaves another one before a decision or a message, in a copy of its folder as it was then.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use uuid::Uuid;

use crate::config::fault::Fault;
use crate::ledger::{Body, CallId, Entry, EntryId, Injector, Millis};
use crate::recorded::{Crossroads, TwistFault};
use crate::runtime::trial::TrialFolder;
use crate::session::bisect::SessionWalk;
use crate::session::branching::Trunk;

/// Where a branch leaves its session.
pub(crate) struct Departure {
    /// What could have gone otherwise.
    pub(crate) crossroads: Crossroads,
    /// The first entry that the branch does not have.
    pub(crate) first: EntryId,
    /// The calls that were over there.
    pub(crate) over: BTreeSet<CallId>,
    /// The request that waits there, if a call does.
    pub(crate) request: Option<EntryId>,
}

/// A branch that can go on.
pub(crate) struct Branch {
    /// Its session.
    pub(crate) id: String,
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// What to know beside it.
    pub(crate) remarks: Vec<String>,
}

impl Departure {
    /// Before what came of an entry.
    ///
    /// # Errors
    /// Nothing could have gone otherwise there: says what to name instead.
    pub(crate) fn before(entries: &[Arc<Entry>], at: EntryId) -> Result<Self, Fault> {
        let crossroads = Crossroads::at(entries.iter().map(AsRef::as_ref), at).map_err(|why| {
            let next = match why {
                TwistFault::DecidedByRules(_) => {
                    "try other rules with `countersign policy test`, or name a call that a person decided about"
                }
                TwistFault::NoEntry(_) | TwistFault::NothingToChange(_) => {
                    "`countersign sessions show SESSION --json` lists its entries; name a message, or a call that waited"
                }
            };
            Fault::usage(why.to_string(), next)
        })?;
        match crossroads {
            Crossroads::Message(message) => {
                let at = entries.iter().position(|entry| entry.id == message).unwrap_or_default();
                let earlier = entries.get(..at).unwrap_or_default().iter().rev();
                let facts = earlier.take_while(|entry| is_environment(&entry.body)).last();
                let first = facts.map_or(message, |entry| entry.id);
                Ok(Self { crossroads, first, over: over(entries, first), request: None })
            }
            Crossroads::Decision(call) => {
                let (request, first) = decided(entries, call).ok_or_else(|| {
                    Fault::usage(
                        format!("nobody has decided about {call} yet"),
                        "resume the session and decide",
                    )
                })?;
                Ok(Self { crossroads, first, over: over(entries, first), request: Some(request) })
            }
        }
    }
}

/// The calls that had their result before an entry.
fn over(entries: &[Arc<Entry>], first: EntryId) -> BTreeSet<CallId> {
    let before = entries.iter().take_while(|entry| entry.id != first);
    let ended = |entry: &Arc<Entry>| match &entry.body {
        Body::ToolResult(result) => Some(result.call),
        _ => None,
    };
    before.filter_map(ended).collect()
}

/// What each process tells of its environment stands before a message, and is told anew.
fn is_environment(body: &Body) -> bool {
    matches!(body, Body::Injected(said) if said.by == Injector::Environment)
}

/// The first request about a call, and the entry that answered it.
fn decided(entries: &[Arc<Entry>], call: CallId) -> Option<(EntryId, EntryId)> {
    let asks =
        |entry: &&Arc<Entry>| matches!(&entry.body, Body::ApprovalRequested(asked) if asked.call == call);
    let request = entries.iter().find(asks)?.id;
    let answers = |entry: &&Arc<Entry>| match &entry.body {
        Body::ApprovalDecided(decision) => decision.call == call && entry.id > request,
        Body::CallEdited(edited) => edited.id == call && entry.id > request,
        _ => false,
    };
    Some((request, entries.iter().find(answers)?.id))
}

/// Makes the branch: the copy of the folder, then the session. `here`: it goes on in the folder of the other one.
///
/// # Errors
/// The folder cannot be copied, or the session cannot be written.
pub(crate) fn branch(
    trunk: &Trunk<'_>,
    departure: &Departure,
    (folder, here): (&Path, bool),
    home: Option<PathBuf>,
    now: Millis,
) -> Result<Branch, Fault> {
    let id = Uuid::now_v7().to_string();
    let (place, remarks) = match here {
        true => (folder.to_owned(), Vec::new()),
        false => copied(trunk, departure, folder, home)?,
    };
    trunk.branch_before(departure.first, &place, &id, now)?;
    Ok(Branch { id, folder: place, remarks })
}

/// A copy of the folder in which the files that the session changed are as they were at the departure.
fn copied(
    trunk: &Trunk<'_>,
    departure: &Departure,
    folder: &Path,
    home: Option<PathBuf>,
) -> Result<(PathBuf, Vec<String>), Fault> {
    let failed = |why: String| Fault::failed(why, "branch with --here, or --offline");
    // Beside the folder, as worktrees of git are: what lies in hidden folders or in those of the program is hidden from tools.
    let place = folder.parent().unwrap_or(folder);
    let copy = TrialFolder::copy_in(place, folder, &AtomicBool::new(false)).map_err(failed)?;
    let mut remarks = Vec::new();
    // A session that changed no file has nothing to walk.
    if let Ok(walk) = SessionWalk::of(trunk.path, home) {
        let unknown = walk.set_after(&copy, &departure.over).map_err(failed)?;
        let left = walk.left.iter().map(|(file, _)| file).chain(&unknown);
        remarks
            .extend(left.map(|file| format!("{} is as it is now: what it was is not kept", file.display())));
    }
    remarks.push(
        "changes made by commands are not tracked; files that they changed are as they are now".to_owned(),
    );
    Ok((copy.keep(), remarks))
}
