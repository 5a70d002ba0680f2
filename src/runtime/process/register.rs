//! The living process groups of this program: a panic hook or a signal may ask for their end, so no lock is held.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, test_kill_process_group, waitpid};

use super::orphans::{self, Trace};

/// More commands at once than any session runs; a full register refuses the next one.
const SLOTS: usize = 64;
const FREE: i32 = 0;
const RESERVED: i32 = -1;
const LOOK_EVERY: Duration = Duration::from_millis(10);
/// What removing the folders of commands that have ended may take.
const CLEARING_UP: Duration = Duration::from_millis(500);

/// All groups that were started through this handle and its clones.
#[derive(Debug, Clone)]
pub struct Groups(Arc<Register>);

#[derive(Debug)]
struct Register {
    closed: AtomicBool,
    slots: [AtomicI32; SLOTS],
    /// How many are on their way out: somebody ends what is left of them and clears up after them.
    leaving: AtomicUsize,
}

/// A place in the register; given back when dropped.
#[derive(Debug)]
pub(super) struct Slot {
    groups: Groups,
    at: usize,
    is_leaving: bool,
}

impl Default for Groups {
    fn default() -> Self {
        Self(Arc::new(Register {
            closed: AtomicBool::new(false),
            slots: std::array::from_fn(|_| AtomicI32::new(FREE)),
            leaving: AtomicUsize::new(0),
        }))
    }
}

impl Groups {
    /// Ends every living group: TERM, up to `grace` for them to go (returns earlier when they have), then KILL.
    /// No further group can be started. What left its group ends with it. For the exit and panic paths of the program;
    /// blocks, and waits for no lock for long.
    pub fn end_all(&self, grace: Duration) {
        self.0.closed.store(true, SeqCst);
        // A group's last word may be all that still knows of what left it.
        let traces: Vec<Trace> = orphans::traces_of(self.living());
        for group in self.living() {
            ask_to_end(group);
        }
        traces.iter().for_each(Trace::ask_to_end);
        let deadline = Instant::now() + grace;
        let is_over = || self.living().all(has_ended) && traces.iter().all(|trace| trace.strays().is_empty());
        while !is_over() && Instant::now() < deadline {
            std::thread::sleep(LOOK_EVERY);
        }
        for group in self.living() {
            send(group, Signal::KILL);
        }
        traces.iter().for_each(Trace::kill);
        traces.iter().for_each(Trace::chase);
        let deadline = Instant::now() + CLEARING_UP;
        while self.0.leaving.load(SeqCst) > 0 && Instant::now() < deadline {
            std::thread::sleep(LOOK_EVERY);
        }
    }

    /// How many groups have not ended yet, those on their way included.
    pub fn count(&self) -> usize {
        self.living().count()
    }

    fn living(&self) -> impl Iterator<Item = Pid> {
        self.0.slots.iter().filter_map(|slot| Pid::from_raw(slot.load(SeqCst).max(FREE)))
    }

    /// Takes a place before the process is started, so that none is ever started without one.
    pub(super) fn reserve(&self) -> Result<Slot, &'static str> {
        if self.0.closed.load(SeqCst) {
            return Err("the program is exiting; no new commands are started");
        }
        self.0
            .slots
            .iter()
            .position(|slot| slot.compare_exchange(FREE, RESERVED, SeqCst, SeqCst).is_ok())
            .map(|at| Slot { groups: self.clone(), at, is_leaving: false })
            .ok_or("too many commands are still being stopped; wait a few seconds and try again")
    }
}

impl Slot {
    /// Enters a group. One that slips in while everything is being ended is ended at once.
    pub(super) fn enter(&self, group: Pid) {
        self.set(group.as_raw_nonzero().get());
        if self.groups.0.closed.load(SeqCst) {
            send(group, Signal::KILL);
        }
    }

    /// Its group was asked to end; whoever holds this sees to the rest.
    pub(super) fn leave(&mut self) {
        self.is_leaving = true;
        self.groups.0.leaving.fetch_add(1, SeqCst);
    }

    fn set(&self, value: i32) {
        if let Some(slot) = self.groups.0.slots.get(self.at) {
            slot.store(value, SeqCst);
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.set(FREE);
        if self.is_leaving {
            self.groups.0.leaving.fetch_sub(1, SeqCst);
        }
    }
}

/// TERM, and CONT so that a stopped process can follow it.
pub(super) fn ask_to_end(group: Pid) {
    send(group, Signal::TERM);
    send(group, Signal::CONT);
}

/// A group that is gone needs no signal; there is nothing else to do about a failure.
pub(super) fn send(group: Pid, signal: Signal) {
    kill_process_group(group, signal).ok();
}

/// Whether nobody of the group is left. A leader that has ended and was waited for by nobody yet would look alive
/// for as long, so it is waited for here; whoever else wanted to gets an error and lets it be.
pub(super) fn has_ended(group: Pid) -> bool {
    waitpid(Some(group), WaitOptions::NOHANG).ok();
    !is_alive(group)
}

/// Whether any process of the group is left, unreaped ones included.
pub(super) fn is_alive(group: Pid) -> bool {
    test_kill_process_group(group).is_ok()
}
