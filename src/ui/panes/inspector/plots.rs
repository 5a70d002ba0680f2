//! The budgets over time: a small plot each, as fractions of its limit if it has one.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::budget::Limit;
use crate::ui::inspector::Inspector;
use crate::ui::panes::Screen;
use crate::ui::panes::level::Level;
use crate::ui::panes::words::{count, dollars, short};
use crate::ui::text::fit;
use crate::ui::theme::Theme;
use crate::view::Spent;

/// The eighths of a cell.
const EIGHTHS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// Cells of a bar and the gap after it, when there are few.
const BROAD: usize = 3;

/// One plot.
struct Plot {
    name: &'static str,
    of: fn(&Spent) -> u64,
    limit: Option<u64>,
    write: fn(u64) -> String,
    over: &'static str,
}

fn plots(screen: &Screen<'_>) -> [Plot; 6] {
    let limits = screen.view.meter().limits();
    let run = "this run";
    let plot = |name, of, limit, write, over| Plot { name, of, limit, write, over };
    [
        plot("context", |s: &Spent| s.context, Some(screen.view.session.window), short, "session"),
        plot("cost", |s: &Spent| s.cost, limits.get(Limit::Cost), dollars, "session"),
        plot("turns", |s: &Spent| s.turns, limits.get(Limit::Turns), short, run),
        plot("tool calls", |s: &Spent| s.tools, limits.get(Limit::ToolCalls), short, run),
        plot("tokens in", |s: &Spent| s.input, limits.get(Limit::InputTokens), short, run),
        plot("tokens out", |s: &Spent| s.output, limits.get(Limit::OutputTokens), short, run),
    ]
}

pub(super) fn summed_up(
    screen: &Screen<'_>,
    inspector: &Inspector,
) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let theme = screen.theme;
    let points = inspector.books.spending.points().len();
    let words = format!("after each of {}", count(points, "answer"));
    (vec![Span::styled(words, theme.dim)], vec![Span::styled("ctrl-b: exact numbers", theme.faint)])
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, inspector: &Inspector) {
    let points = inspector.books.spending.points();
    if points.is_empty() {
        let words = Line::styled("no answer from the model yet", screen.theme.dim);
        frame.render_widget(words, Rect { height: area.height.min(1), ..area });
        return;
    }
    let columns: u16 = if area.width >= 90 { 2 } else { 1 };
    let rows = 6 / columns;
    let high = (area.height / rows).saturating_sub(if area.height >= 24 { 2 } else { 1 }).clamp(1, 4);
    let each = area.width.saturating_sub((columns - 1) * 4) / columns;
    let plots: Vec<Vec<Line<'static>>> =
        plots(screen).iter().map(|plot| lines(plot, points, each, high, screen.theme)).collect();
    let air = u16::from(area.height / rows >= high + 2);
    let step = high + 1 + air;
    let most = (step * rows).saturating_sub(area.height + air);
    let scroll = inspector.scroll.min(most);
    for (at, lines) in (0u16..).zip(plots) {
        let (column, row) = (at % columns, at / columns);
        for (y, line) in (row * step..).zip(lines) {
            let Some(y) = y.checked_sub(scroll).filter(|y| *y < area.height) else { continue };
            frame.render_widget(line, Rect::new(area.x + column * (each + 4), area.y + y, each, 1));
        }
    }
}

