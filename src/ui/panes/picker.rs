//! The picker's page: what was typed, the lines that fit, and at the right what the chosen one holds.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::ui::picker::{Choice, Item, Picker};
use crate::ui::picker_source::Source;
use crate::ui::text::{fit, sanitize, width, wrap};

use super::Screen;
use super::words::{both_ends, cells, keys, one_row};

/// From this width on, a session's last words or the transcript in its new colours stand beside the list.
const WIDE: u16 = 80;

/// The part of the screen in which the transcript shows a theme, if it does.
pub(super) fn showcase(area: Rect, picker: &Picker) -> Option<Rect> {
    (picker.source == Source::Themes).then(|| beside(area)).flatten()
}

fn beside(area: Rect) -> Option<Rect> {
    let left = area.width * 2 / 5;
    let height = area.height.saturating_sub(4);
    (area.width >= WIDE).then(|| Rect::new(area.x + left, area.y + 2, area.width - left, height))
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, picker: &Picker) {
    let fitting = picker.fitting();
    let inner = Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), area.height);
    frame.render_widget(head(screen, picker, fitting.len(), inner.width), Rect { height: 1, ..inner });
    let (list, right) = halves(picker, area);
    if let Some(right) = right {
        match picker.source {
            Source::Themes => super::window::draw(frame, right, screen),
            _ => preview(frame, right, screen, picker),
        }
    }
    if fitting.is_empty() {
        let words = if picker.is_awaited { "reading…" } else { picker.source.nothing() };
        let words = fit(words, usize::from(list.width));
        frame.render_widget(Line::styled(words, screen.theme.dim), Rect { height: 1, ..list });
    }
    let (chosen, top) = top(picker, fitting.len(), list);
    for (y, at) in (list.y..list.bottom()).zip(top..fitting.len()) {
        let Some(item) = fitting.get(at).and_then(|at| picker.items.get(*at)) else { continue };
        let line = row(item, at == chosen, usize::from(list.width), screen);
        frame.render_widget(line, Rect::new(list.x, y, list.width, 1));
    }
    foot(frame, Rect { y: area.bottom().saturating_sub(1), height: 1, ..inner }, screen, picker);
}

/// Where the list stands, and what is beside it.
fn halves(picker: &Picker, area: Rect) -> (Rect, Option<Rect>) {
    let height = area.height.saturating_sub(4);
    let mut list = Rect::new(area.x + 1, area.y + 2, area.width.saturating_sub(2), height);
    let has_beside = matches!(picker.source, Source::Themes | Source::Sessions);
    let right = beside(area).filter(|_| has_beside);
    if let Some(right) = right {
        list.width = (right.x - list.x).saturating_sub(2);
    }
    (list, right)
}

/// The chosen line of so many, and the first one in sight.
fn top(picker: &Picker, fitting: usize, list: Rect) -> (usize, usize) {
    let (height, chosen) = (usize::from(list.height), picker.chosen.min(fitting.saturating_sub(1)));
    (chosen, chosen.saturating_sub(height / 2).min(fitting.saturating_sub(height)))
}

/// The line, among those that fit, at a cell of the screen.
pub(super) fn line_at(picker: &Picker, area: Rect, at: (u16, u16)) -> Option<usize> {
    let (fitting, (list, _)) = (picker.fitting().len(), halves(picker, area));
    let (_, top) = top(picker, fitting, list);
    let line = top + usize::from(at.1.checked_sub(list.y)?);
    (list.contains(at.into()) && line < fitting).then_some(line)
}

fn head(screen: &Screen<'_>, picker: &Picker, fitting: usize, total: u16) -> Line<'static> {
    let theme = screen.theme;
    let all = picker.items.len();
    let count = if picker.query.is_empty() { all.to_string() } else { format!("{fitting} of {all}") };
    let mut left = vec![Span::styled(format!("{}  ", picker.source.title()), theme.title)];
    let room = usize::from(total).saturating_sub(cells(&left) + width(&count) + 3);
    let typed = one_row(&picker.query);
    // The end is what is being typed, so it stays in sight.
    let skipped = typed.chars().count().saturating_sub(room);
    let typed: String = typed.chars().skip(skipped).collect();
    left.push(Span::styled(format!("{typed}▏"), theme.accent));
    both_ends(left, vec![Span::styled(count, theme.dim)], usize::from(total))
}

fn row(item: &Item, chosen: bool, total: usize, screen: &Screen<'_>) -> Line<'static> {
    let theme = screen.theme;
    // What the words leave, and a third of the line where they are long.
    let left = total.saturating_sub(width(&one_row(item.words.trim())) + 4);
    let aside = fit(&one_row(&item.aside), left.max(total / 3));
    let room = total.saturating_sub(width(&aside) + 4);
    let left = vec![
        Span::styled(if chosen { "› " } else { "  " }, theme.accent),
        Span::styled(fit(&one_row(item.words.trim()), room), theme.text),
    ];
    let line = both_ends(left, vec![Span::styled(aside, theme.dim)], total);
    if chosen { line.style(theme.selection) } else { line }
}

/// The last lines of a session, its end at the bottom.
fn preview(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, picker: &Picker) {
    let Some((_, said)) = &picker.preview else { return };
    let inner = usize::from(area.width.saturating_sub(1)).max(1);
    let lines: Vec<Line<'static>> =
        said.iter().flat_map(|line| wrap(&sanitize(line), inner, screen.theme.text)).collect();
    let skipped = lines.len().saturating_sub(usize::from(area.height));
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(skipped)) {
        frame.render_widget(line, Rect::new(area.x, y, area.width.saturating_sub(1), 1));
    }
}

fn foot(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, picker: &Picker) {
    let narrows = [("enter", "take"), ("esc", "back"), ("up down", "choose"), ("type", "to narrow")];
    let answers = [("y enter", "do it"), ("n esc", "cancel")];
    let leaves = [("esc enter", "leave it as it is")];
    let pairs: &[(&str, &str)] = match picker.items.first().map(|item| &item.choice) {
        Some(Choice::Restore { .. }) => &answers,
        Some(Choice::Nothing(_)) => &leaves,
        _ => &narrows,
    };
    let groups = keys(pairs, screen.theme.text, screen.theme.dim);
    frame.render_widget(Line::from(groups.join(&Span::raw("   "))), area);
}
