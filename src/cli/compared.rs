//! Two plays, or two sessions, line by line.

use std::path::Path;

use similar::{Algorithm, capture_diff_slices, group_diff_ops};

use crate::tool::{changes, hunk_head, numbered};
use crate::ui::text::sanitize;

/// Lines of context around a difference.
const CONTEXT: usize = 3;
/// Most lines that are shown of a difference.
const MOST_LINES: usize = 200;

/// What came of one test.
pub(super) enum Compared {
    /// It is as it was.
    Same,
    /// It is different: a unified diff.
    Different(String),
    /// It was different, and is now what is expected.
    Accepted,
    /// It could not be played.
    Broken(String),
}

impl Compared {
    pub(super) fn is_as_expected(&self) -> bool {
        matches!(self, Self::Same | Self::Accepted)
    }

    /// For people.
    pub(super) fn told(&self, file: &Path) -> String {
        let file = file.display();
        match self {
            Self::Same => format!("as expected  {file}\n"),
            Self::Accepted => format!("accepted     {file}\n"),
            Self::Broken(why) => format!("broken       {file}: {why}\n"),
            Self::Different(diff) => format!("different    {file}\n{}", shown(diff)),
        }
    }
}

/// A difference for people, indented; the end of a long one is left out.
pub(super) fn shown(diff: &str) -> String {
    let lines: Vec<&str> = diff.lines().collect();
    let shown: String = lines.iter().take(MOST_LINES).map(|line| format!("  {}\n", sanitize(line))).collect();
    match lines.len().saturating_sub(MOST_LINES) {
        0 => shown,
        more => format!("{shown}  \u{2026} lines left out: {more}\n"),
    }
}

/// The lines that are expected (-) beside those that came (+).
pub(super) fn compared(expected: &[String], found: &[String], names: (&str, &str)) -> Compared {
    if expected == found {
        return Compared::Same;
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (expected.iter().map(String::as_str).collect(), found.iter().map(String::as_str).collect());
    let (old_numbers, new_numbers) = numbered(&old, &new);
    let steps = capture_diff_slices(Algorithm::Myers, &old_numbers, &new_numbers);
    let mut text = format!("--- {}\n+++ {}\n", names.0, names.1);
    for group in group_diff_ops(steps, CONTEXT) {
        text.push_str(&format!("{}\n", hunk_head(&group)));
        for (tag, line) in changes(&group, &old, &new) {
            text.push_str(&format!("{tag}{line}\n"));
        }
    }
    Compared::Different(text)
}

/// The lines that are about decisions: which tool was called, what was decided, how it ended. A model says the same in other words.
pub(super) fn decisions(lines: &[String]) -> Vec<String> {
    let about = |line: &&String| {
        ["call ", "allowed ", "denied ", "ends: "].iter().any(|start| line.starts_with(start))
    };
    let short = |line: &String| match line.strip_prefix("call ") {
        Some(call) => format!("call {}", call.split(' ').take(2).collect::<Vec<_>>().join(" ")),
        None => line
            .split([';', ':'])
            .take(if line.starts_with("ends") { 2 } else { 1 })
            .collect::<Vec<_>>()
            .join(":"),
    };
    lines.iter().filter(about).map(short).collect()
}
