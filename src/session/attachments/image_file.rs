//! The file of an image that goes with a message, or why it does not: in the words for a file, or for an image whose file nobody has seen.

use super::attach::Attach;
use super::refusal::AttachmentRefusal;
use crate::config::reading::Reading;
use crate::ledger::Image;
use crate::wire::{NoImage, to_image};

/// Why a file does not go as an image.
#[derive(Debug)]
pub(super) enum NotLoaded {
    Gone,
    Unreadable(String),
    Unfit(NoImage),
}

impl NotLoaded {
    /// Of a file that a person named.
    fn of_file(self, name: &str) -> AttachmentRefusal {
        let (what, next) = match self {
            Self::Gone => (format!("{name} is a broken link"), "fix the link, or remove it"),
            Self::Unreadable(why) => {
                (format!("{name} cannot be read: {why}"), "name a readable file, or remove it")
            }
            Self::Unfit(why @ NoImage::NoPicture(_)) => {
                (format!("{name} {why}"), "save it as a PNG or JPEG, or remove it")
            }
            Self::Unfit(why @ (NoImage::TooLarge | NoImage::TooManyPixels { .. })) => {
                (format!("{name} {why}"), "scale it down, or crop it")
            }
        };
        AttachmentRefusal::new(what, next)
    }

    /// Of an image of the clipboard, which is called so.
    pub(super) fn of_clipboard(self, called: &str) -> AttachmentRefusal {
        let (what, next) = match self {
            Self::Gone => (format!("{called} is gone"), "paste it again"),
            Self::Unreadable(why) => (format!("{called} cannot be read: {why}"), "paste it again"),
            Self::Unfit(why @ NoImage::NoPicture(_)) => (format!("{called} {why}"), "paste another one"),
            Self::Unfit(why @ (NoImage::TooLarge | NoImage::TooManyPixels { .. })) => {
                (format!("{called} {why}"), "paste a smaller one, or a part of it")
            }
        };
        AttachmentRefusal::new(what, next)
    }
}

impl Attach {
    /// The image in the file of this name.
    pub(super) fn load(&self, name: &str) -> Result<Image, AttachmentRefusal> {
        self.loaded(name).map_err(|why| why.of_file(name))
    }

    /// The same, for other words about what is wrong.
    pub(super) fn loaded(&self, name: &str) -> Result<Image, NotLoaded> {
        match self.bytes(name, Image::MOST_BYTES) {
            Reading::Text { text, cut: false } => to_image(name, &text).map_err(NotLoaded::Unfit),
            Reading::Text { cut: true, .. } => Err(NotLoaded::Unfit(NoImage::TooLarge)),
            Reading::Absent => Err(NotLoaded::Gone),
            Reading::Refused(why) => Err(NotLoaded::Unreadable(why)),
        }
    }
}
