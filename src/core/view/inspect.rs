//! The inspector's rows: every entry, with a line that says what it says and marks for what is special.

use std::sync::Arc;

use super::change;
use crate::ledger::{
    ApprovalRequest, Arguments, Body, Checkpoint, Compaction, Decision, DelegationResponse, Entry, Outcome,
    Preview, seconds,
};

/// One row: one entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The entry.
    pub entry: Arc<Entry>,
    /// What is special about it.
    pub marks: Vec<Mark>,
}

/// What is special about an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// Withdrawn, and why.
    Tombstoned(String),
    /// A result that no tool gave.
    Synthetic,
    /// A message that was cut short.
    Interrupted,
    /// A summary has taken its place in what a model sees.
    Compacted,
    /// A real result that came after the call was settled.
    Late,
}

impl Mark {
    /// The marks that an entry brings by itself.
    pub(super) fn of(entry: &Entry) -> Vec<Self> {
        match &entry.body {
            Body::Assistant(m) if m.interrupted => vec![Self::Interrupted],
            Body::ToolResult(r) if is_synthetic(&r.outcome) => vec![Self::Synthetic],
            _ => Vec::new(),
        }
    }

    /// In one word.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Tombstoned(_) => "tombstone",
            Self::Synthetic => "synthetic",
            Self::Interrupted => "interrupted",
            Self::Late => "late",
            Self::Compacted => "compacted",
        }
    }

    /// Whether a model sees such an entry, so that a summary can take its place.
    pub(super) fn can_be_compacted(entry: &Entry) -> bool {
        matches!(
            entry.body,
            Body::User(_)
                | Body::Assistant(_)
                | Body::ToolCall(_)
                | Body::ToolResult(_)
                | Body::Injected(_)
                | Body::Compaction(_)
        )
    }
}

fn is_synthetic(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Ok | Outcome::Failed | Outcome::TimedOut => false,
        Outcome::Invalid
        | Outcome::UnknownTool
        | Outcome::Denied(_)
        | Outcome::Aborted(_)
        | Outcome::Lost { .. } => true,
    }
}

/// `c4 allow once by user: REASON`.
fn decided(d: &Decision) -> String {
    let word = match (d.allow, d.sandboxed) {
        (true, true) => "sandbox",
        (true, false) => "allow",
        (false, _) => "deny",
    };
    let why = [d.reason.as_str(), d.answer.as_deref().unwrap_or_default()];
    let why = why.into_iter().find(|why| !why.is_empty()).map(|why| format!(": {why}"));
    let why = why.unwrap_or_default();
    format!("{} {word} {} by {}{why}", d.call, d.scope.as_str(), d.by.as_str())
}

/// What an entry says, in one line; cut at 200 characters, not yet safe for a screen.
pub fn one_line(entry: &Entry) -> String {
    let line = match &entry.body {
        Body::SessionStarted(s) => format!("{} in {}", s.model, s.cwd),
        Body::User(m) => m.shown(),
        Body::Assistant(m) => {
            let (calls, hosted) = (m.calls().count(), m.hosted().filter(|block| block.is_use()).count());
            let made: Vec<String> = [(calls, "tool call"), (hosted, "hosted tool")]
                .into_iter()
                .filter(|(n, _)| *n > 0)
                .map(|(n, what)| count(n, what))
                .collect();
            let text = m.text();
            match (text.trim().is_empty(), made.join(", ").as_str()) {
                (true, "") => "(empty)".to_owned(),
                (true, made) => format!("({made})"),
                (false, "") => text,
                (false, made) => format!("{text} ({made})"),
            }
        }
        Body::ToolCall(u) => format!("{} {} {}", u.id, u.name, arguments(&u.arguments)),
        Body::CallEdited(u) => format!("{} by the user: {} {}", u.id, u.name, arguments(&u.arguments)),
        Body::Validation(u) => format!("{} goal check: {} {}", u.id, u.name, arguments(&u.arguments)),
        Body::Command(u) => format!("{} by the user: {} {}", u.id, u.name, arguments(&u.arguments)),
        Body::Goal(g) => format!("{} · done when: {}", g.objective, g.done_condition),
        Body::Checkpoint(c) => format!("checkpoint {}: {}", c.number, met(c)),
        Body::Progress(p) => format!("checkpoint {}: {} · plan: {}", p.checkpoint, p.progress, p.plan),
        Body::Handoff { text } => text.clone(),
        Body::ApprovalRequested(r) => format!("{} {}: {}", r.call, r.name, asked(r)),
        Body::ApprovalDecided(d) => decided(d),
        Body::DelegationRequested(r) => format!("{} to the agent {}: {}", r.call, r.agent, r.task),
        Body::DelegationAnswered(r) => delegation(r),
        Body::ToolResult(r) => {
            format!(
                "{} {} {} after {}: {}",
                r.call,
                r.name,
                r.outcome.as_str(),
                seconds(r.duration_ms),
                r.content
            )
        }
        Body::Injected(i) => format!("{}: {}", i.by.as_str(), i.shown()),
        Body::Tombstone(t) => format!("{} withdrawn: {}", t.target, t.reason),
        Body::Compaction(c) => compacted(c),
        Body::Transition { turn, reason } => format!("turn {turn} ({})", reason.as_str()),
        Body::Change(change) => change::words(change),
        Body::Note(n) => format!("{}: {}", n.about, n.for_people()),
        Body::ProviderLimit(l) => format!("{}: {}", l.about, l.lesson.sentence()),
        Body::Error { message, .. } => message.clone(),
        Body::TurnEnded(t) if !t.is_counted() => t.reason.as_str().to_owned(),
        Body::TurnEnded(t) => format!(
            "{} · {} · {}",
            t.reason.as_str(),
            count(t.turns as usize, "turn"),
            count(t.tool_calls as usize, "tool call")
        ),
    };
    line.chars().take(200).map(|c| if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c }).collect()
}

/// The end of a task that was given to another agent.
fn delegation(response: &DelegationResponse) -> String {
    let DelegationResponse { call, agent, task_id, state, content, .. } = response;
    let task = task_id.as_ref().map(|id| format!(" task {id}")).unwrap_or_default();
    format!("{call} the agent {agent}{task} is {}: {content}", state.words())
}

/// Whether the done condition was seen to hold, and who says so.
fn met(checkpoint: &Checkpoint) -> String {
    checkpoint.done().map_or_else(String::new, |done| {
        format!("done: {} ({})", done.answer.as_deref().unwrap_or("asked"), done.by.as_str())
    })
}

fn compacted(c: &Compaction) -> String {
    format!(
        "{}: up to {}, {} to {} tokens: {}",
        c.trigger.as_str(),
        c.replaces_to,
        c.tokens_before,
        c.tokens_after,
        c.summary
    )
}

fn asked(request: &ApprovalRequest) -> String {
    let why = &request.why;
    match (&request.preview, &request.leads_to) {
        (Preview::Command(command), _) => format!("{command} ({why})"),
        (Preview::Recipient(to), _) => format!("to {to} ({why})"),
        (Preview::Diff(_) | Preview::None, Some(path)) => format!("{path} ({why})"),
        (Preview::Diff(_) | Preview::None, None) => why.clone(),
    }
}

fn arguments(arguments: &Arguments) -> String {
    arguments.to_value().to_string()
}

/// `1 turn`, `2 turns`.
fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
