//! What a person opened of the sandbox and did not close again: hosts, and what it cannot hide.

use super::{Body, Change, Entry};

/// Those that stand, in the order in which they were opened.
pub fn opened_hosts<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<&'e str> {
    let mut open: Vec<&str> = Vec::new();
    for entry in entries {
        match &entry.body {
            Body::Change(Change::HostOpened { host }) if !open.contains(&host.as_str()) => open.push(host),
            Body::Change(Change::HostClosed { host }) => open.retain(|one| one != host),
            _ => {}
        }
    }
    open
}

/// What the sandbox cannot hide and a person accepted, in the order in which they did.
pub fn accepted_gaps<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<&'e str> {
    let mut accepted: Vec<&str> = Vec::new();
    for entry in entries {
        match &entry.body {
            Body::Change(Change::GapsAccepted { gaps, .. }) => {
                accepted.extend(gaps.iter().map(String::as_str))
            }
            Body::Change(Change::GapsRefused) => accepted.clear(),
            _ => {}
        }
    }
    accepted
}
