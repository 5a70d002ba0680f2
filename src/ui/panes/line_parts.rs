//! What each command of a waiting line does, in a row of its own: the one that deletes stands out among those that test.

use ratatui::text::{Line, Span};

use crate::policy::LinePart;
use crate::ui::effect_words::{self, GRAVE};
use crate::ui::text::tag::ours;
use crate::ui::text::{fit, width};
use crate::ui::theme::Theme;
use crate::view::Panel;

use super::risk;
use super::words::{count, one_row};

/// Most rows in the box of a call; its page has all.
const MOST: usize = 8;

/// The parts of its line in a table, then an empty row; nothing where they need more than so many rows. They repeat what the
/// line says, so they take no room from it.
pub(super) fn beneath(panel: &Panel, inner: usize, free: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = table(panel, inner, MOST, theme);
    if lines.len() >= free {
        return Vec::new();
    }
    lines.extend((!lines.is_empty()).then(Line::default));
    lines
}

/// The parts of a line that does what cannot be taken back, in their order, on at most so many rows.
pub(super) fn table(panel: &Panel, inner: usize, most: usize, theme: &Theme) -> Vec<Line<'static>> {
    let parts = effect_words::parts(panel);
    // Where not all have room, those that only look go first.
    let is_cut = parts.len() > most;
    let room = if is_cut { most.saturating_sub(1) } else { most };
    let chosen = parts.iter().filter(|part| !is_cut || is_grave(part)).take(room);
    let rows: Vec<(String, &LinePart)> = chosen.map(|part| (does(part, inner), part)).collect();
    let column = rows.iter().map(|(does, _)| width(does)).max().unwrap_or(0) + 2;
    let left = parts.len().saturating_sub(rows.len());
    let mut lines: Vec<Line<'static>> = rows
        .into_iter()
        .map(|(does, part)| {
            let style = if is_grave(part) { risk::grave(theme) } else { theme.dim };
            let pad = " ".repeat(column.saturating_sub(width(&does)));
            let text = fit(&one_row(&part.text), inner.saturating_sub(column));
            let label = vec![Span::styled(does, ours(style)), Span::styled(pad, ours(theme.dim))];
            Line::from([label, vec![Span::styled(text, theme.text)]].concat())
        })
        .collect();
    if left > 0 {
        lines.push(Line::styled(fit(&format!("… {}", count(left, "more part")), inner), theme.dim));
    }
    lines
}

/// What a part does, and whom it sends to: none of a name that has no room, because its end says whose it is.
fn does(part: &LinePart, inner: usize) -> String {
    let to = part.to.as_ref().map(|to| format!("{} → {}", part.does(), one_row(to)));
    to.filter(|to| width(to) <= inner / 2).unwrap_or_else(|| part.does().to_owned())
}

fn is_grave(part: &LinePart) -> bool {
    GRAVE.contains(&part.effect)
}
