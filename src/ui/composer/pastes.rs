//! Big pastes, which the composer shows by their names and sends whole.

use std::sync::Arc;

use super::super::text::grouped;

/// A blank at which no line is broken, and no word ends: a name stays in one row.
const JOINS: char = '\u{202f}';

/// A paste that is shown by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Paste {
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
        let plain = |text: &str| text.replace(JOINS, " ");
        let (shown, taken): (String, Vec<String>) =
            (plain(shown), others.iter().map(|other| plain(&other.name)).collect());
        let is_free = |name: &String| !shown.contains(name.as_str()) && !taken.contains(name);
        let numbered = (2_usize..).map(|n| format!("[Pasted {size} #{n}]"));
        let mut names = std::iter::once(format!("[Pasted {size}]")).chain(numbered);
        Self { name: names.find(is_free).unwrap_or_default().replace(' ', &JOINS.to_string()), text }
    }
}

/// A text with each paste in the place of its name. What is in a paste is not looked at.
pub(super) fn unfolded(shown: &str, pastes: &[Paste]) -> String {
    let (mut text, mut rest) = (String::new(), shown);
    let next = |rest: &str| {
        let places = pastes.iter().filter_map(|paste| Some((rest.find(&paste.name)?, paste)));
        places.min_by_key(|(at, _)| *at)
    };
    while let Some((at, paste)) = next(rest) {
        let (before, from) = rest.split_at(at);
        text.push_str(before);
        text.push_str(&paste.text);
        rest = from.get(paste.name.len()..).unwrap_or_default();
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_how_much_and_are_never_the_same() {
        let lines: Arc<str> = "x\n".repeat(5_000).into();
        let first = Paste::new(Arc::clone(&lines), "", &[]);
        assert_eq!(first.name.replace(JOINS, " "), "[Pasted 5,000 lines]");
        assert_eq!(Paste::new(lines, "", &[first]).name.replace(JOINS, " "), "[Pasted 5,000 lines #2]");
        let long: Arc<str> = "x".repeat(3_000).into();
        assert_eq!(Paste::new(Arc::clone(&long), "", &[]).name.replace(JOINS, " "), "[Pasted 3 KB]");
        assert_eq!(
            Paste::new(long, "I typed [Pasted 3 KB] myself", &[]).name.replace(JOINS, " "),
            "[Pasted 3 KB #2]"
        );
    }

    #[test]
    fn a_paste_that_holds_the_name_of_another_stays_as_it_is() {
        let paste = |name: &str, text: &str| Paste { name: name.into(), text: text.into() };
        let pastes = [paste("[A]", "one [B]"), paste("[B]", "two [A]")];
        assert_eq!(unfolded("x [B], [A], [A]!", &pastes), "x two [A], one [B], one [B]!");
    }
}
