//! Images of a message: the files that its `@paths` name are read and go with it, or it does not go at all.

mod mention;

use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::config::Invocation;
use crate::config::reading::Reading;
use crate::ledger::{Image, UserMessage};
use crate::runtime::open_named;
use crate::wire::{NoImage, recognize, to_image};
use mention::{mention, mentions, pasted};

/// Bytes in which a picture shows what it is.
const FIRST_BYTES: u64 = 12;
/// Endings of pictures: a file that is called so must be one, where others may be named without being sent.
const ENDINGS: [&str; 12] =
    ["png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif", "ico"];

/// Why a message was not sent: what happened, and what to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AttachmentRefusal {
    pub(crate) what: String,
    pub(crate) next: String,
}

impl AttachmentRefusal {
    fn new(what: String, next: &str) -> Self {
        Self { what, next: next.to_owned() }
    }
}

/// Reads what messages name.
#[derive(Debug, Clone)]
pub(crate) struct Attach {
    cwd: PathBuf,
    home: Option<PathBuf>,
}

impl Attach {
    /// Paths are meant from the folder of the session; `~` is the user's home.
    pub(crate) fn new(invocation: &Invocation) -> Self {
        Self { cwd: invocation.cwd.clone(), home: invocation.environment.home() }
    }

    /// The same with paths that are meant from another folder.
    pub(crate) fn seen_from(self, folder: PathBuf) -> Self {
        Self { cwd: folder, ..self }
    }

    /// The message with the images that it names. An `@word` that names no image stays a word, unless it is called
    /// like one.
    ///
    /// # Errors
    /// [`AttachmentRefusal`]: an image that is not there, cannot be read, is none or is too large; too many of them.
    pub(crate) fn message(&self, content: String) -> Result<UserMessage, AttachmentRefusal> {
        let mut images: Vec<Image> = Vec::new();
        for readings in mentions(&content) {
            images.extend(self.image(&readings)?);
            within_bounds(&images)?;
        }
        Ok(UserMessage { content, images })
    }

    /// Adds images that are named beside the words of a message.
    ///
    /// # Errors
    /// As [`Self::message`]; a name that is no image's is refused here.
    pub(crate) fn add(&self, said: &mut UserMessage, names: &[String]) -> Result<(), AttachmentRefusal> {
        for name in names {
            if std::fs::symlink_metadata(self.path(name)).is_err() {
                let what = format!("there is no image at {name}");
                return Err(AttachmentRefusal::new(what, "correct the path"));
            }
            said.images.push(self.load(name)?);
            within_bounds(&said.images)?;
        }
        Ok(())
    }

    /// The image that one of these readings of a path names; `None` when it is a word.
    fn image(&self, readings: &[String]) -> Result<Option<Image>, AttachmentRefusal> {
        let there = readings.iter().find(|path| std::fs::symlink_metadata(self.path(path)).is_ok());
        if let Some(name) = there {
            return if is_called_an_image(name) || self.begins_as_picture(name) {
                self.load(name).map(Some)
            } else {
                Ok(None)
            };
        }
        // The shortest reading is the path without the sentence's own punctuation.
        match readings.last().filter(|path| is_called_an_image(path)) {
            None => Ok(None),
            Some(name) => {
                let next = "correct the path, or put it in `backquotes` to send it as text";
                Err(AttachmentRefusal::new(format!("there is no image at {name}"), next))
            }
        }
    }

    fn load(&self, name: &str) -> Result<Image, AttachmentRefusal> {
        let small = "scale it down, or crop it";
        let content = match self.bytes(name, Image::MOST_BYTES) {
            Reading::Text { text, cut: false } => text,
            Reading::Text { cut: true, .. } => {
                return Err(AttachmentRefusal::new(format!("{name} {}", NoImage::TooLarge), small));
            }
            Reading::Absent => {
                return Err(AttachmentRefusal::new(
                    format!("{name} is a broken link"),
                    "fix the link, or remove it",
                ));
            }
            Reading::Refused(why) => {
                let next = "name a readable file, or remove it";
                return Err(AttachmentRefusal::new(format!("{name} cannot be read: {why}"), next));
            }
        };
        to_image(name, &content).map_err(|why| {
            let next = match why {
                NoImage::NoPicture(_) => "save it as a PNG or JPEG, or remove it",
                NoImage::TooLarge | NoImage::TooManyPixels { .. } => small,
            };
            AttachmentRefusal::new(format!("{name} {why}"), next)
        })
    }

    /// What a paste becomes in the composer: mentions, if it is nothing but the paths of images that are there.
    pub(crate) fn mentions_in_paste(&self, text: &str) -> Option<String> {
        let lists = pasted(text);
        let named = lists
            .iter()
            .find(|paths| !paths.is_empty() && paths.iter().all(|path| self.begins_as_picture(path)))?;
        Some(named.iter().map(|path| mention(path)).collect::<Vec<_>>().join(" "))
    }

