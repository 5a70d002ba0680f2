//! What is looked for: a file or folder, or texts; and which session files cannot have it.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use aho_corasick::AhoCorasick;

use crate::wire::{KeyBody, SeveralLines, unescaped};

/// Longer texts are no paths.
const MOST_OF_PATH: usize = 4_096;

/// What is looked for.
#[derive(Debug, Clone)]
pub(crate) enum Sought {
    /// A file, or all that is in a folder.
    File(SoughtFile),
    /// Any of these texts.
    Texts(Vec<SoughtText>),
}

/// A text.
#[derive(Debug, Clone)]
pub(crate) struct SoughtText {
    /// The variable that it is the value of: told in the place of the text.
    pub(crate) variable: Option<String>,
    /// The text itself.
    pub(crate) text: String,
    /// The same without escapes, if something is left of it.
    plain: Option<String>,
    /// The same, if it has several lines.
    lines: Option<SeveralLines>,
    /// The body of a key, if it is longer than a line.
    body: Option<Arc<KeyBody>>,
}

impl SoughtText {
    pub(crate) fn new(variable: Option<String>, text: &str) -> Self {
        let body = variable.as_ref().and_then(|_| KeyBody::of(text)).map(Arc::new);
        let plain = Some(unescaped(text).into_owned()).filter(|plain| !plain.trim().is_empty());
        Self { variable, text: text.to_owned(), plain, lines: SeveralLines::of(text), body }
    }

    /// Whether it stands in a part of an entry. A diff, a listing and a quotation have something in front of each line, and JSON
    /// in it may escape each character. A long line of a key is as secret as the key, and so is its body with other lines.
    pub(super) fn is_in(&self, part: &str) -> bool {
        let is_key = self.variable.is_some();
        let has = |lines: &SeveralLines, part: &str| {
            if is_key { lines.is_partly_in(part) } else { lines.is_in(part) }
        };
        let has_lines = |part: &str| self.lines.as_ref().is_some_and(|lines| has(lines, part));
        let has_body = || self.body.as_ref().is_some_and(|body| body.is_in(part));
        let is_escaped = || {
            let part = unescaped(part);
            self.plain.as_ref().is_some_and(|plain| part.contains(plain)) || has_lines(&part)
        };
        part.contains(&self.text) || has_lines(part) || has_body() || part.contains('\\') && is_escaped()
    }

    /// One of these surely stands in a file that has it.
    fn plain_parts(&self) -> Vec<Option<&str>> {
        // JSON writes each letter of a body in one way.
        let of_body = self.body.iter().flat_map(|body| body.telling().map(Some));
        let of_text = match &self.lines {
            None => vec![plain_part(self.plain.as_ref().unwrap_or(&self.text))],
            Some(lines) if self.variable.is_some() => lines.telling().into_iter().map(plain_part).collect(),
            Some(lines) => vec![plain_part(lines.longest())],
        };
        of_text.into_iter().chain(of_body).collect()
    }
}

/// A file or folder, which need not exist any more.
#[derive(Debug, Clone)]
pub(crate) struct SoughtFile {
    /// As it is written, and where it leads.
    paths: Vec<PathBuf>,
    home: Option<PathBuf>,
    is_folder: bool,
}

impl SoughtFile {
    /// The file of this absolute path; `home` is what `~` stands for.
    pub(crate) fn new(path: &Path, home: Option<PathBuf>) -> Self {
        let written = lexical(path);
        let led = path.canonicalize().ok().filter(|led| *led != written);
        let is_folder = path.is_dir();
        Self { paths: [Some(written), led].into_iter().flatten().collect(), home, is_folder }
    }

    /// Whether a path, as it is written in this folder, is the file or lies in the folder that is looked for.
    pub(crate) fn is(&self, folder: &Path, written: &str) -> bool {
        self.found(folder, written).is_some()
    }

    /// The same for a text that need not be a path: any word would lie in the folder, so there it must be there, too.
    pub(crate) fn is_likely(&self, folder: &Path, written: &str) -> bool {
        self.found(folder, written).is_some_and(|path| !self.is_folder || path.symlink_metadata().is_ok())
    }

    fn found(&self, folder: &Path, written: &str) -> Option<PathBuf> {
        let written = written.trim();
        if written.is_empty() || written.len() > MOST_OF_PATH {
            return None;
        }
        let below_home = written.strip_prefix("~/").zip(self.home.as_ref());
        let path = below_home.map_or_else(|| folder.join(written), |(below, home)| home.join(below));
        let path = lexical(&path);
        self.paths.iter().any(|sought| path.starts_with(sought)).then_some(path)
    }

