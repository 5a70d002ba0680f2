//! What was laid out and is kept: the lines of each card, once per revision, width, theme and highlighting.

use std::collections::BTreeMap;

use ratatui::text::Line;

use crate::view::CardId;

use crate::ui::graphics::{Pictures, Strip};
use crate::ui::text::markdown::Stream;

/// One row of the transcript.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Cells left free before it.
    pub indent: u16,
    /// What it says.
    pub line: Line<'static>,
    /// What part of its card it belongs to.
    pub part: Part,
    /// The row of a picture that stands in it.
    pub picture: Option<Strip>,
}

/// The parts of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Part {
    /// Always there.
    #[default]
    Open,
    /// What ctrl-t folds.
    Reasoning,
    /// The line over that, in our words: how much of it is shown depends on the width.
    ReasoningHead,
}

impl Row {
    /// A row at an indent.
    pub(super) fn new(indent: u16, line: impl Into<Line<'static>>) -> Self {
        Self { indent, line: line.into(), part: Part::Open, picture: None }
    }
}

/// The kept layouts and the window that was made of them.
#[derive(Default)]
pub struct Layouts {
    shelf: Shelf,
    pub(super) growing: Option<Growing>,
    /// Bytes of the growing text that this frame may still take.
    appetite: usize,
    is_behind: bool,
    pub(super) window: Window,
    pub(in crate::ui) pictures: Pictures,
}

/// What everything kept was made for; when it changes, everything is laid out anew, card by card as it comes
/// into the window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shape {
    pub width: u16,
    pub theme: String,
    pub generation: u64,
    pub thinking_open: bool,
    pub epoch: u64,
    pub height: u16,
}

#[derive(Default)]
struct Shelf {
    shape: Shape,
    cards: BTreeMap<CardId, Laid>,
}

/// The lines of one card.
struct Laid {
    version: Version,
    rows: Vec<Row>,
}

/// What decides whether kept lines still hold: the card's revision, and what it borrows from outside itself (the
/// focus, the clock of a running tool, the height of the window).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Version {
    pub revision: u64,
    pub focus: u64,
    pub clock: u64,
    pub height: u16,
    pub pictures: u64,
}

/// The answer that grows: finished blocks keep their lines, only the last one is laid out again.
pub(super) struct Growing {
    pub id: CardId,
    /// Bytes of its text that the stream has taken.
    pub taken: usize,
    pub stream: Stream,
    /// Lines of the stream as of the last frame.
    pub height: usize,
}

/// What the last frame shows of the transcript.
#[derive(Default)]
pub(super) struct Window {
    /// From the top.
    pub rows: Vec<Row>,
    /// Whether there is more below, and how many cards of that nobody has seen.
    pub below: Option<usize>,
    /// Whether the call that is to be answered is in sight, down to its keys.
    pub answerable: bool,
    /// The row at which the focused call begins.
    pub focus: Option<u16>,
}

impl Layouts {
    /// Most cards whose lines are kept.
    const MOST: usize = 256;
    /// Most bytes of the growing text that are laid out for one frame, so that no flood of text holds up a key.
    const MOUTHFUL: usize = 16 * 1024;

    /// Keeps nothing yet, and shows these pictures.
    #[must_use]
    pub fn with(pictures: Pictures) -> Self {
        Self { pictures, ..Self::default() }
    }

    /// Forgets what was laid out for another shape. Says whether rows may stand elsewhere now.
    pub(super) fn begin(&mut self, shape: &Shape) -> bool {
        self.appetite = Self::MOUTHFUL;
        self.is_behind = false;
        let is_new = self.shelf.shape != *shape;
        if is_new {
            // The height alone breaks no line.
            let before = Shape { height: shape.height, ..std::mem::take(&mut self.shelf.shape) };
            if before != *shape {
                self.shelf.cards.clear();
            }
            self.shelf.shape = shape.clone();
        }
        if self.shelf.cards.len() > Self::MOST {
            self.shelf.cards.clear();
        }
        is_new
    }

    /// Gives the growing text what came since the last frame, or as much of that as one frame bears.
    pub(super) fn feed(&mut self, text: &str) {
        let Some(growing) = &mut self.growing else { return };
        let rest = text.get(growing.taken..).unwrap_or_default();
        let most = (0..=self.appetite.min(rest.len())).rev().find(|at| rest.is_char_boundary(*at));
        let more = rest.get(..most.unwrap_or_default()).unwrap_or_default();
        if !more.is_empty() {
            growing.stream.push(more);
            growing.taken += more.len();
            self.appetite -= more.len();
        }
        self.is_behind = more.len() < rest.len();
    }

    /// Whether the last frame has left text for the next one; said once a frame that shows the transcript.
    pub fn was_behind(&mut self) -> bool {
        std::mem::take(&mut self.is_behind)
    }

    /// The rows of a card, laid out by `lay` if they are not kept.
    pub(super) fn rows(&mut self, id: CardId, version: Version, lay: impl FnOnce() -> Vec<Row>) -> &[Row] {
        let laid = self.shelf.cards.entry(id).or_insert_with(|| Laid {
            version: Version { revision: u64::MAX, ..Version::default() },
            rows: Vec::new(),
        });
        if laid.version != version {
            *laid = Laid { version, rows: lay() };
        }
        &laid.rows
    }

    /// How many cards have their lines kept.
    pub fn kept(&self) -> usize {
        self.shelf.cards.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_text_is_laid_out_over_several_frames() {
        let text = "é ".repeat(Layouts::MOUTHFUL);
        let mut layouts = Layouts::default();
        let id = CardId::Entry(crate::ledger::EntryId(1));
        layouts.growing = Some(Growing { id, taken: 0, stream: Stream::default(), height: 0 });
        let taken = |layouts: &Layouts| layouts.growing.as_ref().map_or(0, |growing| growing.taken);
        for frame in 1.. {
            layouts.begin(&Shape::default());
            // A frame asks for the height of a card several times.
            layouts.feed(&text);
            layouts.feed(&text);
            assert!(taken(&layouts) <= frame * Layouts::MOUTHFUL && taken(&layouts) > (frame - 1) * 16_000);
            if !layouts.was_behind() {
                break;
            }
            assert!(!layouts.was_behind(), "a frame without a transcript owes nothing");
        }
        assert_eq!(taken(&layouts), text.len());
    }
}
