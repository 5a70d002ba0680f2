//! The protocol of kitty: a picture is sent once under a number; cells with a placeholder in the colour of that number
//! show it. So what lies over a picture, scrolls it or clips it needs to know nothing of pictures.

use image::RgbaImage;
use ratatui::style::Color;

use super::png;
use super::size::{Cells, MOST_ROWS};

/// Most pictures that the terminal keeps for us: more do not stand in a window.
pub(super) const SLOTS: u32 = 32;
/// The number of the first. Fixed, so that all can be deleted when the terminal is given back.
const FIRST: u32 = 0x00c5_1600;
/// Most letters of one sequence.
const CHUNK: usize = 4_096;

/// What every sequence of the protocol begins with.
const MARK: &str = "\x1b_G";

/// Stands for a part of a picture.
const PLACEHOLDER: char = '\u{10eeee}';
/// The first numbers as marks above a letter, as the protocol counts rows and columns.
const NUMBERS: [char; MOST_ROWS as usize] = [
    '\u{305}', '\u{30d}', '\u{30e}', '\u{310}', '\u{312}', '\u{33d}', '\u{33e}', '\u{33f}', '\u{346}',
    '\u{34a}', '\u{34b}', '\u{34c}',
];

/// What is sent of a picture, but for its number: the keys that go before, and the letters of its PNG.
#[derive(Debug)]
pub(super) struct Sendable {
    cells: Cells,
    png: String,
}

impl Sendable {
    pub(super) fn new(canvas: &RgbaImage, cells: Cells) -> Option<Self> {
        png::encode(canvas).map(|(_, png)| Self { cells, png })
    }

    /// Sends the picture into a slot, in the place of what was there. Nothing is seen yet, and nothing answers.
    pub(super) fn send(&self, slot: u32) -> String {
        let Cells { columns, rows } = self.cells;
        let id = FIRST + slot;
        let mut keys = format!("a=T,U=1,q=2,f=100,t=d,i={id},c={columns},r={rows},");
        let mut said = String::with_capacity(self.png.len() + self.png.len() / CHUNK * 16 + 64);
        let mut rest = self.png.as_str();
        loop {
            let (chunk, after) = rest.split_at_checked(CHUNK).unwrap_or((rest, ""));
            let more = u8::from(!after.is_empty());
            said.push_str(&format!("{MARK}{keys}m={more};{chunk}\x1b\\"));
            if after.is_empty() {
                return said;
            }
            rest = after;
            "q=2,".clone_into(&mut keys);
        }
    }
}

/// Takes the picture of a slot away, and its memory.
pub(super) fn delete(slot: u32) -> String {
    format!("{MARK}a=d,d=I,q=2,i={}\x1b\\", FIRST + slot)
}

/// Takes away all that was ever sent.
pub(crate) fn delete_all() -> String {
    (0..SLOTS).map(delete).collect()
}

/// Whether some of this is told in the protocol.
pub(crate) fn is_told_in(words: &str) -> bool {
    words.contains(MARK)
}

/// What stands in the first cell of a row of a picture; each cell after it goes on where the one before ended.
pub(super) fn first_of_row(row: u16) -> Option<String> {
    let [zero, ..] = NUMBERS;
    NUMBERS.get(usize::from(row)).map(|row| String::from_iter([PLACEHOLDER, *row, zero]))
}

/// What stands in the other cells.
pub(super) fn next_in_row() -> String {
    PLACEHOLDER.to_string()
}

/// The colour that names the picture of a slot.
pub(super) fn colour(slot: u32) -> Color {
    let [_, red, green, blue] = (FIRST + slot).to_be_bytes();
    Color::Rgb(red, green, blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pictures_are_sent_in_pieces() {
        let cells = Cells { columns: 3, rows: 2 };
        let sent = Sendable { cells, png: "A".repeat(2 * CHUNK + 1) }.send(1);
        let pieces: Vec<&str> = sent.split_terminator("\x1b\\").collect();
        assert_eq!(pieces.len(), 3);
        assert!(
            pieces[0].starts_with("\x1b_Ga=T,U=1,q=2,f=100,t=d,i=12916225,c=3,r=2,m=1;A"),
            "{:.80}",
            pieces[0]
        );
        assert!(pieces[1].starts_with("\x1b_Gq=2,m=1;A") && pieces[2] == "\x1b_Gq=2,m=0;A");
        let whole = Sendable { cells, png: "A".repeat(CHUNK) }.send(0);
        assert_eq!((whole.matches(MARK).count(), whole.contains("m=0;")), (1, true));
    }

    #[test]
    fn rows_are_told_apart_and_each_cell_is_one_wide() {
        let rows: Vec<String> = (0..MOST_ROWS).filter_map(first_of_row).collect();
        assert_eq!(rows.len(), usize::from(MOST_ROWS));
        assert!(rows.iter().all(|cell| crate::ui::text::width(cell) == 1));
        assert!(rows.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(first_of_row(MOST_ROWS), None);
        assert_eq!(colour(2), Color::Rgb(0xc5, 0x16, 2));
    }
}
