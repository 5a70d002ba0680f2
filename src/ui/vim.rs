//! A vim mode for the composer: the motions and operators that hands remember, and no more.
//!
//! Esc while something runs interrupts and leaves the mode as it is: that Esc interrupts at any moment is promised to
//! everybody. While nothing runs, Esc goes from inserting to commands.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::CursorMove;

use super::composer::Composer;

/// What a letter is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Mode {
    /// There is no vim mode.
    #[default]
    Off,
    Insert,
    Normal,
    /// Selecting since this row and column.
    Visual(usize, usize),
}

/// The state of the vim mode.
#[derive(Debug, Clone, Default)]
pub struct Vim {
    mode: Mode,
    count: Option<usize>,
    /// `g`, or an operator that waits for its motion.
    pending: Option<char>,
    /// What was deleted or copied last; whole lines end with a newline.
    yanked: String,
}

/// The most repetitions that are taken for meant.
const MOST: usize = 999;

impl Vim {
    /// A vim mode that begins with inserting, or none.
    #[must_use]
    pub fn new(on: bool) -> Self {
        Self { mode: if on { Mode::Insert } else { Mode::Off }, ..Self::default() }
    }

    /// The word for the border.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        match self.mode {
            Mode::Off => None,
            Mode::Insert => Some("insert"),
            Mode::Normal => Some("normal"),
            Mode::Visual(..) => Some("visual"),
        }
    }

    /// Esc, while there is nothing to interrupt.
    pub fn escape(&mut self, composer: &mut Composer) {
        (self.count, self.pending) = (None, None);
        match self.mode {
            Mode::Off | Mode::Normal => {}
            Mode::Insert => {
                self.mode = Mode::Normal;
                if at(composer).1 > 0 {
                    composer.left();
                }
            }
            Mode::Visual(..) => self.leave_visual(composer),
        }
    }

    /// Takes a key that edits, unless it is typed into the text.
    pub fn takes(&mut self, composer: &mut Composer, key: KeyEvent) -> bool {
        if matches!(self.mode, Mode::Off | Mode::Insert) {
            return false;
        }
        let held = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
        composer.note();
        match (key.code, held) {
            (KeyCode::Char('r'), KeyModifiers::CONTROL) => composer.redo(),
            (KeyCode::Backspace, _) => Self::motion(composer, 'h', 1),
            (KeyCode::Char(c), KeyModifiers::NONE) => self.letter(composer, c),
            _ => return false,
        }
        self.stay_on_a_character(composer);
        true
    }

    fn letter(&mut self, composer: &mut Composer, c: char) {
        if let Some(digit) = c.to_digit(10).filter(|digit| *digit > 0 || self.count.is_some()) {
            let count = self.count.unwrap_or(0) * 10 + usize::try_from(digit).unwrap_or(0);
            self.count = Some(count.min(MOST));
            return;
        }
        let pending = self.pending.take();
        if pending.is_none() && (c == 'g' || (matches!(c, 'd' | 'c' | 'y') && self.mode == Mode::Normal)) {
            self.pending = Some(c);
            return;
        }
        let count = self.count.take();
        let times = count.unwrap_or(1);
        match (pending, self.mode) {
            (Some('g'), _) if c == 'g' => composer.go(CursorMove::Top),
            (Some('g'), _) => {}
            (Some(operator), _) if operator == c => self.lines(composer, operator, times),
            (Some(operator), _) => self.over(composer, operator, c, times),
            (None, Mode::Visual(row, col)) => self.selected(composer, c, times, (row, col)),
            (None, _) => self.command(composer, c, times),
        }
    }

    /// Moves; letters that are no motion do nothing.
    fn motion(composer: &mut Composer, c: char, times: usize) {
        for _ in 0..times {
            match c {
                'h' if at(composer).1 > 0 => composer.left(),
                'l' | ' ' if at(composer).1 < length(composer) => composer.right(),
                'j' => composer.go(CursorMove::Down),
                'k' => composer.go(CursorMove::Up),
                'w' => composer.go(CursorMove::WordForward),
                'b' => composer.go(CursorMove::WordBack),
                'e' => composer.go(CursorMove::WordEnd),
                '0' | '^' => composer.go(CursorMove::Head),
                '$' => composer.go(CursorMove::End),
                'G' => composer.go(CursorMove::Bottom),
                _ => {}
            }
        }
    }

    fn command(&mut self, composer: &mut Composer, c: char, times: usize) {
        let mut insert = true;
        match c {
            'i' => {}
            'a' => Self::motion(composer, 'l', 1),
            'I' => composer.go(CursorMove::Head),
            'A' => composer.go(CursorMove::End),
            'o' => {
                composer.go(CursorMove::End);
                composer.newline();
            }
            'O' => {
                composer.go(CursorMove::Head);
                composer.newline();
                composer.go(CursorMove::Up);
            }
            'C' => self.over(composer, 'c', '$', 1),
            _ => insert = false,
        }
        if insert {
            self.mode = Mode::Insert;
            return;
        }
        match c {
            'x' => self.over(composer, 'd', 'l', times),
            'D' => self.over(composer, 'd', '$', 1),
            'p' => self.put(composer, times),
            'u' => {
                for _ in 0..times {
                    composer.undo();
                }
            }
            'v' => {
                let (row, col) = at(composer);
                self.mode = Mode::Visual(row, col);
                composer.area_mut().start_selection();
            }
            _ => Self::motion(composer, c, times),
        }
    }

    /// An operator over a motion inside a line.
    fn over(&mut self, composer: &mut Composer, operator: char, motion: char, times: usize) {
        // As in vim, `cw` leaves the space behind the word.
        let motion = if (operator, motion) == ('c', 'w') { 'e' } else { motion };
        if !matches!(motion, 'h' | 'l' | ' ' | 'w' | 'b' | 'e' | '0' | '^' | '$') {
            return;
        }
        let from = at(composer);
        Self::motion(composer, motion, times);
        let to = at(composer);
        self.operate(composer, operator, (from.min(to), from.max(to)), motion == 'e');
    }

    fn selected(&mut self, composer: &mut Composer, c: char, times: usize, since: (usize, usize)) {
        let here = at(composer);
        match c {
            'v' => self.leave_visual(composer),
            'd' | 'x' | 'y' | 'c' => {
                self.leave_visual(composer);
                let operator = if c == 'x' { 'd' } else { c };
                self.operate(composer, operator, (since.min(here), since.max(here)), true);
            }
            _ => Self::motion(composer, c, times),
        }
    }

    /// Copies or cuts from one place to another; `whole`: with the character at the end.
    fn operate(
        &mut self,
        composer: &mut Composer,
        operator: char,
        (from, to): ((usize, usize), (usize, usize)),
        whole: bool,
    ) {
        go(composer, to);
        if whole && to.1 < length(composer) {
            composer.right();
        }
        let end = at(composer);
        go(composer, from);
        composer.area_mut().start_selection();
        go(composer, end);
        if operator == 'y' {
            composer.area_mut().copy();
            composer.area_mut().cancel_selection();
            go(composer, from);
        } else {
            composer.area_mut().cut();
        }
        self.yanked = composer.area().yank_text();
        if operator == 'c' {
            self.mode = Mode::Insert;
        }
    }

    /// An operator over whole lines.
    fn lines(&mut self, composer: &mut Composer, operator: char, times: usize) {
        let (row, _) = at(composer);
        let count = composer.area().lines().len();
        let last = (row + times).min(count) - 1;
        let text: Vec<String> = composer.area().lines().iter().take(last + 1).skip(row).cloned().collect();
        let here = at(composer);
        if operator != 'y' {
            go(composer, (last, usize::MAX));
            composer.go(CursorMove::End);
            let end = at(composer);
            go(composer, (row, 0));
            composer.area_mut().start_selection();
            go(composer, end);
            composer.area_mut().cut();
        }
        match operator {
            'c' => self.mode = Mode::Insert,
            'd' if last + 1 < count => drop_joint(composer, false),
            'd' if row > 0 => drop_joint(composer, true),
            'y' => go(composer, here),
            _ => {}
        }
        self.yanked = text.join("\n") + "\n";
    }

    /// Puts what was deleted or copied last after the cursor, whole lines below its line.
    fn put(&self, composer: &mut Composer, times: usize) {
        for _ in 0..times {
            match self.yanked.strip_suffix('\n') {
                Some(lines) => {
                    composer.go(CursorMove::End);
                    composer.newline();
                    composer.paste(lines);
                }
                None => {
                    Self::motion(composer, 'l', 1);
                    composer.paste(&self.yanked);
                }
            }
        }
    }

    fn leave_visual(&mut self, composer: &mut Composer) {
        composer.area_mut().cancel_selection();
        self.mode = Mode::Normal;
    }

    /// Outside of inserting the cursor stands on a character, not behind the last one.
    fn stay_on_a_character(&self, composer: &mut Composer) {
        let (_, col) = at(composer);
        if self.mode == Mode::Normal && col > 0 && col >= length(composer) {
            composer.left();
        }
    }
}

