//! Messages with pastes: what is typed as one, and one that comes back.

use crate::ledger::{MessagePiece, Pastes, UserMessage};

use super::Composer;
use super::pastes::{named, unfolded};

impl Composer {
    /// What would be sent, and what of it was pasted.
    pub fn message(&self) -> UserMessage {
        let (whole, pastes) = unfolded(&self.shown(), &self.pastes);
        let begins = whole.len() - whole.trim_start().len();
        let content = whole.trim().to_owned();
        let pastes = pastes.within(begins, begins + content.len());
        UserMessage { pastes, ..UserMessage::from(content) }
    }

    /// Takes it: see [`Self::take`].
    pub fn take_message(&mut self) -> UserMessage {
        let message = self.message();
        self.take();
        message
    }

    /// Puts a message back, before what is being typed; its pastes are names again.
    pub fn give_back_message(&mut self, message: &UserMessage) {
        if message.pastes.is_empty() {
            return self.give_back(&message.content);
        }
        self.leave_walk();
        let below = self.below.take();
        let typed = self.take_message();
        let mut both = message.clone();
        if !typed.content.is_empty() {
            both.content.push_str("\n\n");
            let mut spans = both.pastes.spans().to_vec();
            spans.extend_from_slice(typed.pastes.behind(both.content.len()).spans());
            both.content.push_str(&typed.content);
            both.pastes = Pastes::of(&both.content, spans);
        }
        self.hold_message(&both);
        self.below = below;
    }

    /// Puts a message in the place of what it holds; its pastes are names again.
    pub fn hold_message(&mut self, message: &UserMessage) {
        let parts = message.pastes.parts(&message.content);
        let typed =
            parts.iter().map(|part| if let MessagePiece::Typed(text) = part { text.len() } else { 0 });
        if message.pastes.is_empty() || typed.sum::<usize>() > Self::MOST_BYTES {
            return self.hold(&message.content);
        }
        let (shown, pastes) = named(&parts);
        self.exchange_all(Self { pastes, ..Self::holding(&shown) });
    }
}
