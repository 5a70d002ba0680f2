//! Calls of sub-agents that wait for a person, as they are shown above their sessions: cards of this view, by ids that only this
//! view knows. What is decided about one is told its session by the call's own name. Facts of the process, as their sessions are.

use std::ops::Bound;

use crate::agent::{CallAddress, Intent, SubagentPath};
use crate::ledger::{ApprovalRequest, CallId, EntryId};
use crate::tool::delegate;

use super::asked_by::BELOW;
use super::guest::{AtHome, Guest};
use super::{AskedBy, Card, CardBody, CardId, PanelState, View, subject};

/// Ids from here on are those of guests: no ledger gets so far.
const FIRST: u64 = 1 << 62;

impl View {
    /// The requests that wait for a person: the session's own in the order of their calls, then those of its sub-agents.
    pub fn waiting(&self) -> Vec<(EntryId, &ApprovalRequest)> {
        self.own_waiting().chain(self.guest_requests()).collect()
    }

    /// The session's own.
    pub fn own_waiting(&self) -> impl Iterator<Item = (EntryId, &ApprovalRequest)> {
        self.asks.iter().filter_map(|call| self.panel(*call)?.request())
    }

    /// How many calls stand below this one, down to the last that waits for a person.
    pub fn down_to_the_last_that_waits(&self, call: CallId) -> usize {
        let last = self.own_waiting().map(|(_, asked)| asked.call).max().filter(|last| *last > call);
        last.map_or(0, |last| self.panels.range((Bound::Excluded(call), Bound::Included(last))).count())
    }

    /// What those name that the sandbox cannot hide: what a person can have read who accepts all of it.
    pub fn gaps_asked_about(&self) -> Vec<String> {
        self.own_waiting().flat_map(|(_, asked)| asked.gaps.iter().cloned()).collect()
    }

    /// The guests are those that wait now. One that waits on keeps its ids, also after its session was shown by itself.
    pub(super) fn invite(&mut self) {
        let waiting: Vec<AtHome> = self
            .waiting_calls()
            .filter(|(path, ..)| !path.is_empty())
            .map(|(path, entry, asked)| (path, entry, asked.call))
            .collect();
        let is_it = |guest: &Guest, (path, entry, call): &AtHome| {
            guest.path == *path && (guest.entry, guest.call) == (*entry, *call)
        };
        self.guests.retain(|guest| waiting.iter().any(|one| is_it(guest, one)));
        for one in &waiting {
            if self.guests.iter().any(|guest| is_it(guest, one)) {
                continue;
            }
            let (path, entry, call) = one.clone();
            let next = FIRST + self.invited.len() as u64 + 1;
            let number = *self.invited.entry(one.clone()).or_insert(next);
            let asked_by = self.asked_by(&path);
            let panel = self.below(&path).and_then(|view| view.panel(call));
            let panel = panel.and_then(|it| it.as_guest(CallId(number), EntryId(number), asked_by));
            let Some(panel) = panel else {
                continue;
            };
            let (id, body) = (CardId::Call(CallId(number)), CardBody::Tool(Box::new(panel)));
            let card = Card { id, revision: self.revision, body };
            self.guests.push(Guest { path, entry, call, card });
        }
        // Looks come back in any order.
        self.guests.sort_by_cached_key(|guest| waiting.iter().position(|one| is_it(guest, one)));
    }

    /// The sub-agent at the end of a path of calls that start one.
    pub fn asked_by(&self, path: &[CallId]) -> AskedBy {
        let mut names = Vec::new();
        let (mut view, mut task) = (Some(self), String::new());
        for call in path {
            let panel = view.and_then(|view| view.panel(*call));
            task = panel.map(subject).unwrap_or_default();
            names.extend(panel.map(|panel| delegate(panel.name()).unwrap_or(panel.name())));
            view = view.and_then(|view| view.subagent(*call));
        }
        let calls: Vec<String> = path.iter().map(ToString::to_string).collect();
        let worktree = view.and_then(|view| view.worktree.clone());
        AskedBy { names: names.join(BELOW), calls: calls.join("/"), task, worktree }
    }

    /// Where the card of a guest stands, behind all others.
    pub(super) fn guest_position(&self, call: CallId) -> Option<usize> {
        let at = self.guests.iter().position(|guest| guest.id() == CardId::Call(call))?;
        Some(self.cards.len() + self.live_cards.len() + at)
    }

    /// The requests of guests: in the order in which models made the calls, those of one sub-agent together.
    pub(super) fn guest_requests(&self) -> impl Iterator<Item = (EntryId, &ApprovalRequest)> {
        self.guests.iter().filter_map(Guest::request)
    }

    /// The call of this session that started the sub-agent whose waiting call this is, or whose sub-agent's.
    pub fn host_of(&self, call: CallId) -> Option<CallId> {
        self.guests.iter().find(|guest| guest.id() == CardId::Call(call))?.path.first().copied()
    }

    /// Where a call of this view is made: in this session, or in that of a sub-agent whose call waits here.
    pub fn address_of(&self, call: CallId) -> CallAddress {
        match self.guests.iter().find(|guest| guest.id() == CardId::Call(call)) {
            Some(guest) => CallAddress { path: guest.path.clone(), call: guest.call },
            None => CallAddress { path: SubagentPath::new(), call },
        }
    }

    /// Whether a call that the model made before this one, in the same answer, is still to be examined: it may come to wait, too. Looks come back in any order, so whoever numbers the calls that wait must not number this one before.
    pub fn waits_behind_another(&self, call: CallId) -> bool {
        let CallAddress { path, call } = self.address_of(call);
        self.below(&path).is_some_and(|view| {
            let before = view.panels.range(..call).rev().map_while(|(call, _)| view.panel(*call));
            // Calls of earlier answers are over.
            let mut of_this_answer = before.take_while(|panel| Some(panel.made_by()) > view.latest_message);
            of_this_answer.any(|panel| matches!(panel.state, PanelState::Preparing))
        })
    }

    /// Whether calls of sub-agents wait for the person.
    pub fn has_guests(&self) -> bool {
        !self.guests.is_empty()
    }

    /// What is wished of this view, as the session is told it: a decision about the call of a sub-agent goes to its own session.
    /// `None`: that call does not wait any more.
    pub fn at_home(&self, intent: Intent) -> Option<Intent> {
        match intent {
            Intent::Decide { request, call, answer } if call.0 >= FIRST || request.0 >= FIRST => {
                let is_it = |guest: &&Guest| {
                    guest.request().is_some_and(|(id, asked)| id == request && asked.call == call)
                };
                let guest = self.guests.iter().find(is_it)?;
                let decision = Intent::Decide { request: guest.entry, call: guest.call, answer };
                Some(decision.within(&guest.path))
            }
            Intent::AcceptGaps { call: Some(call), .. } if call.0 >= FIRST => None,
            intent => Some(intent),
        }
    }
}
