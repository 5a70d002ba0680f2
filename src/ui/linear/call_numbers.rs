//! The numbers by which waiting calls are answered: a call has one, in whichever session it is said.

use std::collections::{BTreeMap, BTreeSet};

use crate::agent::CallAddress;

/// The numbers that were given. None is given twice: whoever still hears of a call that has gone must not answer another by its
/// number.
#[derive(Debug, Default)]
pub(super) struct CallNumbers {
    given: BTreeMap<CallAddress, usize>,
    /// The calls that were answered and wait no more: nobody misses them where they waited, too.
    answered: BTreeSet<CallAddress>,
}

impl CallNumbers {
    /// The number of a call that comes to wait: the one that it had, else the next one.
    pub(super) fn of(&mut self, call: &CallAddress) -> usize {
        self.answered.remove(call);
        let next = self.given.len() + 1;
        *self.given.entry(call.clone()).or_insert(next)
    }

    /// A call was answered and waits no more.
    pub(super) fn note_answered(&mut self, call: &CallAddress) {
        self.answered.insert(call.clone());
    }

    /// Whether a call that waits no more was answered.
    pub(super) fn was_answered(&self, call: &CallAddress) -> bool {
        self.answered.contains(call)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::CallId;

    #[test]
    fn a_call_keeps_its_number_and_no_other_call_gets_it() {
        let at = |path: &[u64], call| CallAddress {
            path: path.iter().map(|call| CallId(*call)).collect(),
            call: CallId(call),
        };
        let mut numbers = CallNumbers::default();
        let given = [&at(&[], 1), &at(&[1], 1), &at(&[], 1), &at(&[1], 1), &at(&[], 2)];
        assert_eq!(given.map(|call| numbers.of(call)), [1, 2, 1, 2, 3]);
        numbers.note_answered(&at(&[1], 1));
        assert!(numbers.was_answered(&at(&[1], 1)) && !numbers.was_answered(&at(&[], 1)));
        // It was changed, and waits again.
        assert_eq!(numbers.of(&at(&[1], 1)), 2);
        assert!(!numbers.was_answered(&at(&[1], 1)));
    }
}
