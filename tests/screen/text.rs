//! Text on its way to the screen: nothing unsafe gets through, nothing is wider than asked, streaming changes nothing.

use countersign::ui::text::diff::DiffColours;
use countersign::ui::text::highlight::Highlighter;
use countersign::ui::text::markdown::{Stream, render};
use countersign::ui::text::{cut_spans, diff, fit, sanitize, width, wrap, wrap_spans};
use countersign::ui::theme::Theme;
use proptest::prelude::*;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

fn dark() -> Theme {
    Theme::builtin("countersign-dark").unwrap()
}

fn cells(line: &Line<'_>) -> usize {
    // Both ways of counting: the sum over what is drawn, and ratatui's own.
    line.spans.iter().map(|span| width(&span.content)).sum::<usize>().max(line.width())
}

fn fits(lines: &[Line<'_>], limit: usize) -> Result<(), TestCaseError> {
    for line in lines {
        prop_assert!(cells(line) <= limit, "{} cells of {limit}: {line:?}", cells(line));
        for span in &line.spans {
            prop_assert!(!span.content.chars().any(char::is_control), "a control character in {line:?}");
        }
    }
    Ok(())
}

/// Text that hurts: wide, joined, combined, right-to-left, tabbed, steering the terminal, or markdown.
fn torture() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z ]{0,12}",
        2 => prop::sample::select(vec![
            "漢字仮名", "한국어", "👨‍👩‍👧‍👦", "🇩🇪🇫🇷🇯", "👍🏽", "❤️", "1️⃣", "*️⃣", "e\u{301}\u{302}", "שלום", "مرحبا لا", "क्षि", "می‌خواهم",
            "\t", "\r\n", "\r", "\x1b[31m", "\u{9b}2J", "\u{202e}", "\u{200b}", "\u{feff}", "\0", "\u{301}", "\u{200d}",
            "\u{ad}", "\u{2028}", "＜", "ﷺ", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\u{1160}", "\u{17d8}",
        ]).prop_map(str::to_owned),
        4 => prop::sample::select(vec![
            "\n", "\n\n", "\n- ", "\n  - ", "\n1. ", "\n   ", "\n> ", "\n>> - ", "# ", "\n## ", "```", "\n```rust\n", "\n```\n", "~~~",
            "**", "*", "_", "`", "~~", "[", "](https://example.org/a_long_path)", "![", "| a | b |\n|---|:-:|\n| c | d |\n", " | ", "|",
            "\n---\n", "<b>", "<br>", "\n<div>\n", "&amp;", "&#27;", "&#x202e;", "&Tab;", "&NewLine;", "- [x] ", "- [ ] ", "\\", "\n    ",
            "\n===\n", "[x]: http://e.org\n", "<https://example.org>", "\n> [!NOTE]\n> ", "\n-", "fn main() {}\n", "//", "\"",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[a-z/]{20,60}",
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

fn colours<'a>(theme: &'a Theme, highlighter: &'a Highlighter) -> DiffColours<'a> {
    DiffColours { theme, language: "rs", highlighter }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn safe_text_holds_no_control_character_but_the_newline(text in torture()) {
        let safe = sanitize(&text).into_owned();
        prop_assert!(safe.chars().all(|character| character == '\n' || !character.is_control()), "{safe:?}");
        for hidden in ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}', '\u{2028}', '\u{ad}', '\u{200e}'] {
            prop_assert!(!safe.contains(hidden), "{safe:?}");
        }
        prop_assert_eq!(sanitize(&safe).into_owned(), safe.clone(), "safe text is not changed again");
        let by_line: String = text.split_inclusive('\n').map(|line| sanitize(line).into_owned()).collect();
        prop_assert_eq!(by_line, safe, "each line stands for itself");
    }

    #[test]
    fn wrapping_keeps_the_width_and_the_text(text in torture(), limit in 0_usize..40) {
        let text = sanitize(&text).into_owned();
        let lines = wrap(&text, limit, Style::new());
        fits(&lines, limit)?;
        if limit >= 3 {
            let seen = |text: &str| text.chars().filter(|character| !matches!(character, ' ' | '\n')).collect::<String>();
            let wrapped: String = lines.iter().map(ToString::to_string).collect();
            prop_assert_eq!(seen(&wrapped), seen(&text));
        }
        fits(&cut_spans(&[Span::raw(text.clone())], limit, vec![Span::raw("  ")]), limit)?;
        fits(&wrap_spans(vec![Span::raw("• "), Span::raw(text.clone())], limit, vec![Span::raw("  ")]), limit)?;
        prop_assert!(width(&fit(&text, limit)) <= limit);
    }

    #[test]
    fn markdown_is_never_wider_than_asked(text in torture(), limit in 0_u16..60) {
        fits(&render(&text, limit, &dark(), &Highlighter::off()), usize::from(limit))?;
    }

    #[test]
    fn diffs_are_never_wider_than_asked(text in torture(), limit in prop_oneof![0_u16..60, 100_u16..160]) {
        let unified: String = text.lines().enumerate().map(|(index, line)| format!("{}{line}\n", ["+", "-", " ", ""][index % 4])).collect();
        let lines = diff::render(&format!("--- a\n+++ b\n@@ -1,3 +1,4 @@\n{unified}"), limit, colours(&dark(), &Highlighter::off()));
        fits(&lines, usize::from(limit))?;
        for line in &lines {
            // Beside each other: the bar between the sides never leaves its column.
            if let Some(at) = line.spans.iter().position(|span| span.content == " │ ") {
                let left: usize = line.spans[..at].iter().map(|span| width(&span.content)).sum();
                prop_assert_eq!(left, usize::from(limit - 3) / 2, "{:?}", line);
            }
        }
        fits(&diff::render(&text, limit, colours(&dark(), &Highlighter::off())), usize::from(limit))?;
    }

    #[test]
    fn the_columns_of_tables_never_break(cells in prop::collection::vec(torture(), 1..12), limit in 1_u16..80) {
        let cell = |text: &String| text.replace(['|', '\n', '\r', '`', '\\'], "");
        let rows: String = cells.iter().map(|text| format!("| {} | x |\n", cell(text))).collect();
        let lines = render(&format!("| a | b |\n|---|---|\n{rows}"), limit, &dark(), &Highlighter::off());
        fits(&lines, usize::from(limit))?;
        let faint = dark().faint;
        let bars: Vec<usize> = lines.iter().filter_map(|line| {
            let at = line.spans.iter().rposition(|span| span.style == faint || line.style == faint)?;
            let (before, _) = line.spans[at].content.rsplit_once(['│', '┼'])?;
            Some(line.spans[..at].iter().map(|span| width(&span.content)).sum::<usize>() + width(before))
        }).collect();
        prop_assert!(bars.windows(2).all(|two| two[0] == two[1]), "{bars:?} {lines:?}");
    }

    #[test]
    fn streaming_in_any_pieces_shows_what_rendering_the_whole_shows(
        text in torture(),
        cuts in prop::collection::vec(1_usize..9, 1..8),
        limit in 1_u16..60,
    ) {
        let (theme, off) = (dark(), Highlighter::off());
        prop_assert_eq!(streamed(&text, &cuts, limit, &theme, &off), render(&text, limit, &theme, &off));
    }
}

/// Feeds a text in pieces of so many characters, laying it out after each.
fn streamed(
    text: &str,
    cuts: &[usize],
    limit: u16,
    theme: &Theme,
    highlighter: &Highlighter,
) -> Vec<Line<'static>> {
    let mut stream = Stream::default();
    let mut characters = text.chars().peekable();
    for cut in cuts.iter().cycle() {
        let piece: String = characters.by_ref().take(*cut).collect();
        stream.push(&piece);
        let _laid = stream.lines(limit, theme, highlighter).len();
        if characters.peek().is_none() {
            break;
        }
    }
    stream.lines(limit, theme, highlighter).to_vec()
}
