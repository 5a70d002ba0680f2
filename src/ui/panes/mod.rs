//! The panes and how they are drawn: first everything is laid out, then drawn without changing anything.

mod action;
mod anchor;
mod approval;
mod boxes;
mod budgets;
mod cards;
mod clusters;
mod completion;
mod composer;
mod endings;
mod gauges;
mod goals;
mod header;
mod help;
mod inspector;
mod layouts;
mod level;
mod marks;
mod output;
mod picker;
mod pictures;
mod queue;
mod remarks;
mod status;
mod summary;
mod tools;
mod transcript;
mod words;

use ratatui::Frame;
use ratatui::layout::{Alignment, Rect};
use ratatui::style::Style;
use ratatui::widgets::{Block, Paragraph, Wrap};

pub use layouts::Layouts;

use crate::ledger::{Entry, Millis};
use crate::view::View;

use super::layout::{Areas, LEAST_HEIGHT, LEAST_WIDTH};
use super::local::{Local, Overlay};
use super::text::highlight::Highlighter;
use super::theme::Theme;

/// Everything that a frame is made of.
pub struct Screen<'a> {
    /// What is to be seen.
    pub view: &'a View,
    /// What only the screen knows.
    pub local: &'a Local,
    /// What it looks like.
    pub theme: &'a Theme,
    /// What was laid out by [`prepare`].
    pub layouts: &'a Layouts,
    /// The moment of the frame.
    pub now: Millis,
    /// The JSON of an entry, for the ledger.
    pub entry_json: fn(&Entry) -> String,
}

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
    let rows = local.composer.rows(Areas::composer_width(screen));
    local.composer.area_mut().set_style(theme.composer);
    if let Some(Overlay::Ledger(inspector)) = &mut local.overlay {
        inspector.catch_up(view);
    }
    local.composer.area_mut().set_selection_style(theme.selection);
    layouts.pictures.begin(screen);
    match Areas::of(screen, rows, above(local, view)) {
        Some(areas) if local.overlay.is_none() => {
            local.page = areas.transcript.height;
            transcript::prepare(layouts, view, local, theme, highlighter, areas.transcript, now);
            local.shown = match local.focused(view) {
                super::local::Focus::Approval(_) if layouts.window.answerable => {
                    local.chosen(view).map(|(request, _)| request)
                }
                _ => None,
            };
        }
        _ => {
            local.page = screen.height.saturating_sub(3);
            local.shown = None;
            if let Some(area) = showcase(local, screen) {
                transcript::prepare(layouts, view, local, theme, highlighter, area, now);
            }
        }
    }
    layouts.pictures.settle();
}

/// Draws one frame.
pub fn draw(frame: &mut Frame<'_>, screen: &Screen<'_>) {
    let area = frame.area();
    let base = screen.theme.background.map_or(screen.theme.text, |colour| screen.theme.text.bg(colour));
    frame.render_widget(Block::new().style(base), area);
    let rows = screen.local.composer.rows(Areas::composer_width(area));
    let Some(areas) = Areas::of(area, rows, above(screen.local, screen.view)) else {
        return too_small(frame, area, screen.theme.text);
    };
    match &screen.local.overlay {
        Some(Overlay::Ledger(it)) => inspector::draw(frame, area, screen, it),
        Some(Overlay::Help(at)) => help::draw(frame, area, screen, *at),
        Some(Overlay::Output(call, at)) => output::draw(frame, area, screen, *call, *at),
        Some(Overlay::Summary(entry, at)) => summary::draw(frame, area, screen, *entry, *at),
        Some(Overlay::Budgets(at)) => budgets::draw(frame, area, screen, *at),
        Some(Overlay::Picker(picker)) => picker::draw(frame, area, screen, picker),
        None => {
            header::draw(frame, areas.header, screen);
            transcript::draw(frame, areas.transcript, screen);
            gauges::draw(frame, areas.gauges, screen);
            if !completion::draw(frame, areas.queue, screen) {
                queue::draw(frame, areas.queue, screen);
            }
            composer::draw(frame, &areas, screen);
            status::draw(frame, areas.status, screen);
        }
    }
    clusters::steady(frame.buffer_mut());
}

/// Rows wanted between transcript and composer: for commands while one is typed, else for what waits.
fn above(local: &Local, view: &View) -> u16 {
    match completion::rows(local, view) {
        0 => queue::rows(local),
        commands => commands,
    }
}

/// Where the transcript stays in sight while a theme is chosen.
fn showcase(local: &Local, screen: Rect) -> Option<Rect> {
    match &local.overlay {
        Some(Overlay::Picker(picker)) => picker::showcase(screen, picker),
        _ => None,
    }
}

fn too_small(frame: &mut Frame<'_>, area: Rect, style: Style) {
    let words = format!("terminal too small (need {LEAST_WIDTH}x{LEAST_HEIGHT})");
    let text = Paragraph::new(words).style(style).wrap(Wrap { trim: true }).alignment(Alignment::Left);
    frame.render_widget(text, area);
}
