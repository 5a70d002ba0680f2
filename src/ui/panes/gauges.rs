//! The budgets: what was used of what, as bars where there is room and as numbers always.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::budget::{Gauge, Limit, Unit};
use crate::ui::theme::Theme;

use super::Screen;
use super::level::{Level, bar};
use super::words::{cells, clock, dollars, percent, short};

/// Cells of a bar, in the order in which they are tried.
const BARS: [u64; 3] = [5, 3, 0];

/// Name of the gauge of what the cache spared.
const CACHE: &str = "cache";

/// The limits that have a place of their own in the line. Any other one comes last, where it is set.
const PLACED: [Limit; 6] =
    [Limit::Turns, Limit::ToolCalls, Limit::InputTokens, Limit::OutputTokens, Limit::Cost, Limit::WallTime];

/// One gauge of the line.
struct GaugeItem {
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

fn items(screen: &Screen<'_>, total: usize) -> Vec<GaugeItem> {
    let gauges = screen.view.gauges(screen.now);
    let find = |limit: Limit| gauges.iter().find(|g| g.name == limit.name()).copied();
    let of = |limit: Limit, rank: u8| find(limit).map(|gauge| item(limit, gauge, rank));
    let context = screen.view.meter().context_tokens();
    let window = screen.view.session.window;
    let priced = screen.view.meter().session_usage().cost.is_some();
    let run = of_this_run(screen);
    let name = if run.is_some() { "session" } else { "" };
    let cost = of(Limit::Cost, 3).filter(|c| priced || c.limit.is_some());
    let cost = cost.map(|cost| GaugeItem { name, ..cost });
    let others = Limit::forbidding().filter(|limit| !PLACED.contains(limit)).filter_map(|limit| of(limit, 9));
    [
        of(Limit::Turns, 0),
        of(Limit::ToolCalls, 1),
        Some(GaugeItem {
            name: if total < 60 { "ctx" } else { "context" },
            used: context,
            limit: Some(window),
            words: format!("{}/{}", short(context), short(window)),
            bar: true,
            rank: 2,
        }),
        of(Limit::InputTokens, 6),
        cache(screen),
        of(Limit::OutputTokens, 5),
        run,
        cost,
        of(Limit::WallTime, 4),
    ]
    .into_iter()
    .flatten()
    .chain(others.filter(|item| item.limit.is_some()))
    .collect()
}

/// A limit, as its unit is written.
fn item(limit: Limit, gauge: Gauge, rank: u8) -> GaugeItem {
    let write: fn(u64) -> String = match limit.unit() {
        Unit::Things(_) => |number| number.to_string(),
        Unit::Tokens => short,
        Unit::Seconds => clock,
        Unit::MicroDollars => dollars,
    };
    let Gauge { used, limit: most, .. } = gauge;
    let words = most.map_or_else(|| write(used), |most| format!("{}/{}", write(used), write(most)));
    let bar = matches!(limit.unit(), Unit::Things(_));
    GaugeItem { name: limit.row().label, used, limit: most, words, bar, rank }
}

/// What this run has cost, once that is another sum than what the session has.
fn of_this_run(screen: &Screen<'_>) -> Option<GaugeItem> {
    let meter = screen.view.meter();
    let (run, session) = (meter.usage().cost?.0, meter.session_usage().cost?.0);
    let item = GaugeItem { name: "run", used: run, limit: None, words: dollars(run), bar: false, rank: 8 };
    (run != session).then_some(item)
}

/// How much of the run's prompts came from the provider's cache, once any did.
fn cache(screen: &Screen<'_>) -> Option<GaugeItem> {
    let usage = screen.view.meter().usage();
    let words = format!("{} %", percent(usage.cache_read, usage.input));
    let item = GaugeItem { name: CACHE, used: usage.cache_read, limit: None, words, bar: false, rank: 7 };
    (usage.cache_read > 0).then_some(item)
}

/// As much as fits: long bars, short bars, without what has no limit, without bars, without the least important.
fn line(mut items: Vec<GaugeItem>, total: usize, theme: &Theme) -> Line<'static> {
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

fn spans<'a>(items: impl Iterator<Item = &'a GaugeItem>, size: u64, theme: &Theme) -> Vec<Span<'static>> {
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
