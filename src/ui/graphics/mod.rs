//! Pictures on the screen: which part of it they take, worked out beside it, told in the terminal's own protocol.
//!
//! A picture never sits on the way to a frame: its cells are reserved by what its header says, a thread decodes it,
//! and the frame after that shows it. What a terminal is sent is made here from the decoded pixels; no byte of the
//! file reaches it.

mod decode;
mod iterm;
mod kitty;
mod paint;
mod picture_cache;
mod png;
mod sixel;
mod size;

#[expect(clippy::disallowed_methods, reason = "a thread of the screen: decoding takes longer than a frame")]
mod worker;

use std::fmt;
use std::sync::Arc;

use crate::ledger::EntryId;

pub use decode::MOST_PIXELS;
pub use picture_cache::{Pictures, Sizing};
pub use size::{CELL, Cells, MOST_ROWS, fit};

pub(super) use kitty::{delete_all, is_told_in};
pub(super) use paint::paint;

/// How a terminal is told a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// The graphics of kitty with its Unicode placeholders, which Ghostty knows too.
    Kitty,
    /// Inline images of iTerm2 (OSC 1337), which WezTerm and mintty know too.
    Iterm,
    /// Sixel.
    Sixel,
}

/// Names a picture of a session: the entry that has it, and its place among that entry's pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PictureId(pub EntryId, pub usize);

/// A picture at the size at which it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Which one.
    pub id: PictureId,
    /// The cells it takes.
    pub cells: Cells,
    /// The pixels of a cell, width and height.
    pub cell: (u16, u16),
}

/// One row of a picture in the transcript.
#[derive(Clone)]
pub struct Strip {
    /// The picture.
    pub key: Key,
    /// Which of its rows, from 0.
    pub row: u16,
    /// Its file in base64.
    pub(super) data: Arc<str>,
}

impl Strip {
    /// The rows of a picture, from its top.
    pub fn all(key: Key, data: &Arc<str>) -> impl Iterator<Item = Self> {
        (0..key.cells.rows).map(move |row| Self { key, row, data: Arc::clone(data) })
    }
}

/// Without its bytes, which are nobody's to read in a log.
impl fmt::Debug for Strip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Strip({:?} row {})", self.key, self.row)
    }
}
