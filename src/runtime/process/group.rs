//! One command with all its children, ended together when dropped.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::tokio::{CommandWrap, CommandWrapper as _, ProcessSession};
use rustix::process::{Pid, Signal};
use tokio::process::{Child, Command};

use super::register::{Groups, Slot, ask_to_end, has_ended, is_alive, send};

/// What a group gets between TERM and KILL.
pub(crate) const GRACE: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Guards a running group. `kill_on_drop` would leave grandchildren; dropping this leaves nobody: TERM at once,
/// KILL from a thread of its own after [`GRACE`], also when the async runtime is on its way out.
#[derive(Debug)]
pub(crate) struct Group {
    id: Pid,
    slot: Option<Slot>,
}

impl Group {
    /// Starts `command` as the leader of a new group, in a session of its own: without a controlling terminal
    /// nothing in it can paint over the screen or read keys through `/dev/tty`.
    ///
    /// # Errors
    /// The system's, or that nothing may be started (any more).
    pub(crate) fn spawn(groups: &Groups, command: &mut Command) -> io::Result<(Child, Self)> {
        let slot = groups.reserve().map_err(io::Error::other)?;
        // Only the hook that makes the session is borrowed; its child would wait for more than the leader.
        ProcessSession.pre_spawn(command, &CommandWrap::with_new("sh", |_| {}))?;
        let child = command.spawn()?;
        let id = child
            .id()
            .and_then(|id| i32::try_from(id).ok())
            .and_then(Pid::from_raw)
            .ok_or_else(|| io::Error::other("the started process has no id"))?;
        slot.enter(id);
        Ok((child, Self { id, slot: Some(slot) }))
    }

    /// Asks all of the group to end.
    pub(crate) fn terminate(&self) {
        ask_to_end(self.id);
    }

    /// Ends all of the group now.
    pub(crate) fn kill(&self) {
        send(self.id, Signal::KILL);
    }

    /// Whether any process of the group is left, unreaped ones included.
    pub(crate) fn is_alive(&self) -> bool {
        is_alive(self.id)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.is_alive() {
            return;
        }
        ask_to_end(self.id);
        let (id, slot) = (self.id, self.slot.take());
        let reaper = thread::Builder::new().name("group reaper".to_owned()).spawn(move || reap(id, slot));
        if reaper.is_err() {
            self.kill();
        }
    }
}

/// Watches a group that was asked to end; its id cannot be given to anybody else while a member lives.
fn reap(id: Pid, slot: Option<Slot>) {
    let deadline = Instant::now() + GRACE;
    while !has_ended(id) {
        if Instant::now() >= deadline {
            send(id, Signal::KILL);
            break;
        }
        thread::sleep(LOOK_EVERY);
    }
    drop(slot);
}
