//! What escaped its group: found by what it cannot shed, and ended.
//!
//! A process leaves its group with `setsid`. It is found again by its session while that is the command's own, by
//! the mark in the environment with which it began, by a parent that is found, and, when it has shed all of these,
//! as an orphan: the program is a subreaper, so what loses its parent becomes its own child.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

use super::non_dumpable::takes_orphans;
use super::process_tree::{self, Relative};

/// The variable that marks what a command started.
const MARK: &str = "COUNTERSIGN_STARTED";
/// How often those who do not go are looked for while they are killed: each may have had children meanwhile.
const MOST_ROUNDS: u32 = 100;
/// How long no orphan may have come for a chain of them to be over.
const QUIET: Duration = Duration::from_millis(3);
const LONGEST_CHASE: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// A panic hook may stand on the thread that holds the lock, so nobody waits for it for good.
const LOCK_PATIENCE: Duration = Duration::from_millis(100);
const START_PATIENCE: Duration = Duration::from_secs(2);

/// The leaders of all groups of this program: its own children, which their commands wait for.
static LEADERS: Mutex<BTreeMap<i32, Trace>> = Mutex::new(BTreeMap::new());

/// One command, as what escaped from it is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trace {
    leader: i32,
    mark: String,
    /// When the leader began; 0 when that could not be read.
    began: u64,
}

/// A new mark, unlike any other of this machine: a variable and its value.
pub(super) fn mark() -> (&'static str, String) {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    (MARK, format!("{}-{}", own_id(), COUNT.fetch_add(1, Relaxed)))
}

/// Starts a leader that carries `mark`, so that nobody takes it for an orphan in between.
pub(super) fn lead<T>(mark: String, start: impl FnOnce() -> io::Result<(T, Pid)>) -> io::Result<(T, Trace)> {
    let mut leaders = LEADERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let (child, leader) = start()?;
    let leader = leader.as_raw_nonzero().get();
    let trace = Trace { leader, mark, began: process_tree::of(leader).map_or(0, |found| found.began) };
    leaders.insert(leader, trace.clone());
    Ok((child, trace))
}

/// The traces of leaders that are not forgotten yet. Without its trace nobody ends what escaped, so a start that holds the lock, which
/// takes long on a busy machine, is waited for.
pub(super) fn traces_of(leaders: impl Iterator<Item = Pid>) -> Vec<Trace> {
    let Some(known) = leaders_within(START_PATIENCE) else { return Vec::new() };
    leaders.filter_map(|leader| known.get(&leader.as_raw_nonzero().get()).cloned()).collect()
}

/// Waits for orphans that have ended: nobody else will, and each keeps its number until then.
pub(super) fn reap() {
    let ended = process_tree::children(own_id()).into_iter().filter(|one| one.is_ended && is_orphan(one));
    for id in ended.filter_map(|one| Pid::from_raw(one.id)) {
        waitpid(Some(id), WaitOptions::NOHANG).ok();
    }
}

impl Trace {
    /// What escaped and still runs.
    pub(super) fn strays(&self) -> Vec<Pid> {
        reap();
        let found = self.find();
        found.into_iter().filter(|one| !one.is_ended).filter_map(|one| Pid::from_raw(one.id)).collect()
    }

    /// Asks what escaped to end.
    pub(super) fn ask_to_end(&self) {
        for stray in self.strays() {
            // One that is gone needs no signal; one that was stopped needs another to follow the first.
            kill_process(stray, Signal::TERM).ok();
            kill_process(stray, Signal::CONT).ok();
        }
    }

    /// Ends what escaped now, and what that started meanwhile.
    pub(super) fn kill(&self) {
        for _ in 0..MOST_ROUNDS {
            let strays = self.strays();
            if strays.is_empty() {
                return;
            }
            for stray in strays {
                kill_process(stray, Signal::KILL).ok();
            }
            thread::sleep(LOOK_EVERY);
        }
    }

    /// Ends a chain of processes of which each starts the next and is gone: such a one is somewhere else whenever all
    /// processes were looked at. Whose parent has ended is a child of this program, so no other is looked at here, as often
    /// as can be, until none has come for a while.
    pub(super) fn chase(&self) {
        if !takes_orphans() {
            return;
        }
        let begun = Instant::now();
        let mut last_seen = begun;
        while last_seen.elapsed() < QUIET && begun.elapsed() < LONGEST_CHASE {
            for orphan in process_tree::adopted(own_id()).into_iter().filter(is_orphan) {
                let Some(id) = Pid::from_raw(orphan.id) else { continue };
                if orphan.is_ended {
                    waitpid(Some(id), WaitOptions::NOHANG).ok();
                } else if self.is_mine(&orphan) {
                    kill_process(id, Signal::KILL).ok();
                } else {
                    continue;
                }
                last_seen = Instant::now();
            }
        }
    }

    /// All of it is over.
    pub(super) fn forget(&self) {
        let mut leaders = LEADERS.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if leaders.get(&self.leader) == Some(self) {
            leaders.remove(&self.leader);
        }
    }

    /// All that it started, but for its group, which ends as one: what can be told by itself, then what those started.
    fn find(&self) -> Vec<Relative> {
        let ours = if takes_orphans() { process_tree::descendants(own_id()) } else { None };
        let all = ours.unwrap_or_else(process_tree::all);
        let mut found: Vec<Relative> = all.iter().filter(|one| self.is_mine(one)).copied().collect();
        let mut known: BTreeSet<i32> = found.iter().map(|one| one.id).chain([self.leader]).collect();
        loop {
            let is_more = |one: &&Relative| known.contains(&one.parent) && !known.contains(&one.id);
            let more: Vec<Relative> = all.iter().filter(is_more).copied().collect();
            if more.is_empty() {
                found.retain(|one| one.group != self.leader);
                return found;
            }
            known.extend(more.iter().map(|one| one.id));
            found.extend(more);
        }
    }

    fn is_mine(&self, one: &Relative) -> bool {
        if one.id == self.leader || one.id == own_id() || one.began < self.began {
            return false;
        }
        one.session == self.leader
            || process_tree::carries(one.id, MARK, &self.mark)
            || self.has_shed_all(one)
    }

    /// An orphan that came to this program since the command began, and that no other running command marks.
    /// Programs that it starts for the user (an editor) are in its own session, unless they leave it themselves.
    fn has_shed_all(&self, one: &Relative) -> bool {
        self.began > 0 && is_orphan(one) && !is_of_another(one.id)
    }
}

fn is_of_another(id: i32) -> bool {
    let Some(leaders) = leaders() else { return true };
    let marks: Vec<String> = leaders.values().map(|trace| trace.mark.clone()).collect();
    drop(leaders);
    marks.iter().any(|mark| process_tree::carries(id, MARK, mark))
}

/// A child of this program that it did not start: it came when its parent ended.
fn is_orphan(one: &Relative) -> bool {
    takes_orphans()
        && one.parent == own_id()
        && process_tree::own_session().is_some_and(|session| one.session != session)
        && leaders().is_some_and(|leaders| !leaders.contains_key(&one.id))
}

fn leaders() -> Option<MutexGuard<'static, BTreeMap<i32, Trace>>> {
    leaders_within(LOCK_PATIENCE)
}

fn leaders_within(patience: Duration) -> Option<MutexGuard<'static, BTreeMap<i32, Trace>>> {
    let deadline = Instant::now() + patience;
    loop {
        match LEADERS.try_lock() {
            Ok(leaders) => return Some(leaders),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return None,
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(1)),
        }
    }
}

fn own_id() -> i32 {
    getpid().as_raw_nonzero().get()
}
