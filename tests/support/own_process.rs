//! Tests of what a whole process has, as its memory: each runs again as the only test of a process of its own.

use std::process::Command;

const CHILD: &str = "COUNTERSIGN_TEST_ALONE";

/// Whether this process runs one test. If it does not, the test of this name is run in one that does, and must pass.
pub(crate) fn is_alone(test: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let mut child = Command::new(std::env::current_exe().unwrap());
    let done = child.args(["--exact", test, "--nocapture"]).env(CHILD, "1").output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    let complained = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("1 passed"), "{said}{complained}");
    false
}

/// The most memory that this process ever held, in bytes; 0 where the system does not say.
pub(crate) fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("VmHWM: 0 kB");
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() << 10
}
