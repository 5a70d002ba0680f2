//! The picker's page: what was typed, the lines that fit, and at the right what the chosen one holds.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ui::picker::{Choice, Item, Picker};
use crate::ui::picker_source::Source;
use crate::ui::reply::PreviewPart;
use crate::ui::text::{fit, grouped, markdown, sanitize, width, wrap};

use super::words::{both_ends, cells, keys, middle, one_row};
use super::{Screen, marks, theme_sample};

/// From this width on, a sample of a theme stands beside the list.
const WIDE: u16 = 80;
/// The same for a session's last words: beside them, the words, the time and the end of each must still be whole.
const WIDE_OF_SESSIONS: u16 = 100;
/// Rows that a list of sentences gives up on a narrow screen, so that the chosen line is told whole below it, with the row that is empty
/// there.
const ROWS_OF_CHOSEN: u16 = 2;
/// Rows of such a list that are not given up for that.
const LEAST_ROWS: u16 = 4;
/// The same of a list of names: what is decided about is one of them, and is read whole.
const LEAST_NAMES: u16 = 2;

/// From this width on, the column at the right may have half of a list.
const WIDE_LIST: usize = 60;

/// Cells in which the words of a session and its end can be told from those of others, and in which most are shown whole.
const LEAST_OF_SESSIONS: u16 = 48;
const MOST_OF_SESSIONS: u16 = 80;
/// Cells that the words of a session keep beside when it was and how it ended.
const WORDS_OF_SESSION: usize = 24;

/// Cells of a line beyond which its words and what stands at the right of them are too far from each other to be read together.
const MOST_OF_LINE: usize = 100;

/// Stands where what is typed will stand.
const TYPE: &str = "type to narrow";

fn beside(picker: &Picker, area: Rect) -> Option<Rect> {
    let (left, wide) = match picker.source {
        Source::Sessions => ((area.width / 2).clamp(LEAST_OF_SESSIONS, MOST_OF_SESSIONS), WIDE_OF_SESSIONS),
        _ => (area.width * 2 / 5, WIDE),
    };
    let height = area.height.saturating_sub(4);
    (area.width >= wide).then(|| Rect::new(area.x + left, area.y + 2, area.width - left, height))
}

pub(super) fn draw(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, picker: &Picker) {
    let fitting = picker.fitting();
    let inner = Rect::new(area.x + 1, area.y, area.width.saturating_sub(2), area.height);
    let (list, right) = halves(picker, area);
    let across = if right.is_some() { inner.width } else { list.width };
    frame.render_widget(head(screen, picker, &fitting, across), Rect { height: 1, width: across, ..inner });
    if let Some(right) = right {
        match picker.source {
            Source::Themes => theme_sample::draw(frame, right, screen),
            _ => preview(frame, right, screen, picker),
        }
    }
    if fitting.is_empty() {
        let words = if picker.is_awaited { "reading…" } else { picker.source.nothing() };
        let words = fit(words, usize::from(list.width));
        frame.render_widget(Line::styled(words, screen.theme.dim), Rect { height: 1, ..list });
    }
    let (chosen, top) = top(picker, fitting.len(), list);
    let below_top = fitting.len().saturating_sub(top);
    let column = column(picker, &fitting, usize::from(list.width));
    for (y, at) in (list.y..list.bottom()).zip(top..fitting.len()) {
        let Some(item) = fitting.get(at).and_then(|at| picker.items.get(*at)) else { continue };
        // What an undo is, above its files, is a sentence.
        let is_path = picker.source != Source::Undo || !picker.items.first().is_some_and(|it| it == item);
        let words: fn(&str, usize) -> String = if is_path && names(picker.source) { middle } else { fit };
        let marks = (at == chosen, picker.is_current(item));
        let line = row((words, item), marks, (usize::from(list.width), column), screen);
        frame.render_widget(line, Rect::new(list.x, y, list.width, 1));
    }
    let item = fitting.get(chosen).and_then(|at| picker.items.get(*at));
    if let Some(item) = item.filter(|_| rows_of_chosen(picker, area).is_some()) {
        whole(frame, below(list, below_top, inner), item, screen);
    }
    // What is told of the chosen line stands between.
    let told = rows_of_chosen(picker, area).filter(|_| below_top < usize::from(list.height));
    let lines = u16::try_from(below_top.max(1)).unwrap_or(u16::MAX);
    let skipped = lines.saturating_add(1 + told.map_or(0, |rows| rows + 2)).min(list.height);
    let rest = Rect { y: list.y + skipped, height: list.height - skipped, ..inner };
    not_usable(frame, rest, &left_out(picker), screen);
    let more = fitting.len().saturating_sub(top + usize::from(list.height));
    let bottom = Rect { y: area.bottom().saturating_sub(1), height: 1, width: across, ..inner };
    foot(frame, bottom, screen, picker, more);
}

