//! The invariants of the books, stated once over a slice of entries. It refuses; it never repairs.

use std::{collections::BTreeSet, fmt, sync::Arc};

use super::{Body, CallId, Entry, EntryId};

/// What is wrong with a history, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The entry at which it shows.
    pub entry: EntryId,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "entry {}: {}", self.entry, self.what)
    }
}

/// Checks a history; returns the calls that are still open at its end.
///
/// # Errors
/// The first [`Fault`]: an id used twice, a result without its call, a second result, a message before all
/// results of the one before, a call that no message made, a tool started without a decision.
pub fn check(entries: &[Arc<Entry>]) -> Result<BTreeSet<CallId>, Fault> {
    let mut books = Books::default();
    for (position, entry) in entries.iter().enumerate() {
        books.read(position, entry).map_err(|what| Fault { entry: entry.id, what })?;
    }
    Ok(books.open)
}

#[derive(Default)]
struct Books {
    ids: BTreeSet<EntryId>,
    made: BTreeSet<CallId>,
    announced: BTreeSet<CallId>,
    requested: BTreeSet<CallId>,
    decided: BTreeSet<CallId>,
    open: BTreeSet<CallId>,
}

impl Books {
    fn read(&mut self, position: usize, entry: &Entry) -> Result<(), String> {
        if !self.ids.insert(entry.id) {
            return Err("this id is used twice".to_owned());
        }
        if (position == 0) != matches!(entry.body, Body::SessionStarted(_)) {
            return Err("a session begins with session_started, once".to_owned());
        }
        match &entry.body {
            Body::User(_) | Body::Injected(_) => self.all_settled("a message"),
            Body::TurnEnded(_) => self.all_settled("the end of the turn"),
            Body::Compaction(_) => self.all_settled("a compaction"),
            Body::Assistant(m) => {
                self.all_settled("an assistant message")?;
                for call in m.calls() {
                    if !self.made.insert(call.id) {
                        return Err(format!("call {} is made twice", call.id));
                    }
                    self.open.insert(call.id);
                }
                Ok(())
            }
            Body::Validation(u) => {
                self.all_settled("a validation")?;
                if !self.made.insert(u.id) {
                    return Err(format!("call {} is made twice", u.id));
                }
                self.open.insert(u.id);
                self.once(u.id, |b| &mut b.announced, "announced")
            }
            Body::ToolCall(u) => self.once(u.id, |b| &mut b.announced, "announced"),
            Body::ApprovalRequested(r) => self.once(r.call, |b| &mut b.requested, "requested"),
            Body::ApprovalDecided(d) => self.once(d.call, |b| &mut b.decided, "decided"),
            Body::ToolResult(r) if !self.made.contains(&r.call) => {
                Err(format!("result of call {}, which no message made", r.call))
            }
            Body::ToolResult(r) if !self.open.remove(&r.call) => {
                Err(format!("call {} has a second result", r.call))
            }
            Body::ToolResult(_)
            | Body::SessionStarted(_)
            | Body::Tombstone(_)
            | Body::Transition { .. }
            | Body::BudgetRaised { .. }
            | Body::Goal(_)
            | Body::Checkpoint(_)
            | Body::Progress(_)
            | Body::Handoff { .. }
            | Body::Note(_)
            | Body::Error { .. } => Ok(()),
        }
    }

    fn all_settled(&self, what: &str) -> Result<(), String> {
        let Some(call) = self.open.first() else { return Ok(()) };
        Err(format!("{what} comes before the result of call {call}"))
    }

    fn once(
        &mut self,
        call: CallId,
        of: impl Fn(&mut Self) -> &mut BTreeSet<CallId>,
        what: &str,
    ) -> Result<(), String> {
        if !self.open.contains(&call) {
            return Err(format!("call {call} is {what}, but is not open"));
        }
        if of(self).insert(call) { Ok(()) } else { Err(format!("call {call} is {what} twice")) }
    }
}
