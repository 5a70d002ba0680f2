//! The span of one call of a tool, as it grows from the call to its result.

use serde_json::Value;

use crate::ledger::{Decider, Decision, EntryId, Millis, Note, NoteKind, Outcome, ToolResult, ToolUse};

use super::contents::Contents;
use super::names::entry;
use super::span::{Span, SpanKind, event, flag, name, number, span_id, text};

/// A call without its result.
#[derive(Debug, Clone)]
pub(super) struct OpenSpan {
    call: ToolUse,
    entry: EntryId,
    at: Millis,
    parent: Option<String>,
    asked: Option<Millis>,
    /// When it was allowed, and whether it started then.
    allowed: Option<(Millis, bool)>,
    attributes: Vec<Value>,
    events: Vec<Value>,
    is_told: bool,
}

impl OpenSpan {
    /// A call that was made. `is_told`: what it says may be told.
    pub(super) fn new(
        call: &ToolUse,
        entry: EntryId,
        at: Millis,
        parent: Option<String>,
        is_told: bool,
    ) -> Self {
        Self {
            call: call.clone(),
            entry,
            at,
            parent,
            asked: None,
            allowed: None,
            attributes: Vec::new(),
            events: Vec::new(),
            is_told,
        }
    }

    /// Who made it, where that was no model.
    pub(super) fn made_by(mut self, by: &str) -> Self {
        self.attributes.push(text("countersign.call.by", by));
        self
    }

    /// What else is to be said of it from its beginning.
    pub(super) fn marked(mut self, attribute: Value) -> Self {
        self.attributes.push(attribute);
        self
    }

    /// Somebody must decide.
    pub(super) fn asked(&mut self, at: Millis) {
        self.asked = Some(at);
        self.allowed = None;
    }

    /// A person changed it.
    pub(super) fn edited(&mut self, call: &ToolUse, id: EntryId, at: Millis) {
        self.call.arguments = call.arguments.clone();
        self.events.push(event("call_edited", at, vec![entry(id)]));
    }

    /// Somebody decided.
    pub(super) fn decided(&mut self, decision: &Decision, id: EntryId, at: Millis) {
        let words = match (decision.allow, decision.sandboxed) {
            (true, true) => "sandbox",
            (true, false) => "allow",
            (false, _) => "deny",
        };
        let mut attributes = vec![
            text("countersign.decision", words),
            text("countersign.decision.by", decision.by.as_str()),
            text("countersign.decision.scope", decision.scope.as_str()),
            entry(id),
        ];
        if !decision.digest.is_empty() {
            attributes.push(text("countersign.decision.digest", &name(&decision.digest)));
        }
        if let Some(asked) = self.asked {
            attributes.push(number("countersign.decision.waited_ms", at.since(asked)));
        }
        self.events.push(event("approval", at, attributes));
        if decision.allow {
            // The policy decides when the call starts; a person decides before, and others may be in its way.
            self.allowed = Some((at, decision.by == Decider::Policy));
        }
    }

    /// It was given to another agent.
    pub(super) fn delegated(&mut self, agent: &str) {
        self.attributes.push(text("countersign.agent", &name(agent)));
    }

    /// A remark about it.
    pub(super) fn noted(&mut self, note: &Note, id: EntryId, at: Millis) {
        let (what, attempt) = match &note.kind {
            NoteKind::Retried { attempt } => ("retried", Some(*attempt)),
            NoteKind::SandboxRefused => ("sandbox_refused", None),
            NoteKind::TypedInto => ("typed_into", None),
            NoteKind::ChangedByHook { arguments } => {
                if let Some(arguments) = arguments {
                    self.call.arguments = crate::ledger::Arguments::from_value(arguments.clone());
                }
                ("changed_by_hook", None)
            }
            _ => return,
        };
        let attempt = attempt.map(|attempt| number("countersign.attempt", attempt));
        self.events.push(event(what, at, attempt.into_iter().chain([entry(id)]).collect()));
    }

    /// The span, with its result.
    pub(super) fn ended(
        self,
        result: &ToolResult,
        at: Millis,
        session: &str,
        contents: Option<&Contents>,
    ) -> Span {
        let (start, end) = self.ran(result, at);
        let is_told = self.is_told;
        let mut span = self.span(session, start, end, contents);
        span.attributes.push(text("countersign.outcome", result.outcome.as_str()));
        if let Outcome::Lost { started } = result.outcome {
            span.attributes.push(flag("countersign.started", started));
        }
        span.attributes.extend(contents.filter(|_| is_told).map(|contents| contents.result(&result.content)));
        span.error = result.outcome.is_error().then(|| result.outcome.as_str().to_owned());
        span
    }

    /// The span of a call that has no result yet.
    pub(super) fn unfinished(self, at: Millis, session: &str, contents: Option<&Contents>) -> Span {
        let start = self.allowed.map_or(self.at, |(allowed, _)| allowed);
        let mut span = self.span(session, start, at, contents);
        span.attributes.push(flag("countersign.unfinished", true));
        span
    }

    /// From when to when it ran. A result waits in the ledger for those before it, so its time says less than the duration.
    fn ran(&self, result: &ToolResult, at: Millis) -> (Millis, Millis) {
        let Some((allowed, starts)) = self.allowed else { return (at, at) };
        let before = Millis(at.0.saturating_sub(result.duration_ms));
        let start = if starts { allowed } else { allowed.max(before) };
        let end = Millis(start.0.saturating_add(result.duration_ms)).min(at);
        (start, end.max(start))
    }

    fn span(self, session: &str, start: Millis, end: Millis, contents: Option<&Contents>) -> Span {
        let tool = name(&self.call.name);
        let wire = Some(self.call.wire_id.as_str()).filter(|id| !id.is_empty());
        let ours = self.call.id.to_string();
        let mut attributes = vec![
            text("gen_ai.operation.name", "execute_tool"),
            text("gen_ai.tool.name", &tool),
            text("gen_ai.tool.type", "function"),
            text("gen_ai.tool.call.id", &name(wire.unwrap_or(&ours))),
            text("gen_ai.conversation.id", session),
            text("countersign.call", &ours),
            entry(self.entry),
        ];
        attributes.extend(self.attributes);
        let told = contents.filter(|_| self.is_told);
        attributes.extend(told.map(|contents| contents.arguments(&self.call.arguments)));
        Span {
            id: span_id(session, self.entry, "execute_tool"),
            parent: self.parent,
            name: format!("execute_tool {tool}"),
            kind: SpanKind::Internal,
            start,
            end,
            attributes,
            events: self.events,
            error: None,
        }
    }
}
