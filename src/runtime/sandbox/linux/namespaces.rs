//! Namespaces of a command's own: its mounts, in which secrets are covered, and its network, in which nobody else is.

use std::fmt::Display;
use std::fs;

use nix::sched::{CloneFlags, unshare};
use rustix::mount::{MountPropagationFlags, mount_change};
use rustix::process::{getegid, geteuid};

/// Enters those that are needed; for a process with one thread. Returns whether it is a user namespace too, in which the
/// process has every power until they are dropped.
///
/// The user keeps their number and their group, so what the command makes belongs to them. Root needs no user namespace for a
/// network, and gets no covers: it reads files whatever their mode says, so it would take a covered file for an empty one.
pub(super) fn enter(mounts: bool, network: bool) -> Result<bool, String> {
    let mut flags = CloneFlags::empty();
    flags.set(CloneFlags::CLONE_NEWNS, mounts);
    flags.set(CloneFlags::CLONE_NEWNET, network);
    if flags.is_empty() {
        return Ok(false);
    }
    let (user, group) = (geteuid(), getegid());
    if user.is_root() && mounts {
        return Err("secrets in the workspace cannot be hidden from root".to_owned());
    }
    let is_user = !user.is_root();
    flags.set(CloneFlags::CLONE_NEWUSER, is_user);
    let failed = |why: &dyn Display| {
        let what = if is_user { "user namespaces are" } else { "a network of its own is" };
        format!("{what} not available: {why}")
    };
    unshare(flags).map_err(|why| failed(&why))?;
    let (user, group) = (user.as_raw(), group.as_raw());
    let names = [
        // The kernel wants this before a group is named.
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/uid_map", format!("{user} {user} 1")),
        ("/proc/self/gid_map", format!("{group} {group} 1")),
    ];
    for (file, text) in names.into_iter().filter(|_| is_user) {
        fs::write(file, text).map_err(|why| failed(&why))?;
    }
    if mounts {
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        mount_change("/", private).map_err(|why| failed(&why))?;
    }
    Ok(is_user)
}
