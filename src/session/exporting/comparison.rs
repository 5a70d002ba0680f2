//! How a text that is left out is found where it stands again: as it is, as JSON escapes it, and with something in front of its lines.

use std::borrow::Cow;
use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;
use serde_json::Value;

use crate::wire::unescaped;

/// A text that repeats this much of one that is left out is left out, too. A text of fewer characters must be the same as a whole.
pub(super) const FEWEST_REPEATED: usize = 8;
const MOST_COMPARED: usize = 256;
/// Members of contents that say what something is, and not what it says.
const NAMES: [&str; 8] = ["id", "name", "type", "kind", "media_type", "wire_id", "status", "sha256"];
const ARGUMENTS: &str = "arguments";

/// The texts that are left out, to be found wherever else one of them begins.
pub(super) struct Comparison {
    whole: BTreeSet<String>,
    beginnings: AhoCorasick,
    several_lines: Vec<String>,
    /// The longest line of each text of several lines, in their order.
    longest_lines: AhoCorasick,
}

impl Comparison {
    pub(super) fn of(said: &BTreeSet<String>) -> Result<Self, aho_corasick::BuildError> {
        let whole: BTreeSet<String> = said.iter().flat_map(|text| forms(text)).map(Cow::into_owned).collect();
        let is_long = |text: &&str| text.chars().count() >= FEWEST_REPEATED;
        let beginning = |text: &String| text.chars().take(MOST_COMPARED).collect::<String>();
        let beginnings: Vec<String> =
            whole.iter().filter(|text| is_long(&text.as_str())).map(beginning).collect();
        let longest =
            |text: &str| text.lines().max_by_key(|line| line.len()).map(str::trim_end).map(str::to_owned);
        let (several_lines, longest_lines): (Vec<String>, Vec<String>) = beginnings
            .iter()
            .filter(|text| text.trim_end().contains('\n'))
            .filter_map(|text| Some((text.clone(), longest(text)?)))
            .filter(|(_, line)| is_long(&line.as_str()))
            .unzip();
        Ok(Self {
            beginnings: AhoCorasick::new(&beginnings)?,
            longest_lines: AhoCorasick::new(&longest_lines)?,
            whole,
            several_lines,
        })
    }

    /// Whether a text repeats one of them.
    pub(super) fn is_repeated_by(&self, text: &str) -> bool {
        !self.whole.is_empty()
            && forms(text).iter().any(|text| {
                self.whole.contains(text.as_ref())
                    || self.beginnings.is_match(text.as_ref())
                    || self.has_lines(text)
            })
    }

    fn has_lines(&self, text: &str) -> bool {
        let found = self.longest_lines.find_overlapping_iter(text).map(|found| found.pattern().as_usize());
        let found: BTreeSet<usize> = found.collect();
        found
            .into_iter()
            .filter_map(|which| self.several_lines.get(which))
            .any(|wanted| has_lines(text, wanted))
    }
}

/// A text in small letters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Folded {
    folded: String,
    /// Without escapes, if it has some.
    plain: Option<String>,
}

impl Folded {
    pub(super) fn of(text: &str) -> Self {
        let folded = small(text);
        // Small before, so that a backslash with a letter is the same escape everywhere; and once more what the escapes stand for.
        let plain = folded.contains('\\').then(|| small(&unescaped(&folded)));
        Self { folded, plain }
    }

    fn forms(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.folded.as_str()).chain(self.plain.as_deref())
    }
}

/// A text that a person names. Upper and lower case are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedText {
    typed: String,
    folded: Folded,
}

impl NamedText {
    pub(super) fn new(typed: &str) -> Self {
        let mut folded = Folded::of(typed);
        // Without escapes, a backslash alone is nothing, which would be in each text.
        folded.plain = folded.plain.filter(|plain| !plain.trim().is_empty());
        Self { typed: typed.to_owned(), folded }
    }

    /// As it was typed.
    pub(super) fn as_str(&self) -> &str {
        &self.typed
    }

    /// Whether it stands in a text.
    pub(super) fn is_in(&self, text: &Folded) -> bool {
        let is_in =
            |wanted: &str, text: &str| text.contains(wanted) || has_lines(text, wanted.trim_matches('\n'));
        text.forms().any(|text| self.folded.forms().any(|wanted| is_in(wanted, text)))
    }

