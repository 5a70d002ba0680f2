//! How files and their troubles are put into words, the same in every tool.

use std::io;

use super::super::line::in_a_line;

/// What went wrong with a path, and what to do next.
pub(super) fn explain(shown: &str, failure: &io::Error) -> String {
    let shown = in_a_line(shown);
    match failure.kind() {
        io::ErrorKind::NotFound => {
            format!("`{shown}` does not exist; use `list` or `search` to find the right path")
        }
        io::ErrorKind::PermissionDenied => {
            format!("no permission for `{shown}`; the user can change its permissions")
        }
        io::ErrorKind::NotADirectory => {
            format!("a part of `{shown}` is a file, not a folder; use `list` to find the right path")
        }
        _ => format!("`{shown}`: {failure}"),
    }
}

/// `1.2 KB`, for people.
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];
    for (unit, one) in UNITS {
        if bytes >= one {
            return format!("{}.{} {unit}", bytes / one, bytes % one * 10 / one);
        }
    }
    format!("{bytes} B")
}

/// `1 line`, `2 lines`.
pub(super) fn counted(count: usize, one: &str) -> String {
    let many = match one.strip_suffix("ch") {
        Some(_) => "es",
        None => "s",
    };
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}{many}") }
}

/// At most `most` characters of a line; says how many are missing.
pub(super) fn shorten(line: &str, most: usize) -> String {
    match line.char_indices().nth(most).and_then(|(at, _)| line.split_at_checked(at)) {
        None => line.to_owned(),
        Some((head, rest)) => format!("{head}… ({} more characters)", rest.chars().count()),
    }
}
