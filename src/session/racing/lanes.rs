//! How the lanes of a race stand: what the ledger of its session, their own ledgers and their branches say.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::decisions::{asks, check_refused, decided, is_adopted, is_half_adopted};
use crate::budget::{Limits, Meter};
use crate::ledger::{Body, CallId, Change, Ending, Entry, Escrow, EscrowSettlement, Spent, TurnEnded};
use crate::policy::is_guarded;
use crate::runtime::SessionStore;
use crate::runtime::store::subagents::started_by;
use crate::runtime::store::{exact, find, held};
use crate::runtime::{changed_files, changed_outside, git};
use crate::session::subagents::{LaneTerms, as_made, was_cut_off, worktree_of};
use crate::tool::delegate;
use crate::tool::name::LANE;

/// A lane of the last race of a session.
#[derive(Debug, Clone)]
pub(crate) struct LaneStanding {
    /// Which, counted from 1.
    pub(crate) lane: u64,
    /// What it was given.
    pub(crate) terms: LaneTerms,
    /// Its session, if it was started.
    pub(crate) session: Option<String>,
    /// Whether its session has written anything, which may be something that cannot be read.
    pub(crate) has_written: bool,
    /// Whether it waits until another lane is over.
    pub(crate) waits: bool,
    /// Whether a call of it waits for a person.
    pub(crate) asks: bool,
    /// The session of its race, if it neither settled nor is at work, nor will be: the process that ran it is gone.
    pub(crate) forsaken: Option<String>,
    /// What is wrong with its session or with that of its race, in a sentence: then nobody knows what it had to do or how it ended, and
    /// nothing of it is taken.
    pub(crate) damage: Option<String>,
    /// What it has spent, when it is over.
    pub(crate) settled: Option<EscrowSettlement>,
    /// What it has spent until now, as its own ledger says, while it is not over.
    pub(crate) so_far: Option<Spent>,
    /// The model that answered it.
    pub(crate) model: Option<String>,
    /// How its run ended.
    pub(crate) ended: Option<TurnEnded>,
    /// Why it has no run that ended, when it is over.
    pub(crate) why: Option<String>,
    /// Why its last check was not allowed to run, if it was not.
    pub(crate) check_refused: Option<String>,
    /// Decisions about its calls: allowed by a person, and denied.
    pub(crate) decided: (u64, u64),
    /// Whether what it made was taken into the folder, and not taken back.
    pub(crate) is_adopted: bool,
    /// Whether taking it was cut off, so that the folder may have a part of it.
    pub(crate) is_half_adopted: bool,
    /// Its worktree, while it is there.
    pub(crate) worktree: Option<PathBuf>,
    /// The commit of its branch, and how many files, lines more and lines less that is.
    pub(crate) made: Option<(String, [u64; 3])>,
    /// The commit that the lane made, if its branch is another one by now.
    pub(crate) changed_from: Option<String>,
    /// Files of those that are outside of the folder, so that they are not adopted.
    pub(crate) outside: Vec<String>,
    /// Files that would be adopted and that other programs run or obey without a person naming them.
    pub(crate) obeyed: Vec<String>,
}

impl LaneStanding {
    /// Whether something was set aside for it: otherwise it never was more than a call.
    pub(crate) fn has_begun(&self) -> bool {
        self.session.is_some() || self.waits
    }

    /// Whether the process that ran the race was gone before this one had begun.
    pub(crate) fn never_began(&self) -> bool {
        self.forsaken.is_some() && !self.has_written
    }

    /// What it has spent: all of it, or until now.
    pub(crate) fn spent(&self) -> Option<Spent> {
        self.settled.as_ref().map(|settled| settled.spent).or(self.so_far)
    }

    /// Whether its check passed; without a check, whether it came to its end. Nobody knows that of a branch or a session that was changed
    /// since.
    pub(crate) fn passed(&self) -> bool {
        self.changed_from.is_none() && self.damage.is_none() && self.has_passed()
    }

    /// Whether it passed at its end.
    pub(crate) fn has_passed(&self) -> bool {
        let wanted = if self.terms.check.is_some() { Ending::GoalReached } else { Ending::Completed };
        self.ended.as_ref().is_some_and(|ended| ended.reason == wanted)
    }
}

