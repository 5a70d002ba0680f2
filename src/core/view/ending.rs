//! Why a run stopped, in a few words.

use crate::ledger::Ending;

/// What people read beside "stopped"; the name in the record is [`Ending::as_str`].
pub fn ending_words(ending: Ending) -> &'static str {
    ending.words()
}

/// The same of the run of a sub-agent, which is over: nobody can be asked about it any more.
pub fn ending_words_below(ending: Ending) -> &'static str {
    match ending {
        Ending::BlockedOnUser => "blocked",
        ending => ending_words(ending),
    }
}
