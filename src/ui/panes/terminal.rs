//! The page of a command's terminal: its true screen with its cursor, and how to leave it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::tool::{self, Row};
use crate::ui::local::Typing;
use crate::ui::program_input::chord;
use crate::ui::text::{fit, width};
use crate::ui::theme::Inks;
use crate::view::{Panel, PanelState};

use super::grid::{self, cells_before};
use super::output::{LaidOutput, body, lay as lay_output, titled};
use super::words::{both_ends, count, one_row};
use super::{Screen, rows};

/// The page: the columns in sight of all rows on the terminal, or what became of the call.
pub(super) fn lay(screen: &Screen<'_>, inner: u16, typing: Typing) -> LaidOutput {
    let (title, lines, links) = lay_output(screen, inner, typing.call).whole(inner, screen.theme);
    let Some(panel) = running(screen, typing) else { return (title, lines, links) };
    let Some(shown) = &panel.screen else { return (title, Vec::new(), Vec::new()) };
    let (from, inner) = (first_column(shown, inner), usize::from(inner));
    let inks = Inks::new(screen.theme, screen.theme.text);
    let line = |row: &Row| grid::line(row, from, inner, &inks).style(screen.theme.text);
    let mut lines: Vec<Line<'static>> = shown.rows.iter().map(line).collect();
    // The cursor may stand below all that is written.
    lines.resize(lines.len().max(shown.cursor.map_or(0, |(row, _)| usize::from(row) + 1)), Line::default());
    (title, lines, Vec::new())
}

/// Rows above a window of this height: so many that the cursor is in sight. Of a command that is over the end.
pub(super) fn settle(screen: &Screen<'_>, typing: Typing, height: u16) -> Typing {
    let Some(panel) = running(screen, typing) else {
        let is_news = !typing.over;
        return Typing { over: true, at: if is_news { u16::MAX } else { typing.at }, ..typing };
    };
    let Some((row, _)) = panel.screen.as_ref().and_then(|shown| shown.cursor) else { return typing };
    Typing { at: typing.at.min(row).max((row + 1).saturating_sub(height)), ..typing }
}

/// The page itself.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, typing: Typing) {
    let Some(page) = &screen.layouts.page else { return };
    let (theme, body) = (screen.theme, body(area));
    let total = usize::from(body.width);
    let panel = running(screen, typing);
    let says = match panel.map(|panel| &panel.state) {
        Some(PanelState::Running { since, .. }) => format!("typing · {} s", screen.now.since(*since) / 1_000),
        _ => "over".to_owned(),
    };
    let title = titled(&page.title, total.saturating_sub(width(&says) + 2), theme);
    let style = if panel.is_some() { theme.accent } else { theme.warning };
    let top = both_ends(title, vec![Span::styled(says, style)], total);
    frame.render_widget(top, Rect { y: area.y, height: 1, ..body });
    rows::draw(frame, body, screen);
    let foot = Rect { y: area.bottom().saturating_sub(1), height: 1, ..body };
    frame.render_widget(Line::styled(foot_words(screen, panel.is_some(), total), theme.accent), foot);
    if let Some(hint) = screen.local.hint.as_ref().filter(|_| foot.y > body.bottom()) {
        let above = Rect { y: foot.y - 1, ..foot };
        frame.render_widget(Line::styled(fit(&one_row(hint), total), theme.warning), above);
    }
    if let Some((x, y)) = panel.and_then(|panel| cursor(panel.screen.as_ref()?, page.from, body)) {
        frame.set_cursor_position((x, y));
    }
}

/// Where keys go and how to leave: the longest way to say it that there is room for.
fn foot_words(screen: &Screen<'_>, runs: bool, total: usize) -> String {
    let key = chord(&screen.local.keymap);
    let waits = match screen.local.waiting(screen.view).len() {
        0 => String::new(),
        calls => format!("{} {} for you · ", count(calls, "call"), if calls == 1 { "waits" } else { "wait" }),
    };
    let says = if runs {
        [
            format!("{waits}every key goes to the program, even esc · {key} leaves · then esc interrupts"),
            format!("{waits}{key} leaves · then esc interrupts"),
            format!("{waits}{key} leaves"),
        ]
    } else {
        [
            format!("{waits}command finished: keys are ignored · {key} leaves"),
            format!("{waits}keys are ignored · {key} leaves"),
            format!("keys are ignored · {key} leaves"),
        ]
    };
    let fits = says.iter().find(|words| width(words) <= total).or(says.last());
    fits.map(|words| fit(words, total)).unwrap_or_default()
}

fn running<'a>(screen: &Screen<'a>, typing: Typing) -> Option<&'a Panel> {
    screen.view.panel(typing.call).filter(|panel| panel.takes_keys())
}

/// The first column in sight: none is hidden at the left unless the cursor would be at the right. It moves by half a
/// window, so that it does not move with each key.
fn first_column(shown: &tool::Screen, inner: u16) -> usize {
    let column = shown.cursor.map_or(0, |(_, column)| column);
    let step = (inner / 2).max(1);
    let beyond = (column + 1).saturating_sub(inner.max(1));
    usize::from(beyond.div_ceil(step) * step)
}

/// Where the cursor stands on the page, if that is in sight.
fn cursor(shown: &tool::Screen, from_row: usize, body: Rect) -> Option<(u16, u16)> {
    let (row, column) = shown.cursor?;
    let row = u16::try_from(usize::from(row).checked_sub(from_row)?).ok().filter(|row| *row < body.height)?;
    let cells = cells_before(shown.rows.get(usize::from(shown.cursor?.0)), usize::from(column));
    let x = u16::try_from(cells.checked_sub(first_column(shown, body.width))?).ok()?;
    (x < body.width).then_some((body.x + x, body.y + row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_stays_in_sight_at_every_width() {
        for inner in 1..130 {
            for column in 0..120 {
                let shown = tool::Screen { cursor: Some((0, column)), ..tool::Screen::default() };
                let from = first_column(&shown, inner);
                let cells = usize::from(column).checked_sub(from);
                assert!(cells.is_some_and(|x| x < usize::from(inner)), "{inner} {column} {from}");
            }
        }
    }
}
