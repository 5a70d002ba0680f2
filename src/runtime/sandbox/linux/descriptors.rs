//! Files that were open before: an open descriptor passes every rule about paths.

use std::fs;

/// The three that every program has.
const STANDARD: i32 = 2;

/// Closes all but standard input, output and error. For a process that has one thread and is about to exec.
pub(super) fn close_inherited() -> Result<(), String> {
    let failed = |why: std::io::Error| format!("open files cannot be listed: {why}");
    let open: Vec<i32> = fs::read_dir("/proc/self/fd")
        .map_err(failed)?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > STANDARD) {
        // The one that listed them is closed already.
        nix::unistd::close(descriptor).ok();
    }
    Ok(())
}
