//! Small words and numbers, the same everywhere on the screen.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ledger::seconds;
use crate::ui::text::{fit, sanitize, width};
use crate::ui::theme::Theme;
use crate::view::{Forming, View};

/// Milliseconds as people say them: `3 ms`, `3.2 s`, `2:05 min`.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => seconds(ms),
        _ => format!("{} min", clock(ms / 1_000)),
    }
}

/// Whole seconds as a clock: `1:42`, `60:00`, `2:02:03`.
pub(in crate::ui) fn clock(seconds: u64) -> String {
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if seconds < 100 * 60 {
        format!("{}:{rest:02}", seconds / 60)
    } else {
        format!("{hours}:{minutes:02}:{rest:02}")
    }
}

/// A number as short as it can be read: `999`, `3.1k`, `48k`, `1.2M`.
pub(crate) fn short(n: u64) -> String {
    match n {
        0..1_000 => n.to_string(),
        1_000..10_000 => format!("{}.{}k", n / 1_000, n % 1_000 / 100),
        10_000..1_000_000 => format!("{}k", n / 1_000),
        _ => format!("{}.{}M", n / 1_000_000, n % 1_000_000 / 100_000),
    }
}

/// What a session has cost until now; where no price is known, its tokens, with those of the answer that is being written.
pub(in crate::ui) fn cost_until_now(view: &View) -> String {
    let cost = view.meter().session_usage().cost;
    cost.map_or_else(|| format!("{} tokens", short(view.tokens_until_now())), |cost| cost.to_string())
}

/// Micro-dollars, rounded: `$0.12`.
pub(super) fn dollars(micro: u64) -> String {
    match micro {
        1..10_000 => "<$0.01".to_owned(),
        _ => {
            let cents = (micro + 5_000) / 10_000;
            format!("${}.{:02}", cents / 100, cents % 100)
        }
    }
}

/// A part in percent, rounded down; of nothing it is 0.
pub(super) fn percent(part: u64, whole: u64) -> u64 {
    let parts = u128::from(part) * 100 / u128::from(whole.max(1));
    u64::try_from(parts).unwrap_or(100).min(100)
}

/// `1 line`, `2 lines`.
pub(super) fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

/// `1 token`, `1.2k tokens`.
pub(super) fn counted(n: u64, what: &str) -> String {
    format!("{} {what}{}", short(n), if n == 1 { "" } else { "s" })
}

/// How much of a call a model has written: its lines, or the bytes of a single one.
pub(super) fn written_so_far(forming: &Forming) -> String {
    match forming.breaks {
        0 => counted(forming.bytes, "byte"),
        breaks => counted(breaks + 1, "line"),
    }
}

/// `1 entry`, `2 entries`.
pub(super) fn count_entries(n: usize) -> String {
    if n == 1 { "1 entry".to_owned() } else { format!("{n} entries") }
}

/// The name of a call and what it is about, as the title of a box.
pub(super) fn titled(name: &str, about: &str, theme: &Theme) -> Vec<Span<'static>> {
    let mut spans = vec![Span::styled(one_row(name), theme.title)];
    if !about.is_empty() {
        spans.push(Span::styled(format!("  {}", one_row(about)), theme.dim));
    }
    spans
}

/// An untrusted text on one line, safe for the screen.
pub(in crate::ui) fn one_row(text: &str) -> String {
    sanitize(text).replace('\n', " ")
}

/// A text in so many cells: of a longer one, its end.
pub(super) fn end(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars().rev() {
        if width(&kept) + width(letter.encode_utf8(&mut [0; 4])) + 1 > most {
            break;
        }
        kept.insert(0, letter);
    }
    format!("…{kept}")
}

/// A text in so many cells: of a longer one, both ends, for a path ends with its file and a list with what is added.
pub(super) fn middle(text: &str, most: usize) -> String {
    without_middle(text, most, most / 3 + 1)
}

/// The same for a command: its beginning says which program runs, so more of that is kept.
pub(in crate::ui) fn middle_of_command(text: &str, most: usize) -> String {
    without_middle(text, most, most * 2 / 3 + 1)
}

/// A text in so many cells: of a longer one, a beginning of at most `head` of them, and its end.
fn without_middle(text: &str, most: usize, head: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let head = fit(text, head.min(most));
    let room = most.saturating_sub(width(&head));
    let mut tail: Vec<char> = Vec::new();
    let mut used = 0;
    for letter in text.chars().rev() {
        used += width(letter.encode_utf8(&mut [0; 4]));
        if used > room {
            break;
        }
        tail.push(letter);
    }
    head + &tail.into_iter().rev().collect::<String>()
}

/// Cells of some spans.
pub(super) fn cells(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|s| width(&s.content)).sum()
}

/// A line with a left and a right end; the right one is left out when there is no room for both.
pub(super) fn both_ends(
    mut left: Vec<Span<'static>>,
    right: Vec<Span<'static>>,
    total: usize,
) -> Line<'static> {
    let (used, needed) = (cells(&left), cells(&right));
    if needed > 0 && used + 1 + needed <= total {
        left.push(Span::raw(" ".repeat(total - used - needed)));
        left.extend(right);
    }
    Line::from(left)
}

/// Keys and what they do: `y once   s this session`.
pub(super) fn keys(pairs: &[(&str, &str)], key: Style, word: Style) -> Vec<Vec<Span<'static>>> {
    pairs
        .iter()
        .map(|(k, w)| {
            let words = if w.is_empty() { String::new() } else { format!(" {w}") };
            vec![Span::styled((*k).to_owned(), key), Span::styled(words, word)]
        })
        .collect()
}

/// Lays groups side by side, wrapped to a width.
pub(super) fn flow(groups: Vec<Vec<Span<'static>>>, space: usize, total: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let mut line: Vec<Span<'static>> = Vec::new();
    for group in groups {
        let used = cells(&line);
        if used > 0 && used + space + cells(&group) > total {
            lines.push(Line::from(std::mem::take(&mut line)));
        } else if used > 0 {
            line.push(Span::raw(" ".repeat(space)));
        }
        line.extend(group);
    }
    lines.push(Line::from(line));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_path_both_ends_are_shown() {
        assert_eq!(middle("src/a.rs", 8), "src/a.rs");
        assert_eq!(middle("a/very/long/path/to/file.rs", 15), "a/ver…o/file.rs");
        assert_eq!(middle_of_command("$ cargo test --workspace --lib", 15), "$ cargo te…-lib");
        for most in 0..30 {
            assert!(width(&middle("a/日本語/long/path/ファイル.rs", most)) <= most, "{most}");
            assert!(width(&middle_of_command("$ 日本語 --all ファイル.rs", most)) <= most, "{most}");
        }
    }
}
