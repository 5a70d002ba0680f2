//! What of a session that is not whole could not be checked, for those who are told that the rest was.

use crate::ui::text::counted;
use crate::wire::record::Audit;

/// Calls that are named in one line.
const MOST_CALLS: usize = 10;

/// What was left out, and what is not checked for that reason: nothing of a whole session.
pub(crate) fn unchecked(audit: &Audit) -> Vec<String> {
    let mut told = Vec::new();
    if audit.redacted > 0 {
        told.push(format!(
            "left out: {}; {} in the chain, and what depends on {} is not compared",
            counted(audit.redacted, "field"),
            if audit.redacted == 1 { "its hash is" } else { "their hashes are" },
            if audit.redacted == 1 { "it" } else { "them" }
        ));
    }
    let mut calls: Vec<String> = audit.unheld.iter().take(MOST_CALLS).map(ToString::to_string).collect();
    if let Some(more) = audit.unheld.len().checked_sub(MOST_CALLS).filter(|more| *more > 0) {
        calls.push(counted(more as u64, "more call"));
    }
    if !calls.is_empty() {
        told.push(format!(
            "receipts: not checked for {}, of which something is left out; all else of calls \
             and decisions is",
            calls.join(", ")
        ));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::CallId;

    #[test]
    fn it_names_what_was_not_checked_and_says_nothing_of_a_whole_session() {
        assert_eq!(unchecked(&Audit::default()), [""; 0]);
        let audit = |redacted, calls| {
            let unheld = (1..=calls).map(CallId).collect();
            unchecked(&Audit { redacted, unheld, ..Audit::default() })
        };
        assert!(
            audit(1, 0)[0].starts_with("left out: 1 field; its hash is in the chain, and what depends on it")
        );
        assert!(audit(2, 2)[1].starts_with("receipts: not checked for c1, c2, of which"));
        assert!(audit(2, 12)[1].contains("c10, 2 more calls, of which"));
    }
}
