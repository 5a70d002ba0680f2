//! How many cells a picture takes.

/// The pixels of a cell where the terminal does not tell: smaller than most are, so that nothing is drawn over what
/// stands beside the picture.
pub const CELL: (u16, u16) = (8, 16);

/// The highest that a picture is shown, in rows.
pub const MOST_ROWS: u16 = 12;

/// Cells, as wide and as high as this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cells {
    /// Width.
    pub columns: u16,
    /// Height.
    pub rows: u16,
}

/// The cells in which a picture of so many pixels stands whole, in its own proportions, never larger than it is, at
/// most `room` columns wide and [`MOST_ROWS`] high; at least one cell. Its pixels fill them but for a part of the last
/// column and row.
#[must_use]
pub fn fit(pixels: (u32, u32), cell: (u16, u16), room: u16) -> Cells {
    let columns = room.max(1);
    let (width, height) =
        within(pixels, (u32::from(columns) * u32::from(cell.0), u32::from(MOST_ROWS) * u32::from(cell.1)));
    let cells = |pixels: u32, of: u16, most: u16| {
        u16::try_from(pixels.div_ceil(u32::from(of.max(1)))).unwrap_or(most).clamp(1, most)
    };
    Cells { columns: cells(width, cell.0, columns), rows: cells(height, cell.1, MOST_ROWS) }
}

/// The pixels of a picture made to fit, in its own proportions and never larger than it is. At least one by one.
pub(super) fn within(pixels: (u32, u32), room: (u32, u32)) -> (u32, u32) {
    let (width, height) = (u64::from(pixels.0.max(1)), u64::from(pixels.1.max(1)));
    let (most_width, most_height) = (u64::from(room.0.max(1)), u64::from(room.1.max(1)));
    let (width, height) = if width <= most_width && height <= most_height {
        (width, height)
    } else if width * most_height > height * most_width {
        (most_width, (height * most_width + width / 2) / width)
    } else {
        ((width * most_height + height / 2) / height, most_height)
    };
    let small = |pixels: u64| u32::try_from(pixels.max(1)).unwrap_or(u32::MAX);
    (small(width), small(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_keep_their_proportions() {
        assert_eq!(within((640, 480), (320, 999)), (320, 240));
        assert_eq!(within((640, 480), (999, 240)), (320, 240));
        assert_eq!(within((64, 48), (999, 999)), (64, 48), "never larger than it is");
        assert_eq!(within((10_000, 1), (100, 100)), (100, 1));
        assert_eq!(within((1, 10_000), (100, 100)), (1, 100));
        assert_eq!(within((u32::MAX, u32::MAX), (100, 50)), (50, 50));
        assert_eq!(within((0, 0), (0, 0)), (1, 1));
    }
}
