//! What a program adds to a message beside its words: files that it names by their paths, and pictures that it has.

use super::{Attach, Attached, AttachmentRefusal, bounded, is_called_an_image, warnings};
use crate::ledger::UserMessage;
use crate::wire::to_image;

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
            self.text_files.refuse_denied(path)?;
            Some(Attached::Image(self.load(path)?))
        } else {
            self.text_files.read(path, lines)?.map(Attached::File)
        };
        match attached {
            Some(Attached::Image(image)) if !said.images.contains(&image) => said.images.push(image),
            Some(Attached::File(file)) if !said.files.contains(&file) => said.files.push(file),
            Some(_) | None => {}
        }
        match warnings(said).as_slice() {
            [] => bounded(said),
            warnings => {
                Err(AttachmentRefusal::new(warnings.join("; "), "send it from the app if it shall be sent"))
            }
        }
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

    /// Refuses what a program has of a file that a rule denies.
    ///
    /// # Errors
    /// The rule, in words.
    pub(crate) fn refuse_denied(&self, path: &str) -> Result<(), AttachmentRefusal> {
        self.text_files.refuse_denied(path)
    }
}
