//! What a line that is still being written is, by its beginning: only a marker so far, or code.

use super::begun_table;

/// Whether nothing stands there yet but the marker of a list, a heading, a quote or a table: it is drawn with its first word.
pub(super) fn is_marker(line: &str) -> bool {
    let line = line.trim();
    let is_heading = !line.is_empty() && line.len() <= 6 && line.chars().all(|c| c == '#');
    is_heading || ["-", "*", "+", ">"].contains(&line) || is_box(line) || begun_table::is_empty_head(line)
}

/// Whether the box of a task has begun, behind the marker of its item.
fn is_box(line: &str) -> bool {
    let begun = ["[", "[ ", "[x", "[X", "[ ]", "[x]", "[X]"];
    line.split_once(' ')
        .is_some_and(|(marker, rest)| ["-", "*", "+"].contains(&marker) && begun.contains(&rest))
}

/// Whether the text ends in a block of code that stands in a list.
pub(super) fn is_in_code(text: &str) -> bool {
    let is_fence = |line: &&str| line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
    text.lines().filter(is_fence).count() % 2 == 1
}

/// Items of a list in a list are indented, too.
pub(super) fn is_indented_code(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t']);
    let is_item = rest.starts_with(['-', '*', '+']) || rest.starts_with(|c: char| c.is_ascii_digit());
    (line.starts_with("    ") || line.starts_with('\t')) && !is_item
}
