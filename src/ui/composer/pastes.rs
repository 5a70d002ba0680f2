//! Big pastes, which the composer shows by their names and sends whole.

use std::sync::Arc;

use crate::ledger::{MessagePiece, Pastes};

use super::super::text::{grouped, sanitize};

/// A paste with more lines than this is folded.
const FOLD_LINES: usize = 20;
/// A paste with more bytes than this is folded.
const FOLD_BYTES: usize = 2 * 1024;
/// A blank at which no line is broken, and no word ends: a name stays in one row.
pub(in crate::ui) const JOINS: char = '\u{202f}';
/// The brackets of a name while it is edited: letters, so that they too stay in its row. The composer draws brackets.
pub(in crate::ui) const LEFT: char = '\u{2fb}';
/// The right one.
pub(in crate::ui) const RIGHT: char = '\u{2fc}';
/// The sign before a number in a name, for the same reason.
pub(in crate::ui) const NUMBER: char = '\u{2f8}';

/// A paste that is shown by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) struct Paste {
    pub(super) name: String,
    pub(super) text: Arc<str>,
}

impl Paste {
    /// With a name that nothing else has: `[Pasted 5,000 lines]`, then `[Pasted 5,000 lines #2]`.
    pub(super) fn new(text: Arc<str>, shown: &str, others: &[Self]) -> Self {
        let size = match text.lines().count() {
            0 | 1 => format!("{} KB", grouped(text.len().div_ceil(1024) as u64)),
            lines => format!("{} lines", grouped(lines as u64)),
        };
        let (shown, taken): (String, Vec<String>) =
            (plain(shown), others.iter().map(|other| plain(&other.name)).collect());
        let is_free = |name: &String| !shown.contains(name.as_str()) && !taken.contains(name);
        let numbered = (2_usize..).map(|n| format!("[Pasted {size} #{n}]"));
        let mut names = std::iter::once(format!("[Pasted {size}]")).chain(numbered);
        let joined = |c| match c {
            ' ' => JOINS,
            '[' => LEFT,
            ']' => RIGHT,
            '#' => NUMBER,
            other => other,
        };
        Self { name: names.find(is_free).unwrap_or_default().chars().map(joined).collect(), text }
    }
}

/// Whether a paste is recorded as one, and has a name of its own wherever people read the message.
pub(in crate::ui) fn is_long(pasted: &str) -> bool {
    pasted.len() > FOLD_BYTES || pasted.lines().count() > FOLD_LINES
}

/// A pasted text with newlines at the ends of its lines.
pub(super) fn one_kind_of_ends(pasted: &str) -> String {
    pasted.replace("\r\n", "\n").replace('\r', "\n")
}

/// A text with names as people read them.
pub fn plain(text: &str) -> String {
    let written = |c| match c {
        JOINS => ' ',
        LEFT => '[',
        RIGHT => ']',
        NUMBER => '#',
        other => other,
    };
    text.chars().map(written).collect()
}

/// The parts of a message with a name for each that was pasted.
pub(in crate::ui) fn named(parts: &[MessagePiece<'_>]) -> (String, Vec<Paste>) {
    // Names must not be those of what was typed behind them.
    let typed = parts.iter().map(|part| if let MessagePiece::Typed(text) = part { text } else { "" });
    let all: String = typed.collect();
    let (mut shown, mut pastes) = (String::new(), Vec::new());
    for part in parts {
        match part {
            MessagePiece::Typed(text) => shown.push_str(&sanitize(text)),
            MessagePiece::Pasted(text) => {
                let paste = Paste::new(Arc::from(*text), &all, &pastes);
                shown.push_str(&paste.name);
                pastes.push(paste);
            }
        }
    }
    (shown, pastes)
}

/// A text with each paste in the place of its name, and where these are. What is in a paste is not looked at.
pub(super) fn unfolded(shown: &str, pastes: &[Paste]) -> (String, Pastes) {
    let (mut text, mut rest, mut spans) = (String::new(), shown, Vec::new());
    let next = |rest: &str| {
        let places = pastes.iter().filter_map(|paste| Some((rest.find(&paste.name)?, paste)));
        places.min_by_key(|(at, _)| *at)
    };
    while let Some((at, paste)) = next(rest) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        spans.push((text.len(), text.len() + paste.text.len()));
        text.push_str(&paste.text);
        rest = from.get(paste.name.len()..).unwrap_or_default();
    }
    text.push_str(rest);
    let pastes = Pastes::of(&text, spans);
    (text, pastes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_how_much_and_are_never_the_same() {
        let lines: Arc<str> = "x\n".repeat(5_000).into();
        let first = Paste::new(Arc::clone(&lines), "", &[]);
        assert_eq!(plain(&first.name), "[Pasted 5,000 lines]");
        assert_eq!(plain(&Paste::new(lines, "", &[first]).name), "[Pasted 5,000 lines #2]");
        let long: Arc<str> = "x".repeat(3_000).into();
        assert_eq!(plain(&Paste::new(Arc::clone(&long), "", &[]).name), "[Pasted 3 KB]");
        assert_eq!(plain(&Paste::new(long, "I typed [Pasted 3 KB] myself", &[]).name), "[Pasted 3 KB #2]");
    }

    #[test]
    fn a_paste_that_holds_the_name_of_another_stays_as_it_is() {
        let paste = |name: &str, text: &str| Paste { name: name.into(), text: text.into() };
        let pastes = [paste("[A]", "one [B]"), paste("[B]", "two [A]")];
        let (text, spans) = unfolded("x [B], [A], [A]!", &pastes);
        assert_eq!(text, "x two [A], one [B], one [B]!");
        assert_eq!(spans.spans(), [(2, 9), (11, 18), (20, 27)]);
    }

    #[test]
    fn no_row_ends_within_a_name() {
        use unicode_segmentation::UnicodeSegmentation;
        for text in ["x\n".repeat(5_000), "x".repeat(3_000), "y\n".repeat(1_234_567)] {
            let first = Paste::new(text.as_str().into(), "", &[]);
            let second = Paste::new(text.as_str().into(), "", std::slice::from_ref(&first));
            assert_eq!(first.name.split_word_bounds().count(), 1, "{}", first.name);
            assert_eq!(second.name.split_word_bounds().count(), 1, "{}", second.name);
        }
    }
}
