//! Events, one after the other, become what is to be seen.
//!
//! Durable entries alone decide what a finished session looks like; what only lives (growing text, forming calls, output tails) is
//! kept apart, behind the durable cards, and is gone when its entry or the end of the run comes. So nothing a live event did can be left over.

use std::sync::Arc;

use crate::agent::{Event, Live};
use crate::ledger::{
    Body, CallId, Change, Compaction, Entry, EntryId, LearnedLimit, Millis, ProviderLimit, ToolResult,
};

use super::{
    Card, CardBody, CardId, Forming, LiveMessage, Mark, Panel, PanelState, Phase, PlanProgress, Row, View,
    plan, shells,
};

impl View {
    /// Takes in one event. Durable ones must come in ledger order.
    pub fn fold(&mut self, event: &Event) {
        self.revision.rise();
        match event {
            Event::Appended(entry) => self.durable(entry),
            Event::Live(live) => self.live_event(live),
        }
    }

    fn durable(&mut self, entry: &Arc<Entry>) {
        self.clock = self.clock.max(entry.at);
        self.meter.read(entry);
        self.inspect(entry);
        if matches!(entry.body, Body::Assistant(_)) {
            // Its real usage is counted from here on.
            self.asked = self.asked.filter(|(message, _)| *message > entry.id);
            if self.live.as_ref().is_some_and(|l| l.id == entry.id) {
                self.drop_live();
            }
        }
        if let Some(body) = CardBody::of(entry).filter(|_| !self.ends_own_command(entry)) {
            self.push_card(entry, body);
        }
        self.change_cards(entry);
        self.reaches.read(entry, self.run_is_open);
        self.change_status(entry);
        match &entry.body {
            Body::User(_) => self.has_goal = false,
            Body::Goal(_) => self.has_goal = true,
            _ => {}
        }
    }

