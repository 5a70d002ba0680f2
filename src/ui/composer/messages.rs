//! Messages with pastes: what is typed as one, and one that comes back.

use crate::ledger::{Image, MessagePiece, Pastes, UserMessage};

use super::super::mention::PastedImage;
use super::Composer;
use super::name_origin::NameOrigin;
use super::origin::TextOrigin;
use super::pastes::{measures_in, named, unfolded};
use super::sent::said;

impl Composer {
    /// What would be sent, and what of it was pasted.
    pub fn message(&self) -> UserMessage {
        let (whole, pastes) = unfolded(&self.shown(), &self.pastes);
        let content = said(&whole);
        let begins = whole.find(content).unwrap_or_default();
        let pastes = pastes.within(begins, begins + content.len());
        UserMessage { pastes, ..UserMessage::from(content) }
    }

    /// Takes it: see [`Self::take`].
    pub fn take_message(&mut self) -> UserMessage {
        let message = self.message();
        self.take();
        message
    }

    /// Puts back what was sent and not delivered, before what is being typed.
    pub fn give_back(&mut self, text: &str) {
        self.give_back_message(&UserMessage::from(text));
    }

    /// Puts a message back, before what is being typed; its pastes are names again.
    pub fn give_back_message(&mut self, message: &UserMessage) {
        self.leave_walk();
        let below = self.below.take();
        let typed = self.take_message();
        let both = message.clone().followed_by(typed);
        if both.pastes.is_empty() && both.content.len() > Self::MOST_BYTES {
            self.exchange_all(Self::default());
            self.paste_within(&both.content);
        } else {
            self.hold_message(&both);
        }
        self.below = below;
    }

    /// Puts what an editor left in the place of what it holds. A paste that was not changed there stays one; all else is
    /// typed. What was no command is none.
    pub fn hold_edited(&mut self, text: &str) {
        let (before, origin) = (self.message(), self.origin());
        let is_still_words =
            !self.runs_a_command() && before.content.starts_with('!') && text.starts_with('!');
        let text = &format!("{}{text}", if is_still_words { " " } else { "" });
        let (mut spans, mut images, mut at) = (Vec::new(), Vec::new(), 0);
        for part in before.pastes.parts(&before.content) {
            let (MessagePiece::Pasted(paste) | MessagePiece::Image(paste)) = part else { continue };
            if let Some(begins) = text.get(at..).and_then(|rest| rest.find(paste)) {
                spans.push((at + begins, at + begins + paste.len()));
                images.extend(matches!(part, MessagePiece::Image(_)).then_some(at + begins));
                at += begins + paste.len();
            }
        }
        let pastes = Pastes::of(text, spans).with_images(&images);
        self.hold_message(&UserMessage { pastes, ..text.as_str().into() });
        let first = |text: &str| text.split_whitespace().next().map(str::to_owned);
        let name = if first(text) == first(&before.content) { origin.name } else { NameOrigin::Typed };
        self.origin = TextOrigin { name, ..origin };
    }

    /// Holds this at first. `images`: those of the clipboard that are still there, whose chips say how large they are.
    pub fn begin(&mut self, images: Vec<PastedImage>, draft: &UserMessage) {
        self.images = images;
        self.hold_message(draft);
    }

    /// The numbers of the images in the message that were taken from the clipboard by a program before this one, and whose files are gone.
    pub fn gone_images(&self) -> Vec<usize> {
        let message = self.message();
        let mut all: Vec<&str> = Vec::new();
        for part in message.pastes.parts(&message.content) {
            let MessagePiece::Image(mention) = part else { continue };
            if !all.contains(&mention) {
                all.push(mention);
            }
        }
        let is_there = |mention: &str| self.images.iter().any(|image| image.mention == mention);
        let is_gone = |mention: &str| Image::names_clipboard(mention) && !is_there(mention);
        all.into_iter().zip(1..).filter(|(mention, _)| is_gone(mention)).map(|(_, number)| number).collect()
    }

    /// Puts a message in the place of what it holds; its pastes are names again.
    pub fn hold_message(&mut self, message: &UserMessage) {
        let parts = message.pastes.parts(&message.content);
        let typed =
            parts.iter().map(|part| if let MessagePiece::Typed(text) = part { text.len() } else { 0 });
        if message.pastes.is_empty() || typed.sum::<usize>() > Self::MOST_BYTES {
            return self.hold(&message.content);
        }
        let (shown, pastes) = named(&parts, |mention| self.measures(message, mention));
        self.exchange_all(Self { pastes, ..Self::holding(&shown) });
    }

    /// How large the image of a mention is: as the message says that brings it, else as it was when it was pasted.
    fn measures(&self, message: &UserMessage, mention: &str) -> String {
        let said = measures_in(message, mention);
        let pasted = || self.images.iter().rfind(|image| image.mention == mention);
        if said.is_empty() { pasted().map(|image| image.measures.clone()).unwrap_or_default() } else { said }
    }
}
