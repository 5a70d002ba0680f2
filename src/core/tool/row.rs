//! A row of what a command wrote or of its terminal: its text, in runs of cells that look alike.

/// One row. Runs that look alike are joined: a row without colours is one run, an empty row has none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    text: String,
    /// Where each run ends, in bytes of the text, and what it looks like. No two neighbours look alike.
    runs: Vec<(usize, CellStyle)>,
}

/// What a program asked its terminal to make of some cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CellStyle {
    /// The colour of the letters.
    pub foreground: Colour,
    /// What is behind them.
    pub background: Colour,
    /// How heavy they are.
    pub weight: Weight,
    /// Slanted.
    pub italic: bool,
    /// With a line below.
    pub underline: bool,
    /// Foreground and background change places.
    pub inverse: bool,
}

/// A colour, as a program names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colour {
    /// What the terminal has where none is named.
    #[default]
    Default,
    /// One of the 256, of which the first sixteen are the terminal's own.
    Palette(u8),
    /// Red, green, blue.
    Exact([u8; 3]),
}

/// How heavy letters are; a terminal has them one way or the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Weight {
    /// As usual.
    #[default]
    Normal,
    /// Heavier, or brighter.
    Bold,
    /// Fainter.
    Dim,
}

impl CellStyle {
    /// Whether a blank of this look is seen.
    pub fn shows_on_blanks(&self) -> bool {
        self.background != Colour::Default || self.inverse || self.underline
    }
}

impl Row {
    /// Adds text at the end; to the last run, if it looks like that.
    pub fn push(&mut self, text: &str, look: CellStyle) {
        if text.is_empty() {
            return;
        }
        self.text.push_str(text);
        let end = self.text.len();
        match self.runs.last_mut() {
            Some((until, last)) if *last == look => *until = end,
            _ => self.runs.push((end, look)),
        }
    }

    /// Adds another row at the end.
    pub fn join(&mut self, other: &Self) {
        other.runs().for_each(|(text, look)| self.push(text, look));
    }

    /// All of its text, without looks.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Its text from left to right, in pieces that look alike.
    pub fn runs(&self) -> impl Iterator<Item = (&str, CellStyle)> {
        let begins = std::iter::once(0).chain(self.runs.iter().map(|(end, _)| *end));
        begins.zip(&self.runs).filter_map(|(begin, (end, look))| Some((self.text.get(begin..*end)?, *look)))
    }
}

impl From<&str> for Row {
    fn from(text: &str) -> Self {
        let mut row = Self::default();
        row.push(text, CellStyle::default());
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_alike_is_one_run() {
        let red = CellStyle { foreground: Colour::Palette(1), ..CellStyle::default() };
        let mut row = Row::default();
        assert_eq!(row.runs().count(), 0);
        for (text, look) in [
            ("pl", CellStyle::default()),
            ("ain ", CellStyle::default()),
            ("", red),
            ("漢", red),
            ("字", red),
            (".", CellStyle::default()),
        ] {
            row.push(text, look);
        }
        let runs: Vec<_> = row.runs().collect();
        assert_eq!(runs, [("plain ", CellStyle::default()), ("漢字", red), (".", CellStyle::default())]);
        assert_eq!(row.text(), "plain 漢字.");
        assert_eq!(Row::from("plain").runs().collect::<Vec<_>>(), [("plain", CellStyle::default())]);
        assert_eq!(Row::from(""), Row::default());
    }
}
