//! The timeline: each call of the model with its reason and what it took, each summary, each ending.

use ratatui::text::{Line, Span};

use crate::ui::inspector::Inspector;
use crate::ui::panes::Screen;
use crate::ui::panes::words::{both_ends, cells, count, dollars, duration, one_row, short};
use crate::ui::text::fit;
use crate::ui::theme::Theme;
use crate::view::{Call, Moment, MomentKind};

use super::words::time_of_day;

/// Cells of the bar of a wide page.
const BAR: u64 = 16;

pub(super) fn summed_up(
    screen: &Screen<'_>,
    inspector: &Inspector,
) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let theme = screen.theme;
    let timeline = &inspector.books.timeline;
    let words = format!(
        "{}   the slowest took {}",
        count(timeline.moments().len(), "step"),
        duration(timeline.slowest())
    );
    let legend = vec![
        Span::styled("█", theme.accent),
        Span::styled(" model   ", theme.dim),
        Span::styled("▒", theme.text),
        Span::styled(" tools and waiting", theme.dim),
    ];
    (vec![Span::styled(words, theme.dim)], legend)
}

pub(super) fn line(
    screen: &Screen<'_>,
    inspector: &Inspector,
    at: usize,
    total: usize,
) -> Option<Line<'static>> {
    let theme = screen.theme;
    let timeline = &inspector.books.timeline;
    let moment = timeline.moments().get(at)?;
    let mut left = vec![Span::styled(format!("{:5} ", moment.entry.to_string()), theme.dim)];
    if total >= 60 {
        left.push(Span::styled(format!("{}  ", time_of_day(moment.at)), theme.dim));
    }
    Some(match &moment.kind {
        MomentKind::Called(call) => called(left, call, timeline.slowest(), total, theme),
        _ => told(left, moment, total, theme),
    })
}

fn called(
    mut left: Vec<Span<'static>>,
    call: &Call,
    slowest: u64,
    total: usize,
    theme: &Theme,
) -> Line<'static> {
    left.push(Span::styled(format!("turn {:<3} ", call.turn), theme.text));
    let reasons = match total {
        110.. => 26,
        60..110 => 18,
        _ => 12,
    };
    left.push(Span::styled(format!("{:reasons$} ", fit(call.reason.as_str(), reasons)), theme.text));
    if total < 60 {
        let took =
            if call.model.is_empty() { "open".into() } else { duration(call.model_ms + call.tools_ms) };
        return both_ends(left, vec![Span::styled(took, theme.dim)], total);
    }
    let size = if total >= 110 { BAR } else { 6 };
    left.extend(bar(call, slowest, size, theme));
    let wide = total >= 110;
    let times = if wide { 26 } else { 0 };
    left.push(Span::styled(format!("  {:times$}", took(call, total)), theme.dim));
    let right = vec![Span::styled(spent(call), theme.dim)];
    let room = total.saturating_sub(cells(&left) + cells(&right) + 4);
    if wide && room >= 8 {
        left.push(Span::styled(format!("  {}", fit(&one_row(&call.model), room)), theme.text));
    }
    both_ends(left, right, total)
}

/// `model 1.2 s · 2 tools 3.0 s`
fn took(call: &Call, total: usize) -> String {
    if call.model.is_empty() {
        return "no answer".to_owned();
    }
    let tools = match call.tools {
        0 => String::new(),
        n if total >= 110 => format!(" · {} {}", count(n as usize, "tool"), duration(call.tools_ms)),
        _ => format!(" · tools {}", duration(call.tools_ms)),
    };
    format!("{}{tools}", duration(call.model_ms))
}

fn spent(call: &Call) -> String {
    let cost = call.usage.cost.map(|cost| format!(" · {}", dollars(cost.0))).unwrap_or_default();
    if call.model.is_empty() {
        return String::new();
    }
    format!("{} in · {} out{cost}", short(call.usage.input), short(call.usage.output))
}

/// The model's time and that of its tools, as parts of the slowest step.
fn bar(call: &Call, slowest: u64, size: u64, theme: &Theme) -> Vec<Span<'static>> {
    // Less than a cell is one all the same: nothing that took time looks as if it took none.
    let part = |ms: u64| {
        let full = (u128::from(ms) * u128::from(size)) / u128::from(slowest.max(1));
        full.max(u128::from(ms > 0))
    };
    let model = u64::try_from(part(call.model_ms)).unwrap_or(size).min(size);
    // Of both together, so that the slowest step fills its bar.
    let both = u64::try_from(part(call.model_ms + call.tools_ms)).unwrap_or(size).min(size);
    let tools = both.saturating_sub(model).max(u64::from(call.tools_ms > 0)).min(size - model);
    let cells = |sign: &str, n: u64| sign.repeat(usize::try_from(n).unwrap_or(0));
    vec![
        Span::styled(cells("█", model), theme.accent),
        Span::styled(cells("▒", tools), theme.text),
        Span::styled(cells("·", size - model - tools), theme.faint),
    ]
}

/// A summary or an ending.
fn told(mut left: Vec<Span<'static>>, moment: &Moment, total: usize, theme: &Theme) -> Line<'static> {
    let (what, words, style) = match &moment.kind {
        MomentKind::Called(_) => return Line::from(left),
        MomentKind::Compacted(trigger, before, after) => {
            ("summary", format!("{trigger}: {} to {} tokens", short(*before), short(*after)), theme.warning)
        }
        MomentKind::Ended(reason, turns, ms) => (
            "ended",
            format!("{reason} · {} · {}", count(*turns as usize, "turn"), duration(*ms)),
            theme.accent,
        ),
    };
    left.push(Span::styled(format!("{what:8} "), style));
    let room = total.saturating_sub(cells(&left));
    left.push(Span::styled(fit(&words, room), theme.dim));
    Line::from(left)
}
