//! Files of a message: the images and text files that its `@paths` name are read and go with it, or it does not go at all.

mod attach;
mod attached;
mod bounds;
mod clipboard;
mod doubts;
mod file_hooks;
mod image_file;
mod linked;
mod mention;
mod missing;
mod pasted_images;
mod refusal;
mod text_file;

pub(crate) use attach::Attach;
pub(crate) use refusal::AttachmentRefusal;

use crate::ledger::UserMessage;
use attached::{Attached, is_called_an_image, warnings};
use bounds::bounded;
use doubts::{Doubts, Warned};
use mention::{mentions, without_lines};
use pasted_images::of_clipboard;
use refusal::FROM_THE_APP;

/// What to do about an image of a flag that is not sent: there is no word that could be sent in its place.
const OTHER_IMAGE: &str = "name another image, or remove the flag";

impl Attach {
    /// The message with the images and files that it names, and what to know of its words; empty, if there is nothing. An `@word` that
    /// names no file stays a word, unless nothing else than a file is called so.
    ///
    /// # Errors
    /// [`AttachmentRefusal`]: a file that is not there, cannot be read or is too large, or that a person must confirm; too
    /// many of them.
    pub(crate) fn message(&self, content: String) -> Result<(UserMessage, String), AttachmentRefusal> {
        let (said, doubts) = self.read(content.into())?;
        match doubts.without_a_person() {
            None => Ok((self.instructed(said), doubts.note())),
            Some(next) => Err(AttachmentRefusal::new(doubts.said(), next)),
        }
    }

    /// Adds images that a person names beside the words of a message, each by a flag: that answers a rule that asks.
    ///
    /// # Errors
    /// As [`Self::message`]; a name that is no image's is refused here.
    pub(crate) fn add(&self, said: &mut UserMessage, names: &[String]) -> Result<(), AttachmentRefusal> {
        for name in names {
            let path = self.path(name);
            if std::fs::symlink_metadata(&path).is_err() {
                let what = format!("there is no image at {name}");
                return Err(AttachmentRefusal::new(what, "correct the path"));
            }
            let by_flag = |refused: AttachmentRefusal| AttachmentRefusal::new(refused.what, OTHER_IMAGE);
            let asks = self.text_files.refuse_denied(&path.to_string_lossy()).map_err(by_flag)?;
            if !asks.is_empty() {
                return Err(AttachmentRefusal::new(asks, FROM_THE_APP));
            }
            said.images.push(self.load(name)?);
            bounded(said)?;
        }
        Ok(())
    }

    /// The same from a person, who can confirm a warning: by sending the same message again. Without the instructions of folders, since
    /// the reading may be given up: see [`Self::instructed`].
    ///
    /// # Errors
    /// As [`Self::message`].
    pub(crate) fn message_of_person(&self, said: UserMessage) -> Result<UserMessage, AttachmentRefusal> {
        let before = self.warned.send_replace(None);
        let (said, doubts) = self.read(said)?;
        if doubts.is_empty() || before.is_some_and(|warned| warned.is_confirmed(&said.content, &doubts)) {
            return Ok(said);
        }
        let refusal = AttachmentRefusal::new(doubts.said(), doubts.next());
        self.warned.send_replace(Some(Warned::now(said.content, doubts)));
        Err(refusal)
    }

    /// The message with what it names, and what a person is to be warned about.
    fn read(&self, said: UserMessage) -> Result<(UserMessage, Doubts), AttachmentRefusal> {
        let (mut said, mut of_images) = (said.without_attachments(), Vec::new());
        let mut of_chips = 0;
        let (mut words, mut cut) = (Vec::new(), Vec::new());
        for readings in mentions(&said) {
            let chip = of_clipboard(&said, &readings);
            let is_chip = chip.is_some();
            let attached = match chip {
                Some((path, number)) => Some(self.pasted_attached(path, number)?),
                None => self.attached(&readings)?,
            };
            match attached {
                // Two names of one thing, such as `a.rs` and `./a.rs`.
                Some(Attached::File(file, _)) if said.files.contains(&file) => {}
                Some(Attached::Image(image, _)) if said.images.contains(&image) => {}
                Some(Attached::Image(image, asks)) => {
                    of_chips += usize::from(is_chip && !asks.is_empty());
                    of_images.extend((!asks.is_empty()).then_some(asks));
                    said.images.push(image);
                }
                Some(Attached::File(file, not_sent)) => {
                    cut.extend((!not_sent.is_empty()).then_some(not_sent));
                    said.files.push(file);
                }
                Some(Attached::Word(doubt)) => words.push(doubt),
                None => {}
            }
            bounded(&said)?;
        }
        // As it will be read from the file of the session.
        said.pastes = said.pastes.naming(&said.content, &said.images);
        let warnings = warnings(&said).into_iter().chain(of_images).collect();
        Ok((said, Doubts { warnings, of_chips, words, cut }))
    }

