//! When it is, as entries say it.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::ledger::Millis;

/// The moment of the wall clock.
pub(super) fn now() -> Millis {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
