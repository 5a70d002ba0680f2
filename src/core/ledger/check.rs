//! The invariants of the books, stated once over a slice of entries. It refuses; it never repairs.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use super::{Body, CallId, Change, Entry, EntryId};

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
/// results of the one before, a call that no message made, a tool started without a decision, a call edited that does not wait,
/// a task sent to another agent that was not decided about, or that has not exactly one end.
pub fn check(entries: &[Arc<Entry>]) -> Result<BTreeSet<CallId>, Fault> {
    let (faults, open) = audit(entries);
    faults.into_iter().next().map_or(Ok(open), |(_, fault)| Err(fault))
}

/// Every fault of a history with the position of its entry, in order, and the calls that are still open at its end.
/// What one fault brought about is not told again.
pub fn audit(entries: &[Arc<Entry>]) -> (Vec<(usize, Fault)>, BTreeSet<CallId>) {
    let mut books = LedgerCheck::default();
    for (position, entry) in entries.iter().enumerate() {
        books.position = position;
        books.read(entry);
    }
    (books.faults, books.open)
}

#[derive(Default)]
struct LedgerCheck {
    position: usize,
    faults: Vec<(usize, Fault)>,
    ids: BTreeSet<EntryId>,
    made: BTreeSet<CallId>,
    announced: BTreeSet<CallId>,
    requested: BTreeSet<CallId>,
    decided: BTreeSet<CallId>,
    delegated: BTreeSet<CallId>,
    answered: BTreeSet<CallId>,
    /// What was set aside for a sub-agent, and whether it is settled.
    escrows: BTreeMap<CallId, bool>,
    open: BTreeSet<CallId>,
    /// Left without a result, which was told: what is said of them later is not.
    given_up: BTreeSet<CallId>,
}

impl LedgerCheck {
    /// What was granted, and what runs in the background, is of calls that are there.
    fn changed(&mut self, id: EntryId, change: &Change) {
        match change {
            Change::GrantRevoked { call }
                if !self.decided.contains(call) && !self.given_up.contains(call) =>
            {
                self.fault(
                    id,
                    format!("a grant of call {call} is taken back, but nobody has decided about it"),
                );
            }
            Change::BackgroundStopped { id: shell, call }
                if !self.made.contains(call) && !self.given_up.contains(call) =>
            {
                self.fault(id, format!("{shell} is stopped, but no call {call} began it"));
            }
            Change::Rewound { message, .. } if !self.ids.contains(message) => {
                self.fault(id, format!("the conversation goes back to before {message}, which is not there"));
            }
            Change::EscrowReserved(escrow) => self.set_aside(id, escrow.call),
            Change::EscrowSettled(settled) => match self.escrows.get_mut(&settled.call) {
                Some(is_settled) if !*is_settled => *is_settled = true,
                Some(_) => self.fault(id, format!("the escrow of call {} is settled twice", settled.call)),
                None => self.fault(id, format!("nothing was set aside for call {}", settled.call)),
            },
            Change::SubagentStarted { call } if self.escrows.get(call) != Some(&false) => {
                self.fault(
                    id,
                    format!("the sub-agent of call {call} starts, but nothing is set aside for it"),
                );
            }
            Change::SubagentWaits { call, .. } if !self.escrows.contains_key(call) => {
                self.fault(id, format!("a sub-agent of call {call} waits, but none was started"));
            }
            _ => {}
        }
    }

    /// Something is set aside once for a call, and only when its task is written.
    fn set_aside(&mut self, id: EntryId, call: CallId) {
        if !self.delegated.contains(&call) && !self.given_up.contains(&call) {
            self.fault(id, format!("budget is set aside for call {call}, whose task is not written"));
        }
        if self.escrows.insert(call, false).is_some() {
            self.fault(id, format!("budget is set aside for call {call} twice"));
        }
    }

