//! Reads a unified diff into rows with their line numbers.

use std::borrow::Cow;
use std::ops::Range;

use ratatui::text::Span;

use crate::ui::text::sanitize::{Spelled, is_plain, spelled};

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    Add,
    Remove,
    Context,
    /// The head of a file or of a hunk.
    Header,
    /// A line that belongs to no hunk.
    Note,
}

/// One line of a diff, made safe and without its sign, and its number on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DiffRow<'a> {
    pub(super) sign: Sign,
    pub(super) text: Cow<'a, str>,
    /// The parts of the text that stand for a character which is not shown as it is.
    pub(super) written: Vec<Range<usize>>,
    /// The same as it is written.
    pub(super) raw: &'a str,
    pub(super) before: Option<usize>,
    pub(super) after: Option<usize>,
    /// The text in the colours of its code, once these are worked out.
    pub(super) painted: Option<Vec<Span<'static>>>,
}

impl<'a> DiffRow<'a> {
    /// A line with its numbers.
    pub(super) fn new(sign: Sign, raw: &'a str, before: Option<usize>, after: Option<usize>) -> Self {
        let (text, written) = if is_plain(raw) {
            (Cow::Borrowed(raw), Vec::new())
        } else {
            let Spelled { text, written } = spelled(raw);
            (Cow::Owned(text), written)
        };
        Self { sign, text, written, raw, before, after, painted: None }
    }

    /// The larger of the row's numbers.
    pub(super) fn last_number(&self) -> Option<usize> {
        self.before.max(self.after)
    }
}

/// A hunk being read: the next number on each side, and how many lines are still to come.
#[derive(Clone, Copy)]
struct Hunk {
    before: usize,
    after: usize,
    removed_left: usize,
    added_left: usize,
}

/// All lines of a diff. Counting down the hunk's lines tells a removed `-- x` from the head of a file.
pub(super) fn rows(unified: &str) -> Vec<DiffRow<'_>> {
    let mut hunk: Option<Hunk> = None;
    let unified = unified.strip_suffix('\n').unwrap_or(unified);
    // A file whose lines all end in a carriage return says nothing by it; one that mixes them does.
    let is_text = |line: &&str| {
        line.starts_with(['+', '-', ' ']) && !line.starts_with("+++ ") && !line.starts_with("--- ")
    };
    let hides_returns = unified.split('\n').filter(is_text).all(|line| line.ends_with('\r'));
    let bare = |line| if hides_returns { str::strip_suffix(line, '\r').unwrap_or(line) } else { line };
    unified.split('\n').map(|line| row(bare(line), &mut hunk)).collect()
}

/// The rows of one sign at the beginning, and those after them.
pub(super) fn leading<'r, 'a>(sign: Sign, rows: &'r [DiffRow<'a>]) -> (&'r [DiffRow<'a>], &'r [DiffRow<'a>]) {
    rows.split_at(rows.iter().take_while(|row| row.sign == sign).count())
}

fn row<'a>(line: &'a str, hunk: &mut Option<Hunk>) -> DiffRow<'a> {
    let inside = hunk.as_mut().filter(|hunk| hunk.removed_left + hunk.added_left > 0);
    if let Some(row) = inside.and_then(|hunk| hunk.take(line)) {
        return row;
    }
    *hunk = head(line);
    let is_header =
        hunk.is_some() || ["--- ", "+++ ", "diff ", "index "].iter().any(|head| line.starts_with(head));
    let (sign, text) = match line.split_at_checked(1) {
        _ if is_header => (Sign::Header, line),
        // A diff that was cut has lines whose numbers nobody knows.
        Some(("+", text)) => (Sign::Add, text),
        Some(("-", text)) => (Sign::Remove, text),
        _ => (Sign::Note, line),
    };
    DiffRow::new(sign, text, None, None)
}

impl Hunk {
    /// A line of the hunk, or `None` when the line cannot be one.
    fn take<'a>(&mut self, line: &'a str) -> Option<DiffRow<'a>> {
        let (sign, text) = match line.chars().next() {
            Some('+') => (Sign::Add, line.strip_prefix('+')?),
            Some('-') => (Sign::Remove, line.strip_prefix('-')?),
            Some(' ') => (Sign::Context, line.strip_prefix(' ')?),
            // Some programs strip the blank from empty context lines.
            None => (Sign::Context, line),
            Some('\\') => return Some(DiffRow::new(Sign::Note, line, None, None)),
            Some(_) => return None,
        };
        let before = (sign != Sign::Add).then_some(self.before);
        let after = (sign != Sign::Remove).then_some(self.after);
        if before.is_some() {
            self.before = self.before.saturating_add(1);
            self.removed_left = self.removed_left.saturating_sub(1);
        }
        if after.is_some() {
            self.after = self.after.saturating_add(1);
            self.added_left = self.added_left.saturating_sub(1);
        }
        Some(DiffRow::new(sign, text, before, after))
    }
}

/// Reads `@@ -before,lines +after,lines @@`.
fn head(line: &str) -> Option<Hunk> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (removed, added) = ranges.split_once(" +")?;
    let (before, removed_left) = range(removed)?;
    let (after, added_left) = range(added)?;
    Some(Hunk { before, after, removed_left, added_left })
}

fn range(range: &str) -> Option<(usize, usize)> {
    let (start, lines) = range.split_once(',').unwrap_or((range, "1"));
    Some((start.parse().ok()?, lines.parse().ok()?))
}
