//! Messages with big pastes that were sent here: the transcript shows each as the composer did.

use std::collections::VecDeque;
use std::sync::Arc;

/// Messages that are remembered.
const MOST: usize = 50;

/// What was sent, and how the composer showed it.
#[derive(Debug, Clone, Default)]
pub struct SentPastes {
    all: VecDeque<(Arc<str>, Arc<str>)>,
}

impl SentPastes {
    /// A message, and what stood in the composer for it.
    pub(super) fn remember(&mut self, message: &str, shown: &str) {
        if message == shown {
            return;
        }
        if self.all.len() == MOST {
            self.all.pop_front();
        }
        // The composer keeps the name of a paste in one row.
        self.all.push_back((message.into(), shown.replace('\u{202f}', " ").into()));
    }

    /// What stood in the composer for a message, if it had a paste in it.
    pub(super) fn shown(&self, message: &str) -> Option<&str> {
        let sent = self.all.iter().rev().find(|(sent, _)| **sent == *message);
        sent.map(|(_, shown)| &**shown)
    }
}
