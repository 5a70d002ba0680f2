//! What people wanted and decided, taken from the entries that came of it.

use std::sync::Arc;

use crate::agent::{Adoption, Answer, Intent, OwnCommand, Race};
use crate::context::words;
use crate::ledger::{
    Body, CallId, Change, CutBy, Decider, Decision, Entry, Goal, Note, NoteKind, Outcome, Pastes, Sandboxing,
    ToolUse, UserMessage,
};
use crate::model::ModelSpec;
use crate::policy::Mode;
use crate::tool::name::ADOPT;
use crate::tool::{Typed, delegate};

use super::News;
use super::reader::TapeReader;

/// What else came of a person's wish.
pub(super) fn wished(reader: &mut TapeReader<'_>, at: usize, body: &Body) {
    match body {
        Body::User(message) => said(reader, at, message),
        Body::Injected(steering) => {
            if let Some(said) = steering.said() {
                let begins_at = step_of(reader.entries, at, |_| true);
                reader.wish(begins_at, Intent::Submit(said), false);
            }
        }
        Body::Change(change) => {
            if let Some((intent, begins)) = changed(change) {
                // A chosen model or effort is written when it is taken, which may be later.
                let waits = matches!(change, Change::Model { .. } | Change::Effort { .. });
                let heard_at = if waits { step_of(reader.entries, at, |_| true) } else { at };
                reader.wish(heard_at, intent, begins);
            }
        }
        _ => {}
    }
}

/// A message begins a run, sets a goal, or is a command of the user's.
fn said(reader: &mut TapeReader<'_>, at: usize, message: &Arc<UserMessage>) {
    let body = |step: usize| reader.entries.get(at + step).map(|entry| &entry.body);
    let goal = match body(1) {
        Some(Body::Goal(goal)) => Some(goal.clone()),
        _ => None,
    };
    if let Some(goal) = goal {
        let content = added_to(&goal, &message.content);
        let added = UserMessage { content, pastes: Pastes::default(), ..UserMessage::clone(message) };
        return reader.wish(at, Intent::Pursue(Box::new(goal), added), true);
    }
    // Between them stands the tombstone of a command that no model is told of.
    let command = [body(1), body(2)].into_iter().flatten().find_map(|body| match body {
        Body::Command(call) => Some(call.clone()),
        _ => None,
    });
    if let Some(intent) = command.as_ref().and_then(|call| raced(reader.entries, at, call, &message.content))
    {
        return reader.wish(at, intent, true);
    }
    match command.and_then(|call| call.arguments.text("command").map(str::to_owned)) {
        Some(command) => {
            let typed = (!message.content.starts_with('!')).then(|| UserMessage::clone(message));
            let is_shared = !reader.entries.get(at).is_some_and(|entry| reader.withdrawn.contains(&entry.id));
            reader.wish(
                at,
                Intent::Command(OwnCommand { command, is_shared, typed, then: None, must_succeed: false }),
                true,
            );
        }
        None => reader.wish(at, Intent::Submit(UserMessage::clone(message)), true),
    }
}

/// What a person typed, and what a hook changed.
pub(super) fn of_note(reader: &mut TapeReader<'_>, at: usize, note: &Note) {
    if let Some(call) = note.typed_into() {
        return typed(reader, at, call);
    }
    match note.changed_by_hook().map(|(call, to)| (reader.calls.get_mut(&call), to)) {
        // With these it ran, and its result is theirs.
        Some((Some(made), to)) => made.arguments = to,
        _ => of_a_summary(reader, at, note),
    }
}

/// A person wants a summary between two runs, or waits for it no more. Sessions of earlier versions say it only in what came of it.
fn of_a_summary(reader: &mut TapeReader<'_>, at: usize, note: &Note) {
    if begins_a_summary(note) {
        reader.is_by_hand = true;
        reader.wish(at, Intent::Compact, true);
    } else if note.kind == NoteKind::SummaryStopped && std::mem::take(&mut reader.is_by_hand) {
        reader.wish(at, Intent::Abort, false);
    }
}

pub(super) fn begins_a_summary(note: &Note) -> bool {
    note.kind == NoteKind::SummaryAsked { again: false }
}

/// A race, or an adoption of what came of one, if that is what this call is.
fn raced(entries: &[Arc<Entry>], at: usize, call: &ToolUse, typed: &str) -> Option<Intent> {
    let typed = typed.to_owned();
    if call.name == ADOPT {
        return Some(Intent::Adopt(Box::new(Adoption {
            line: typed.clone(),
            typed,
            arguments: call.arguments.clone(),
        })));
    }
    delegate(&call.name)?;
    let run = entries.iter().skip(at).take_while(|entry| !matches!(entry.body, Body::TurnEnded(_)));
    let lanes = run.filter_map(|entry| match &entry.body {
        Body::Command(call) => Some((delegate(&call.name)?.to_owned(), call.arguments.clone())),
        _ => None,
    });
    Some(Intent::Race(Box::new(Race { line: typed.clone(), typed, lanes: lanes.collect() })))
}

/// What a person added to the words of a goal.
fn added_to(goal: &Goal, content: &str) -> String {
    content.strip_prefix(&goal.objective).unwrap_or(content).trim().to_owned()
}

