//! The page of budgets: all ten, the token budget and the context, and what was paid.

use ratatui::text::{Line, Span};

use crate::budget::{self, Bound, BoundRow, Gauge, Limit, Unit};
use crate::ledger::Usage;
use crate::ui::pages::PageFrame;
use crate::ui::text::{fit, width, wrap_spans};
use crate::ui::theme::Theme;

use super::level::{Level, bar};
use super::words::{cells, clock, dollars, percent, short};

/// Cells of the columns: names, bar, numbers, what is left.
type Columns = (usize, u64, usize, usize);

/// The columns of a wide page.
const WIDE: Columns = (27, 12, 20, 14);
/// The columns of a page that has just room for one line a budget.
const CLOSE: Columns = (27, 6, 15, 13);
/// Cells of a bar where a budget has two lines.
const SHORT_BAR: u64 = 6;

/// The columns that a page has room for; `None`: two lines a budget.
const fn columns(inner: usize) -> Option<Columns> {
    match inner {
        112.. => Some(WIDE),
        76..112 => Some(CLOSE),
        _ => None,
    }
}

/// One budget, ready to be written.
struct BudgetRow {
    name: &'static str,
    used: u64,
    limit: Option<u64>,
    write: fn(u64) -> String,
    /// What it says when all of it is used.
    over: &'static str,
    /// What is counted, where the name does not say it.
    about: &'static str,
    /// Set aside of it for sub-agents.
    set_aside: u64,
    /// What they have spent of that until now.
    spent_below: u64,
}