/// The lanes of the last race in a session that works in `folder`; none: it had no race. `is_open`: a process has the session open.
pub(crate) fn lanes(state: &Path, entries: &[Arc<Entry>], folder: &Path, is_open: bool) -> Vec<LaneStanding> {
    let is_lane = |body: &Body| lane_of(body).is_some();
    let Some(last) = entries.iter().rposition(|entry| is_lane(&entry.body)) else { return Vec::new() };
    let begins = entries.iter().take(last).rposition(|entry| matches!(entry.body, Body::User(_)));
    entries
        .iter()
        .skip(begins.unwrap_or(0))
        .filter_map(|entry| {
            let (lane, call, terms) = lane_of(&entry.body)?;
            let set_aside = entries.iter().find_map(|entry| match &entry.body {
                Body::Change(Change::EscrowReserved(escrow)) if escrow.call == call => Some(escrow),
                _ => None,
            });
            let is_half_adopted = is_half_adopted(entries, lane, &terms, is_open);
            let other = set_aside.and_then(|escrow| of_another(state, entries, escrow));
            let (books, is_open) = match &other {
                // Of one that cannot be read, the fork still has what it took along.
                Some(other) if other.books.is_empty() => (entries, other.is_open),
                Some(other) => (other.books.as_slice(), other.is_open),
                None => (entries, is_open),
            };
            let mut standing = standing(state, books, folder, lane, set_aside, terms);
            standing.damage =
                other.as_ref().and_then(|other| other.damage.clone()).or(standing.damage.take());
            if set_aside.is_none() {
                standing.why = refusal(entries, call);
            }
            let left = set_aside.filter(|_| standing.settled.is_none() && !is_open);
            standing.forsaken = left.map(|escrow| of_race(&escrow.session, call));
            standing.waits &= left.is_none();
            standing.asks &= left.is_none();
            standing.is_adopted = is_adopted(entries, lane, &standing.terms);
            standing.is_half_adopted = is_half_adopted && !standing.is_adopted;
            Some(standing)
        })
        .collect()
}

/// How the lanes of the last race of this session stand.
///
/// # Errors
/// The session cannot be read.
pub(crate) fn lanes_of(state: &Path, id: &str, folder: &Path) -> Result<Vec<LaneStanding>, String> {
    let Ok(path) = find(state, id) else { return Ok(Vec::new()) };
    let (file, damage) = SessionStore::audited(&path)?;
    Ok(audited_lanes(state, &file.entries, damage.as_deref(), folder, held(&path).is_some()))
}

/// The same of a session that was read from its file, and of what is wrong with that. The commit that a lane begins with, its branch and its
/// check stand in the session of the race: where that was changed, nobody knows what the lanes had to do.
pub(crate) fn audited_lanes(
    state: &Path,
    entries: &[Arc<Entry>],
    damage: Option<&str>,
    folder: &Path,
    is_open: bool,
) -> Vec<LaneStanding> {
    let mut lanes = lanes(state, entries, folder, is_open);
    if let Some(damage) = damage {
        lanes.iter_mut().for_each(|lane| lane.damage = Some(damage.to_owned()));
    }
    lanes
}

/// The session that a fork has a lane of.
struct Other {
    books: Vec<Arc<Entry>>,
    damage: Option<String>,
    /// Whether a process has it open: the lane may be at work there, whatever the fork says.
    is_open: bool,
}

/// Of a fork, the session whose lane it is. `None`: it is this session's own, or the other one is gone.
fn of_another(state: &Path, entries: &[Arc<Entry>], escrow: &Escrow) -> Option<Other> {
    let Body::SessionStarted(started) = &entries.first()?.body else { return None };
    let above = started_by(&escrow.session).filter(|above| *above != started.session)?;
    let (books, damage) = own_ledger(state, above)?;
    Some(Other { books, damage, is_open: held(&exact(state, above)?).is_some() })
}

fn lane_of(body: &Body) -> Option<(u64, CallId, LaneTerms)> {
    let Body::Command(call) = body else { return None };
    let lane = delegate(&call.name)?.strip_prefix(LANE)?.parse().ok()?;
    Some((lane, call.id, LaneTerms::read(&call.arguments).ok()?))
}

/// The ledger of a lane and what is wrong with it. One that was started and made a branch had a ledger.
fn own_or_lost(
    state: &Path,
    session: Option<&str>,
    is_made: bool,
    branch: &str,
) -> (Vec<Arc<Entry>>, Option<String>) {
    let Some(session) = session else { return (Vec::new(), None) };
    own_ledger(state, session).unwrap_or_else(|| (Vec::new(), is_made.then(|| lost(session, branch))))
}

