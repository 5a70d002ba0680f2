//! The place that is being read, kept by what stands there and not by its row: another width breaks lines elsewhere.

use crate::ui::local::Mark;

use super::layouts::{Part, TranscriptRow};

/// What one row of a card says, as far as a place in it is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ink {
    /// How many characters are to be read: blanks, lines that are drawn and marks of a cut are not.
    pub count: usize,
    /// Whether it belongs to the part of a card that folds.
    pub folds: bool,
}

impl Ink {
    /// The row before a card.
    pub(super) const EMPTY: Self = Self { count: 0, folds: false };

    pub(super) fn of(row: &TranscriptRow) -> Self {
        let is_read = |c: &char| !c.is_whitespace() && !matches!(c, '\u{2500}'..='\u{257f}' | '…');
        let count = match row.part {
            // One thing to be read, however much of it a width cuts off.
            Part::ReasoningHead => 1,
            _ => row.line.spans.iter().map(|span| span.content.chars().filter(is_read).count()).sum(),
        };
        Self { count, folds: row.part != Part::Open }
    }
}

/// The place at the beginning of a row.
pub(super) fn mark(rows: &[Ink], row: usize) -> Mark {
    let below = rows.get(row..).unwrap_or(&[]);
    let blank = below.iter().take_while(|ink| ink.count == 0).count();
    let folds = below.get(blank).is_some_and(|ink| ink.folds);
    let all = || rows.iter().filter(|ink| ink.folds == folds);
    let before = rows.iter().take(row + blank).filter(|ink| ink.folds == folds);
    Mark { folds, read: before.map(|ink| ink.count).sum(), all: all().map(|ink| ink.count).sum(), blank }
}

/// The row that a place has come to. `same` says that the card is still what it was: when it nevertheless has more
/// to read now, or less, it is laid out in another way, and the place is found by its share.
pub(super) fn find(rows: &[Ink], mark: &Mark, same: bool) -> usize {
    let part = || rows.iter().filter(|ink| ink.folds == mark.folds);
    let all: usize = part().map(|ink| ink.count).sum();
    let read = match mark.read.saturating_mul(all).checked_div(mark.all) {
        Some(share) if same && all != mark.all => share,
        Some(_) | None => mark.read,
    };
    let mut seen = 0;
    let first = rows.iter().position(|ink| {
        seen += if ink.folds == mark.folds { ink.count } else { 0 };
        ink.folds == mark.folds && seen > read
    });
    let first = first.unwrap_or(rows.len());
    let blank = rows.iter().take(first).rev().take_while(|ink| ink.count == 0).count();
    first - blank.min(mark.blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inks(counts: &[usize]) -> Vec<Ink> {
        counts.iter().map(|count| Ink { count: *count, folds: false }).collect()
    }

    #[test]
    fn a_place_is_found_where_its_words_went() {
        let wide = inks(&[0, 10, 10, 0, 10]);
        let narrow = inks(&[0, 5, 5, 5, 5, 0, 5, 5]);
        let rows = |row| find(&narrow, &mark(&wide, row), true);
        assert_eq!([0, 1, 2, 3, 4].map(rows), [0, 1, 3, 5, 6]);
        let back = |row| find(&wide, &mark(&narrow, row), true);
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(back), [0, 1, 1, 2, 2, 3, 4, 4]);
    }

    #[test]
    fn every_row_is_found_again_in_the_same_layout() {
        let rows = inks(&[0, 3, 0, 0, 7, 1, 0]);
        for row in 0..rows.len() {
            assert_eq!(find(&rows, &mark(&rows, row), true), row);
        }
    }

    #[test]
    fn what_is_unfolded_above_does_not_move_it() {
        let folded = [Ink { count: 20, folds: true }, Ink::EMPTY, Ink { count: 9, folds: false }];
        let mut open = vec![Ink { count: 20, folds: true }; 5];
        open.extend_from_slice(&folded[1..]);
        assert_eq!(find(&open, &mark(&folded, 2), true), 6);
        assert_eq!(find(&folded, &mark(&open, 6), true), 2);
    }

    #[test]
    fn a_text_that_grew_keeps_its_place() {
        let grown = inks(&[5, 5, 5, 5]);
        assert_eq!(find(&grown, &mark(&inks(&[5, 5]), 1), false), 1);
        assert_eq!(find(&grown, &mark(&inks(&[5, 5]), 1), true), 2, "laid out in another way: half of it");
    }
}
