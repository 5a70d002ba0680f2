//! What one name in a message brings, and which names must bring a picture.

use std::path::Path;

use crate::ledger::{AttachedFile, Image, UserMessage};

/// Endings of pictures: a file that is called so must be one, where others may be named without being sent.
const ENDINGS: [&str; 12] =
    ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif", "ico"];

/// What a message brings.
pub(super) enum Attached {
    /// With a reason to ask a person first, or none.
    Image(Image, String),
    /// With its label if not all of it is sent, or nothing.
    File(AttachedFile, String),
    /// Nothing: what to say before this word is sent as one.
    Word(String),
}

/// What a person is to be warned about.
pub(super) fn warnings(said: &UserMessage) -> Vec<String> {
    let warnings = said.files.iter().map(|file| file.confirmed.clone());
    warnings.filter(|warning| !warning.is_empty()).collect()
}

pub(super) fn is_called_an_image(name: &str) -> bool {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
}
