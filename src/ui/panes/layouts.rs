//! What was laid out and is kept: the lines of the pieces of cards, once per revision, width, theme and highlighting.

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::ui::graphics::{Pictures, Strip};
use crate::ui::local::RuleReading;
use crate::ui::selection::{Point, Surface};
use crate::ui::text::tag::{MOST_LINKS, Tag, tag_of, tagged};
use crate::view::CardId;

use super::laid_arguments::LaidArguments;
use super::message::{Growing, Message};

/// One row of the transcript.
#[derive(Debug, Clone)]
pub(super) struct TranscriptRow {
    /// Cells left free before it.
    pub indent: u16,
    /// What stands in the margin beside it: who speaks, how a call stands, that a run has ended. Only signs of ours get
    /// there: what a model, a tool, an agent or a person wrote has no way into a text that is known when this is built.
    pub mark: Option<(&'static str, Style)>,
    /// What it says.
    pub line: Line<'static>,
    /// What part of its card it belongs to.
    pub part: Part,
    /// The row of a picture that stands in it.
    pub picture: Option<Strip>,
    /// Where its links lead, by the numbers that their pieces are tagged with.
    pub links: Vec<(u32, Arc<str>)>,
    /// How much of a waiting call its pane shows: on the first row.
    pub reach: Option<PaneReach>,
    /// Whether it names the host that a key would allow: of several rows that do, which one it is, and how many there are.
    pub host: Option<(usize, usize)>,
}

/// How much of a waiting call its pane shows, in lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PaneReach {
    /// The first line in sight.
    pub from: usize,
    /// Lines in sight.
    pub rows: usize,
    /// Lines in all.
    pub all: usize,
    /// Lines, counted from the first, that must have been in sight before it can be allowed.
    pub must: usize,
    /// Whether it shows, for each time that a rule may hold, the file that would be written.
    pub names_files: bool,
    /// Whether it asks whether commands run anyway, and says whole why.
    pub asks_anyway: bool,
    /// How much of the rule that "always" would take it shows, if it shows that.
    pub rule: Option<RuleReading>,
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

impl PaneReach {
    /// The same; if that is not all of the call, nothing in it is the end.
    pub(super) fn ending(self, is_all: bool) -> Self {
        if is_all { self } else { Self { all: usize::MAX, must: usize::MAX, ..self } }
    }
}

impl TranscriptRow {
    /// A row at an indent.
    pub(super) fn new(indent: u16, line: impl Into<Line<'static>>) -> Self {
        let line = line.into();
        Self {
            indent,
            mark: None,
            line,
            part: Part::Open,
            picture: None,
            links: Vec::new(),
            reach: None,
            host: None,
        }
    }

    /// The row with a sign in the margin.
    #[must_use]
    pub(super) fn marked(self, sign: &'static str, style: Style) -> Self {
        Self { mark: Some((sign, style)), ..self }
    }

