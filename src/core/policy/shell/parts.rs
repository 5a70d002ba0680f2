//! What lines are made of: words, redirections, here-documents.

use std::sync::Arc;

/// Stands in a text for what only the shell will know. It cannot be in a line that was read.
pub(in crate::policy) const HOLE: char = '\u{e000}';

/// A stretch of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WordPiece {
    /// These very characters, quotes removed.
    Text(String),
    /// A character that stands for names of files.
    Glob(char),
    /// A variable, a substitution, a brace expansion, a home folder.
    Hole {
        /// Whether it can become several words, or none.
        splits: bool,
        /// Where the text comes from.
        of: HoleSource,
    },
}

/// Where the text in a hole comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HoleSource {
    /// A variable, as it is.
    Variable(String),
    /// A number.
    Number,
    /// Another program hands it on as a word: no shell looks for patterns in it.
    Given,
    /// A home folder.
    Home,
    /// Something else: what a command prints, an argument of the shell, a list in braces.
    Unknown,
}

/// One word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// As written.
    pub raw: String,
    /// What it is made of; empty for `''`.
    pub pieces: Vec<WordPiece>,
}

impl Word {
    /// Exactly what the program will be given, or `None` if the text does not tell.
    pub fn literal(&self) -> Option<String> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                WordPiece::Text(part) => text.push_str(part),
                WordPiece::Glob(_) | WordPiece::Hole { .. } => return None,
            }
        }
        Some(text)
    }

    /// The text with [`HOLE`] for what is not known. Of a list in brackets nobody knows where it ends: up to the next
    /// slash it is a part of the hole.
    pub(in crate::policy) fn with_holes(&self) -> String {
        let mut text = String::new();
        let mut in_brackets = false;
        for piece in &self.pieces {
            match piece {
                WordPiece::Text(part) if in_brackets => {
                    if let Some(rest) = part.find('/').and_then(|at| part.get(at..)) {
                        text.push_str(rest);
                        in_brackets = false;
                    }
                }
                WordPiece::Text(part) => text.push_str(part),
                WordPiece::Glob(sign) => {
                    in_brackets |= *sign == '[';
                    text.push(HOLE);
                }
                WordPiece::Hole { .. } => text.push(HOLE),
            }
        }
        text
    }

    /// Whether the shell may make no word or several of it.
    pub(in crate::policy) fn may_split(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, WordPiece::Glob(_) | WordPiece::Hole { splits: true, .. }))
    }

    /// A word that only the shell will know.
    pub(super) fn unknown() -> Self {
        Self { raw: "…".to_owned(), pieces: vec![WordPiece::Hole { splits: true, of: HoleSource::Given }] }
    }

    /// A variable that gets a value which only the shell will know.
    pub(super) fn assigned(name: &str) -> Self {
        let pieces = vec![
            WordPiece::Text(format!("{name}=")),
            WordPiece::Hole { splits: false, of: HoleSource::Unknown },
        ];
        Self { raw: format!("{name}=…"), pieces }
    }

    /// A word of these characters.
    pub(super) fn of(text: &str) -> Self {
        Self { raw: text.to_owned(), pieces: vec![WordPiece::Text(text.to_owned())] }
    }
}

/// What a redirection does to the file that it opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// `<`, and `<>` beside that it writes
    Reads,
    /// `>`, `>>`, `>|`, `&>`, `>&`, `<>`
    Writes,
}

/// A file that the shell itself opens; one that it opens for both is there twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    /// What it does to the file.
    pub access: Access,
    /// The file.
    pub target: Word,
}

/// A text in the line that a command is given on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenText {
    /// The text, expansions as they are written or as holes.
    pub text: String,
    /// The words of the command; empty where it is given to a group of commands.
    pub to: Vec<String>,
    /// Whether a pipe takes what that command makes of it to another one.
    pub is_piped: bool,
}

/// A command that a pipe leads to, or a redirection of its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipedInto {
    /// Its words.
    pub words: Vec<String>,
    /// What comes in that way, with holes for what the line does not tell.
    pub text: Arc<str>,
}

/// A here-document whose body is still to come.
pub(super) struct HereDocument {
    /// The words of the command that it is for.
    pub(super) to: Vec<String>,
    pub(super) is_piped: bool,
    pub(super) delimiter: String,
    pub(super) is_literal: bool,
    pub(super) strips_tabs: bool,
}
