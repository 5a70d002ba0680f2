//! The fold from entries to spans: a run, its calls of models and of tools.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::ledger::{
    AssistantMessage, Body, CallId, Change, Compaction, Ending, EndingKind, Entry, EntryId, Millis, ModelRef,
    Note, NoteKind, ToolUse, Transition, TurnEnded, Usage,
};

use super::call::OpenSpan;
use super::contents::Contents;
use super::names::{OTHER, entry as entry_of, failure, finish, model as model_of, provider, usage};
use super::span::{Span, SpanKind, event, flag, name, number, span_id, text, texts};

/// The spans of a session; reads each entry once.
#[derive(Debug, Default)]
pub struct Traces {
    contents: Option<Contents>,
    imported_to: Option<EntryId>,
    session: String,
    system: String,
    model: Option<ModelRef>,
    last: Millis,
    run: Option<TracedRun>,
    chat: Option<Chat>,
    calls: BTreeMap<CallId, OpenSpan>,
    /// Calls of messages that were withdrawn.
    silent: BTreeSet<CallId>,
    done: Vec<Span>,
}

/// A run that goes on.
#[derive(Debug)]
struct TracedRun {
    id: String,
    entry: EntryId,
    at: Millis,
    attributes: Vec<Value>,
    events: Vec<Value>,
}

/// A model that was asked.
#[derive(Debug, Clone, Copy)]
struct Chat {
    entry: EntryId,
    at: Millis,
    /// The turn of the run, and why; `None`: a person asked for a summary.
    turn: Option<(u32, Transition)>,
}

impl Traces {
    /// No entry was read yet.
    pub fn new(contents: Option<Contents>) -> Self {
        Self { contents, ..Self::default() }
    }

    /// The same of a session that came with an import up to this entry: its spans up to there say so.
    pub fn imported_to(self, last: Option<EntryId>) -> Self {
        Self { imported_to: last, ..self }
    }

    /// That a span tells what nobody here has seen, if the entry came with an import.
    fn imported(&self, entry: EntryId) -> Option<Value> {
        (Some(entry) <= self.imported_to).then(|| flag("countersign.imported", true))
    }

    /// The session's id.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The spans that have ended and were not taken before, in the order of their ends.
    pub fn ended(&mut self) -> Vec<Span> {
        std::mem::take(&mut self.done)
    }

    /// How many these are.
    pub fn waiting(&self) -> usize {
        self.done.len()
    }

    /// Takes in an entry.
    pub fn take(&mut self, entry: &Entry) {
        let (id, at) = (entry.id, entry.at);
        self.last = self.last.max(at);
        match &entry.body {
            Body::SessionStarted(started) => {
                self.session.clone_from(&started.session);
                self.system.clone_from(&started.system);
                self.model = Some(started.model.clone());
            }
            Body::User(said) => {
                self.abandon();
                let told = self.contents.as_ref().filter(|contents| !contents.is_withdrawn(id));
                let told = told.map(|contents| contents.input(&said.content));
                self.begin(id, at, told);
            }
            Body::Transition { turn, reason } => {
                self.failed(at, failure(*reason));
                if self.run.is_none() {
                    self.begin(id, at, None);
                }
                self.chat = Some(Chat { entry: id, at, turn: Some((*turn, *reason)) });
            }
            Body::Assistant(said) => self.said(said, at),
            Body::Compaction(made) => self.compacted(made, id, at),
            Body::ToolCall(call) => self.called(call, id, at, None),
            Body::Validation(call) => self.called(call, id, at, Some("goal_check")),
            Body::Command(call) => self.called(call, id, at, Some("user")),
            Body::Change(Change::Model { model, .. }) => self.model = Some(model.clone()),
            Body::Note(Note { kind: NoteKind::CallFailed(failed), .. }) => self.failed(at, &failed.class),
            Body::Error { .. } => {
                self.failed(at, OTHER);
                if let Some(run) = &mut self.run {
                    run.events.push(event("error", at, vec![entry_of(id)]));
                }
            }
            Body::TurnEnded(ended) => self.over(ended, at),
            _ => self.about_a_call(entry),
        }
    }

    fn about_a_call(&mut self, entry: &Entry) {
        let (id, at) = (entry.id, entry.at);
        if let Body::ToolResult(result) = &entry.body {
            self.silent.remove(&result.call);
            if let Some(open) = self.calls.remove(&result.call) {
                self.done.push(open.ended(result, at, &self.session, self.contents.as_ref()));
            }
            return;
        }
        let about = match &entry.body {
            Body::Note(note) => note.about.call(),
            body => body.call(),
        };
        let Some(open) = about.and_then(|call| self.calls.get_mut(&call)) else { return };
        match &entry.body {
            Body::CallEdited(call) => open.edited(call, id, at),
            Body::ApprovalRequested(_) => open.asked(at),
            Body::ApprovalDecided(decision) => open.decided(decision, id, at),
            Body::DelegationRequested(sent) => open.delegated(&sent.agent),
            Body::Note(note) => open.noted(note, id, at),
            _ => {}
        }
    }

    /// What is open ends as far as it came: the session has no more entries.
    pub fn end(&mut self) {
        if let Some(chat) = self.chat.take() {
            let mut span = self.chat_span(chat, self.last, None);
            span.attributes.push(flag("countersign.unfinished", true));
            self.done.push(span);
        }
        let at = self.last;
        for (_, open) in std::mem::take(&mut self.calls) {
            self.done.push(open.unfinished(at, &self.session, self.contents.as_ref()));
        }
        self.abandon();
    }

