//! What was deleted last, which outlives its session: nothing of it is sent by itself.

use std::sync::{Arc, Mutex, PoisonError};

use super::origin::TextOrigin;
use super::pastes::Paste;

/// What was deleted last, the pastes in it, and where it comes from.
pub(super) type Killed = (String, Vec<Paste>, TextOrigin);

/// What was deleted last in the session that ended, for the one that is opened next.
#[derive(Debug, Clone, Default)]
pub struct KillBuffer(Arc<Mutex<Killed>>);

impl KillBuffer {
    /// What it holds.
    pub(super) fn held(&self) -> Killed {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Holds this from now on.
    pub(super) fn hold(&self, killed: Killed) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = killed;
    }
}