/// The rows of the page, of at most `inner` cells.
pub(in crate::ui) fn lines(frame: &PageFrame<'_>, inner: usize) -> Vec<Line<'static>> {
    let theme = frame.theme;
    let gauges = frame.view.gauges(frame.now);
    let below = |row: BudgetRow| match Limit::parse(row.name) {
        Some(limit) => BudgetRow { spent_below: frame.view.spent_below(limit, frame.now), ..row },
        None => row,
    };
    let over = |span: budget::Span| gauges.iter().filter_map(move |gauge| hard(*gauge, span)).map(below);
    let mut run: Vec<BudgetRow> = over(budget::Span::Run).collect();
    run.push(BudgetRow {
        name: Limit::Tokens.name(),
        used: frame.view.meter().usage().output,
        limit: frame.view.token_budget(),
        write: short,
        over: "used up",
        about: frame.view.token_budget().map_or("not set", |_| Limit::Tokens.row().about),
        set_aside: 0,
        spent_below: 0,
    });
    let context = BudgetRow {
        name: "context",
        used: frame.view.meter().context_tokens(),
        limit: Some(frame.view.session.window),
        write: short,
        over: "full",
        about: "compacted automatically near the window",
        set_aside: 0,
        spent_below: 0,
    };
    let mut lines = Vec::new();
    section(&mut lines, "This run", run, inner, theme);
    let mut session: Vec<BudgetRow> = over(budget::Span::Session).chain([context]).collect();
    let paid_for = frame.view.meter().session_usage();
    if paid_for.cost.is_none() && (paid_for.input > 0 || paid_for.output > 0) {
        for row in session.iter_mut().filter(|row| row.name == Limit::Cost.name()) {
            (row.write, row.spent_below) = (unpriced, row.spent_below.min(row.set_aside));
        }
    }
    section(&mut lines, "This session", session, inner, theme);
    section(&mut lines, "Each call", gauges.iter().filter_map(|gauge| soft(*gauge)).collect(), inner, theme);
    lines.push(Line::default());
    if let Some(goal) = frame.view.goal_forecast() {
        let words = format!("goal: {}", goal.words());
        let indent = || vec![Span::raw("  ")];
        let words = vec![Span::raw("  "), Span::styled(words, theme.text)];
        lines.extend(wrap_spans(words, inner, indent()));
    }
    lines.extend(paid(frame, inner));
    lines
}

/// A cost that nobody knows is not none.
fn unpriced(_: u64) -> String {
    "unknown".to_owned()
}

/// A limit that ends a run, if it is one whose use is added up over this.
fn hard(gauge: Gauge, span: budget::Span) -> Option<BudgetRow> {
    let row = Limit::parse(gauge.name)?.row();
    let write = match row.unit {
        Unit::Seconds => clock,
        Unit::MicroDollars => dollars,
        Unit::Things(_) | Unit::Tokens => short,
    };
    let Gauge { name, used, limit, set_aside } = gauge;
    let over = "used up";
    (row.span == span).then_some(BudgetRow {
        name,
        used,
        limit,
        write,
        over,
        about: row.about,
        set_aside,
        spent_below: 0,
    })
}

/// A limit of one call, or of those at the same time.
fn soft(gauge: Gauge) -> Option<BudgetRow> {
    let BoundRow { about, over, .. } = Bound::parse(gauge.name)?.row();
    let over = if gauge.limit == Some(0) { "none allowed" } else { over };
    Some(BudgetRow {
        name: gauge.name,
        used: gauge.used,
        limit: gauge.limit,
        write: short,
        over,
        about,
        set_aside: 0,
        spent_below: 0,
    })
}

fn section(
    lines: &mut Vec<Line<'static>>,
    title: &'static str,
    all: Vec<BudgetRow>,
    inner: usize,
    theme: &Theme,
) {
    if !lines.is_empty() {
        lines.push(Line::default());
    }
    lines.push(Line::styled(title, theme.title));
    for entry in all {
        lines.extend(match columns(inner) {
            Some(columns) => one_line(&entry, columns, inner, theme),
            None => two_lines(&entry, inner, theme),
        });
    }
}

fn one_line(entry: &BudgetRow, columns: Columns, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let (names, size, numbers, lefts) = columns;
    let level = Level::of(entry.used, entry.limit);
    let mut spans = vec![Span::styled(format!("  {:names$} ", entry.name), theme.text)];
    match entry.limit {
        Some(limit) => spans.extend(bar(entry.used, limit, size, theme)),
        None => spans.push(Span::raw(" ".repeat(usize::try_from(size).unwrap_or(0)))),
    }
    spans.push(Span::styled(format!("  {:numbers$}", numbers_of(entry)), theme.text));
    let left = left_of(entry);
    let room = inner.saturating_sub(cells(&spans) + 2);
    let mut told_of = told(entry, level, room.saturating_sub(lefts), theme);
    let mut pad = lefts.saturating_sub(width(&left));
    if told_of.is_empty() && (entry.set_aside > 0 || entry.spent_below > 0) {
        // Without it the numbers do not add up: it may come nearer to what is left.
        told_of = told(entry, level, room.saturating_sub(width(&left) + 2), theme);
        pad = room.saturating_sub(width(&left) + cells(&told_of));
    }
    let ways = ways_set_aside(entry);
    let is_said = |spans: &[Span<'_>]| spans.iter().any(|span| ways.iter().any(|way| *way == span.content));
    if entry.spent_below > 0 && !is_said(&told_of) {
        // What was spent of it stands below where there is no room for it here.
        spans.push(Span::styled(format!("  {left}"), theme.dim));
        let below = told(entry, level, inner.saturating_sub(4), theme);
        let below = std::iter::once(Span::raw("    ")).chain(below).collect::<Vec<_>>();
        return vec![Line::from(spans), Line::from(below)];
    }
    spans.push(Span::styled(format!("  {left}{}", " ".repeat(pad)), theme.dim));
    spans.extend(told_of);
    vec![Line::from(spans)]
}

fn two_lines(entry: &BudgetRow, inner: usize, theme: &Theme) -> Vec<Line<'static>> {
    let level = Level::of(entry.used, entry.limit);
    let mut first = vec![Span::styled(format!("  {}", entry.name), theme.text)];
    let told = told(entry, level, inner.saturating_sub(cells(&first) + 2), theme);
    if !told.is_empty() {
        first.push(Span::raw("  "));
        first.extend(told);
    }
    let mut second = vec![Span::raw("    ")];
    if let Some(limit) = entry.limit {
        second.extend(bar(entry.used, limit, SHORT_BAR, theme));
        second.push(Span::raw("  "));
    }
    let room = inner.saturating_sub(cells(&second));
    let numbers = numbers_of(entry);
    // What is left follows from the numbers, so it goes whole where there is no room.
    let words = format!("{numbers} · {}", left_of(entry));
    let words = if width(&words) <= room { words } else { numbers };
    second.push(Span::styled(fit(&words, room), theme.dim));
    vec![Line::from(first), Line::from(second)]
}

/// `12 of 50`
fn numbers_of(entry: &BudgetRow) -> String {
    let used = (entry.write)(entry.used);
    entry.limit.map_or_else(|| used.clone(), |limit| format!("{used} of {}", (entry.write)(limit)))
}

/// `38 left`
fn left_of(entry: &BudgetRow) -> String {
    entry.limit.map_or_else(
        || "no limit".to_owned(),
        |limit| {
            format!(
                "{} left",
                (entry.write)(limit.saturating_sub(entry.used).saturating_sub(entry.set_aside))
            )
        },
    )
}

/// What is set aside and what was spent of it until now, in fewer and fewer words; none: nothing was spent of it. Of what has no limit
/// nothing is set aside, and what agents spend of it counts when they are over.
fn ways_set_aside(entry: &BudgetRow) -> Vec<String> {
    if entry.spent_below == 0 {
        return Vec::new();
    }
    let (held, spent) = ((entry.write)(entry.set_aside), (entry.write)(entry.spent_below));
    if entry.set_aside == 0 {
        return vec![
            format!("agents have spent {spent} more so far"),
            format!("agents spent {spent} more"),
            format!("agents {spent} more"),
        ];
    }
    vec![
        format!("{held} set aside for agents, {spent} of it spent so far"),
        format!("{held} set aside, {spent} spent so far"),
        format!("{held} aside, {spent} spent"),
    ]
}

/// How near it is, in words and colour; else what it counts.
fn told(entry: &BudgetRow, level: Level, room: usize, theme: &Theme) -> Vec<Span<'static>> {
    let held = (entry.write)(entry.set_aside);
    let without =
        [format!("{held} set aside for agents"), format!("{held} set aside"), format!("{held} aside")];
    let is_set_aside = entry.set_aside > 0;
    let ways: Vec<String> =
        ways_set_aside(entry).into_iter().chain(without.into_iter().filter(|_| is_set_aside)).collect();
    let set_aside = ways.iter().find(|words| width(words) <= room).cloned().unwrap_or_default();
    let (words, style) = match level {
        _ if !ways.is_empty() => (set_aside.as_str(), theme.accent),
        Level::Over => (entry.over, level.style(theme)),
        Level::Near | Level::Close => ("near", level.style(theme)),
        Level::Calm => (entry.about, theme.faint),
    };
    let cuts = level == Level::Calm && ways.is_empty() && width(words) > room;
    if words.is_empty() || cuts || room < 4 {
        Vec::new()
    } else {
        vec![Span::styled(fit(words, room), style)]
    }
}

