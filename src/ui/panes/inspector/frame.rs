//! The frame of the inspector: the tabs, a line that sums the page up, the page, and the keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ui::inspector::{Inspector, Tab};
use crate::ui::panes::Screen;
use crate::ui::panes::words::{both_ends, cells, count, keys, one_row};
use crate::ui::text::{fit, width};
use crate::view::Row;

use super::{approvals, detail, plots, sees, table, timeline};

/// From this width on, the list and the entry stand side by side.
const WIDE: u16 = 100;
/// From this height on, there is air between the parts.
const TALL: u16 = 16;

pub(in crate::ui::panes) fn draw(
    frame: &mut Frame<'_>,
    area: Rect,
    screen: &Screen<'_>,
    inspector: &Inspector,
) {
    let inner = Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), area.height);
    let row = |y: u16| Rect { y: area.y + y, height: 1, ..inner };
    let [tabs, rule] = tabs(inspector.tab, usize::from(inner.width), screen);
    frame.render_widget(tabs, row(0));
    frame.render_widget(rule, row(1));
    let count = inspector.count(screen.view);
    frame.render_widget(summed_up(screen, inspector, count, usize::from(inner.width)), row(2));
    let (top, foot) = if area.height >= TALL { (4, 2) } else { (3, 1) };
    let body = Rect { y: area.y + top, height: area.height.saturating_sub(top + foot), ..inner };
    page(frame, body, screen, inspector, count);
    frame.render_widget(
        keys_of(screen, inspector, usize::from(inner.width)),
        row(area.height.saturating_sub(1)),
    );
}

/// The names of the pages, and the rule under them, which is bright under the one that is open.
fn tabs(open: Tab, total: usize, screen: &Screen<'_>) -> [Line<'static>; 2] {
    let theme = screen.theme;
    let full: usize = Tab::ALL.into_iter().map(|tab| width(tab.name().0) + 3).sum();
    let (mut names, mut rule) = (Vec::new(), Vec::new());
    for tab in Tab::ALL {
        let name = if full <= total { tab.name().0 } else { tab.name().1 };
        let gap = if full <= total { 3 } else { 2 };
        let style = if tab == open { theme.accent } else { theme.dim };
        names.extend([Span::styled(name, style), Span::raw(" ".repeat(gap))]);
        let (sign, style) = if tab == open { ("━", theme.accent) } else { ("─", theme.faint) };
        rule.push(Span::styled(sign.repeat(width(name)), style));
        rule.push(Span::styled("─".repeat(gap), theme.faint));
    }
    rule.push(Span::styled("─".repeat(total.saturating_sub(cells(&rule))), theme.faint));
    [Line::from(names), Line::from(rule)]
}

