//! How people write the path of a file in a message: `@a.png`, quoted, with escapes, as a `file://` address.

use std::collections::BTreeSet;

use crate::ledger::{MessagePiece, UserMessage};

/// A longer word, or paste, is no path.
const LONGEST: usize = 4_096;
/// Punctuation that may follow a path.
const MOST_PUNCTUATION: usize = 4;

/// The `@path`s of a message, in order, each once. What stands between backquotes, or after a letter, is none; nor is what was
/// pasted folded: nobody has seen it. An image that was pasted is one wherever it stands.
pub(super) fn mentions(said: &UserMessage) -> Vec<Vec<String>> {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    let mut before = None;
    for part in said.pastes.parts(&said.content) {
        match part {
            MessagePiece::Pasted(text) => before = text.chars().next_back().or(before),
            MessagePiece::Typed(text) => before = mentions_in(text, before, &mut found, &mut seen),
            MessagePiece::Image(text) => before = mentions_in(text, None, &mut found, &mut seen),
        }
    }
    found
}

/// Those of what was typed behind this character. Returns its last one.
fn mentions_in(
    text: &str,
    mut before: Option<char>,
    found: &mut Vec<Vec<String>>,
    seen: &mut BTreeSet<Vec<String>>,
) -> Option<char> {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.strip_prefix(c).unwrap_or_default();
        let may_begin = before.is_none_or(|b: char| b.is_whitespace() || "([{<\"'".contains(b));
        if c == '@' && may_begin {
            let candidates = readings(after);
            if !candidates.is_empty() && seen.insert(candidates.clone()) {
                found.push(candidates);
            }
        }
        before = Some(c);
        rest = after;
    }
    before
}

/// The paths that may be meant by what follows an `@`, the likeliest first: punctuation at the end may belong to the
/// sentence.
fn readings(after: &str) -> Vec<String> {
    if let Some(quoted) = quoted(after) {
        return vec![quoted];
    }
    let word = word(after);
    if word.len() > LONGEST {
        return Vec::new();
    }
    let mut path = unescaped(&word);
    if let Some(decoded) = address(&path) {
        path = decoded;
    }
    let mut readings = Vec::new();
    while !path.is_empty() && readings.len() <= MOST_PUNCTUATION {
        readings.push(path.clone());
        match path.pop() {
            Some(last) if ".,;:!?)]}>\"'`".contains(last) => {}
            Some(_) | None => break,
        }
    }
    readings
}

/// The paths that a paste names, if it is nothing but paths: what terminals send for files that are dropped on them.
/// The first list that names files alone is the right one.
pub(super) fn pasted(text: &str) -> Vec<Vec<String>> {
    let line = text.trim();
    if line.len() > LONGEST || line.contains('\n') || !begins_a_path(line) {
        return Vec::new();
    }
    let between = quoted(line).filter(|inside| inside.len() + 2 == line.len());
    let whole = between.or_else(|| address(line)).unwrap_or_else(|| line.to_owned());
    vec![vec![whole], vec![unescaped(line)], words(line)]
}

/// Only what can be nothing else: a word of prose is no path.
fn begins_a_path(line: &str) -> bool {
    let bare = line.trim_start_matches(['"', '\'']);
    ["/", "~/", "./", "../", "file://"].iter().any(|start| bare.starts_with(start))
}

/// The path and the lines that `path#L10-40`, `path#10-40` or `path:10-40` names; `None` where no lines are named.
pub(super) fn without_lines(name: &str) -> Option<(&str, (u64, u64))> {
    let (path, lines) = name.rsplit_once("#L").or_else(|| hash(name)).or_else(|| colon(name))?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let number = |text: &str| {
        let digits = text.strip_prefix('L').unwrap_or(text);
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    };
    let (first, last): (u64, u64) = (number(first)?, number(last)?);
    (!path.is_empty() && first > 0).then_some((path, (first.min(last.max(1)), first.max(last))))
}

/// The path before `#L` and a digit, whatever stands behind that.
pub(super) fn before_lines(name: &str) -> Option<&str> {
    let (path, lines) = name.rsplit_once("#L")?;
    (!path.is_empty() && lines.starts_with(|c: char| c.is_ascii_digit())).then_some(path)
}

