//! What this program is to the processes that it starts: closed to their eyes, and heir to their orphans.

/// Closes what `/proc` would tell this program's children of its environment and memory, and makes it the parent of
/// every descendant that loses its own, so that a daemon can be found. For the start of the program; the program that
/// a child becomes is none of this. Elsewhere than on Linux it does nothing.
pub fn keep_to_ourselves() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, getpid, set_child_subreaper, set_dumpable_behavior};
        // Both are there since Linux 3.4; a failure leaves things as they are for every other program.
        if let Err(why) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
            tracing::warn!(%why, "others can read this process");
        }
        if let Err(why) = set_child_subreaper(Some(getpid())) {
            tracing::warn!(%why, "orphans go elsewhere");
        }
    }
}

/// Whether orphans come to this program.
pub(super) fn takes_orphans() -> bool {
    #[cfg(target_os = "linux")]
    return rustix::process::child_subreaper().is_ok_and(|reaper| reaper.is_some());
    #[cfg(not(target_os = "linux"))]
    return false;
}
