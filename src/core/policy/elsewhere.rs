//! Lines for other shells in a line (`ssh host 'LINE'`, `zsh -c 'LINE'`), read as the line itself is, and the lines in them.

use std::collections::BTreeSet;

use super::effect;
use super::shell::{Command, Reading, Word, is_read_through, read_elsewhere};
use super::started::is_unnamed;
use crate::tool::SideEffect;

/// Of more lines than this nobody says what they start.
const MOST_LINES: usize = 16;

/// What these lines say.
pub(super) struct Elsewhere {
    /// Each line.
    pub(super) readings: Vec<Reading>,
    /// Whether some of what they start has no name that the text tells.
    pub(super) is_hidden: bool,
}

impl Elsewhere {
    /// The lines in this one.
    pub(super) fn of(reading: &Reading) -> Self {
        let mut waiting = lines_of(reading);
        let mut seen = BTreeSet::new();
        let mut readings = Vec::new();
        while let Some(line) = waiting.pop() {
            if seen.contains(&line) {
                continue;
            }
            if readings.len() >= MOST_LINES {
                return Self { readings, is_hidden: true };
            }
            let reading = read_elsewhere(&line);
            seen.insert(line);
            waiting.extend(lines_of(&reading));
            readings.push(reading);
        }
        let hides = |line: &Reading| line.unreadable.is_some() || line.commands.iter().any(is_unnamed);
        let is_hidden = readings.iter().any(hides);
        Self { readings, is_hidden }
    }
}

/// The lines that its commands hand to shells. What a wrapper starts is a command of its own in the reading.
fn lines_of(reading: &Reading) -> Vec<String> {
    let commands = reading.commands.iter().filter(|command| !is_read_through(command));
    commands.flat_map(of_command).filter(|line| !line.trim().is_empty()).collect()
}

fn of_command(command: &Command) -> Vec<String> {
    let program = command.program().unwrap_or_default().to_lowercase();
    if !effect::is_launcher(&program) && effect::of_command(command) == Some(SideEffect::Reads) {
        return Vec::new();
    }
    let words: Vec<String> = command.arguments().iter().map(Word::with_holes).collect();
    effect::lines_elsewhere(&program, &words)
}
