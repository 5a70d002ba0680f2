//! Images that are pasted into the composer: by their paths, or from the clipboard.

use std::collections::BTreeSet;
use std::path::Path;

use super::attach::Attach;
use super::attached::Attached;
use super::image_file::NotLoaded;
use super::mention::pasted;
use super::refusal::AttachmentRefusal;
use crate::config::reading::Reading;
use crate::ledger::{Image, MessagePiece, UserMessage, measures};
use crate::ui::mention::{PastedImage, written};
use crate::wire::recognize;

impl Attach {
    /// What a paste becomes in the composer: images, if it is nothing but the paths of images that are there. One that only has a path
    /// like an image of the clipboard stays a text: its chip would not say what it is called.
    pub(crate) fn images_in_paste(&self, text: &str) -> Option<Vec<PastedImage>> {
        let lists = pasted(text);
        let is_named = |path: &String| self.was_pasted(path) || !Image::is_of_clipboard(path);
        let is_image = |path: &String| is_named(path) && self.begins_as_picture(path);
        let named = lists.iter().find(|paths| !paths.is_empty() && paths.iter().all(is_image))?;
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

    /// The images of the clipboard that were pasted since the program began and are still there.
    pub(crate) fn images_there(&self) -> Vec<PastedImage> {
        let paths = self.clipboard.folder.there();
        paths.iter().filter_map(|path| path.to_str()).map(|name| self.pasted_image(name)).collect()
    }

    /// Whether a path is that of an image which this program took from the clipboard: others can have a folder that is called like ours.
    fn was_pasted(&self, path: &str) -> bool {
        self.clipboard.folder.is_one(Path::new(path))
    }

    /// An image of the clipboard, which has this number in its message. People know its chip, and no path. What a program before this one
    /// took is gone, whatever is there now.
    pub(super) fn pasted_attached(&self, path: &str, number: usize) -> Result<Attached, AttachmentRefusal> {
        let called = format!("the pasted image {number}");
        if !self.was_pasted(path) || std::fs::symlink_metadata(self.path(path)).is_err() {
            return Err(NotLoaded::Gone.of_clipboard(&called));
        }
        let asks = self.text_files.judge_picture(path, &called)?;
        let image = self.loaded(path).map_err(|why| why.of_clipboard(&called))?;
        Ok(Attached::Image(image, asks))
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

/// The path of an image of the clipboard that a message shows as a chip, and the number in that, if this is one. Where its path was put in
/// the place of the chip, the person sees it.
pub(super) fn of_clipboard<'r>(said: &UserMessage, readings: &'r [String]) -> Option<(&'r str, usize)> {
    let path = readings.first().filter(|path| Image::is_of_clipboard(path))?;
    let (mention, parts) = (written(path), said.pastes.parts(&said.content));
    let mut images = parts.iter().filter_map(|part| match part {
        MessagePiece::Image(mention) => Some(*mention),
        MessagePiece::Typed(_) | MessagePiece::Pasted(_) => None,
    });
    // One that is mentioned twice has one number.
    let before: BTreeSet<&str> = images.clone().take_while(|image| *image != mention).collect();
    images.any(|image| image == mention).then_some((path.as_str(), before.len() + 1))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tokio::sync::watch;

    use super::super::clipboard::Clipboard;
    use super::super::text_file::TextFiles;
    use super::*;
    use crate::ledger::Pastes;
    use crate::policy::Policy;
    use crate::runtime::{Groups, LocalTools};

    #[test]
    fn an_image_that_is_mentioned_twice_has_one_number() {
        let paths = ["/tmp/countersign-clipboard-1/a.png", "/tmp/countersign-clipboard-1/b.png"];
        let [first, second] = paths.map(written);
        let content = format!("{first} {first} {second}");
        let begins = [0, first.len() + 1, 2 * (first.len() + 1)];
        let spans = begins.iter().map(|from| (*from, from + first.len())).collect();
        let pastes = Pastes::of(&content, spans).with_images(&begins);
        let said = UserMessage { pastes, ..UserMessage::text(content) };
        for (path, number) in paths.into_iter().zip(1..) {
            assert_eq!(of_clipboard(&said, &[path.to_owned()]), Some((path, number)));
        }
    }

    #[test]
    fn a_refusal_names_a_pasted_image_as_its_chip_does() {
        let held = tempfile::tempdir().unwrap();
        let work = held.path().canonicalize().unwrap();
        let files = LocalTools::new(work.clone(), Vec::new(), Groups::default()).files();
        let attach = Attach {
            cwd: work.clone(),
            home: None,
            text_files: TextFiles::over(files, Policy::default(), 20_000),
            warned: watch::Sender::new(None),
            clipboard: Clipboard::default(),
        };
        let take = |bytes: &[u8]| {
            let kept = attach.clipboard.folder.keep(bytes, Image::CLIPBOARD_FOLDER, ("pasted-", ".png"));
            kept.unwrap().to_str().unwrap().to_owned()
        };
        let (torn, big) = (take(b"\x89PNG\r\n\x1a\n"), take(b"\x89PNG\r\n\x1a\n"));
        let file = fs::OpenOptions::new().write(true).open(&big).unwrap();
        file.set_len(Image::MOST_BYTES + 1).unwrap();
        let gone = Path::new(&torn).with_file_name("gone.png").to_str().unwrap().to_owned();
        let refused = |names: &[&str]| {
            let (mut content, mut spans) = ("see".to_owned(), Vec::new());
            for name in names {
                let mention = written(name);
                spans.push((content.len() + 1, content.len() + 1 + mention.len()));
                content = format!("{content} {mention}");
            }
            let begins: Vec<usize> = spans.iter().map(|(from, _)| *from).collect();
            let pastes = Pastes::of(&content, spans).with_images(&begins);
            let AttachmentRefusal { what, next } =
                attach.message_of_person(UserMessage { pastes, ..content.into() }).unwrap_err();
            format!("{what}: {next}")
        };
        assert_eq!(refused(&[&gone]), "the pasted image 1 is gone: paste it again");
        let cannot = refused(&[&torn, &gone]);
        assert!(cannot.starts_with("the pasted image 1 cannot be sent: "), "{cannot}");
        assert!(cannot.ends_with(": paste another one"), "{cannot}");
        assert_eq!(
            refused(&[&big]),
            "the pasted image 1 is larger than 3.9 MB: paste a smaller one, or a part of it"
        );
        // A folder that others have made has no image of this clipboard, and its chip would hide its name.
        let theirs = work.join("countersign-clipboard-1");
        fs::create_dir(&theirs).unwrap();
        let theirs = theirs.join("shot.png").to_str().unwrap().to_owned();
        fs::copy(&torn, &theirs).unwrap();
        assert_eq!(refused(&[&theirs]), "the pasted image 1 is gone: paste it again");
        assert_eq!(attach.images_in_paste(&theirs), None);
        assert_eq!(attach.images_in_paste(&torn).map(|images| images.len()), Some(1));
        // Where the path stands in sight, it is what is wrong.
        let typed = attach.message(format!("see @{gone}")).unwrap_err();
        assert_eq!(typed.what, format!("there is no image at {gone}"));
    }
}
