//! The words of others, made fit for people and models: nothing that hides, reorders or steers, and an end.

use std::error::Error;

use crate::policy::shell::conceals;

/// Most characters of the words of others in one of our sentences.
pub(in crate::runtime) const IN_A_SENTENCE: usize = 300;

/// The text without control characters (newlines stay, tabs become spaces), overrides of direction and invisible
/// characters; at most `most` characters, the last of which says that there were more.
pub(in crate::runtime) fn plain(text: &str, most: usize) -> String {
    let mut kept = text.chars().filter_map(|c| match c {
        '\n' => Some('\n'),
        '\t' => Some(' '),
        _ if conceals(c) => None,
        _ => Some(c),
    });
    let mut plain: String = kept.by_ref().take(most).collect();
    if kept.next().is_some() {
        plain.pop();
        plain.push('…');
    }
    plain
}

/// The same on one line.
pub(in crate::runtime) fn one_line(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    plain(&words.join(" "), most)
}

/// The innermost cause of an error: the outer ones only say that something failed, and name addresses.
pub(in crate::runtime) fn cause(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    innermost.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_or_steers() {
        assert_eq!(plain("a\u{1b}[31mb\u{202e}c\u{200b}d\te\nf\u{e0041}", 99), "a[31mbcd e\nf");
        assert_eq!(plain("hällo", 5), "hällo");
        assert_eq!(plain("hällo!", 5), "häll…");
        assert_eq!(one_line(" a\n\n b\u{7}\r\nc ", 99), "a b c");
    }
}