    fn read(&mut self, entry: &Entry) {
        let id = entry.id;
        if !self.ids.insert(id) {
            self.fault(id, "this id is used twice");
        }
        if (self.position == 0) != matches!(entry.body, Body::SessionStarted(_)) {
            self.fault(id, "a session begins with session_started, once");
        }
        match &entry.body {
            Body::User(_) | Body::Injected(_) => self.all_settled(id, "a message"),
            Body::TurnEnded(_) => self.all_settled(id, "the end of the turn"),
            Body::Compaction(_) => self.all_settled(id, "a compaction"),
            Body::Assistant(m) => {
                self.all_settled(id, "an assistant message");
                for call in m.calls() {
                    if self.made.insert(call.id) {
                        self.open.insert(call.id);
                    } else {
                        self.fault(id, format!("call {} is made twice", call.id));
                    }
                }
            }
            Body::Validation(u) | Body::Command(u) => {
                self.all_settled(id, "a call that no model made");
                if self.made.insert(u.id) {
                    self.open.insert(u.id);
                    self.once(id, u.id, |b| &mut b.announced, "announced");
                } else {
                    self.fault(id, format!("call {} is made twice", u.id));
                }
            }
            Body::ToolCall(u) => self.once(id, u.id, |b| &mut b.announced, "announced"),
            Body::CallEdited(u) => self.edited(id, u.id),
            Body::ApprovalRequested(r) => self.request(id, r.call),
            Body::ApprovalDecided(d) => self.once(id, d.call, |b| &mut b.decided, "decided"),
            Body::Change(change) => self.changed(id, change),
            Body::DelegationRequested(r) => self.delegate(id, r.call),
            Body::DelegationAnswered(r) => self.answer(id, r.call),
            Body::ToolResult(r) => self.settle(id, r.call),
            Body::SessionStarted(_)
            | Body::Tombstone(_)
            | Body::Transition { .. }
            | Body::Goal(_)
            | Body::Checkpoint(_)
            | Body::Progress(_)
            | Body::Handoff { .. }
            | Body::Note(_)
            | Body::ProviderLimit(_)
            | Body::Error { .. } => {}
        }
    }

    fn fault(&mut self, entry: EntryId, what: impl Into<String>) {
        self.faults.push((self.position, Fault { entry, what: what.into() }));
    }

    /// A task is sent once, and not before somebody has allowed it.
    fn delegate(&mut self, id: EntryId, call: CallId) {
        if !self.decided.contains(&call) && !self.given_up.contains(&call) {
            self.fault(id, format!("the task of call {call} is sent, but nobody has decided about it"));
        }
        self.once(id, call, |b| &mut b.delegated, "delegated");
    }

    fn answer(&mut self, id: EntryId, call: CallId) {
        if !self.delegated.contains(&call) && !self.given_up.contains(&call) {
            self.fault(id, format!("call {call} has an answer to a task that was not sent"));
        }
        self.once(id, call, |b| &mut b.answered, "answered");
    }

    fn settle(&mut self, id: EntryId, call: CallId) {
        if self.delegated.contains(&call) && !self.answered.contains(&call) && self.open.contains(&call) {
            self.fault(id, format!("call {call} has a result, but the task that it sent has no end"));
        }
        if !self.made.contains(&call) {
            self.fault(id, format!("result of call {call}, which no message made"));
        } else if !self.open.remove(&call) && !self.given_up.remove(&call) {
            self.fault(id, format!("call {call} has a second result"));
        }
    }

    /// A call is asked about before it is decided; while it waits, once more whenever what it would do has changed.
    fn request(&mut self, id: EntryId, call: CallId) {
        let waits = self.requested.contains(&call) && !self.decided.contains(&call);
        if !(waits && self.open.contains(&call)) {
            self.once(id, call, |b| &mut b.requested, "requested");
        }
    }

    /// Only a call that waits can be changed; the changed one may be asked about anew.
    fn edited(&mut self, id: EntryId, call: CallId) {
        if self.given_up.contains(&call) {
            return;
        }
        let waits = self.open.contains(&call) && !self.decided.contains(&call);
        if !waits || !self.requested.remove(&call) {
            self.fault(id, format!("call {call} is edited, but does not wait for a decision"));
        }
    }

    fn all_settled(&mut self, id: EntryId, what: &str) {
        if self.open.is_empty() {
            return;
        }
        let calls: Vec<String> = self.open.iter().map(ToString::to_string).collect();
        self.fault(id, format!("{what} comes before the result of call {}", calls.join(", ")));
        self.given_up.append(&mut self.open);
    }

    fn once(
        &mut self,
        id: EntryId,
        call: CallId,
        of: impl Fn(&mut Self) -> &mut BTreeSet<CallId>,
        what: &str,
    ) {
        if self.given_up.contains(&call) {
            return;
        }
        if !self.open.contains(&call) {
            self.fault(id, format!("call {call} is {what}, but is not open"));
        } else if !of(self).insert(call) {
            self.fault(id, format!("call {call} is {what} twice"));
        }
    }
}

