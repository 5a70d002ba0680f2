//! Boxes, as lines: for what waits and what lives, and for nothing else.

use ratatui::style::{Modifier, Style};
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::BorderType;

use crate::ui::text::tag::ours;
use crate::ui::text::{fit, width};

use super::words::cells;

/// The edges of a box: how they look, and how they are drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Edges {
    /// Their look.
    pub style: Style,
    /// How they are drawn.
    pub lines: BorderType,
}

impl From<Style> for Edges {
    /// Those of a box that never has the keys.
    fn from(style: Style) -> Self {
        Self { style, lines: BorderType::Rounded }
    }
}

/// A box around lines. `title` stands at the left of its upper edge, `right` at its right.
pub(super) fn boxed(
    title: Vec<Span<'static>>,
    right: Span<'static>,
    body: Vec<Line<'static>>,
    total: usize,
    edges: impl Into<Edges>,
) -> Vec<Line<'static>> {
    let inner = total.saturating_sub(4);
    let Edges { style, lines } = edges.into();
    // What is drawn here is no part of what anybody says.
    let (style, signs) = (ours(style), lines.to_border_set());
    let mut rows = vec![upper_edge(title, right, total, (style, signs))];
    for line in body {
        let used = cells(&line.spans);
        let mut spans = vec![Span::styled(format!("{} ", signs.vertical_left), style)];
        spans.extend(line.spans.into_iter().map(|s| s.patch_style(line.style)));
        spans.push(Span::styled(" ".repeat(inner.saturating_sub(used)), ours(Style::new())));
        spans.push(Span::styled(format!(" {}", signs.vertical_right), style));
        rows.push(Line::from(spans));
    }
    let rule = signs.horizontal_bottom.repeat(total.saturating_sub(2));
    let lower = format!("{}{rule}{}", signs.bottom_left, signs.bottom_right);
    rows.push(Line::from(Span::styled(lower, style)));
    rows
}

/// Whether a row of a box that begins with this is its lower edge.
pub(super) fn begins_lower_edge(text: &str) -> bool {
    [BorderType::Rounded, BorderType::Thick]
        .into_iter()
        .any(|lines| text.starts_with(lines.to_border_set().bottom_left))
}

/// The edges of a box that waits for a person: heavy while it has the keys, so that it is seen in every theme
/// where they go. Only the weight changes, for their colour says what the matter is.
pub(super) fn edges(style: Style, has_keys: bool) -> Edges {
    let others = style.add_modifier - Modifier::BOLD;
    let (add_modifier, lines) =
        if has_keys { (others | Modifier::BOLD, BorderType::Thick) } else { (others, BorderType::Rounded) };
    Edges { style: Style { add_modifier, ..style }, lines }
}

/// The words on the right are never cut: they say what is the matter.
fn upper_edge(
    title: Vec<Span<'static>>,
    right: Span<'static>,
    total: usize,
    (style, signs): (Style, border::Set<'_>),
) -> Line<'static> {
    let right_cells = width(&right.content);
    let room = total.saturating_sub(right_cells + 8);
    let mut spans = vec![Span::styled(format!("{} ", signs.top_left), style)];
    let mut used = 0;
    for span in title {
        let text = fit(&span.content, room.saturating_sub(used));
        used += width(&text);
        spans.push(Span::styled(text, span.style));
    }
    let rule = total.saturating_sub(used + right_cells + 6);
    spans.push(Span::styled(format!(" {} ", signs.horizontal_top.repeat(rule)), style));
    spans.push(right);
    spans.push(Span::styled(format!(" {}", signs.top_right), style));
    Line::from(spans)
}
