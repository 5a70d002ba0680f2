//! What rules once said about a call, for a session that is played again.

use crate::ledger::Arguments;
use crate::policy::Verdict;

/// What the rules said about a call when it was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruling {
    /// The arguments about which they said it: others are another action.
    pub arguments: Arguments,
    /// What they said.
    pub verdict: Verdict,
    /// The rule that decided, if one did.
    pub rule: Option<String>,
}
