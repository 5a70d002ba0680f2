//! How large one answer of a model may become, as the configuration says it.

use crate::model::AnswerBounds;

use super::{key::AnswerKey, value::Written};

impl AnswerKey {
    pub(super) fn of(self, bounds: &AnswerBounds) -> u64 {
        match self {
            Self::Bytes => bounds.bytes,
            Self::ArgumentBytes => bounds.argument_bytes,
            Self::Calls => bounds.calls,
        }
    }

    /// # Errors
    /// What the key takes instead.
    pub(super) fn set(self, bounds: &mut AnswerBounds, value: &Written) -> Result<(), String> {
        match self {
            Self::Bytes => bounds.bytes = value.count(10_000, 1 << 30)?,
            Self::ArgumentBytes => bounds.argument_bytes = value.count(10_000, 1 << 30)?,
            Self::Calls => bounds.calls = value.count(1, 10_000)?,
        }
        Ok(())
    }
}
