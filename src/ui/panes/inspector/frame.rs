//! The frame of the inspector: the tabs, a line that sums the page up, the page, and the keys.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ledger::EntryId;
use crate::ui::inspector::{Inspector, Tab};
use crate::ui::keymap::{KeyAction, KeyContext};
use crate::ui::panes::Screen;
use crate::ui::panes::marks;
use crate::ui::panes::words::{both_ends, cells, count, flow, keys, one_row};
use crate::ui::text::{fit, width, with_code};
use crate::view::{Row, View};

use super::{approvals, branches, detail, plots, sees, table, timeline};

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
    let inner = inner(area);
    let row = |y: u16| Rect { y: area.y + y, height: 1, ..inner };
    let [tabs, rule] = tabs(inspector.tab, usize::from(inner.width), screen);
    frame.render_widget(tabs, row(0));
    frame.render_widget(rule, row(1));
    let count = inspector.count(screen.view);
    frame.render_widget(summed_up(screen, inspector, count, usize::from(inner.width)), row(2));
    page(frame, body(area), screen, inspector, count);
    frame.render_widget(
        keys_of(screen, inspector, usize::from(inner.width)),
        row(area.height.saturating_sub(1)),
    );
}

fn inner(area: Rect) -> Rect {
    Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), area.height)
}

/// Where the page stands.
fn body(area: Rect) -> Rect {
    let (top, foot) = if area.height >= TALL { (4, 2) } else { (3, 1) };
    Rect { y: area.y + top, height: area.height.saturating_sub(top + foot), ..inner(area) }
}

/// Where the list of a page stands, if there is one in sight, and whether the entry stands beside it.
fn list_area(body: Rect, inspector: &Inspector) -> (Option<Rect>, bool) {
    let beside = body.width + 2 >= WIDE && !matches!(inspector.tab, Tab::Timeline | Tab::Branches);
    match inspector.tab {
        Tab::Budgets => (None, false),
        _ if inspector.open => (None, false),
        _ if beside => (Some(Rect { width: body.width * 11 / 20, ..body }), true),
        _ => (Some(body), false),
    }
}

/// The first line in sight of a list of so many.
fn top(place: usize, count: usize, area: Rect) -> usize {
    let height = usize::from(area.height);
    place.saturating_sub(height / 2).min(count.saturating_sub(height))
}

/// The line of the list at a cell of the screen.
pub(in crate::ui::panes) fn line_at(
    inspector: &Inspector,
    view: &View,
    area: Rect,
    at: (u16, u16),
) -> Option<usize> {
    let list = list_area(body(area), inspector).0.filter(|list| list.contains(at.into()))?;
    let count = inspector.count(view);
    let line = top(inspector.place(count), count, list) + usize::from(at.1 - list.y);
    (line < count).then_some(line)
}

/// The page whose name stands at a cell of the screen.
pub(in crate::ui::panes) fn tab_at(area: Rect, at: (u16, u16)) -> Option<Tab> {
    let inner = inner(area);
    let (names, gap) = names(usize::from(inner.width));
    let mut left = usize::from(inner.x);
    for (tab, name) in names {
        let right = left + width(name);
        if at.1 <= inner.y + 1 && (left..right).contains(&usize::from(at.0)) {
            return Some(tab);
        }
        left = right + gap;
    }
    None
}

