//! Loading a session that may have died: open calls are settled as lost, waiting approvals are kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use super::{
    Body, CallId, Change, CompactionTrigger, Decision, Entry, EscrowSettlement, FORKED_TEXT, Fault, Ledger,
    Millis, OpenCall, Outcome, Reach, RemoteTask, Settlement, TaskState, Tombstone, ToolUse, Transition,
    check, forgotten_text,
    id::MOST,
    lost_text,
    task_state::{begun, delivered},
    told_of_typing,
};

/// A loaded session.
#[derive(Debug)]
pub struct Recovered {
    /// The books; what recovery had to add is at their end.
    pub ledger: Ledger,
    /// Calls about which nobody has decided: those that wait for an answer are offered again. A branch that has not gone on yet also
    /// has those that nobody was asked about, or that were changed since: they are examined as if they had just been made.
    pub waiting: Vec<(ToolUse, OpenCall)>,
    /// How many entries were in the file; those after them are new and must be appended to it.
    pub loaded: usize,
    /// How many calls were settled as lost, and how many of those had been started.
    pub lost: (usize, usize),
}

/// What its own ledger says of a sub-agent that was at work when the process died.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stood {
    /// What it has spent and answered.
    pub settled: EscrowSettlement,
    /// How far its calls came.
    pub reach: Reach,
}

/// Takes the entries of a session file and makes a ledger of them. Runs once a load; the only place that adds
/// results for calls of an earlier process.
///
/// # Errors
/// The first [`Fault`] that [`check`] finds: such a file is not loaded.
pub fn recover(entries: Vec<Arc<Entry>>, now: Millis) -> Result<Recovered, Fault> {
    recover_with(entries, now, &[])
}

/// The same, where it is known what became of sub-agents that were at work: what each has spent and answered. Of others all
/// that was set aside is taken to be spent.
///
/// # Errors
/// As [`recover`].
pub fn recover_with(entries: Vec<Arc<Entry>>, now: Millis, subagents: &[Stood]) -> Result<Recovered, Fault> {
    let open = check(&entries)?;
    let loaded = entries.len();
    // What the process left half done is completed as of its last entry: it ended then, and so did its sub-agents.
    let died_at = entries.last().map_or(now, |last| last.at);
    let mut ledger = Ledger {
        last_entry: entries.iter().map(|e| highest_entry(e)).max().unwrap_or(0),
        last_call: entries.iter().map(|e| highest_call(e)).max().unwrap_or(0),
        open: open.clone(),
        entries,
    };
    announce_missing(&mut ledger, &open, died_at);
    withdraw_summary(&mut ledger, died_at);
    let settled: Vec<EscrowSettlement> = subagents.iter().map(|stood| stood.settled.clone()).collect();
    ledger.settle_escrows(died_at, &settled);
    let undecided = undecided(&ledger.entries);
    let is_new_branch = has_not_gone_on(&ledger.entries);
    let (allowed, allowed_before_the_fork) = (allowed(&ledger.entries), allowed(of_another(&ledger.entries)));
    let answers = answers(&ledger.entries);
    let mut waiting = Vec::new();
    let mut lost = (0, 0);
    for call in open_uses(&ledger, &open) {
        let token = ledger.token_again(&call);
        let goes_on = is_new_branch && is_undecided(&ledger.entries, &call);
        if undecided.contains(&call.id) || goes_on {
            waiting.push((call, token));
            continue;
        }
        if let Some(answer) = answers.get(&call.id) {
            ledger.settle(now, token, Settlement::synthetic(Outcome::Ok, answer.clone()));
            continue;
        }
        // What another agent has answered is in the books, and so is not lost either.
        if let Some(content) = delivered(&ledger.entries, call.id) {
            ledger.settle(now, token, Settlement::synthetic(Outcome::Ok, content));
            continue;
        }
        let of_it = subagents.iter().find(|stood| stood.settled.call == call.id);
        // So is what a sub-agent has answered, in its own; and that none of its calls was cut short, where its own proves that.
        let is_known = of_it
            .is_some_and(|stood| stood.settled.state != TaskState::Unknown || stood.reach < Reach::CutShort);
        let stood = of_it.map(|stood| &stood.settled);
        if let Some((stood, answer)) = stood.and_then(|stood| Some((stood, stood.answer.clone()?)))
            && is_known
        {
            let remote = Some(RemoteTask { id: None, state: stood.state });
            let is_done = stood.state == TaskState::Completed;
            let outcome = if is_done { Outcome::Ok } else { Outcome::Failed };
            let duration_ms = stood.spent.wall_ms;
            let over = Settlement { remote, duration_ms, ..Settlement::synthetic(outcome, answer) };
            ledger.settle(now, token, over);
            continue;
        }
        let started = allowed.contains(&call.id);
        lost = (lost.0 + 1, lost.1 + usize::from(started));
        let words = if allowed_before_the_fork.contains(&call.id) { FORKED_TEXT } else { lost_text(started) };
        let mut content = told_of_typing(&ledger.entries, call.id, words.into());
        if let Some(stood) = stood {
            content.extend(stood.answer.iter().flat_map(|answer| ["\n", answer]));
        }
        ledger.settle(now, token, Settlement::synthetic(Outcome::Lost { started }, content));
    }
    Ok(Recovered { ledger, waiting, loaded, lost })
}