/// The words, then the bars from the top.
fn lines(plot: &Plot, points: &[Spent], width: u16, high: u16, theme: &Theme) -> Vec<Line<'static>> {
    let total = usize::from(width);
    let broad = if points.len() * BROAD <= total { BROAD } else { 1 };
    let solid = if broad == 1 { 1 } else { broad - 1 };
    let shown = points.get(points.len().saturating_sub(total / broad)..).unwrap_or_default();
    let values: Vec<u64> = shown.iter().map(plot.of).collect();
    let now = values.last().copied().unwrap_or(0);
    let peak = values.iter().copied().max().unwrap_or(0);
    // With a limit a bar is a fraction of it, however small: what is full would look spent.
    let in_sight = plot.limit.filter(|limit| *limit > 0);
    let scale = in_sight.map_or(peak, |limit| limit.max(peak)).max(1);
    // The line of a limit warns where that is near, and nowhere else.
    let level = Level::of(now, plot.limit);
    let line = if level == Level::Calm { theme.faint } else { level.style(theme) };
    let empty = |row: u16, cells: usize| empty(row, in_sight.is_some(), cells, line);
    let mut lines = vec![title(plot, now, in_sight.is_some(), total, theme)];
    for row in 0..high {
        let mut spans = Vec::new();
        for value in &values {
            let level = eighths(*value, scale, high);
            let under = u128::from(high - 1 - row) * 8;
            let filled = usize::try_from(level.saturating_sub(under).min(8)).unwrap_or(8);
            let style = Level::of(*value, plot.limit).style(theme);
            spans.push(match filled {
                0 => empty(row, broad),
                _ => Span::styled(EIGHTHS.get(filled).unwrap_or(&"█").repeat(solid), style),
            });
            if filled > 0 && broad > solid {
                spans.push(empty(row, broad - solid));
            }
        }
        let rest = total.saturating_sub(values.len() * broad);
        spans.push(empty(row, rest));
        lines.push(Line::from(spans));
    }
    lines
}

/// Above the bars: the line of the limit in the first row, nothing below it.
fn empty(row: u16, limited: bool, cells: usize, line: Style) -> Span<'static> {
    let sign = if row == 0 && limited { "╌" } else { " " };
    Span::styled(sign.repeat(cells), line)
}

fn eighths(value: u64, scale: u64, high: u16) -> u128 {
    (u128::from(value) * u128::from(high) * 8).div_ceil(u128::from(scale))
}

/// `context  48k of 200k  session`
fn title(plot: &Plot, now: u64, in_sight: bool, total: usize, theme: &Theme) -> Line<'static> {
    let style = Level::of(now, plot.limit);
    let told = match (plot.limit, style) {
        (None, _) => " · no limit".to_owned(),
        (Some(limit), Level::Over) => format!(" of {} · used up", (plot.write)(limit)),
        (Some(limit), Level::Near | Level::Close) => format!(" of {} · near", (plot.write)(limit)),
        (Some(limit), Level::Calm) if in_sight => format!(" of {} · ╌ limit", (plot.write)(limit)),
        (Some(limit), Level::Calm) => format!(" of {}", (plot.write)(limit)),
    };
    let value = if style == Level::Calm { theme.accent } else { style.style(theme) };
    let name = format!("{:12}", plot.name);
    let words = format!("{told} · {}", plot.over);
    let number = (plot.write)(now);
    let room = total.saturating_sub(name.len() + number.len());
    Line::from(vec![
        Span::styled(name, theme.text),
        Span::styled(number, value),
        Span::styled(fit(&words, room), theme.dim),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::EntryId;

    #[test]
    fn the_line_of_a_limit_warns_only_where_that_is_near() {
        let theme = Theme::builtin("countersign-dark").unwrap();
        let plot =
            Plot { name: "turns", of: |spent| spent.turns, limit: Some(12), write: short, over: "this run" };
        for (turns, style) in [(1, theme.faint), (9, theme.gauge_warn), (12, theme.gauge_over)] {
            let entry = EntryId(1);
            let spent = Spent { entry, turns, tools: 0, input: 0, output: 0, cost: 0, context: 0 };
            let laid = lines(&plot, &[spent], 40, 3, &theme);
            let line = laid[1].spans.iter().find(|span| span.content.contains('╌')).unwrap();
            assert_eq!(line.style, style, "{turns} of 12");
        }
    }

    #[test]
    fn a_bar_reaches_the_line_only_at_the_limit() {
        for (value, scale, high, level) in [
            (0, 10, 3, 0),
            (1, 1_000, 3, 1),
            (10, 10, 3, 24),
            (5, 10, 3, 12),
            (9, 10, 1, 8),
            (u64::MAX, u64::MAX, 6, 48),
        ] {
            assert_eq!(eighths(value, scale, high), level, "{value} of {scale}");
        }
    }
}