    fn begins_as_picture(&self, name: &str) -> bool {
        let start = self.bytes(name, FIRST_BYTES);
        matches!(start, Reading::Text { text, .. } if recognize(&text) != Err(crate::wire::NoPicture::OtherFormat))
    }

    /// The first bytes of what a path names. Its links are followed once: what they led to is what is read.
    fn bytes(&self, name: &str, most: u64) -> Reading<Vec<u8>> {
        let file = match open_named(&self.cwd, self.home.as_deref(), name) {
            Ok(None) => return Reading::Absent,
            Err(why) => return Reading::Refused(why),
            Ok(Some(file)) => file,
        };
        let mut text = Vec::new();
        if let Err(failure) = file.take(most + 1).read_to_end(&mut text) {
            return Reading::Refused(failure.to_string());
        }
        let cut = text.len() as u64 > most;
        text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        Reading::Text { text, cut }
    }

    fn path(&self, name: &str) -> PathBuf {
        match (name.strip_prefix("~/"), &self.home) {
            (Some(below), Some(home)) => home.join(below),
            (Some(_) | None, _) => self.cwd.join(name),
        }
    }
}

/// How many images a message may have, and how large.
fn within_bounds(images: &[Image]) -> Result<(), AttachmentRefusal> {
    if images.len() > Image::MOST {
        let what = format!("a message can have at most {} images", Image::MOST);
        return Err(AttachmentRefusal::new(what, "send the others with the next message"));
    }
    if images.iter().map(Image::bytes).sum::<u64>() > Image::MOST_BYTES_IN_ALL {
        let most = Image::MOST_BYTES_IN_ALL / 1_000_000;
        let what = format!("the images are larger than {most} MB together");
        return Err(AttachmentRefusal::new(what, "send some with the next message, or scale them down"));
    }
    Ok(())
}

fn is_called_an_image(name: &str) -> bool {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ENDINGS.contains(&ending.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Cursor;
    use std::os::unix::fs::symlink;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use image::{ImageFormat, RgbImage};
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    use super::*;

    fn picture(path: &Path, side: u32) {
        let mut bytes = Cursor::new(Vec::new());
        RgbImage::new(side, side).write_to(&mut bytes, ImageFormat::Png).unwrap();
        fs::write(path, bytes.into_inner()).unwrap();
    }

    /// A folder with a picture of 2×2, and one beside it with a picture of 3×3 that nobody names.
    fn folders() -> (tempfile::TempDir, Attach, PathBuf) {
        let held = tempfile::tempdir().unwrap();
        let base = held.path().canonicalize().unwrap();
        fs::create_dir_all(base.join("work/d")).unwrap();
        fs::create_dir(base.join("out")).unwrap();
        picture(&base.join("work/d/shot.png"), 2);
        picture(&base.join("out/shot.png"), 3);
        let attach = Attach { cwd: base.join("work"), home: Some(base.join("out")) };
        (held, attach, base)
    }

    #[test]
    fn a_picture_behind_a_link_that_leads_out_is_not_sent_unless_it_is_named() {
        let (_held, attach, base) = folders();
        symlink("../out", base.join("work/away")).unwrap();
        symlink("d", base.join("work/within")).unwrap();
        let refused = attach.message("see @away/shot.png".to_owned()).unwrap_err();
        let why =
            format!("away/shot.png cannot be read: it leads to {}, out", base.join("out/shot.png").display());
        assert!(refused.what.starts_with(&why), "{}", refused.what);
        for (named, side) in [("@within/shot.png", 2), ("@~/shot.png", 3), ("@../out/shot.png", 3)] {
            let said = attach.message(format!("see {named}")).unwrap();
            assert_eq!(said.images[0].size, Some((side, side)), "{named}");
        }
        assert!(attach.mentions_in_paste(&base.join("out/shot.png").display().to_string()).is_some());
    }

    #[test]
    fn a_folder_that_is_exchanged_with_a_link_sends_nothing_from_outside() {
        let (_held, attach, base) = folders();
        symlink("../out", base.join("work/away")).unwrap();
        let is_over = Arc::new(AtomicBool::new(false));
        let (thread_is_over, [one, other]) =
            (Arc::clone(&is_over), ["d", "away"].map(|name| base.join("work").join(name)));
        let thread = std::thread::spawn(move || {
            while !thread_is_over.load(Relaxed) {
                renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE).unwrap();
            }
        });
        let mut sent = 0;
        for _ in 0..2000 {
            if let Ok(said) = attach.message("see @d/shot.png".to_owned()) {
                sent += said.images.len();
                assert!(said.images.iter().all(|image| image.size == Some((2, 2))), "a picture from outside");
            }
        }
        is_over.store(true, Relaxed);
        thread.join().unwrap();
        assert!(sent > 0, "no picture was sent at all");
    }
}
