//! What is said of a session as a whole: what a person changed in it, what sub-agents may spend, and what its runs came to.

use std::collections::BTreeSet;

use super::session_reading::SessionReading;
use crate::ledger::{
    CallId, Change, Decider, Ending, EntryId, Escrow, EscrowSettlement, Mode, Spent, TaskState, TurnEnded,
};

impl SessionReading<'_> {
    pub(super) fn change(&mut self, id: EntryId, change: &Change) {
        match change {
            Change::Mode { mode, .. } => self.mode(id, *mode),
            Change::Imported { .. } => self.is_foreign = !self.is_own,
            Change::GapsAccepted { gaps, call } => self.gaps(id, gaps, *call),
            Change::PriceAccepted { .. } if self.ended != Some(Ending::PriceAsked) => {
                self.fault(id, "a price is accepted, but no run has ended to ask about one");
            }
            Change::GrantRevoked { call } => {
                let decided = self.calls.get(call).and_then(|known| known.decided);
                if !matches!(decided, Some((Decider::User, true, _))) {
                    self.fault(
                        id,
                        format!("a grant of call {call} is taken back, but no person has given one"),
                    );
                }
            }
            Change::Rewound { message, .. } if !self.messages.contains(message) => {
                self.fault(
                    id,
                    format!("the conversation goes back to before {message}, which is no message"),
                );
            }
            Change::FilesRestored(done) if !self.calls.contains_key(&done.since) => {
                self.fault(id, format!("files are put back since call {}, which is not there", done.since));
            }
            Change::EscrowReserved(escrow) => self.set_aside(id, escrow),
            Change::EscrowSettled(settled) => self.settled(id, settled),
            Change::SubagentStarted { call } => match self.escrows.get_mut(call) {
                Some((escrow, false)) if escrow.waits => escrow.waits = false,
                _ => self
                    .fault(id, format!("the sub-agent of call {call} starts, but none waits for its turn")),
            },
            Change::SubagentWaits { call, waits } => {
                let works = self
                    .escrows
                    .get(call)
                    .is_some_and(|(escrow, is_settled)| !is_settled && !escrow.in_background);
                if !works {
                    self.fault(id, format!("the sub-agent of call {call} waits, but none is waited for"));
                }
                self.task_waits(id, *call, *waits);
            }
            _ => {}
        }
    }

    /// The text of a run is that of its last answer, in one part or in several; of one that was cut short, what it says as far as it came.
    fn says_another_end(&self, ended: &TurnEnded) -> bool {
        let mut left = &*ended.text;
        for (id, answer) in self.answers.iter().rev() {
            if self.unread.contains(id) {
                return false;
            }
            let answer = answer.text();
            if left == answer {
                return false;
            }
            let Some(before) = left.strip_suffix(&*answer) else { return true };
            left = before;
        }
        !left.is_empty()
    }

    fn mode(&mut self, id: EntryId, mode: Mode) {
        if self.mode.replace(mode) == Some(mode) {
            self.fault(id, format!("the mode changes to {}, which it was before", mode.as_str()));
        }
    }

    /// A person accepts what questions name that wait for an answer. Questions of earlier programs name nothing.
    fn gaps(&mut self, id: EntryId, gaps: &[String], call: Option<CallId>) {
        let waiting = self.open.iter().filter(|(_, open)| call.is_none_or(|call| call == *open));
        let waiting = waiting.filter_map(|(_, open)| self.calls.get(open));
        let waiting: Vec<_> = waiting.filter(|known| known.decided.is_none()).collect();
        if self.lacks("gaps") || waiting.iter().any(|known| known.lacks_gaps) {
            return;
        }
        let asked: Vec<&Vec<String>> = waiting.iter().filter_map(|known| known.asked.as_ref()).collect();
        let named: BTreeSet<&String> = asked.iter().copied().flatten().collect();
        let is_earlier = call.is_none() && !asked.is_empty() && named.is_empty();
        if gaps.is_empty() || !(is_earlier || gaps.iter().all(|gap| named.contains(gap))) {
            self.fault(id, "a person accepts what no question that waits has named");
        }
    }

    fn set_aside(&mut self, id: EntryId, escrow: &Escrow) {
        let Escrow { call, session, .. } = escrow;
        let is_elsewhere = escrow.is_elsewhere();
        let is_named = match self.is_copy {
            _ if is_elsewhere => true,
            true => session.ends_with(&format!("-{call}")),
            false => *session == format!("{}-{call}", self.session),
        };
        if !is_named {
            self.fault(id, format!("what is set aside for call {call} is for another session"));
        }
        self.escrows.insert(*call, (escrow.clone(), false));
    }

    /// Where nobody knows what was spent, all of it is charged.
    fn settled(&mut self, id: EntryId, settled: &EscrowSettlement) {
        let Some((escrow, is_settled)) = self.escrows.get_mut(&settled.call) else { return };
        *is_settled = true;
        let has_spent = escrow.waits && settled.spent != Spent::default();
        // How a task of an agent elsewhere ended is known, and not what it spent.
        let is_unknown = settled.state == TaskState::Unknown || escrow.is_elsewhere();
        let is_all = settled.spent == Spent::all_of(escrow) && is_unknown;
        if has_spent {
            self.fault(
                id,
                format!("call {} has spent something, but its sub-agent did not start", settled.call),
            );
        }
        if settled.is_assumed && !is_all {
            let what = format!("nobody knows what call {} spent, but not all of it is charged", settled.call);
            self.fault(id, what);
        }
    }

    /// Turns of a run are counted one by one.
    pub(super) fn goes_on(&mut self, id: EntryId, turn: u64, is_new: bool) {
        let is = self.meter.turns() + u64::from(is_new);
        if turn != is {
            self.fault(id, format!("this is said to be turn {turn} of the run, and is turn {is}"));
        }
    }

    /// The end of a run says what the entries of the run come to.
    pub(super) fn turn_ended(&mut self, id: EntryId, ended: &TurnEnded) {
        self.ended = Some(ended.reason);
        self.run_ends(id, ended.reason);
        // Of a run without more turns it says that, in words that the program has for it.
        let says_another =
            ended.reason != Ending::MaxTurns && !self.lacks("text") && self.says_another_end(ended);
        if self.is_foreign {
            return;
        }
        if says_another {
            self.fault(id, "the run is said to have ended with another answer than its last one");
        }
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let counted = [
            (ended.turns, small(self.meter.turns()), "turns"),
            (ended.tool_calls, small(self.meter.tool_calls()), "calls"),
            (ended.hosted_tools, small(self.meter.hosted_tools()), "uses of the provider's tools"),
        ];
        // What was left out of an end is a count of nothing.
        let lacks = [false, self.lacks("tool_calls"), self.lacks_uses()];
        let counts = counted.into_iter().zip(lacks);
        let counts = counts.filter(|(_, is_left_out)| !is_left_out).map(|(counted, _)| counted);
        for (said, found, what) in counts.filter(|(said, found, _)| said != found).collect::<Vec<_>>() {
            self.fault(id, format!("the run is said to have {said} {what}, and has {found}"));
        }
        if ended.usage != self.meter.usage() {
            self.fault(id, "the run is said to have used other tokens, or to have cost something else, than its answers did");
        }
        if ended.not_ok != self.not_ok {
            self.fault(id, "the run does not name the calls that were not ok");
        }
    }
}