/// `path#10` and `path#10-40`.
fn hash(name: &str) -> Option<(&str, &str)> {
    name.rsplit_once('#').filter(|(_, lines)| lines.starts_with(|c: char| c.is_ascii_digit()))
}

/// `path:10` and `path:10-40`, and `path:10:7` as compilers print it: the column is left out.
fn colon(name: &str) -> Option<(&str, &str)> {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()) && !text.is_empty();
    let (path, last) = name.rsplit_once(':')?;
    match path.rsplit_once(':') {
        Some((before, line)) if is_number(line) && is_number(last) => Some((before, line)),
        Some(_) | None => last.starts_with(|c: char| c.is_ascii_digit()).then_some((path, last)),
    }
}

/// The text between quotes that begin here and end on the same line.
fn quoted(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inside, _) = text.strip_prefix(quote)?.split_once(quote)?;
    (!inside.is_empty() && !inside.contains('\n')).then(|| inside.to_owned())
}

/// Up to the first white space that no backslash stands before.
fn word(text: &str) -> String {
    let mut word = String::new();
    let mut escaped = false;
    for c in text.chars() {
        if c == '\n' || (c.is_whitespace() && !escaped) {
            break;
        }
        escaped = c == '\\' && !escaped;
        word.push(c);
    }
    word
}

/// The words of a line, as a shell would take them apart.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let (raw, path) = match quoted(rest) {
            Some(inside) => (inside.len() + 2, inside),
            None => {
                let word = word(rest);
                let path = unescaped(&word);
                (word.len(), address(&path).unwrap_or(path))
            }
        };
        words.push(path);
        rest = rest.get(raw..).unwrap_or_default().trim_start();
    }
    words
}

fn unescaped(word: &str) -> String {
    let mut plain = String::new();
    let mut chars = word.chars();
    while let Some(c) = chars.next() {
        plain.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
    }
    plain
}

/// The path of a `file://` address of this machine.
fn address(text: &str) -> Option<String> {
    let rest = text.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    path.starts_with('/').then(|| decoded(path))
}

