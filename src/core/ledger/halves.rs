//! Halves of characters in the JSON of others. JavaScript cuts texts between the two UTF-16 units of a character, and its
//! JSON then escapes half of a pair, which is no text: each half is marked, and joined when its other half has come.
//!
//! A mark is a character of the last private plane (U+10F800 to U+10FFFF), one for each half. Only texts in which a half
//! was marked are joined again, so that a text that holds such a character itself is not touched.

use std::borrow::Cow;

use serde_json::Value;

/// The mark of the first half.
const MARKS: u32 = 0x10_F800;
const HALVES: std::ops::RangeInclusive<u32> = 0xD800..=0xDFFF;
/// Bytes of `\uD83D`.
const ESCAPE: usize = 6;

/// JSON text in which each escaped half without its other half has become its mark; the same text when there is none.
pub(crate) fn mark(json: &str) -> Cow<'_, str> {
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return Cow::Borrowed(json);
    }
    let mut marked = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = json.get(at..).and_then(|rest| rest.find('\\')) {
        let here = at + found;
        let Some(unit) = escape(json, here).filter(|unit| HALVES.contains(unit)) else {
            // An escape of two bytes, or the beginning of one that is no half.
            at = here
                + 1
                + json.get(here + 1..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            continue;
        };
        let is_pair = is_first(unit) && escape(json, here + ESCAPE).is_some_and(is_second);
        at = here + if is_pair { 2 * ESCAPE } else { ESCAPE };
        if let (false, Some(half)) = (is_pair, char::from_u32(MARKS + unit - HALVES.start())) {
            marked.push_str(json.get(copied..here).unwrap_or_default());
            marked.push(half);
            copied = at;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    marked.push_str(json.get(copied..).unwrap_or_default());
    Cow::Owned(marked)
}

/// A text with its marked halves joined; U+FFFD for each without its other half.
pub(crate) fn join(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| half(c).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut joined = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let Some(unit) = half(c) else {
            joined.push(c);
            continue;
        };
        let second = chars.peek().copied().and_then(half);
        // `None` unless the one is a first half and the other a second one.
        let pair = second.and_then(|second| char::decode_utf16([unit as u16, second as u16]).next()?.ok());
        if pair.is_some() {
            chars.next();
        }
        joined.push(pair.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    Cow::Owned(joined)
}

/// The same for every text in a value.
pub(crate) fn join_in(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(joined) = join(text) {
                *text = joined;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(join_in),
        Value::Object(members) => members.values_mut().for_each(join_in),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text without the marked first half at its end, whose other half may still come, and that half.
pub(crate) fn split_open(text: &mut String) -> Option<char> {
    let last = text.chars().next_back().filter(|c| half(*c).is_some_and(is_first))?;
    text.pop();
    Some(last)
}

/// Reads JSON, halves included: what has no other half becomes U+FFFD.
///
/// # Errors
/// It is no JSON.
pub(crate) fn read(json: &str) -> Result<Value, serde_json::Error> {
    match mark(json) {
        Cow::Borrowed(json) => serde_json::from_str(json),
        Cow::Owned(marked) => {
            let mut value = serde_json::from_str(&marked)?;
            join_in(&mut value);
            Ok(value)
        }
    }
}

fn escape(json: &str, at: usize) -> Option<u32> {
    let digits = json.get(at..at + ESCAPE)?.strip_prefix("\\u")?;
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

fn is_first(unit: u32) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_second(unit: u32) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

/// The half that a mark stands for.
fn half(c: char) -> Option<u32> {
    (u32::from(c) >= MARKS).then(|| u32::from(c) - MARKS + HALVES.start())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(json: &str) -> String {
        read(json).unwrap().as_str().unwrap().to_owned()
    }

    #[test]
    fn pairs_stay_and_halves_are_no_error() {
        for whole in
            [r#""plain""#, r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\\\\ud83d \n""#, r#""é😀\u00e9""#]
        {
            assert!(matches!(mark(whole), Cow::Borrowed(_)), "{whole}");
            assert_eq!(read(whole).unwrap(), serde_json::from_str::<Value>(whole).unwrap());
        }
        assert_eq!(read_text(r#""x\ud83d""#), "x\u{fffd}");
        assert_eq!(read_text(r#""\uDE00y""#), "\u{fffd}y");
        assert_eq!(read_text(r#""\ud83d\ud83d\ude00\ude00""#), "\u{fffd}😀\u{fffd}");
        assert_eq!(read_text(r#""\ude00\ude00""#), "\u{fffd}\u{fffd}");
        assert_eq!(read_text(r#""\\\ud83dé""#), "\\\u{fffd}é");
        assert_eq!(read(r#"{"a":["\ud83d",{"b":"\ude00"}]}"#).unwrap()["a"][1]["b"], "\u{fffd}");
        assert!(read(r#""\ud83"#).is_err() && read("\"\\").is_err() && read(r#"\ud83d"#).is_err());
    }

    #[test]
    fn halves_from_two_texts_are_joined() {
        let texts: [String; 2] =
            [r#""x\ud83d""#, r#""\ude00y""#].map(|json| serde_json::from_str(&mark(json)).unwrap());
        assert_eq!(join(&texts.concat()), "x😀y");
        let mut first = texts[0].clone();
        let open = split_open(&mut first).unwrap();
        assert_eq!((first.as_str(), join(&format!("{open}{}", texts[1])).as_ref()), ("x", "😀y"));
        assert_eq!(split_open(&mut texts[1].clone()), None);
        assert!(matches!(join("no marks here 😀"), Cow::Borrowed(_)));
    }
}
