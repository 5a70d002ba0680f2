//! How many cells a text takes, and cutting it to a number of cells.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use crate::ledger::grouped;

/// The widest that words are set, however much room there is: longer lines are hard to read. Code, tables and panels
/// may be wider.
pub const MEASURE: usize = 100;

/// The cells that a text takes on the screen: the sum over its grapheme clusters, because that is how they are drawn.
#[must_use]
pub fn width(text: &str) -> usize {
    // Most texts are of ASCII, and most others were cut off.
    let (start, end) = text.strip_suffix('…').map_or((text, 0), |start| (start, 1));
    if start.is_ascii() { start.len() + end } else { text.graphemes(true).map(UnicodeWidthStr::width).sum() }
}

/// A text on one line, at most `limit` cells wide; what was cut off is told by an ellipsis.
#[must_use]
pub fn fit(text: &str, limit: usize) -> String {
    let line = text.replace('\n', " ");
    if width(&line) <= limit {
        return line;
    }
    let Some(room) = limit.checked_sub(1) else { return String::new() };
    let mut kept = String::new();
    let mut used = 0;
    for grapheme in line.graphemes(true) {
        used += grapheme.width();
        if used > room {
            break;
        }
        kept.push_str(grapheme);
    }
    kept.push('…');
    kept
}

/// The same, cut behind a whole word where that leaves at least half of the cells.
#[must_use]
pub fn fit_words(text: &str, limit: usize) -> String {
    whole_words(text, limit).filter(|kept| 2 * width(kept) >= limit).unwrap_or_else(|| fit(text, limit))
}

/// A text on one line, at most `limit` cells wide, of which no word is cut: an ellipsis stands behind the last one that is left.
/// `None`: not one fits.
#[must_use]
pub fn whole_words(text: &str, limit: usize) -> Option<String> {
    let line = text.replace('\n', " ");
    if width(&line) <= limit {
        return Some(line);
    }
    let cut = fit(&line, limit);
    let kept = cut.strip_suffix('…')?;
    let is_whole = line.get(kept.len()..).is_some_and(|rest| rest.starts_with(char::is_whitespace));
    let kept = if is_whole { kept } else { kept.rsplit_once(char::is_whitespace)?.0 };
    let kept = kept.trim_end_matches(|c: char| c.is_whitespace() || [',', ';', ':', '·', '…'].contains(&c));
    (!kept.is_empty()).then(|| format!("{kept}…"))
}

/// So many of something: `1 file`, `12,345 files`, `2 entries`.
#[must_use]
pub fn counted(n: u64, one: &str) -> String {
    match (n, one.strip_suffix('y')) {
        (1, _) => format!("1 {one}"),
        (_, Some(stem)) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{} {stem}ies", grouped(n)),
        (_, _) => format!("{} {one}s", grouped(n)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        let said = [counted(0, "file"), counted(1, "entry"), counted(2, "entry"), counted(1_000, "day")];
        assert_eq!(said, ["0 files", "1 entry", "2 entries", "1,000 days"]);
    }

    #[test]
    fn width_counts_cells_of_what_is_seen() {
        for (text, cells) in
            [("", 0), ("abc", 3), ("漢字", 4), ("👨‍👩‍👧‍👦", 2), ("🇩🇪🇫🇷", 4), ("e\u{301}", 1), ("שלום", 4)]
        {
            assert_eq!(width(text), cells, "{text}");
        }
    }

    #[test]
    fn thousands_are_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn fit_cuts_between_graphemes_and_says_so() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdef", 4), "abc…");
        assert_eq!(fit("漢字漢字", 4), "漢…");
        assert_eq!(fit("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 3), "👨‍👩‍👧‍👦…");
        assert_eq!(fit("two\nlines", 20), "two lines");
        assert_eq!(fit("abc", 1), "…");
        assert_eq!(fit("abc", 0), "");
    }

    #[test]
    fn words_are_left_whole_where_one_fits() {
        for (limit, whole, most) in [
            (16, Some("one, two, three"), "one, two, three"),
            (14, Some("one, two…"), "one, two…"),
            (10, Some("one, two…"), "one, two…"),
            (9, Some("one…"), "one, two…"),
            (8, Some("one…"), "one…"),
            (3, None, "on…"),
            (0, None, ""),
        ] {
            assert_eq!(whole_words("one, two, three", limit).as_deref(), whole, "{limit}");
            assert_eq!(fit_words("one, two, three", limit), most, "{limit}");
        }
        assert_eq!(fit_words("run /a/rather/long/path", 16), "run /a/rather/l…", "too little is left");
        assert_eq!(whole_words("漢字漢字", 4), None);
    }
}
