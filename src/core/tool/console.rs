//! What a command wrote, line by line as a terminal would show it: with colours, carriage returns and erased parts obeyed
//! within the line, and every other sequence taken out.

use unicode_width::UnicodeWidthChar as _;

use super::sequence::{Sequence, SequencePart};
use super::{CellStyle, Row};

/// Cells and marks of a line that may still be written over. What a longer one begins with is given away before it ends.
const MOST: usize = 4_096;

/// Columns between tab stops.
const TAB: usize = 8;

/// Reads what a command writes, in pieces that may end anywhere. Keeps one line, the one that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Console {
    sequence: Sequence,
    look: CellStyle,
    /// A line that only grew, of plain letters that all look the same: it needs no cells yet, and there are none.
    plain: String,
    cells: Vec<Cell>,
    /// Where the next character stands.
    column: usize,
    /// Marks on the characters of the line.
    marks: usize,
    /// Something in it was written over or erased.
    is_changed: bool,
}

/// A cell of the line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Cell {
    /// What begins in it; `None` in the cells that a wide character or a tab takes after its first.
    begins: Option<char>,
    /// Marks on that.
    marks: String,
    look: CellStyle,
}

impl Cell {
    fn blank(look: CellStyle) -> Self {
        Self { begins: Some(' '), marks: String::new(), look }
    }

    fn is_blank(&self) -> bool {
        matches!(self.begins, Some(' ' | '\t') | None)
            && self.marks.is_empty()
            && !self.look.shows_on_blanks()
    }
}

impl Console {
    /// Takes in a piece. `told` hears the rows that nothing changes any more, each with whether its line ends there; a
    /// line that does not is gone on with by the next row.
    pub fn push(&mut self, piece: &str, mut told: impl FnMut(Row, bool)) {
        let mut rest = piece;
        while !rest.is_empty() {
            if self.sequence == Sequence::None {
                let plain = rest.bytes().position(|byte| (byte < b' ' && byte != b'\t') || byte == 0x7f);
                let (text, more) = rest.split_at_checked(plain.unwrap_or(rest.len())).unwrap_or((rest, ""));
                rest = more;
                // A line of which there is nothing to change needs no cells. Whether it is read so must not depend on
                // where pieces end: a short one is never given away in parts.
                if self.is_new() && more.starts_with('\n') && text.len() < MOST / TAB {
                    let mut row = Row::default();
                    row.push(text, self.look);
                    told(row, true);
                    rest = more.get(1..).unwrap_or_default();
                    continue;
                }
                self.write_all(text, &mut told);
            }
            let mut characters = rest.chars();
            let Some(character) = characters.next() else { return };
            rest = characters.as_str();
            self.take(character, &mut told);
        }
    }

    /// Whether nothing was written in the line, nor is anything to be seen of what was.
    fn is_new(&self) -> bool {
        self.plain.is_empty() && self.cells.is_empty() && self.column == 0 && !self.is_changed
    }

    /// Writes text without controls.
    fn write_all(&mut self, mut text: &str, told: &mut impl FnMut(Row, bool)) {
        while !text.is_empty() {
            let length = text.bytes().take(MOST).take_while(|byte| matches!(byte, b' '..=b'~')).count();
            if length > 0 && (self.is_new() || !self.plain.is_empty()) {
                if self.plain.len() == MOST {
                    told(self.row(), false);
                    self.clear();
                }
                let (run, rest) =
                    text.split_at_checked(length.min(MOST - self.plain.len())).unwrap_or((text, ""));
                self.plain.push_str(run);
                self.column = self.plain.len();
                text = rest;
                continue;
            }
            let mut characters = text.chars();
            let Some(character) = characters.next() else { return };
            text = characters.as_str();
            self.write(character, told);
        }
    }

    /// Something else than growing comes: the line gets its cells.
    fn spread(&mut self) {
        let look = self.look;
        let letters = std::mem::take(&mut self.plain);
        let cell = |character| Cell { begins: Some(character), marks: String::new(), look };
        self.cells.extend(letters.chars().map(cell));
    }

    /// What stands in the line that is being written; `None` in an empty one.
    pub fn open(&self) -> Option<Row> {
        (!self.cells.is_empty() || !self.plain.is_empty()).then(|| self.row())
    }

    /// The same, which is over now: what comes next begins anew, but within a sequence and in the colours that were chosen.
    pub fn take_open(&mut self) -> Option<Row> {
        let row = self.open();
        self.clear();
        row
    }

    fn take(&mut self, character: char, told: &mut impl FnMut(Row, bool)) {
        if character != '\n' {
            self.spread();
        }
        if self.sequence == Sequence::None {
            return self.obey(character, told);
        }
        match self.sequence.hear(character) {
            SequencePart::Part => {}
            SequencePart::Between => self.obey(character, told),
            SequencePart::Stranger if character.is_control() => self.obey(character, told),
            SequencePart::Stranger => self.write(character, told),
            SequencePart::Looks(numbers) => self.look = numbers.applied(self.look),
            SequencePart::Erases(which) => self.erase(which),
            SequencePart::Column(column) => self.column = usize::from(column - 1).min(self.cells.len()),
        }
    }

