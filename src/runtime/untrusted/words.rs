//! The words of others, made fit for people and models: nothing that hides, reorders or steers, and an end.

use std::error::Error;

use crate::policy::shell::conceals;
use crate::tool::{Bounded, bound, settled};

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

/// What a tool of others gave, as what a command prints is taken: as a terminal would show it, for the model, and as it was
/// written, for the books, where that is something else. Both within the same bound.
pub(in crate::runtime) fn read(text: &str, max_chars: usize) -> (Bounded, Option<String>) {
    match settled(text) {
        None => (bound(text, max_chars), None),
        Some(shown) => (bound(&shown, max_chars), Some(bound(text, max_chars).text)),
    }
}

/// The text of [`plain`] on one line.
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

    #[test]
    fn a_model_reads_what_a_terminal_would_show_and_the_books_keep_the_rest() {
        for text in ["plain\n\ttabs  \n\n{\"a\": 1}\n", "é漢\u{301}", "", "[31m no sequence ]0;"] {
            let (bounded, written) = read(text, 99);
            assert_eq!((bounded.text.as_str(), bounded.cut_chars, written), (text, 0, None));
        }
        let raw = "\u{1b}[1;31mred\u{1b}[0m \u{1b}]0;title\u{7}10 %\r20 %\u{1b}[K\r\nend\u{1b}]8;;http://x";
        let (bounded, written) = read(raw, 99);
        assert_eq!((bounded.text.as_str(), written.as_deref()), ("20 %\nend", Some(raw)));
        let (bounded, written) = read(&"\u{1b}[1mword\u{1b}[m ".repeat(1_000), 100);
        assert!(bounded.cut_chars > 4_000 && !bounded.text.contains('\u{1b}'), "{bounded:?}");
        assert!(written.is_some_and(|written| written.chars().count() < 200 && written.contains('\u{1b}')));
    }
}
