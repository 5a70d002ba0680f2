//! Why a message was not sent, and what to do about it.

/// What to do about a warning where nobody can confirm it.
pub(super) const FROM_THE_APP: &str = "to send it anyway, use the app";

/// Why a message was not sent: what happened, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttachmentRefusal {
    pub(crate) what: String,
    pub(crate) next: String,
}

impl AttachmentRefusal {
    pub(super) fn new(what: impl Into<String>, next: &str) -> Self {
        Self { what: what.into(), next: next.to_owned() }
    }
}
