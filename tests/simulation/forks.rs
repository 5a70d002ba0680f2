//! Branches of a log: at each entry where a fork can end, and before each decision and message, a session that begins so must
//! load, go on and be sendable, like one whose process died.

use std::collections::BTreeSet;
use std::sync::Arc;

use countersign::ledger::{Body, CallId, Entry, EntryId, Millis, Outcome, forkable, recover};
use countersign::recorded::{Departure, results_of_decided};
use countersign::wire::record::{Copy, Keeps, TakenBack, encode, read_session};

use crate::books::Log;
use crate::bounds::Bounds;
use crate::kill::survives;

/// Every so many forks go the whole way: through a file with its hashes, and on to the next request. The others end where a process
/// was killed, too, which has gone on from there with the same entries.
const WHOLE_WAY: u64 = 8;

/// Branches that were made and went on.
#[derive(Debug, Default)]
pub struct Forks {
    /// Forks at rest.
    pub forks: u64,
    /// Branches before a decision or a message.
    pub branches: u64,
}

impl Forks {
    /// All that can branch because of the entry at this place.
    pub fn check(
        &mut self,
        entries: &[Arc<Entry>],
        at: usize,
        bounds: Bounds,
        now: Millis,
    ) -> Result<(), String> {
        if forkable(entries, at + 1).is_ok() {
            self.forks += 1;
            let beginning = entries.get(..=at).unwrap_or_default();
            let last = beginning.last().map_or(EntryId(0), |entry| entry.id);
            let goes_on = self.forks.is_multiple_of(WHOLE_WAY);
            let fork = if goes_on { through_the_file(beginning, last)? } else { made_of(beginning, last) };
            let loaded =
                recover(fork.clone(), now).map_err(|fault| format!("a fork does not load: {fault}"))?;
            if !loaded.waiting.is_empty() || loaded.lost.0 > 0 {
                return Err(format!("a fork that ends with {last} has open calls"));
            }
            if goes_on {
                survives(Log::of(&fork)?, bounds, now).map_err(|why| format!("forked at {last}: {why}"))?;
            }
        }
        for decided in crossroads(entries, at) {
            self.branch(entries, decided, bounds, now)
                .map_err(|why| format!("branched at {decided}: {why}"))?;
        }
        Ok(())
    }

    fn branch(
        &mut self,
        entries: &[Arc<Entry>],
        at: EntryId,
        bounds: Bounds,
        now: Millis,
    ) -> Result<(), String> {
        let Ok(Departure { first, .. }) = Departure::before(entries, at) else { return Ok(()) };
        let along = results_of_decided(entries, first).map_err(|fault| fault.to_string())?;
        let ends = entries.iter().position(|entry| entry.id == first).unwrap_or_default();
        let (before, later) = entries.split_at(ends);
        let last = before.last().ok_or("nothing stands before it")?.id;
        let kept: Vec<Arc<Entry>> =
            before.iter().chain(later.iter().filter(|entry| along.contains(&entry.id))).cloned().collect();
        let branch = made_of(&kept, last);
        let loaded = recover(branch.clone(), now).map_err(|fault| format!("does not load: {fault}"))?;
        if let Some(call) = lost_undecided(loaded.ledger.entries()) {
            return Err(format!("{call} is lost, and nobody had decided about it"));
        }
        self.branches += 1;
        // The results that go along stand behind the end, so that those before them may come later.
        let mut log = Log::of(branch.get(..before.len()).unwrap_or_default())?;
        log.died();
        log.clock.leaves();
        branch.into_iter().skip(before.len()).try_for_each(|entry| log.append(entry))?;
        survives(log, bounds, now)
    }
}

/// A call that loading has settled as lost although nothing was decided about it.
fn lost_undecided(entries: &[Arc<Entry>]) -> Option<CallId> {
    let is_decided = |call: CallId| {
        let decides = |entry: &Arc<Entry>| matches!(&entry.body, Body::ApprovalDecided(d) if d.call == call);
        entries.iter().any(decides)
    };
    entries.iter().find_map(|entry| match &entry.body {
        Body::ToolResult(result) if result.outcome == (Outcome::Lost { started: false }) => {
            Some(result.call).filter(|call| !is_decided(*call))
        }
        _ => None,
    })
}

/// Where a branch may differ since this entry is there: at itself; or, as it is a result that goes along, at what was decided
/// while its call ran.
fn crossroads(entries: &[Arc<Entry>], at: usize) -> Vec<EntryId> {
    let Some(entry) = entries.get(at) else { return Vec::new() };
    match &entry.body {
        Body::User(_) | Body::ApprovalDecided(_) | Body::CallEdited(_) => vec![entry.id],
        Body::ToolResult(result) => decided_meanwhile(entries.get(..at).unwrap_or_default(), result.call),
        _ => Vec::new(),
    }
}

fn decided_meanwhile(before: &[Arc<Entry>], call: CallId) -> Vec<EntryId> {
    let starts = |entry: &Arc<Entry>| matches!(&entry.body, Body::ApprovalDecided(d) if d.call == call);
    let Some(started) = before.iter().position(starts) else { return Vec::new() };
    let later = before.get(started + 1..).unwrap_or_default().iter();
    later.filter(|entry| matches!(entry.body, Body::ApprovalDecided(_))).map(|entry| entry.id).collect()
}

/// The entries as those of a session that was forked there.
fn made_of(entries: &[Arc<Entry>], last: EntryId) -> Vec<Arc<Entry>> {
    let mut entries = entries.to_vec();
    if let Some(first) = entries.first_mut() {
        let mut begins = Entry::clone(first);
        if let Body::SessionStarted(started) = &mut begins.body {
            started.forked_from = Some(format!("{}@{last}", started.session));
        }
        *first = Arc::new(begins);
    }
    entries
}

/// The same as the program does it: a copy of the file, with a chain of its own, read again.
fn through_the_file(entries: &[Arc<Entry>], last: EntryId) -> Result<Vec<Arc<Entry>>, String> {
    let bytes: String = entries.iter().map(|entry| format!("{}\n", encode(entry))).collect();
    let origin = format!("s@{last}");
    let taken_back = TakenBack { calls: BTreeSet::new(), hosts: BTreeSet::new(), gaps: false };
    let copy = Copy {
        session: "fork",
        at: None,
        origin: Some(("forked_from", &origin)),
        folder: None,
        imported_to: None,
        is_of_here: true,
        keeps: Keeps::AllExcept(taken_back),
    };
    let text = copy.of(bytes.as_bytes(), &mut Default::default);
    let file = read_session(text.as_bytes()).map_err(|fault| format!("the file of a fork: {fault}"))?;
    match file.entries.len() == entries.len() {
        true => Ok(file.entries),
        false => Err(format!("the file of a fork has {} of {} entries", file.entries.len(), entries.len())),
    }
}
