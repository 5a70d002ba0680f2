//! Root's powers: what no build needs is given up, because Landlock says nothing about it.
//!
//! Seen on Linux 6.18: who has CAP_PERFMON (or CAP_SYS_ADMIN) reads `/proc/PID/environ` and `maps` of processes outside
//! of its Landlock domain; without it the kernel refuses, as it refuses everybody else.

use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

/// What is kept of what there is: changing own and others' files within the rules, and becoming another user.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::NET_BIND_SERVICE);

/// Drops all of them. With `no_new_privs`, as below, they stay dropped.
pub(super) fn drop_all() -> Result<(), String> {
    keep(CapabilitySet::empty())
}

/// Drops the rest. With `no_new_privs`, which Landlock sets, no exec gives them back, not even root's.
pub(super) fn drop_most() -> Result<(), String> {
    keep(KEPT)
}

fn keep(these: CapabilitySet) -> Result<(), String> {
    let failed = |why| format!("the privileges of this process cannot be reduced: {why}");
    let has = capabilities(None).map_err(failed)?;
    let kept = has.permitted.intersection(these);
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    set_capabilities(None, sets).map_err(failed)
}