    /// A row of markdown, and where all of its links lead.
    pub(super) fn linked(indent: u16, line: Line<'static>, all: &[Arc<str>]) -> Self {
        let mut links: Vec<(u32, Arc<str>)> = Vec::new();
        for span in &line.spans {
            if let Some(Tag::Link(number)) = tag_of(span.style)
                && let Some(address) = usize::try_from(number).ok().and_then(|at| all.get(at))
            {
                links.push((number, Arc::clone(address)));
            }
        }
        Self { links, ..Self::new(indent, line) }
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
    /// The page that takes the whole screen, if one does.
    pub(super) page: Option<FullPage>,
    /// Pieces of cards that were laid out so far.
    pub(super) work: usize,
    /// The numbers of the links in the window: they stay while a part of the link is in sight.
    links: BTreeMap<(usize, usize, u32, Arc<str>), u32>,
    last_link: u32,
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
    cards: BTreeMap<(CardId, usize), LaidPiece>,
    /// Messages in pieces. These depend on no shape, and keep the lines of those pieces that were in sight.
    messages: BTreeMap<CardId, Message>,
}

/// The lines of one piece of a card.
struct LaidPiece {
    version: Version,
    rows: Vec<TranscriptRow>,
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

/// A page that takes the whole screen.
pub(super) struct FullPage {
    pub title: Vec<Span<'static>>,
    pub rows: Vec<TranscriptRow>,
    /// The first row in sight.
    pub from: usize,
    /// The arguments among them, if it is the page of a call.
    pub arguments: Option<LaidArguments>,
}

/// Where a row of the window comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    /// Which card.
    pub card: usize,
    /// Which piece of it.
    pub piece: usize,
    /// Which row of that; the empty one before a card is in its first piece.
    pub row: usize,
    /// Whether the card begins here.
    pub is_first: bool,
    /// Whether it is the empty row before the card.
    pub is_gap: bool,
}

/// What the last frame shows of the transcript, or of a page.
#[derive(Default)]
pub(super) struct Window {
    /// From the top.
    pub rows: Vec<TranscriptRow>,
    /// Where each of them comes from.
    pub spots: Vec<Spot>,
    /// The first and the last selected cell of each of them.
    pub selected: Vec<Option<(u16, u16)>>,
    /// Where they stand.
    pub area: Rect,
    pub surface: Surface,
    /// Whether there is more below, and how many cards of that nobody has seen.
    pub below: Option<usize>,
    /// Whether the call that is to be answered is in sight, down to its keys.
    pub answerable: bool,
    /// How much of that call its pane shows.
    pub reach: Option<PaneReach>,
    /// Whether a budget stop at the end is in sight.
    pub stop: bool,
    /// The row in which the words stand that a search shows, and how many of them stand in it before.
    pub found: Option<(usize, usize)>,
    /// The row at which the focused call begins.
    pub focus: Option<u16>,
    /// The rows in sight of the name of the host that a key would allow for the focused call.
    pub host: Option<HostRows>,
}

/// Rows of the name of a host: those in sight, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HostRows {
    pub from: usize,
    pub to: usize,
    pub all: usize,
}

impl Window {
    /// What stands at a cell of the screen; beside the rows, what is nearest to it.
    pub(super) fn nearest(&self, x: u16, y: u16) -> Option<Point> {
        let row = usize::from(y.max(self.area.y) - self.area.y);
        let last = self.spots.len().checked_sub(1)?;
        let col = match () {
            () if y < self.area.y => 0,
            () if row > last || y >= self.area.bottom() => u16::MAX,
            () => x.saturating_sub(self.area.x),
        };
        let spot = self.spots.get(row.min(last))?;
        Some(Point { card: spot.card, piece: spot.piece, row: spot.row, col })
    }
}

impl Layouts {
    /// Most cards, and pieces that are not an answer's words, of which something is kept.
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
        if self.shelf.messages.len() > Self::MOST {
            self.shelf.messages.clear();
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

    /// A page has left text for the next frame, or not.
    pub(super) fn owes(&mut self, is_behind: bool) {
        self.is_behind = is_behind;
    }

    /// Whether the last frame has left text for the next one; said once a frame that shows the transcript.
    pub fn was_behind(&mut self) -> bool {
        std::mem::take(&mut self.is_behind)
    }

    /// A message in pieces, taken apart by `part` if it is not kept.
    pub(super) fn message(
        &mut self,
        id: CardId,
        revision: u64,
        part: impl FnOnce() -> Message,
    ) -> &mut Message {
        let kept = self.shelf.messages.remove(&id).filter(|message| message.revision == revision);
        self.shelf.messages.entry(id).or_insert_with(|| kept.unwrap_or_else(part))
    }

    /// The rows of a piece of a card, laid out by `lay` if they are not kept: from the message that was taken apart, if
    /// the card is one, or from the answer that grows.
    pub(super) fn rows(
        &mut self,
        at: (CardId, usize),
        version: Version,
        lay: impl FnOnce(Option<&Message>, Option<&Growing>) -> Vec<TranscriptRow>,
    ) -> &[TranscriptRow] {
        let laid = self.shelf.cards.entry(at).or_insert_with(|| LaidPiece {
            version: Version { revision: u64::MAX, ..Version::default() },
            rows: Vec::new(),
        });
        if laid.version != version {
            let growing = self.growing.as_ref().filter(|growing| growing.id == at.0);
            *laid = LaidPiece { version, rows: lay(self.shelf.messages.get(&at.0), growing) };
            self.work += 1;
        }
        &laid.rows
    }

    /// Numbers the links in the window: a link has one number, in all of its rows, from frame to frame.
    pub(super) fn number_links(&mut self) {
        let mut in_sight = BTreeMap::new();
        for (row, spot) in self.window.rows.iter_mut().zip(&self.window.spots) {
            for span in &mut row.line.spans {
                let Some(Tag::Link(own)) = tag_of(span.style) else { continue };
                span.style.underline_color = None;
                let Some((_, address)) = row.links.iter().find(|(number, _)| *number == own) else {
                    continue;
                };
                let link = (spot.card, spot.piece, own, Arc::clone(address));
                let known = in_sight.get(&link).or_else(|| self.links.get(&link)).copied();
                let number = known.unwrap_or_else(|| {
                    let is_taken =
                        |number| in_sight.values().chain(self.links.values()).any(|n| *n == number);
                    while {
                        self.last_link = (self.last_link + 1) % MOST_LINKS;
                        is_taken(self.last_link)
                    } {}
                    self.last_link
                });
                in_sight.insert(link, number);
                span.style = tagged(span.style, Tag::Link(number));
            }
        }
        self.links = in_sight;
    }

    /// Where the links of the last frame lead, by the numbers that their cells are tagged with.
    pub fn links(&self) -> BTreeMap<u32, Arc<str>> {
        self.links.iter().map(|((.., address), number)| (*number, Arc::clone(address))).collect()
    }

    /// How many pieces of cards were laid out so far: what it costs to show them.
    pub const fn work(&self) -> usize {
        self.work
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
        layouts.growing = Some(Growing::new(id));
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
