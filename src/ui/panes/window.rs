//! Draws the window on the transcript, and what an empty session shows instead.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ui::graphics;
use crate::ui::text::{fit, width, wrap};

use super::Screen;
use super::card_context::INDENT;
use super::notice::{self, more_lines};
use super::rows;

/// Draws the window.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    if screen.view.is_empty() {
        return welcome(frame, area, screen);
    }
    rows::draw(frame, area, screen);
    let window = &screen.layouts.window;
    if let Some(at) = window.focus.filter(|at| *at < area.height) {
        // Beside the margin's own sign, which it must not hide.
        let mark = Rect::new(area.x, area.y + at, 1, 1);
        frame.render_widget(Line::styled("▎", screen.theme.accent), mark);
    }
    if let Some(new) = window.below
        && area.height > 0
    {
        let unseen = !window.answerable && !screen.local.waiting(screen.view).is_empty();
        let words = match new {
            _ if unseen => " ↓ a call waits for you · ctrl-end ".to_owned(),
            0 if screen.local.scroll.top.is_none() => " ↓ more below ".to_owned(),
            0 => " ↓ more below · ctrl-end ".to_owned(),
            n => format!(" ↓ {n} new below · ctrl-end "),
        };
        let cells = u16::try_from(width(&words)).unwrap_or(0).min(area.width);
        let mark = Rect::new(area.right() - cells, area.bottom() - 1, cells, 1);
        let buffer = frame.buffer_mut();
        let before = mark.left().checked_sub(1).and_then(|x| buffer.cell_mut((x, mark.y)));
        // Words that go on under the mark are cut, and say so.
        if let Some(cell) = before.filter(|cell| is_ink(cell.symbol())) {
            cell.set_symbol("…");
        }
        // Bold or reversed words below it would go on in it.
        let plain = screen.theme.background.map_or(Style::reset(), |colour| Style::reset().bg(colour));
        buffer.set_style(mark, plain);
        frame.render_widget(Line::styled(words, screen.theme.accent), mark);
    }
    let strips = (area.y..area.bottom()).zip(&window.rows).filter_map(|(y, row)| {
        let at = Position::new(area.x.saturating_add(row.indent), y);
        row.picture.as_ref().map(|strip| (at, strip))
    });
    graphics::paint(frame.buffer_mut(), area, strips, &screen.layouts.pictures);
}

/// Whether a cell shows something that is said: the lines of a box are ours, and go on anyway.
fn is_ink(symbol: &str) -> bool {
    symbol.starts_with(|c: char| !c.is_whitespace() && !matches!(c, '\u{2500}'..='\u{257f}'))
}

/// What an empty session shows: who this is, and what to know.
fn welcome(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let inner = usize::from(area.width.saturating_sub(2 * INDENT));
    let (long, short) =
        ("Every step is in the ledger: ctrl-o. The keys: ?", "ctrl-o: the ledger · ?: the keys");
    let ledger = if width(long) <= inner { long } else { short };
    let mut lines = vec![
        Line::styled(fit("It proposes, you countersign.", inner), screen.theme.text),
        Line::styled(fit(ledger, inner), screen.theme.dim),
        first_keys(screen),
    ];
    let greeting = lines.len();
    if let Some(notice) = &screen.local.notice {
        lines.push(Line::default());
        let brief = notice::in_few_rows(notice, inner, frame.area().height);
        for paragraph in brief.as_deref().unwrap_or(notice).lines() {
            lines.extend(wrap(&crate::ui::text::sanitize(paragraph), inner, screen.theme.dim));
        }
    }
    let height = usize::from(area.height);
    if screen.local.notice.is_some() && lines.len() > height {
        // What to know comes before a welcome, and what does not fit is counted.
        lines.drain(..=greeting);
        let hidden = lines.len().saturating_sub(height);
        lines.truncate(height);
        if let Some(last) = lines.last_mut().filter(|_| hidden > 0) {
            *last = Line::styled(more_lines(hidden + 1), screen.theme.dim);
        }
    }
    let spare = area.height.saturating_sub(u16::try_from(lines.len()).unwrap_or(u16::MAX));
    let top = if area.height > 12 { (area.height / 4).min(spare) } else { 0 };
    for (y, line) in (area.y + top..area.bottom()).zip(lines) {
        let x = area.x + INDENT;
        frame.render_widget(line, Rect::new(x, y, area.right().saturating_sub(x), 1));
    }
}

/// What people who come from another agent type first.
fn first_keys(screen: &Screen<'_>) -> Line<'static> {
    let keys = [("@", " file   "), ("!", " shell command   "), ("/", " commands")];
    let spans = keys.into_iter().flat_map(|(key, what)| {
        [Span::styled(key, screen.theme.accent), Span::styled(what, screen.theme.dim)]
    });
    Line::from_iter(spans)
}
