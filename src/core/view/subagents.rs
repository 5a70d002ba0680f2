//! The sessions of sub-agents, each a view of its own beside the panel that started it. Facts of the process: a ledger keeps
//! what was set aside and what came of it, and the sub-agent's own ledger keeps the rest.

use crate::agent::Event;
use crate::ledger::{CallId, Escrow, EscrowSettlement};

use super::panel::InBackground;
use super::{Phase, View};

impl View {
    /// Makes a view for a sub-agent that starts.
    pub(super) fn subagent_starts(&mut self, escrow: &Escrow) {
        let mut settings = self.settings.clone();
        for limit in crate::ledger::Limit::ALL {
            settings.limits.set(*limit, escrow.limits.get(limit).copied());
        }
        settings.token_budget = None;
        self.subagents.insert(escrow.call, Self::new(settings));
        let in_background = escrow.in_background;
        self.change_panel(escrow.call, |panel| {
            panel.is_subagent = !in_background;
            panel.in_background = in_background.then_some(InBackground::AtWork);
        });
    }

    /// It is over.
    pub(super) fn subagent_ends(&mut self, settled: &EscrowSettlement) {
        self.change_panel(settled.call, |panel| {
            if panel.in_background.is_some() {
                panel.in_background = Some(InBackground::Over(Box::new(settled.clone())));
            }
        });
    }

    /// How many sub-agents work in the background.
    pub fn in_background(&self) -> usize {
        let works = |(call, view): &(CallId, &Self)| {
            let is_background =
                || self.panel(*call).is_some_and(|panel| panel.in_background == Some(InBackground::AtWork));
            view.last_end().is_none() && is_background()
        };
        self.subagents().filter(works).count()
    }

    /// Something happened in the session of a sub-agent.
    pub(super) fn subagent_event(&mut self, call: CallId, event: &Event) {
        let clock = self.clock;
        if let Some(view) = self.subagents.get_mut(&call) {
            view.tick(clock);
            view.fold(event);
            self.change_panel(call, |_panel| {});
        }
    }

    /// The session of the sub-agent that this call started, as far as this process has seen it.
    pub fn subagent(&self, call: CallId) -> Option<&Self> {
        self.subagents.get(&call)
    }

    /// The same, taken out to be shown by itself.
    pub fn take_subagent(&mut self, call: CallId) -> Option<Self> {
        self.subagents.remove(&call)
    }

    /// Put back.
    pub fn put_subagent(&mut self, call: CallId, view: Self) {
        self.subagents.insert(call, view);
    }

    /// The sub-agents that this process has seen, in the order of their calls.
    pub fn subagents(&self) -> impl Iterator<Item = (CallId, &Self)> {
        self.subagents.iter().map(|(call, view)| (*call, view))
    }

    /// Calls that wait for a person in this session and those of its sub-agents.
    pub fn waiting_everywhere(&self) -> usize {
        let own = self.waiting().len();
        own + self
            .subagents
            .values()
            .filter(|view| view.is_at_work())
            .map(Self::waiting_everywhere)
            .sum::<usize>()
    }

    /// Whether a run is under way.
    pub fn is_at_work(&self) -> bool {
        !matches!(self.status.phase, Phase::Idle)
    }
}