    /// Its lines that are long enough to mean something alone, if it has several.
    pub(super) fn lines(&self) -> Vec<Self> {
        let lines: Vec<&str> = self.typed.lines().map(str::trim).collect();
        let is_long = |line: &&&str| line.chars().count() >= FEWEST_REPEATED;
        let several = if lines.len() > 1 { lines.as_slice() } else { &[] };
        several.iter().filter(is_long).map(|line| Self::new(line)).collect()
    }
}

/// Whether lines that follow each other end with those of a text of several lines: a diff, a listing and a quotation have something
/// in front of each. The last of them may go on.
fn has_lines(text: &str, wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.lines().map(str::trim_end).collect();
    let Some((last, before)) = wanted.split_last().filter(|(_, before)| !before.is_empty()) else {
        return false;
    };
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.windows(wanted.len()).any(|window| {
        window.iter().zip(before).all(|(line, wanted)| line.ends_with(wanted))
            && window.last().is_some_and(|line| line.contains(last))
    })
}

/// A text as it is, and without the escapes of JSON, however often it was escaped.
fn forms(text: &str) -> Vec<Cow<'_, str>> {
    let mut forms = vec![Cow::Borrowed(text)];
    if text.contains('\\') {
        forms.push(unescaped(text));
    }
    forms
}

/// In small letters, each by itself: a sigma is the same at the end of a word.
fn small(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars().flat_map(char::to_lowercase).map(|sign| if sign == 'ς' { 'σ' } else { sign }).collect()
}

/// Every text in a content field that says something. Whatever the arguments of a call are named, they say something.
pub(super) fn texts<'a>(name: &str, value: &'a Value) -> Vec<&'a str> {
    match value {
        Value::String(text) if text.len() > 1 => vec![text],
        Value::Array(items) => items.iter().flat_map(|item| texts(name, item)).collect(),
        Value::Object(members) => {
            let says = members.iter().filter(|(member, value)| {
                name == ARGUMENTS || !(value.is_string() && NAMES.contains(&member.as_str()))
            });
            says.flat_map(|(member, value)| texts(if name == ARGUMENTS { ARGUMENTS } else { member }, value))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Every text in a value, numbers and the names of members included.
pub(super) fn all_texts(value: &Value) -> Vec<Cow<'_, str>> {
    match value {
        Value::String(text) => vec![text.as_str().into()],
        Value::Number(number) => vec![number.to_string().into()],
        Value::Array(items) => items.iter().flat_map(all_texts).collect(),
        Value::Object(members) => {
            let both = |(name, value)| {
                let name: &String = name;
                std::iter::once(Cow::Borrowed(name.as_str())).chain(all_texts(value))
            };
            members.iter().flat_map(both).collect()
        }
        Value::Null | Value::Bool(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_in_whichever_way_json_escapes_it() {
        for (named, texts) in [
            (
                "Österreich-Geheimnis",
                &[
                    r"\u00d6sterreich-Geheimnis",
                    r"\u00D6STERREICH-geheimnis",
                    r#"{"a":"{\"b\":\"\\u00d6sterreich-Geheimnis\"}"}"#,
                    r"\u00f6sterreich-\\u0047eheimnis",
                    "ÖSTERREICH-GEHEIMNIS",
                ][..],
            ),
            ("pass😀word-secret", &[r"pass\ud83d\ude00word-secret", r"PASS\\uD83D\\uDE00word-secret"]),
            (r"\u00d6sterreich", &["österreich", r"\\u00d6sterreich"]),
            ("ΟΔΟΣ", &["οδος", "ΟΔΟΣΑ", r"\u03bf\u03b4\u03bf\u03c2"]),
            (r"C:\new", &[r"c:\\New", r"C:\NEW"]),
        ] {
            let wanted = NamedText::new(named);
            for text in texts {
                assert!(wanted.is_in(&Folded::of(text)), "{named}: {text}");
            }
            let other = Folded::of(r"nothing \u00d6 of \\ it");
            assert!(!wanted.is_in(&other), "{named}");
        }
        // Alone it is no escape.
        let backslash = NamedText::new("\\");
        assert!(!backslash.is_in(&Folded::of("nothing")) && backslash.is_in(&Folded::of("a\\b")));
    }
}
