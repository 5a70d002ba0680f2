//! A command as a line says it.

use super::names::base;
use super::parts::Word;

/// One simple command, or one assignment that stands alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Assignments before the command that are not known to be harmless.
    pub environment: Vec<Word>,
    /// Name and arguments; empty for an assignment.
    pub words: Vec<Word>,
    /// Whether it only starts another command, which is in the list too.
    pub is_wrapper: bool,
}

impl Command {
    /// The name as the shell will see it; `None` when only the shell will know.
    pub fn name(&self) -> Option<String> {
        self.words.first().and_then(Word::literal)
    }

    /// The name without folders: `rm` of `/bin/rm`.
    pub fn program(&self) -> Option<String> {
        self.name().map(|name| base(&name).to_owned())
    }

    /// The arguments.
    pub fn arguments(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }
}
