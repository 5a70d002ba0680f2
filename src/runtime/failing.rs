//! Faults for tests: system calls that fail as those of a broken disk do.
#![allow(clippy::unwrap_used, reason = "tests")]

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// Does something on a thread of its own, on which these system calls fail with EIO. Threads and programs that it starts
/// inherit that.
pub(crate) fn failing<T: Send>(calls: &[i64], work: impl FnOnce() -> T + Send) -> T {
    let rules = calls.iter().map(|call| (*call, Vec::new())).collect();
    let fails = SeccompAction::Errno(libc::EIO.cast_unsigned());
    let architecture = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, fails, architecture).unwrap();
    let program = BpfProgram::try_from(filter).unwrap();
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| {
            apply_filter(&program).unwrap();
            work()
        });
        worker.join().unwrap()
    })
}
