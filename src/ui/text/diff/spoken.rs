//! A diff in words: each line begins with what becomes of it.

use super::super::line_end::told_end;
use super::read::{DiffRow, Sign, rows};
use super::white_space::{in_words, told_tabs};

/// What stands in a diff for a file that is not there.
const NONE: &str = "/dev/null";

/// The lines of a unified diff, made safe: `added: …`, `removed: …`, `same: …`, and before each hunk where it begins.
#[must_use]
pub fn spoken(unified: &str) -> Vec<String> {
    let rows = rows(unified);
    let after = |at: usize| rows.iter().skip(at).find_map(|row| row.after.or(row.before));
    let told = told_tabs(&rows);
    let mut spoken = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| rows.get(at)).and_then(|row| named(row, "--- "));
        let next = rows.get(at + 1).and_then(|row| named(row, "+++ "));
        match (named(row, "--- "), next, named(row, "+++ "), before) {
            // It is said with the line below.
            (Some(_), Some(_), ..) => {}
            _ if named(row, "index ").is_some() || is_named_below(row, rows.get(at + 1..)) => {}
            (_, _, Some(after), Some(before)) => spoken.extend(files(before, after)),
            _ => {
                let tells_tabs = told.get(at).copied().unwrap_or_default();
                spoken.push(said(row, after(at), tells_tabs));
            }
        }
    }
    spoken.iter().map(|line| line.trim_end().to_owned()).collect()
}

/// The file that a line of the head names behind this sign.
fn named<'a>(row: &'a DiffRow<'_>, sign: &str) -> Option<&'a str> {
    row.text.strip_prefix(sign).filter(|_| row.sign == Sign::Header)
}

/// Whether the line with which git begins a file is followed by one that says which it is.
fn is_named_below(row: &DiffRow<'_>, below: Option<&[DiffRow<'_>]>) -> bool {
    let mut heads = below.unwrap_or_default().iter().take_while(|row| named(row, "diff ").is_none());
    named(row, "diff ").is_some() && heads.any(|row| named(row, "+++ ").is_some())
}

/// Which file it is, and whether it was there before and is after.
fn files(before: &str, after: &str) -> Vec<String> {
    let (before, after) = (before.trim(), after.trim());
    // What git writes before paths.
    let sides = (before.strip_prefix("a/"), after.strip_prefix("b/"));
    match (before, after) {
        (NONE, _) => vec![format!("new file: {}", sides.1.unwrap_or(after))],
        (_, NONE) => vec![format!("deleted file: {}", sides.0.unwrap_or(before))],
        _ if before == after => vec![format!("file: {after}")],
        _ if sides.0.is_some() && sides.0 == sides.1 => vec![format!("file: {}", sides.1.unwrap_or(after))],
        _ => vec![format!("file before: {before}"), format!("file after: {after}")],
    }
}

fn said(row: &DiffRow<'_>, line: Option<usize>, tells_tabs: bool) -> String {
    let text = row.text.as_ref();
    let change = || in_words(row, tells_tabs);
    match (row.sign, line) {
        (Sign::Add, _) => format!("added: {}", told_end(&change())),
        (Sign::Remove, _) => format!("removed: {}", told_end(&change())),
        (Sign::Context, _) => format!("same: {}", told_end(&change())),
        (Sign::Header, Some(line)) if text.starts_with("@@") => format!("from line {line} on:"),
        (Sign::Header, _) => match (text.strip_prefix("--- "), text.strip_prefix("+++ ")) {
            (Some(file), _) => format!("file before: {file}"),
            (_, Some(file)) => format!("file after: {file}"),
            (None, None) => format!("about: {text}"),
        },
        (Sign::Note, _) => format!("note: {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_says_what_becomes_of_it() {
        let unified = "--- a.rs\n+++ a.rs\n@@ -40,3 +40,2 @@\n fn a()\n--- x\n-\n+\u{1b}[1mb\n";
        assert_eq!(
            spoken(unified),
            [
                "file: a.rs",
                "from line 40 on:",
                "same: fn a()",
                "removed: -- x",
                "removed:",
                "added: [character U+001B][1mb",
            ]
        );
    }

    #[test]
    fn blanks_at_the_end_of_a_line_are_told() {
        let unified = "--- a.sh\n+++ a.sh\n@@ -1,2 +1,3 @@\n-echo \\\n+echo \\ \n+  \n rm -f b\n";
        let said = spoken(unified);
        assert_eq!(
            said[2..],
            [
                "removed: echo \\",
                "added: echo \\ [blank at the end]",
                "added: [blank at the end]",
                "same: rm -f b"
            ]
        );
    }

    #[test]
    fn signs_of_files_that_are_not_there_are_said_in_words() {
        let first = |unified: &str| spoken(unified).remove(0);
        assert_eq!(first("--- /dev/null\n+++ src/new.rs\n@@ -0,0 +1 @@\n+one\n"), "new file: src/new.rs");
        assert_eq!(first("--- /dev/null\n+++ b/new.rs\n@@ -0,0 +1 @@\n+one\n"), "new file: new.rs");
        assert_eq!(first("--- a/old.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n"), "deleted file: old.rs");
        assert_eq!(first("--- a/it.rs\n+++ b/it.rs\n@@ -1 +1 @@\n-a\n+b\n"), "file: it.rs");
        let two = spoken("--- one.rs\n+++ two.rs\n@@ -1 +1 @@\n-a\n+b\n");
        assert_eq!(two[..2], ["file before: one.rs", "file after: two.rs"]);
        let git = "diff --git a/it b/it\nindex 45b..ab4 100644\n--- a/it\n+++ b/it\n@@ -1 +1 @@\n-a\n+b\n";
        assert_eq!(spoken(git), ["file: it", "from line 1 on:", "removed: a", "added: b"]);
        assert_eq!(
            first("diff --git a/it b/it\nindex 45b..ab4\nBinary files differ\n"),
            "about: diff --git a/it b/it"
        );
        // Lines of the file that look like its head are lines.
        let inside = spoken("--- a.sql\n+++ a.sql\n@@ -1,2 +1,2 @@\n--- /dev/null\n+++ b\n c\n");
        assert_eq!(inside[1..], ["from line 1 on:", "removed: -- /dev/null", "added: ++ b", "same: c"]);
    }
}