    /// Whether a text names it by its absolute path.
    pub(crate) fn is_named_in(&self, text: &str) -> bool {
        let ends = |after: Option<char>| {
            after.is_none_or(|c| {
                c == '/' || c.is_whitespace() || c.is_ascii_punctuation() && c != '-' && c != '_'
            })
        };
        self.paths.iter().filter_map(|path| path.to_str()).any(|path| {
            text.match_indices(path)
                .any(|(at, found)| ends(text.get(at + found.len()..).and_then(|rest| rest.chars().next())))
        })
    }
}

/// The path without `.` and `..`, links not looked at.
fn lexical(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                whole.pop();
            }
            other => whole.push(other),
        }
    }
    whole
}

/// Tells quickly that a file has nothing of it.
#[derive(Debug)]
pub(super) struct Prefilter(Option<AhoCorasick>);

impl Prefilter {
    /// For what is looked for. What JSON may write in several ways is left out: a part of each name or text is enough.
    pub(super) fn of(wanted: &Sought) -> Self {
        let parts: Option<Vec<&str>> = match wanted {
            // A session in the folder names what is below it by other paths.
            Sought::File(file) if file.is_folder => None,
            Sought::File(file) => {
                file.paths.iter().map(|path| plain_part(path.file_name()?.to_str()?)).collect()
            }
            Sought::Texts(texts) => texts.iter().flat_map(SoughtText::plain_parts).collect(),
        };
        Self(parts.and_then(|parts| AhoCorasick::new(parts).ok()))
    }

    /// Whether the bytes of a session can have it.
    pub(super) fn passes(&self, bytes: &[u8]) -> bool {
        self.0.as_ref().is_none_or(|parts| parts.is_match(bytes))
    }
}

/// The longest part that JSON writes in one way, whoever writes it.
fn plain_part(text: &str) -> Option<&str> {
    let is_special = |c: char| !(c.is_ascii_alphanumeric() || " .-_:,;@#()[]{}".contains(c));
    text.split(is_special).max_by_key(|part| part.len()).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_each_way_to_write_it() {
        let file = SoughtFile::new(Path::new("/none/app/src/a.rs"), Some("/none".into()));
        let folder = Path::new("/none/app");
        for written in ["src/a.rs", "./src/a.rs", "src/../src/a.rs", "/none/app/src/a.rs", "~/app/src/a.rs"] {
            assert!(file.is(folder, written), "{written}");
        }
        for written in ["a.rs", "src/a.rs.bak", "src", "", "../src/a.rs"] {
            assert!(!file.is(folder, written), "{written}");
        }
        assert!(file.is_named_in("# Instructions of /none/app/src/a.rs\n"));
        assert!(!file.is_named_in("/none/app/src/a.rs2") && !file.is_named_in("/none/app/src/a.rs-old"));
    }

    #[test]
    fn a_filter_passes_whatever_json_makes_of_a_text() {
        let filter = |text: &str| Prefilter::of(&Sought::Texts(vec![SoughtText::new(None, text)]));
        assert!(filter("a \"quoted\" word").passes(br#"{"content":"a \"quoted\" word"}"#));
        assert!(filter("\u{e9}\n").passes(b"nothing of it is plain"));
        assert!(!filter("secret").passes(b"public"));
        assert!(filter(r"\u00d6sterreich").passes("Österreich".as_bytes()));
        assert!(filter("a=bc+de").passes(br"a\u003dbc\u002bde"));
    }

    #[test]
    fn a_text_is_found_however_json_escapes_it() {
        let sought = |text: &str| SoughtText::new(None, text);
        for (text, part) in [
            ("Österreich", r#"{"a":"\u00d6sterreich"}"#),
            ("Österreich", r#"{"a":"{\"b\":\"\\u00d6sterreich\"}"}"#),
            ("pass😀word", r"pass\ud83d\ude00word"),
            ("say \"it\"", r#"say \\\"it\\\""#),
            ("größte\nzeile", r"+gr\u00f6\u00dfte\n+zeile\n"),
            (r"C:\new", r"C:\\\\new"),
        ] {
            assert!(sought(text).is_in(part), "{text}: {part}");
        }
        assert!(!sought("\\").is_in(r"nothing") && !sought("other").is_in(r"\u00d6sterreich"));
    }
}
