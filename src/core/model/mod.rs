//! What a model is, whoever serves it: what it is asked, what it says, how it fails.

mod bounds;
mod draft;
mod event;
mod failure;
mod glimpse;
mod spec;
mod vision;

pub use crate::ledger::Effort;
pub(crate) use bounds::weight;
pub use bounds::{AnswerBounds, Excess};
pub use draft::{Draft, UnfinishedCall};
pub use event::{ModelEvent, ModelNews};
pub use failure::{Action, FailureClass, ModelFailure, NamedTool, Sizes};
pub use glimpse::Glimpse;
pub use spec::{Abilities, LongPrompt, ModelSpec, Price, Rates, ToolCalls};

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::ledger::{Message, ModelRef, hosted};

/// One request, free of any protocol. Append-only between requests of a session, so that caches hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Who is asked.
    pub model: ModelRef,
    /// The system prompt; frozen for the session.
    pub system: String,
    /// The projected ledger.
    pub messages: Vec<Message>,
    /// The tools; frozen for the session.
    pub tools: Vec<Arc<ToolDescription>>,
    /// Most tokens the answer may have, thinking included.
    pub max_output: u64,
    /// How hard the model is to think; `None`: as its vendor thinks best.
    pub effort: Option<Effort>,
    /// The seed of the answer, where the protocol has a field for one; `None`: nothing is said.
    pub seed: Option<u64>,
    /// Whether the model can be left to find out itself how long it thinks (Anthropic's `adaptive`).
    pub adaptive_thinking: bool,
    /// Whether the model reasons; `None`: nobody knows. To one that does not, nothing is said about reasoning.
    pub reasons: Option<bool>,
    /// What names the conversation to the provider's cache, the same in all of its requests; empty: nothing.
    pub cache_key: String,
    /// The JSON Schema that the answer has to satisfy, if one was asked for.
    pub answer_schema: Option<Arc<Value>>,
    /// Tools that the provider may not run itself for this session, although the configuration lists them.
    pub withheld: BTreeSet<&'static str>,
}

impl Request {
    /// Those of the tools that a provider may run itself which it may run for this session.
    pub fn hosted<'a>(&'a self, tools: &'a [String]) -> impl Iterator<Item = &'a String> {
        tools.iter().filter(|tool| hosted(tool).is_none_or(|known| !self.withheld.contains(known)))
    }

    /// Whether the model is known to find out itself how long it thinks, and so thinks also when no effort was chosen.
    pub fn thinks_by_itself(&self) -> bool {
        self.reasons == Some(true) && self.adaptive_thinking
    }

    /// The effort that may be asked for: none of a model that does not reason.
    pub fn effort_to_ask(&self) -> Option<Effort> {
        self.effort.filter(|_| self.reasons != Some(false))
    }
}

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolDescription {
    /// Letters, digits, `_`, `-`; at most 64.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON schema of its arguments; `type` is `object`.
    pub schema: Value,
    /// How many bytes all of that takes: counted once, as every request asks.
    bytes: usize,
}

impl ToolDescription {
    /// What a model is told about a tool: its name, what it does, and the schema of its arguments.
    pub fn new(name: String, description: String, schema: Value) -> Arc<Self> {
        let bytes = name.len() + description.len() + schema.to_string().len();
        Arc::new(Self { name, description, schema, bytes })
    }

    /// How many bytes it takes in a request, without what a protocol puts around it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
