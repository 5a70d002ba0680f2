//! How a model call fails, and what the loop may do about it.

use std::fmt;

/// A failed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFailure {
    /// What kind of failure.
    pub class: FailureClass,
    /// One line for a person: what happened, as the provider said it.
    pub message: String,
    /// What to do next, in one sentence; empty when the class says it all.
    pub next: String,
    /// How long the provider asks to wait, in milliseconds.
    pub retry_after_ms: Option<u64>,
}

impl ModelFailure {
    /// A failure without advice of its own.
    pub fn new(class: FailureClass, message: impl Into<String>) -> Self {
        Self { class, message: message.into(), next: String::new(), retry_after_ms: None }
    }

    /// What to do next: the failure's own advice, or its class's.
    pub fn next_step(&self) -> &str {
        if self.next.is_empty() { self.class.next_step() } else { &self.next }
    }
}

impl fmt::Display for ModelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FailureClass {
    /// Rate limit, overload, server trouble, broken or idle connection: the same call may work later.
    Transient,
    /// The prompt does not fit the window.
    Overflow,
    /// Key missing, wrong, or without the right.
    Auth,
    /// No such model.
    UnknownModel,
    /// Money or quota is used up.
    Quota,
    /// The request was refused as it is.
    BadRequest,
    /// The history was refused: a call without its result, or the reverse. A bug of ours.
    Pairing,
    /// What came back is not the protocol.
    Protocol,
    /// A script has no more replies.
    Exhausted,
}

impl FailureClass {
    /// Whether the same call may be made again.
    pub fn is_transient(self) -> bool {
        self == Self::Transient
    }

    /// Whether another model may succeed where this one failed.
    pub fn may_fall_back(self) -> bool {
        match self {
            Self::Transient | Self::Auth | Self::UnknownModel | Self::Quota | Self::Protocol => true,
            Self::Overflow | Self::BadRequest | Self::Pairing | Self::Exhausted => false,
        }
    }

    fn next_step(self) -> &'static str {
        match self {
            Self::Transient => "Wait a little and send the message again.",
            Self::Overflow => "Start a new session, or choose a model with a larger window.",
            Self::Auth => "Set the provider's key and try again.",
            Self::UnknownModel => "Check the model's name; choose one with -m PROVIDER/MODEL.",
            Self::Quota => "Check the account's balance and limits with the provider.",
            Self::BadRequest => "Read the provider's message; the request is refused as it is.",
            Self::Pairing => "Run `countersign inspect` on this session and report this: it is a bug.",
            Self::Exhausted => "Add a reply to the script.",
            Self::Protocol => "Check the base URL: it does not answer like the protocol that was chosen.",
        }
    }
}
