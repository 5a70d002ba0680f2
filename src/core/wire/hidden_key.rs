//! A text where it stands again: as it is, as JSON escapes it, and of several lines with something in front of each.

use std::ops::Range;

use serde_json::Value;

use super::key_body::KeyBody;
use super::strike;
use super::unescaped::escaped_places;

/// What stands in the place of a key.
const HIDDEN: &str = "(key hidden)";
/// Lines that are shorter altogether stand anywhere.
const SHORTEST: usize = 8;
/// A line of a key that is at least as long is a part of the key wherever it stands.
const LONGEST_WORDS: usize = 32;
/// How often JSON may have escaped a text.
const MOST_ESCAPED: usize = 3;
/// What begins the first lines of an armoured key, which are the same for many.
const HEADS: &[&str] = &["-----", "b3BlbnNzaC1rZXktdjE"];

/// The text without this key, in large letters and small, and however it is wrapped. Of a key of several lines, a long line is left out
/// alone, too.
pub fn without_key(text: &str, key: &str) -> String {
    let escaped = Value::from(key).to_string();
    let struck = strike(&strike(text, key, HIDDEN), escaped.trim_matches('"'), HIDDEN);
    // To make ASCII letters small moves no byte.
    let places = places(&struck.to_ascii_lowercase(), &key.to_ascii_lowercase());
    if places.is_empty() {
        return struck;
    }
    let (mut left, mut after) = (String::with_capacity(struck.len()), 0);
    for place in places {
        // What follows a backslash would be another escape.
        let before = struck.get(after..place.start).unwrap_or_default();
        left.push_str(before.trim_end_matches('\\'));
        left.push_str(HIDDEN);
        after = place.end;
    }
    left.push_str(struck.get(after..).unwrap_or_default());
    left
}

/// Whether a text has this key, or a long line of it.
pub fn has_key(text: &str, key: &str) -> bool {
    text.contains(key) || !places(text, key).is_empty()
}

/// Where lines of a key stand in a text, parts of its body, and all of it in whichever way JSON escapes it.
fn places(text: &str, key: &str) -> Vec<Range<usize>> {
    let lines = SeveralLines::of(key).map(|lines| lines.places(text));
    let parts = KeyBody::of(key).map(|body| body.places(text));
    // Nobody escapes these.
    let is_plain = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    let escaped = (!is_plain).then(|| escaped_places(text, key));
    apart(lines.into_iter().chain(parts).chain(escaped).flatten().collect())
}

/// A text of several lines, to be found also in a diff, a listing and a quotation, which have something in front of each line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeveralLines {
    /// As they are, and as JSON writes them.
    forms: Vec<Vec<String>>,
}

impl SeveralLines {
    /// `None`: it has one line, or so little in them that they stand anywhere.
    pub fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        let lines: Vec<String> =
            lines(text).into_iter().map(|line| text.get(line).unwrap_or_default().to_owned()).collect();
        let length: usize = lines.iter().map(String::len).sum();
        if lines.iter().filter(|line| !line.is_empty()).count() < 2 || length < SHORTEST {
            return None;
        }
        let mut forms = vec![lines];
        for _ in 0..MOST_ESCAPED {
            let escape = |line: &String| {
                let escaped = Value::from(line.as_str()).to_string();
                escaped.get(1..escaped.len().saturating_sub(1)).unwrap_or_default().to_owned()
            };
            let escaped: Vec<String> = forms.last().into_iter().flatten().map(escape).collect();
            if forms.contains(&escaped) {
                break;
            }
            forms.push(escaped);
        }
        Some(Self { forms })
    }

    /// Whether all of its lines stand in a text, one after the other. The last of them may go on.
    pub fn is_in(&self, text: &str) -> bool {
        let mut known = self.forms.iter().filter(|form| text.contains(longest(form))).peekable();
        if known.peek().is_none() {
            return false;
        }
        let there = lines(text);
        known.any(|form| found(text, &there, form).next().is_some())
    }

    /// Whether all of its lines stand in a text, or a long one alone.
    pub fn is_partly_in(&self, text: &str) -> bool {
        !self.places(text).is_empty()
    }

    /// The longest line, and each that is a part of a key wherever it stands.
    pub fn telling(&self) -> Vec<&str> {
        let form = self.forms.first().map(Vec::as_slice).unwrap_or_default();
        long(form).map(String::as_str).chain([longest(form)]).collect()
    }

    /// The longest line.
    pub fn longest(&self) -> &str {
        self.forms.first().map_or("", |form| longest(form))
    }

    /// Where its lines stand, in their order and apart: all of them, or a long one alone.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut places = Vec::new();
        let mut there = None;
        for form in &self.forms {
            for line in long(form) {
                places.extend(text.match_indices(line).map(|(at, line)| at..at + line.len()));
            }
            if text.contains(longest(form)) {
                let there = there.get_or_insert_with(|| lines(text));
                places.extend(found(text, there, form).flatten());
            }
        }
        apart(places)
    }
}