/// The names of the pages as they fit, and the cells between them.
fn names(total: usize) -> (Vec<(Tab, &'static str)>, usize) {
    let full: usize = Tab::ALL.into_iter().map(|tab| width(tab.name().0) + 3).sum();
    let is_full = full <= total;
    let name = |tab: Tab| (tab, if is_full { tab.name().0 } else { tab.name().1 });
    let short: usize = Tab::ALL.into_iter().map(|tab| width(tab.name().1) + 2).sum();
    let gap = match (is_full, short <= total + 2) {
        (true, _) => 3,
        (false, true) => 2,
        (false, false) => 1,
    };
    (Tab::ALL.into_iter().map(name).collect(), gap)
}

/// The names of the pages, and the rule under them, which is bright under the one that is open.
fn tabs(open: Tab, total: usize, screen: &Screen<'_>) -> [Line<'static>; 2] {
    let theme = screen.theme;
    let (all, gap) = names(total);
    let (mut names, mut rule) = (Vec::new(), Vec::new());
    for (tab, name) in all {
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
        Tab::Branches => branches::summed_up(screen, inspector),
    };
    let whose = screen.local.lineage.last().map(|name| format!(" sub-agent {}  ", one_row(name)));
    let whose = whose.into_iter().map(|whose| Span::styled(whose, screen.theme.title));
    let imported = imported(screen, total).map(|words| Span::styled(words, screen.theme.warning));
    let left = whose.chain(imported).chain(left).collect();
    both_ends(left, right, total)
}

/// That nobody here saw what an import brought. The sessions of sub-agents are from here.
fn imported(screen: &Screen<'_>, total: usize) -> Option<String> {
    let last = screen.view.settings.imported_to.filter(|_| screen.local.lineage.is_empty())?;
    // An import of an earlier version does not say where it ends.
    let is_short = total < 60 || last == EntryId(u64::MAX);
    Some(if is_short { " imported  ".to_owned() } else { format!(" imported up to {last}  ") })
}

fn page(frame: &mut Frame<'_>, body: Rect, screen: &Screen<'_>, inspector: &Inspector, count: usize) {
    if inspector.tab == Tab::Branches && inspector.open {
        return branches::compared(frame, body, screen, inspector);
    }
    if inspector.tab == Tab::Budgets {
        return plots::draw(frame, body, screen, inspector);
    }
    let chosen = inspector.entry(screen.view).and_then(|id| screen.view.row(id));
    let place = inspector.place(count);
    let (of_list, beside) = list_area(body, inspector);
    let Some(of_list) = of_list else { return entry(frame, body, screen, inspector, place, chosen) };
    list(frame, of_list, screen, inspector, count);
    if beside {
        let left = of_list.width;
        let right = Rect { x: body.x + left + 3, width: body.width.saturating_sub(left + 3), ..body };
        for y in body.y..body.bottom() {
            let bar = Line::styled("│", screen.theme.faint);
            frame.render_widget(bar, Rect::new(body.x + left + 1, y, 1, 1));
        }
        entry(frame, right, screen, inspector, place, chosen);
    }
}

/// The lines of a page that are in the window, and no others.
fn list(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, inspector: &Inspector, count: usize) {
    if count == 0 {
        let none = match inspector.tab {
            Tab::ModelSees => "no differences",
            Tab::Approvals => "no decisions yet",
            Tab::Timeline => "no model calls yet",
            Tab::Branches => branches::none(inspector, screen.local.read_only),
            Tab::Ledger | Tab::Budgets => "no entry",
        };
        let none = Line::from(with_code(none, screen.theme.dim, screen.theme.code));
        frame.render_widget(none, Rect { height: area.height.min(1), ..area });
        return;
    }
    let place = inspector.place(count);
    for (y, at) in (area.y..area.bottom()).zip(top(place, count, area)..count) {
        let total = usize::from(area.width).saturating_sub(2);
        let line = match inspector.tab {
            Tab::Ledger => table::line(screen, inspector, at, total),
            Tab::ModelSees => sees::line(screen, inspector, at, total),
            Tab::Timeline => timeline::line(screen, inspector, at, total),
            Tab::Approvals => approvals::line(screen, inspector, at, total),
            Tab::Branches => branches::line(screen, inspector, at, total),
            Tab::Budgets => None,
        };
        let mut spans = vec![Span::styled(if at == place { "› " } else { "  " }, screen.theme.accent)];
        spans.extend(line.map(|line| line.spans).unwrap_or_default());
        let row = Rect::new(area.x, y, area.width, 1);
        let line = Line::from(spans);
        frame.render_widget(if at == place { marks::chosen(line, screen.theme) } else { line }, row);
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
        Tab::Ledger | Tab::Timeline | Tab::Budgets | Tab::Branches => Vec::new(),
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
    let leave = if screen.local.read_only && !inspector.walked_in { "quit" } else { "back" };
    let what_if = if screen.local.read_only { "" } else { "what if" };
    let jump = if screen.local.read_only { "" } else { "to its card" };
    let pairs: Vec<(&str, &str)> = match inspector.tab {
        _ if inspector.typing => vec![("enter", "keep"), ("esc", "all entries")],
        Tab::Branches if inspector.open => vec![("esc", "list"), ("up down", "scroll")],
        _ if inspector.open => {
            vec![("esc", "list"), ("pgup pgdn", "scroll"), ("y", "copy"), ("enter", jump), ("F", "fork")]
        }
        Tab::Budgets => vec![("esc", leave), ("tab", "page"), ("up down", "scroll")],
        Tab::Branches => vec![("esc", leave), ("tab", "page"), ("enter", "side by side")],
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
            ("w", what_if),
            ("F", "fork"),
            ("x", "export"),
        ],
    };
    let mut pairs: Vec<_> = pairs.into_iter().filter(|(_, word)| !word.is_empty()).collect();
    if !inspector.typing && inspector.subagent(screen.view).is_some() {
        pairs.insert(1, ("s", "its sub-agent"));
    }
    let help = screen.local.keymap.first(KeyContext::Ledger, KeyAction::Help, "?");
    // The help has those that are left out for want of room.
    let at = pairs.len().min(if total < 60 { 2 } else { 3 });
    pairs.splice(at..at, help.iter().filter(|_| !inspector.typing).map(|key| (key.as_str(), "keys")));
    // On a narrow screen keys stand closer: it has room for more of them.
    let space = if total < 60 { 2 } else { 3 };
    flow(keys(&pairs, theme.text, theme.dim), space, total).into_iter().next().unwrap_or_default()
}