fn standing(
    state: &Path,
    entries: &[Arc<Entry>],
    folder: &Path,
    lane: u64,
    set_aside: Option<&Escrow>,
    terms: LaneTerms,
) -> LaneStanding {
    let call = set_aside.map(|escrow| escrow.call);
    let changes = || {
        entries
            .iter()
            .filter_map(|entry| if let Body::Change(change) = &entry.body { Some(change) } else { None })
    };
    let settled = changes().find_map(|change| match change {
        Change::EscrowSettled(settled) if Some(settled.call) == call => Some(settled.clone()),
        _ => None,
    });
    let starts =
        |change: &Change| matches!(change, Change::SubagentStarted { call: it } if Some(*it) == call);
    let is_started = set_aside.is_some_and(|escrow| !escrow.waits) || changes().any(starts);
    let session = set_aside.filter(|_| is_started).map(|escrow| escrow.session.clone());
    let waits = set_aside.is_some() && !is_started && settled.is_none();
    let made = made(folder, &terms);
    let (own, damage) = own_or_lost(state, session.as_deref(), made.is_some(), &terms.branch);
    // One that could not be started was given a part of the budget, which is settled, and has written
    // nothing: its file is not found.
    let has_written = session.as_deref().and_then(|session| exact(state, session)).is_some();
    // It can be there although the process was gone before the lane wrote anything.
    let worktree = session.as_deref().and_then(|session| worktree_of(folder, session));
    // Of one whose file is gone nobody knows that it did nothing.
    let may_have_worked = settled.as_ref().is_none_or(|settled| settled.is_assumed);
    let session = session.filter(|_| may_have_worked || made.is_some() || has_written);
    let changed_from = made.as_ref().and_then(|(commit, _)| changed_from(folder, &terms, commit));
    let of_lane = |commit: &str| changed_outside(folder, &terms.base, commit).unwrap_or_default();
    let outside = made.as_ref().map(|(commit, _)| of_lane(commit)).unwrap_or_default();
    let obeyed = made.as_ref().map(|(commit, _)| obeyed(folder, &terms, commit)).unwrap_or_default();
    let ended = own
        .iter()
        .rev()
        .find_map(|entry| if let Body::TurnEnded(ended) = &entry.body { Some(ended.clone()) } else { None })
        .filter(|_| !was_cut_off(&own));
    let answer = settled.as_ref().and_then(|settled| settled.answer.clone());
    let why = answer.filter(|_| ended.is_none());
    let so_far = spent_until_now(&own).filter(|_| settled.is_none());
    let decided = decided(&own);
    let asks = settled.is_none() && asks(&own);
    LaneStanding {
        lane,
        terms,
        session,
        has_written,
        waits,
        asks,
        forsaken: None,
        damage,
        settled,
        so_far,
        model: model_of(&own),
        ended,
        why,
        check_refused: check_refused(&own),
        decided,
        is_adopted: false,
        is_half_adopted: false,
        worktree,
        made,
        changed_from,
        outside,
        obeyed,
    }
}

/// What it has spent, as its own ledger says.
fn spent_until_now(own: &[Arc<Entry>]) -> Option<Spent> {
    let mut meter = Meter::new(Limits::default());
    own.iter().for_each(|entry| meter.read(entry));
    Some(meter.spent(own.last()?.at))
}

/// The model that answered last.
fn model_of(own: &[Arc<Entry>]) -> Option<String> {
    own.iter().rev().find_map(|entry| {
        if let Body::Assistant(message) = &entry.body { Some(message.model.to_string()) } else { None }
    })
}

/// The files of a lane that other programs run or obey, as far as they would be adopted.
fn obeyed(folder: &Path, terms: &LaneTerms, commit: &str) -> Vec<String> {
    let files = changed_files(folder, &terms.base, commit).unwrap_or_default();
    files.into_iter().map(|file| file.path).filter(|path| is_guarded(path)).collect()
}

/// What is said of a lane for which nothing was set aside.
fn refusal(entries: &[Arc<Entry>], call: CallId) -> Option<String> {
    entries.iter().find_map(|entry| match &entry.body {
        Body::ToolResult(result) if result.call == call => Some(result.content.to_string()),
        _ => None,
    })
}

/// The session of the race: that of a lane is named after it and the call.
fn of_race(session: &str, call: CallId) -> String {
    session.strip_suffix(&format!("-{call}")).unwrap_or(session).to_owned()
}

/// The entries of a session of this very name, and what is wrong with its lines. One that cannot be read has no entries. `None`: there is
/// none, or nothing was written to it.
fn own_ledger(state: &Path, session: &str) -> Option<(Vec<Arc<Entry>>, Option<String>)> {
    Some(match SessionStore::audited(&exact(state, session)?) {
        Ok((file, damage)) => (file.entries, damage),
        Err(why) => (Vec::new(), Some(format!("session {session} cannot be read: {why}"))),
    })
}

/// That the session of a lane is gone, whose branch is there.
fn lost(session: &str, branch: &str) -> String {
    format!(
        "session {session} is gone or empty, so how the lane ended is not known; to take its changes along, look at the branch {branch} and \
         merge it with git"
    )
}

/// What the lane made, if its branch is no longer that.
fn changed_from(folder: &Path, terms: &LaneTerms, commit: &str) -> Option<String> {
    let made = git(folder, ["rev-parse", "--verify", "--quiet", &as_made(&terms.branch)]).ok()?;
    (made != commit).then_some(made)
}

/// What is on its branch.
fn made(folder: &Path, terms: &LaneTerms) -> Option<(String, [u64; 3])> {
    let commit =
        git(folder, ["rev-parse", "--verify", "--quiet", &format!("refs/heads/{}", terms.branch)]).ok()?;
    let own = ["diff", "--no-ext-diff", "--no-textconv", "--numstat", "--no-renames", "--no-relative"];
    let printed = git(folder, own.into_iter().chain([terms.base.as_str(), commit.as_str()])).ok()?;
    let mut sums = [0; 3];
    for line in printed.lines() {
        let mut numbers = line.split('\t').map(|number| number.parse().unwrap_or(0));
        let (added, removed): (u64, u64) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        sums = [sums[0] + 1, sums[1] + added, sums[2] + removed];
    }
    Some((commit, sums))
}

#[cfg(test)]
#[path = "lanes_tests.rs"]
mod tests;
