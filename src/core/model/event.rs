//! What arrives while a model speaks, in one vocabulary for all protocols.

use serde_json::Value;

use crate::ledger::{Hosted, Stop, Usage};

use super::ModelFailure;

/// News of one model call.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelNews {
    /// The server takes no tools: from here on the model is asked to call them in its text.
    ToolsRefused,
    /// Part of the answer.
    Event(ModelEvent),
    /// The stream ended as its protocol says it must.
    Finished,
    /// It did not.
    Failed(ModelFailure),
}

/// One part of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelEvent {
    /// More visible text.
    Text(String),
    /// More reasoning text.
    Thinking(String),
    /// The reasoning block that was being written is whole. `replay` is the provider's own block, to be sent
    /// back unchanged, if it wants that. Comes without any `Thinking` before it when the block is opaque.
    ThinkingDone {
        /// The block to replay.
        replay: Option<Value>,
    },
    /// A call begins: its name is known. `index` names it within this answer and is never reused.
    CallStarted {
        /// Which call of the answer.
        index: u32,
        /// The provider's id; empty when it sent none.
        wire_id: String,
        /// Name of the tool.
        name: String,
    },
    /// More argument text of a call.
    CallArguments {
        /// Which.
        index: u32,
        /// JSON text, in pieces.
        text: String,
    },
    /// The call is whole. (Chat Completions sends this only with the end of the stream.)
    CallDone {
        /// Which.
        index: u32,
    },
    /// Something that the provider ran or made itself; sent when the block is whole.
    Hosted(Hosted),
    /// What the provider counted so far; replaces what was said before.
    Usage(Usage),
    /// Why it stopped; the stream may still go on with usage.
    Stop(Stop),
}
