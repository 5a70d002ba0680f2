//! The body of a long key, to be found again however it is wrapped: its lines may be longer or shorter there, or one.

use std::collections::BTreeMap;
use std::ops::Range;

/// Shorter bodies stand in one line everywhere.
const SHORTEST_BODY: usize = 64;
/// As much of a body that stands somewhere is a part of the key.
const SHORTEST_PART: usize = 32;
/// Each part has a whole one of these, wherever it begins.
const PROBE: usize = SHORTEST_PART / 2;
/// How a body may begin in every key of its kind: names of algorithms and lengths.
const HEAD: usize = 96;
/// Behind the head, as much tells one key from all others.
const SHORTEST_TELLING: usize = 16;
/// Any line of a body that is at least as long has one of these.
const SHORTEST_LINE: usize = 8;
/// What stands around the words of a key's first and last line.
const ARMOUR: &str = "-----";

/// The body of a key without what parts its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyBody {
    body: String,
    /// Where each stretch of [`PROBE`] letters begins.
    stretches: BTreeMap<Vec<u8>, usize>,
}

impl KeyBody {
    /// `None`: it is not longer than a line.
    pub fn of(key: &str) -> Option<Self> {
        let bare = without_armour(key);
        let longest = runs(&bare).into_iter().max_by_key(|run| run.letters.len())?;
        if longest.letters.len() < SHORTEST_BODY {
            return None;
        }
        let body = String::from_utf8(longest.letters).ok()?;
        let mut stretches = BTreeMap::new();
        for (at, stretch) in body.as_bytes().windows(PROBE).enumerate() {
            stretches.entry(stretch.to_vec()).or_insert(at);
        }
        Some(Self { body, stretches })
    }

    /// Whether enough of it stands in a text to tell the key.
    pub fn is_in(&self, text: &str) -> bool {
        !self.places(text).is_empty()
    }

    /// Where parts of it stand in a text; none if they do not tell the key.
    pub(super) fn places(&self, text: &str) -> Vec<Range<usize>> {
        let (mut places, mut is_told) = (Vec::new(), false);
        if text.len() < SHORTEST_PART {
            return places;
        }
        for run in runs(text) {
            let mut done = 0;
            let mut at = 0;
            while let Some(stretch) = run.letters.get(at..at + PROBE) {
                at += PROBE;
                let Some(of_body) = self.stretches.get(stretch) else { continue };
                let part = self.around(&run.letters, at - PROBE, *of_body, done);
                if part.here.len() < SHORTEST_PART {
                    continue;
                }
                let telling = part.of_body.end.saturating_sub(part.of_body.start.max(self.head()));
                is_told |= telling >= SHORTEST_TELLING;
                (done, at) = (part.here.end, part.here.end);
                if let Some((first, last)) = run.at.get(part.here.start).zip(run.at.get(part.here.end - 1)) {
                    places.push(*first..*last + 1);
                }
            }
        }
        if !is_told {
            places.clear();
        }
        places
    }

    /// One of these stands in whatever [`Self::is_in`] finds.
    pub fn telling(&self) -> impl Iterator<Item = &str> {
        let ends = self.head() + SHORTEST_LINE..=self.body.len();
        ends.filter_map(|end| self.body.get(end - SHORTEST_LINE..end))
    }

    fn head(&self) -> usize {
        HEAD.min(self.body.len() / 2)
    }

    /// The longest part of the body around a place of these letters, of which so many are done.
    fn around(&self, letters: &[u8], at: usize, of_body: usize, done: usize) -> BodyPart {
        let body = self.body.as_bytes();
        let before = letters.get(done..at).unwrap_or_default().iter().rev();
        let before = before.zip(body.get(..of_body).unwrap_or_default().iter().rev());
        let before = before.take_while(|(one, other)| one == other).count();
        let after = letters.get(at..).unwrap_or_default().iter();
        let after = after.zip(body.get(of_body..).unwrap_or_default());
        let after = after.take_while(|(one, other)| one == other).count();
        BodyPart { here: at - before..at + after, of_body: of_body - before..of_body + after }
    }
}

/// A part of a body, and where it stands.
struct BodyPart {
    here: Range<usize>,
    of_body: Range<usize>,
}

