//! What keeps the words of others apart from our own: a margin in which only we draw.

use ratatui::style::Style;
use ratatui::text::Span;

use crate::ui::text::tag::ours;

/// Where in the margin of the transcript our signs stand, and the left edges of boxes. Before it is what has the focus.
pub(super) const MARGIN: u16 = 1;

/// What stands before every line that others wrote: ours, such as the headings, begin before it.
pub(super) fn margin() -> Vec<Span<'static>> {
    vec![Span::styled("  ", ours(Style::new()))]
}

/// A line of others behind that margin.
pub(super) fn theirs(line: Vec<Span<'static>>) -> Vec<Span<'static>> {
    margin().into_iter().chain(line).collect()
}
