//! Two lists of texts on their way to a comparison and back. All are compared as numbers: each kind of list that the algorithm of the
//! comparison is built for adds seconds to a first build.

use std::collections::BTreeMap;
use std::ops::Range;

use similar::{ChangeTag, DiffOp};

/// Both lists as numbers: texts that are the same, in whichever list, have the same one.
#[must_use]
pub fn numbered(old: &[&str], new: &[&str]) -> (Vec<usize>, Vec<usize>) {
    let mut numbers = BTreeMap::new();
    let mut number = |text| {
        let next = numbers.len();
        *numbers.entry(text).or_insert(next)
    };
    let old = old.iter().map(|text| number(*text)).collect();
    (old, new.iter().map(|text| number(*text)).collect())
}

/// The texts of some steps of a comparison in order; of a part that is replaced, first what is gone and then what came.
pub fn changes<'l, 'a>(
    steps: &'l [DiffOp],
    old: &'l [&'a str],
    new: &'l [&'a str],
) -> impl Iterator<Item = (ChangeTag, &'a str)> + use<'l, 'a> {
    steps.iter().flat_map(move |step| {
        let (tag, gone, came) = match step {
            DiffOp::Equal { .. } => (ChangeTag::Equal, step.old_range(), 0..0),
            _ => (ChangeTag::Delete, step.old_range(), step.new_range()),
        };
        let gone = old.get(gone).unwrap_or_default().iter().map(move |text| (tag, *text));
        gone.chain(new.get(came).unwrap_or_default().iter().map(|text| (ChangeTag::Insert, *text)))
    })
}

/// The head of a hunk: on each side the first line, counted from 1, and how many.
#[must_use]
pub fn hunk_head(hunk: &[DiffOp]) -> String {
    let side = |range: fn(&DiffOp) -> Range<usize>| {
        let start = hunk.first().map_or(0, |step| range(step).start);
        match hunk.last().map_or(0, |step| range(step).end).saturating_sub(start) {
            0 => format!("{start},0"),
            1 => (start + 1).to_string(),
            lines => format!("{},{lines}", start + 1),
        }
    };
    format!("@@ -{} +{} @@", side(DiffOp::old_range), side(DiffOp::new_range))
}

#[cfg(test)]
mod tests {
    use similar::{Algorithm, ChangeTag, capture_diff_slices};

    use super::{changes, numbered};

    #[test]
    fn what_comes_back_are_both_lists() {
        let (old, new) = (["a", "b", "c", "a"], ["a", "x", "y", "c", "z", "a"]);
        let (were, are) = numbered(&old, &new);
        assert_eq!(
            (were.as_slice(), are.as_slice()),
            ([0, 1, 2, 0].as_slice(), [0, 3, 4, 2, 5, 0].as_slice())
        );

        let steps = capture_diff_slices(Algorithm::Myers, &were, &are);
        let all: Vec<_> = changes(&steps, &old, &new).collect();
        let of = |left_out| all.iter().filter(move |(tag, _)| *tag != left_out).map(|(_, text)| *text);
        assert!(of(ChangeTag::Insert).eq(old));
        assert!(of(ChangeTag::Delete).eq(new));
        let gone_at = all.iter().position(|change| *change == (ChangeTag::Delete, "b"));
        assert!(gone_at < all.iter().position(|change| *change == (ChangeTag::Insert, "x")));
    }
}
