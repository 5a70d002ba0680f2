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
    use crate::ledger::Pastes;
    use crate::policy::{Policy, Rule, RuleKind};
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

    /// What reads the images of a folder, and another folder in which a torn one of the clipboard is.
    fn attach() -> (tempfile::TempDir, Attach, PathBuf) {
        let held = tempfile::tempdir().unwrap();
        let work = held.path().canonicalize().unwrap();
        let attach = Attach {
            text_files: under(&work, &[]),
            cwd: work,
            home: None,
            warned: watch::Sender::new(None),
            clipboard: Clipboard::default(),
        };
        let torn = b"\x89PNG\r\n\x1a\n";
        let kept = attach.clipboard.folder.keep(torn, Image::CLIPBOARD_FOLDER, ("torn", ".png")).unwrap();
        (held, attach, kept)
    }

    fn under(work: &Path, rules: &[(RuleKind, String)]) -> TextFiles {
        let files = LocalTools::new(work.to_owned(), Vec::new(), Groups::default()).files();
        let rules = rules.iter().map(|(kind, text)| Rule::parse(*kind, text).unwrap()).collect();
        TextFiles::over(files, Policy { rules, ..Policy::default() }, 20_000)
    }

    /// Words, and the chips of these images.
    fn with_chips(words: &str, paths: &[&Path]) -> UserMessage {
        let (mut content, mut spans) = (words.to_owned(), Vec::new());
        for path in paths {
            let mention = written(path.to_str().unwrap());
            spans.push((content.len() + 1, content.len() + 1 + mention.len()));
            content = format!("{content} {mention}");
        }
        let begins: Vec<usize> = spans.iter().map(|(from, _)| *from).collect();
        let pastes = Pastes::of(&content, spans).with_images(&begins);
        UserMessage { pastes, ..content.into() }
    }

    #[test]
    fn a_refusal_names_a_pasted_image_as_its_chip_does() {
        let (_held, attach, torn) = attach();
        let refused = |paths: &[&Path]| {
            let AttachmentRefusal { what, next } =
                attach.message_of_person(with_chips("see", paths)).unwrap_err();
            format!("{what}: {next}")
        };
        let gone = torn.with_file_name("gone.png");
        assert_eq!(refused(&[&gone]), "the pasted image 1 is gone: paste it again");
        let cannot = refused(&[&torn, &gone]);
        assert!(cannot.starts_with("the pasted image 1 cannot be sent: "), "{cannot}");
        assert!(cannot.ends_with(": paste another one"), "{cannot}");
        let big = torn.with_file_name("big.png");
        fs::copy(&torn, &big).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&big).unwrap();
        file.set_len(Image::MOST_BYTES + 1).unwrap();
        assert_eq!(
            refused(&[&big]),
            "the pasted image 1 is larger than 3.9 MB: paste a smaller one, or a part of it"
        );
        // Words that look like a chip have a number, too.
        let said = with_chips("as in [Image 1] see", &[&gone]);
        assert_eq!(attach.message_of_person(said).unwrap_err().what, "the pasted image 2 is gone");
        // A folder that others have made has no image of this clipboard, and its chip would hide its name.
        let theirs = attach.cwd.join("countersign-clipboard-1");
        fs::create_dir(&theirs).unwrap();
        let theirs = theirs.join("shot.png");
        fs::copy(&torn, &theirs).unwrap();
        assert_eq!(refused(&[&theirs]), "the pasted image 1 is gone: paste it again");
        let pasted = |path: &Path| attach.images_in_paste(path.to_str().unwrap()).map(|images| images.len());
        assert_eq!((pasted(&theirs), pasted(&torn)), (None, Some(1)));
        // Where the path stands in sight, it is what is wrong.
        let typed = attach.message(format!("see @{}", gone.display())).unwrap_err();
        assert_eq!(typed.what, format!("there is no image at {}", gone.display()));
    }

    #[test]
    fn a_warning_about_a_pasted_image_says_to_delete_its_chip() {
        let (_held, mut attach, torn) = attach();
        let [ask, deny] = ["ask.png", "deny.png"].map(|name| torn.with_file_name(name));
        for path in [&ask, &deny] {
            let mut bytes = Cursor::new(Vec::new());
            RgbImage::new(2, 2).write_to(&mut bytes, ImageFormat::Png).unwrap();
            fs::write(path, bytes.into_inner()).unwrap();
        }
        fs::write(attach.cwd.join("ask.txt"), "x\n").unwrap();
        let rules = [
            (RuleKind::Ask, format!("read({})", ask.display())),
            (RuleKind::Ask, "read(ask.txt)".to_owned()),
            (RuleKind::Deny, format!("read({})", deny.display())),
        ];
        attach.text_files = under(&attach.cwd, &rules);
        let next =
            |words: &str, path: &Path| attach.message_of_person(with_chips(words, &[path])).unwrap_err().next;
        assert_eq!(next("see", &ask), "send it again to attach the image, or delete its chip");
        assert_eq!(
            next("why is @user.name nil?", &ask),
            "send it again to send it so, or delete the chip of the image"
        );
        assert_eq!(
            next("see @ask.txt and", &ask),
            "send it again to send it so, or delete the chip of the image and put the path in `backquotes`"
        );
        assert_eq!(next("see", &deny), DELETE);
    }
}
