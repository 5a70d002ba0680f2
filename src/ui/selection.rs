//! What the mouse has done so far: where a button went down, what is selected, whether it pulls the window along.

/// A cell of what is shown: rows are counted in their piece of a card, so that it stays where it is while the window moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Point {
    /// Which card; a page is one.
    pub card: usize,
    /// Which piece of it.
    pub piece: usize,
    /// Which row of that; the empty one before a card is in its first piece.
    pub row: usize,
    /// Which cell, from the left edge of what is shown.
    pub col: u16,
}

/// What a selection grows by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    /// What one sees as one character.
    #[default]
    Cell,
    /// A word, wherever rows were broken.
    Word,
    /// A paragraph, or a line of code.
    Paragraph,
}

/// What can be selected from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Surface {
    /// The transcript.
    #[default]
    Transcript,
    /// A page that takes the whole screen.
    Page,
}

/// What rows depend on: once it changes, a row is another row.
pub type Shape = (u16, bool, u64);

/// What is selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    /// Of what.
    pub surface: Surface,
    /// What it grows by.
    pub unit: Unit,
    /// Where the button went down.
    pub from: Point,
    /// Where the mouse was last, on what is shown.
    pub to: Point,
    /// Where it was on the screen, while the button is held.
    pub held: Option<(u16, u16)>,
    /// Its first and its last cell, whole words or paragraphs as it grows by them; none until rows were looked at.
    pub span: Option<(Point, Point)>,
    /// What its rows depended on when they were looked at last.
    pub shape: Option<Shape>,
}

impl Selection {
    /// A selection that begins here, with the button held.
    pub fn begin(surface: Surface, unit: Unit, from: Point, mouse: (u16, u16)) -> Self {
        Self { surface, unit, from, to: from, held: Some(mouse), span: None, shape: None }
    }
}

/// A button that went down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Press {
    /// The cell of the screen.
    pub mouse: (u16, u16),
    /// When, in milliseconds of the wall clock.
    pub at: u64,
    /// How often there, one shortly after the other: up to three times.
    pub count: u8,
    /// What stood there that can be selected.
    pub on: Option<(Surface, Point)>,
    /// Whether it is still down.
    pub is_down: bool,
}

/// The mouse.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pointer {
    /// Where the button went down last.
    pub press: Option<Press>,
    /// What is selected.
    pub selection: Option<Selection>,
    /// Rows by which a drag beyond an edge moves the window, again and again.
    pub pull: i32,
}

impl Pointer {
    /// Nothing is selected any more.
    pub fn let_go(&mut self) {
        self.selection = None;
        self.pull = 0;
    }
}