fn changed(change: &Change) -> Option<(Intent, bool)> {
    Some(match change {
        Change::Budget { limit, to } => (Intent::Raise { limit: *limit, to: *to }, true),
        Change::PriceAccepted { up_to } => (Intent::AcceptPrice { up_to: *up_to }, true),
        Change::Model { model, .. } => (Intent::SetModel(Box::new(ModelSpec::unknown(model.clone()))), false),
        Change::Effort { effort } => (Intent::SetEffort(*effort), false),
        Change::GrantRevoked { call } => (Intent::Revoke(*call), false),
        Change::BackgroundStopped { id, .. } => (Intent::StopBackground(id.clone()), false),
        Change::Rewound { message, branch } => {
            (Intent::Rewind { message: *message, branch: branch.clone() }, true)
        }
        Change::Renamed { name } => (Intent::Rename(name.clone()), false),
        Change::HostOpened { host } => (Intent::OpenHost(host.clone()), false),
        Change::HostClosed { host } => (Intent::CloseHost(host.clone()), false),
        Change::GapsAccepted { gaps, call } => {
            (Intent::AcceptGaps { call: *call, gaps: gaps.clone() }, false)
        }
        Change::GapsRefused => (Intent::RefuseGaps, false),
        Change::FilesRestored(restored) => (Intent::Restored(restored.clone()), true),
        // Read where restarts are.
        Change::Mode { .. } => return None,
        // Written beside the loop.
        Change::Sealed { .. } | Change::Tagged { .. } | Change::Imported { .. } => return None,
        // The loop's own.
        Change::EscrowReserved(_)
        | Change::EscrowSettled(_)
        | Change::SubagentStarted { .. }
        | Change::SubagentWaits { .. } => return None,
        // What the session begins with.
        Change::Seed { .. } => return None,
    })
}

/// A decision of a person. What policy and hooks decide comes by itself.
pub(super) fn decided(reader: &mut TapeReader<'_>, at: usize, decision: &Decision) {
    if decision.by == Decider::Nobody {
        return reader.push(at, News::Decided(decision.call, Answer::Nobody(decision.reason.clone())));
    }
    if decision.by != Decider::User {
        return;
    }
    let request =
        reader.entries.get(..at).unwrap_or_default().iter().rev().find_map(|entry| match &entry.body {
            Body::ApprovalRequested(request) if request.call == decision.call => Some(request),
            _ => None,
        });
    let chose_sandbox = decision.sandboxed && request.is_some_and(|r| r.sandboxing == Sandboxing::OnWish);
    let answer = match (&decision.answer, decision.taken(), decision.allow) {
        (Some(reply), _, _) => Answer::Reply(reply.clone()),
        (None, _, false) => Answer::Deny(decision.reason.clone()),
        (None, Some(rule), true) => Answer::Always { rule: rule.to_owned(), scope: decision.scope },
        (None, None, true) if decision.scope.lasts() => Answer::AllowSession,
        (None, None, true) if chose_sandbox => Answer::AllowSandboxed,
        (None, None, true) if !decision.reason.is_empty() => Answer::AllowBecause(decision.reason.clone()),
        (None, None, true) => Answer::AllowOnce,
    };
    reader.push(at, News::Decided(decision.call, answer));
}

/// A person changed a call.
pub(super) fn edited(reader: &mut TapeReader<'_>, at: usize, body: &Body) {
    if let Body::CallEdited(call) = body {
        reader.push(at, News::Decided(call.id, Answer::Edit(call.arguments.clone())));
    }
}

/// A person typed into a call; what it was, nobody wrote down.
fn typed(reader: &mut TapeReader<'_>, at: usize, call: CallId) {
    reader.wish(at, Intent::TypeInto { call, typed: Typed(b"?".to_vec()) }, false);
}

/// Esc, a signal, or who started the session: before the first entry of the step that ended the run.
pub(super) fn interrupted(reader: &mut TapeReader<'_>, at: usize) {
    let is_of_it = |body: &Body| match body {
        Body::ToolResult(result) => matches!(result.outcome, Outcome::Aborted(_)),
        Body::Assistant(message) => message.interrupted,
        Body::Note(note) => note.failed_call().is_none(),
        Body::ToolCall(_) | Body::Handoff { .. } | Body::Checkpoint(_) | Body::Injected(_) => true,
        _ => false,
    };
    let begins_at = step_of(reader.entries, at, is_of_it);
    let step = reader.entries.get(begins_at..at).unwrap_or_default();
    let written = reader.entries.get(at).and_then(|end| match &end.body {
        Body::TurnEnded(ended) => ended.cut_by,
        _ => None,
    });
    // Before November 27, 2026, only the results of calls said it.
    let of_calls = || {
        step.iter().find_map(|entry| match &entry.body {
            Body::ToolResult(result) => match result.outcome {
                Outcome::Aborted(abort) => Some(abort.by),
                _ => None,
            },
            _ => None,
        })
    };
    match written.or_else(of_calls) {
        None | Some(CutBy::User) => reader.wish(begins_at, Intent::Abort, false),
        Some(by) => reader.push(begins_at, News::Cut(by)),
    }
}

/// The mode of which the loop told the model, if that is what it said: sessions of earlier programs record modes nowhere else.
pub(super) fn mode_of(text: &str) -> Option<Mode> {
    Mode::ALL.iter().copied().find(|mode| words::mode_is_now(*mode) == text)
}

/// Where the step began in which the entry was written: entries of one step have one time.
fn step_of(entries: &[Arc<Entry>], at: usize, is_of_it: impl Fn(&Body) -> bool) -> usize {
    let Some(end) = entries.get(at) else { return at };
    let mut first = at;
    while let Some(before) = first.checked_sub(1) {
        let Some(entry) = entries.get(before) else { break };
        let begins = matches!(entry.body, Body::User(_) | Body::Transition { .. } | Body::TurnEnded(_));
        if entry.at != end.at || begins || !is_of_it(&entry.body) {
            break;
        }
        first = before;
    }
    first
}
