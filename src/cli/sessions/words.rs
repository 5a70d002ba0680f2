//! The words of a search: which bytes of a session file can contain them, before anything of it is understood.

use aho_corasick::Span;
use aho_corasick::packed::{self, Searcher};
use memchr::memmem::Finder;
use memchr::{memchr, memchr2, memmem, memrchr};
use regex::bytes::{Regex, RegexBuilder};

/// A letter whose small form has two characters.
const DOTTED_I: &[u8] = "\u{130}".as_bytes();
/// The sign for kelvin, whose small form is `k`.
const KELVIN: &[u8] = "\u{212a}".as_bytes();

/// SearchWords that are looked for.
#[derive(Debug)]
pub(super) struct SearchWords {
    small: Vec<String>,
    /// Each as it is looked for in a text of ASCII, if it is of ASCII itself.
    plain: Vec<Option<WordPart>>,
    pieces: Vec<WordPart>,
    /// Finds escapes; made once for all files.
    escape: Finder<'static>,
}

/// The lines of a file that can contain all words.
#[derive(Debug)]
pub(super) struct MatchingLines<'a> {
    first: &'a WordPart,
    others: &'a [WordPart],
    bytes: &'a [u8],
    from: usize,
}

impl<'a> Iterator for MatchingLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let bytes = self.bytes;
        loop {
            let at = self.from + self.first.find(bytes.get(self.from..)?)?;
            let begin = bytes.get(..at).and_then(|before| memrchr(b'\n', before)).map_or(0, |end| end + 1);
            let end =
                bytes.get(at..).and_then(|rest| memchr(b'\n', rest)).map_or(bytes.len(), |end| at + end + 1);
            self.from = end;
            let line = bytes.get(begin..end)?;
            if self.others.iter().all(|piece| piece.find(line).is_some()) {
                return Some(line);
            }
        }
    }
}

impl SearchWords {
    /// SearchWords as they were typed; `None`: there are none.
    pub(super) fn new(typed: &[String]) -> Option<Self> {
        let small: Vec<String> =
            typed.iter().map(|word| word.trim().to_lowercase()).filter(|word| !word.is_empty()).collect();
        // A file has words of several parts in more than one form: with escapes, and between quotes.
        let parts = small.iter().flat_map(|word| word.split(is_split)).filter(|part| !part.is_empty());
        let mut parts: Vec<&str> = parts.collect();
        parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
        parts.dedup();
        let pieces = parts.into_iter().map(WordPart::new).collect::<Option<_>>()?;
        let plain = small.iter().map(|word| WordPart::new(word).filter(|_| word.is_ascii())).collect();
        (!small.is_empty()).then(|| Self { small, plain, pieces, escape: Finder::new(b"\\u") })
    }

    /// Where the first of them begins in a text in small letters that has all of them.
    fn first_in(&self, small: &str) -> Option<usize> {
        self.small.iter().map(|word| small.find(word)).collect::<Option<Vec<_>>>()?.into_iter().min()
    }

    /// How many characters stand before the first of them in a text that has all of them.
    pub(super) fn place_in(&self, text: &str) -> Option<usize> {
        if text.is_ascii() {
            // Its small form has the same length, and is not made.
            let places = self.small.iter().zip(&self.plain).map(|(word, plain)| match plain {
                Some(part) => part.find(text.as_bytes()),
                None => text.to_ascii_lowercase().find(word),
            });
            return places.collect::<Option<Vec<_>>>()?.into_iter().min();
        }
        let small = text.to_lowercase();
        let first = self.first_in(&small)?;
        small.get(..first).map(|before| before.chars().count())
    }

    /// The lines that can have all words, found one by one. `None`: nothing can be said without reading the file.
    pub(super) fn lines<'a>(&'a self, bytes: &'a [u8]) -> Option<MatchingLines<'a>> {
        let (first, others) = self.pieces.split_first()?;
        if self.has_odd_escape(bytes) || self.pieces.iter().any(|piece| piece.can_be_disguised(bytes)) {
            return None;
        }
        Some(MatchingLines { first, others, bytes, from: 0 })
    }

