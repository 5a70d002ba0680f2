//! Where a link may lead: addresses of untrusted text, as a terminal may be told them.

use std::fmt::Write as _;

/// Most bytes of an address: what terminals take, and more than anybody reads.
const MOST_BYTES: usize = 2_000;

/// What an address may begin with.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];

/// An address as the terminal is told it: the letters that an address may have, everything else percent-encoded.
/// `None` for other schemes, for what is too long, and for a scheme alone.
#[must_use]
pub fn address(target: &str) -> Option<String> {
    let scheme = SCHEMES.into_iter().find(|scheme| begins_with(target, scheme))?;
    if target.len() > MOST_BYTES || target.len() == scheme.len() {
        return None;
    }
    let mut address = String::with_capacity(target.len());
    for byte in target.bytes() {
        if byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            write!(address, "%{byte:02X}").ok()?;
        }
    }
    (address.len() <= MOST_BYTES).then_some(address)
}

/// The addresses that stand in a text as they are, `http` and `https` alone: where each begins and ends, in bytes.
pub(super) fn addresses_in(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = next_scheme(text, from) {
        let rest = text.get(start..).unwrap_or_default();
        let end = start + length(rest);
        let scheme = rest.find("//").map_or(0, |at| at + 2);
        if end > start + scheme {
            found.push((start, end));
        }
        from = end.max(start + 1);
    }
    found
}

/// Where the next scheme begins that no word runs into.
fn next_scheme(text: &str, from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.match_indices([':']).find_map(|(colon, _)| {
        let before = rest.get(..colon)?;
        let start = before.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| {
            at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
        });
        let rest = rest.get(start..)?;
        let is_address = SCHEMES.iter().take(2).any(|scheme| begins_with(rest, scheme));
        is_address.then_some(from + start)
    })
}

/// Bytes of the address at the beginning of a text: up to a blank or a quoting mark, without the marks of the sentence
/// around it.
fn length(text: &str) -> usize {
    let is_mark = |c: char| matches!(c, '<' | '>' | '"' | '`' | '│' | '┃');
    let is_end = |c: char| c.is_whitespace() || c.is_control() || is_mark(c);
    let mut end = text.find(is_end).unwrap_or(text.len());
    while let Some(last) = text.get(..end).and_then(|address| address.chars().next_back()) {
        let count = |wanted: char| text.get(..end).unwrap_or_default().matches(wanted).count();
        let belongs = match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '~' | '…' | '。' | '，' | '、' => {
                false
            }
            ')' => count('(') >= count(')'),
            ']' => count('[') >= count(']'),
            _ => true,
        };
        if belongs {
            break;
        }
        end -= last.len_utf8();
    }
    end
}

fn begins_with(text: &str, scheme: &str) -> bool {
    text.get(..scheme.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_web_and_letters_are_linked_to() {
        for (target, told) in [
            ("https://example.org/a?b=c;d#e", Some("https://example.org/a?b=c;d#e")),
            ("HTTP://example.org", Some("HTTP://example.org")),
            ("mailto:ada@example.org", Some("mailto:ada@example.org")),
            ("https://example.org/a b", Some("https://example.org/a%20b")),
            ("https://example.org/é", Some("https://example.org/%C3%A9")),
            ("https://a\x1b]8;;\x07b\x1b\\\u{9c}", Some("https://a%1B]8;;%07b%1B%5C%C2%9C")),
            ("https://a\nb", Some("https://a%0Ab")),
            ("javascript:alert(1)", None),
            ("file:///etc/passwd", None),
            ("data:text/html,x", None),
            ("vscode://file/x", None),
            ("/relative", None),
            ("https://", None),
            ("", None),
        ] {
            assert_eq!(address(target).as_deref(), told, "{target:?}");
        }
        let long = |count| format!("https://a/{}", "x".repeat(count));
        assert!(address(&long(1_000)).is_some() && address(&long(2_000)).is_none());
        assert_eq!(address(&format!("https://a/{}", "é".repeat(900))), None, "too long once it is encoded");
    }

    #[test]
    fn addresses_are_found_without_the_sentence_around_them() {
        for (text, found) in [
            ("see https://a.org/x.", &["https://a.org/x"][..]),
            ("(https://a.org/x_(y)), and http://b.org!", &["https://a.org/x_(y)", "http://b.org"]),
            ("\"https://a.org\"", &["https://a.org"]),
            ("https:// alone, ftp://a.org, xhttps://a.org", &[]),
            ("ratio 3:1 https://a.org:8080/?q=1&r=2", &["https://a.org:8080/?q=1&r=2"]),
            ("漢https://a.org/漢字。", &["https://a.org/漢字"]),
            ("https://a.orghttps://b.org", &["https://a.orghttps://b.org"]),
            (":::https://a.org...", &["https://a.org"]),
        ] {
            let said: Vec<&str> =
                addresses_in(text).into_iter().map(|(from, to)| text.get(from..to).unwrap()).collect();
            assert_eq!(said, found, "{text}");
        }
    }
}
