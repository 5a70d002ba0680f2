//! The panes and how they are drawn: first everything is laid out, then drawn without changing anything.

mod above;
mod action;
mod activity;
mod anchor;
mod answers;
mod approval;
mod background;
mod beginning;
mod boxes;
pub(super) mod budgets;
mod call_page;
mod call_row;
mod call_title;
mod card_context;
mod cards;
mod clusters;
mod completion;
mod composer;
mod doing;
mod endings;
mod file_menu;
mod footer;
mod gaps;
mod goals;
mod grid;
mod header;
mod hits;
mod inspector;
mod laid_arguments;
mod layouts;
mod level;
mod line_parts;
mod made_change;
mod margin;
mod marks;
mod message;
mod meters;
mod notice;
mod output;
mod page_answers;
mod picker;
mod pictures;
mod pieces;
mod plan;
mod queue;
mod remarks;
mod risk;
mod rows;
mod screen;
mod selecting;
mod send_price;
mod session_rule;
mod standing;
mod subagent;
mod summary;
mod terminal;
mod theme_sample;
mod time_line;
mod tools;
mod transcript;
mod waiting;
mod window;
pub(super) mod words;

use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, Paragraph, Wrap};

pub use hits::{Hit, composer_scrolls, dragged, hit, selectable};
pub use layouts::Layouts;
pub use screen::Screen;

use crate::ledger::Millis;
use crate::view::View;

use self::call_page::LaidPage;
use self::laid_arguments::LaidArguments;
use self::layouts::{FullPage, PaneReach, Spot, Window};
use super::blocked_host;
use super::in_sight::InSight;
use super::layout::{LEAST_HEIGHT, LEAST_WIDTH};
use super::local::{Focus, HostReading, Local, Overlay, ReadProgress};
use super::selection::Surface;
use super::text::highlight::Highlighter;
use super::theme::Theme;
pub use activity::MOVES_EVERY;

use super::visible_decision::Shown;

/// Lays out what the next frame shows of the transcript: the cards in the window and no others, each once until it
/// changes. Settles the scroll position, which depends on how high cards are.
pub fn prepare(
    layouts: &mut Layouts,
    view: &View,
    local: &mut Local,
    theme: &Theme,
    highlighter: &Highlighter,
    screen: Rect,
    now: Millis,
) {
    local.composer.area_mut().set_style(theme.composer);
    if !view.status.is_busy()
        && let Some(said) = local.hint_of_run.take()
    {
        local.hint.take_if(|hint| *hint == said);
    }
    if let Some(Overlay::Ledger(inspector)) = &mut local.overlay {
        inspector.catch_up(view);
    }
    if let Some(Overlay::Page(open)) = &mut local.overlay {
        open.catch_up(view);
    }
    local.composer.area_mut().set_selection_style(theme.selection);
    layouts.pictures.begin(screen);
    match hits::areas(local, view, screen) {
        Some(areas) if local.overlay.is_none() => {
            local.page = areas.transcript.height;
            let text = composer::text(&areas);
            local.composer.show_in(text.width, text.height);
            transcript::prepare(layouts, view, local, theme, highlighter, areas.transcript, now);
            stands(layouts, view, local);
        }
        // Words in the place of everything say that it is too small: no page is in sight either.
        None => local.stand.lay(None, false),
        Some(_) => {
            local.page = screen.height.saturating_sub(3);
            local.stand.lay(None, false);
            prepare_page(layouts, view, local, (theme, highlighter), screen, now);
        }
    }
    layouts.pictures.settle();
}

