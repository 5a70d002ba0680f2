//! How the cursor moves: by what people see as one character, and over the name of a folded paste in one step.

use tui_textarea::CursorMove;
use unicode_segmentation::UnicodeSegmentation as _;

use super::super::text;
use super::{Composer, first_cluster, last_cluster};

impl Composer {
    /// Moves one grapheme cluster to the left, or over a folded paste.
    pub fn left(&mut self) {
        let ((row, col), before) = (self.position(), self.before_cursor());
        let name = self.pastes.iter().find(|paste| before.ends_with(&paste.name));
        match name.map(|paste| paste.name.chars().count()) {
            Some(length) => self.jump((row, col.saturating_sub(length))),
            None => {
                for _ in 0..last_cluster(&before).max(1) {
                    self.area.move_cursor(CursorMove::Back);
                }
            }
        }
    }

    /// Moves one grapheme cluster to the right, or over a folded paste.
    pub fn right(&mut self) {
        let ((row, col), after) = (self.position(), self.after_cursor());
        let name = self.pastes.iter().find(|paste| after.starts_with(&paste.name));
        match name.map(|paste| paste.name.chars().count()) {
            Some(length) => self.jump((row, col + length)),
            None => {
                for _ in 0..first_cluster(&after).max(1) {
                    self.area.move_cursor(CursorMove::Forward);
                }
            }
        }
    }

    /// Moves the cursor as the widget does, but never into the name of a folded paste: that is one word.
    pub fn go(&mut self, to: CursorMove) {
        match to {
            CursorMove::WordForward | CursorMove::WordEnd => self.word_forward(to),
            CursorMove::WordBack => self.word_back(),
            _ => {
                let from = self.position();
                self.area.move_cursor(to);
                self.leave_name(from, to);
            }
        }
    }

    /// Puts the cursor at a row and a column of the text as it is wrapped, before what one sees as one character there. In the name
    /// of a folded paste that is its nearer end.
    pub fn put_cursor(&mut self, row: usize, col: usize) {
        let there = self.area.screen_to_data(row, col);
        let mut before = 0;
        for cluster in self.area.lines().get(there.0).map(|line| line.graphemes(true)).into_iter().flatten() {
            let next = before + cluster.chars().count();
            // Marks take no cell: a place between a letter and its mark is one after both.
            let seen: String = cluster.chars().take(there.1.saturating_sub(before)).collect();
            if next > there.1 && text::width(&seen) < text::width(cluster) {
                break;
            }
            before = next;
            if next >= there.1 {
                break;
            }
        }
        let cell = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        self.go(CursorMove::Jump(cell(there.0), cell(before)));
    }

    /// To the next word, or its end; a name is a word, also where it touches another one.
    fn word_forward(&mut self, to: CursorMove) {
        loop {
            let from = self.position();
            self.area.move_cursor(to);
            let here = self.position();
            let stops = (from.0..=here.0).flat_map(|row| self.stops_in(row));
            if let Some(stop) = stops.filter(|stop| from < *stop && *stop < here).min() {
                return self.jump(stop);
            }
            // The widget takes a name for several words.
            if here <= from || self.name_around(here).is_none() {
                return;
            }
        }
    }

    /// To the beginning of the word before the cursor; a name is a word, also where it touches another one.
    fn word_back(&mut self) {
        let ((row, col), before) = (self.position(), self.before_cursor());
        self.area.move_cursor(CursorMove::WordBack);
        let here = self.position();
        let is_crossed = |(_, ends): &(usize, usize)| here < (row, *ends) && *ends <= col;
        let Some((begins, ends)) = self.names_in(row).into_iter().filter(is_crossed).max() else { return };
        let has_word = before.chars().skip(ends).any(|c| !c.is_whitespace());
        self.jump((row, if has_word { ends } else { begins }));
    }

    /// Takes the cursor out of the name of a paste: to its nearer end, but after a move up or down not to where it comes from.
    fn leave_name(&mut self, from: (usize, usize), to: CursorMove) {
        let (row, col) = self.position();
        let Some((begins, ends)) = self.name_around((row, col)) else { return };
        let nearer = if col - begins <= ends - col { begins } else { ends };
        let col = match to {
            CursorMove::Down if (row, nearer) <= from => ends,
            CursorMove::Up if (row, nearer) >= from => begins,
            _ => nearer,
        };
        self.jump((row, col));
    }

    fn jump(&mut self, (row, col): (usize, usize)) {
        let cell = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        self.area.move_cursor(CursorMove::Jump(cell(row), cell(col)));
    }

    /// Where the name begins and ends that this place is in the middle of.
    fn name_around(&self, (row, col): (usize, usize)) -> Option<(usize, usize)> {
        self.names_in(row).into_iter().find(|(begins, ends)| *begins < col && col < *ends)
    }