/// Rows that the list gives up so that the chosen line is told whole below it, in them and in the empty one above the keys; `None`: no
/// line is cut. They are as many as the longest line needs, and the list keeps some.
fn rows_of_chosen(picker: &Picker, area: Rect) -> Option<u16> {
    let total = usize::from(area.width).saturating_sub(2);
    let left = area.height.saturating_sub(4);
    let cells = |item: &Item| width(&one_row(item.words.trim())) + width(&one_row(&item.aside)) + 4;
    let longest = picker.items.iter().map(cells).max().filter(|longest| *longest > total)?;
    if !names(picker.source) || picker.source == Source::Themes {
        let is_narrow = total < WIDE_LIST && left >= LEAST_ROWS + ROWS_OF_CHOSEN;
        return is_narrow.then_some(ROWS_OF_CHOSEN);
    }
    // A row can end early, where a word does: a line that is a little shorter may need more of them.
    let long = picker.items.iter().filter(|item| cells(item) + total > longest);
    let rows = long.map(|item| wrap(&told(item), total, Style::new()).len()).max().unwrap_or(0);
    let kept = u16::try_from(picker.items.len()).unwrap_or(u16::MAX).min(LEAST_NAMES);
    let rows = u16::try_from(rows.saturating_sub(1)).unwrap_or(u16::MAX);
    Some(rows.min(left.saturating_sub(kept)))
}

/// Where the chosen line is told whole: below the last line of the list, which may have fewer than there is room for.
fn below(list: Rect, lines: usize, inner: Rect) -> Rect {
    let lines = u16::try_from(lines).unwrap_or(u16::MAX);
    let y = if lines < list.height { list.y + lines + 1 } else { list.bottom() };
    Rect { y, height: inner.bottom().saturating_sub(1).saturating_sub(y), ..inner }
}

/// A line as it is told below the list.
fn told(item: &Item) -> String {
    let said = [one_row(item.words.trim()), one_row(item.aside.trim())];
    let said: Vec<&str> = said.iter().map(String::as_str).filter(|words| !words.is_empty()).collect();
    said.join(" · ")
}

/// A line in several rows; of one that needs more, the middle is left out.
fn whole(frame: &mut Frame<'_>, area: Rect, item: &Item, screen: &Screen<'_>) {
    let (room, most) = (usize::from(area.width), usize::from(area.height));
    let said = told(item);
    // A row can end early, where a word does.
    let fits = |words: &str| wrap(words, room, screen.theme.dim).len() <= most;
    let cells = (1..=room * most).rev().find(|cells| fits(&middle(&said, *cells))).unwrap_or(1);
    let lines = wrap(&middle(&said, cells), room, screen.theme.dim);
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        frame.render_widget(line, Rect::new(area.x, y, area.width, 1));
    }
}

/// What cannot be picked, as far as it has what was typed.
fn left_out(picker: &Picker) -> Vec<&str> {
    let typed = picker.query.to_lowercase();
    let has = |line: &&str| typed.split_whitespace().all(|word| line.to_lowercase().contains(word));
    picker.left_out.iter().map(String::as_str).filter(has).collect()
}