/// The places in their order, those that overlap as one.
fn apart(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.sort_by_key(|place| (place.start, std::cmp::Reverse(place.end)));
    let mut apart: Vec<Range<usize>> = Vec::new();
    for place in places {
        match apart.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => apart.push(place),
        }
    }
    apart
}

fn long(lines: &[String]) -> impl Iterator<Item = &String> {
    let is_head = |line: &str| {
        let begins =
            |head: &&str| line.get(..head.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(head));
        HEADS.iter().any(begins)
    };
    lines.iter().filter(move |line| line.len() >= LONGEST_WORDS && !is_head(line))
}

fn longest(lines: &[String]) -> &str {
    lines.iter().max_by_key(|line| line.len()).map_or("", String::as_str)
}

/// Wherever lines end with these, one after the other: the places of these. An empty line says nothing.
fn found<'t>(
    text: &'t str,
    there: &'t [Range<usize>],
    wanted: &'t [String],
) -> impl Iterator<Item = Vec<Range<usize>>> + 't {
    there.windows(wanted.len()).filter_map(move |window| {
        let mut places = Vec::new();
        for (number, (line, wanted)) in window.iter().zip(wanted).enumerate() {
            let words = text.get(line.clone())?;
            let start = if number + 1 == window.len() {
                line.start + words.find(wanted.as_str())?
            } else {
                line.end - words.ends_with(wanted.as_str()).then_some(wanted.len())?
            };
            if !wanted.is_empty() {
                places.push(start..start + wanted.len());
            }
        }
        Some(places)
    })
}

/// The lines of a text without what ends them: a line feed, or that of a JSON string, however often it was escaped.
fn lines(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        let escape = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'\\').count();
        let end = at;
        at += escape.max(1);
        let is_escaped = escape > 0 && bytes.get(at) == Some(&b'n');
        at += usize::from(is_escaped);
        if *byte == b'\n' || is_escaped {
            found.push(start..start + trimmed(text.get(start..end).unwrap_or_default()));
            start = at;
        }
    }
    found.push(start..start + trimmed(text.get(start..).unwrap_or_default()));
    found
}

