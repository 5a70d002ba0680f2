//! The protocol of iTerm2: one sequence, which draws at the cursor.

use image::RgbaImage;

use super::png;
use super::size::Cells;

/// Draws the picture over its cells and leaves the cursor where it was.
pub(super) fn encode(canvas: &RgbaImage, cells: Cells) -> Option<String> {
    let (bytes, png) = png::encode(canvas)?;
    let Cells { columns, rows } = cells;
    Some(format!(
        "\x1b]1337;File=inline=1;size={bytes};width={columns};height={rows};preserveAspectRatio=0;\
         doNotMoveCursor=1:{png}\x07"
    ))
}