    /// Whether a file escapes what we write as it is: another program has written it.
    fn has_odd_escape(&self, bytes: &[u8]) -> bool {
        self.escape.find_iter(bytes).any(|at| {
            let before = bytes.get(..at).unwrap_or_default();
            let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
            let digits = bytes.get(at + 2..at + 6).and_then(|digits| std::str::from_utf8(digits).ok());
            let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
            let is_ours = matches!(code, Some(..0x20 | 0x7f..=0x9f | 0x2028 | 0x2029));
            backslashes % 2 == 0 && !is_ours
        })
    }
}

/// Where a word is split: at what JSON writes differently from how people read it.
fn is_split(character: char) -> bool {
    character.is_whitespace()
        || character.is_control()
        || matches!(character, '"' | '\\' | '/' | ':' | ',' | '{' | '}' | '[' | ']' | '\u{2028}' | '\u{2029}')
}

/// A part of a word that stands in a file as it is, in whatever case.
#[derive(Debug)]
struct WordPart {
    small: Vec<u8>,
    /// What finds it, if it is not of ASCII alone.
    pattern: Option<Regex>,
    /// The position of its rarest byte, and both cases of it.
    rarest: (usize, u8, u8),
    /// What finds its rarest bytes that stand together, and their position, where the processor can do that.
    together: Option<(usize, Searcher)>,
    has_k: bool,
    has_i: bool,
}

impl WordPart {
    fn new(part: &str) -> Option<Self> {
        let pattern = match part.is_ascii() {
            true => None,
            false => Some(RegexBuilder::new(&regex::escape(part)).case_insensitive(true).build().ok()?),
        };
        let rarest = part.bytes().enumerate().min_by_key(|(_, byte)| frequency(*byte))?;
        let (position, byte) = rarest;
        Some(Self {
            small: part.as_bytes().to_vec(),
            pattern,
            rarest: (position, byte, byte.to_ascii_uppercase()),
            together: together(part.as_bytes()).filter(|_| part.is_ascii()),
            has_k: part.contains('k'),
            has_i: part.contains(['i', '\u{307}']),
        })
    }

    fn find(&self, bytes: &[u8]) -> Option<usize> {
        if let Some(pattern) = &self.pattern {
            return pattern.find(bytes).map(|found| found.start());
        }
        if let Some((position, searcher)) = &self.together {
            return self.find_together(bytes, *position, searcher);
        }
        let (position, small, large) = self.rarest;
        let mut from = position;
        loop {
            let at = from + memchr2(small, large, bytes.get(from..)?)?;
            let begin = at - position;
            let there = bytes.get(begin..begin + self.small.len())?;
            if there.eq_ignore_ascii_case(&self.small) {
                return Some(begin);
            }
            from = at + 1;
        }
    }

    /// The same by bytes that stand together: a text can be full of any single one.
    fn find_together(&self, bytes: &[u8], position: usize, searcher: &Searcher) -> Option<usize> {
        let mut from = position;
        while from < bytes.len() {
            let at = searcher.find_in(bytes, Span { start: from, end: bytes.len() })?.start();
            let begin = at - position;
            if bytes.get(begin..begin + self.small.len())?.eq_ignore_ascii_case(&self.small) {
                return Some(begin);
            }
            from = at + 1;
        }
        None
    }

    /// Whether a file can have the piece in letters that become others when they are made small.
    fn can_be_disguised(&self, bytes: &[u8]) -> bool {
        (self.has_k && memmem::find(bytes, KELVIN).is_some())
            || (self.has_i && memmem::find(bytes, DOTTED_I).is_some())
    }
}

/// How many bytes are looked for together: in up to eight forms, as each letter has two.
const TOGETHER: usize = 3;

/// What finds the rarest bytes of a part that stand together, in either case, and their position in the part.
fn together(part: &[u8]) -> Option<(usize, Searcher)> {
    let often = |bytes: &[u8]| bytes.iter().map(|byte| frequency(*byte)).sum::<usize>();
    let windows = part.windows(TOGETHER).enumerate();
    let (position, rarest) = windows.min_by_key(|(_, bytes)| often(bytes))?;
    let mut forms = vec![Vec::new()];
    for byte in rarest {
        let mut cases = vec![*byte, byte.to_ascii_uppercase()];
        cases.dedup();
        let longer = forms.iter().flat_map(|form: &Vec<u8>| {
            cases.iter().map(|case| form.iter().copied().chain([*case]).collect())
        });
        forms = longer.collect();
    }
    let searcher = packed::Config::new().builder().extend(&forms).build()?;
    Some((position, searcher))
}

