//! Pictures into the cells of a frame, in such a way that what a frame changes is written and nothing else.
//!
//! Placeholders are letters like any others. The other protocols draw over cells: their words stand in the first cell
//! of the picture, the other cells are left alone, and whatever comes to stand there later writes over it. So such a
//! picture is drawn whole or not at all.

use std::num::NonZeroU16;

use ratatui::buffer::{Buffer, Cell, CellDiffOption};
use ratatui::layout::{Position, Rect};

use super::worker::Drawn;
use super::{Pictures, Strip, kitty};

/// Draws the rows of pictures that begin at these places, where nothing else stands in `area`.
pub(in crate::ui) fn paint<'a>(
    buffer: &mut Buffer,
    area: Rect,
    strips: impl Iterator<Item = (Position, &'a Strip)>,
    pictures: &Pictures,
) {
    for (at, strip) in strips {
        let cells = strip.key.cells;
        if let Some(slot) = pictures.slot(strip.key) {
            place_row(buffer, Rect::new(at.x, at.y, cells.columns, 1).intersection(area), strip.row, slot);
        } else if strip.row == 0
            && let Some(drawn) = pictures.drawn(strip.key)
            && let Drawn::InPlace(words) = &*drawn
        {
            let whole = Rect::new(at.x, at.y, cells.columns, cells.rows);
            if whole.intersection(area) == whole {
                draw_whole(buffer, whole, words);
            }
        }
    }
}

/// A row of placeholders, up to what covers it.
fn place_row(buffer: &mut Buffer, place: Rect, row: u16, slot: u32) {
    for at in place.positions() {
        let symbol = if at.x == place.x { kitty::first_of_row(row) } else { Some(kitty::next_in_row()) };
        let (Some(cell), Some(symbol)) = (buffer.cell_mut(at).filter(|cell| is_free(cell)), symbol) else {
            return;
        };
        cell.set_symbol(&symbol).set_fg(kitty::colour(slot));
    }
}

fn draw_whole(buffer: &mut Buffer, place: Rect, words: &str) {
    if !place.positions().all(|at| buffer.cell(at).is_some_and(is_free)) {
        return;
    }
    for at in place.positions() {
        if let Some(cell) = buffer.cell_mut(at) {
            cell.set_diff_option(CellDiffOption::Skip);
        }
    }
    if let Some(first) = buffer.cell_mut(place.as_position()) {
        first.set_symbol(words).set_diff_option(CellDiffOption::ForcedWidth(NonZeroU16::MIN));
    }
}

fn is_free(cell: &Cell) -> bool {
    cell.symbol() == " " && cell.diff_option == CellDiffOption::None
}