/// Removes the end of the line that became empty, and stands at the beginning of a line.
fn drop_joint(composer: &mut Composer, before: bool) {
    if before {
        composer.area_mut().delete_char();
    } else {
        composer.area_mut().delete_next_char();
    }
    composer.go(CursorMove::Head);
}

fn at(composer: &Composer) -> (usize, usize) {
    let cursor = composer.area().cursor();
    (cursor.0, cursor.1)
}

fn go(composer: &mut Composer, (row, col): (usize, usize)) {
    let near = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    composer.go(CursorMove::Jump(near(row), near(col)));
}

/// Characters of the cursor's line.
fn length(composer: &Composer) -> usize {
    composer.area().lines().get(at(composer).0).map_or(0, |line| line.chars().count())
}

#[cfg(test)]
mod tests {
    use super::super::composer::plain;
    use super::*;

    /// Types keys as a person does: `!` is Esc, `^` is ctrl-r, everything else itself.
    fn after(text: &str, keys: &str) -> (String, &'static str) {
        let (mut composer, mut vim) = (Composer::default(), Vim::new(true));
        composer.paste(text);
        for c in keys.chars() {
            match c {
                '!' => vim.escape(&mut composer),
                '^' => assert!(
                    vim.takes(&mut composer, KeyEvent::new(KeyCode::Char('r'), KeyModifiers::CONTROL))
                ),
                c => {
                    let key = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
                    if !vim.takes(&mut composer, key) {
                        composer.insert(c);
                    }
                }
            }
        }
        // Where the cursor stands is part of what is tested.
        composer.insert('|');
        (composer.shown(), vim.word().unwrap())
    }

