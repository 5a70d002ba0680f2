//! The row of a key of `[agents.NAME]`, of an agent elsewhere and of a sub-agent alike.

use super::entry::AgentEntry;
use crate::config::key::{KeyRow, KeyValue, Member, Owner, Tightens};

/// A key; what a project may do with it is weighed with all that is said of the agent (`Entry::tightens`).
pub(super) const fn key(path: &'static str, member: Member<AgentEntry>) -> KeyRow {
    KeyRow::new(path, KeyValue::Agent(member), Tightens::Never, Owner::Trusted)
}
