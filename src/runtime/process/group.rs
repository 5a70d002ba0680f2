//! One command with all its children, ended together when dropped.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::tokio::{CommandWrap, CommandWrapper as _, ProcessSession};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;

use super::non_dumpable::takes_orphans;
use super::orphans::{self, Trace};
use super::private::Private;
use super::register::{Groups, Slot, ask_to_end, has_ended, is_alive, send};

/// What a group gets between TERM and KILL.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Guards a running group. `kill_on_drop` would leave grandchildren; dropping this leaves nobody, those who left the
/// group included: TERM at once, KILL from a thread of its own after [`GRACE`], also when the async runtime is on
/// its way out.
#[derive(Debug)]
pub(crate) struct Group {
    id: Pid,
    slot: Option<Slot>,
    trace: Trace,
    reaping: Option<JoinHandle<()>>,
    folder: Private,
}

impl Group {
    /// Starts `command` as the leader of a new group, in a session of its own: without a controlling terminal
    /// nothing in it can paint over the screen or read keys through `/dev/tty`.
    ///
    /// # Errors
    /// The system's, or that nothing may be started (any more).
    pub(crate) fn spawn(groups: &Groups, command: &mut Command) -> io::Result<(Child, Self)> {
        // Only the hook that makes the session is borrowed; its child would wait for more than the leader.
        ProcessSession.pre_spawn(command, &CommandWrap::with_new("sh", |_| {}))?;
        Self::lead(groups, |name, mark| command.env(name, mark).spawn())
    }

    /// The same for a child that `start` puts into a session of its own, with this variable in its environment. Every
    /// child in another session than the program's is started through here: one that is not would be taken for an
    /// orphan.
    ///
    /// # Errors
    /// The system's, or that nothing may be started (any more).
    pub(crate) fn lead(
        groups: &Groups,
        start: impl FnOnce(&'static str, &str) -> io::Result<Child>,
    ) -> io::Result<(Child, Self)> {
        let slot = groups.reserve().map_err(io::Error::other)?;
        let (name, mark) = orphans::mark();
        let ((child, id), trace) = orphans::lead(mark.clone(), || {
            let child = start(name, &mark)?;
            let id = child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(Pid::from_raw)
                .ok_or_else(|| io::Error::other("the started process has no id"))?;
            Ok(((child, id), id))
        })?;
        slot.enter(id);
        Ok((child, Self { id, slot: Some(slot), trace, reaping: reaping(), folder: Private::of(None) }))
    }

    /// Asks all of the group to end.
    pub(crate) fn terminate(&self) {
        ask_to_end(self.id);
    }

    /// Ends all of the group now.
    pub(crate) fn kill(&self) {
        send(self.id, Signal::KILL);
    }

    /// Keeps a folder in which the group writes; it is removed when nobody is left to write.
    pub(crate) fn hold(&mut self, folder: Option<TempDir>) {
        self.folder = Private::of(folder);
    }

    /// Whether the leader has ended, as the system knows it now; it is waited for by somebody else.
    pub(crate) fn leader_has_ended(&self) -> bool {
        let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // One that was waited for is nobody's child any more.
        !matches!(waitid(WaitId::Pid(self.id), look), Ok(None))
    }

    /// Whether any process of the group is left, unreaped ones included.
    pub(crate) fn is_alive(&self) -> bool {
        is_alive(self.id)
    }
}

/// While a command runs, its orphans that end are waited for.
fn reaping() -> Option<JoinHandle<()>> {
    if !takes_orphans() {
        return None;
    }
    let mut ended = signal(SignalKind::child()).ok()?;
    Some(tokio::spawn(async move {
        while ended.recv().await.is_some() {
            orphans::reap();
        }
    }))
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(reaping) = self.reaping.take() {
            reaping.abort();
        }
        if self.is_alive() {
            ask_to_end(self.id);
        }
        if let Some(slot) = &mut self.slot {
            slot.leave();
        }
        let folder = std::mem::replace(&mut self.folder, Private::of(None));
        let (id, slot, trace) = (self.id, self.slot.take(), self.trace.clone());
        let work = move || {
            reap(id, &trace);
            drop(folder);
            drop(slot);
        };
        let reaper = thread::Builder::new().name("group reaper".to_owned()).spawn(work);
        if reaper.is_err() {
            self.kill();
            self.trace.kill();
            self.trace.forget();
        }
    }
}

/// Watches a group that was asked to end; its id cannot be given to anybody else while a member lives.
fn reap(id: Pid, trace: &Trace) {
    trace.ask_to_end();
    let deadline = Instant::now() + GRACE;
    let mut is_over = has_ended(id);
    while !is_over || !trace.strays().is_empty() {
        if Instant::now() >= deadline {
            // A number that is free may be somebody else's by now.
            if !is_over {
                send(id, Signal::KILL);
            }
            trace.kill();
            break;
        }
        thread::sleep(LOOK_EVERY);
        is_over = is_over || has_ended(id);
    }
    trace.chase();
    trace.forget();
}
