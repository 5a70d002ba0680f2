//! Going on where a session stopped: also after a crash.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ledger::{
    Arguments, Body, CallId, Ending, Entry, EntryId, Ledger, Millis, OpenCall, Recovered, ToolUse, grants,
    was_asking,
};
use crate::policy::grant_on_record;
use crate::tool::{SideEffect, ToolSpec};

use super::history::History;
use super::phase::{CallState, Dispatching, Pending, Phase};
use super::session_rules::taken;
use super::step::Step;
use super::{Agent, Effect, Settings};

impl Agent {
    /// Takes up a loaded session. The effects append what recovery had to add. Calls whose approval nobody has
    /// decided are looked at and wait again; a run that the dead process left open is ended as interrupted.
    ///
    /// The system prompt of the session replaces the settings' one: it is frozen.
    pub fn resume(mut settings: Settings, recovered: Recovered, now: Millis) -> (Self, Vec<Effect>) {
        let Recovered { ledger, waiting, loaded, lost: (_, lost_started) } = recovered;
        if let Some(Body::SessionStarted(started)) = ledger.entries().first().map(|e| &e.body) {
            settings.session.clone_from(&started.session);
            // A session from elsewhere has none: it gets that of a new one.
            if !started.system.is_empty() {
                settings.system.clone_from(&started.system);
            }
        }
        let (free, in_sandbox) =
            (granted(&ledger, &settings.tools, false), granted(&ledger, &settings.tools, true));
        settings.policy.granted.extend(free);
        settings.policy.granted_in_sandbox.extend(in_sandbox);
        settings.policy.rules.extend(taken(&ledger));
        let last_seen = ledger.entries().get(loaded.saturating_sub(1)).map_or(now, |e| e.at);
        let read = ledger.entries().get(..loaded).unwrap_or_default();
        let (ended_with_a_result, was_asking) = (ends_with_a_result(read), was_asking(read));
        let requests = requests(&ledger);
        let mut agent = Self::with_history(History::new(ledger, settings.limits.clone(), loaded), settings);
        agent.hosts = agent.hosts_of_the_ledger();
        agent.gaps.extend(agent.gaps_of_the_ledger());
        if !waiting.is_empty() && agent.settings.attendance.answers() {
            agent.phase = agent.waiting_again(waiting, &requests);
        } else if !waiting.is_empty() {
            agent.deny_the_waiting(now, waiting);
            agent.end(&mut Step::at(now), Ending::ApprovalRequired);
        } else if agent.history.run_is_open() {
            let tools_ran = lost_started > 0 || ended_with_a_result;
            let ending = if tools_ran { Ending::AbortedTools } else { Ending::AbortedStreaming };
            let text = agent.history.last_text();
            if was_asking {
                agent.count_unanswered(now);
            }
            agent.hand_off(now, ending);
            agent.tell_own_command(now);
            agent.history.end_run((now, last_seen), (ending, None), text);
        } else if was_asking {
            // For a summary: no run is open, and none ends by it.
            agent.count_unanswered(now);
        }
        agent.write_lost(now);
        agent.note_the_choice(now);
        let mut step = Step::at(now);
        agent.look_again(&mut step);
        step.extend(agent.history.untold());
        (agent, step.finish())
    }

    /// What waited is looked at again, before anybody can decide about it.
    fn look_again(&mut self, step: &mut Step) {
        let phase = std::mem::replace(&mut self.phase, Phase::Idle);
        self.phase =
            if let Phase::Dispatching(waiting) = phase { self.revisit(step, waiting) } else { phase };
        self.watch_the_clock(step);
    }

    /// What nobody was asked about yet is a call like a new one. What is offered again is what was asked about: hooks or a person may
    /// have changed what the message said. A question is about nothing that could have changed.
    fn waiting_again(
        &self,
        waiting: Vec<(ToolUse, OpenCall)>,
        requests: &BTreeMap<CallId, (EntryId, Arguments)>,
    ) -> Phase {
        let edited = edited(&self.history.ledger);
        let calls = waiting.into_iter().map(|(mut call, token)| {
            let effect = self.tools.registry.get(&call.name).map_or(SideEffect::Sends, |t| t.effect);
            let asked = requests.get(&call.id);
            if let Some((_, arguments)) = asked {
                call.arguments.clone_from(arguments);
            }
            let mut request = asked.map(|(id, _)| *id);
            if let Some((_, arguments)) =
                edited.get(&call.id).filter(|(at, _)| request.is_none_or(|id| *at > id))
            {
                // What it was changed to is another action, about which nobody was asked yet.
                call.arguments.clone_from(arguments);
                request = None;
            }
            let state = match request.filter(|_| self.is_question(&call)) {
                Some(request) => CallState::Waiting(request),
                None => CallState::Revisiting { request, is_looked_at: false },
            };
            Pending::new(call, token, effect, state)
        });
        Phase::Dispatching(Dispatching::of(calls.collect()))
    }

    /// Nobody is here to decide, and the next message cannot be said while a call is open.
    fn deny_the_waiting(&mut self, now: Millis, waiting: Vec<(ToolUse, OpenCall)>) {
        for (call, token) in waiting {
            let reason = "no user is available to approve it".to_owned();
            if let CallState::Over(settlement) = self.deny_by_policy(now, call.id, reason) {
                self.history.ledger.settle(now, token, settlement);
            }
        }
    }
}

/// Whether the last thing that the dead process wrote of the conversation is a tool's result.
fn ends_with_a_result(entries: &[Arc<Entry>]) -> bool {
    let said = |e: &&Arc<Entry>| {
        matches!(e.body, Body::User(_) | Body::Assistant(_) | Body::Injected(_) | Body::ToolResult(_))
    };
    entries.iter().rev().find(said).is_some_and(|e| matches!(e.body, Body::ToolResult(_)))
}

/// The last request about each call, and exactly what it asked about.
fn requests(ledger: &Ledger) -> BTreeMap<CallId, (EntryId, Arguments)> {
    let asked = ledger.entries().iter().filter_map(|entry| {
        let Body::ApprovalRequested(r) = &entry.body else { return None };
        Some((r.call, (entry.id, Arguments::from_value(r.arguments.clone()))))
    });
    asked.collect()
}

/// What calls were changed to last, and where.
fn edited(ledger: &Ledger) -> BTreeMap<CallId, (EntryId, Arguments)> {
    let edited = ledger.entries().iter().filter_map(|entry| {
        let (call, arguments) = entry.body.changes()?;
        Some((call, (entry.id, arguments)))
    });
    edited.collect()
}

/// What the user has allowed for the whole session and not taken back, with or without the sandbox, as fingerprints of the
/// exact actions that were asked about.
fn granted(ledger: &Ledger, tools: &[ToolSpec], in_sandbox: bool) -> Vec<String> {
    let standing = grants(ledger.entries().iter().map(AsRef::as_ref)).into_iter();
    let actions = standing.filter(|grant| grant.rule.is_none() && grant.sandboxed == in_sandbox);
    let on_record = actions.filter_map(|grant| {
        let tool = tools.iter().find(|tool| tool.name == grant.request.name);
        grant_on_record(tool, grant.request)
    });
    on_record.collect()
}
