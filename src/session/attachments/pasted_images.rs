//! Images that are pasted into the composer: by their paths, or from the clipboard.

use std::path::Path;

use super::attach::Attach;
use super::attached::Attached;
use super::image_file::NotLoaded;
use super::mention::pasted;
use super::refusal::AttachmentRefusal;
use crate::config::reading::Reading;
use crate::ledger::{Image, UserMessage, measures};
use crate::ui::composer::image_number;
use crate::ui::mention::{PastedImage, written};
use crate::wire::recognize;

/// What to do about an image that rules or hooks refuse: nobody has seen a path that could be changed.
const DELETE: &str = "delete its chip to send the message without it";

impl Attach {
    /// What a paste becomes in the composer: images, if it is nothing but the paths of images that are there. A chip of one of the
    /// clipboard names no file, so a path that only looks like one of those stays a text.
    pub(crate) fn images_in_paste(&self, text: &str) -> Option<Vec<PastedImage>> {
        let lists = pasted(text);
        let is_image = |path: &String| !self.poses_as_pasted(path) && self.begins_as_picture(path);
        let named = lists.iter().find(|paths| !paths.is_empty() && paths.iter().all(is_image))?;
        // Their chips say what they are called: nothing more is read while the screen waits.
        Some(
            named
                .iter()
                .map(|path| PastedImage { mention: written(path), measures: String::new() })
                .collect(),
        )
    }