/// `%20` as the byte that it stands for.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let digits: String = rest.clone().take(2).map(char::from).collect();
        match u8::from_str_radix(&digits, 16) {
            Ok(value)
                if byte == b'%' && digits.bytes().all(|d| d.is_ascii_hexdigit()) && digits.len() == 2 =>
            {
                bytes.push(value);
                rest.nth(1);
            }
            Ok(_) | Err(_) => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Pastes;
    use crate::ui::mention::written;

    fn first(text: &str) -> Vec<String> {
        mentions(&text.into()).into_iter().map(|readings| readings[0].clone()).collect()
    }

    #[test]
    fn a_path_after_an_at_sign() {
        assert_eq!(first("look at @a.png and @dir/b.png"), ["a.png", "dir/b.png"]);
        assert_eq!(first("@a.png"), ["a.png"]);
        assert_eq!(first("(@a.png)\n@a\\ b.png"), ["a.png)", "a b.png"]);
        assert_eq!(first("@\"my pic.png\", @'b c.png'"), ["my pic.png", "b c.png"]);
        assert_eq!(first("@file:///tmp/my%20pic.png"), ["/tmp/my pic.png"]);
        assert_eq!(first("@a.png @a.png"), ["a.png"], "once");
        assert_eq!(mentions(&"@a.png?!".into()), [["a.png?!", "a.png?", "a.png"]]);
        assert_eq!(first("@ü.png"), ["ü.png"]);
    }

    #[test]
    fn what_is_no_mention() {
        for text in ["me@home.png", "icon@2x.png", "`@a.png`", "@", "@ a.png", "a @\n", "no sign", ""] {
            assert_eq!(first(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn what_was_pasted_folded_has_no_mention() {
        let text = "see @a.png, @b.png\n@c.png\n@d.png and @e.png @";
        let paste = text.find("@b").unwrap()..text.find("@d").unwrap();
        let of = |from: usize, to: usize| {
            let said = UserMessage { pastes: Pastes::of(text, vec![(from, to)]), ..text.into() };
            mentions(&said).into_iter().map(|all| all.last().unwrap().clone()).collect::<Vec<_>>()
        };
        assert_eq!(of(paste.start, paste.end), ["a.png", "d.png", "e.png"]);
        assert_eq!(of(0, text.len()), [""; 0]);
        // An `@` before a paste is a word of its own.
        assert_eq!(of(paste.start + 1, text.len()), ["a.png"]);
    }

    #[test]
    fn a_pasted_image_is_a_mention_also_where_it_touches_a_word() {
        let text = "see@/a.pngand @/b.png";
        let pastes = Pastes::of(text, vec![(3, 10)]).with_images(&[3]);
        let said = UserMessage { pastes, ..text.into() };
        assert_eq!(mentions(&said), [["/a.png"], ["/b.png"]]);
        // Of the same text, pasted folded or typed, it is none.
        let folded = UserMessage { pastes: Pastes::of(text, vec![(3, 10)]), ..text.into() };
        assert_eq!(mentions(&folded), [["/b.png"]]);
        assert_eq!(mentions(&text.into()), [["/b.png"]]);
    }

    #[test]
    fn a_paste_that_is_nothing_but_paths() {
        assert_eq!(pasted("/tmp/a.png\n")[0], ["/tmp/a.png"]);
        assert_eq!(pasted("/tmp/my pic.png")[0], ["/tmp/my pic.png"]);
        assert_eq!(pasted("'/tmp/my pic.png' ")[0], ["/tmp/my pic.png"]);
        assert_eq!(pasted("'/tmp/a b.png' '/tmp/c.png'")[2], ["/tmp/a b.png", "/tmp/c.png"]);
        for more in ["'/tmp/a.png' is broken", "\"/tmp/a.png\"; rm x", "'/tmp/a.png' '/tmp/b.png'"] {
            assert!(pasted(more).iter().all(|list| *list != ["/tmp/a.png"]), "nothing is left out: {more}");
        }
        assert_eq!(pasted(r"/tmp/my\ pic\(1\).png")[1], ["/tmp/my pic(1).png"]);
        assert_eq!(pasted("file:///tmp/my%20pic%C3%BC.png")[0], ["/tmp/my picü.png"]);
        assert_eq!(pasted("'/a b.png' /c.png ~/d.png")[2], ["/a b.png", "/c.png", "~/d.png"]);
        for text in ["a.png", "see /tmp/a.png", "/a.png\nand more", "", "file://elsewhere"] {
            assert!(pasted(text).first().is_none_or(|p| p == &[text]), "{text}");
        }
    }

    #[test]
    fn a_mention_reads_back_as_its_path() {
        for path in
            ["/a.png", "/my pic.png", "/it's.png", "/say \"hi\".png", "/back\\slash.png", "/odd!", "/%20.png"]
        {
            let text = format!("see {} now", written(path));
            assert!(first(&text).contains(&path.to_owned()), "{text}");
        }
    }

    #[test]
    fn lines_of_a_file() {
        assert_eq!(without_lines("a.rs#L10-40"), Some(("a.rs", (10, 40))));
        assert_eq!(without_lines("a.rs#L10-L40"), Some(("a.rs", (10, 40))));
        assert_eq!(without_lines("a#L1.rs#L7"), Some(("a#L1.rs", (7, 7))));
        assert_eq!(without_lines("a.rs#L40-10"), Some(("a.rs", (10, 40))), "in the wrong order");
        assert_eq!(without_lines("a.rs#10-40"), Some(("a.rs", (10, 40))));
        assert_eq!(without_lines("a.rs:10-40"), Some(("a.rs", (10, 40))));
        assert_eq!(without_lines("a.rs:7"), Some(("a.rs", (7, 7))));
        assert_eq!(without_lines("a.rs:7:12"), Some(("a.rs", (7, 7))), "as compilers print it");
        for none in [
            "a.rs",
            "a.rs#L",
            "a.rs#L0",
            "a.rs#Lx",
            "a.rs#L1-2-3",
            "a.rs:",
            "a.rs:x",
            "a.rs:0",
            ":7",
            "#L3",
            "a.rs#L+1",
            "a.rs#L99999999999999999999",
        ] {
            assert_eq!(without_lines(none), None, "{none}");
        }
    }

    #[test]
    fn broken_addresses_are_taken_as_they_are() {
        assert_eq!(decoded("/a%zz%2"), "/a%zz%2");
        assert_eq!(decoded("/%+1%41"), "/%+1A", "a sign is no digit");
    }
}
