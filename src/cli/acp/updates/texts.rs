//! Texts as editors draw them, which is as Markdown: what others wrote stands where nothing in it can be
//! taken for our words.

use serde_json::{Value, json};

use crate::ui::text::sanitize;

/// A text of ours.
pub(super) fn text(words: &str) -> Value {
    json!({ "type": "content", "content": { "type": "text", "text": words } })
}

/// A text as it is, in a fence that nothing in it can end.
pub(super) fn fenced(words: &str) -> Value {
    let fence = "`".repeat(longest(words).max(2) + 1);
    text(&format!("{fence}\n{}\n{fence}", sanitize(words)))
}

/// What others wrote, on one line.
pub(super) fn one_row(words: &str) -> String {
    sanitize(words).replace('\n', " ")
}

/// What others wrote within a sentence of ours: on one line, between backquotes that nothing in it can end.
pub(super) fn quoted(words: &str) -> String {
    let row = one_row(words);
    if row.trim().is_empty() {
        return row;
    }
    let sign = "`".repeat(longest(&row) + 1);
    let touches = row.starts_with('`') || row.ends_with('`');
    let space = if touches { " " } else { "" };
    format!("{sign}{space}{row}{space}{sign}")
}

/// The most backquotes that stand one behind the other.
fn longest(words: &str) -> usize {
    words.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_ends_no_quotes_and_begins_no_line() {
        for (words, shown) in [
            ("a.txt", "`a.txt`"),
            ("![](http://example.org/x)", "`![](http://example.org/x)`"),
            ("no rule covers `x`", "`` no rule covers `x` ``"),
            ("a `` b", "```a `` b```"),
            ("x`\n\n**Approved**\n\n`", "`` x`  **Approved**  ` ``"),
            ("x\u{1b}[2J", "`x^[[2J`"),
            ("", ""),
        ] {
            assert_eq!(quoted(words), shown);
        }
    }
}
