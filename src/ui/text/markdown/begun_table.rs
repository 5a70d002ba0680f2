//! A table of which only the head is there, or half of the row below it: it is drawn as the table that it will be.

/// A text that ends with the head of a table, with the row below the head completed; `None` where it does not.
pub(super) fn completed(text: &str) -> Option<String> {
    let mut lines = text.rsplit('\n');
    let last = lines.next().unwrap_or_default();
    let (before, above) = (lines.next(), lines.next());
    let in_table = |line: Option<&str>| line.is_some_and(|line| line.trim_start().starts_with('|'));
    if last.trim().is_empty() || is_delimiter(last) {
        let is_first = above.is_none_or(|above| above.trim().is_empty());
        let row = delimiter(before?, is_first, last.trim()).filter(|_| !in_table(above))?;
        return Some(format!("{}{row}", text.get(..text.len() - last.len())?));
    }
    let row = delimiter(last, true, "").filter(|_| !in_table(before))?;
    Some(format!("{text}\n{row}"))
}

/// Whether a line is a row as models write them: with a sign at its beginning and a blank behind it.
fn is_row(line: &str) -> bool {
    line.trim_start().starts_with("| ")
}

/// Whether a line can only be the one below the head of a table, or be nothing yet.
fn is_delimiter(line: &str) -> bool {
    line.contains(['-', '|', ':']) && line.chars().all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
}

/// The row below this head, as wide as the head: what is written of it stands in it. `None` where the head is none, or not yet.
fn delimiter(head: &str, is_first: bool, written: &str) -> Option<String> {
    let (indent, line) = head.split_at_checked(head.len() - head.trim_start().len())?;
    let columns = columns(line.trim_end())?;
    let is_table = match written {
        "" => is_row(line),
        // Without a sign at its beginning it can be a line like others, and an underline.
        written => line.starts_with('|') || is_first && written.contains('|'),
    };
    let cells: Vec<&str> = written.trim_start_matches('|').split('|').map(str::trim).collect();
    if !is_table || cells.iter().filter(|cell| !cell.is_empty()).count() > columns {
        return None;
    }
    let cell = |at: usize| cells.get(at).copied().filter(|cell| is_cell(cell)).unwrap_or("---");
    let cells: Vec<&str> = (0..columns).map(cell).collect();
    Some(format!("{indent}|{}|", cells.join("|")))
}

/// A whole cell of the row below the head.
fn is_cell(cell: &str) -> bool {
    let inner = cell.strip_prefix(':').unwrap_or(cell);
    let inner = inner.strip_suffix(':').unwrap_or(inner);
    !inner.is_empty() && inner.chars().all(|c| c == '-')
}

/// How many columns a head has; `None` where nothing is written in it, or it has no sign of a table.
fn columns(head: &str) -> Option<usize> {
    let mut signs = 0;
    let (mut is_escaped, mut ends) = (false, false);
    for c in head.chars() {
        ends = c == '|' && !is_escaped;
        signs += usize::from(ends);
        is_escaped = c == '\\' && !is_escaped;
    }
    let begins = head.starts_with('|');
    let is_written = head.chars().any(|c| c != '|' && !c.is_whitespace());
    let edges = usize::from(begins) + usize::from(ends && signs > 1);
    (signs > 0 && is_written).then(|| signs + 1 - edges)
}

/// Whether a line is the beginning of a head in which nothing is written yet.
pub(super) fn is_empty_head(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('|') && line.chars().all(|c| c == '|' || c.is_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_below_a_head_is_completed() {
        for (text, whole) in [
            ("| a", "| a\n|---|"),
            ("| a | b", "| a | b\n|---|---|"),
            ("| a | b |", "| a | b |\n|---|---|"),
            ("| a | b |\n", "| a | b |\n|---|---|"),
            ("| a | b |\n ", "| a | b |\n|---|---|"),
            ("| a | b |\n|--", "| a | b |\n|--|---|"),
            ("| a | b |\n|:-:|-", "| a | b |\n|:-:|-|"),
            ("| a | b |\n|---|---|", "| a | b |\n|---|---|"),
            ("Words:\n| a \\| c | b |\n|", "Words:\n| a \\| c | b |\n|---|---|"),
            ("- x\n\n  | a | b |\n  |-", "- x\n\n  | a | b |\n  |-|---|"),
            ("a | b\n--- | -", "a | b\n|---|-|"),
        ] {
            assert_eq!(completed(text).as_deref(), Some(whole), "{text:?}");
        }
    }

    #[test]
    fn what_may_be_something_else_stays() {
        for text in [
            "",
            "words",
            "|x| is positive",
            "a | b",
            "a | b\n---",
            "words\na | b\n--- | -",
            "| a | b |\n|---|---|\n| 1",
            "| a | b |\n|---|---|\n",
            "| a |\n|---|---|",
            "| a | b |\nwords",
            "|",
            "| |",
        ] {
            assert_eq!(completed(text), None, "{text:?}");
        }
    }
}
