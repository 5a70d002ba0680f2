//! Signs that terminals disagree about: some show a family of emoji as one sign, others as all its members side by side.
//!
//! The column of whatever stands behind such a sign must not depend on that. So the cells that the longer form would
//! cover are written again in every frame, and a sign whose longer form would leave the row is cut to its first member.

use ratatui::buffer::{Buffer, CellDiffOption};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A single character has at most so many bytes.
const ONE_CHARACTER: usize = 4;

/// Asks for the wide form of the character before it.
const WIDE: char = '\u{fe0f}';
/// Makes one sign of its neighbours.
const JOINER: char = '\u{200d}';

/// Makes a frame stand in both kinds of terminal.
pub(super) fn steady(buffer: &mut Buffer) {
    let area = buffer.area;
    for y in area.top()..area.bottom() {
        for x in area.left()..area.right() {
            let Some(symbol) = buffer.cell((x, y)).map(|cell| cell.symbol()) else { continue };
            if symbol.len() <= ONE_CHARACTER {
                continue;
            }
            let (short, long) = (cells(symbol.width()), longest(symbol));
            if long <= short {
                continue;
            }
            if long > area.right() - x {
                let cut = beginning(symbol, area.right() - x, short).to_owned();
                if let Some(cell) = buffer.cell_mut((x, y)) {
                    cell.set_symbol(&cut);
                }
            }
            for covered in x + short..area.right().min(x + long) {
                if let Some(cell) = buffer.cell_mut((covered, y)) {
                    cell.set_diff_option(CellDiffOption::AlwaysUpdate);
                }
            }
        }
    }
}

/// Cells of a sign whose members stand side by side, those that are asked to be wide among them.
fn longest(symbol: &str) -> u16 {
    let wide = symbol.chars().filter(|c| *c == WIDE).count();
    cells(symbol.chars().filter_map(char::width).sum::<usize>() + wide)
}

/// As many members of a sign as are as wide as it in one kind of terminal, and fit into `room` in the other.
fn beginning(symbol: &str, room: u16, short: u16) -> &str {
    let ends = symbol.char_indices().map(|(at, _)| at).chain([symbol.len()]);
    let mut all = ends.filter_map(|end| symbol.get(..end));
    let fits = |part: &&str| longest(part) <= room && cells(part.width()) == short;
    all.rfind(fits).map_or(symbol, |part| part.trim_end_matches(JOINER))
}

fn cells(width: usize) -> u16 {
    u16::try_from(width).unwrap_or(u16::MAX)
}