impl Ledger {
    /// Settles every open call as lost, for a loop that has no tokens of them any more. Only a bug of ours leads
    /// here: a run can then still be ended, and its session loaded.
    pub fn settle_lost(&mut self, now: Millis) {
        let allowed = allowed(&self.entries);
        for call in open_uses(self, &self.open) {
            let started = allowed.contains(&call.id);
            let result = Settlement::synthetic(Outcome::Lost { started }, forgotten_text(started));
            let token = self.token_again(&call);
            self.settle(now, token, result);
        }
    }

    /// The permission that was lost with a process, or a bug; it knows of a task that was sent.
    fn token_again(&self, call: &ToolUse) -> OpenCall {
        OpenCall { delegated: begun(&self.entries, call.id), ..OpenCall::mint(call) }
    }
}

/// Whether half of all numbers are left for the entries and calls to come: only a file that somebody made has used them up.
pub fn has_room(entries: &[Arc<Entry>]) -> bool {
    entries.iter().all(|entry| highest_entry(entry).max(highest_call(entry)) <= MOST / 2)
}

/// Ids are never reused, withdrawn ones included.
fn highest_entry(entry: &Entry) -> u64 {
    match &entry.body {
        Body::Tombstone(t) => entry.id.0.max(t.target.0),
        _ => entry.id.0,
    }
}

fn highest_call(entry: &Entry) -> u64 {
    match &entry.body {
        Body::Assistant(m) => m.calls().map(|c| c.id.0).max().unwrap_or(0),
        body => body.call().map_or(0, |c| c.0),
    }
}

/// A message and the `tool_call` lines of its calls are written in one go, but a cut file may lack some lines.
fn announce_missing(ledger: &mut Ledger, open: &BTreeSet<CallId>, at: Millis) {
    let announced: BTreeSet<CallId> = ledger
        .entries
        .iter()
        .filter_map(|e| match &e.body {
            Body::ToolCall(u) | Body::Validation(u) | Body::Command(u) => Some(u.id),
            _ => None,
        })
        .collect();
    for call in open_uses(ledger, open) {
        if !announced.contains(&call.id) {
            ledger.append(at, Body::ToolCall(call));
        }
    }
}

/// What was written of a summary and its tombstone are written in one go, too: of a file that ends between them no model may
/// read the words as its own.
fn withdraw_summary(ledger: &mut Ledger, at: Millis) {
    let Some(last) = ledger.entries.last() else { return };
    let Body::Assistant(message) = &last.body else { return };
    if message.interrupted && message.calls().next().is_none() && answers_a_compaction(&ledger.entries) {
        let reason = "the process ended before this summary was used".to_owned();
        let target = last.id;
        ledger.append(at, Body::Tombstone(Tombstone { target, reason }));
    }
}

