//! What to know about the session, while there is a transcript: quiet lines above the composer, until something is said.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::ui::local::Local;
use crate::ui::text::{fit, sanitize, width as cells, wrap};
use crate::view::View;

use super::Screen;

/// Rows that it has at most.
const MOST: usize = 8;
/// Rows of a screen below which it has one: the others are for what was said and done.
const LOW: u16 = 16;
/// Rows of a low screen that it takes before anything was said: the first message needs the others.
const MOST_LOW: usize = 2;
/// Where all of it is to be read.
const WHERE: &str = "/status";

/// Rows that it would like to have on a screen of this size. An empty session shows it in the middle.
pub(super) fn rows(local: &Local, view: &View, (width, height): (u16, u16)) -> u16 {
    let said = local.notice.as_deref().filter(|_| !view.is_empty());
    let most = if height < LOW { 1 } else { MOST };
    u16::try_from(said.map_or(0, |said| broken(said, width).len().min(most))).unwrap_or(0)
}

/// Draws it at the top of an area, and returns what is left below.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) -> Rect {
    let size = (area.width, frame.area().height);
    let wanted = rows(screen.local, screen.view, size).min(area.height);
    let rest = Rect { y: area.y + wanted, height: area.height - wanted, ..area };
    let (Some(said), 1..) = (&screen.local.notice, wanted) else { return rest };
    let mut lines = broken(said, area.width);
    let hidden = lines.len().saturating_sub(usize::from(wanted));
    lines.truncate(usize::from(wanted));
    if let Some(last) = lines.last_mut().filter(|_| hidden > 0) {
        // One row says what it is about, and where the rest is.
        *last = if wanted > 1 { more_lines(hidden + 1) } else { begun(said, area.width) };
    }
    for (y, line) in (area.y..).zip(lines) {
        let row = Rect { x: area.x + 1, y, width: area.width.saturating_sub(2), height: 1 };
        frame.render_widget(Line::styled(line, screen.theme.dim), row);
    }
    rest
}

/// Where lines are to be read that do not fit.
pub(super) fn more_lines(hidden: usize) -> String {
    format!("{hidden} more lines: {WHERE}")
}

/// How it begins and where all of it is to be read, for an empty session on a low screen; `None`: there is room for all.
pub(super) fn in_few_rows(said: &str, room: usize, height: u16) -> Option<String> {
    let mut lines = wrapped(said, room);
    if height >= LOW || lines.len() <= MOST_LOW {
        return None;
    }
    lines.truncate(MOST_LOW);
    let more = format!(" · {WHERE}");
    let last = lines.pop().unwrap_or_default();
    lines.push(fit(&format!("{last} …"), room.saturating_sub(cells(&more))) + &more);
    Some(lines.join("\n"))
}

/// Its first words, and where all of it is to be read.
fn begun(said: &str, width: u16) -> String {
    let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let more = format!(" · {WHERE}");
    let room = usize::from(width.saturating_sub(2)).saturating_sub(cells(&more));
    fit(&sanitize(first), room) + &more
}

fn broken(said: &str, width: u16) -> Vec<String> {
    wrapped(said, usize::from(width.saturating_sub(2)).max(1))
}

fn wrapped(said: &str, room: usize) -> Vec<String> {
    let paragraphs = said.lines().filter(|line| !line.trim().is_empty());
    let lines = paragraphs.flat_map(|line| wrap(&sanitize(line), room, ratatui::style::Style::new()));
    lines.map(|line| line.to_string()).collect()
}
