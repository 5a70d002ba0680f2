//! What a program adds to a message beside its words: files that it names by their paths, and pictures that it has.

use super::attach::Attach;
use super::attached::{self, Attached, is_called_an_image};
use super::bounds::bounded;
use super::refusal::{AttachmentRefusal, FROM_THE_APP};
use crate::ledger::{AttachedFile, UserMessage};
use crate::wire::to_image;

/// Whether it is the same text of a file; one of them may have the instructions of its folder behind it.
fn is_same(known: &AttachedFile, file: &AttachedFile) -> bool {
    let lines = |file: &AttachedFile| (file.first, file.last);
    known.path == file.path && lines(known) == lines(file) && known.sha256 == file.sha256
}

impl Attach {
    /// Adds the file of this path, or these lines of it; of a folder, its listing.
    ///
    /// # Errors
    /// As [`Attach::message`]; nobody can confirm a warning here.
    pub(crate) fn add_linked(
        &self,
        said: &mut UserMessage,
        path: &str,
        lines: Option<(u64, u64)>,
    ) -> Result<(), AttachmentRefusal> {
        if std::fs::symlink_metadata(self.path(path)).is_err() {
            return Err(AttachmentRefusal::new(format!("there is no file at {path}"), "correct the link"));
        }
        let attached = if is_called_an_image(path) || self.begins_as_picture(path) {
            let asks = self.text_files.judge_picture(path, path)?;
            Some(Attached::Image(self.load(path)?, asks))
        } else {
            self.text_files.read(path, lines)?.map(|file| Attached::File(file, String::new()))
        };
        let mut warnings = Vec::new();
        match attached {
            Some(Attached::Image(_, asks)) if !asks.is_empty() => warnings.push(asks),
            Some(Attached::Image(image, _)) if !said.images.contains(&image) => said.images.push(image),
            Some(Attached::File(file, _)) if !said.files.iter().any(|known| is_same(known, &file)) => {
                if file.confirmed.is_empty() {
                    said.files.push(self.text_files.instructed(file));
                } else {
                    said.files.push(file);
                }
            }
            Some(_) | None => {}
        }
        warnings.extend(attached::warnings(said));
        if warnings.is_empty() {
            return bounded(said);
        }
        Err(AttachmentRefusal::new(warnings.join("; "), FROM_THE_APP))
    }

    /// Adds a picture.
    ///
    /// # Errors
    /// Bytes that are no picture that can be sent; too many of them.
    pub(crate) fn add_picture(
        &self,
        said: &mut UserMessage,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), AttachmentRefusal> {
        let image = to_image(name, bytes).map_err(|why| {
            AttachmentRefusal::new(format!("{name} {why}"), "send a smaller PNG or JPEG, or remove it")
        })?;
        said.images.push(image);
        bounded(said)
    }

    /// Refuses what a program has of a file that a rule denies, or that a hook blocks or asks about.
    ///
    /// # Errors
    /// The rule or the hook, in words.
    pub(crate) fn refuse_denied(&self, path: &str) -> Result<(), AttachmentRefusal> {
        let asks = self.text_files.refuse_denied(path)?;
        if asks.is_empty() { Ok(()) } else { Err(AttachmentRefusal::new(asks, FROM_THE_APP)) }
    }
}
