//! The sandbox: there is none yet, and what the kernel could give one.

use super::finding::{Finding, Subject};
use crate::cli::reading::{self, Reading};

const SUBJECT: Subject = Subject::Sandbox;
/// Most bytes of the kernel's own files that are read here.
const MOST_BYTES: u64 = 64 * 1024;

pub(super) fn look() -> Vec<Finding> {
    let none = Finding::warning(
        SUBJECT,
        "there is no sandbox in this version: a command that you allow runs with your rights",
        "allow what you would run yourself; for the rest, start countersign in a container or a virtual machine",
    );
    vec![none, Finding::ok(SUBJECT, kernel())]
}

/// For information: nothing depends on it yet.
fn kernel() -> String {
    let modules = text("/sys/kernel/security/lsm");
    let landlock =
        match modules.as_deref().map(|modules| modules.trim().split(',').any(|one| one == "landlock")) {
            Some(true) => "Landlock is on",
            Some(false) => "Landlock is off",
            None => "whether Landlock is on cannot be read",
        };
    let status = text("/proc/self/status").unwrap_or_default();
    let seccomp = status.lines().find_map(|line| line.strip_prefix("Seccomp:")).map(str::trim);
    let seccomp = match seccomp {
        Some("0") => "seccomp is there, and no filter holds this process",
        Some(_) => "a seccomp filter holds this process",
        None => "whether seccomp is there cannot be read",
    };
    format!("what this kernel could give one: {landlock}; {seccomp}")
}

fn text(path: &str) -> Option<String> {
    match reading::read(path.as_ref(), MOST_BYTES) {
        Reading::Text { text, .. } => Some(text),
        Reading::Absent | Reading::Refused(_) => None,
    }
}
