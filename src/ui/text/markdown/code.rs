//! A block of code: its language, then its lines set in from the text.

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ui::text::highlight::{Highlighter, Paint};
use crate::ui::text::tag::ours;
use crate::ui::text::{cut_spans, fit, width};
use crate::ui::theme::Theme;

/// Cells that code is set in, where there is room.
const INDENT: &str = "  ";

/// Cells below which code is not set in.
const NARROW: usize = 12;

/// The line above a block that says its language; none without one.
pub(super) fn label(language: &str, room: usize, theme: &Theme) -> Option<Line<'static>> {
    if language.is_empty() {
        return None;
    }
    let indent = indent(room);
    let name = fit(language, room.saturating_sub(width(indent)));
    Some(Line::from(vec![Span::styled(indent, ours(Style::new())), Span::styled(name, theme.dim)]))
}

/// One line of code on as many lines as it needs.
pub(super) fn line(painted: &Line<'static>, room: usize) -> Vec<Line<'static>> {
    let indent = indent(room);
    let mut lines = cut_spans(&painted.spans, room.saturating_sub(width(indent)), Vec::new());
    if !indent.is_empty() {
        for line in &mut lines {
            if !line.spans.is_empty() {
                line.spans.insert(0, Span::styled(indent, ours(Style::new())));
            }
        }
    }
    lines
}

/// A line of code without highlighting.
pub(super) fn plain(code: &str, theme: &Theme) -> Line<'static> {
    Line::from(Span::styled(code.trim_end_matches('\n').to_owned(), theme.code_block))
}

/// A whole block, and whether its colours are still to come.
pub(super) fn block(
    language: &str,
    code: &str,
    room: usize,
    theme: &Theme,
    highlighter: &Highlighter,
) -> (Vec<Line<'static>>, bool) {
    let mut lines: Vec<Line<'static>> = label(language, room, theme).into_iter().collect();
    let paint = highlighter.paint(language, code, theme);
    if let Paint::Here(painted) = &paint {
        lines.extend(painted.iter().flat_map(|painted| line(painted, room)));
    } else {
        lines.extend(code.split_inclusive('\n').flat_map(|code| line(&plain(code, theme), room)));
    }
    (lines, paint == Paint::Coming)
}

const fn indent(room: usize) -> &'static str {
    if room < NARROW { "" } else { INDENT }
}
