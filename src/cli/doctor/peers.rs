//! Peers: MCP servers and A2A agents, which this version does not know yet.

use super::finding::{Finding, Subject};

pub(super) fn look() -> Vec<Finding> {
    let later = |what: &str| {
        Finding::skipped(
            Subject::Peers,
            format!("{what}: comes with a later version"),
            "nothing to do; there is no key of the configuration for them yet",
        )
    };
    vec![later("MCP servers"), later("A2A agents")]
}
