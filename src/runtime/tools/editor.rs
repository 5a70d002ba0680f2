//! The text of a file as the user's editor holds it, which may not be saved: who is asked for it, and how it stands beside the file.

use std::fmt::Debug;
use std::path::Path;
use std::sync::Arc;

use super::encoding::Encoding;
use super::file::MOST_BYTES;
use super::words::size;
use super::workspace::ResolvedPath;

/// An editor that gives texts of files and takes them over. Its methods wait for it, on a thread, and for a bounded time.
pub trait EditorFiles: Debug + Send + Sync {
    /// Whether it gives texts.
    fn reads(&self) -> bool;

    /// Whether it takes them over.
    fn writes(&self) -> bool;

    /// The text that it has of this file.
    ///
    /// # Errors
    /// Why there is none.
    fn read(&self, path: &Path) -> Result<String, EditorFailure>;

    /// Gives the file this text.
    ///
    /// # Errors
    /// Why it did not.
    fn write(&self, path: &Path, text: &str) -> Result<(), EditorFailure>;
}

/// Why an editor did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditorFailure {
    /// It says no, in these words.
    Refused(String),
    /// It says nothing, or nothing that means anything.
    Broken(String),
}

/// The user's editor, if there is one that holds texts.
#[derive(Debug, Clone, Default)]
pub(super) struct Editor(Option<Arc<dyn EditorFiles>>);

/// What a file is now.
#[derive(Debug, Default)]
pub(super) struct Current {
    /// On disk; `None` where there is no file.
    pub(super) disk: Option<Vec<u8>>,
    /// In the editor, as the bytes that the file would be if it were saved; `None` where that is what is on disk.
    pub(super) held: Option<Vec<u8>>,
    /// Why the editor gave no text, in its words.
    pub(super) refusal: Option<String>,
}

impl Current {
    /// What a change begins with, if there is anything.
    pub(super) fn content(&self) -> Option<&[u8]> {
        self.held.as_deref().or(self.disk.as_deref())
    }
}

impl Editor {
    /// This one.
    pub(super) fn new(files: Arc<dyn EditorFiles>) -> Self {
        Self(Some(files))
    }

    fn reader(&self) -> Option<&dyn EditorFiles> {
        self.0.as_deref().filter(|files| files.reads())
    }

    /// The editor, if it takes over a text that is written down so: one that writes files by itself writes UTF-8.
    pub(super) fn writer(&self, encoding: Encoding) -> Option<&dyn EditorFiles> {
        self.0.as_deref().filter(|files| files.writes() && encoding == Encoding::Utf8)
    }

    /// What a file is, of which this is on disk. An editor is not asked for what is no text.
    ///
    /// # Errors
    /// A sentence: the editor did not answer, or with something that is no text of a file.
    pub(super) fn current(&self, place: &ResolvedPath, disk: Option<Vec<u8>>) -> Result<Current, String> {
        self.held_beside(place, disk).map_err(|why| {
            format!(
                "the editor was asked for its text of `{}`, and {why}; nothing was done; try again, or tell the user",
                place.shown
            )
        })
    }

    /// The same; if it cannot be said, why.
    fn held_beside(&self, place: &ResolvedPath, disk: Option<Vec<u8>>) -> Result<Current, String> {
        let encoding = disk.as_deref().map_or(Encoding::Utf8, Encoding::of);
        let text = disk.as_deref().map(|disk| encoding.decode(disk)).transpose();
        let is_text = text.as_ref().is_ok_and(|text| !text.as_ref().is_some_and(|text| text.contains('\0')));
        let (Some(files), true, Ok(text)) = (self.reader(), is_text, text) else {
            return Ok(Current { disk, ..Current::default() });
        };
        match files.read(&place.path) {
            Ok(held) if held.len() as u64 > MOST_BYTES => {
                Err(format!("its text is too large ({})", size(held.len() as u64)))
            }
            Ok(held) => {
                let held = other_text(text.as_deref(), held).map(|held| encoding.encode(&held));
                Ok(Current { disk, held, refusal: None })
            }
            // Where there is no file either, that is what is said.
            Err(EditorFailure::Refused(_)) if disk.is_none() => Ok(Current::default()),
            Err(EditorFailure::Refused(why)) => Ok(Current { disk, held: None, refusal: Some(why) }),
            Err(EditorFailure::Broken(why)) => Err(why),
        }
    }

    /// Whether the editor, which said that it took a change over, has the text that is on disk now.
    ///
    /// # Errors
    /// A sentence: it has another one, or does not say.
    pub(super) fn confirm(&self, place: &ResolvedPath, disk: Vec<u8>) -> Result<(), String> {
        let why = match self.held_beside(place, Some(disk)) {
            Ok(Current { held: None, .. }) => return Ok(()),
            Ok(Current { held: Some(_), .. }) => "has another text".to_owned(),
            Err(why) => format!("was asked for its text, and {why}"),
        };
        Err(format!(
            "`{}` is changed on disk; the editor said that it took the change over, and {why}; read the file again, and tell \
             the user",
            place.shown
        ))
    }
}

/// The text of an editor as the file would hold it, if that is another text than the file's. Editors leave out byte order marks,
/// carriage returns and the last end of a line; that alone makes no other text.
fn other_text(disk: Option<&str>, held: String) -> Option<String> {
    let Some(disk) = disk else { return Some(held).filter(|held| !held.is_empty()) };
    if disk == held {
        return None;
    }
    let has_returns = |text: &str| text.contains("\r\n");
    let feeds = disk.matches('\n').count();
    let mut fitted = held;
    if has_returns(disk) && !has_returns(&fitted) {
        if disk.matches("\r\n").count() < feeds
            && disk.replace("\r\n", "\n").trim_start_matches('\u{feff}') == fitted
        {
            return None;
        }
        if disk.matches("\r\n").count() == feeds {
            fitted = fitted.replace('\n', "\r\n");
        }
    }
    if disk.starts_with('\u{feff}') && !fitted.starts_with('\u{feff}') {
        fitted.insert(0, '\u{feff}');
    }
    if disk.ends_with('\n') && !fitted.ends_with('\n') && !fitted.trim_start_matches('\u{feff}').is_empty() {
        fitted.push_str(if disk.ends_with("\r\n") { "\r\n" } else { "\n" });
    }
    (fitted != disk).then_some(fitted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_leave_out_makes_no_other_text() {
        for (disk, held) in [
            ("a\nb\n", "a\nb\n"),
            ("a\nb\n", "a\nb"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("\u{feff}a\r\nb\r\n", "a\nb"),
            ("a\r\nb\n", "a\nb\n"),
            ("", ""),
        ] {
            assert_eq!(other_text(Some(disk), held.to_owned()), None, "{disk:?} {held:?}");
        }
        assert_eq!(other_text(None, String::new()), None);
    }

    #[test]
    fn another_text_is_as_the_file_would_hold_it() {
        let other = |disk: &str, held: &str| other_text(Some(disk), held.to_owned()).unwrap();
        assert_eq!(other("a\n", "a\nb"), "a\nb\n");
        assert_eq!(other("\u{feff}a\r\nb\r\n", "a\nc\n"), "\u{feff}a\r\nc\r\n");
        assert_eq!(other("a\n", ""), "");
        assert_eq!(other("", "x"), "x");
        assert_eq!(other_text(None, "new".to_owned()).unwrap(), "new");
    }
}