/// What of the transcript keys can decide, and whether they go there.
fn stands(layouts: &Layouts, view: &View, local: &mut Local) {
    let window = &layouts.window;
    let chosen = local.chosen(view).map(|(request, _)| request).filter(|_| window.answerable);
    local.reading = chosen.zip(window.reach).map(|(request, reach)| {
        let PaneReach { from, rows, all, must, .. } = reach;
        let now = ReadProgress {
            request,
            from,
            rows,
            all,
            seen: from + rows,
            must,
            is_waived: false,
            was_read: false,
            is_page: false,
            sight: InSight::default(),
        };
        ReadProgress::after(local.reading, now, local.now)
    });
    local.asks_anyway = window.reach.is_some_and(|reach| reach.asks_anyway && window.answerable);
    if let Some(always) = &mut local.always {
        always.names_files = window.reach.is_some_and(|reach| reach.names_files);
        // Already counted with what was in sight before.
        always.reading = window.reach.filter(|_| window.answerable).and_then(|reach| reach.rule);
    }
    let call = chosen.map(|request| local.stands_as(request));
    let stop = local.stop(view).filter(|_| window.stop).map(Shown::Stop);
    let host = host_in_sight(layouts, view, local);
    let waits = if local.focused(view) == Focus::Stop { stop.or(call) } else { call.or(stop) };
    local.stand.lay(host.or(waits), matches!(local.focused(view), Focus::Approval(_) | Focus::Stop));
}

/// The host that a key would allow for the focused call, once its whole name has been in sight: in one frame, or in several where it has more
/// rows than the window.
fn host_in_sight(layouts: &Layouts, view: &View, local: &mut Local) -> Option<Shown> {
    let Focus::Card(card) = local.focused(view) else {
        local.host_reading = None;
        return None;
    };
    let shown = blocked_host::shown(view, card)?;
    let (Shown::Host(call, place), Some(rows)) = (&shown, layouts.window.host) else {
        local.host_reading.iter_mut().for_each(|reading| reading.ends = false);
        return None;
    };
    let (call, place, height) = (*call, *place, layouts.window.area.height);
    let now =
        HostReading { call, place, all: rows.all, height, seen: 0, ends: false, sight: InSight::default() };
    let reading = HostReading::after(local.host_reading, (rows.from, rows.to), now, local.now);
    local.host_reading = Some(reading);
    reading.is_read().then_some(shown)
}

/// The page of a call that waits, or the plan of an undo: what keys can decide there.
fn stands_on_page(local: &mut Local, view: &View, (all, must): (usize, usize), rows: u16) {
    let request = local.subject(view).map(|(request, ..)| request);
    if let (Some(request), Some(Overlay::Output(_, at))) = (request, &local.overlay) {
        let (from, rows) = (usize::from(*at).min(all), usize::from(rows));
        let now = ReadProgress {
            request,
            from,
            rows,
            all,
            seen: (from + rows).min(all),
            must,
            is_waived: false,
            was_read: false,
            is_page: true,
            sight: InSight::default(),
        };
        local.reading = Some(ReadProgress::after(local.reading, now, local.now));
        local.stand.lay(Some(local.stands_as(request)), true);
    }
}

/// Lays out the page that takes the whole screen, if one does, and holds it where there are rows.
fn prepare_page(
    layouts: &mut Layouts,
    view: &View,
    local: &mut Local,
    (theme, highlighter): (&Theme, &Highlighter),
    area: Rect,
    now: Millis,
) {
    let body = output::body(area);
    let before = layouts.page.take();
    let screen = Screen { view, local, theme, highlighter, layouts, now, entry_json: |_| String::new() };
    let laid = match &local.overlay {
        Some(Overlay::Page(open)) => LaidPage::of((
            open.page.title(view),
            open.page.rows(&screen.page_frame(), body.width),
            Vec::new(),
        )),
        Some(Overlay::Output(call, _)) => LaidPage::of_call(&screen, body.width, *call, before),
        Some(Overlay::Summary(entry, _)) => LaidPage::of(summary::lay(&screen, body.width, *entry)),
        Some(Overlay::Terminal(typing)) => LaidPage::of(terminal::lay(&screen, body.width, *typing)),
        Some(Overlay::Picker(picker)) => {
            let plan = picker.restores().map(|since| (since, picker::in_sight(picker, area)));
            if let (Some((_, lines)), Some(Overlay::Picker(picker))) = (&plan, &mut local.overlay) {
                picker.shows(lines.clone());
            }
            let is_read = matches!(&local.overlay, Some(Overlay::Picker(picker)) if picker.is_read());
            // A plan with lines that nobody has seen is not there yet.
            local.stand.lay(plan.filter(|_| is_read).map(|(since, _)| Shown::Plan(since)), true);
            layouts.page = before;
            return;
        }
        Some(Overlay::Ledger(_)) | None => {
            layouts.page = before;
            return;
        }
    };
    if let Some(Overlay::Terminal(typing)) = &local.overlay {
        let settled = terminal::settle(&screen, *typing, body.height);
        local.overlay = Some(Overlay::Terminal(settled));
    }
    let waits = local.subject(view).is_some();
    let Some(at) = local.overlay.as_mut().and_then(Overlay::scrolled) else { return };
    let LaidPage { title, rows, arguments, all, must, work } = laid;
    let last = rows.len().saturating_sub(usize::from(body.height));
    // The end is followed while there comes more; what waits does not grow.
    if *at != u16::MAX || waits {
        *at = (*at).min(u16::try_from(last).unwrap_or(u16::MAX));
    }
    let from = usize::from(*at).min(last);
    stands_on_page(local, view, (all, must), body.height);
    let mut window = Window { area: body, surface: Surface::Page, ..Window::default() };
    window.rows = rows.iter().skip(from).take(usize::from(body.height)).cloned().collect();
    let spot =
        |at: usize| Spot { card: 0, piece: 0, row: from + at, is_first: from + at == 0, is_gap: false };
    window.spots = (0..window.rows.len()).map(spot).collect();
    layouts.work += work;
    layouts.owes(arguments.as_ref().is_some_and(LaidArguments::is_behind));
    let page = FullPage { title, rows, from, arguments };
    selecting::settle(&mut local.pointer, &mut window, &mut &page, (body.width, false, 0));
    layouts.page = Some(page);
    layouts.window = window;
    layouts.number_links();
}

