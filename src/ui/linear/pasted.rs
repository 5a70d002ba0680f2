//! Lines that came at once at a terminal: one text that was pasted, which is words and never a command or an answer.

use crate::ledger::{Pastes, UserMessage};
use crate::ui::composer::is_long;

use super::line::{Echo, Line};
use super::multiline::{GatheredLine, Multiline};
use super::session::{LinearEffect, LinearSession};
use super::words::count;

/// What is said of a pasted text that would be a command on a line of its own.
const NO_COMMAND: &str = "note: nothing in a paste of several lines is a command; the text is a message";

impl LinearSession {
    /// Whether lines that came together are one message. What comes out of a pipe is read line by line, and so are lines between
    /// quotes. Of lines that are all answers or commands, each is refused by its name: whoever typed them too fast can
    /// type them again.
    pub fn are_one_text(&self, lines: &[Line]) -> bool {
        let is_typed = lines.iter().all(|line| line.echo != Echo::Unseen);
        if lines.len() < 2 || !is_typed || self.gather.is_open() || are_quoted(lines) {
            return false;
        }
        let is_blank = |line: &Line| line.text.trim().is_empty();
        let is_refused = |line: &Line| is_blank(line) || self.does_something(&line.text, line.echo);
        // While words are asked for, every line is refused: then a text is kept whole.
        if self.words.is_some() { !lines.iter().all(is_blank) } else { !lines.iter().all(is_refused) }
    }

    /// Takes lines that came together as one message, with its blank lines.
    pub fn pasted(&mut self, lines: &[Line]) -> Vec<LinearEffect> {
        self.obeyed = None;
        self.quit_armed = false;
        lines.iter().for_each(|line| self.output.typed(&line.text, line.echo));
        let texts: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let text = texts.join("\n");
        let text = text.trim_start_matches('\n').trim_end();
        self.output.say(&format!("pasted: {}, one message", count(text.lines().count() as u64, "line")));
        let pastes = if is_long(text) { Pastes::all(text) } else { Pastes::default() };
        let said = UserMessage { pastes, ..text.into() };
        let typed = lines.iter().map(|line| line.typed).max().unwrap_or_default();
        let effects = self.as_words(&said, typed, NO_COMMAND);
        self.addressed(effects)
    }

    /// The last line of a paste is not ended: nothing is sent before it is.
    pub fn paste_goes_on(&mut self, lines: usize) {
        let ended = count(lines as u64, "line");
        self.output
            .say(&format!("pasted: {ended} and more; Enter sends them as one message, Ctrl-C drops them"));
    }

    /// Ctrl-C before the last line of a paste was ended. `shown`: the terminal has written its ^C.
    pub fn paste_dropped(&mut self, lines: usize, shown: bool) {
        if shown {
            self.output.broken();
        }
        self.output.say(&format!("dropped: {}", count(lines as u64, "line")));
    }
}

/// Whether the text is between quotes, or goes on after the first of them. A text that goes on after the second is none: it only
/// begins with such a pair, as the source of a program may.
fn are_quoted(lines: &[Line]) -> bool {
    let mut gather = Multiline::default();
    for (at, line) in lines.iter().enumerate() {
        match gather.take(&line.text, false) {
            GatheredLine::Part if !gather.joins() => {}
            GatheredLine::Quoted(_) => {
                return lines.iter().skip(at + 1).all(|rest| rest.text.trim().is_empty());
            }
            GatheredLine::Part | GatheredLine::Line(_) | GatheredLine::Joined { .. } => return false,
        }
    }
    true
}