    /// A control character; those that say nothing about the line are taken out.
    fn obey(&mut self, character: char, told: &mut impl FnMut(Row, bool)) {
        match character {
            '\n' | '\u{b}' | '\u{c}' => {
                told(self.row(), true);
                self.clear();
            }
            '\r' => self.column = 0,
            '\u{8}' => self.column = self.column.saturating_sub(1),
            '\u{1b}' => self.sequence = Sequence::Escape,
            '\t' | '\u{80}'.. => self.write(character, told),
            _ => {}
        }
    }

    /// Writes a character over what stands in its place.
    fn write(&mut self, character: char, told: &mut impl FnMut(Row, bool)) {
        self.spread();
        // Characters that control terminals of one byte a character are text here, as everywhere.
        let cells = match character {
            '\t' => TAB - self.column % TAB,
            _ => character.width().unwrap_or(1),
        };
        if self.cells.len() + self.marks + cells > MOST {
            told(self.row(), false);
            self.clear();
        }
        if cells == 0 && self.mark(character) {
            return;
        }
        let (from, to) = (self.column, self.column + cells.max(1));
        self.column = to;
        self.fill(if character == '\t' && from < self.cells.len() { to } else { from });
        // A tab that does not stand at the end only moves on.
        if character == '\t' && from < self.cells.len() {
            return;
        }
        self.is_changed |= from < self.cells.len();
        (from..to).for_each(|at| self.part(at));
        for at in from..to {
            let begins = (at == from).then_some(character);
            let cell = Cell { begins, marks: String::new(), look: self.look };
            match self.cells.get_mut(at) {
                Some(place) => *place = cell,
                None => self.cells.push(cell),
            }
        }
    }

    /// Sets a mark on the character before; whether there is one.
    fn mark(&mut self, mark: char) -> bool {
        let before = self.cells.iter_mut().take(self.column).rev().find(|cell| cell.begins.is_some());
        let Some(cell) = before else { return false };
        cell.marks.push(mark);
        self.marks += 1;
        true
    }

    /// Blanks up to a column.
    fn fill(&mut self, column: usize) {
        while self.cells.len() < column {
            self.cells.push(Cell::blank(CellStyle::default()));
        }
    }

    /// What takes several cells, of which this is one, is written over in part: the rest of it is blank.
    fn part(&mut self, at: usize) {
        let is_rest = |cell: Option<&Cell>| cell.is_some_and(|cell| cell.begins.is_none());
        if !is_rest(self.cells.get(at)) && !is_rest(self.cells.get(at + 1)) {
            return;
        }
        let begins = (0..=at).rev().find(|at| !is_rest(self.cells.get(*at))).unwrap_or_default();
        let mut cells = self.cells.iter_mut().skip(begins);
        if let Some(first) = cells.next() {
            *first = Cell::blank(first.look);
        }
        cells.take_while(|cell| cell.begins.is_none()).for_each(|cell| *cell = Cell::blank(cell.look));
    }

    /// From the column on, up to it, or all of the line.
    fn erase(&mut self, which: u16) {
        self.is_changed = true;
        self.part(self.column);
        match which {
            0 => self.cells.truncate(self.column),
            1 => {
                let upto = self.column + 1;
                self.cells.iter_mut().take(upto).for_each(|cell| *cell = Cell::blank(CellStyle::default()));
            }
            2 => self.cells.clear(),
            _ => {}
        }
    }

    fn clear(&mut self) {
        self.plain.clear();
        self.cells.clear();
        (self.column, self.marks, self.is_changed) = (0, 0, false);
    }

    /// The line as it stands. Blanks at the end of one that was changed are what is left of what was erased.
    fn row(&self) -> Row {
        if !self.plain.is_empty() {
            let mut row = Row::default();
            row.push(&self.plain, self.look);
            return row;
        }
        let blanks = match self.is_changed {
            true => self.cells.iter().rev().take_while(|cell| cell.is_blank()).count(),
            false => 0,
        };
        let mut row = Row::default();
        for cell in self.cells.iter().take(self.cells.len() - blanks) {
            if let Some(character) = cell.begins {
                row.push(character.encode_utf8(&mut [0; 4]), cell.look);
                row.push(&cell.marks, cell.look);
            }
        }
        row
    }
}

/// A whole text as a terminal would show it, without looks; `None` where that is the text as it is.
pub fn settled(text: &str) -> Option<String> {
    let (mut console, mut shown) = (Console::default(), String::new());
    console.push(text, |row, ends| {
        shown.push_str(row.text());
        shown.push_str(if ends { "\n" } else { "" });
    });
    shown.push_str(console.take_open().as_ref().map_or("", Row::text));
    (shown != text).then_some(shown)
}

/// The rows of a whole text.
pub fn rows(text: &str) -> Vec<Row> {
    let (mut console, mut rows, mut begun) = (Console::default(), Vec::new(), None::<Row>);
    console.push(text, |row, ends| {
        let line = begun.get_or_insert_default();
        line.join(&row);
        if ends {
            rows.extend(begun.take());
        }
    });
    if let Some(row) = console.take_open() {
        begun.get_or_insert_default().join(&row);
    }
    rows.extend(begun);
    rows
}

#[cfg(test)]
#[path = "console_tests.rs"]
mod tests;
