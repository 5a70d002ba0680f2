//! Where the window on the transcript is, and what is being read in it.

use crate::view::CardId;

/// Where the transcript's window is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scroll {
    /// The first row of the window; `None` follows the end.
    pub top: Option<Position>,
    /// Rows to move by in the next frame, which alone knows how high the cards are.
    pub wish: i32,
    /// How many cards there were when the end was last in sight.
    pub seen: usize,
    /// A card that the next frame must bring into sight.
    pub reveal: Option<CardId>,
    /// A card of which the next frame must bring the name of the host into sight that a key would allow; where it has more rows than the
    /// window, from this one on.
    pub names_host: Option<(CardId, usize)>,
    /// Where the words stand that a search shows.
    pub found: Option<FoundWords>,
    /// What stands in the first row while the window is held, however often lines are broken anew.
    pub anchor: Option<Anchor>,
    /// Changes of the last card when the end was last in sight.
    pub seen_revision: u64,
}

/// Words that were found: their card, the piece of it, and how often they stand in that before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundWords {
    /// The card.
    pub card: CardId,
    /// The piece of it.
    pub piece: usize,
    /// How many of them stand before these in the piece.
    pub nth: usize,
}

/// What is being read: a card, and a place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// The card.
    pub card: CardId,
    /// The card's revision when the place was taken.
    pub revision: u64,
    /// The piece of it: pieces are the same at every width.
    pub piece: usize,
    /// The place in that.
    pub mark: Mark,
    /// The first row of the window that it came to last; `None` while the end is in sight only because the window
    /// became larger.
    pub top: Option<Position>,
    /// How many cards there were, and the changes of the last one, when it was last looked at.
    pub session: (usize, u64),
}

/// A place in a piece of a card, in characters that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Whether it is in the part that folds; each part counts for itself.
    pub folds: bool,
    /// Characters before it.
    pub read: usize,
    /// Characters in all.
    pub all: usize,
    /// Empty rows between the first row and what is read.
    pub blank: usize,
}

/// A row of the transcript, named by its card and piece: what is above may be of unknown height.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// Which card.
    pub card: usize,
    /// Which piece of it.
    pub piece: usize,
    /// Which row of that; the empty one before a card is in its first piece.
    pub row: usize,
}
