//! How a text that is left out is found where it stands again: as it is, as JSON escapes it, and with something in front of its lines.

use std::borrow::Cow;
use std::collections::BTreeSet;

use aho_corasick::AhoCorasick;
use serde_json::Value;

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

/// A text that a person names. Upper and lower case are the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedText {
    typed: String,
    /// In small letters.
    folded: String,
}

impl NamedText {
    pub(super) fn new(typed: &str) -> Self {
        Self { typed: typed.to_owned(), folded: typed.to_lowercase() }
    }

    /// As it was typed.
    pub(super) fn as_str(&self) -> &str {
        &self.typed
    }

    /// Whether it stands in a text.
    pub(super) fn is_in(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        let wanted = forms(&self.folded);
        forms(&text).iter().any(|text| {
            wanted
                .iter()
                .any(|wanted| text.contains(wanted.as_ref()) || has_lines(text, wanted.trim_matches('\n')))
        })
    }

    /// Its lines that are long enough to mean something alone, if it has several.
    pub(super) fn lines(&self) -> Vec<Self> {
        let lines: Vec<&str> = self.folded.lines().map(str::trim).collect();
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
        forms.push(Cow::Owned(unescaped(text)));
    }
    forms
}

/// Each run of backslashes is one escape, so that a text which was escaped twice reads as one that was escaped once.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once('\\') {
        plain.push_str(before);
        let escape = escape.trim_start_matches('\\');
        let (sign, length) = match escape.as_bytes() {
            [b'n', ..] => (Some('\n'), 1),
            [b'r', ..] => (Some('\r'), 1),
            [b't', ..] => (Some('\t'), 1),
            [b'u', ..] => {
                let code = escape.get(1..5).and_then(|digits| u32::from_str_radix(digits, 16).ok());
                (code.and_then(char::from_u32), 5)
            }
            _ => (None, 0),
        };
        plain.extend(sign);
        rest = if sign.is_some() { escape.get(length..).unwrap_or_default() } else { escape };
    }
    plain.push_str(rest);
    plain
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
