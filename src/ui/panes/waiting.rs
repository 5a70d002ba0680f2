//! On a page that takes the whole screen: that something waits for a person behind it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::text::Line;

use crate::ui::local::Overlay;
use crate::ui::text::width;

use super::Screen;
use super::words::count;

/// Draws it at the right end of the last line, over keys that the help has too; none of them is left in half.
pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let Some(words) = words(screen) else { return };
    let cells = u16::try_from(width(&words)).unwrap_or(u16::MAX).min(area.width);
    let place = Rect::new(area.right() - cells, area.bottom().saturating_sub(1), cells, 1);
    let buffer = frame.buffer_mut();
    let is_blank = |x: u16| buffer.cell((x, place.y)).is_none_or(|cell| cell.symbol().trim().is_empty());
    // What stands together has one blank in it, and more around it.
    let parts = |x: u16| is_blank(x) && is_blank(x + 1);
    let is_cut =
        place.x > area.x && !parts(place.x) && !parts(place.x - 1) && !parts(place.x.saturating_sub(2));
    let begins = (area.x..place.x).rev().take_while(|x| is_cut && !parts(x.saturating_sub(1))).last();
    for x in begins.unwrap_or(place.x)..area.right() {
        if let Some(cell) = buffer.cell_mut((x, place.y)) {
            cell.set_symbol(" ");
            cell.modifier = Modifier::empty();
        }
    }
    let style = screen.theme.border_waiting.add_modifier(Modifier::REVERSED);
    frame.render_widget(Line::styled(words, style), place);
}

fn words(screen: &Screen<'_>) -> Option<String> {
    let (local, view) = (screen.local, screen.view);
    // These say it themselves, or are about it.
    if local.subject(view).is_some() || matches!(local.overlay, Some(Overlay::Terminal(_))) {
        return None;
    }
    match local.waiting(view).len() {
        0 => local.stop(view).map(|_| " the budget stop waits for you ".to_owned()),
        calls => {
            Some(format!(" {} {} for you ", count(calls, "call"), if calls == 1 { "waits" } else { "wait" }))
        }
    }
}
