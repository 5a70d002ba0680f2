//! The budgets in the last line: what a person wants to know now. The page of budgets has all of them.

use ratatui::text::Span;

use crate::budget::{Gauge, Limit, Unit};
use crate::ui::theme::Theme;

use super::Screen;
use super::level::{Level, bar};
use super::words::{cells, clock, dollars, short};

/// Cells of a bar, in the order in which they are tried.
const BARS: [u64; 3] = [5, 3, 0];

/// One budget of the line.
struct Meter {
    name: String,
    used: u64,
    limit: Option<u64>,
    words: String,
    /// Whether a bar helps: not for what has no limit.
    bar: bool,
}

/// What is shown, the most important first.
pub(super) struct Meters<'t> {
    items: Vec<Meter>,
    theme: &'t Theme,
}

/// Context and cost, and each limit of which more than half is used, the fullest first.
pub(super) fn meters<'s>(screen: &Screen<'s>) -> Meters<'s> {
    let context = screen.view.meter().context_tokens();
    let window = screen.view.session.window;
    let first = Meter {
        name: "context".to_owned(),
        used: context,
        limit: Some(window),
        words: format!("{}/{}", short(context), short(window)),
        bar: true,
    };
    let gauges = screen.view.gauges(screen.now);
    let find = |limit: Limit| gauges.iter().find(|gauge| gauge.name == limit.name()).copied();
    let priced = screen.view.meter().session_usage().cost.is_some();
    let cost = find(Limit::Cost).filter(|cost| priced || cost.limit.is_some());
    let mut others: Vec<(Limit, Gauge)> = Limit::forbidding()
        .filter(|limit| *limit != Limit::Cost)
        .filter_map(|limit| Some((limit, find(limit)?)))
        .filter(|(_, gauge)| gauge.limit.is_some_and(|limit| is_above_half(gauge.used, limit)))
        .collect();
    others.sort_by_key(|(_, gauge)| {
        std::cmp::Reverse(gauge.limit.map(|limit| in_ten_thousands(gauge.used, limit)))
    });
    let cost = cost.map(|gauge| meter(Limit::Cost, gauge));
    let others = others.into_iter().map(|(limit, gauge)| meter(limit, gauge));
    Meters { items: [first].into_iter().chain(cost).chain(others).collect(), theme: screen.theme }
}

fn is_above_half(used: u64, limit: u64) -> bool {
    used > limit / 2
}

fn in_ten_thousands(used: u64, limit: u64) -> u128 {
    u128::from(used) * 10_000 / u128::from(limit.max(1))
}

/// A limit, as its unit is written.
fn meter(limit: Limit, gauge: Gauge) -> Meter {
    let write: fn(u64) -> String = match limit.unit() {
        Unit::Things(_) => |number| number.to_string(),
        Unit::Tokens => short,
        Unit::Seconds => clock,
        Unit::MicroDollars => dollars,
    };
    let Gauge { used, limit: most, .. } = gauge;
    let is_counted = matches!(limit.unit(), Unit::Things(_));
    let of = if is_counted { " of " } else { "/" };
    let words = most.map_or_else(|| write(used), |most| format!("{}{of}{}", write(used), write(most)));
    let name = match limit.unit() {
        _ if limit == Limit::ToolCalls => "tool calls".to_owned(),
        Unit::Things(thing) => format!("{thing}s"),
        _ if limit == Limit::Cost => String::new(),
        _ => limit.row().label.to_owned(),
    };
    Meter { name, used, limit: most, words, bar: false }
}

impl Meters<'_> {
    /// As much as fits: a long bar, a short one, none, then without the least important; what is near its limit stays longest.
    pub(super) fn within(&self, total: usize) -> Vec<Span<'static>> {
        let mut items: Vec<&Meter> = self.items.iter().collect();
        for size in BARS {
            let spans = self.spans(&items, size);
            if cells(&spans) <= total {
                return spans;
            }
        }
        loop {
            let spans = self.spans(&items, 0);
            if cells(&spans) <= total || items.is_empty() {
                return spans;
            }
            let least = items.iter().rposition(|item| item.level() == Level::Calm);
            items.remove(least.unwrap_or(items.len() - 1));
        }
    }

    fn spans(&self, items: &[&Meter], size: u64) -> Vec<Span<'static>> {
        let theme = self.theme;
        let mut spans = Vec::new();
        for item in items {
            if !spans.is_empty() {
                spans.push(Span::raw("   "));
            }
            if !item.name.is_empty() {
                let name = if size == 0 && item.bar { "ctx" } else { &item.name };
                spans.push(Span::styled(format!("{name} "), theme.dim));
            }
            if let Some(limit) = item.limit.filter(|_| item.bar && size > 0) {
                spans.extend(bar(item.used, limit, size, theme));
                spans.push(Span::raw(" "));
            }
            let style = match item.level() {
                Level::Calm => theme.dim,
                level @ (Level::Near | Level::Close | Level::Over) => level.style(theme),
            };
            let level = if size == 0 { item.level().short_word() } else { item.level().word() };
            spans.push(Span::styled(format!("{}{level}", item.words), style));
        }
        spans
    }
}

impl Meter {
    fn level(&self) -> Level {
        Level::of(self.used, self.limit)
    }
}
