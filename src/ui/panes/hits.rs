//! What of the last frame stands under the mouse.

use ratatui::layout::{Position, Rect};

use crate::ui::inspector::Tab;
use crate::ui::layout::Areas;
use crate::ui::local::{Local, Overlay};
use crate::ui::selection::{Point, Surface};
use crate::view::View;

use super::above::above;
use super::layouts::{Layouts, Part};
use super::{activity, composer, inspector, picker, time_line};

/// What stands under the mouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hit {
    /// Nothing that can be pointed at.
    Nothing,
    /// The composer: a row and a column of its text, as it is wrapped.
    Composer(usize, usize),
    /// A cell of the time line, of so many.
    TimeLine(usize, usize),
    /// A row of a card; whether it is the card's first, and whether it stands over reasoning.
    Card {
        /// Which card.
        card: usize,
        /// Whether the card begins with this row.
        is_first: bool,
        /// Whether it is the line over reasoning.
        is_reasoning_head: bool,
    },
    /// A page of the inspector, by its name.
    Tab(Tab),
    /// A line of a list, counted from its first one, which may be out of sight.
    Line(usize),
}

/// What the last frame, on a screen of that size, shows at a cell.
pub fn hit(layouts: &Layouts, view: &View, local: &Local, screen: Rect, at: (u16, u16)) -> Hit {
    let Some(areas) = areas(local, view, screen) else { return Hit::Nothing };
    match &local.overlay {
        Some(Overlay::Picker(it)) => picker::line_at(it, screen, at).map_or(Hit::Nothing, Hit::Line),
        Some(Overlay::Ledger(it)) => match inspector::tab_at(screen, at) {
            Some(tab) => Hit::Tab(tab),
            None => inspector::line_at(it, view, screen, at).map_or(Hit::Nothing, Hit::Line),
        },
        Some(_) => Hit::Nothing,
        None if areas.composer.contains(at.into()) => {
            let text = composer::text(&areas);
            if let Some(replay) = &local.replay {
                let track = time_line::track(text, replay);
                let cell = usize::from(at.0.saturating_sub(track.x));
                let is_on_it = track.contains(at.into());
                return if is_on_it { Hit::TimeLine(cell, track.width.into()) } else { Hit::Nothing };
            }
            let (top, _) = local.composer.area().scroll_offset();
            let row = at.1.max(text.y) - text.y;
            let row = usize::from(top) + usize::from(row.min(text.height.saturating_sub(1)));
            Hit::Composer(row, usize::from(at.0.saturating_sub(text.x)))
        }
        None => card_at(layouts, at),
    }
}

fn card_at(layouts: &Layouts, at: (u16, u16)) -> Hit {
    let window = &layouts.window;
    if window.surface != Surface::Transcript || !window.area.contains(Position::from(at)) {
        return Hit::Nothing;
    }
    let row = usize::from(at.1 - window.area.y);
    match (window.spots.get(row), window.rows.get(row)) {
        // The empty row before a card belongs to none.
        (Some(spot), Some(row)) if !spot.is_gap => Hit::Card {
            card: spot.card,
            is_first: spot.is_first,
            is_reasoning_head: row.part == Part::ReasoningHead,
        },
        _ => Hit::Nothing,
    }
}

/// What stands at a cell that can be selected, and of what.
pub fn selectable(layouts: &Layouts, local: &Local, at: (u16, u16)) -> Option<(Surface, Point)> {
    let window = &layouts.window;
    let shows = match &local.overlay {
        None => window.surface == Surface::Transcript,
        Some(Overlay::Ledger(_) | Overlay::Picker(_)) => false,
        Some(_) => window.surface == Surface::Page,
    };
    let is_beside = (window.area.y..window.area.bottom()).contains(&at.1);
    let point = window.nearest(at.0, at.1).filter(|_| shows && is_beside)?;
    Some((window.surface, point))
}

/// Where a drag to this cell leads, beside the rows to what is nearest; and by how many rows it lies beyond an edge.
pub fn dragged(layouts: &Layouts, at: (u16, u16)) -> (Option<Point>, i32) {
    let area = layouts.window.area;
    let beyond = match at.1 {
        y if y < area.y => i32::from(y) - i32::from(area.y),
        y if y >= area.bottom() => i32::from(y) - i32::from(area.bottom()) + 1,
        _ => 0,
    };
    (layouts.window.nearest(at.0, at.1), beyond)
}

/// Whether the composer has more rows than it shows.
pub fn composer_scrolls(local: &Local, view: &View, screen: Rect) -> bool {
    let text = areas(local, view, screen).map(|areas| composer::text(&areas));
    let area = local.composer.area();
    text.is_some_and(|text| {
        let height = usize::from(text.height);
        area.scroll_offset().0 > 0
            || area.lines().len() > height
            || usize::from(local.composer.rows(text.width)) > height
    })
}

/// Where each pane stands now.
pub(super) fn areas(local: &Local, view: &View, screen: Rect) -> Option<Areas> {
    let rows = match &local.replay {
        Some(_) => time_line::ROWS,
        None => local.composer.rows(Areas::composer_width(screen)),
    };
    let mut areas = Areas::of(
        screen,
        rows,
        above(local, view, (screen.width, screen.height)),
        activity::rows(local, view, (screen.width, screen.height)),
    )?;
    if !areas.boxed && local.always.is_some() {
        areas.take_header();
    }
    Some(areas)
}
