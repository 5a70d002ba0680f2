//! The budgets in the last line: what a person wants to know now. The page of budgets has all of them.

use ratatui::text::Span;

use crate::budget::{Gauge, Limit, Unit};
use crate::ui::theme::Theme;

use super::Screen;
use super::level::{Level, bar};
use super::words::{cells, clock, dollars, percent, short};

/// How all of it is written, the longest first.
const FORMS: [Form; 6] = [
    Form { bar: 5, figures: Figures::Spoken, gap: "   " },
    Form { bar: 3, figures: Figures::Spoken, gap: "   " },
    NO_BAR,
    Form { bar: 0, figures: Figures::Brief, gap: "  " },
    Form { bar: 0, figures: Figures::Percent, gap: "  " },
    SHORTEST,
];
/// Those of them that say amounts.
const AMOUNTS: usize = 4;
const NO_BAR: Form = Form { bar: 0, figures: Figures::Spoken, gap: "   " };
const SHORTEST: Form = Form { bar: 0, figures: Figures::Percent, gap: " " };

/// Budgets that stay where not even the shortest words for all of them fit.
const MOST_NEAREST: usize = 2;

/// A way to write the line.
struct Form {
    /// Cells of a bar.
    bar: u64,
    figures: Figures,
    gap: &'static str,
}

/// How much is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Figures {
    /// `tool calls 90 of 100, near the limit`.
    Spoken,
    /// `calls 90/100!`.
    Brief,
    /// `calls 90%!`; of what has no limit, the amount.
    Percent,
}

/// One budget of the line.
struct Meter {
    name: String,
    /// The same in one short word.
    brief: &'static str,
    used: u64,
    limit: Option<u64>,
    /// What is used, and of how much, as its unit is written.
    amounts: (String, Option<String>),
    /// What stands between the two.
    of: &'static str,
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
    let (context, is_estimated) = screen.view.context_until_now();
    let about = if is_estimated { "~" } else { "" };
    let window = screen.view.session.window;
    let first = Meter {
        name: "context".to_owned(),
        brief: "ctx",
        used: context,
        limit: Some(window),
        amounts: (format!("{about}{}", short(context)), Some(short(window))),
        of: "/",
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
    let name = match limit.unit() {
        _ if limit == Limit::ToolCalls => "tool calls".to_owned(),
        Unit::Things(thing) => format!("{thing}s"),
        _ if limit == Limit::Cost => String::new(),
        _ => limit.row().label.to_owned(),
    };
    let brief = match limit.unit() {
        Unit::Things(_) if limit == Limit::ToolCalls => "calls",
        Unit::Seconds => "time",
        Unit::MicroDollars => "cost",
        Unit::Things(_) | Unit::Tokens => limit.row().label,
    };
    Meter { name, brief, used, limit: most, amounts: (write(used), most.map(write)), of, bar: false }
}

impl Meters<'_> {
    /// Beside something that needs the rest of the line. Where a budget is above half, all of it stays and the other thing gives way;
    /// if not even the shortest words fit, the two that are nearest to their limits stay.
    pub(super) fn beside(&self, room: usize, total: usize) -> Vec<Span<'static>> {
        let all: Vec<&Meter> = self.items.iter().collect();
        let whole = |forms: &[Form], most: usize| {
            forms.iter().map(|form| self.spans(&all, form)).find(|spans| cells(spans) <= most)
        };
        let amounts = FORMS.get(..AMOUNTS).unwrap_or(&FORMS);
        if let Some(spans) = whole(amounts, room) {
            return spans;
        }
        if !self.presses() {
            return self.fewer(room);
        }
        whole(&FORMS, total).unwrap_or_else(|| self.nearest(total))
    }

    /// Cells that it needs at least: none, where nothing is above half.
    pub(super) fn least(&self) -> usize {
        if !self.presses() {
            return 0;
        }
        cells(&self.spans(&self.items.iter().collect::<Vec<_>>(), &SHORTEST))
    }

    /// Whether more than half of anything is used.
    fn presses(&self) -> bool {
        self.items.iter().any(|item| item.limit.is_some_and(|limit| is_above_half(item.used, limit)))
    }

    /// The shortest words for those that are nearest to their limits, the nearest first: what is left of the line is for keys.
    fn nearest(&self, total: usize) -> Vec<Span<'static>> {
        let nears = |item: &Meter| item.limit.map_or(0, |limit| in_ten_thousands(item.used, limit));
        let mut items: Vec<&Meter> = self.items.iter().collect();
        items.sort_by_key(|item| std::cmp::Reverse(nears(item)));
        items.truncate(MOST_NEAREST);
        while items.len() > 1 && cells(&self.spans(&items, &SHORTEST)) > total {
            items.pop();
        }
        self.spans(&items, &SHORTEST)
    }

    /// Where nothing presses: without the least important. The last one stays in its shortest words, if these fit.
    fn fewer(&self, room: usize) -> Vec<Span<'static>> {
        let mut items: Vec<&Meter> = self.items.iter().collect();
        while items.len() > 1 && cells(&self.spans(&items, &NO_BAR)) > room {
            items.pop();
        }
        let mut forms = [NO_BAR, SHORTEST].into_iter().map(|form| self.spans(&items, &form));
        forms.find(|spans| cells(spans) <= room).unwrap_or_default()
    }

    fn spans(&self, items: &[&Meter], form: &Form) -> Vec<Span<'static>> {
        let theme = self.theme;
        let mut spans = Vec::new();
        for item in items {
            if !spans.is_empty() {
                spans.push(Span::raw(form.gap));
            }
            let name = item.named(form);
            if !name.is_empty() {
                spans.push(Span::styled(format!("{name} "), theme.dim));
            }
            if let Some(limit) = item.limit.filter(|_| item.bar && form.bar > 0) {
                spans.extend(bar(item.used, limit, form.bar, theme));
                spans.push(Span::raw(" "));
            }
            let style = match item.level() {
                Level::Calm => theme.dim,
                level @ (Level::Near | Level::Close | Level::Over) => level.style(theme),
            };
            spans.push(Span::styled(item.figures(form), style));
        }
        spans
    }
}

impl Meter {
    fn level(&self) -> Level {
        Level::of(self.used, self.limit)
    }

    fn named(&self, form: &Form) -> &str {
        match form.figures {
            Figures::Spoken if form.bar == 0 && self.bar => self.brief,
            Figures::Spoken => &self.name,
            // A sum of money, or a time, needs no name; a part of it does.
            Figures::Brief if self.name.is_empty() => "",
            Figures::Percent if self.limit.is_none() && self.name.is_empty() => "",
            Figures::Brief | Figures::Percent => self.brief,
        }
    }

    fn figures(&self, form: &Form) -> String {
        let (used, limit) = &self.amounts;
        let sign = if self.level() == Level::Calm { "" } else { "!" };
        match (form.figures, limit, self.limit) {
            (_, None, _) | (_, _, None) => used.clone(),
            (Figures::Spoken, Some(limit), _) => {
                let level = if form.bar == 0 { self.level().short_word() } else { self.level().word() };
                format!("{used}{}{limit}{level}", self.of)
            }
            (Figures::Brief, Some(limit), _) => format!("{used}/{limit}{sign}"),
            (Figures::Percent, Some(_), Some(limit)) => format!("{}%{sign}", percent(self.used, limit)),
        }
    }
}
