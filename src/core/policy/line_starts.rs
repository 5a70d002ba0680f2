//! What a line may start, found once for all rules that are compared with it, and only if there is one.

use std::cell::OnceCell;

use super::guessed::Guesses;
use super::shell::Reading;
use super::started::CommandStarts;

/// A line that was read, with what it may start.
pub(super) struct LineStarts<'r> {
    /// The line.
    pub(super) reading: &'r Reading,
    commands: OnceCell<Vec<CommandStarts>>,
    guesses: OnceCell<Guesses>,
}

impl<'r> LineStarts<'r> {
    /// Of this line.
    pub(super) fn of(reading: &'r Reading) -> Self {
        Self { reading, commands: OnceCell::new(), guesses: OnceCell::new() }
    }

    /// What each of its commands surely may start.
    pub(super) fn commands(&self) -> &[CommandStarts] {
        self.commands.get_or_init(|| self.reading.commands.iter().map(CommandStarts::of).collect())
    }

    /// What it may start besides.
    pub(super) fn guesses(&self) -> &Guesses {
        self.guesses.get_or_init(|| Guesses::of(self.reading))
    }
}
