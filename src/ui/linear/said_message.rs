//! A message of the user in lines: its words, and what went with them.

use crate::ledger::{AttachedFile, EntryId, Image, Injected, MessagePiece, UserMessage};
use crate::view::ViewSettings;

use super::output::LinearOutput;
use super::words::plain;

/// A message that was not typed here.
pub(super) fn from_you(message: &UserMessage, entry: EntryId, settings: &ViewSettings) -> String {
    format!("you: {}", in_lines(message, entry, settings))
}

/// What the user said while a run was under way.
pub(super) fn delivered(said: &Injected, entry: EntryId, settings: &ViewSettings) -> String {
    let words = said.said().map_or_else(|| said.shown(), |message| in_lines(&message, entry, settings));
    format!("delivered to the model: {words}")
}

/// An image of the clipboard has a word, since nobody has seen its path; in what comes from elsewhere the path is in sight.
fn in_lines(message: &UserMessage, entry: EntryId, settings: &ViewSettings) -> String {
    if settings.is_imported(entry) || !message.pastes.has_images() {
        return message.shown();
    }
    let parts = message.pastes.parts(&message.content);
    let is_chip = |image: &Image| {
        parts.iter().any(|part| match part {
            MessagePiece::Image(mention) => Image::names_clipboard(mention) && image.is_named_by(mention),
            MessagePiece::Typed(_) | MessagePiece::Pasted(_) => false,
        })
    };
    let label =
        |image: &Image| if is_chip(image) { format!("[image: {}]", image.measures()) } else { image.label() };
    let words = message.pastes.titled(&message.content);
    let files = message.files.iter().map(AttachedFile::label);
    let lines = std::iter::once(words).chain(message.images.iter().map(label)).chain(files);
    lines.collect::<Vec<_>>().join("\n")
}

/// What went with a message that was typed here: its words are known, and how much of a file was sent is not.
pub(super) fn went_with(message: &UserMessage, output: &mut LinearOutput) {
    let images = message.images.iter().map(Image::label);
    for label in images.chain(message.files.iter().map(AttachedFile::label)) {
        output.say(&format!("sent with it: {}", plain(&label)));
    }
}