    /// What one of these readings of a path names; `None` when it is a word.
    fn attached(&self, readings: &[String]) -> Result<Option<Attached>, AttachmentRefusal> {
        let is_there = |path: &&str| std::fs::symlink_metadata(self.path(path)).is_ok();
        let with_lines = || readings.iter().filter_map(|path| without_lines(path));
        let whole = || readings.iter().map(|path| (path.as_str(), None));
        let part = || with_lines().map(|(path, lines)| (path, Some(lines)));
        if let Some((name, lines)) = whole().chain(part()).find(|(path, _)| is_there(path)) {
            return if is_called_an_image(name) || self.begins_as_picture(name) {
                let asks = self.text_files.judge_picture(name, name)?;
                Ok(Some(Attached::Image(self.load(name)?, asks)))
            } else {
                match self.text_files.read(name, lines)? {
                    Some(file) => Ok(Some(doubts::with_cut(file, lines))),
                    // A link without its file, or a file that has just gone.
                    None => Err(AttachmentRefusal::new(format!("{name} leads to no file"), missing::CORRECT)),
                }
            };
        }
        self.missing(readings)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Cursor;
    use std::os::unix::fs::symlink;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    use std::time::Duration;

    use image::{ImageFormat, RgbImage};
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use tokio::sync::watch;

    use super::clipboard::Clipboard;
    use super::doubts::{CONFIRMS_FROM, CONFIRMS_UNTIL};
    use super::text_file::TextFiles;
    use super::*;
    use crate::policy::Policy;
    use crate::runtime::{Groups, LocalTools};

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
        let files = LocalTools::new(base.join("work"), Vec::new(), Groups::default()).files();
        let attach = Attach {
            cwd: base.join("work"),
            home: Some(base.join("out")),
            text_files: TextFiles::over(files, Policy::default(), 20_000),
            warned: watch::Sender::new(None),
            clipboard: Clipboard::default(),
        };
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
            let (said, _) = attach.message(format!("see {named}")).unwrap();
            assert_eq!(said.images[0].size, Some((side, side)), "{named}");
        }
        let named = base.join("out/shot.png").display().to_string();
        let [image]: [_; 1] = attach.images_in_paste(&named).unwrap().try_into().unwrap();
        assert_eq!(image.mention, format!("@{named}"));
    }

    #[test]
    fn a_warning_is_confirmed_by_sending_the_same_message_again_after_a_while() {
        let (_held, attach, base) = folders();
        fs::write(base.join("work/.env"), "TOKEN=1\n").unwrap();
        let send = |words: &str| attach.message_of_person(words.into());
        let age = |by: Duration| {
            attach.warned.send_modify(|warned| warned.as_mut().unwrap().at -= by);
        };
        let first = send("see @.env").unwrap_err();
        assert!(first.what.contains(".env") && first.next.starts_with("send it again"), "{first:?}");
        assert!(send("see @.env").is_err(), "a key that bounces confirms nothing");
        age(CONFIRMS_FROM);
        assert!(send("look at @.env").is_err(), "another message");
        age(CONFIRMS_UNTIL);
        assert!(send("look at @.env").is_err(), "a warning that is forgotten");
        age(CONFIRMS_FROM);
        let said = send("look at @.env").unwrap();
        assert!(
            said.files[0].confirmed.contains(".env"),
            "the confirmation is recorded: {:?}",
            said.files[0]
        );
        assert!(send("look at @.env").is_err(), "it is confirmed once");
        assert!(attach.message("look at @.env".to_owned()).is_err(), "nobody is there to confirm it");
        let word = send("why is @user.name nil?").unwrap_err();
        assert!(word.next.ends_with("send it again to send it as text"), "{word:?}");
        age(CONFIRMS_FROM);
        assert_eq!(send("why is @user.name nil?").unwrap().files, []);
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
            if let Ok((said, _)) = attach.message("see @d/shot.png".to_owned()) {
                sent += said.images.len();
                assert!(said.images.iter().all(|image| image.size == Some((2, 2))), "a picture from outside");
            }
        }
        is_over.store(true, Relaxed);
        thread.join().unwrap();
        assert!(sent > 0, "no picture was sent at all");
    }
}
