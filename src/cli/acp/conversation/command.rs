//! What the connection asks of a session, and where it finds one.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tokio::sync::{mpsc, watch};

use crate::cli::acp::client_files::ClientFiles;
use crate::cli::acp::rpc::RpcError;
use crate::config::models::Listed;
use crate::ledger::{EntryId, UserMessage};
use crate::ui::RulePlan;

/// What the connection asks of a session.
#[derive(Debug)]
pub(in crate::cli::acp) enum SessionCommand {
    /// Answer this request, of this method.
    Request {
        /// Names it.
        id: Value,
        /// What is asked for.
        what: Ask,
    },
    /// Esc; whether the loop has had it already.
    Cancel {
        /// The door sent it, as the loop had the prompt.
        is_pressed: bool,
    },
    /// Esc, if this request is the prompt.
    CancelRequest(Value),
    /// The client answered a request of ours.
    Answer {
        /// The request, as it was named after the session.
        request: String,
        /// The result, or the error.
        outcome: Result<Value, Value>,
    },
    /// What a prompt says was read.
    Read {
        /// The prompt.
        id: Value,
        /// The message and what to know of its words, or why there is none.
        said: Result<(UserMessage, String), RpcError>,
    },
    /// What would be written for the rule of a call that waits is known.
    Planned {
        /// The request.
        entry: EntryId,
        /// What would be written.
        plan: RulePlan,
    },
    /// All servers have told their models.
    Listed(Vec<Listed>),
    /// End.
    Close,
}

/// What a request of a session asks for; with its parameters.
#[derive(Debug)]
pub(in crate::cli::acp) enum Ask {
    /// `session/prompt`
    Prompt(Value),
    /// `session/set_mode`
    SetMode(Value),
    /// `session/set_config_option`
    SetOption(Value),
}

/// Where the connection finds a session.
#[derive(Debug)]
pub(in crate::cli::acp) struct Door {
    /// What is asked of it.
    pub(in crate::cli::acp) commands: mpsc::Sender<SessionCommand>,
    /// Esc: it waits for no client that reads slowly.
    pub(in crate::cli::acp) abort: mpsc::Sender<()>,
    /// Whether the loop has the prompt, so that this Esc finds it.
    pub(in crate::cli::acp) is_taken: Arc<AtomicBool>,
    /// Ends with the session.
    pub(in crate::cli::acp) over: watch::Receiver<bool>,
    /// The client's file system, if it has one: calls wait for its answers.
    pub(in crate::cli::acp) files: Option<ClientFiles>,
}
