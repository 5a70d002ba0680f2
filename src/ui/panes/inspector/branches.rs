//! The tree of branches, and this session beside one of them.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ui::inspector::Inspector;
use crate::ui::panes::Screen;
use crate::ui::panes::words::{both_ends, cells, count, one_row};
use crate::ui::text::{fit, sanitize};

/// From this width on, the sessions stand side by side; on a narrower screen one below the other.
const WIDE: u16 = 72;
/// Characters of an id: enough to name it.
const ID: usize = 13;

pub(super) fn summed_up(
    screen: &Screen<'_>,
    inspector: &Inspector,
) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let theme = screen.theme;
    let words = match (&inspector.beside, inspector.open) {
        (Some(beside), true) => {
            format!("this session, and {}", one_row(&sanitize(&beside.id)))
        }
        _ => count(inspector.tree.as_ref().map_or(0, Vec::len), "session"),
    };
    let right = match (&inspector.beside, inspector.open) {
        (Some(beside), true) => format!("{} differ", count(beside.differing(), "line")),
        _ => String::new(),
    };
    (vec![Span::styled(words, theme.dim)], vec![Span::styled(right, theme.faint)])
}

/// What an empty page says.
pub(super) fn none(inspector: &Inspector, read_only: bool) -> &'static str {
    match inspector.tree {
        None => "reading…",
        Some(_) if read_only => "no branches: `countersign whatif` makes one",
        Some(_) => "no branches: w on an entry makes one",
    }
}

pub(super) fn line(
    screen: &Screen<'_>,
    inspector: &Inspector,
    at: usize,
    total: usize,
) -> Option<Line<'static>> {
    let theme = screen.theme;
    let row = inspector.tree.as_ref()?.get(at)?;
    let indent = match row.depth {
        0 => String::new(),
        // A tree of many levels keeps room for words.
        depth => format!("{}└─ {} ", "  ".repeat((depth - 1).min(8)), one_row(&row.at)),
    };
    let id: String = one_row(&row.id).chars().take(ID).collect();
    let style = if row.is_own { theme.accent } else { theme.text };
    let left = vec![Span::styled(indent, theme.faint), Span::styled(format!("{id}  "), style)];
    let own = if row.is_own { "this session" } else { "" };
    let room = total.saturating_sub(cells(&left) + own.len() + 2);
    let mut left = left;
    left.push(Span::styled(fit(&one_row(&sanitize(&row.words)), room), theme.dim));
    Some(both_ends(left, vec![Span::styled(own, theme.accent)], total))
}

/// The two sessions, row by row; what only one has is marked.
pub(super) fn compared(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, inspector: &Inspector) {
    let theme = screen.theme;
    let rows = inspector.compared();
    if rows.is_empty() {
        let words =
            if inspector.beside.is_some() { "nothing was decided or done in them" } else { "reading…" };
        return frame
            .render_widget(Line::styled(words, theme.dim), Rect { height: area.height.min(1), ..area });
    }
    let lines = match area.width >= WIDE {
        true => beside(screen, rows, usize::from(area.width)),
        false => below(screen, rows, usize::from(area.width)),
    };
    let most = lines.len().saturating_sub(usize::from(area.height));
    let from = usize::from(inspector.scroll).min(most);
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(from)) {
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
}

type RowPair = (Option<String>, Option<String>);

fn beside(screen: &Screen<'_>, rows: &[RowPair], width: usize) -> Vec<Line<'static>> {
    let theme = screen.theme;
    let half = width.saturating_sub(3) / 2;
    let side = |text: Option<&String>| fit(&one_row(&sanitize(text.map_or("", String::as_str))), half);
    let row = |(one, other): &RowPair| {
        let is_same = one == other;
        let (left, right) =
            if is_same { (theme.dim, theme.dim) } else { (theme.diff_remove, theme.diff_add) };
        let (one, other) = (side(one.as_ref()), side(other.as_ref()));
        let gap = half.saturating_sub(crate::ui::text::width(&one));
        Line::from(vec![
            Span::styled(one, left),
            Span::raw(" ".repeat(gap)),
            Span::styled(if is_same { "   " } else { " ≠ " }, theme.warning),
            Span::styled(other, right),
        ])
    };
    rows.iter().map(row).collect()
}

fn below(screen: &Screen<'_>, rows: &[RowPair], width: usize) -> Vec<Line<'static>> {
    let theme = screen.theme;
    let mut lines = Vec::new();
    let told = |sign: &str, text: &str| {
        format!("{sign} {}", fit(&one_row(&sanitize(text)), width.saturating_sub(2)))
    };
    for (one, other) in rows {
        match (one, other) {
            (Some(text), Some(same)) if text == same => lines.push(Line::styled(told(" ", text), theme.dim)),
            (one, other) => {
                lines.extend(one.iter().map(|text| Line::styled(told("-", text), theme.diff_remove)));
                lines.extend(other.iter().map(|text| Line::styled(told("+", text), theme.diff_add)));
            }
        }
    }
    lines
}
