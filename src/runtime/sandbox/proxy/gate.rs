//! What one command is let through to, and what came of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use crate::tool::{HostPort, NamedHost};

/// Most hosts whose refusal is remembered.
const MOST_BLOCKED: usize = 32;

/// The hosts that it may reach, and those that it asked for in vain.
#[derive(Debug, Default)]
pub(super) struct Gate {
    pub(super) hosts: Vec<NamedHost>,
    pub(super) blocked: Mutex<BTreeSet<HostPort>>,
    /// Those that it may reach and did not, and why.
    pub(super) missed: Mutex<BTreeMap<HostPort, String>>,
}

impl Gate {
    /// It was let through to a server, and that was not reached.
    pub(super) fn miss(&self, server: &HostPort, why: &str) {
        let mut missed = self.missed.lock().unwrap_or_else(PoisonError::into_inner);
        if missed.len() < MOST_BLOCKED {
            missed.insert(server.clone(), why.to_owned());
        }
    }

    /// A server was reached: what failed before does not count.
    pub(super) fn reached(&self, server: &HostPort) {
        self.missed.lock().unwrap_or_else(PoisonError::into_inner).remove(server);
    }

    pub(super) fn block(&self, server: &HostPort) {
        let mut blocked = self.blocked.lock().unwrap_or_else(PoisonError::into_inner);
        if blocked.len() < MOST_BLOCKED {
            blocked.insert(server.clone());
        }
    }
}
