//! Blanks at the end of a line, in words: nobody hears or sees them, and behind a backslash they mean another
//! thing.

use std::borrow::Cow;

/// What is said of them.
const MARK: &str = "[blank at the end]";

/// A line that ends in blanks says so in their place. A line that says so itself has a backslash before that.
pub(in crate::ui) fn told_end(line: &str) -> Cow<'_, str> {
    let words = line.trim_end();
    let escaped = words.strip_suffix(MARK).map(|before| format!("{before}\\{MARK}"));
    match (words.len() == line.len(), escaped, words.is_empty()) {
        (true, None, _) => Cow::Borrowed(line),
        (true, Some(escaped), _) => Cow::Owned(escaped),
        (false, _, true) => Cow::Borrowed(MARK),
        (false, escaped, false) => Cow::Owned(format!("{} {MARK}", escaped.as_deref().unwrap_or(words))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_the_end_are_told_and_no_other_line_says_the_same() {
        for (line, told) in [
            ("", ""),
            ("echo", "echo"),
            ("echo \\", "echo \\"),
            ("echo \\ ", "echo \\ [blank at the end]"),
            ("echo  \u{a0}", "echo [blank at the end]"),
            ("  ", "[blank at the end]"),
            ("echo [blank at the end]", "echo \\[blank at the end]"),
            ("echo \\[blank at the end]", "echo \\\\[blank at the end]"),
            ("echo [blank at the end] ", "echo \\[blank at the end] [blank at the end]"),
        ] {
            assert_eq!(told_end(line), told, "{line:?}");
        }
    }
}
