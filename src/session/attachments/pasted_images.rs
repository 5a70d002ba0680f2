//! Images that are pasted into the composer: by their paths, or from the clipboard.

use super::attach::Attach;
use super::mention::pasted;
use crate::config::reading::Reading;
use crate::ledger::{Image, measures};
use crate::ui::mention::{PastedImage, written};
use crate::wire::recognize;

impl Attach {
    /// What a paste becomes in the composer: images, if it is nothing but the paths of images that are there.
    pub(crate) fn images_in_paste(&self, text: &str) -> Option<Vec<PastedImage>> {
        let lists = pasted(text);
        let named = lists
            .iter()
            .find(|paths| !paths.is_empty() && paths.iter().all(|path| self.begins_as_picture(path)))?;
        // Their chips say what they are called: nothing more is read while the screen waits.
        Some(
            named
                .iter()
                .map(|path| PastedImage { mention: written(path), measures: String::new() })
                .collect(),
        )
    }

    /// The clipboard's image in a file of its own.
    ///
    /// # Errors
    /// A sentence: why there is none.
    pub(crate) fn image_of_clipboard(&self) -> Result<PastedImage, String> {
        let path = self.clipboard.image()?;
        let name = path.to_str().ok_or("the folder for temporary files has a name that is not text")?;
        if self.begins_as_picture(name) {
            return Ok(self.pasted_image(name));
        }
        drop(std::fs::remove_file(&path));
        Err("what is on the clipboard is not an image".to_owned())
    }

    /// The image of this name. How large one is that cannot be sent is not known: sending says why.
    pub(super) fn pasted_image(&self, name: &str) -> PastedImage {
        let measures = match self.bytes(name, Image::MOST_BYTES) {
            Reading::Text { text, cut: false } => {
                let size = recognize(&text).ok().map(|picture| (picture.width, picture.height));
                measures(size, text.len() as u64)
            }
            Reading::Text { cut: true, .. } | Reading::Absent | Reading::Refused(_) => String::new(),
        };
        PastedImage { mention: written(name), measures }
    }
}
