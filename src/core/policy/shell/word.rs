//! Words: quotes resolved where they are literal, and holes where only the shell will know.

use super::parser::{Parser, Read, SPLIT, Unsure};
use super::parts::{HoleSource, Word, WordPiece};

/// A word as it grows.
#[derive(Default)]
pub(super) struct GrowingWord {
    text: String,
    pieces: Vec<WordPiece>,
    has_brace: bool,
    has_list: bool,
    last_dot: bool,
}

impl GrowingWord {
    pub(super) fn push(&mut self, c: char) {
        self.text.push(c);
    }

    pub(super) fn hole(&mut self, splits: bool, of: HoleSource) {
        self.piece(WordPiece::Hole { splits, of });
    }

    fn piece(&mut self, piece: WordPiece) {
        if !self.text.is_empty() {
            self.pieces.push(WordPiece::Text(std::mem::take(&mut self.text)));
        }
        self.pieces.push(piece);
    }

    /// An unquoted character, of which some may together be a brace expansion.
    fn bare(&mut self, c: char) {
        self.has_brace |= c == '{';
        self.has_list |= c == ',' || (c == '.' && self.last_dot);
        self.last_dot = c == '.';
        self.push(c);
    }

    /// All of it as a text, with holes for what only the shell will know.
    pub(super) fn with_holes(self) -> String {
        self.finish(String::new()).with_holes()
    }

    fn finish(mut self, raw: String) -> Word {
        if !self.text.is_empty() {
            self.pieces.push(WordPiece::Text(std::mem::take(&mut self.text)));
        }
        if self.has_brace && self.has_list {
            let is_plain = !raw.contains(['*', '?', '[', '$', '`']);
            let of = if is_plain { HoleSource::Given } else { HoleSource::Unknown };
            return Word { raw, pieces: vec![WordPiece::Hole { splits: true, of }] };
        }
        // What is put in unquoted may close a bracket.
        let splits = self.pieces.iter().any(|piece| matches!(piece, WordPiece::Hole { splits: true, .. }));
        if !raw.contains(']') && !splits {
            for piece in &mut self.pieces {
                if *piece == WordPiece::Glob('[') {
                    *piece = WordPiece::Text("[".to_owned());
                }
            }
        }
        if raw == "[[" {
            self.pieces = vec![WordPiece::Text(raw.clone())];
        }
        Word { raw, pieces: self.pieces }
    }
}

impl Parser<'_> {
    /// Reads one word; there is at least one character of it.
    pub(super) fn word(&mut self) -> Read<Word> {
        let start = self.at;
        let mut growing = GrowingWord::default();
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')' => break,
                '<' | '>' if self.peek_at(1) != Some('(') => break,
                '<' | '>' if self.at > start => {
                    return Err(Unsure("a process substitution is joined to a word"));
                }
                '<' | '>' => {
                    self.at += 2;
                    let commands = self.commands.len();
                    self.substitution()?;
                    if c == '>' {
                        // What is written to it is what they read.
                        self.fill(commands);
                    }
                    growing.hole(false, HoleSource::Given);
                }
                '\\' if self.peek_at(1) == Some('\n') => {
                    self.word_continues(start)?;
                    break;
                }
                _ => self.part_of_word(c, start, &mut growing)?,
            }
        }
        let raw = self.between(start, self.at);
        if raw.is_empty() {
            return Err(Unsure("a word is missing"));
        }
        if raw.starts_with('{') && matches!(self.peek(), Some('<' | '>')) {
            return Err(Unsure("a redirection assigns a variable"));
        }
        Ok(growing.finish(raw.trim_end_matches("\\\n").to_owned()))
    }

    /// A continued line ends a word only where a blank follows.
    fn word_continues(&mut self, start: usize) -> Read<()> {
        if self.at == start || !matches!(self.peek_at(2), None | Some(' ' | '\t' | '\n')) {
            return Err(SPLIT);
        }
        self.at += 2;
        Ok(())
    }

    fn part_of_word(&mut self, c: char, start: usize, growing: &mut GrowingWord) -> Read<()> {
        let before = self.at.checked_sub(1).map(|at| self.between(at, at + 1));
        let begins = self.at == start || matches!(before.as_deref(), Some("=" | ":"));
        self.at += 1;
        match c {
            '\\' => match self.next_char() {
                Some(quoted) => growing.push(quoted),
                None => return Err(Unsure("it ends in a backslash")),
            },
            '\'' => self.single_quoted(growing)?,
            '"' => self.double_quoted(growing)?,
            '$' => self.dollar(false, growing)?,
            '`' => self.backquoted(false, growing)?,
            '*' | '?' | '[' => growing.piece(WordPiece::Glob(c)),
            '~' if begins => growing.hole(false, HoleSource::Home),
            _ => growing.bare(c),
        }
        Ok(())
    }

    /// After the opening quote, to the closing one.
    fn single_quoted(&mut self, growing: &mut GrowingWord) -> Read<()> {
        loop {
            match self.next_char() {
                None => return Err(Unsure("a quote is not closed")),
                Some('\'') => return Ok(()),
                Some(c) => {
                    if c == '\n' {
                        self.quoted_newline()?;
                    }
                    growing.push(c);
                }
            }
        }
    }

    /// After the opening quote, to the closing one.
    pub(super) fn double_quoted(&mut self, growing: &mut GrowingWord) -> Read<()> {
        loop {
            match self.next_char() {
                None => return Err(Unsure("a quote is not closed")),
                Some('"') => return Ok(()),
                Some('$') => self.dollar(true, growing)?,
                Some('`') => self.backquoted(true, growing)?,
                Some('\\') => match self.next_char() {
                    None => return Err(Unsure("a quote is not closed")),
                    Some('\n') => self.quoted_newline()?,
                    Some(c @ ('$' | '`' | '"' | '\\')) => growing.push(c),
                    Some(c) => {
                        growing.push('\\');
                        growing.push(c);
                    }
                },
                Some('\n') => {
                    self.quoted_newline()?;
                    growing.push('\n');
                }
                Some(c) => growing.push(c),
            }
        }
    }
}
