//! The ledger as a table: id, kind, one line, marks.

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use crate::ui::inspector::{Group, Inspector};
use crate::ui::panes::Screen;
use crate::ui::panes::words::{both_ends, cells, count_entries, one_row};
use crate::ui::text::{fit, grouped, width};
use crate::view::{Mark, one_line};

use super::words::marked;

/// Cells of the columns of ids and kinds.
const COLUMNS: (usize, usize) = (5, 17);

pub(super) fn summed_up(
    screen: &Screen<'_>,
    inspector: &Inspector,
    count: usize,
) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let theme = screen.theme;
    let all = screen.view.rows().len();
    let words = if inspector.group == Group::All {
        count_entries(all)
    } else {
        format!("{count} of {all} · {}", inspector.group.words())
    };
    let mut left = vec![Span::styled(words, theme.dim)];
    if inspector.typing || !inspector.query.is_empty() {
        let cursor = if inspector.typing { "▏" } else { "" };
        left.push(Span::styled(format!("   /{}{cursor}", one_row(&inspector.query)), theme.accent));
    }
    if !inspector.query.is_empty() {
        let found = inspector.books.matches().len();
        let words = match found {
            0 => "   no match".to_owned(),
            1 => "   1 match".to_owned(),
            _ => format!("   {} matches", grouped(found as u64)),
        };
        left.push(Span::styled(words, if found == 0 { theme.warning } else { theme.text }));
    }
    (left, Vec::new())
}

pub(super) fn line(
    screen: &Screen<'_>,
    inspector: &Inspector,
    at: usize,
    total: usize,
) -> Option<Line<'static>> {
    let theme = screen.theme;
    let place = inspector.row_at(at)?;
    let row = screen.view.rows().get(place)?;
    let gone = row.marks.iter().any(|m| matches!(m, Mark::Tombstoned(_)));
    let style = match gone {
        true => theme.dim.add_modifier(Modifier::CROSSED_OUT),
        false if row.marks.contains(&Mark::Compacted) => theme.faint,
        false => theme.dim,
    };
    let found = !inspector.query.is_empty() && inspector.books.matches().binary_search(&place).is_ok();
    let query = if found { inspector.query.as_str() } else { "" };
    let (ids, kinds) = COLUMNS;
    let id = row.entry.id.to_string();
    let mut left = vec![Span::styled(format!("{id:ids$} "), if found { theme.accent } else { theme.dim })];
    left.extend(marked(&format!("{:kinds$} ", row.entry.body.kind()), query, theme.text, theme.accent));
    let marks: Vec<String> = row.marks.iter().map(mark).collect();
    let room = total.saturating_sub(cells(&left));
    let marks = fit(&one_row(&marks.join(", ")), room / 2);
    let says = fit(&one_row(&one_line(&row.entry)), room.saturating_sub(width(&marks) + 1));
    left.extend(marked(&says, query, style, theme.accent));
    Some(both_ends(left, vec![Span::styled(marks, theme.warning)], total))
}

fn mark(mark: &Mark) -> String {
    match mark {
        Mark::Tombstoned(reason) => format!("tombstone: {reason}"),
        Mark::Synthetic | Mark::Interrupted | Mark::Late | Mark::Compacted => mark.word().to_owned(),
    }
}
