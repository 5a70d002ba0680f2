//! Calls of sub-agents: the client hears of those that it is asked about, under the name of who makes them.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::session_state::Conversation;
use crate::agent::{CallAddress, Event, Live, SubagentPath};
use crate::cli::acp::updates::tool_call;
use crate::ledger::{Body, CallId, Change, Entry};

impl Conversation {
    /// Something happened in the session of a sub-agent.
    pub(super) async fn hear_subagent(&mut self, event: &Event) {
        let (path, inner) = event.located();
        match inner {
            Event::Appended(entry) => {
                self.subagents.read(&path, &entry.body);
                self.tell_below(&path, entry).await;
                self.decide(&path, entry).await;
                self.forsake_below(&path, &entry.body).await;
            }
            Event::Live(Live::Undecided(request)) => self.names_refusal(&path, *request),
            Event::Live(Live::Refused(why)) => {
                self.remark(why).await;
                match self.undecided_at(&path) {
                    Some(asking) => self.ask_once_more(asking).await,
                    // Whether it was of a decision, only the loop of that session would tell, and it has not heard of it.
                    None => self.ask_again(&path).await,
                }
            }
            Event::Live(Live::Progress { call, .. }) => {
                let at = CallAddress { path, call: *call };
                if self.shown_below.contains(&at) {
                    self.update_below(tool_call::running(*call), &at).await;
                }
            }
            Event::Live(_) => {}
        }
    }

    /// Tells how a call stands that the client is asked about, or was.
    async fn tell_below(&mut self, path: &[CallId], entry: &Entry) {
        let Some(call) = entry.body.call() else { return };
        let at = CallAddress { path: path.to_vec(), call };
        let update = match &entry.body {
            Body::ApprovalRequested(_) => {
                // A client may know a call only by an update that came before the request.
                if !self.is_prompted() || !self.shown_below.insert(at.clone()) {
                    return;
                }
                self.begun_below(&at)
            }
            Body::ApprovalDecided(decision) if self.shown_below.contains(&at) => {
                Some(tool_call::decided(entry.id, decision))
            }
            Body::ToolResult(result) if self.shown_below.remove(&at) => {
                let view = self.view.below(path).and_then(|view| view.panel(call));
                view.map(|panel| tool_call::ended(self.cwd_of(path), panel, entry.id, result))
            }
            _ => return,
        };
        if let Some(update) = update {
            self.update_below(update, &at).await;
        }
    }

    /// The first update of a call.
    pub(super) fn begun_below(&self, at: &CallAddress) -> Option<Value> {
        let panel = self.view.below(&at.path)?.panel(at.call)?;
        Some(tool_call::begun(self.cwd_of(&at.path), panel))
    }

    /// A sub-agent is over: its calls have results, or will have none.
    pub(super) async fn forsake_below(&mut self, path: &[CallId], body: &Body) {
        let Body::Change(Change::EscrowSettled(settled)) = body else { return };
        let over: SubagentPath = path.iter().copied().chain([settled.call]).collect();
        self.asked.retain(|asking, _| !asking.path.starts_with(&over));
        let (left, kept) =
            std::mem::take(&mut self.shown_below).into_iter().partition(|at| at.path.starts_with(&over));
        self.shown_below = kept;
        let left: BTreeSet<CallAddress> = left;
        for at in left {
            self.update_below(tool_call::forsaken(), &at).await;
        }
    }

    /// Tells an update about a call of a sub-agent.
    pub(super) async fn update_below(&self, update: Value, at: &CallAddress) {
        self.update(self.under_its_name(update, at)).await;
    }

    /// An update or a request as it is told of the call of a sub-agent; of the session's own calls, as it is.
    pub(super) fn under_its_name(&self, update: Value, at: &CallAddress) -> Value {
        match (self.subagents.get(&at.path), self.subagents.described(&at.path)) {
            (Some(one), Some(whose)) => tool_call::of_subagent(update, at, &one.name, whose),
            _ => update,
        }
    }

    /// The folder in which a session works.
    pub(super) fn cwd_of(&self, path: &[CallId]) -> &Path {
        self.subagents.get(path).and_then(|one| one.cwd.as_deref()).unwrap_or(&self.cwd)
    }
}
