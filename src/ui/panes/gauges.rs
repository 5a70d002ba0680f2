//! The budgets: what was used of what, as bars where there is room and as numbers always.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::budget::{Gauge, Limit};
use crate::ui::theme::Theme;

use super::Screen;
use super::level::{Level, bar};
use super::words::{cells, clock, dollars, percent, short};

/// Cells of a bar, in the order in which they are tried.
const BARS: [u64; 3] = [5, 3, 0];

/// Name of the gauge of what the cache spared.
const CACHE: &str = "cache";

/// One gauge of the line.
struct Item {
    name: &'static str,
    used: u64,
    limit: Option<u64>,
    words: String,
    /// Whether a bar helps: not for what has no limit.
    bar: bool,
    /// The lower, the longer it stays when room is short.
    rank: u8,
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>) {
    let total = usize::from(area.width).saturating_sub(2);
    let line = line(items(screen, total), total, screen.theme);
    frame.render_widget(line, Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), 1));
}

fn items(screen: &Screen<'_>, total: usize) -> Vec<Item> {
    let gauges = screen.view.gauges(screen.now);
    let find = |limit: Limit| gauges.iter().find(|g| g.name == limit.name()).copied();
    let of = |limit: Limit, name: &'static str, bar: bool, rank: u8, write: fn(u64) -> String| {
        find(limit).map(|Gauge { used, limit, .. }| {
            let words = limit.map_or_else(|| write(used), |l| format!("{}/{}", write(used), write(l)));
            Item { name, used, limit, words, bar, rank }
        })
    };
    let context = screen.view.meter().context_tokens();
    let window = screen.view.session.window;
    let priced = screen.view.meter().session_usage().cost.is_some();
    let run = of_this_run(screen);
    let name = if run.is_some() { "session" } else { "" };
    let cost = of(Limit::Cost, name, false, 3, dollars).filter(|c| priced || c.limit.is_some());
    [
        of(Limit::Turns, "turns", true, 0, |n| n.to_string()),
        of(Limit::ToolCalls, "tools", true, 1, |n| n.to_string()),
        Some(Item {
            name: if total < 60 { "ctx" } else { "context" },
            used: context,
            limit: Some(window),
            words: format!("{}/{}", short(context), short(window)),
            bar: true,
            rank: 2,
        }),
        of(Limit::InputTokens, "in", false, 6, short),
        cache(screen),
        of(Limit::OutputTokens, "out", false, 5, short),
        run,
        cost,
        of(Limit::WallTime, "", false, 4, clock),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What this run has cost, once that is another sum than what the session has.
fn of_this_run(screen: &Screen<'_>) -> Option<Item> {
    let meter = screen.view.meter();
    let (run, session) = (meter.usage().cost?.0, meter.session_usage().cost?.0);
    let item = Item { name: "run", used: run, limit: None, words: dollars(run), bar: false, rank: 8 };
    (run != session).then_some(item)
}

/// How much of the run's prompts came from the provider's cache, once any did.
fn cache(screen: &Screen<'_>) -> Option<Item> {
    let usage = screen.view.meter().usage();
    let words = format!("{} %", percent(usage.cache_read, usage.input));
    let item = Item { name: CACHE, used: usage.cache_read, limit: None, words, bar: false, rank: 7 };
    (usage.cache_read > 0).then_some(item)
}

/// As much as fits: long bars, short bars, without what has no limit, without bars, without the least important.
fn line(mut items: Vec<Item>, total: usize, theme: &Theme) -> Line<'static> {
    for size in BARS {
        for all in [true, false] {
            let shown =
                || items.iter().filter(|i| all || i.limit.is_some() || !["in", CACHE].contains(&i.name));
            let spans = spans(shown(), size, theme);
            if cells(&spans) <= total {
                return Line::from(spans);
            }
        }
    }
    loop {
        let spans = spans(items.iter(), 0, theme);
        let least = items.iter().enumerate().max_by_key(|(_, i)| i.rank).map(|(at, _)| at);
        match least {
            Some(at) if cells(&spans) > total => items.remove(at),
            Some(_) | None => return Line::from(spans),
        };
    }
}

fn spans<'a>(items: impl Iterator<Item = &'a Item>, size: u64, theme: &Theme) -> Vec<Span<'static>> {
    let mut spans = Vec::new();
    for item in items {
        if !spans.is_empty() {
            spans.push(Span::raw("  "));
        }
        if !item.name.is_empty() {
            spans.push(Span::styled(format!("{} ", item.name), theme.dim));
        }
        if let Some(limit) = item.limit.filter(|_| item.bar && size > 0) {
            spans.extend(bar(item.used, limit, size, theme));
            spans.push(Span::raw(" "));
        }
        let style = match Level::of(item.used, item.limit) {
            Level::Calm => theme.dim,
            level @ (Level::Near | Level::Over) => level.style(theme),
        };
        let near = Level::of(item.used, item.limit).word();
        spans.push(Span::styled(format!("{}{near}", item.words), style));
    }
    spans
}
