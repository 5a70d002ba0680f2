//! The ledger inspector: every entry in a table, and the chosen one as it is recorded.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use crate::ui::local::Inspector;
use crate::ui::text::{MEASURE, cut_spans, fit, sanitize, width, wrap};
use crate::view::{Mark, Row, one_line};

use super::Screen;
use super::words::{both_ends, cells, count, count_entries, keys, one_row};

/// From this width on, the table and the entry stand side by side.
const WIDE: u16 = 100;
/// Cells of the columns of ids and kinds.
const COLUMNS: (usize, usize) = (5, 17);

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, inspector: &Inspector) {
    let rows = Fitting::of(screen, inspector);
    let inner = Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), area.height);
    frame.render_widget(head(screen, inspector, rows.count, inner.width), Rect { height: 1, ..inner });
    let body = Rect {
        y: area.y + 2,
        height: area.height.saturating_sub(if area.height >= 16 { 4 } else { 3 }),
        ..inner
    };
    let place = inspector.place(rows.count);
    let chosen = rows.row(place, screen);
    if inspector.open {
        entry(frame, body, screen, chosen, inspector.scroll);
    } else if area.width >= WIDE {
        let left = body.width * 11 / 20;
        table(frame, Rect { width: left, ..body }, screen, &rows, place);
        let right = Rect { x: body.x + left + 2, width: body.width.saturating_sub(left + 2), ..body };
        entry(frame, right, screen, chosen, inspector.scroll);
    } else {
        table(frame, body, screen, &rows, place);
    }
    foot(frame, Rect { y: area.bottom().saturating_sub(1), height: 1, ..inner }, screen, inspector);
}

/// The rows that fit the filter.
struct Fitting {
    count: usize,
    filtered: Option<Vec<usize>>,
}

impl Fitting {
    fn of(screen: &Screen<'_>, inspector: &Inspector) -> Self {
        if inspector.filter.is_empty() {
            return Self { count: screen.view.rows().len(), filtered: None };
        }
        let fitting = inspector.fitting(screen.view);
        Self { count: fitting.len(), filtered: Some(fitting) }
    }

    fn row<'a>(&self, at: usize, screen: &Screen<'a>) -> Option<&'a Row> {
        let at = self.filtered.as_ref().map_or(Some(at), |f| f.get(at).copied())?;
        screen.view.rows().get(at)
    }
}

