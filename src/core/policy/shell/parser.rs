//! The place in the line, and what has been found so far.

use std::ops::Range;

use super::Command;
use super::parts::{GivenText, HereDocument, PipedInto, Redirection};

/// How deep groups, substitutions and wrappers may nest.
const MOST_DEPTH: usize = 24;

/// Why a line cannot be read with certainty.
#[derive(Debug)]
pub(super) struct Unsure(pub(super) &'static str);

/// What was read, or that it could not be.
pub(super) type Read<T> = Result<T, Unsure>;

/// A continuation in the midst of a token.
pub(super) const SPLIT: Unsure = Unsure("a backslash at the end of a line splits a word or an operator");

/// Reads one text; texts inside of it (backquotes, `sh -c`) get a parser of their own.
pub(super) struct Parser<'t> {
    text: &'t [char],
    pub(super) at: usize,
    depth: usize,
    /// Inside of a substitution, where older shells read comments and here-documents in their own way.
    pub(super) is_substituted: bool,
    /// Here-documents whose bodies begin after the next newline.
    pub(super) pending: Vec<HereDocument>,
    pub(super) commands: Vec<Command>,
    pub(super) redirections: Vec<Redirection>,
    /// Each variable that gets a value, and the value if the text tells it.
    pub(super) assigned: Vec<(String, Option<String>)>,
    /// Texts in the line that commands are given on their standard input.
    pub(super) given: Vec<GivenText>,
    /// Commands that a pipe or a redirection leads to, and what comes in that way.
    pub(super) piped: Vec<PipedInto>,
    /// The functions of the line, each with the places of the commands in its body.
    pub(super) functions: Vec<(String, Range<usize>)>,
    /// Whether a part may run more than once: in a loop or a function.
    pub(super) repeats: bool,
    /// How often a file, or another descriptor, has taken the place of a standard input, or was opened for reading beside it.
    pub(super) inputs: usize,
    /// Whether something has done so for all that follows: `exec < x`.
    pub(super) is_refilled: bool,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t [char]) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
            is_substituted: false,
            pending: Vec::new(),
            commands: Vec::new(),
            redirections: Vec::new(),
            assigned: Vec::new(),
            given: Vec::new(),
            piped: Vec::new(),
            functions: Vec::new(),
            repeats: false,
            inputs: 0,
            is_refilled: false,
        }
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    pub(super) fn next_char(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    pub(super) fn starts_with(&self, token: &str) -> bool {
        token.chars().enumerate().all(|(ahead, c)| self.peek_at(ahead) == Some(c))
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let is_there = self.starts_with(token);
        if is_there {
            self.at += token.chars().count();
        }
        is_there
    }

    /// The text between two places.
    pub(super) fn between(&self, start: usize, end: usize) -> String {
        self.text.get(start..end).unwrap_or_default().iter().collect()
    }

    /// One level further in; too deep is not read.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth >= MOST_DEPTH {
            return Err(Unsure("it nests too deeply"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Reads another text with a parser of its own; what it finds is found here.
    pub(super) fn inside(
        &mut self,
        text: &str,
        is_substituted: bool,
        read: impl FnOnce(&mut Parser<'_>) -> Read<()>,
    ) -> Read<()> {
        if self.depth >= MOST_DEPTH {
            return Err(Unsure("it nests too deeply"));
        }
        let text: Vec<char> = text.chars().collect();
        let mut inner = Parser::new(&text);
        inner.depth = self.depth + 1;
        inner.is_substituted = is_substituted;
        let result = read(&mut inner);
        let Parser {
            commands,
            redirections,
            assigned,
            given,
            piped,
            functions,
            repeats,
            inputs,
            is_refilled,
            ..
        } = inner;
        let before = self.commands.len();
        self.commands.extend(commands);
        self.redirections.extend(redirections);
        self.assigned.extend(assigned);
        self.given.extend(given);
        self.piped.extend(piped);
        let moved = |body: Range<usize>| before + body.start..before + body.end;
        self.functions.extend(functions.into_iter().map(|(name, body)| (name, moved(body))));
        self.repeats |= repeats;
        self.inputs += inputs;
        self.is_refilled |= is_refilled;
        result
    }

    /// Blanks, continued lines and comments before a token.
    pub(super) fn skip_blanks(&mut self) -> Read<()> {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.peek_at(1) == Some('\n') => {
                    let before = self.at.checked_sub(1).and_then(|at| self.text.get(at));
                    if !matches!(before, None | Some(' ' | '\t' | '\n')) {
                        return Err(SPLIT);
                    }
                    self.at += 2;
                }
                Some('#') => {
                    if self.is_substituted {
                        return Err(Unsure("a comment is inside a substitution"));
                    }
                    while self.peek().is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Blanks and newlines, with the bodies of here-documents that begin after them.
    pub(super) fn skip_lines(&mut self) -> Read<()> {
        loop {
            self.skip_blanks()?;
            if self.peek() != Some('\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    pub(super) fn newline(&mut self) -> Read<()> {
        self.at += 1;
        for document in std::mem::take(&mut self.pending) {
            self.body(&document)?;
        }
        Ok(())
    }

    /// A newline inside of quotes while a here-document waits: shells differ in where its body begins.
    pub(super) fn quoted_newline(&self) -> Read<()> {
        if self.pending.is_empty() {
            Ok(())
        } else {
            Err(Unsure("a quoted text runs past the line on which a here-document begins"))
        }
    }
}