/// Rows of that: an empty one, a title, and its lines.
fn rows_of_left_out(picker: &Picker) -> usize {
    match left_out(picker).len() {
        0 => 0,
        lines => lines + 2,
    }
}

/// What cannot be picked, and why, below the lines that can. Where there is no room for all of it, how much is missing.
fn not_usable(frame: &mut Frame<'_>, area: Rect, lines: &[&str], screen: &Screen<'_>) {
    let room = usize::from(area.height).saturating_sub(1);
    if lines.is_empty() || room == 0 {
        return;
    }
    let shown = if lines.len() > room { room - 1 } else { lines.len() };
    let told = lines.iter().take(shown).map(|line| format!("  {}", one_row(line)));
    let more = (shown < lines.len()).then(|| format!("  {} more: countersign models", lines.len() - shown));
    let rows = std::iter::once("not usable".to_owned()).chain(told).chain(more);
    for (y, words) in (area.y..area.bottom()).zip(rows) {
        let words = fit(&words, usize::from(area.width));
        frame.render_widget(Line::styled(words, screen.theme.dim), Rect::new(area.x, y, area.width, 1));
    }
}

/// Where the list stands, and what is beside it.
fn halves(picker: &Picker, area: Rect) -> (Rect, Option<Rect>) {
    let height = area.height.saturating_sub(4);
    let mut list = Rect::new(area.x + 1, area.y + 2, area.width.saturating_sub(2), height);
    let has_beside = matches!(picker.source, Source::Themes | Source::Sessions);
    list.height = list.height.saturating_sub(rows_of_chosen(picker, area).unwrap_or(0));
    let right = beside(picker, area).filter(|_| has_beside);
    list.width = match right {
        Some(right) => (right.x - list.x).saturating_sub(2),
        None => list.width.min(most_of_line(picker)),
    };
    (list, right)
}

/// Cells of a line on a wide screen. Where its words and what stands beside them need more, they have it: nothing is cut for that.
fn most_of_line(picker: &Picker) -> u16 {
    let longest = |of: fn(&Item) -> &str| {
        picker.items.iter().map(|item| width(&one_row(of(item).trim_end()))).max().unwrap_or(0)
    };
    let needed = longest(|item| item.words.trim()) + longest(|item| &item.aside) + 4 + cells_of_mark(picker);
    u16::try_from(needed.max(MOST_OF_LINE)).unwrap_or(u16::MAX)
}

/// The chosen line of so many, and the first one in sight. What stands below the last line comes in sight with it.
fn top(picker: &Picker, fitting: usize, list: Rect) -> (usize, usize) {
    let (height, chosen) = (usize::from(list.height), picker.chosen.min(fitting.saturating_sub(1)));
    let rows = fitting + rows_of_left_out(picker);
    (chosen, chosen.saturating_sub(height / 2).min(rows.saturating_sub(height)))
}

/// Stands behind what is in force, wherever the choice is.
const CURRENT: &str = " ✓";

/// Cells that the mark of what is in force takes from the words, where a line has it.
fn cells_of_mark(picker: &Picker) -> usize {
    if picker.items.iter().any(|item| picker.is_current(item)) { width(CURRENT) } else { 0 }
}

/// The lines that are in sight, among those that fit.
pub(super) fn in_sight(picker: &Picker, area: Rect) -> std::ops::Range<usize> {
    let (fitting, (list, _)) = (picker.fitting().len(), halves(picker, area));
    let (_, top) = top(picker, fitting, list);
    top..(top + usize::from(list.height)).min(fitting)
}

/// The line, among those that fit, at a cell of the screen.
pub(super) fn line_at(picker: &Picker, area: Rect, at: (u16, u16)) -> Option<usize> {
    let (fitting, (list, _)) = (picker.fitting().len(), halves(picker, area));
    let (_, top) = top(picker, fitting, list);
    let line = top + usize::from(at.1.checked_sub(list.y)?);
    (list.contains(at.into()) && line < fitting).then_some(line)
}