/// How often a byte stands in session files, roughly: most of their text is English, code, and hashes.
fn frequency(byte: u8) -> usize {
    const OFTEN: &[u8] = b"zqxj?!@#$%^&*+;<>=|~`(){}kvwygpmhul'.-_b9876543210nirotsacdfe,: \"";
    OFTEN.iter().position(|often| *often == byte).map_or(0, |place| place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(typed: &[&str]) -> SearchWords {
        SearchWords::new(&typed.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()).unwrap()
    }

    fn found(typed: &[&str], text: &str) -> Vec<String> {
        match words(typed).lines(text.as_bytes()) {
            Some(lines) => lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect(),
            None => vec!["any".to_owned()],
        }
    }

    #[test]
    fn lines_with_all_words_are_found_in_whatever_case() {
        let text = "{\"a\":\"Whole answer\"}\n{\"b\":\"whole\"}\n{\"c\":\"an ANSWER as a WHOLE\"}";
        assert_eq!(
            found(&["whole", "ANSWER"], text),
            ["{\"a\":\"Whole answer\"}\n", "{\"c\":\"an ANSWER as a WHOLE\"}"]
        );
        assert_eq!(found(&["Whole Answer"], text).len(), 2, "the words of a phrase, which is checked later");
        assert!(found(&["none"], text).is_empty());
        assert_eq!(found(&["ÄRGER"], "ärger\nÄrger\nargel\n"), ["ärger\n", "Ärger\n"]);
        assert_eq!(found(&["привет"], "ПРИВЕТ\n"), ["ПРИВЕТ\n"]);
    }

    #[test]
    fn what_json_escapes_hides_nothing() {
        assert_eq!(found(&["say \"hi\""], r#"{"a":"say \"hi\""}"#).len(), 1);
        assert_eq!(found(&["src/main.rs"], r#"{"a":"src\/main.rs"}"#).len(), 1);
        assert_eq!(
            found(&["shell {\"command\":\"ls\""], r#"{"name":"shell","arguments":{"command":"ls"}}"#).len(),
            1
        );
        assert_eq!(found(&["\u{7f}x\u{85}"], "{\"a\":\"\\u007fx\\u0085\"}").len(), 1);
        assert_eq!(found(&["word"], r#"{"a":"\u0077ord"}"#), ["any"], "others may escape any letter");
        assert!(found(&["word"], r#"{"a":"\\u0077ord \u001b"}"#).is_empty(), "that is a backslash");
        assert_eq!(found(&["\"\""], "x"), ["any"]);
    }

    #[test]
    fn letters_that_change_when_they_are_made_small_hide_nothing() {
        for (typed, text) in [("kelvin", "300 \u{212a}elvin"), ("istanbul", "\u{130}stanbul")] {
            assert!(text.to_lowercase().contains(&typed.to_lowercase()) || typed == "istanbul");
            assert_eq!(found(&[typed], text), ["any"]);
        }
        assert_eq!(found(&["i\u{307}st"], "\u{130}st"), ["any"]);
        assert!(!found(&["στο"], "ΣΤΟ\n").is_empty());
        assert!(!found(&["λογος"], "ΛΟΓΟΣ\n").is_empty(), "the last letter of a word has a form of its own");
    }

    #[test]
    fn every_text_whose_small_form_has_the_word_is_a_line_that_can() {
        let alphabet: Vec<char> = "aAbkKiIsS\u{212a}\u{130}ßẞéÉσΣς\u{17f} ".chars().collect();
        let mut seed = 7_usize;
        let mut any = |most: usize| {
            (0..most)
                .map(|_| {
                    seed =
                        seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    alphabet[(seed >> 33) % alphabet.len()]
                })
                .collect::<String>()
        };
        let mut hits = 0;
        for _ in 0..20_000 {
            let (word, text) = (any(2), any(12));
            let Some(words) = SearchWords::new(std::slice::from_ref(&word)) else { continue };
            if words.first_in(&text.to_lowercase()).is_some() {
                hits += 1;
                let lines = words.lines(text.as_bytes());
                assert!(lines.is_none_or(|mut lines| lines.next().is_some()), "{word:?} in {text:?}");
            }
        }
        assert!(hits > 500, "{hits}");
    }
}
