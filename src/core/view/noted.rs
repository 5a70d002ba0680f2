//! What notes change in what is to be seen.

use crate::ledger::{Body, FailedCall, Millis, Note};

use super::{Card, CardBody, View, shells};

impl View {
    /// A failure that ends a run says again what the notes on its model calls say: the last one's card goes, and those before it that
    /// say the same. The ledger has all of them.
    pub(super) fn tell_once(&mut self, next: &CardBody) {
        if !matches!(next, CardBody::Error(_)) {
            return;
        }
        let Some(last) = self.cards.last().and_then(failed_call).map(|failed| failed.message.clone()) else {
            return;
        };
        while self.cards.last().and_then(failed_call).is_some_and(|failed| failed.message == last) {
            self.cards.pop();
        }
        self.epoch.rise();
    }

    /// A background command has ended, or a hook has changed a call.
    pub(super) fn noted(&mut self, note: &Note, at: Millis) {
        if let Some(status) = note.ended() {
            shells::end(&mut self.shells, status.clone(), at);
        }
        if let Some((call, arguments)) = note.changed_by_hook() {
            self.change_panel(call, |panel| panel.change_by_hook(arguments));
        }
    }
}

/// How a model call failed, if the card is a note that says it.
fn failed_call(card: &Card) -> Option<&FailedCall> {
    let CardBody::Note(entry) = &card.body else { return None };
    if let Body::Note(note) = &entry.body { note.failed_call() } else { None }
}
