//! The files that an `@` offers, above the composer.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::ui::local::Local;
use crate::ui::text::{grouped, width};

use super::words::{both_ends, one_row};
use super::{Screen, marks};

/// Most files that are in sight at once.
const MOST_ROWS: usize = 8;

/// Rows that they would like to have.
pub(super) fn rows(local: &Local) -> u16 {
    let count = local.files.offered().map_or(0, |offered| offered.files.len());
    u16::try_from(count.min(MOST_ROWS)).unwrap_or(0)
}

/// Draws them; false when there are none.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) -> bool {
    let Some(offered) = screen.local.files.offered() else { return false };
    let (theme, height) = (screen.theme, usize::from(area.height));
    let room = usize::from(area.width).saturating_sub(4);
    // The chosen one stays in sight, and the last row says how many are out of it.
    let top = (offered.chosen + 1 + usize::from(height > 1)).saturating_sub(height);
    let top = top.min(offered.files.len().saturating_sub(height));
    let below = offered.count.saturating_sub(top + height);
    for (at, file) in offered.files.iter().enumerate().skip(top).take(height) {
        let is_last = at + 1 == top + height;
        let more = match (is_last && below > 0, offered.is_cut) {
            (false, _) => String::new(),
            (true, false) => format!("  … {} more, type to narrow", grouped(below as u64)),
            (true, true) => format!("  … {} more, and files that are not listed", grouped(below as u64)),
        };
        let shortly = if more.is_empty() { String::new() } else { format!("  … {below} more") };
        let about = if file.is_subagent { "  sub-agent" } else { "" };
        let name = one_row(file.path);
        // The name comes first: half of the row is its own, if it needs that.
        let left = room.saturating_sub(width(&name).min(room / 2));
        let (about, more) = match width(about) + width(&more) <= left {
            true => (about, more),
            false if width(about) + width(&shortly) <= left => (about, shortly),
            false => ("", shortly),
        };
        let room = room.saturating_sub(width(about));
        // A row that Enter does not take is not marked as if it did.
        let is_chosen = at == offered.chosen && offered.is_taken;
        let style = match (is_chosen, file.comes_last) {
            (true, _) => theme.accent,
            (false, true) => theme.dim,
            (false, false) => theme.text,
        };
        let left = vec![
            Span::styled(if is_chosen { "› " } else { "  " }, theme.accent),
            Span::styled(ending(&name, room.saturating_sub(width(&more))), style),
            Span::styled(about, theme.dim),
        ];
        // How many more there are says nothing of the file beside it.
        let more = vec![Span::styled(more.trim_start().to_owned(), theme.dim)];
        let line = both_ends(left, more, usize::from(area.width.saturating_sub(2)));
        let line = if is_chosen { marks::chosen(line, theme) } else { line };
        let y = area.y + u16::try_from(at - top).unwrap_or(u16::MAX);
        // The paths stand above what is typed.
        frame.render_widget(line, Rect::new(area.x + 1, y, area.width.saturating_sub(2), 1));
    }
    true
}

/// A path in so many cells: its end, which tells it from others.
fn ending(path: &str, cells: usize) -> String {
    if width(path) <= cells {
        return path.to_owned();
    }
    let (mut start, mut used) = (path.len(), 1);
    for (at, cluster) in path.grapheme_indices(true).rev() {
        used += width(cluster);
        if used > cells {
            break;
        }
        start = at;
    }
    format!("…{}", path.get(start..).unwrap_or_default())
}
