//! Cutting a message into words, quoted arguments and the parts between joining words.

use super::verb::{POLITE, is_verb};

/// How two parts of a message are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// At once.
    And,
    /// One after the other.
    Then,
}

/// The first word and what follows it.
pub(super) fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

/// Leaves out these words at the beginning, in any order; with a comma too.
pub(super) fn skip_words<'a>(text: &'a str, words: &[&str]) -> &'a str {
    let mut rest = text.trim_start();
    loop {
        let (first, after) = word(rest);
        let bare = first.trim_end_matches([',', '.', '?', '!']).to_lowercase();
        if bare.is_empty() || !words.contains(&bare.as_str()) {
            return rest;
        }
        rest = after.trim_start();
    }
}

/// An argument in quotes, and what follows it.
pub(super) fn argument(text: &str) -> Option<(String, &str)> {
    const QUOTES: [(char, char); 5] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’')];
    let text = text.trim_start();
    let (open, close) = QUOTES.into_iter().find(|(open, _)| text.starts_with(*open))?;
    let (inner, rest) = text.strip_prefix(open)?.split_once(close)?;
    (!inner.is_empty()).then(|| (inner.to_owned(), rest))
}

/// What stands before the first of these separators, trimmed, and what stands after it.
pub(super) fn until<'a>(text: &'a str, separators: &[&str]) -> Option<(String, &'a str)> {
    let first = separators.iter().filter_map(|s| text.find(s).map(|at| (at, *s))).min()?;
    let (before, after) = text.split_once(first.1)?;
    let before = before.trim();
    (!before.is_empty()).then(|| (before.to_owned(), after))
}

/// Whether the text begins with something that joins: punctuation or a new line, `and`, `then`; a verb must
/// follow. Returns what follows.
pub(super) fn joint(text: &str) -> Option<(Joint, &str)> {
    let stripped = text.trim_start_matches(|c: char| c.is_whitespace() || ",;.!".contains(c));
    let between = text.strip_suffix(stripped)?;
    let mut joins = between.contains(['\n', ',', ';', '.', '!']);
    let mut kind = Joint::And;
    let mut rest = stripped;
    loop {
        let (first, after) = word(rest);
        match first.trim_end_matches(',').to_lowercase().as_str() {
            "and" | "also" => joins = true,
            "then" | "afterwards" => (joins, kind) = (true, Joint::Then),
            _ => break,
        }
        rest = after;
    }
    let next = skip_words(rest, POLITE);
    (joins && is_verb(word(next).0)).then_some((kind, next))
}

/// Whether nothing but the end of a sentence is left.
pub(super) fn is_over(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || ".?!".contains(c))
}

/// What stands before the next joint, and the joint with what follows.
pub(super) fn split_at_joint(text: &str) -> (&str, &str) {
    let ends = text.char_indices().filter(|(_, c)| c.is_whitespace() || ",;.!".contains(*c));
    for (at, _) in ends {
        if let Some((before, after)) = text.split_at_checked(at)
            && joint(after).is_some()
        {
            return (before, after);
        }
    }
    (text, "")
}

/// Names joined by commas and `and`, without the full stop of a sentence.
pub(super) fn split_names(text: &str) -> Vec<String> {
    text.split([',', '\n'])
        .flat_map(|part| part.split(" and "))
        .map(|name| without_full_stop(name.trim()))
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// `README.md.` means `README.md`; `.` and `..` are folders.
fn without_full_stop(name: &str) -> &str {
    let bare = name.trim_end_matches(['?', '!']);
    match bare.strip_suffix('.') {
        Some(before) if before.ends_with(char::is_alphanumeric) => before,
        _ => bare,
    }
}
