//! A text without the escapes of JSON, however often it was escaped, and where its parts stood.

use std::borrow::Cow;
use std::ops::Range;

/// The text without the escapes of JSON. Each run of backslashes is one escape, so that a text which was escaped twice reads as one
/// that was escaped once. The two halves of a character become one.
pub fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    each(text, |sign, words, _| {
        plain.extend(sign);
        plain.push_str(words);
    });
    Cow::Owned(plain)
}

/// Where a text stands in another one with escapes of JSON in it. What is written without any is not found here.
pub(super) fn escaped_places(text: &str, wanted: &str) -> Vec<Range<usize>> {
    let wanted = unescaped(wanted);
    if wanted.trim().is_empty() || !text.contains('\\') {
        return Vec::new();
    }
    let mut plain = String::with_capacity(text.len());
    // Where each part begins in the plain text, and where it stood: an escape as a whole, other words byte by byte.
    let mut parts: Vec<(usize, Range<usize>, bool)> = Vec::new();
    each(text, |sign, words, at| {
        if let Some(sign) = sign {
            parts.push((plain.len(), at.start..at.end - words.len(), true));
            plain.push(sign);
        }
        if !words.is_empty() {
            parts.push((plain.len(), at.end - words.len()..at.end, false));
            plain.push_str(words);
        }
    });
    let part = |at: usize| parts.get(parts.partition_point(|part| part.0 <= at).checked_sub(1)?);
    let place = |start: usize, end: usize| {
        let (begins, from, is_escape) = part(start)?;
        let start = if *is_escape { from.start } else { from.start + (start - begins) };
        let (begins, to, is_escape) = part(end.checked_sub(1)?)?;
        let end = if *is_escape { to.end } else { to.start + (end - begins) };
        Some(start..end)
    };
    let wanted: &str = &wanted;
    // An escape is longer than what it stands for.
    let is_escaped = |place: &Range<usize>| place.len() > wanted.len();
    let places = plain.match_indices(wanted).filter_map(|(at, found)| place(at, at + found.len()));
    places.filter(is_escaped).collect()
}

/// Each escape with the words behind it, and where both stand. What is no escape, though a backslash stands before it, is a word.
fn each(text: &str, mut with: impl FnMut(Option<char>, &str, Range<usize>)) {
    let (mut sign, mut rest, mut start) = (None, text, 0);
    loop {
        let (words, escape) = rest.split_once('\\').map_or((rest, None), |(words, rest)| (words, Some(rest)));
        let at = text.len() - rest.len() + words.len();
        with(sign, words, start..at);
        let Some(escape) = escape.map(|escape| escape.trim_start_matches('\\')) else { return };
        (sign, rest) = character(escape).map_or((None, escape), |(sign, rest)| (Some(sign), rest));
        start = at;
    }
}

/// What an escape without its backslash stands for, and what follows it.
fn character(escape: &str) -> Option<(char, &str)> {
    let mut rest = escape.chars();
    let sign = match rest.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => return of_units(escape),
        _ => return None,
    };
    Some((sign, rest.as_str()))
}

/// One unit of UTF-16, or two.
fn of_units(escape: &str) -> Option<(char, &str)> {
    let (first, rest) = unit(escape)?;
    if let Some(sign) = char::from_u32(u32::from(first)) {
        return Some((sign, rest));
    }
    let (second, rest) = unit(rest.strip_prefix('\\')?.trim_start_matches('\\'))?;
    let sign = char::decode_utf16([first, second]).next()?.ok()?;
    Some((sign, rest))
}

fn unit(escape: &str) -> Option<(u16, &str)> {
    let rest = escape.strip_prefix('u')?;
    let digits = rest.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    Some((u16::from_str_radix(digits, 16).ok()?, rest.get(4..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_of_json_are_read_however_often_they_were_made() {
        for (written, plain) in [
            (r"\u00d6sterreich", "Österreich"),
            (r"\u00D6sterreich", "Österreich"),
            (r"\\\\u00d6sterreich", "Österreich"),
            (r"pass\ud83d\ude00word", "pass😀word"),
            (r"pass\\ud83d\\ude00word", "pass😀word"),
            (r#"say \\\"it\\\" now\n"#, "say \"it\" now\n"),
            (r"https:\/\/a.example", "https://a.example"),
            // Half a character, and what is no escape.
            (r"x\ud83dy", "xud83dy"),
            (r"x\ud83d\u0041", "xud83dA"),
            (r"\u+123 \u12", "u+123 u12"),
            ("\\uöö end\\", "uöö end"),
        ] {
            assert_eq!(unescaped(written), plain, "{written}");
        }
        assert!(matches!(unescaped("plain ö"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_is_found_is_the_whole_of_each_escape() {
        for (text, wanted, places) in [
            (r#"{"a":"\u00d6l"}"#, "Öl", vec![r"\u00d6l"]),
            (r"\\ud83d\\ude00 and \ud83d\ude00", "😀", vec![r"\\ud83d\\ude00", r"\ud83d\ude00"]),
            (r#"a\\\"b\n"#, "a\"b", vec![r#"a\\\"b"#]),
            (r"x\nab\n", "ab", vec![]),
            ("ab", "ab", vec![]),
            (r"\n", "\\", vec![]),
        ] {
            let found = escaped_places(text, wanted);
            let found: Vec<&str> = found.into_iter().filter_map(|place| text.get(place)).collect();
            assert_eq!(found, places, "{text}");
        }
    }
}
