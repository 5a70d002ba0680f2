//! Names that the text of a line tells only in part: what the shell puts in for a variable or a pattern, and whether a rule may
//! speak of the outcome. Whatever is not known counts as any text.

use super::shell::{HoleSource, Reading, Word, WordPiece, is_local};

/// A character of a name, or what stands for some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// This one.
    Char(char),
    /// `?`
    One,
    /// `*` and `[…]`: any text without a slash.
    Name,
    /// Any text.
    Any,
}

/// More ways to read one word are not told apart.
const MOST_WAYS: usize = 16;
/// Longer words are not looked into.
const MOST_SIGNS: usize = 4_096;

/// What these characters are.
pub(super) fn signs(text: &str) -> Vec<Sign> {
    text.chars().map(Sign::Char).collect()
}

/// The text, if all of it is known.
pub(super) fn text(signs: &[Sign]) -> Option<String> {
    let known = |sign: &Sign| match sign {
        Sign::Char(c) => Some(*c),
        Sign::One | Sign::Name | Sign::Any => None,
    };
    signs.iter().map(known).collect()
}

/// The ways to read a word, with variables whose values the line tells.
pub(super) fn ways(word: &Word, reading: &Reading) -> Vec<Vec<Sign>> {
    let anything = || vec![vec![Sign::Any]];
    let mut ways: Vec<Vec<Sign>> = vec![Vec::new()];
    let mut in_brackets = false;
    for piece in &word.pieces {
        let next: Vec<Vec<Sign>> = match piece {
            WordPiece::Text(part) => {
                // What a bracket holds, and where it ends, is not looked into: up to the next slash it is any name.
                let after = if in_brackets {
                    part.find('/').and_then(|at| part.get(at..))
                } else {
                    Some(part.as_str())
                };
                in_brackets &= after.is_none();
                vec![signs(after.unwrap_or_default())]
            }
            WordPiece::Glob('?') => vec![vec![Sign::One]],
            WordPiece::Glob(c) => {
                in_brackets |= *c == '[';
                vec![vec![Sign::Name]]
            }
            WordPiece::Hole { splits, of } => {
                // So is what follows a `~`: in `~+/a` it is no part of the name.
                in_brackets |= *of == HoleSource::Home;
                let values = values(of, reading);
                let is_one = |value: &String| !value.contains([' ', '\t', '\n', '*', '?', '[']);
                match values {
                    Some(values) if !splits || values.iter().all(is_one) => {
                        values.iter().map(|v| signs(v)).collect()
                    }
                    _ if *splits => return anything(),
                    _ => vec![vec![Sign::Any]],
                }
            }
        };
        ways = ways
            .iter()
            .flat_map(|way| next.iter().map(move |more| [way.as_slice(), more].concat()))
            .collect();
        if ways.len() > MOST_WAYS || ways.iter().any(|way| way.len() > MOST_SIGNS) {
            return anything();
        }
    }
    ways
}

/// The values that a variable may have; before it gets one it is empty. `None`: not told by the line.
fn values(of: &HoleSource, reading: &Reading) -> Option<Vec<String>> {
    let HoleSource::Variable(name) = of else { return None };
    let all =
        reading.assigned.iter().filter(|(assigned, _)| assigned == name).map(|(_, value)| value.clone());
    let mut all: Vec<String> = all.collect::<Option<_>>()?;
    if all.is_empty() || !is_local(name) {
        return None;
    }
    all.push(String::new());
    Some(all)
}

