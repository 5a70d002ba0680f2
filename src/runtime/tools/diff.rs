//! A change as people approve it: a unified diff of bounded size.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use super::words::shorten;

/// More lines than anybody reads before a decision.
const MOST_LINES: usize = 400;
const MOST_LINE_CHARS: usize = 2000;
/// After this the diff gets coarser instead of better.
const PATIENCE: Duration = Duration::from_millis(500);

/// The change of one file.
pub(super) struct Difference {
    /// Unified; ends with `… N more lines` when it is cut.
    pub(super) text: String,
    /// Lines that are new.
    pub(super) added: usize,
    /// Lines that are gone.
    pub(super) removed: usize,
}

/// Compares a file before (`None`: there was none) and after.
pub(super) fn compare(shown: &str, before: Option<&str>, after: &str) -> Difference {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before.unwrap_or(""), after);
    let count = |tag: ChangeTag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    let shown = shown.trim_start_matches('/');
    let old = if before.is_some() { format!("a/{shown}") } else { "/dev/null".to_owned() };
    let whole = diff.unified_diff().context_radius(3).header(&old, &format!("b/{shown}")).to_string();
    Difference { text: clip(&whole), added: count(ChangeTag::Insert), removed: count(ChangeTag::Delete) }
}

fn clip(whole: &str) -> String {
    let mut text = String::new();
    for line in whole.split('\n').take(MOST_LINES) {
        text.push_str(&shorten(line, MOST_LINE_CHARS));
        text.push('\n');
    }
    let more = whole.lines().count().saturating_sub(MOST_LINES);
    if more > 0 {
        text.push_str(&format!("… {more} more lines\n"));
    }
    text.truncate(text.trim_end_matches('\n').len());
    text.push('\n');
    text
}
