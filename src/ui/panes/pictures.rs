//! The rows under a message that shows pictures: the pictures where the terminal can show them, or why not.

use ratatui::style::Style;
use ratatui::text::Line;

use crate::ledger::{EntryId, Image};
use crate::ui::graphics::{Key, PictureId, Sizing, Strip, fit};
use crate::ui::text;

use super::layouts::TranscriptRow;
use super::words::one_row;

/// Where pictures stand in a card, and how it says that one cannot be shown.
pub(super) struct PicturePlace<'a> {
    pub sizing: &'a Sizing,
    pub indent: u16,
    pub width: u16,
    pub quiet: Style,
}

/// The pictures of an entry, one below the other. Their words stand above, in the message.
pub(super) fn lay(entry: EntryId, images: &[Image], place: &PicturePlace<'_>) -> Vec<TranscriptRow> {
    let mut rows = Vec::new();
    if !place.sizing.on {
        return rows;
    }
    for (at, image) in images.iter().enumerate() {
        // A header that says nothing reserves nothing.
        let Some(pixels) = image.size else { continue };
        let id = PictureId(entry, at);
        if let Some(why) = place.sizing.why_not(id, pixels) {
            let words = format!("{} cannot be shown: {why}", one_row(&image.name));
            let words = text::fit(&words, usize::from(place.width));
            rows.push(TranscriptRow::new(place.indent, Line::styled(words, place.quiet)));
            continue;
        }
        if at > 0 {
            rows.push(TranscriptRow::new(0, Line::default()));
        }
        let cell = place.sizing.cell;
        let key = Key { id, cells: fit(pixels, cell, place.width), cell };
        let strips = Strip::all(key, &image.data);
        rows.extend(strips.map(|strip| TranscriptRow {
            picture: Some(strip),
            ..TranscriptRow::new(place.indent, Line::default())
        }));
    }
    rows
}