/// The path from a folder, without `.` and `..`. What a link leads to is not known here.
pub(super) fn path(folder: &[Sign], name: &[Sign]) -> Vec<Sign> {
    let is_absolute = name.first() == Some(&Sign::Char('/'));
    let from: &[Sign] = if is_absolute || name.first() == Some(&Sign::Any) { &[] } else { folder };
    let is_rooted = is_absolute || from.first() == Some(&Sign::Char('/'));
    let slash = |sign: &Sign| *sign == Sign::Char('/');
    let mut parts: Vec<&[Sign]> = Vec::new();
    let all: Vec<&[Sign]> = from.split(slash).chain(name.split(slash)).collect();
    for (at, part) in all.iter().copied().enumerate() {
        let is_last = at + 1 == all.len();
        match text(part).as_deref() {
            Some("" | ".") => {}
            Some("..") => match parts.last().map(|last| text(last)) {
                Some(Some(last)) if last != ".." => {
                    parts.pop();
                }
                // Above a folder that is not known is another.
                Some(None) => parts = vec![UNKNOWN],
                None if is_rooted => {}
                _ => parts.push(part),
            },
            // `.*` may be `..`.
            None if !is_last && part.first() == Some(&Sign::Char('.')) => parts = vec![UNKNOWN],
            _ => parts.push(part),
        }
    }
    let mut joined: Vec<Sign> = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| parts.get(at));
        if (at > 0 && before != Some(&UNKNOWN)) || (at == 0 && is_rooted && *part != UNKNOWN) {
            joined.push(Sign::Char('/'));
        }
        joined.extend_from_slice(part);
    }
    if joined.is_empty() && is_rooted {
        joined.push(Sign::Char('/'));
    }
    joined
}

const UNKNOWN: &[Sign] = &[Sign::Any];