/// Whether the last model call is one for a summary: by the transition before it, or since no run was under way. Between
/// runs nothing else is asked.
pub fn answers_a_compaction(entries: &[Arc<Entry>]) -> bool {
    let mut summarizes = false;
    for entry in entries {
        match &entry.body {
            Body::TurnEnded(_) => summarizes = true,
            // Once it is made, the call that it was made for is next.
            Body::Compaction(compaction) => summarizes = compaction.trigger == CompactionTrigger::Manual,
            Body::Transition { reason, .. } => match reason {
                Transition::AutoCompact | Transition::ReactiveCompactRetry => summarizes = true,
                // The same call again.
                Transition::TransientRetry => {}
                _ => summarizes = false,
            },
            Body::Note(note) if note.asks_for_a_summary() => summarizes = true,
            _ => {}
        }
    }
    summarizes
}

/// The open calls as their messages made them, in order.
fn open_uses(ledger: &Ledger, open: &BTreeSet<CallId>) -> Vec<ToolUse> {
    let mut uses = Vec::new();
    for entry in &ledger.entries {
        match &entry.body {
            Body::Assistant(message) => {
                uses.extend(message.calls().filter(|c| open.contains(&c.id)).cloned());
            }
            Body::Validation(call) | Body::Command(call) if open.contains(&call.id) => {
                uses.push(call.clone());
            }
            _ => {}
        }
    }
    uses
}

fn undecided(entries: &[Arc<Entry>]) -> BTreeSet<CallId> {
    let mut waiting = BTreeSet::new();
    for entry in entries {
        match &entry.body {
            Body::ApprovalRequested(r) => {
                waiting.insert(r.call);
            }
            Body::ApprovalDecided(Decision { call, .. }) | Body::CallEdited(ToolUse { id: call, .. }) => {
                waiting.remove(call);
            }
            _ => {}
        }
    }
    waiting
}

/// Whether a fork has nothing of its own but results of calls that had been started before its end.
fn has_not_gone_on(entries: &[Arc<Entry>]) -> bool {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else { return false };
    let Some(last) = started.forked_at() else { return false };
    let mut own = entries.iter().filter(|entry| entry.id > last);
    // What others were given to do for those calls ends with them.
    own.all(|entry| {
        let is_acceptance = matches!(&entry.body, Body::Note(note) if note.accepted().is_some() || note.typed_into().is_some());
        is_acceptance
            || matches!(
                entry.body,
                Body::ToolResult(_)
                    | Body::ToolCall(_)
                    | Body::DelegationRequested(_)
                    | Body::DelegationAnswered(_)
                    | Body::Change(
                        Change::EscrowReserved(_) | Change::EscrowSettled(_) | Change::SubagentStarted { .. }
                    )
            )
    })
}

/// Whether a call of a model, or the check of a goal, is one that nobody has decided about: nobody was asked, or a person has
/// changed it since.
fn is_undecided(entries: &[Arc<Entry>], call: &ToolUse) -> bool {
    let made = |body: &Body| match body {
        Body::Assistant(said) => said.calls().any(|one| one.id == call.id),
        Body::Validation(check) => check.id == call.id,
        _ => false,
    };
    let decides = |body: &Body| matches!(body, Body::ApprovalDecided(decision) if decision.call == call.id);
    entries.iter().any(|entry| made(&entry.body)) && !entries.iter().any(|entry| decides(&entry.body))
}

/// What people answered to questions: acknowledged, so it is not lost with the process.
fn answers(entries: &[Arc<Entry>]) -> BTreeMap<CallId, String> {
    let decided = entries.iter().filter_map(|entry| match &entry.body {
        Body::ApprovalDecided(Decision { call, answer: Some(answer), .. }) => Some((*call, answer.clone())),
        _ => None,
    });
    decided.collect()
}

/// What a fork has from the session that it was made from; of any other session nothing.
fn of_another(entries: &[Arc<Entry>]) -> &[Arc<Entry>] {
    let Some(Body::SessionStarted(started)) = entries.first().map(|entry| &entry.body) else { return &[] };
    let Some(last) = started.forked_at() else { return &[] };
    let own = entries.iter().position(|entry| entry.id > last).unwrap_or(entries.len());
    entries.get(..own).unwrap_or_default()
}

fn allowed(entries: &[Arc<Entry>]) -> BTreeSet<CallId> {
    entries
        .iter()
        .filter_map(|e| match &e.body {
            Body::ApprovalDecided(d) if d.allow => Some(d.call),
            _ => None,
        })
        .collect()
}