/// What this run and the session have cost, as far as prices are known, how much of the prompts the provider's cache
/// spared, and what the provider ran itself.
fn paid(frame: &PageFrame<'_>, inner: usize) -> Vec<Line<'static>> {
    let (theme, meter) = (frame.theme, frame.view.meter());
    let spent = |what: &'static str, usage: Usage| {
        let cost = match usage.cost {
            Some(cost) => dollars(cost.0),
            None if usage.input == 0 && usage.output == 0 => dollars(0),
            None => "price unknown".to_owned(),
        };
        let cached = percent(usage.cache_read, usage.input);
        let tokens =
            format!("{} in ({cached} % from the cache), {} out", short(usage.input), short(usage.output));
        (what, cost, tokens)
    };
    let uses = (meter.hosted_tools() > 0).then(|| {
        ("hosted tools", meter.hosted_tools().to_string(), "run by the provider in this run".to_owned())
    });
    [spent("paid this run", meter.usage()), spent("paid this session", meter.session_usage())]
        .into_iter()
        .chain(uses)
        .map(|(what, amount, words)| {
            let said = format!("  {what:18} {amount}");
            let room = inner.saturating_sub(width(&said) + 3);
            Line::from(vec![
                Span::styled(said, theme.text),
                Span::styled(format!(" · {}", fit(&words, room)), theme.dim),
            ])
        })
        .collect()
}
