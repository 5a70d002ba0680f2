//! Pages that take the whole screen: all of one call, and the frame that the help shares.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ledger::{Arguments, CallId, Preview};
use crate::ui::text::{cut_spans, diff, fit, sanitize};
use crate::ui::theme::Theme;
use crate::view::{Panel, summary};

use super::Screen;
use super::words::{both_ends, keys, one_row};

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, call: CallId, at: u16) {
    let Some(panel) = screen.view.panel(call) else {
        return page(frame, area, screen, "call", Vec::new(), at);
    };
    let about = panel.arguments().map(summary).unwrap_or_default();
    let title = format!("{}  {}", one_row(panel.name()), one_row(&about));
    let inner = usize::from(area.width.saturating_sub(4)).max(1);
    page(frame, area, screen, &title, lines(panel, inner, screen.theme), at);
}

/// What it was called with, what it would change, what it wrote.
fn lines(panel: &Panel, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let head = |lines: &mut Vec<Line<'static>>, words: &'static str| {
        if !lines.is_empty() {
            lines.push(Line::default());
        }
        lines.push(Line::styled(words, theme.title));
    };
    let text = |lines: &mut Vec<Line<'static>>, text: &str| {
        for line in sanitize(text).lines() {
            lines.extend(cut_spans(&[Span::styled(line.to_owned(), theme.text)], inner, Vec::new()));
        }
    };
    if let Some(arguments) = panel.arguments() {
        head(&mut lines, "arguments");
        match arguments {
            Arguments::Object(members) => {
                for (name, value) in members {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    text(&mut lines, &format!("{name}: {value}"));
                }
            }
            Arguments::Unusable(raw) => text(&mut lines, raw),
        }
    }
    if let Some((_, request)) = panel.request()
        && let Preview::Diff(unified) = &request.preview
    {
        head(&mut lines, "change");
        lines.extend(diff::render(unified, u16::try_from(inner).unwrap_or(u16::MAX), theme));
    }
    if let Some(result) = panel.result() {
        head(&mut lines, "result");
        text(&mut lines, &result.content);
    } else if !panel.tail.is_empty() {
        head(&mut lines, "output so far");
        for line in panel.tail.lines() {
            text(&mut lines, line);
        }
    }
    lines
}

/// A titled page of lines, scrolled by so many rows.
pub(super) fn page(
    frame: &mut Frame<'_>,
    area: Rect,
    screen: &Screen<'_>,
    title: &str,
    lines: Vec<Line<'static>>,
    at: u16,
) {
    let theme = screen.theme;
    let inner = Rect::new(area.x + 2, area.y, area.width.saturating_sub(4), area.height);
    let total = usize::from(inner.width);
    let foot = if area.height >= 16 { 2 } else { 1 };
    let body = usize::from(area.height.saturating_sub(2 + foot));
    let from = usize::from(at).min(lines.len().saturating_sub(body));
    let place =
        format!("{}–{} of {}", (from + 1).min(lines.len()), (from + body).min(lines.len()), lines.len());
    let title = Span::styled(fit(title, total.saturating_sub(place.chars().count() + 2)), theme.title);
    let top = both_ends(vec![title], vec![Span::styled(place, theme.dim)], total);
    frame.render_widget(top, Rect::new(inner.x, area.y, inner.width, 1));
    for (y, line) in (area.y + 2..area.bottom().saturating_sub(foot)).zip(lines.into_iter().skip(from)) {
        frame.render_widget(line, Rect::new(inner.x, y, inner.width, 1));
    }
    let groups = keys(&[("esc", "back"), ("pgup pgdn", "scroll")], theme.text, theme.dim);
    let foot = Line::from(groups.join(&Span::raw("   ")));
    frame.render_widget(foot, Rect::new(inner.x, area.bottom().saturating_sub(1), inner.width, 1));
}