/// What is selected, as text: rows that were broken to fit are joined, what is ours is left out.
pub fn selected(
    layouts: &mut Layouts,
    view: &View,
    local: &Local,
    theme: &Theme,
    highlighter: &Highlighter,
    now: Millis,
) -> String {
    match (&local.pointer.selection, &layouts.page) {
        (None, _) => String::new(),
        (Some(selection), Some(page)) if selection.surface == Surface::Page => {
            selecting::text(selection, &mut &*page)
        }
        (Some(_), _) => transcript::selected(layouts, view, local, theme, highlighter, now),
    }
}

/// Draws one frame.
pub fn draw(frame: &mut Frame<'_>, screen: &Screen<'_>) {
    let area = frame.area();
    let base = screen.theme.background.map_or(screen.theme.text, |colour| screen.theme.text.bg(colour));
    frame.render_widget(Block::new().style(base), area);
    let Some(areas) = hits::areas(screen.local, screen.view, area) else {
        return too_small(frame, area, screen.theme.text);
    };
    match &screen.local.overlay {
        Some(Overlay::Ledger(it)) => inspector::draw(frame, area, screen, it),
        Some(Overlay::Page(_) | Overlay::Output(..) | Overlay::Summary(..)) => {
            output::page(frame, area, screen);
        }
        Some(Overlay::Terminal(typing)) => terminal::draw(frame, area, screen, *typing),
        Some(Overlay::Picker(picker)) => picker::draw(frame, area, screen, picker),
        None => {
            if areas.header.height > 0 {
                header::draw(frame, areas.header, screen);
            }
            window::draw(frame, areas.transcript, screen);
            plan::draw(frame, areas.plan, screen);
            // How far it is scrolled is known when it is drawn.
            composer::draw(frame, &areas, screen);
            activity::draw(frame, areas.activity, screen);
            let is_offering =
                file_menu::draw(frame, areas.queue, screen) || completion::draw(frame, areas.queue, screen);
            if !is_offering {
                let rest = notice::draw(frame, areas.queue, screen);
                queue::draw(frame, rest, screen);
            }
            footer::draw(frame, areas.footer, screen);
        }
    }
    if screen.local.overlay.is_some() {
        waiting::draw(frame, area, screen);
    }
    clusters::steady(frame.buffer_mut());
}

fn too_small(frame: &mut Frame<'_>, area: Rect, style: Style) {
    let words = format!("terminal too small (need {LEAST_WIDTH}x{LEAST_HEIGHT})");
    let text = Paragraph::new(words).style(style).wrap(Wrap { trim: true }).alignment(Alignment::Left);
    frame.render_widget(text, area);
}