fn summed_up(screen: &Screen<'_>, inspector: &Inspector, count: usize, total: usize) -> Line<'static> {
    let (left, right) = match inspector.tab {
        Tab::Ledger => table::summed_up(screen, inspector, count),
        Tab::ModelSees => sees::summed_up(screen, inspector, total),
        Tab::Timeline => timeline::summed_up(screen, inspector),
        Tab::Budgets => plots::summed_up(screen, inspector),
        Tab::Approvals => approvals::summed_up(screen, inspector),
    };
    both_ends(left, right, total)
}

fn page(frame: &mut Frame<'_>, body: Rect, screen: &Screen<'_>, inspector: &Inspector, count: usize) {
    if inspector.tab == Tab::Budgets {
        return plots::draw(frame, body, screen, inspector);
    }
    let chosen = inspector.entry(screen.view).and_then(|id| screen.view.row(id));
    let place = inspector.place(count);
    let beside = body.width + 2 >= WIDE && inspector.tab != Tab::Timeline;
    if inspector.open {
        entry(frame, body, screen, inspector, place, chosen);
    } else if beside {
        let left = body.width * 11 / 20;
        list(frame, Rect { width: left, ..body }, screen, inspector, count);
        let right = Rect { x: body.x + left + 3, width: body.width.saturating_sub(left + 3), ..body };
        for y in body.y..body.bottom() {
            let bar = Line::styled("│", screen.theme.faint);
            frame.render_widget(bar, Rect::new(body.x + left + 1, y, 1, 1));
        }
        entry(frame, right, screen, inspector, place, chosen);
    } else {
        list(frame, body, screen, inspector, count);
    }
}

/// The lines of a page that are in the window, and no others.
fn list(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, inspector: &Inspector, count: usize) {
    if count == 0 {
        let none = match inspector.tab {
            Tab::ModelSees => "nothing differs",
            Tab::Approvals => "no call was decided about",
            Tab::Timeline => "the model was not called yet",
            Tab::Ledger | Tab::Budgets => "no entry",
        };
        frame
            .render_widget(Line::styled(none, screen.theme.dim), Rect { height: area.height.min(1), ..area });
        return;
    }
    let (height, place) = (usize::from(area.height), inspector.place(count));
    let top = place.saturating_sub(height / 2).min(count.saturating_sub(height));
    for (y, at) in (area.y..area.bottom()).zip(top..count) {
        let total = usize::from(area.width).saturating_sub(2);
        let line = match inspector.tab {
            Tab::Ledger => table::line(screen, inspector, at, total),
            Tab::ModelSees => sees::line(screen, inspector, at, total),
            Tab::Timeline => timeline::line(screen, inspector, at, total),
            Tab::Approvals => approvals::line(screen, inspector, at, total),
            Tab::Budgets => None,
        };
        let mut spans = vec![Span::styled(if at == place { "› " } else { "  " }, screen.theme.accent)];
        spans.extend(line.map(|line| line.spans).unwrap_or_default());
        let row = Rect::new(area.x, y, area.width, 1);
        let line = Line::from(spans);
        frame.render_widget(if at == place { line.style(screen.theme.selection) } else { line }, row);
    }
}

/// The chosen entry: first what the page says of it, then its fields, then its record.
fn entry(
    frame: &mut Frame<'_>,
    area: Rect,
    screen: &Screen<'_>,
    inspector: &Inspector,
    place: usize,
    row: Option<&Row>,
) {
    let Some(row) = row else { return };
    let width = usize::from(area.width).max(1);
    let mut lines = match inspector.tab {
        Tab::ModelSees => sees::about(screen, inspector, place, width),
        Tab::Approvals => approvals::about(screen, inspector, place, width),
        Tab::Ledger | Tab::Timeline | Tab::Budgets => Vec::new(),
    };
    if !lines.is_empty() {
        lines.push(Line::default());
    }
    lines.extend(detail::lines(screen, row, width));
    let from = usize::from(inspector.scroll).min(lines.len().saturating_sub(usize::from(area.height)));
    let left = lines.len().saturating_sub(from + usize::from(area.height));
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(from)) {
        frame.render_widget(line, Rect::new(area.x, y, area.width, 1));
    }
    if left > 0 && area.height > 1 {
        let words = format!(" ↓ {} ", count(left, "more line"));
        let cells = u16::try_from(crate::ui::text::width(&words)).unwrap_or(0).min(area.width);
        let at = Rect::new(area.right() - cells, area.bottom() - 1, cells, 1);
        frame.render_widget(Line::styled(words, screen.theme.accent), at);
    }
}

/// What was just done, or the keys that help most, as many as fit.
fn keys_of(screen: &Screen<'_>, inspector: &Inspector, total: usize) -> Line<'static> {
    let theme = screen.theme;
    if let Some(said) = inspector.said.as_ref().or(screen.local.hint.as_ref()) {
        return Line::styled(fit(&one_row(said), total), theme.accent);
    }
    let leave = if screen.local.read_only { "quit" } else { "back" };
    let jump = if screen.local.read_only { "" } else { "to its card" };
    let pairs: Vec<(&str, &str)> = match inspector.tab {
        _ if inspector.typing => vec![("enter", "keep"), ("esc", "all entries")],
        _ if inspector.open => {
            vec![("esc", "list"), ("pgup pgdn", "scroll"), ("y", "copy"), ("enter", jump), ("F", "fork")]
        }
        Tab::Budgets => vec![("esc", leave), ("tab", "page"), ("up down", "scroll")],
        Tab::Timeline => {
            vec![("esc", leave), ("tab", "page"), ("enter", "entry"), ("g", jump), ("F", "fork")]
        }
        Tab::ModelSees | Tab::Approvals => {
            vec![
                ("esc", leave),
                ("tab", "page"),
                ("f", "filter"),
                ("enter", "entry"),
                ("g", jump),
                ("y", "copy"),
            ]
        }
        Tab::Ledger if !inspector.query.is_empty() => {
            vec![("esc", "all"), ("n N", "next, previous"), ("enter", "entry"), ("f", "filter"), ("g", jump)]
        }
        Tab::Ledger => vec![
            ("esc", leave),
            ("tab", "page"),
            ("/", "find"),
            ("enter", "entry"),
            ("f", "filter"),
            ("g", jump),
            ("y Y", "copy"),
            ("F", "fork"),
            ("x", "export"),
        ],
    };
    let pairs: Vec<_> = pairs.into_iter().filter(|(_, word)| !word.is_empty()).collect();
    let mut spans: Vec<Span<'static>> = Vec::new();
    for group in keys(&pairs, theme.text, theme.dim) {
        if cells(&spans) + cells(&group) + 3 > total {
            break;
        }
        if !spans.is_empty() {
            spans.push(Span::raw("   "));
        }
        spans.extend(group);
    }
    Line::from(spans)
}
