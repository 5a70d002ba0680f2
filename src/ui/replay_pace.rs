//! The pauses of a session that is played.

use std::sync::Arc;
use std::time::Duration;

use crate::ledger::Entry;

/// No pause is longer: nobody waits again for what took a night.
const LONGEST: Duration = Duration::from_millis(400);

/// The pause before an entry, at the speed that it had.
pub(super) fn pause(before: Option<&Arc<Entry>>, entry: &Entry) -> Duration {
    let gap = before.map_or(0, |before| entry.at.since(before.at));
    Duration::from_millis(gap).min(LONGEST)
}