    #[test]
    fn motions_operators_and_counts() {
        for (text, keys, shown, word) in [
            ("one", "!", "on|e", "normal"),
            ("one", " more", "one more|", "insert"),
            ("one two three", "!0w", "one |two three", "normal"),
            ("one two three", "!02w", "one two |three", "normal"),
            ("one two three", "!b", "one two |three", "normal"),
            ("one two three", "!0e", "on|e two three", "normal"),
            ("one two", "!0$", "one tw|o", "normal"),
            ("one two", "!0x", "|ne two", "normal"),
            ("one two", "!03x", "| two", "normal"),
            ("one two", "!0dw", "|two", "normal"),
            ("one two", "!0cwsix!", "si|x two", "normal"),
            ("one two", "!0wD", "one| ", "normal"),
            ("one two", "!0wCsix", "one six|", "insert"),
            ("one two", "!Izero ", "zero |one two", "insert"),
            ("one two", "!0Ax", "one twox|", "insert"),
            ("one two", "!0ax", "ox|ne two", "insert"),
            ("a\nb\nc", "!gg", "|a\nb\nc", "normal"),
            ("a\nb\nc", "!ggG", "a\nb\n|c", "normal"),
            ("a\nb\nc", "!kdd", "a\n|c", "normal"),
            ("a\nb\nc", "!dd", "a\n|b", "normal"),
            ("a\nb\nc", "!gg2dd", "|c", "normal"),
            ("a\nb\nc", "!ggyyp", "a\n|a\nb\nc", "normal"),
            ("a\nb", "!ggccnew", "new|\nb", "insert"),
            ("a\nb", "!ggox", "a\nx|\nb", "insert"),
            ("a\nb", "!Ox", "a\nx|\nb", "insert"),
            ("one two", "!0vey$p", "one twoon|e", "normal"),
            ("one two", "!0wvbd", "|wo", "normal"),
            ("one two", "!0ve!", "on|e two", "normal"),
            ("one two", "!0xu", "|one two", "normal"),
            ("one two", "!0xu^", "|ne two", "normal"),
            ("one two", "!0diw", "one |two", "normal"),
            ("", "!xdd", "|", "normal"),
        ] {
            let (found, mode) = after(text, keys);
            assert_eq!((found.as_str(), mode), (shown, word), "{text:?} {keys}");
        }
    }

    #[test]
    fn a_folded_paste_is_one_character() {
        let (chip, lines) = ("[Pasted 30 lines]", "line\n".repeat(30));
        for (keys, shown) in [("!x", "|".to_owned()), ("!i", format!("|{chip}")), ("!0a", format!("{chip}|"))]
        {
            assert_eq!(plain(&after(&lines, keys).0), shown, "{keys}");
        }
    }

    #[test]
    fn without_it_every_letter_is_typed() {
        let (mut composer, mut vim) = (Composer::default(), Vim::default());
        vim.escape(&mut composer);
        let key = KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE);
        assert!(!vim.takes(&mut composer, key) && vim.word().is_none());
    }
}