/// Whether a pattern, in which `*` stands for any text, may speak of the name.
pub(super) fn meets(pattern: &str, name: &[Sign]) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    // For each place in the pattern: whether what follows there can be the same as what follows in the name.
    let mut after: Vec<bool> = Vec::new();
    for sign in std::iter::once(None).chain(name.iter().rev().map(Some)) {
        let mut here = vec![false; pattern.len() + 1];
        for at in (0..=pattern.len()).rev() {
            let wanted = pattern.get(at).copied();
            let get = |row: &[bool], at: usize| row.get(at).copied().unwrap_or(false);
            let skips_star = wanted == Some('*') && get(&here, at + 1);
            let fits = match (sign, wanted) {
                (None, None) => true,
                (None, Some(_)) | (Some(Sign::Char(_) | Sign::One), None) => false,
                (Some(Sign::Char(_) | Sign::One), Some('*')) => get(&after, at),
                (Some(Sign::Char(c)), Some(wanted)) => *c == wanted && get(&after, at + 1),
                (Some(Sign::One), Some(wanted)) => wanted != '/' && get(&after, at + 1),
                (Some(Sign::Name | Sign::Any), None) => get(&after, at),
                (Some(Sign::Name), Some('/')) => get(&after, at),
                (Some(Sign::Name | Sign::Any), Some(_)) => get(&after, at) || get(&here, at + 1),
            };
            if let Some(place) = here.get_mut(at) {
                *place = fits || skips_star;
            }
        }
        after = here;
    }
    after.first().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `~` stands for any text, `?` and `*` for what they are in a shell.
    fn of(text: &str) -> Vec<Sign> {
        let sign = |c| match c {
            '~' => Sign::Any,
            '?' => Sign::One,
            '*' => Sign::Name,
            c => Sign::Char(c),
        };
        text.chars().map(sign).collect()
    }

    #[test]
    fn a_pattern_meets_what_a_name_may_become() {
        for (pattern, name) in [
            ("secret.txt", "secret.tx?"),
            ("secret.txt", "*"),
            ("secret.txt", "~"),
            ("*.env", "*"),
            ("*.env", "prod.e*"),
            ("keys/*", "k*/a"),
            ("keys/*", "~"),
            ("a*c", "a?c"),
            ("", "*"),
        ] {
            assert!(meets(pattern, &of(name)), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("secret.txt", "*.rs"),
            ("secret.txt", "~.rs"),
            ("keys/*", "*"),
            ("keys/a", "keys?a"),
            ("a", "??"),
            ("a", ""),
        ] {
            assert!(!meets(pattern, &of(name)), "{pattern} {name}");
        }
    }

    #[test]
    fn a_path_has_one_spelling() {
        for (folder, name, is) in [
            ("", ".//secret.txt", "secret.txt"),
            ("sub", "../secret.txt", "secret.txt"),
            ("", "sub/../secret.txt", "secret.txt"),
            ("sub", "/etc/./x/../y", "/etc/y"),
            ("", "/../x", "/x"),
            ("", "/", "/"),
            ("/a", "..", "/"),
            ("/", "b", "/b"),
            ("", "../x", "../x"),
            ("~", "../secret.txt", "~secret.txt"),
            ("", "s*/../secret.txt", "~secret.txt"),
            ("", ".*/secret.txt", "~secret.txt"),
            ("", "src/*.rs", "src/*.rs"),
            ("/a", "b", "/a/b"),
            ("", "../../x", "../../x"),
            ("a", "../../x", "../x"),
            ("", "s*/x", "s*/x"),
            ("", "a/.e*", "a/.e*"),
            ("", "~/x", "~x"),
        ] {
            assert_eq!(path(&of(folder), &of(name)), of(is), "{folder} {name}");
        }
    }

    /// The ways to read the last word of a line, as they are written in the tests above.
    fn read(line: &str) -> Vec<String> {
        let reading = super::super::shell::read(line);
        assert_eq!(reading.unreadable, None, "{line}");
        let word = reading.commands.last().unwrap().words.last().unwrap();
        let written = |sign: &Sign| match sign {
            Sign::Char(c) => *c,
            Sign::One => '?',
            Sign::Name => '*',
            Sign::Any => '~',
        };
        ways(word, &reading).iter().map(|way| way.iter().map(written).collect()).collect()
    }

    #[test]
    fn a_word_is_read_in_every_way_that_the_line_leaves_open() {
        for (line, ways) in [
            ("cat a?b", &["a?b"][..]),
            ("cat a*b", &["a*b"]),
            ("cat [s]ecret.txt", &["*"]),
            ("cat [s]e/b", &["*/b"]),
            ("cat [s]e/b*x", &["*/b*x"]),
            ("cat a$x", &["~"]),
            ("cat ~+/x", &["~/x"]),
            ("cat ~ada", &["~"]),
            ("cat a\"$x\"b", &["a~b"]),
            ("f=b; cat a$f", &["ab", "a"]),
            ("f=b; cat a\"$f\"", &["ab", "a"]),
            ("f='b c'; cat a\"$f\"", &["ab c", "a"]),
            ("f='b c'; cat a$f", &["~"]),
            ("f='b*'; cat a$f", &["~"]),
            ("f=b; f=$x; cat a\"$f\"", &["a~"]),
            ("f=1; g=2; cat \"$f$g\"", &["12", "1", "2", ""]),
        ] {
            assert_eq!(read(line), ways, "{line}");
        }
    }

    #[test]
    fn what_could_be_read_in_too_many_ways_or_is_too_long_is_any_text() {
        let line = |values: usize| {
            let given: String = (0..values).map(|value| format!("f={value}; ")).collect();
            format!("{given}cat \"$f\"")
        };
        // One more: before it gets a value it is empty.
        assert_eq!(read(&line(MOST_WAYS - 1)).len(), MOST_WAYS);
        assert_eq!(read(&line(MOST_WAYS)), ["~"]);
        assert_eq!(read(&line(3 * MOST_WAYS)), ["~"]);
        let long = |signs: usize| format!("cat {}", "a".repeat(signs));
        assert_eq!(read(&long(MOST_SIGNS)), ["a".repeat(MOST_SIGNS)]);
        assert_eq!(read(&long(MOST_SIGNS + 1)), ["~"]);
        assert_eq!(read(&long(MOST_SIGNS + 2)), ["~"]);
    }
}