    fn push_card(&mut self, entry: &Entry, body: CardBody) {
        self.tell_once(&body);
        // Another model takes no offer away: the stopped run can still go on.
        if !matches!(body, CardBody::Changed(_)) {
            self.withdraw_offer();
        }
        let id = match &entry.body {
            Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) => {
                self.panels.insert(call.id, self.cards.len());
                CardId::Call(call.id)
            }
            _ => CardId::Entry(entry.id),
        };
        self.cards.push(Card { id, revision: self.revision, body });
    }

    /// What a result says beyond its own panel: the plan, and the background command that began or was looked at.
    fn take_result(&mut self, result: &ToolResult, at: Millis) {
        if let Some(items) = self.panel(result.call).and_then(|panel| plan::of(panel, result)) {
            self.plan = items;
        }
        let panel = self.panels.get(&result.call).and_then(|at| self.cards.get(*at)?.panel());
        if let Some(panel) = panel {
            shells::take(&mut self.shells, panel, result, at);
        }
    }

    fn change_cards(&mut self, entry: &Arc<Entry>) {
        match &entry.body {
            Body::CallEdited(u) => {
                self.asks.remove(&u.id);
                self.change_panel(u.id, |p| p.edit(Arc::clone(entry)));
            }
            Body::ApprovalRequested(r) => {
                self.asks.insert(r.call);
                self.change_panel(r.call, |p| p.ask(Arc::clone(entry)));
            }
            Body::ApprovalDecided(d) => {
                self.asks.remove(&d.call);
                self.change_panel(d.call, |p| p.decide(Arc::clone(entry), d.allow));
            }
            Body::DelegationAnswered(r) => self.change_panel(r.call, |p| p.answer(Arc::clone(entry))),
            Body::ToolResult(r) => {
                self.asks.remove(&r.call);
                self.running.remove(&r.call);
                self.change_panel(r.call, |p| p.finish(Arc::clone(entry)));
                self.take_result(r, entry.at);
            }
            Body::Note(note) => self.noted(note, entry.at),
            Body::User(_) if PlanProgress::of(&self.plan).current.is_none() => self.plan.clear(),
            Body::Tombstone(t) => self.remove(t.target),
            Body::Assistant(_) => self.latest_message = self.latest_message.max(Some(entry.id)),
            Body::Change(change) => self.changed(change),
            Body::ProviderLimit(LearnedLimit { lesson: ProviderLimit::Window { model, most }, .. }) => {
                self.session.learn_window(model, *most);
            }
            Body::TurnEnded(ended) => {
                self.drop_live();
                self.running.clear();
                self.offer = self.offer_after(ended);
            }
            Body::SessionStarted(started) => self.session.begin_in(started.mode),
            Body::User(_)
            | Body::ToolCall(_)
            | Body::Validation(_)
            | Body::Command(_)
            | Body::Goal(_)
            | Body::Checkpoint(_)
            | Body::Progress(_)
            | Body::DelegationRequested(_)
            | Body::Handoff { .. }
            | Body::Injected(_)
            | Body::Compaction(_)
            | Body::Transition { .. }
            | Body::ProviderLimit(_)
            | Body::Error { .. } => {}
        }
    }

    fn changed(&mut self, change: &Change) {
        match change {
            Change::Model { model, .. } => self.session.model = model.to_string(),
            Change::Mode { mode, .. } => self.session.mode = *mode,
            Change::GapsAccepted { gaps, .. } => self.session.gaps.extend(gaps.iter().cloned()),
            Change::GapsRefused => self.session.gaps.clear(),
            Change::HostOpened { host } => self.session.hosts.push(host.clone()),
            Change::HostClosed { host } => self.session.hosts.retain(|one| one != host),
            Change::EscrowReserved(escrow) => self.subagent_starts(escrow),
            Change::SubagentStarted { call } => self.turn_comes(*call),
            Change::EscrowSettled(settled) => {
                self.report(settled);
                self.subagent_ends(settled.call);
                self.invite();
            }
            Change::Renamed { name } => self.session.name = Some(name.clone()),
            other => shells::stop(&mut self.shells, other),
        }
    }

    fn change_status(&mut self, entry: &Entry) {
        let before = self.status.phase.clone();
        self.change_phase(entry);
        // A model that is asked once more is waited for anew.
        let is_asked = matches!(entry.body, Body::User(_) | Body::Transition { .. });
        if is_asked || before != self.status.phase {
            self.status.since = entry.at;
        }
        if self.status.phase == Phase::Idle {
            self.status.since = Millis(0);
        }
    }

    fn change_phase(&mut self, entry: &Entry) {
        let status = &mut self.status;
        // Nothing else is done between two runs.
        let by_hand = status.is_busy() && !self.run_is_open;
        match &entry.body {
            Body::User(_) | Body::Transition { .. } => self.run_is_open = true,
            Body::TurnEnded(_) => self.run_is_open = false,
            _ => {}
        }
        match &entry.body {
            Body::User(_) => {
                status.phase = Phase::AwaitingModel;
                status.turn = 0;
                status.transition = None;
            }
            Body::Transition { turn, reason } => {
                status.phase = Phase::AwaitingModel;
                status.turn = *turn;
                status.transition = Some(*reason);
            }
            Body::ToolCall(_) | Body::Validation(_) | Body::Command(_) => {
                status.phase = Phase::DispatchingTools
            }
            Body::ApprovalRequested(_) => status.phase = Phase::WaitingApproval,
            Body::ApprovalDecided(_) | Body::CallEdited(_) | Body::ToolResult(_) => {
                // An answer may have waited for its tool to be found.
                if matches!(status.phase, Phase::WaitingApproval | Phase::Discovering) {
                    let waits = !self.asks.is_empty();
                    status.phase = if waits { Phase::WaitingApproval } else { Phase::DispatchingTools };
                }
            }
            Body::TurnEnded(_) => status.phase = Phase::Idle,
            // Between runs a summary, or the word that there is none, is the end of it. A note on a call is a late
            // result, which ends nothing.
            Body::Compaction(_) | Body::Error { .. } if by_hand => status.phase = Phase::Idle,
            Body::Note(note) if by_hand && note.about.call().is_none() => {
                status.phase = Phase::Idle;
            }
            // Within a run the model is asked again with the summary: no transition says so after a reactive one.
            Body::Compaction(_) if self.run_is_open => status.phase = Phase::AwaitingModel,
            Body::SessionStarted(_)
            | Body::Assistant(_)
            | Body::Goal(_)
            | Body::Checkpoint(_)
            | Body::Progress(_)
            | Body::DelegationRequested(_)
            | Body::DelegationAnswered(_)
            | Body::Handoff { .. }
            | Body::Injected(_)
            | Body::Tombstone(_)
            | Body::Compaction(_)
            | Body::Change(_)
            | Body::Note(_)
            | Body::ProviderLimit(_)
            | Body::Error { .. } => {}
        }
    }

    pub(super) fn change_panel(&mut self, call: CallId, change: impl FnOnce(&mut Panel)) {
        let revision = self.revision;
        let Some(card) = self.panels.get(&call).and_then(|at| self.cards.get_mut(*at)) else { return };
        card.revision = revision;
        if let Some(panel) = card.panel_mut() {
            change(panel);
        }
    }

    /// A withdrawn message leaves the transcript and stays in the inspector.
    fn remove(&mut self, target: EntryId) {
        self.latest_message = self.latest_message.max(Some(target));
        if self.live.as_ref().is_some_and(|l| l.id == target) {
            self.drop_live();
        }
        let Some(at) = self.cards.iter().rposition(|c| c.id == CardId::Entry(target)) else { return };
        self.cards.remove(at);
        self.epoch.rise();
        for position in self.panels.values_mut().filter(|p| **p > at) {
            *position -= 1;
        }
    }

    fn inspect(&mut self, entry: &Arc<Entry>) {
        let mut marks = Mark::of(entry);
        if let Body::Note(note) = &entry.body
            && note.ended().is_none()
        {
            let late = note.about.call().and_then(|c| self.panel(c)).is_some_and(|p| p.result().is_some());
            marks.extend(late.then_some(Mark::Late));
        }
        if let Body::Tombstone(t) = &entry.body
            && let Some(row) = self.row_of.get(&t.target).and_then(|at| self.rows.get_mut(*at))
        {
            row.marks.push(Mark::Tombstoned(t.reason.clone()));
        }
        if let Body::Compaction(made) = &entry.body {
            self.mark_compacted(made);
        }
        self.row_of.insert(entry.id, self.rows.len());
        self.rows.push(Row { entry: Arc::clone(entry), marks });
    }

    /// What a model saw of the session up to now is in the summary; a withdrawn message was not seen.
    fn mark_compacted(&mut self, made: &Compaction) {
        let end = self.row_of.get(&made.replaces_to).map_or(self.rows.len(), |at| at + 1);
        let seen = |row: &&mut Row| {
            Mark::can_be_compacted(&row.entry)
                && !row.marks.iter().any(|m| matches!(m, Mark::Tombstoned(_) | Mark::Compacted))
        };
        // A summary is replaced by the next one, wherever it stands.
        let is_replaced = |at: usize, row: &Row| at < end || matches!(row.entry.body, Body::Compaction(_));
        let replaced = self.rows.iter_mut().enumerate().filter(|(at, row)| is_replaced(*at, row));
        replaced.map(|(_, row)| row).filter(seen).for_each(|row| row.marks.push(Mark::Compacted));
    }

    fn live_event(&mut self, live: &Live) {
        match live {
            Live::Text { message, text } => self.grow(*message, |m| m.text.push_str(text)),
            Live::Thinking { message, text } => self.grow(*message, |m| m.thinking.push_str(text)),
            Live::Hosted { message, block } => self.grow(*message, |m| m.hosted.push(block.clone())),
            Live::CallForming { message, index, name, bytes, breaks, path } => {
                let (name, path) = (name.clone(), path.clone());
                self.form(*message, *index, Forming { name, bytes: *bytes, breaks: *breaks, path });
            }
            Live::Progress { call, effect, .. } => {
                let (since, effect) = (self.clock, *effect);
                // That of a sub-agent in the background has its result, and nothing waits for it.
                if self.panel(*call).is_none_or(|panel| panel.result().is_none()) {
                    self.running.insert(*call, since);
                }
                self.change_open_panel(*call, |p| p.state = PanelState::Running { since, effect });
            }
            Live::ToolOutput { call, chunk } => self.change_open_panel(*call, |p| p.tail.push(chunk)),
            Live::Allowed { call } => self.change_open_panel(*call, |p| p.state = PanelState::Queued),
            Live::Screen { call, screen } => {
                self.change_open_panel(*call, |p| p.screen = Some(screen.clone()));
            }
            Live::ToolFinished { call, outcome } => {
                self.running.remove(call);
                self.change_open_panel(*call, |p| p.state = PanelState::Done(outcome.clone()));
            }
            Live::Retrying { attempt, most, wait_ms, reason, brief } => {
                if self.status.is_busy() {
                    let until = Millis(self.clock.0.saturating_add(*wait_ms));
                    let (attempt, most, reason, brief) = (*attempt, *most, reason.clone(), brief.clone());
                    self.status.phase = Phase::Retrying { attempt, most, until, reason, brief };
                }
            }
            Live::Subagent { call, event } => self.subagent_event(*call, event),
            Live::Asked { message, tokens } => self.asked = Some((*message, *tokens)),
            Live::AskingHooks(point) => self.enter(Phase::AskingHooks(*point)),
            Live::Discovering => self.enter(Phase::Discovering),
            Live::Compacting(trigger) => self.enter(Phase::Compacting(*trigger)),
            Live::Discovered(_)
            | Live::Next(_)
            | Live::Waiting { .. }
            | Live::ModeChanged(_)
            | Live::Answering { .. } => self.session.fold(live),
            Live::Returned(_)
            | Live::ReturnedLine(_)
            | Live::Unreached(_)
            | Live::LedgerUnwritable { .. }
            | Live::LedgerWritable
            | Live::SubagentWaits { .. }
            | Live::Undecided(_)
            | Live::Refused(_) => {}
        }
    }

    fn enter(&mut self, phase: Phase) {
        self.status.phase = phase;
        self.status.since = self.clock;
    }

    /// News of a call that has its result, or of none that is known, changes nothing.
    fn change_open_panel(&mut self, call: CallId, change: impl FnOnce(&mut Panel)) {
        if self.panel(call).is_some_and(|p| !matches!(p.state, PanelState::Finished(_))) {
            self.change_panel(call, change);
        }
    }

    /// Makes `message` the one that grows. News of one that is over or withdrawn is ignored.
    fn follow(&mut self, message: EntryId) -> bool {
        if !self.status.is_busy() || self.latest_message.is_some_and(|latest| message <= latest) {
            return false;
        }
        if self.live.as_ref().is_none_or(|l| l.id != message) {
            // The prompt of its own request is still not paid for.
            let asked = self.asked.filter(|(of, _)| *of == message);
            self.drop_live();
            self.asked = asked;
            self.live = Some(LiveMessage {
                id: message,
                text: String::new(),
                thinking: String::new(),
                hosted: Vec::new(),
            });
        }
        if matches!(self.status.phase, Phase::Retrying { .. }) {
            self.status.phase = Phase::AwaitingModel;
        }
        true
    }

    fn grow(&mut self, message: EntryId, change: impl FnOnce(&mut LiveMessage)) {
        if !self.follow(message) {
            return;
        }
        if let Some(live) = &mut self.live {
            change(live);
        }
        let id = CardId::Entry(message);
        match self.live_cards.iter_mut().find(|c| c.id == id) {
            Some(card) => card.revision = self.revision,
            None => {
                let card = Card { id, revision: self.revision, body: CardBody::Growing };
                self.live_cards.insert(0, card);
            }
        }
    }

    fn form(&mut self, message: EntryId, index: u32, forming: Forming) {
        if !self.follow(message) {
            return;
        }
        let (id, revision, body) =
            (CardId::Forming(message, index), self.revision, CardBody::Forming(forming));
        match self.live_cards.iter_mut().find(|c| c.id == id) {
            Some(card) => *card = Card { id, revision, body },
            None => self.live_cards.push(Card { id, revision, body }),
        }
    }

    pub(super) fn drop_live(&mut self) {
        (self.live, self.asked) = (None, None);
        self.live_cards.clear();
    }
}