    fn begin(&mut self, entry: EntryId, at: Millis, told: Option<Value>) {
        let id = span_id(&self.session, entry, "invoke_agent");
        let system = self.contents.as_ref().map(|contents| contents.system(&self.system));
        let attributes = system.into_iter().chain(told).collect();
        self.run = Some(TracedRun { id, entry, at, attributes, events: Vec::new() });
    }

    /// A run that came to no end: the process died in its midst, or goes on.
    fn abandon(&mut self) {
        self.failed(self.last, OTHER);
        if let Some(run) = self.run.take() {
            let mut span = self.run_span(run, self.last);
            span.attributes.push(flag("countersign.unfinished", true));
            self.done.push(span);
        }
    }

    fn over(&mut self, ended: &TurnEnded, at: Millis) {
        self.failed(at, ended.reason.as_str());
        let Some(mut run) = self.run.take() else { return };
        run.attributes.extend(usage(&ended.usage));
        run.attributes.extend([
            text("countersign.ending", ended.reason.as_str()),
            number("countersign.turns", ended.turns.into()),
            number("countersign.tool_calls", ended.tool_calls.into()),
            number("countersign.wall_ms", ended.wall_ms),
        ]);
        run.attributes.extend(self.contents.as_ref().map(|contents| contents.last(&ended.text)));
        let mut span = self.run_span(run, at);
        span.error = is_error(ended.reason).then(|| ended.reason.as_str().to_owned());
        self.done.push(span);
    }

    fn run_span(&self, run: TracedRun, end: Millis) -> Span {
        let mut attributes = vec![
            text("gen_ai.operation.name", "invoke_agent"),
            text("gen_ai.agent.name", "countersign"),
            text("gen_ai.conversation.id", &self.session),
            entry_of(run.entry),
        ];
        attributes.extend(self.imported(run.entry));
        attributes.extend(self.asked().into_iter().flatten());
        attributes.extend(run.attributes);
        Span {
            id: run.id,
            parent: None,
            name: "invoke_agent countersign".to_owned(),
            kind: SpanKind::Internal,
            start: run.at,
            end,
            attributes,
            events: run.events,
            error: None,
        }
    }

    /// The model that is asked, as far as the entries say it.
    fn asked(&self) -> Option<[Value; 2]> {
        let model = self.model.as_ref()?;
        Some([text("gen_ai.provider.name", &provider(model)), text("gen_ai.request.model", &model_of(model))])
    }

    fn said(&mut self, said: &AssistantMessage, at: Millis) {
        self.model = Some(said.model.clone());
        let is_told = !self.contents.as_ref().is_some_and(|contents| contents.is_withdrawn(said.id));
        if !is_told {
            self.silent.extend(said.calls().map(|call| call.id));
        }
        let Some(chat) = self.chat.take() else { return };
        let mut span = self.chat_span(chat, at, Some(&said.usage));
        span.attributes.extend([
            text("gen_ai.response.model", &model_of(&said.model)),
            texts("gen_ai.response.finish_reasons", &finish(&said.stop)),
            text("countersign.answer", &said.id.to_string()),
        ]);
        span.attributes
            .extend(self.contents.as_ref().filter(|_| is_told).map(|contents| contents.output(said)));
        span.error = said.interrupted.then(|| "interrupted".to_owned());
        self.done.push(span);
    }

    /// A summary is an answer, too. One that a person asked for has no entry that tells when it was begun.
    fn compacted(&mut self, made: &Compaction, id: EntryId, at: Millis) {
        let unasked = Chat { entry: id, at, turn: None };
        let chat = self.chat.take().unwrap_or(unasked);
        self.model = Some(made.model.clone());
        let mut span = self.chat_span(chat, at, Some(&made.usage));
        span.attributes.extend([
            text("countersign.compaction", made.trigger.as_str()),
            number("countersign.compaction.tokens_before", made.tokens_before),
            number("countersign.compaction.tokens_after", made.tokens_after),
        ]);
        self.done.push(span);
    }

    /// The model that was asked gave no answer.
    fn failed(&mut self, at: Millis, kind: &str) {
        let Some(chat) = self.chat.take() else { return };
        let mut span = self.chat_span(chat, at, None);
        span.error = Some(kind.to_owned());
        self.done.push(span);
    }

    fn chat_span(&self, chat: Chat, end: Millis, used: Option<&Usage>) -> Span {
        let model = self.model.as_ref().map(model_of).unwrap_or_default();
        let mut attributes = vec![
            text("gen_ai.operation.name", "chat"),
            text("gen_ai.conversation.id", &self.session),
            entry_of(chat.entry),
        ];
        attributes.extend(self.imported(chat.entry));
        if let Some((turn, reason)) = chat.turn {
            attributes.push(text("countersign.transition", reason.as_str()));
            attributes.push(number("countersign.turn", turn.into()));
        }
        attributes.extend(self.asked().into_iter().flatten());
        attributes.extend(used.into_iter().flat_map(usage));
        Span {
            id: span_id(&self.session, chat.entry, "chat"),
            parent: self.run.as_ref().map(|run| run.id.clone()),
            name: name(&format!("chat {model}")),
            kind: SpanKind::Client,
            start: chat.at,
            end,
            attributes,
            events: Vec::new(),
            error: None,
        }
    }

    fn called(&mut self, call: &ToolUse, id: EntryId, at: Millis, by: Option<&str>) {
        let parent = self.run.as_ref().map(|run| run.id.clone());
        let open = OpenSpan::new(call, id, at, parent, !self.silent.contains(&call.id));
        let open = by.into_iter().fold(open, OpenSpan::made_by);
        let open = self.imported(id).into_iter().fold(open, OpenSpan::marked);
        self.calls.insert(call.id, open);
    }
}

/// A budget, a person and a rule end a run without an error.
fn is_error(ending: Ending) -> bool {
    ending.kind() == EndingKind::Failed
}
