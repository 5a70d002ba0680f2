//! Patterns in which `*` stands for any text.

use super::shell::HOLE;

/// Whether `text` fits `pattern`, in which `*` stands for any text, the empty one too.
pub(crate) fn wildcard(pattern: &str, text: &str) -> bool {
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let mut pieces: Vec<&str> = pieces.collect();
    let Some(last) = pieces.pop() else { return rest.is_empty() };
    for piece in pieces {
        match rest.split_once(piece) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Whether `text` could fit `pattern`, whatever stands in the holes of the text.
pub(super) fn could_fit(pattern: &str, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    // For each length of the text so far: whether it can be what the pattern so far says.
    let mut fits: Vec<bool> = vec![false; text.len() + 1];
    let mut before = true;
    for (at, fit) in fits.iter_mut().enumerate() {
        *fit = before;
        before &= text.get(at) == Some(&HOLE);
    }
    for wanted in pattern.chars() {
        let mut next = Vec::with_capacity(fits.len());
        for at in 0..fits.len() {
            let same = fits.get(at).copied().unwrap_or(false);
            let shorter = at.checked_sub(1);
            let last = shorter.and_then(|at| text.get(at).copied());
            let with = |row: &[bool]| shorter.and_then(|at| row.get(at).copied()).unwrap_or(false);
            next.push(match (wanted, last) {
                ('*', _) => same || with(&next),
                (_, Some(HOLE)) => same || with(&fits) || with(&next),
                (_, Some(last)) => last == wanted && with(&fits),
                (_, None) => false,
            });
        }
        fits = next;
    }
    fits.last().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        assert!(wildcard("a*c*e", "abcde") && wildcard("*", "") && wildcard("abc", "abc"));
        assert!(!wildcard("a*c", "abd") && !wildcard("abc", "abcd") && !wildcard("a*a", "a"));
    }

    #[test]
    fn holes_could_be_anything() {
        let hole = HOLE.to_string();
        for (pattern, text) in [
            ("rm *", "_ -rf x"),
            ("rm *", "_"),
            ("rm -rf *", "rm _ x"),
            ("git push *", "git _"),
            ("a*b", "_"),
            ("abc", "a_c"),
            ("abc", "ab_c"),
            ("abc", "_abc_"),
            ("", "_"),
        ] {
            assert!(could_fit(pattern, &text.replace('_', &hole)), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("rm *", "ls _"),
            ("git push *", "git pull _"),
            ("abc", "_x"),
            ("abc", "x_"),
            ("", "a_"),
            ("a", ""),
        ] {
            assert!(!could_fit(pattern, &text.replace('_', &hole)), "{pattern} {text}");
        }
    }

    #[test]
    fn without_holes_both_say_the_same() {
        for pattern in ["a*c*e", "*", "abc", "a*a", "*b*", "a*"] {
            for text in ["abcde", "", "abc", "a", "aa", "b"] {
                assert_eq!(could_fit(pattern, text), wildcard(pattern, text), "{pattern} {text}");
            }
        }
    }
}
