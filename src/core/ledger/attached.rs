//! A file that the user attached to a message: what was sent of it, and which bytes those were.

use std::fmt;
use std::sync::Arc;

/// One file of a user's message, or the listing of a folder.
#[derive(Clone, PartialEq, Eq)]
pub struct AttachedFile {
    /// Where it is: relative in the workspace, absolute elsewhere. That of a folder ends with `/`.
    pub path: String,
    /// The first line that was sent, from 1.
    pub first: u64,
    /// The last one; of an empty file 0.
    pub last: u64,
    /// How many lines the whole file has, or entries the folder, where these are not all of them; otherwise 0.
    pub of_lines: u64,
    /// The SHA-256 of the whole file as it was read, or of the listing, in hexadecimal.
    pub sha256: String,
    /// Why the user was asked before it was sent; empty if nobody was.
    pub confirmed: String,
    /// Bytes that were not sent because lines are overlong: of each its beginning was.
    pub cut_bytes: u64,
    /// Characters that were not sent because all of it is too long: they are left out in the middle.
    pub cut_chars: u64,
    /// What the model reads: what the `read` tool returns for these lines, or the `list` tool for the folder.
    pub text: Arc<str>,
}

impl AttachedFile {
    /// Most files of a message.
    pub const MOST: usize = 20;
    /// Most bytes of what is sent of all files of a message.
    pub const MOST_BYTES_IN_ALL: usize = 400_000;

    /// The path of a folder whose listing is attached.
    pub fn folder(path: &str) -> String {
        format!("{}/", path.trim_end_matches('/'))
    }

    /// Whether it is the listing of a folder: no file's path ends so.
    pub fn is_folder(&self) -> bool {
        self.path.ends_with('/')
    }

    /// What stands for it wherever people read: `[file: src/a.rs · lines 10-40 of 900]`, and what was not sent of these lines. Not yet
    /// safe for a screen.
    pub fn label(&self) -> String {
        let (kind, first) = if self.is_folder() { ("folder", 0) } else { ("file", self.first) };
        let lines = match (first, self.last) {
            (_, 0) => "empty".to_owned(),
            (0, 2) => "1 entry".to_owned(),
            (0, lines) => format!("{} entries", lines - 1),
            (first, last) if first == last && self.cut_bytes > 0 => {
                format!("only the beginning of line {first}")
            }
            (first, last) if first == last => format!("line {first}"),
            (first, last) => format!("lines {first}-{last}"),
        };
        let of_all = match self.of_lines {
            0 => String::new(),
            all => format!(" of {}", grouped(all)),
        };
        let cut = |number: u64, one: &str, of: &str| match number {
            0 => String::new(),
            1 => format!(" · 1 {one} {of} not sent"),
            _ => format!(" · {} {one}s {of} not sent", grouped(number)),
        };
        let of_long = if first == self.last { "of it" } else { "of long lines" };
        let cut = cut(self.cut_bytes, "byte", of_long) + &cut(self.cut_chars, "character", "in the middle");
        let confirmed = if self.confirmed.is_empty() {
            String::new()
        } else {
            format!(" · sent after the warning “{}”", self.confirmed)
        };
        format!("[{kind}: {} · {lines}{of_all}{cut}{confirmed}]", self.path)
    }
}

/// A number with its thousands apart: `40,000`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut told = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            told.push(',');
        }
        told.push(digit);
    }
    told
}

/// Words with the files behind them, as a model reads them. Each line of a file has its number before it, so that no file
/// can end its own text.
pub(super) fn with_files(words: &str, files: &[AttachedFile]) -> String {
    let mut all = words.to_owned();
    for file in files {
        let AttachedFile { path, text, .. } = file;
        let told = match file.is_folder() {
            true => "The `list` tool returns for it:",
            false => "The `read` tool returns for it:",
        };
        all.push_str(&format!("\n\nThe user attached `{path}`. {told}\n{text}"));
    }
    all
}

/// What it holds is nobody's to read in a log.
impl fmt::Debug for AttachedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AttachedFile({} {})", self.label(), self.sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_says_which_lines_and_a_log_shows_none_of_them() {
        let file = |first, last| AttachedFile {
            path: "a.rs".into(),
            first,
            last,
            of_lines: 0,
            sha256: "ab".into(),
            confirmed: String::new(),
            cut_bytes: 0,
            cut_chars: 0,
            text: "    1\tsecret\n".into(),
        };
        assert_eq!(file(1, 0).label(), "[file: a.rs · empty]");
        assert_eq!(file(7, 7).label(), "[file: a.rs · line 7]");
        assert_eq!(file(7, 9).label(), "[file: a.rs · lines 7-9]");
        assert!(!format!("{:?}", file(1, 1)).contains("secret"));
        let asked = AttachedFile { confirmed: "a.rs may contain secrets".into(), ..file(1, 2) };
        assert_eq!(
            asked.label(),
            "[file: a.rs · lines 1-2 · sent after the warning “a.rs may contain secrets”]"
        );
    }

    #[test]
    fn a_label_says_what_was_not_sent_of_the_lines() {
        let file = |last, cut_bytes, cut_chars| AttachedFile {
            path: "a.json".into(),
            first: 1,
            last,
            of_lines: 0,
            sha256: "ab".into(),
            confirmed: String::new(),
            cut_bytes,
            cut_chars,
            text: "    1\t[".into(),
        };
        assert_eq!(
            file(1, 90_000, 0).label(),
            "[file: a.json · only the beginning of line 1 · 90,000 bytes of it not sent]"
        );
        assert_eq!(file(3, 1, 0).label(), "[file: a.json · lines 1-3 · 1 byte of long lines not sent]");
        assert_eq!(
            file(900, 0, 12).label(),
            "[file: a.json · lines 1-900 · 12 characters in the middle not sent]"
        );
        let part = AttachedFile { of_lines: 40_000, ..file(2000, 0, 50) };
        assert_eq!(
            part.label(),
            "[file: a.json · lines 1-2000 of 40,000 · 50 characters in the middle not sent]"
        );
        assert_eq!(AttachedFile { of_lines: 7, ..file(1, 0, 0) }.label(), "[file: a.json · line 1 of 7]");
        let folder = AttachedFile { path: "src/".into(), ..file(900, 0, 12) };
        assert_eq!(folder.label(), "[folder: src/ · 899 entries · 12 characters in the middle not sent]");
        let many = AttachedFile { path: "src/".into(), of_lines: 1_200, ..file(501, 0, 0) };
        assert_eq!(many.label(), "[folder: src/ · 500 entries of 1,200]");
    }

    #[test]
    fn the_files_stand_behind_the_words() {
        let file = AttachedFile {
            path: "a.rs".into(),
            first: 1,
            last: 1,
            of_lines: 0,
            sha256: String::new(),
            confirmed: String::new(),
            cut_bytes: 0,
            cut_chars: 0,
            text: "    1\tfn main() {}\n(1 line)".into(),
        };
        assert_eq!(with_files("look", &[]), "look");
        let sent = "look\n\nThe user attached `a.rs`. The `read` tool returns for it:\n    1\tfn main() {}\n(1 line)";
        assert_eq!(with_files("look", &[file]), sent);
    }
}
