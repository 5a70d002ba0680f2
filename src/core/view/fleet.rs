//! All that works for a session at the moment: its sub-agents and theirs, tasks of other agents, commands in the background.

use std::collections::BTreeSet;

use crate::ledger::{CallId, Limit, MicroDollars, Millis};
use crate::tool::delegate;

use super::{Activity, BackgroundShell, Panel, PanelState, View, subject};

/// One that works, or has worked in this process.
#[derive(Debug)]
pub struct FleetMember<'v> {
    /// The calls that lead to the session it belongs to; empty: the session's own.
    pub path: Vec<CallId>,
    /// What it is.
    pub kind: FleetKind<'v>,
}

/// What works.
#[derive(Debug)]
pub enum FleetKind<'v> {
    /// A sub-agent, with the call that started it and its session.
    Subagent {
        /// The call.
        call: CallId,
        /// Its name.
        name: &'v str,
        /// Its task.
        task: String,
        /// Its session.
        view: &'v View,
    },
    /// A task of an agent elsewhere that is waited for.
    Delegated {
        /// The call.
        call: CallId,
        /// The agent.
        name: &'v str,
        /// The task.
        task: String,
        /// Since when.
        since: Millis,
        /// What it may cost: that is set aside, and what it does cost is known at the end.
        at_most: Option<MicroDollars>,
    },
    /// A sub-agent that starts when another one is over: it has no session yet.
    Waiting {
        /// The call.
        call: CallId,
        /// Its name.
        name: &'v str,
        /// Its task.
        task: String,
    },
    /// A command in the background.
    Shell(&'v BackgroundShell),
}

/// What is said of a sub-agent that starts when another one is over.
pub const WAITS_FOR_TURN: &str = "waits for its turn";

impl View {
    /// All of them, each sub-agent before what works for it.
    pub fn fleet(&self) -> Vec<FleetMember<'_>> {
        let mut all = Vec::new();
        self.muster(&[], &mut all);
        all
    }

    fn muster<'v>(&'v self, path: &[CallId], all: &mut Vec<FleetMember<'v>>) {
        for (call, view) in self.subagents() {
            let Some(panel) = self.panel(call) else { continue };
            let name = delegate(panel.name()).unwrap_or_else(|| panel.name());
            let kind = FleetKind::Subagent { call, name, task: subject(panel), view };
            all.push(FleetMember { path: path.to_vec(), kind });
            let below: Vec<CallId> = path.iter().copied().chain([call]).collect();
            view.muster(&below, all);
        }
        for (call, panel) in self.later() {
            let name = delegate(panel.name()).unwrap_or_else(|| panel.name());
            let kind = FleetKind::Waiting { call, name, task: subject(panel) };
            all.push(FleetMember { path: path.to_vec(), kind });
        }
        for call in self.running.keys().copied() {
            let Some(panel) = self.panel(call).filter(|_| self.subagent(call).is_none()) else { continue };
            if let (Some(name), PanelState::Running { since, .. }) = (delegate(panel.name()), &panel.state) {
                let limits = self.escrows.get(&call).map(|escrow| &escrow.limits);
                let at_most = limits.and_then(|limits| limits.get(&Limit::Cost)).copied().map(MicroDollars);
                let kind = FleetKind::Delegated { call, name, task: subject(panel), since: *since, at_most };
                all.push(FleetMember { path: path.to_vec(), kind });
            }
        }
        let shells = self.shells().iter().filter(|shell| shell.is_running);
        all.extend(shells.map(|shell| FleetMember { path: path.to_vec(), kind: FleetKind::Shell(shell) }));
    }

    /// The calls that hand a task over and start only when what runs now is over. What is over before the first that runs is not looked
    /// through: a session can be long.
    fn later(&self) -> impl Iterator<Item = (CallId, &Panel)> {
        let first = self.running.keys().next().copied();
        let is_near = move |call: &CallId| {
            first.is_some_and(|first| *call >= first)
                || self.panel(*call).is_some_and(|panel| is_to_start(&panel.state))
        };
        let near = self.calls().rev().take_while(is_near);
        let later: BTreeSet<CallId> = near.filter(|call| self.starts_later(*call)).collect();
        later.into_iter().filter_map(|call| Some((call, self.panel(call)?)))
    }

    /// Whether a call that hands a task over starts only when what runs now is over.
    pub fn starts_later(&self, call: CallId) -> bool {
        let is_one =
            self.panel(call).is_some_and(|it| delegate(it.name()).is_some() && is_to_start(&it.state));
        is_one && !self.running.is_empty() && self.subagent(call).is_none()
    }

    /// What sub-agents that are not over have spent of a limit until now, of what is set aside for them.
    pub fn spent_below(&self, limit: Limit, now: Millis) -> u64 {
        if limit == Limit::WallTime {
            return 0;
        }
        let of_one = |view: &Self| view.meter().used(limit, now).saturating_add(view.spent_below(limit, now));
        self.subagents().filter(|(_, view)| view.is_at_work()).map(|(_, view)| of_one(view)).sum()
    }

    /// How it stands with the session of a sub-agent, in a few words: what it waits for, does, or how it ended.
    pub fn stands(&self) -> String {
        if let Some((_, asked)) = self.own_waiting().next() {
            let about = self.panel(asked.call).map(subject).unwrap_or_default();
            let others = match self.waiting_everywhere() {
                0 | 1 => String::new(),
                all => format!(" and {} more", all - 1),
            };
            return format!("waits for you: {} {about}{others}", asked.name);
        }
        if self.waiting_everywhere() > 0 {
            return "waits for you: a sub-agent of its own".to_owned();
        }
        if self.waits_for_turn {
            return WAITS_FOR_TURN.to_owned();
        }
        if let Some(ended) = self.last_end() {
            return super::ending_words_below(ended.reason).to_owned();
        }
        match self.activity().0 {
            Activity::Thinking(_) => "thinking".to_owned(),
            Activity::Answering(_) => "answering".to_owned(),
            Activity::Writing(forming) => format!("writing a call of {}", forming.name),
            Activity::Running { call, .. } => {
                let words = self.panel(call).map(|panel| format!("{} {}", panel.name(), subject(panel)));
                format!("running {}", words.unwrap_or_default())
            }
            Activity::Phase(_) => "working".to_owned(),
        }
    }

    /// When the session of a sub-agent began, and until when it worked: now, or its end.
    pub fn worked_ms(&self, now: Millis) -> u64 {
        let began = self.rows().first().map_or(now, |row| row.entry.at);
        let until = match self.last_end() {
            Some(_) => self.rows().last().map_or(now, |row| row.entry.at),
            None => now,
        };
        until.since(began)
    }

    /// Its turns, and those that it may make.
    pub fn turns_of(&self) -> (u64, Option<u64>) {
        (self.meter().turns(), self.meter().limits().get(Limit::Turns))
    }
}

/// Whether a call has not begun, and nobody is asked about it.
const fn is_to_start(state: &PanelState) -> bool {
    matches!(state, PanelState::Preparing | PanelState::Queued)
}
