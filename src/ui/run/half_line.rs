//! What stands on a terminal's line before Enter: a terminal that edits lines itself gives it to nobody until then.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcgetpgrp, tcsetattr};

/// Bytes of a line that are taken at once, and at most: more than a terminal has for one.
const MOST: usize = 16 * 1024;

/// Takes what stands there, for which the terminal edits no lines for a moment. Nothing, where it is not ours to change, or is
/// no terminal: then a line counts as typed when it ends.
pub(super) fn take(terminal: &OwnedFd) -> Vec<u8> {
    // Whoever changes a terminal from the background is stopped.
    if tcgetpgrp(terminal) != Ok(getpgrp()) {
        return Vec::new();
    }
    let Ok(edits) = tcgetattr(terminal) else { return Vec::new() };
    if !edits.local_modes.contains(LocalModes::ICANON) {
        return Vec::new();
    }
    let mut gives = edits.clone();
    gives.local_modes.remove(LocalModes::ICANON);
    gives.special_codes[SpecialCodeIndex::VMIN] = 1;
    gives.special_codes[SpecialCodeIndex::VTIME] = 0;
    if tcsetattr(terminal, OptionalActions::Now, &gives).is_err() {
        return Vec::new();
    }
    let mut half = Vec::new();
    let mut piece = vec![0; MOST];
    while half.len() < MOST
        && is_readable(terminal)
        && let Ok(bytes) = rustix::io::read(terminal, &mut piece)
        && bytes > 0
    {
        half.extend(piece.get(..bytes).unwrap_or_default());
    }
    if let Err(why) = tcsetattr(terminal, OptionalActions::Now, &edits) {
        tracing::error!("the terminal no longer edits lines: {why}");
    }
    half
}

fn is_readable(terminal: &OwnedFd) -> bool {
    let mut only = [PollFd::new(terminal, PollFlags::IN)];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut only, Some(&at_once)).is_ok_and(|ready| ready > 0)
}