    /// Where words begin in a line because of names: each name, and what touches the end of one.
    fn stops_in(&self, row: usize) -> Vec<(usize, usize)> {
        let touches = |col: usize| {
            let line = self.area.lines().get(row);
            line.and_then(|line| line.chars().nth(col)).is_some_and(|c| !c.is_whitespace())
        };
        let names = self.names_in(row).into_iter();
        let stops = names.flat_map(|(begins, ends)| [Some(begins), Some(ends).filter(|ends| touches(*ends))]);
        stops.flatten().map(|col| (row, col)).collect()
    }

    /// Where the names of folded pastes begin and end in a line, in characters.
    fn names_in(&self, row: usize) -> Vec<(usize, usize)> {
        let line = self.area.lines().get(row).map(String::as_str).unwrap_or_default();
        let mut names = Vec::new();
        for paste in &self.pastes {
            let length = paste.name.chars().count();
            for (at, _) in line.match_indices(paste.name.as_str()) {
                let begins = line.get(..at).unwrap_or_default().chars().count();
                names.push((begins, begins + length));
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::*;
    use crate::ui::mention::PastedImage;

    /// A composer with the chip of an image, then that of a text, and words around them.
    fn with_chips() -> (Composer, [String; 2]) {
        let mut composer = Composer::default();
        composer.paste("see");
        composer
            .attach(&[PastedImage { mention: "@/a.png".to_owned(), measures: "12×34 · 1 kB".to_owned() }]);
        composer.paste(&"line\n".repeat(30));
        composer.paste("now\nend of it");
        let names = composer.pastes.iter().map(|paste| paste.name.clone()).collect::<Vec<_>>();
        (composer, names.try_into().unwrap())
    }

    /// The text with a sign where the cursor stands after each of these moves.
    fn walked(composer: &mut Composer, steps: usize, step: impl Fn(&mut Composer)) -> Vec<String> {
        let mut places = Vec::new();
        for _ in 0..steps {
            step(composer);
            let mut marked = composer.clone();
            marked.insert('|');
            places.push(plain(&marked.shown()));
        }
        places
    }

    #[test]
    fn a_chip_is_one_step_of_the_cursor() {
        let (image, text) = ("[Image 1 · a.png]", "[Pasted 30 lines]");
        let (mut composer, _) = with_chips();
        assert_eq!(plain(&composer.shown()), format!("see {image} {text}now\nend of it"));
        composer.go(CursorMove::Jump(0, 3));
        let right = walked(&mut composer, 5, Composer::right);
        assert_eq!(
            right,
            [
                format!("see |{image} {text}now\nend of it"),
                format!("see {image}| {text}now\nend of it"),
                format!("see {image} |{text}now\nend of it"),
                format!("see {image} {text}|now\nend of it"),
                format!("see {image} {text}n|ow\nend of it"),
            ]
        );
        let mut left = walked(&mut composer, 4, Composer::left);
        left.reverse();
        assert_eq!(left, right[..4]);
    }

    #[test]
    fn a_chip_is_one_word_of_the_cursor() {
        let (image, text) = ("[Image 1 · a.png]", "[Pasted 30 lines]");
        let (mut composer, _) = with_chips();
        composer.go(CursorMove::Jump(0, 0));
        let places = [
            format!("|see {image} {text}now\nend of it"),
            format!("see |{image} {text}now\nend of it"),
            format!("see {image} |{text}now\nend of it"),
            format!("see {image} {text}|now\nend of it"),
        ];
        let forward = walked(&mut composer, 3, |composer| composer.go(CursorMove::WordForward));
        assert_eq!(forward, places[1..]);
        composer.go(CursorMove::End);
        let mut back = walked(&mut composer, 4, |composer| composer.go(CursorMove::WordBack));
        back.reverse();
        assert_eq!(back, places);
        // As `e` of vim goes: to the last letter of a word, and onto a name.
        let ends = walked(&mut composer, 3, |composer| composer.go(CursorMove::WordEnd));
        assert_eq!(ends[0], format!("se|e {image} {text}now\nend of it"));
        assert_eq!(ends[1..], places[1..3]);
    }

    #[test]
    fn the_cursor_is_never_in_the_middle_of_a_chip() {
        let (mut composer, names) = with_chips();
        let ends = 4 + names[0].chars().count();
        for (col, stands) in [(3, 3), (4, 4), (5, 4), (ends - 1, ends), (ends, ends)] {
            composer.go(CursorMove::Jump(0, u16::try_from(col).unwrap()));
            assert_eq!(composer.position(), (0, stands), "{col}");
        }
        composer.go(CursorMove::Jump(1, 6));
        composer.go(CursorMove::Up);
        assert_eq!(composer.position(), (0, 4), "{}", composer.shown());
        composer.note();
        composer.backspace();
        composer.undo();
        assert_eq!(composer.position(), (0, 4));
    }
}