/// The length of a line without the blanks at its end, and without a carriage return in either way to write it.
fn trimmed(line: &str) -> usize {
    let line = line.trim_end();
    let plain = line.strip_suffix('r').filter(|rest| rest.ends_with('\\'));
    plain.map_or(line, |rest| rest.trim_end_matches('\\').trim_end()).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIBVQIBADANBgkqhkiG9w0BAQEFAASC\nAT8wggE7AgEAAkEAq7BFUpkGp3LQmlQY\nLong=\n-----END PRIVATE KEY-----\n";

    fn has_some(text: &str) -> bool {
        ["MIIB", "AT8w", "Long="].iter().any(|part| text.contains(part))
    }

    #[test]
    fn a_key_of_several_lines_is_found_with_something_before_each_line() {
        let with = |before: &dyn Fn(usize) -> String| -> String {
            KEY.lines().enumerate().map(|(number, line)| format!("{}{line}\n", before(number))).collect()
        };
        let numbered = with(&|number| format!("{:>4}\t", number + 1));
        for text in [
            KEY.to_owned(),
            numbered.clone(),
            with(&|_| "+".to_owned()),
            with(&|_| "> > ".to_owned()),
            KEY.replace('\n', "\r\n"),
            KEY.replace('\n', "\\n"),
        ] {
            let mut text = format!("before\n{text}after");
            for _ in 0..4 {
                assert!(SeveralLines::of(KEY).unwrap().is_in(&text), "{text}");
                let struck = without_key(&text, KEY);
                assert!(!has_some(&struck) && struck.contains("before"), "{struck}");
                assert!(struck.contains("after"), "{struck}");
                if text.starts_with('"') {
                    serde_json::from_str::<Value>(&struck).unwrap();
                }
                text = Value::from(text).to_string();
            }
        }
        // A part of it.
        let part = without_key(numbered.lines().nth(1).unwrap(), KEY);
        assert_eq!(part, "   2\t(key hidden)");
    }

    #[test]
    fn what_is_no_such_text_stays() {
        for text in ["-----BEGIN PRIVATE KEY-----\nanother\n-----END PRIVATE KEY-----", "Long=\n", ""] {
            assert_eq!(without_key(text, KEY), text);
            assert!(!SeveralLines::of(KEY).unwrap().is_in(text));
        }
        assert_eq!(SeveralLines::of("one line"), None);
        assert_eq!(SeveralLines::of("a\nb"), None);
    }

    #[test]
    fn the_first_line_of_every_key_is_no_part_of_this_one() {
        let head = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW";
        let of = |rest: &str| {
            format!(
                "-----BEGIN OPENSSH PRIVATE KEY-----\n{head}\n{rest}{rest}\n-----END OPENSSH PRIVATE KEY-----"
            )
        };
        let (key, another) =
            (of("QyNTUxOQAAACBqCVXwUyZFyMzB4kWS0nJu"), of("QyNTUxOQAAACDUe1ZbE9Hh2GqmLxPzTtcv"));
        assert!(!has_key(&another, &key) && has_key(&key, &key));
        assert_eq!(without_key(&another, &key), another);
    }

    #[test]
    fn a_key_that_is_wrapped_otherwise_is_left_out() {
        let body: String =
            (0..400_u64).map(|n| format!("{:04X}", n.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48)).collect();
        let file = |columns: usize| {
            let lines = body
                .as_bytes()
                .chunks(columns)
                .map(|line| std::str::from_utf8(line).unwrap().to_owned() + "\n");
            format!("-----BEGIN PRIVATE KEY-----\n{}-----END PRIVATE KEY-----\n", lines.collect::<String>())
        };
        for key in [body.clone(), file(64), file(4_000)] {
            for text in [file(64), file(20), file(76), body.clone()] {
                let text = Value::from(format!("before {text} after")).to_string();
                assert!(has_key(&text, &key));
                let struck = without_key(&text.to_ascii_lowercase(), &key);
                assert!(
                    struck.len() < 150 && struck.contains("before") && struck.contains("after"),
                    "{struck}"
                );
                serde_json::from_str::<Value>(&struck).unwrap();
            }
        }
    }

    #[test]
    fn a_key_is_found_in_whichever_way_json_escapes_it() {
        let key = "pä\"ss😀/w&rd";
        for escaped in [
            r#"p\u00e4\"ss\ud83d\ude00/w\u0026rd"#,
            r#"p\\u00E4\\\"ss\\uD83D\\uDE00\/w\\u0026rd"#,
            r#"pä\\\"ss😀\/w&rd"#,
        ] {
            let text = format!(r#"{{"a":"x\n{escaped}\n"}}"#);
            assert!(has_key(&text, key), "{text}");
            assert_eq!(without_key(&text, key), r#"{"a":"x\n(key hidden)\n"}"#, "{text}");
        }
    }

    #[test]
    fn lines_with_quotes_are_found_in_json() {
        let key = "{\n  \"id\": \"a-secret\",\n  \"b\": 1\n}";
        let text = Value::from(format!("+{}", key.replace('\n', "\n+"))).to_string();
        let struck = without_key(&text, key);
        assert!(!struck.contains("a-secret"), "{struck}");
        serde_json::from_str::<Value>(&struck).unwrap();
    }
}
