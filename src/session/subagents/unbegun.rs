//! A sub-agent whose process died before anything of it was written. What a session does is written before it is done, so it has done nothing.

use std::path::Path;

use crate::ledger::{Escrow, EscrowSettlement, Reach, Stood, TaskState};
use crate::runtime::store::never_begun;

/// How it stands: nothing was spent. `None`: it may have begun.
pub(super) fn unbegun(state: &Path, escrow: &Escrow) -> Option<Stood> {
    let why = "the process ended before it began";
    let settled = EscrowSettlement::not_started(escrow.call, TaskState::Rejected, why);
    never_begun(state, &escrow.session).then_some(Stood { settled, reach: Reach::NothingStarted })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::ledger::{CallId, Spent};

    #[test]
    fn only_a_file_to_which_nothing_was_written_proves_that_nothing_was_done() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("sessions/2026/11");
        std::fs::create_dir_all(&folder).unwrap();
        let escrow = Escrow {
            call: CallId(1),
            session: "s-c1".to_owned(),
            limits: BTreeMap::new(),
            parallel: 1,
            in_background: false,
            waits: false,
        };
        assert_eq!(unbegun(place.path(), &escrow), None, "the file is gone");
        std::fs::write(folder.join("s-c1.jsonl"), "").unwrap();
        let stood = unbegun(place.path(), &escrow).unwrap();
        assert_eq!((stood.settled.spent, stood.settled.is_assumed), (Spent::default(), false));
        assert_eq!((stood.settled.state, stood.reach), (TaskState::Rejected, Reach::NothingStarted));
        std::fs::write(folder.join("s-c1.head"), format!("3 {}\n", "a".repeat(64))).unwrap();
        assert_eq!(unbegun(place.path(), &escrow), None, "its lines were removed");
    }
}
