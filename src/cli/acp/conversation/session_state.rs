//! What is held of one session: its loop, its client, and what both wait for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::command::SessionCommand;
use super::pending::{Asking, OpenRequest, PendingPrompt, PendingSetting, PriceQuestion};
use crate::agent::{CallAddress, Event, Intent, Shutdown};
use crate::cli::acp::client_end::ClientEnd;
use crate::cli::acp::methods::session_set_config_option::Options;
use crate::cli::acp::rpc;
use crate::cli::acp::updates::message::Streamed;
use crate::cli::acp::updates::notice;
use crate::cli::told_subagents::ToldSubagents;
use crate::ledger::CallId;
use crate::session::attachments::Attach;
use crate::session::rule_keeper::RuleKeeper;
use crate::ui::Request;
use crate::ui::local::RuleToKeep;
use crate::view::{PlanItem, View};

/// One session.
pub(in crate::cli::acp) struct Conversation {
    pub(super) id: String,
    pub(super) cwd: PathBuf,
    pub(super) client: ClientEnd,
    pub(super) view: View,
    pub(super) options: Options,
    pub(super) attach: Attach,
    pub(super) commands: mpsc::Receiver<SessionCommand>,
    /// For what is read beside it.
    pub(super) to_itself: mpsc::Sender<SessionCommand>,
    pub(super) intents: mpsc::Sender<Intent>,
    pub(super) abort: mpsc::Sender<()>,
    /// Whether the loop has the prompt.
    pub(super) is_taken: Arc<AtomicBool>,
    pub(super) shutdown: mpsc::Sender<Shutdown>,
    pub(super) events: mpsc::Receiver<Event>,
    pub(super) prompt: Option<PendingPrompt>,
    pub(super) asked: BTreeMap<Asking, OpenRequest>,
    /// The request about which the decision was made whose refusal comes next.
    pub(super) undecided: Option<Asking>,
    pub(super) subagents: ToldSubagents,
    /// Calls of sub-agents that the client was asked about and that have no result.
    pub(super) shown_below: BTreeSet<CallAddress>,
    pub(super) price: Option<PriceQuestion>,
    pub(super) rules: RuleKeeper,
    /// Rules that were taken for longer than the session: written down when their decisions are recorded.
    pub(super) to_keep: Vec<RuleToKeep>,
    /// What is asked of the session beside its loop, once that has begun.
    pub(super) requests: Option<mpsc::Sender<Request>>,
    pub(super) settings: Vec<PendingSetting>,
    pub(super) streamed: Streamed,
    pub(super) plan: Vec<PlanItem>,
    pub(super) title: String,
    /// Calls whose output has grown since it was told.
    pub(super) grown: BTreeSet<CallId>,
    pub(super) is_closing: bool,
}

impl Conversation {
    /// Tells an update.
    pub(super) async fn update(&self, update: Value) {
        let params = json!({ "sessionId": self.id, "update": update });
        self.client.out.send(&rpc::notification("session/update", params)).await;
    }

    /// Tells a remark of ours.
    pub(super) async fn remark(&self, words: &str) {
        self.update(notice::remark(self.client.abilities, words)).await;
    }

    /// Asks the session for something beside its loop.
    pub(super) async fn request(&self, request: Request) {
        let Some(requests) = &self.requests else { return };
        if requests.send(request).await.is_err() {
            tracing::debug!("a request came after the session had ended");
        }
    }

    /// Passes on what the client wants.
    pub(super) async fn wish(&self, intent: Intent) {
        if self.intents.send(intent).await.is_err() {
            tracing::debug!("a wish came after the loop had ended");
        }
    }
}