fn head(screen: &Screen<'_>, inspector: &Inspector, fitting: usize, total: u16) -> Line<'static> {
    let theme = screen.theme;
    let all = screen.view.rows().len();
    let mut left = vec![Span::styled("ledger", theme.title)];
    let words = if inspector.filter.is_empty() { count_entries(all) } else { format!("{fitting} of {all}") };
    left.push(Span::styled(format!("  {words}"), theme.dim));
    if inspector.filtering || !inspector.filter.is_empty() {
        let cursor = if inspector.filtering { "▏" } else { "" };
        left.push(Span::styled(format!("  /{}{cursor}", one_row(&inspector.filter)), theme.accent));
    }
    both_ends(left, Vec::new(), usize::from(total))
}

fn table(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, rows: &Fitting, place: usize) {
    let theme = screen.theme;
    if rows.count == 0 {
        frame.render_widget(Line::styled("no entry", theme.dim), Rect { height: area.height.min(1), ..area });
        return;
    }
    let height = usize::from(area.height);
    let top = place.saturating_sub(height / 2).min(rows.count.saturating_sub(height));
    for (y, at) in (area.y..area.bottom()).zip(top..rows.count) {
        let Some(row) = rows.row(at, screen) else { continue };
        let line = table_line(row, at == place, usize::from(area.width), screen);
        frame.render_widget(line, Rect::new(area.x, y, area.width, 1));
    }
}

fn table_line(row: &Row, chosen: bool, total: usize, screen: &Screen<'_>) -> Line<'static> {
    let theme = screen.theme;
    let gone = row.marks.iter().any(|m| matches!(m, Mark::Tombstoned(_)));
    let text = match gone {
        true => theme.dim.add_modifier(Modifier::CROSSED_OUT),
        false if row.marks.contains(&Mark::Compacted) => theme.faint,
        false => theme.dim,
    };
    let (ids, kinds) = COLUMNS;
    let id = row.entry.id.to_string();
    let mut left = vec![
        Span::styled(if chosen { "› " } else { "  " }, theme.accent),
        Span::styled(format!("{id:ids$} "), theme.dim),
        Span::styled(format!("{:kinds$} ", row.entry.body.kind()), theme.text),
    ];
    let marks: Vec<String> = row.marks.iter().map(mark).collect();
    let room = total.saturating_sub(cells(&left));
    let marks = fit(&one_row(&marks.join(", ")), room / 2);
    let says = one_row(&one_line(&row.entry));
    left.push(Span::styled(fit(&says, room.saturating_sub(width(&marks) + 1)), text));
    let line = both_ends(left, vec![Span::styled(marks, theme.warning)], total);
    if chosen { line.style(theme.selection) } else { line }
}

fn mark(mark: &Mark) -> String {
    match mark {
        Mark::Tombstoned(reason) => format!("tombstone: {reason}"),
        Mark::Synthetic | Mark::Interrupted | Mark::Late | Mark::Compacted => mark.word().to_owned(),
    }
}

/// The entry as it is recorded.
fn entry(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, row: Option<&Row>, scroll: u16) {
    let Some(row) = row else { return };
    let json = (screen.entry_json)(&row.entry);
    let mut lines = said(row, area.width, screen);
    for line in sanitize(&json).lines() {
        let spans = json_spans(line, screen);
        let indent = line.len() - line.trim_start().len();
        let hanging = vec![Span::raw(" ".repeat(indent + 2))];
        lines.extend(cut_spans(&spans, usize::from(area.width).max(1), hanging));
    }
    let from = usize::from(scroll).min(lines.len().saturating_sub(usize::from(area.height)));
    let left = lines.len().saturating_sub(from + usize::from(area.height));
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(from)) {
        frame.render_widget(line, Rect::new(area.x, y, area.width, 1));
    }
    if left > 0 && area.height > 1 {
        let words = format!(" ↓ {} ", count(left, "more line"));
        let cells = u16::try_from(width(&words)).unwrap_or(0).min(area.width);
        let at = Rect::new(area.right() - cells, area.bottom() - 1, cells, 1);
        frame.render_widget(Line::styled(words, screen.theme.accent), at);
    }
}

/// The words of a summary, as they are read: in the record they are one long string.
fn said(row: &Row, width: u16, screen: &Screen<'_>) -> Vec<Line<'static>> {
    let Some(made) = screen.view.compaction(row.entry.id) else { return Vec::new() };
    let mut lines = vec![Line::styled("summary", screen.theme.title)];
    lines.extend(wrap(&sanitize(&made.summary), usize::from(width).clamp(1, MEASURE), screen.theme.text));
    lines.extend([Line::default(), Line::styled("as recorded", screen.theme.title)]);
    lines
}

/// A member's name stands out from its value.
fn json_spans(line: &str, screen: &Screen<'_>) -> Vec<Span<'static>> {
    let theme = screen.theme;
    let plain = |style: Style| vec![Span::styled(line.to_owned(), style)];
    if !line.trim_start().starts_with('"') {
        return plain(theme.text);
    }
    match line.split_once("\": ") {
        Some((name, value)) => {
            vec![Span::styled(format!("{name}\": "), theme.dim), Span::styled(value.to_owned(), theme.text)]
        }
        None => plain(theme.text),
    }
}

fn foot(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, inspector: &Inspector) {
    let theme = screen.theme;
    let leave = if screen.local.read_only { "quit" } else { "back" };
    let pairs: &[(&str, &str)] = if inspector.filtering {
        &[("enter", "keep"), ("esc", "all entries")]
    } else if inspector.open {
        &[("esc", "table"), ("up down", "entry"), ("pgup pgdn", "scroll")]
    } else {
        &[("esc", leave), ("enter", "entry"), ("/", "find")]
    };
    let line = Line::from(keys(pairs, theme.text, theme.dim).join(&Span::raw("   ")));
    frame.render_widget(line, area);
}
