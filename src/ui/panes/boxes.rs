//! Boxes, as lines: for what waits and what lives, and for nothing else.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::ui::text::tag::ours;
use crate::ui::text::{fit, width};

use super::words::cells;

/// A box around lines. `title` stands at the left of its upper edge, `right` at its right.
pub(super) fn boxed(
    title: Vec<Span<'static>>,
    right: Span<'static>,
    body: Vec<Line<'static>>,
    total: usize,
    border: Style,
) -> Vec<Line<'static>> {
    let inner = total.saturating_sub(4);
    // What is drawn here is no part of what anybody says.
    let border = ours(border);
    let mut lines = vec![upper_edge(title, right, total, border)];
    for line in body {
        let used = cells(&line.spans);
        let mut spans = vec![Span::styled("│ ", border)];
        spans.extend(line.spans.into_iter().map(|s| s.patch_style(line.style)));
        spans.push(Span::styled(" ".repeat(inner.saturating_sub(used)), ours(Style::new())));
        spans.push(Span::styled(" │", border));
        lines.push(Line::from(spans));
    }
    lines.push(Line::from(Span::styled(format!("╰{}╯", "─".repeat(total.saturating_sub(2))), border)));
    lines
}

/// The look of the edges of a box that waits for a person: strong while it has the keys, so that it is seen
/// where they go. Only the weight changes, for their colour says what the matter is.
pub(super) fn edges(style: Style, has_keys: bool) -> Style {
    let others = style.add_modifier - Modifier::BOLD;
    Style { add_modifier: if has_keys { others | Modifier::BOLD } else { others }, ..style }
}

/// The words on the right are never cut: they say what is the matter.
fn upper_edge(title: Vec<Span<'static>>, right: Span<'static>, total: usize, border: Style) -> Line<'static> {
    let right_cells = width(&right.content);
    let room = total.saturating_sub(right_cells + 8);
    let mut spans = vec![Span::styled("╭ ", border)];
    let mut used = 0;
    for span in title {
        let text = fit(&span.content, room.saturating_sub(used));
        used += width(&text);
        spans.push(Span::styled(text, span.style));
    }
    let rule = total.saturating_sub(used + right_cells + 6);
    spans.push(Span::styled(format!(" {} ", "─".repeat(rule)), border));
    spans.push(right);
    spans.push(Span::styled(" ╮", border));
    Line::from(spans)
}
