//! Events of the loop, told as updates; and those of the past, when a session is loaded.

use std::sync::Arc;

use super::session_state::Conversation;
use crate::agent::{Event, Live};
use crate::cli::acp::updates::message::user;
use crate::cli::acp::updates::{config_option, mode, plan, session_info, tool_call, usage};
use crate::ledger::{Body, CallId, Change, Entry, Injector, Usage};

impl Conversation {
    /// Folds what happened before; tells it, if that is wanted.
    pub(super) async fn recall(&mut self, before: &[Arc<Entry>], is_told: bool) {
        for entry in before {
            let event = Event::Appended(Arc::clone(entry));
            self.view.fold(&event);
            self.subagents.read(&[], &entry.body);
            if is_told {
                self.recall_words(entry).await;
                self.tell_entry(entry).await;
            } else {
                self.note(entry);
            }
        }
        self.view.resume();
    }

    /// What the user said then. Of a prompt that is made now the client knows it.
    async fn recall_words(&self, entry: &Entry) {
        let (words, images) = match &entry.body {
            Body::User(said) => (said.shown(), &said.images),
            Body::Injected(said) if said.by == Injector::Steering => (said.text.clone(), &said.images),
            _ => return,
        };
        for update in user(entry.id, &words, images) {
            self.update(update).await;
        }
    }

    /// Hears an event, and all that came with it; then what has grown meanwhile is told once.
    pub(super) async fn hear_all(&mut self, first: Event) {
        let mut next = Some(first);
        while let Some(event) = next {
            self.hear(event).await;
            next = self.events.try_recv().ok();
        }
        for call in std::mem::take(&mut self.grown) {
            if let Some(panel) = self.view.panel(call).filter(|panel| panel.result().is_none()) {
                self.update(tool_call::output(call, panel)).await;
            }
        }
        self.settle_prompt().await;
    }

    async fn hear(&mut self, event: Event) {
        self.view.fold(&event);
        match &event {
            Event::Appended(entry) => {
                self.subagents.read(&[], &entry.body);
                self.tell_entry(entry).await;
                self.decide(&[], entry).await;
                self.forsake_below(&[], &entry.body).await;
                match &entry.body {
                    Body::TurnEnded(end) if self.ask_price(entry.id, end).await => {}
                    _ => self.follow_prompt(entry),
                }
            }
            Event::Live(Live::Subagent { .. }) => self.hear_subagent(&event).await,
            Event::Live(live) => self.hear_live(live).await,
        }
    }

    async fn hear_live(&mut self, live: &Live) {
        match live {
            Live::Text { message, text } => {
                let update = self.streamed.text(*message, text);
                self.update(update).await;
            }
            Live::Thinking { message, text } => {
                let update = self.streamed.thought(*message, text);
                self.update(update).await;
            }
            // The call of a sub-agent in the background has its result when that one begins.
            Live::Progress { call, .. } => {
                if self.view.panel(*call).is_none_or(|panel| panel.result().is_none()) {
                    self.update(tool_call::running(*call)).await;
                }
            }
            Live::ToolOutput { call, .. } | Live::Screen { call, .. } => {
                self.grown.insert(*call);
            }
            Live::ModeChanged(now) => {
                self.options.mode = *now;
                self.update(mode::now(*now)).await;
                self.update(config_option::all(&self.options)).await;
                self.mode_is_set().await;
            }
            Live::Answering { model, effort, said, .. } => {
                self.options.answering(model, *effort);
                self.update(config_option::all(&self.options)).await;
                if said.is_some() {
                    self.choice_is_made().await;
                }
            }
            Live::Returned(_) | Live::ReturnedLine(_) => self.prompt_returned(),
            Live::Undecided(request) => self.names_refusal(&[], *request),
            Live::Refused(why) => self.refused(why).await,
            Live::Unreached(why) => self.remark(why).await,
            Live::Retrying { attempt, most, reason, .. } => {
                tracing::info!("retry {attempt} of {most}: {reason}");
            }
            Live::LedgerUnwritable { why, .. } => {
                self.remark(&format!("paused until it can be recorded: {why}")).await;
            }
            Live::LedgerWritable => self.remark("entries are recorded again").await,
            Live::Subagent { .. }
            | Live::SubagentWaits { .. }
            | Live::Hosted { .. }
            | Live::CallForming { .. }
            | Live::Allowed { .. }
            | Live::ToolFinished { .. }
            | Live::Asked { .. }
            | Live::AskingHooks(_)
            | Live::Discovering
            | Live::Discovered(_)
            | Live::Next(_)
            | Live::Compacting(_)
            | Live::Waiting { .. } => {}
        }
    }

    /// Tells an entry.
    async fn tell_entry(&mut self, entry: &Arc<Entry>) {
        match &entry.body {
            Body::Assistant(said) => {
                for update in self.streamed.whole(said) {
                    self.update(update).await;
                }
                self.update(usage::after(&self.view, said.usage)).await;
            }
            // What one in the background answered is told by no result, and what any of them cost by no answer of the model.
            Body::Change(Change::EscrowSettled(settled)) => {
                if let Some(update) = tool_call::reported(settled) {
                    self.update(update).await;
                }
                self.update(usage::after(&self.view, self.last_usage())).await;
            }
            Body::ToolCall(call) | Body::Validation(call) | Body::Command(call) => {
                self.tell_call(call.id).await;
            }
            Body::ApprovalDecided(decision) => self.update(tool_call::decided(entry.id, decision)).await,
            Body::ToolResult(result) => {
                self.grown.remove(&result.call);
                if let Some(panel) = self.view.panel(result.call) {
                    self.update(tool_call::ended(&self.cwd, panel, entry.id, result)).await;
                }
            }
            Body::Error { message, next } => self.remark(&format!("{message}; next: {next}")).await,
            Body::Note(note) if note.price().is_some() => self.remark(note.for_people()).await,
            Body::Handoff { text } => self.remark(text).await,
            Body::Change(Change::PriceAccepted { .. }) => self.price = None,
            _ => {}
        }
        if let Some(title) = self.note(entry) {
            self.update(session_info::title(&title)).await;
        }
        if self.view.plan() != self.plan {
            self.plan = self.view.plan().to_vec();
            self.update(plan::now(&self.plan)).await;
        }
    }

    /// The usage of the last answer: so full is the window.
    fn last_usage(&self) -> Usage {
        let answers = self.view.rows().iter().rev().filter_map(|row| match &row.entry.body {
            Body::Assistant(said) if !said.is_unheard() => Some(said.usage),
            _ => None,
        });
        answers.into_iter().next().unwrap_or_default()
    }

    async fn tell_call(&self, call: CallId) {
        if let Some(panel) = self.view.panel(call) {
            self.update(tool_call::begun(&self.cwd, panel)).await;
        }
    }

    /// Keeps what later entries are held against; gives the title, if it is another one now.
    fn note(&mut self, entry: &Entry) -> Option<String> {
        let title = match &entry.body {
            Body::User(said) if self.title.is_empty() => said.content.clone(),
            Body::Change(Change::Renamed { name }) => name.clone(),
            _ => return None,
        };
        self.title.clone_from(&title);
        Some(title).filter(|title| !title.trim().is_empty())
    }
}