fn head(screen: &Screen<'_>, picker: &Picker, fitting: &[usize], total: u16) -> Line<'static> {
    let theme = screen.theme;
    let is_counted = |item: &&Item| !item.is_of_several();
    let listed = picker.items.iter().filter(is_counted).count();
    // What an undo is, above its files, is none of them.
    let all = listed - usize::from(picker.source == Source::Undo && listed > 1);
    let fitting = fitting.iter().filter_map(|at| picker.items.get(*at)).filter(is_counted).count();
    let count = if picker.query.is_empty() {
        grouped(all as u64)
    } else {
        format!("{} of {}", grouped(fitting as u64), grouped(all as u64))
    };
    let mut left = vec![Span::styled(format!("{}  ", picker.title()), theme.title)];
    let room = usize::from(total).saturating_sub(cells(&left) + width(&count) + 3);
    let typed = one_row(&picker.query);
    // The end is what is being typed, so it stays in sight.
    let skipped = typed.chars().count().saturating_sub(room);
    let typed: String = typed.chars().skip(skipped).collect();
    left.push(Span::styled(format!("{typed}▏"), theme.accent));
    // It is told where it happens. There is nothing to be typed where a list is only read and answered.
    let is_narrowed = picker.source != Source::Undo && picker.query.is_empty();
    if is_narrowed && width(TYPE) < room {
        left.push(Span::styled(TYPE, theme.dim));
    }
    both_ends(left, vec![Span::styled(count, theme.dim)], usize::from(total))
}

/// Cells of the column at the right: what the longest words leave, and a part of the line where they are long. What becomes
/// of files has no column: it is read whole before it is decided.
fn column(picker: &Picker, fitting: &[usize], total: usize) -> Option<usize> {
    if picker.source == Source::Undo {
        return None;
    }
    let part = match picker.source {
        // When it was and how it ended tell sessions with the same words apart.
        Source::Sessions => total.saturating_sub(WORDS_OF_SESSION).max(total * 2 / 5),
        _ if total >= WIDE_LIST => total / 2,
        _ => total / 3,
    };
    let items = || fitting.iter().filter_map(|at| picker.items.get(*at));
    let longest =
        |of: fn(&Item) -> &str| items().map(|item| width(&one_row(of(item).trim_end()))).max().unwrap_or(0);
    let left = total.saturating_sub(longest(|item| item.words.trim()) + 4 + cells_of_mark(picker));
    let most = longest(|item| &item.aside).min(left.max(part));
    // What is left out of all lines takes no cells from the words.
    let shown = |item: &Item| width(&whole_words(one_row(&item.aside).trim_end(), most));
    Some(items().map(shown).max().unwrap_or(0))
}

fn row(
    (cut, item): (fn(&str, usize) -> String, &Item),
    (chosen, current): (bool, bool),
    (total, column): (usize, Option<usize>),
    screen: &Screen<'_>,
) -> Line<'static> {
    let theme = screen.theme;
    let left = total.saturating_sub(width(&one_row(item.words.trim())) + 4);
    let aside = whole_words(one_row(&item.aside).trim_end(), column.unwrap_or(left.max(total / 3)));
    let aside = format!("{aside}{}", " ".repeat(column.unwrap_or(0).saturating_sub(width(&aside))));
    let mark = if current { CURRENT } else { "" };
    let room = total.saturating_sub(width(&aside) + 4 + width(mark));
    let left = vec![
        Span::styled(if chosen { "› " } else { "  " }, theme.accent),
        Span::styled(cut(&one_row(item.words.trim()), room), theme.text),
        Span::styled(mark, theme.success),
    ];
    let line = both_ends(left, vec![Span::styled(aside, theme.dim)], total);
    if chosen { marks::chosen(line, theme) } else { line }
}

