//! How far the calls of a ledger came, those of sub-agents among them: the one rule for a run that is stopped and for one whose process died.

use std::collections::BTreeSet;

use super::{Body, CallId, Change, Entry, Outcome, Reach};

/// How far the calls of a session came: a fold over its entries. A call that hands a task to a sub-agent does nothing itself: until it has a
/// result it came as far as the calls of the sub-agent, so one has started if one of theirs has.
#[derive(Debug, Clone, Default)]
pub struct CallsReach {
    ended: Reach,
    open: BTreeSet<CallId>,
}

impl CallsReach {
    /// That of these entries, where the sub-agents of these calls came so far.
    pub fn of<'e>(entries: impl IntoIterator<Item = &'e Entry>, below: &[(CallId, Reach)]) -> Self {
        let mut all = Self::default();
        entries.into_iter().for_each(|entry| all.read(entry));
        below.iter().for_each(|(call, reach)| all.came_below(*call, *reach));
        all
    }

    /// Takes in one more entry.
    pub fn read(&mut self, entry: &Entry) {
        match &entry.body {
            Body::ApprovalDecided(decision) if decision.allow => drop(self.open.insert(decision.call)),
            Body::ToolResult(result) => {
                // Who took up the session has written that it was lost: that is no end.
                if !matches!(result.outcome, Outcome::Lost { .. }) {
                    self.open.remove(&result.call);
                }
                self.ended = self.ended.max(result.outcome.reach());
            }
            _ => {}
        }
    }

    /// The sub-agent of this call came so far.
    fn came_below(&mut self, call: CallId, reach: Reach) {
        if reach < Reach::CutShort {
            self.open.remove(&call);
        }
        self.ended = self.ended.max(reach);
    }

    /// How many were allowed to start and did not end.
    pub fn open(&self) -> usize {
        self.open.len()
    }

    /// How far the furthest came.
    pub fn reach(&self) -> Reach {
        if self.open.is_empty() { self.ended } else { Reach::CutShort }
    }
}

/// Whether the run that is open was begun in another program, whose session was imported: how far its calls
/// came, and how it ended, nobody here knows. A fold over the entries of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunElsewhere {
    is_open: bool,
}

impl RunElsewhere {
    /// After these entries: the last one that says something of it counts, so they are read from the end.
    pub fn of<'b>(bodies: impl DoubleEndedIterator<Item = &'b Body>) -> Self {
        Self { is_open: bodies.rev().find_map(Self::said).unwrap_or_default() }
    }

    /// Takes in one more entry.
    pub fn read(&mut self, body: &Body) {
        self.is_open = Self::said(body).unwrap_or(self.is_open);
    }

    /// What an entry says of it. An import ends in an end of its own, or in the one that is written before it
    /// goes on here.
    fn said(body: &Body) -> Option<bool> {
        match body {
            Body::Change(Change::Imported { .. }) => Some(true),
            Body::Transition { .. } | Body::Command(_) | Body::TurnEnded(_) => Some(false),
            _ => None,
        }
    }

    /// Whether it was.
    pub fn is_open(self) -> bool {
        self.is_open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Decider, Decision, EntryId, ForeignTool, Millis, Transition};

    #[test]
    fn a_run_is_another_programs_until_something_is_done_here() {
        let submitted = || Body::Transition { turn: 1, reason: Transition::Submitted };
        let imported = Body::Change(Change::Imported { from: ForeignTool::Codex, session: String::new() });
        let said_nothing = Body::ApprovalDecided(Decision::permission(CallId(1), Decider::Policy, ""));
        let bodies = [submitted(), imported, said_nothing, submitted()];
        let mut run = RunElsewhere::default();
        for (body, is_open) in bodies.iter().zip([false, true, true, false]) {
            run.read(body);
            assert_eq!(run.is_open(), is_open);
        }
        for (count, is_open) in [(0, false), (1, false), (2, true), (3, true), (4, false)] {
            assert_eq!(RunElsewhere::of(bodies.iter().take(count)).is_open(), is_open, "{count}");
        }
    }

    #[test]
    fn a_call_that_started_a_sub_agent_came_as_far_as_the_calls_of_that_one() {
        let allowed = |call| Body::ApprovalDecided(Decision::permission(CallId(call), Decider::Policy, ""));
        let entries = [Entry { id: EntryId(1), at: Millis(1), body: allowed(1) }];
        let of = |below: &[(CallId, Reach)]| {
            let came = CallsReach::of(&entries, below);
            (came.open(), came.reach())
        };
        assert_eq!(of(&[]), (1, Reach::CutShort), "nobody knows");
        assert_eq!(of(&[(CallId(1), Reach::NothingStarted)]), (0, Reach::NothingStarted));
        assert_eq!(of(&[(CallId(1), Reach::NothingCut)]), (0, Reach::NothingCut));
        assert_eq!(of(&[(CallId(1), Reach::CutShort)]), (1, Reach::CutShort));
        assert_eq!(of(&[(CallId(2), Reach::NothingCut)]), (1, Reach::CutShort), "that is another call");
    }
}