    /// Whether a path looks like that of an image of the clipboard, and is none of those that were pasted here.
    fn poses_as_pasted(&self, path: &str) -> bool {
        Image::is_of_clipboard(path)
            && !self.clipboard.folder.there().iter().any(|there| there == Path::new(path))
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

    /// An image of the clipboard, which has this number in its message. People know its chip, and no path.
    pub(super) fn pasted_attached(&self, path: &str, number: usize) -> Result<Attached, AttachmentRefusal> {
        let called = format!("the pasted image {number}");
        if std::fs::symlink_metadata(self.path(path)).is_err() {
            return Err(NotLoaded::Gone.of_clipboard(&called));
        }
        let refused = |why: AttachmentRefusal| AttachmentRefusal::new(why.what, DELETE);
        let asks = self.text_files.judge_picture(path, &called).map_err(refused)?;
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
    Some((path.as_str(), image_number(said, &written(path))?))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Cursor;
    use std::path::PathBuf;

    use image::{ImageFormat, RgbImage};
    use tokio::sync::watch;

    use super::super::clipboard::Clipboard;
    use super::super::text_file::TextFiles;
    use super::*;
    use crate::config::kept_files::KeptFiles;
    use crate::ledger::Pastes;
    use crate::policy::{Policy, Rule, RuleKind};
    use crate::runtime::{Groups, LocalTools};

    /// What reads images under these rules, and a folder of the clipboard's.
    fn attach(rules: &[(RuleKind, &str)]) -> (tempfile::TempDir, Attach, PathBuf) {
        let held = tempfile::tempdir().unwrap();
        let work = held.path().canonicalize().unwrap();
        let folder = work.join("countersign-clipboard-1");
        fs::create_dir(&folder).unwrap();
        let files = LocalTools::new(work.clone(), Vec::new(), Groups::default()).files();
        let rules = rules.iter().map(|(kind, text)| Rule::parse(*kind, text).unwrap()).collect();
        let policy = Policy { rules, ..Policy::default() };
        let attach = Attach {
            cwd: work,
            home: None,
            text_files: TextFiles::over(files, policy, 20_000),
            warned: watch::Sender::new(None),
            clipboard: Clipboard::default(),
        };
        (held, attach, folder)
    }

    /// Words, and the chips of these images of a folder.
    fn with_chips(words: &str, folder: &Path, names: &[&str]) -> UserMessage {
        let (mut content, mut spans) = (words.to_owned(), Vec::new());
        for name in names {
            let mention = written(folder.join(name).to_str().unwrap());
            spans.push((content.len() + 1, content.len() + 1 + mention.len()));
            content = format!("{content} {mention}");
        }
        let begins: Vec<usize> = spans.iter().map(|(from, _)| *from).collect();
        let pastes = Pastes::of(&content, spans).with_images(&begins);
        UserMessage { pastes, ..content.into() }
    }

    #[test]
    fn a_warning_about_a_pasted_image_says_to_delete_its_chip() {
        let rules = [
            (RuleKind::Ask, "read(countersign-clipboard-1/ask.*)"),
            (RuleKind::Deny, "read(countersign-clipboard-1/deny.*)"),
        ];
        let (_held, attach, folder) = attach(&rules);
        for name in ["ask.png", "deny.png"] {
            let mut bytes = Cursor::new(Vec::new());
            RgbImage::new(2, 2).write_to(&mut bytes, ImageFormat::Png).unwrap();
            fs::write(folder.join(name), bytes.into_inner()).unwrap();
        }
        fs::write(folder.join("ask.txt"), "x\n").unwrap();
        let next = |words: &str, name: &str| {
            attach.message_of_person(with_chips(words, &folder, &[name])).unwrap_err().next
        };
        assert_eq!(next("see", "ask.png"), "send it again to attach the image, or delete its chip");
        assert_eq!(
            next("why is @user.name nil?", "ask.png"),
            "send it again to send it so, or delete the chip of the image"
        );
        assert_eq!(
            next("see @countersign-clipboard-1/ask.txt and", "ask.png"),
            "send it again to send it so, or delete the chip of the image and put the path in `backquotes`"
        );
        assert_eq!(next("see", "deny.png"), DELETE);
    }

    #[test]
    fn a_path_in_a_folder_that_is_called_so_becomes_no_chip_without_a_name() {
        let (_held, mut attach, folder) = attach(&[]);
        let mut bytes = Cursor::new(Vec::new());
        RgbImage::new(2, 2).write_to(&mut bytes, ImageFormat::Png).unwrap();
        let bytes = bytes.into_inner();
        fs::write(folder.join("a.png"), &bytes).unwrap();
        assert_eq!(attach.images_in_paste(folder.join("a.png").to_str().unwrap()), None);
        fs::rename(&folder, folder.with_file_name("pictures")).unwrap();
        let named = folder.with_file_name("pictures").join("a.png");
        assert!(attach.images_in_paste(named.to_str().unwrap()).is_some());
        // One that was pasted here is one.
        let pasted = KeptFiles::default();
        let kept = pasted.keep(&bytes, Image::CLIPBOARD_FOLDER, ("pasted-", ".png")).unwrap();
        attach.clipboard = Clipboard::new(Vec::new(), pasted);
        assert!(attach.images_in_paste(kept.to_str().unwrap()).is_some());
    }

    #[test]
    fn a_refusal_names_a_pasted_image_as_its_chip_does() {
        let (_held, attach, folder) = attach(&[]);
        fs::write(folder.join("torn.png"), b"\x89PNG\r\n\x1a\n").unwrap();
        let refused = |names: &[&str]| {
            let said = with_chips("see", &folder, names);
            let AttachmentRefusal { what, next } = attach.message_of_person(said).unwrap_err();
            format!("{what}: {next}")
        };
        assert_eq!(refused(&["gone.png"]), "the pasted image 1 is gone: paste it again");
        let torn = refused(&["torn.png", "gone.png"]);
        assert!(torn.starts_with("the pasted image 1 cannot be sent: "), "{torn}");
        assert!(torn.ends_with(": paste another one"), "{torn}");
        fs::copy(folder.join("torn.png"), folder.join("big.png")).unwrap();
        fs::OpenOptions::new()
            .write(true)
            .open(folder.join("big.png"))
            .unwrap()
            .set_len(Image::MOST_BYTES + 1)
            .unwrap();
        let big = refused(&["big.png"]);
        assert_eq!(big, "the pasted image 1 is larger than 3.9 MB: paste a smaller one, or a part of it");
        // Words that look like a chip have a number, too.
        let said = with_chips("as in [Image 1] see", &folder, &["gone.png"]);
        let second = attach.message_of_person(said).unwrap_err();
        assert_eq!(second.what, "the pasted image 2 is gone");
        // Where the path stands in sight, it is what is wrong.
        let gone = folder.join("gone.png").display().to_string();
        let typed = attach.message(format!("see @{gone}")).unwrap_err();
        assert_eq!(typed.what, format!("there is no image at {gone}"));
    }
}