/// Letters of keys that nothing but white space parts, and where each stands.
#[derive(Default)]
struct LetterRun {
    letters: Vec<u8>,
    at: Vec<usize>,
}

/// All that are long enough. White space may be written as JSON does, however often it was escaped.
fn runs(text: &str) -> Vec<LetterRun> {
    let bytes = text.as_bytes();
    let (mut found, mut run, mut at) = (Vec::new(), LetterRun::default(), 0);
    while let Some(byte) = bytes.get(at) {
        let escape = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'\\').count();
        let is_escaped = escape > 0 && matches!(bytes.get(at + escape), Some(b'n' | b'r' | b't'));
        let is_letter = byte.is_ascii_alphanumeric() || b"+/=-_".contains(byte);
        if is_letter {
            run.letters.push(*byte);
            run.at.push(at);
        } else if !is_escaped && !byte.is_ascii_whitespace() {
            found.push(std::mem::take(&mut run));
        }
        at += escape.max(1) + usize::from(is_escaped);
    }
    found.push(run);
    found.retain(|run| run.letters.len() >= SHORTEST_PART);
    found
}

/// The key without its first and last line, also where these are no lines of their own.
fn without_armour(key: &str) -> String {
    let mut left = String::new();
    let mut parts = key.split(ARMOUR);
    while let Some(part) = parts.next() {
        left.push_str(part);
        left.push(' ');
        // What stands between two of them are words for people.
        parts.next();
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As long as a key of 2,048 bits, and without a stretch that stands twice.
    fn body() -> String {
        (0..400_u64)
            .map(|n| format!("{:04x}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48))
            .collect::<Vec<_>>()
            .concat()
    }

    fn part(body: &str, range: Range<usize>) -> &str {
        body.get(range).unwrap()
    }

    fn wrapped(body: &str, columns: usize, before: &str) -> String {
        let lines: Vec<&str> =
            body.as_bytes().chunks(columns).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let lines: Vec<String> = lines.into_iter().map(|line| format!("{before}{line}\n")).collect();
        format!("{before}-----BEGIN PRIVATE KEY-----\n{}{before}-----END PRIVATE KEY-----\n", lines.concat())
    }

    #[test]
    fn a_key_is_found_however_it_is_wrapped() {
        let body = body();
        let keys = [
            body.clone(),
            wrapped(&body, 64, ""),
            wrapped(&body, 64, "").replace('\n', "\\n"),
            wrapped(&body, 64, "").replace('\n', " "),
        ];
        for key in &keys {
            let known = KeyBody::of(key).unwrap();
            for columns in [16, 48, 64, 76, 4_000] {
                let text = format!("before it\n{}after it", wrapped(&body, columns, ""));
                let escaped = serde_json::Value::from(text.as_str()).to_string();
                for text in [text, escaped] {
                    let places = known.places(&text);
                    assert_eq!(places.len(), 1, "{columns}");
                    assert!(
                        text.get(places[0].clone()).unwrap().starts_with(part(&body, 0..16)),
                        "{columns}"
                    );
                    assert!(
                        text.get(places[0].clone()).unwrap().ends_with(part(&body, 1_597..1_600)),
                        "{columns}"
                    );
                }
                if columns > 32 {
                    assert!(known.is_in(&wrapped(&body, columns, "   7\t")), "{columns}");
                }
            }
            assert!(known.is_in(part(&body, 800..840)), "a part of it");
            assert!(known.telling().any(|few| part(&body, 800..840).contains(few)));
        }
    }

    #[test]
    fn what_all_keys_have_and_other_keys_are_not_it() {
        let body = body();
        let known = KeyBody::of(&body).unwrap();
        let other =
            format!("{}{}", part(&body, 0..80), part(&body, 800..1_600).chars().rev().collect::<String>());
        assert!(!known.is_in(&other) && !known.is_in(&wrapped(&other, 64, "")));
        assert!(!known.is_in(part(&body, 800..831)));
        assert_eq!(KeyBody::of(part(&body, 0..63)), None);
        assert_eq!(
            KeyBody::of("a sentence. of words. that ends. often enough. not to be. a key. at all. ever."),
            None
        );
    }
}
