//! The hosts that a person opened to commands in the sandbox, and did not close again.

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
