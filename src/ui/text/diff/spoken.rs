//! A diff in words: each line begins with what becomes of it.

use super::read::{DiffRow, Sign, rows};

/// The lines of a unified diff, made safe: `added: …`, `removed: …`, `same: …`, and before each hunk where it begins.
#[must_use]
pub fn spoken(unified: &str) -> Vec<String> {
    let rows = rows(unified);
    let after = |at: usize| rows.iter().skip(at).find_map(|row| row.after.or(row.before));
    let spoken = rows.iter().enumerate().map(|(at, row)| said(row, after(at)));
    spoken.map(|line| line.trim_end().to_owned()).collect()
}

fn said(row: &DiffRow<'_>, line: Option<usize>) -> String {
    let text = row.text.as_ref();
    match (row.sign, line) {
        (Sign::Add, _) => format!("added: {text}"),
        (Sign::Remove, _) => format!("removed: {text}"),
        (Sign::Context, _) => format!("same: {text}"),
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
                "file before: a.rs",
                "file after: a.rs",
                "from line 40 on:",
                "same: fn a()",
                "removed: -- x",
                "removed:",
                "added: ^[[1mb",
            ]
        );
    }
}
