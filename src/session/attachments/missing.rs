//! An `@word` that names no file: a word, or a mistake that a person should hear of before the message is sent.

use std::path::Path;

use super::attach::Attach;
use super::attached::{Attached, is_called_an_image};
use super::mention::{before_lines, mentions, without_lines};
use super::refusal::AttachmentRefusal;
use crate::ui::mention::{could_be_a_file, is_a_call, is_called_a_file};

pub(super) const CORRECT: &str = "correct the path, or put it in `backquotes` to send it as text";

impl Attach {
    /// Refuses words that name a file that is not there, where no file goes with them: whoever reads them would look for it in vain.
    ///
    /// # Errors
    /// As [`Self::message`], of what is not there.
    pub(crate) fn refuse_missing(&self, words: &str) -> Result<(), AttachmentRefusal> {
        for readings in mentions(&words.into()) {
            let with_lines = readings.iter().filter_map(|path| without_lines(path).map(|(path, _)| path));
            let mut paths = readings.iter().map(String::as_str).chain(with_lines);
            if !paths.any(|path| std::fs::symlink_metadata(self.path(path)).is_ok()) {
                self.missing(&readings)?;
            }
        }
        Ok(())
    }

    /// `Ok(None)`: it is a word. One that may as well be the name of a file is said before it goes as a word.
    pub(super) fn missing(&self, readings: &[String]) -> Result<Option<Attached>, AttachmentRefusal> {
        let refuse = |what: String, next: &str| Err(AttachmentRefusal::new(what, next));
        let is_there = |path: &&str| std::fs::symlink_metadata(self.path(path)).is_ok();
        let unnumbered = readings.iter().filter_map(|path| Some(path.rsplit_once('#')?.0)).find(is_there);
        // The shortest reading is the path without the sentence's own punctuation.
        if let (Some(name), Some(asked)) = (unnumbered, readings.last()) {
            let next = format!("write @{name}#L10-40, or put it in `backquotes` to send it as text");
            return refuse(format!("{asked} names no lines of {name}"), &next);
        }
        if readings.iter().any(|word| is_a_call(word)) {
            return Ok(None);
        }
        if let Some(name) = readings.last().filter(|path| is_called_an_image(path)) {
            return refuse(format!("there is no image at {name}"), CORRECT);
        }
        let whole = || readings.iter().rev().map(String::as_str);
        let with_lines =
            || readings.iter().rev().filter_map(|path| without_lines(path).map(|(path, _)| path));
        let known = |path: &&str| {
            self.text_files.was_listed(path) || self.is_in_folder(path) || is_called_a_file(path)
        };
        let name = readings.iter().rev().find_map(|path| before_lines(path));
        let name = name.or_else(|| with_lines().chain(whole()).find(known));
        let what = |name: &str| format!("there is no file at {name}");
        match name {
            Some(name) => refuse(what(name), CORRECT),
            None => {
                let name = with_lines().chain(whole()).find(|path| could_be_a_file(path));
                Ok(name.map(|name| Attached::Word(what(name))))
            }
        }
    }

    /// Whether a path leads into a folder that is there, or is written as one. `@scope/name` and `@a.b` are other things
    /// than files.
    fn is_in_folder(&self, path: &str) -> bool {
        if ["~/", "./", "../"].iter().any(|start| path.starts_with(start)) {
            return true;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or_default();
        !folder.is_empty() && !name.is_empty() && Path::is_dir(&self.path(folder))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tokio::sync::watch;

    use super::super::clipboard::Clipboard;
    use super::super::text_file::TextFiles;
    use super::*;
    use crate::policy::Policy;
    use crate::runtime::{Groups, LocalTools};

    fn attached() -> (tempfile::TempDir, Attach) {
        let held = tempfile::tempdir().unwrap();
        let work = held.path().canonicalize().unwrap();
        fs::create_dir(work.join("d")).unwrap();
        fs::write(work.join("d/a.rs"), "one\ntwo\nthree\n").unwrap();
        std::os::unix::fs::symlink("nowhere", work.join("broken")).unwrap();
        let files = LocalTools::new(work.clone(), Vec::new(), Groups::default()).files();
        let attach = Attach {
            cwd: work,
            home: None,
            text_files: TextFiles::over(files, Policy::default(), 20_000),
            warned: watch::Sender::new(None),
            clipboard: Clipboard::default(),
        };
        (held, attach)
    }

    #[test]
    fn a_path_that_leads_to_no_file_is_reported() {
        let (_held, attach) = attached();
        let why = |words: &str| attach.message(words.to_owned()).unwrap_err().what;
        assert_eq!(why("see @d/mian.rs."), "there is no file at d/mian.rs");
        assert_eq!(why("see @d/mian.rs:2-3"), "there is no file at d/mian.rs");
        assert_eq!(why("see @gone.rs#L2"), "there is no file at gone.rs");
        assert_eq!(why("@gone.txt what"), "there is no file at gone.txt");
        assert_eq!(why("see @Makefile."), "there is no file at Makefile");
        assert_eq!(why("see @d/a.rs#L0"), "d/a.rs#L0 names no lines of d/a.rs");
        assert_eq!(why("see @d/a.rs#Lx"), "d/a.rs#Lx names no lines of d/a.rs");
        assert_eq!(why("see @d/a.rs#end"), "d/a.rs#end names no lines of d/a.rs");
        assert_eq!(why("see @~/missing, please"), "there is no file at ~/missing");
        assert_eq!(why("see @../missing"), "there is no file at ../missing");
        assert_eq!(why("see @broken"), "broken leads to no file");
        assert_eq!(why("see @d/notes.org"), "there is no file at d/notes.org");
        assert_eq!(why("see @notes.org#L12"), "there is no file at notes.org");
    }

    #[test]
    fn a_word_is_a_word() {
        let (_held, attach) = attached();
        // Nobody can say here that a word is one, so it is, and that is said.
        for word in [
            "user.name",
            "john.doe",
            "mock.patch",
            "tanstack/react.query",
            "pytest.mark.skip",
            "x.ending",
            "notes.org",
        ] {
            let (said, note) = attach.message(format!("why is @{word} so?")).unwrap();
            assert_eq!((said.files, note), (vec![], format!("there is no file at {word}; sent as text")));
        }
        for words in [
            "@scope/name",
            "@types/node@20.1",
            "@app.route",
            "@app.route(\"/x\")",
            "@app.get('/a.json')",
            "@org.junit.Test",
            "a@b.org",
            "@a@b.org",
            "@channel#Lobby",
            "@owner/repo#12",
            "ask @ann: now",
            "@ann:12",
            "`@x.ending`",
        ] {
            let (said, note) = attach.message(words.to_owned()).unwrap();
            assert_eq!((said.files, note.as_str()), (vec![], ""), "{words}");
        }
    }

    #[test]
    fn lines_are_named_in_several_ways() {
        let (_held, attach) = attached();
        let lines = |words: &str| {
            let files = attach.message(words.to_owned()).unwrap().0.files;
            files.iter().map(|file| (file.first, file.last)).collect::<Vec<_>>()
        };
        assert_eq!(lines("@d/a.rs:2-3"), [(2, 3)]);
        assert_eq!(lines("@d/a.rs#2-3"), [(2, 3)]);
        assert_eq!(lines("@d/a.rs:2:7: error"), [(2, 2)]);
        assert_eq!(lines("@d/a.rs, @./d/a.rs and @d/a.rs."), [(1, 3)], "one file once");
    }
}