/// How many of the first entries a history may be cut down to: every length at which no call is open. Longest last.
pub fn resting_places(entries: &[Arc<Entry>]) -> Vec<usize> {
    let mut open = BTreeSet::new();
    let mut places = Vec::new();
    for (position, entry) in entries.iter().enumerate() {
        match &entry.body {
            Body::Assistant(message) => open.extend(message.calls().map(|call| call.id)),
            // The check of a goal and a command of the user are calls, too.
            Body::Validation(call) | Body::Command(call) => {
                open.insert(call.id);
            }
            Body::ToolResult(result) => {
                open.remove(&result.call);
            }
            _ => {}
        }
        if open.is_empty() {
            places.push(position + 1);
        }
    }
    places
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{audit, resting_places};
    use crate::ledger::{
        ApprovalRequest, Arguments, AssistantMessage, Block, Body, CallId, Decider, Decision, Entry, EntryId,
        Millis, ModelRef, Outcome, Preview, Sandboxing, Stop, ToolResult, ToolUse, Usage, UserMessage,
    };

    fn call(id: u64) -> ToolUse {
        let (wire_id, name) = (String::new(), "shell".to_owned());
        ToolUse { id: CallId(id), wire_id, name, arguments: Arguments::parse("{}") }
    }

    fn answer(calls: &[u64]) -> Body {
        Body::Assistant(Arc::new(AssistantMessage {
            id: EntryId(0),
            model: ModelRef::parse("script"),
            blocks: calls.iter().map(|id| Block::ToolUse(call(*id))).collect(),
            stop: Stop::ToolUse,
            usage: Usage::default(),
            interrupted: false,
        }))
    }

    fn result(id: u64) -> Body {
        Body::ToolResult(Arc::new(ToolResult {
            call: CallId(id),
            name: "shell".to_owned(),
            outcome: Outcome::Ok,
            content: String::new(),
            duration_ms: 0,
            cut_chars: 0,
            facts: crate::ledger::Facts::default(),
            images: Vec::new(),
            written: None,
        }))
    }

    #[test]
    fn a_call_that_waits_may_be_asked_about_anew_and_one_that_is_decided_may_not() {
        let asked = || Body::ApprovalRequested(request());
        let decided = || Body::ApprovalDecided(Decision::denial(CallId(1), Decider::User, ""));
        let faults = |rest: Vec<Body>| {
            let made = [answer(&[1]), Body::ToolCall(call(1))].into_iter().chain(rest);
            let faults = audit(&entries(made.collect())).0.into_iter().map(|(_, fault)| fault.what);
            faults.filter(|what| what.contains("requested")).collect::<Vec<_>>()
        };
        assert!(faults(vec![asked(), asked(), decided(), result(1)]).is_empty());
        assert_eq!(faults(vec![asked(), decided(), asked(), result(1)]), ["call c1 is requested twice"]);
        assert_eq!(faults(vec![asked(), result(1), asked()]), ["call c1 is requested, but is not open"]);
    }

    fn request() -> ApprovalRequest {
        ApprovalRequest {
            call: CallId(1),
            name: "shell".to_owned(),
            arguments: serde_json::json!({}),
            why: String::new(),
            risk: String::new(),
            effects: Vec::new(),
            preview: Preview::None,
            warning: None,
            rule: None,
            sandboxing: Sandboxing::Without,
            leads_to: None,
            is_partial: false,
            is_usual: false,
            replaces: false,
            gaps: Vec::new(),
        }
    }

    fn places(bodies: Vec<Body>) -> Vec<usize> {
        resting_places(&entries(bodies))
    }

    fn entries(bodies: Vec<Body>) -> Vec<Arc<Entry>> {
        let entry = |(body, id)| Arc::new(Entry { id: EntryId(id), at: Millis(0), body });
        bodies.into_iter().zip(1..).map(entry).collect()
    }

    #[test]
    fn nothing_is_cut_while_any_call_of_a_message_is_open() {
        let said = || Body::User(Arc::new(UserMessage::text("go")));
        let calls = || [Body::ToolCall(call(1)), Body::ToolCall(call(2))];
        for results in [[result(1), result(2)], [result(2), result(1)]] {
            let all =
                [said(), answer(&[1, 2])].into_iter().chain(calls()).chain(results).chain([answer(&[])]);
            assert_eq!(places(all.collect()), [1, 6, 7]);
        }
    }

    #[test]
    fn nothing_is_cut_between_the_check_of_a_goal_and_its_result() {
        assert_eq!(places(vec![answer(&[]), Body::Validation(call(1)), result(1), answer(&[])]), [1, 3, 4]);
    }

    #[test]
    fn only_a_call_that_waits_is_edited() {
        let asked = || Body::ApprovalRequested(request());
        let decided = || Body::ApprovalDecided(Decision::denial(CallId(1), Decider::User, ""));
        let edited = || Body::CallEdited(call(1));
        let faults = |rest: Vec<Body>| {
            let made = [answer(&[1]), Body::ToolCall(call(1))].into_iter().chain(rest);
            let faults = audit(&entries(made.collect())).0.into_iter().map(|(_, fault)| fault.what);
            faults.filter(|what| what.contains("edited")).count()
        };
        assert_eq!(faults(vec![asked(), edited(), asked(), decided(), result(1)]), 0);
        assert_eq!(faults(vec![asked(), decided(), edited(), result(1)]), 1, "it is decided");
        assert_eq!(faults(vec![asked(), result(1), edited()]), 1, "it is over");
        assert_eq!(faults(vec![edited(), result(1)]), 1, "nobody was asked");
    }
}
