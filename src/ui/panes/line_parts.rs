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
/// The key that shows them there, behind what has no room.
const HERE: &str = " · o";

/// The parts of its line in a table, between empty rows if it is to stand apart, on as many rows as are to
/// spare. They repeat what the line says, so they take no room from it; what has no room is told.
pub(super) fn beneath(
    panel: &Panel,
    inner: usize,
    spare: usize,
    is_apart: bool,
    theme: &Theme,
) -> Vec<Line<'static>> {
    if spare == 0 {
        return Vec::new();
    }
    let most = if is_apart { MOST.min(spare.saturating_sub(2)) } else { 0 };
    let mut lines = table(panel, inner, most, HERE, theme);
    if is_apart && spare > 1 {
        let is_told = !lines.is_empty();
        if spare > 2 || !is_told {
            lines.insert(0, Line::default());
        }
        if is_told {
            lines.push(Line::default());
        }
    }
    lines
}

/// The parts of a line that does what cannot be taken back, in their order, on at most so many rows, of which
/// the last says how many have no room, and `way`: the key that shows them.
pub(super) fn table(
    panel: &Panel,
    inner: usize,
    most: usize,
    way: &str,
    theme: &Theme,
) -> Vec<Line<'static>> {
    let parts = effect_words::parts(panel);
    // Where not all have room, those that only look go first, and the worst ones never do.
    let is_cut = parts.len() > most;
    let mut chosen: Vec<(usize, &LinePart)> =
        parts.iter().enumerate().filter(|(_, part)| !is_cut || is_grave(part)).collect();
    if is_cut {
        chosen.sort_by_key(|(_, part)| GRAVE.iter().position(|grave| *grave == part.effect));
        chosen.truncate(most.saturating_sub(1));
        chosen.sort_by_key(|(at, _)| *at);
    }
    let rows: Vec<(String, &LinePart)> =
        chosen.into_iter().map(|(_, part)| (does(part, inner), part)).collect();
    let column = rows.iter().map(|(does, _)| width(does)).max().unwrap_or(0) + 2;
    let shown = rows.len();
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
    let graves = parts.iter().filter(|part| is_grave(part)).count();
    if shown < parts.len() {
        let style = if shown < graves { theme.warning } else { theme.dim };
        let said = format!("{}{way}", left_out(shown, parts.len()));
        lines.push(Line::styled(fit(&said, inner), style));
    }
    lines
}

/// That parts have no row here.
fn left_out(shown: usize, all: usize) -> String {
    match (shown, all) {
        (0, 1) => "… where it sends that".to_owned(),
        (0, _) => format!("… what {all} commands do"),
        _ => format!("… {}", count(all.saturating_sub(shown), "more command")),
    }
}

/// What a part does, and whom it sends to: none of a name that has no room, because its end says whose it is.
fn does(part: &LinePart, inner: usize) -> String {
    let to = part.to.as_ref().map(|to| format!("{} → {}", part.does(), one_row(to)));
    to.filter(|to| width(to) <= inner / 2).unwrap_or_else(|| part.does().to_owned())
}

fn is_grave(part: &LinePart) -> bool {
    GRAVE.contains(&part.effect)
}
