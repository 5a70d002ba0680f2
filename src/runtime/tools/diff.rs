//! A change as people approve it: a unified diff of bounded size.

use std::time::{Duration, Instant};

use similar::{Algorithm, ChangeTag, DiffOp, capture_diff_slices_deadline, group_diff_ops};

use crate::ledger::Summary;
use crate::tool::{changes, hunk_head, numbered};

use super::words::{counted, shorten};

/// More lines than anybody reads before a decision.
const MOST_LINES: usize = 400;
const MOST_LINE_CHARS: usize = 2000;
/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;
/// After this the diff gets coarser instead of better.
const PATIENCE: Duration = Duration::from_millis(500);

/// The change of one file.
pub(in crate::runtime) struct Difference {
    /// Unified; ends with `… N more lines` when it is cut.
    pub(in crate::runtime) text: String,
    /// Whether lines, or parts of them, are left out.
    pub(in crate::runtime) is_cut: bool,
    /// Lines that are new.
    pub(in crate::runtime) added: usize,
    /// Lines that are gone.
    pub(in crate::runtime) removed: usize,
}

impl Difference {
    /// How many lines it has more and less.
    pub(in crate::runtime) fn summary(&self) -> Summary {
        Summary::Changed { added: self.added as u64, removed: self.removed as u64 }
    }
}

/// Compares a file before (`None`: there was none) and after.
pub(in crate::runtime) fn compare(shown: &str, before: Option<&str>, after: &str) -> Difference {
    // A line ends where the file's does: a carriage return alone is a character of it.
    let lines = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (were, are) = (lines(before.unwrap_or("")), lines(after));
    let steps = steps(&were, &are);
    let count = |tag: ChangeTag| changes(&steps, &were, &are).filter(|change| change.0 == tag).count();
    let (added, removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
    // A path from the root says so: `a/etc/passwd` would be another file.
    let side =
        |letter: char| if shown.starts_with('/') { shown.to_owned() } else { format!("{letter}/{shown}") };
    let old = if before.is_some() { side('a') } else { "/dev/null".to_owned() };
    let (text, is_cut) = clip(&unified(steps, (&were, &are), (&old, &side('b'))));
    Difference { text, is_cut, added, removed }
}

/// How one list of lines comes from the other; after a while only roughly.
fn steps(were: &[&str], are: &[&str]) -> Vec<DiffOp> {
    let (were, are) = numbered(were, are);
    capture_diff_slices_deadline(Algorithm::Myers, &were, &are, Some(Instant::now() + PATIENCE))
}

fn unified(steps: Vec<DiffOp>, (were, are): (&[&str], &[&str]), (old, new): (&str, &str)) -> String {
    let groups = group_diff_ops(steps, CONTEXT);
    let mut text = if groups.is_empty() { String::new() } else { format!("--- {old}\n+++ {new}\n") };
    for group in groups {
        text.push_str(&format!("{}\n", hunk_head(&group)));
        for (tag, line) in changes(&group, were, are) {
            text.push_str(match tag {
                ChangeTag::Equal => " ",
                ChangeTag::Insert => "+",
                ChangeTag::Delete => "-",
            });
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    text
}

/// As much as is shown, and whether that is not all.
fn clip(whole: &str) -> (String, bool) {
    let mut text = String::new();
    let mut is_cut = false;
    for line in whole.split('\n').take(MOST_LINES) {
        let short = shorten(line, MOST_LINE_CHARS);
        is_cut |= *short != *line;
        text.push_str(&short);
        text.push('\n');
    }
    let more = whole.lines().count().saturating_sub(MOST_LINES);
    if more > 0 {
        text.push_str(&format!("… {}\n", counted(more, "more line")));
    }
    text.truncate(text.trim_end_matches('\n').len());
    text.push('\n');
    (text, is_cut || more > 0)
}