/// Whether lines are names, paths or commands, which differ at their ends; sentences differ at their beginnings.
const fn names(source: Source) -> bool {
    match source {
        Source::Models | Source::Themes | Source::Undo | Source::Grants => true,
        Source::Shells | Source::Fleet | Source::FleetStop => true,
        Source::Palette
        | Source::Prompts
        | Source::Sessions
        | Source::Modes
        | Source::Efforts
        | Source::Rewind
        | Source::RewindWay
        | Source::Otherwise => false,
    }
}

/// The words at the right in so many cells. Those of a later column that do not fit are left out; half of a key or of a price is
/// no help.
fn whole_words(aside: &str, room: usize) -> String {
    let ends = aside
        .match_indices("  ")
        .map(|(at, _)| at)
        .filter(|at| !aside.get(..*at).is_some_and(|before| before.ends_with(' ')));
    let fits = |words: &&str| width(words) <= room && !words.trim().is_empty();
    let shorter = ends.filter_map(|at| aside.get(..at)).filter(fits).last();
    if width(aside) <= room {
        aside.to_owned()
    } else {
        shorter.map_or_else(|| fit(aside, room), str::to_owned)
    }
}

/// The end of a session, its last row at the bottom.
fn preview(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, picker: &Picker) {
    let Some((_, parts)) = &picker.preview else { return };
    let room = area.width.saturating_sub(1).max(1);
    let lines: Vec<Line<'static>> = parts.iter().flat_map(|part| rendered(part, room, screen)).collect();
    let skipped = lines.len().saturating_sub(usize::from(area.height));
    for (y, line) in (area.y..area.bottom()).zip(lines.into_iter().skip(skipped)) {
        frame.render_widget(line, Rect::new(area.x, y, room, 1));
    }
}

/// A part of it as the transcript shows it, and an empty row behind what was said.
fn rendered(part: &PreviewPart, width: u16, screen: &Screen<'_>) -> Vec<Line<'static>> {
    let (theme, room) = (screen.theme, usize::from(width));
    let mut lines = match part {
        PreviewPart::Said(words) => wrap(&sanitize(&format!("› {}", words.trim())), room, theme.user),
        PreviewPart::Answered(words) => markdown::render(words.trim(), width, theme, screen.highlighter),
        PreviewPart::Noted(words) => {
            return vec![Line::styled(fit(&format!("· {}", one_row(words)), room), theme.dim)];
        }
    };
    lines.push(Line::default());
    lines
}

/// The keys, and how many lines follow below the list. Keys that say what that sign says give way to it.
fn foot(frame: &mut Frame<'_>, area: Rect, screen: &Screen<'_>, picker: &Picker, more: usize) {
    if let Some(said) = picker.said {
        let said = Line::styled(fit(said, usize::from(area.width)), screen.theme.warning);
        return frame.render_widget(said, area);
    }
    let narrows = [("enter", "take"), ("esc", "back"), ("up down", "choose")];
    let answers = [("y enter", if picker.is_read() { "do it" } else { "read on" }), ("n esc", "cancel")];
    let leaves = [("esc enter", "leave it as it is")];
    let pairs: &[(&str, &str)] = match picker.items.first().map(|item| &item.choice) {
        Some(Choice::Restore { .. }) => &answers,
        Some(Choice::Nothing(_)) => &leaves,
        _ => &narrows,
    };
    let mut groups = keys(pairs, screen.theme.text, screen.theme.dim);
    let total = usize::from(area.width);
    let below = if more == 0 { String::new() } else { format!("↓ {} more", grouped(more as u64)) };
    let needed = width(&below) + 3;
    // Those that take a line and leave the list stay.
    while more > 0 && groups.len() > 2 && cells(&groups.join(&Span::raw("   "))) + needed > total {
        groups.pop();
    }
    let right = vec![Span::styled(below, screen.theme.dim)];
    frame.render_widget(both_ends(groups.join(&Span::raw("   ")), right, total), area);
}
