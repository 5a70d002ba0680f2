//! What the model sees: each entry beside the next request, and why the two differ.

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};

use crate::ledger::Body;
use crate::ui::inspector::Inspector;
use crate::ui::panes::Screen;
use crate::ui::panes::level::bar;
use crate::ui::panes::words::{both_ends, cells, count, one_row, percent, short};
use crate::ui::text::{fit, grouped, width};
use crate::view::{Fate, SeenEntry, one_line};

use super::words::field;

/// Cells of the columns of ids and roles.
const COLUMNS: (usize, usize) = (5, 13);
/// From so many cells on, a line has room for the sum.
const ROOMY: usize = 60;

pub(super) fn summed_up(
    screen: &Screen<'_>,
    inspector: &Inspector,
    total: usize,
) -> (Vec<Span<'static>>, Vec<Span<'static>>) {
    let theme = screen.theme;
    let sees = inspector.books.sees();
    if let Some(fault) = &sees.fault {
        let words = fit(&one_row(&format!("no request can be built: {fault}")), total);
        return (vec![Span::styled(words, theme.error)], Vec::new());
    }
    let window = screen.view.session.window;
    let mut left = vec![Span::styled(format!("{}  ", inspector.side.words()), theme.text)];
    let narrow = total < ROOMY;
    if !narrow {
        left.extend(bar(sees.tokens, window, 6, theme));
    }
    let tokens =
        format!(" ~{} of {} tokens, {} %", short(sees.tokens), short(window), percent(sees.tokens, window));
    left.push(Span::styled(if narrow { format!("~{}", short(sees.tokens)) } else { tokens }, theme.dim));
    let messages = format!("  {}", count(sees.messages, "message"));
    left.push(Span::styled(messages, theme.dim));
    if sees.open > 0 {
        left.push(Span::styled(
            format!("  {} open, as if they ended now", count(sees.open, "call")),
            theme.warning,
        ));
    }
    let right = vec![Span::styled(format!("{} differ", sees.differing.len()), theme.dim)];
    (left, right)
}

pub(super) fn line(
    screen: &Screen<'_>,
    inspector: &Inspector,
    at: usize,
    total: usize,
) -> Option<Line<'static>> {
    let theme = screen.theme;
    let sight = inspector.books.sights(inspector.side).at(at)?;
    let row = screen.view.rows().get(sight.row)?;
    let (ids, roles) = COLUMNS;
    let id = sight.entry.to_string();
    let left_out = matches!(sight.fate, Fate::Left(_));
    let role = if left_out { theme.faint } else { theme.text };
    let mut left = vec![Span::styled(format!("{id:ids$} "), theme.dim)];
    left.push(Span::styled(format!("{:roles$} ", sight.role), role));
    let right = if left_out { Vec::new() } else { sums(sight, total, screen) };
    let room = total.saturating_sub(cells(&left) + cells(&right) + 1);
    let says = match &row.entry.body {
        Body::SessionStarted(started) => fit(&one_row(&started.system), room),
        _ => one_row(&one_line(&row.entry)),
    };
    match why(&sight.fate) {
        Some((word, why)) => {
            let why = fit(&one_row(&format!("{word}: {why}")), room);
            let style = if left_out { theme.dim.add_modifier(Modifier::CROSSED_OUT) } else { theme.dim };
            let free = room.saturating_sub(width(&why) + 2);
            left.push(Span::styled(why, theme.warning));
            if free >= 8 {
                left.extend([Span::raw("  "), Span::styled(fit(&says, free), style)]);
            }
        }
        None => left.push(Span::styled(fit(&says, room), theme.dim)),
    }
    Some(both_ends(left, right, total))
}

/// What it adds, and the request up to here.
fn sums(sight: &SeenEntry, total: usize, screen: &Screen<'_>) -> Vec<Span<'static>> {
    let theme = screen.theme;
    let own = Span::styled(format!("{:>6}", format!("~{}", short(sight.tokens))), theme.text);
    if total < ROOMY {
        return vec![own];
    }
    vec![own, Span::styled(format!("{:>7}", format!("Σ {}", short(sight.total))), theme.dim)]
}

fn why(fate: &Fate) -> Option<(&'static str, &str)> {
    match fate {
        Fate::Sent => None,
        Fate::Changed(why) => Some(("differs", why)),
        Fate::Left(why) => Some(("not sent", why)),
        Fate::Apart(why) => Some(("not for models", why)),
    }
}

/// The same in full, above the entry.
pub(super) fn about(
    screen: &Screen<'_>,
    inspector: &Inspector,
    at: usize,
    width: usize,
) -> Vec<Line<'static>> {
    let theme = screen.theme;
    let Some(sight) = inspector.books.sights(inspector.side).at(at) else { return Vec::new() };
    let (word, why) = why(&sight.fate).unwrap_or(("sent", "as it is"));
    let style = if matches!(sight.fate, Fate::Sent) { theme.text } else { theme.warning };
    let mut lines = vec![Line::styled("in the next request", theme.title)];
    lines.extend(field(word, why, width, style, theme));
    if !matches!(sight.fate, Fate::Left(_) | Fate::Apart(_)) {
        lines.extend(field("as", sight.role, width, theme.text, theme));
        let window = screen.view.session.window;
        let words = format!(
            "about {}; {} up to here, {} % of the window",
            grouped(sight.tokens),
            grouped(sight.total),
            percent(sight.total, window)
        );
        lines.extend(field("tokens", &words, width, theme.text, theme));
    }
    lines
}
