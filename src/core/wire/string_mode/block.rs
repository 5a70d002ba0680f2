//! The inside of a fenced call, read character by character up to its closing fence.

use super::object::Nesting;

/// A fenced call.
#[derive(Debug, Clone)]
pub(super) struct FencedCall {
    /// What stands between the fences.
    pub(super) body: String,
    nesting: Nesting,
    /// Backticks in a row at the end; not yet in the body.
    ticks: usize,
    /// Whether the line holds nothing but white space (and those backticks) so far.
    at_line_start: bool,
    /// Whether the opening fence is proof enough. One in the middle of a line is not: its next line
    /// must begin with `{`.
    is_sure: bool,
}

/// What one more character tells about a fenced call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Inside {
    /// It goes on.
    Open,
    /// That was its closing fence.
    Closed,
    /// It was none; the character is still to be looked at.
    Text,
}

impl FencedCall {
    /// After the word of the opening fence.
    pub(super) fn new(is_sure: bool) -> Self {
        Self { body: String::new(), nesting: Nesting::default(), ticks: 0, at_line_start: false, is_sure }
    }

    /// After an object in it that was read already.
    pub(super) fn after(text: String, nesting: Nesting) -> Self {
        let at_line_start = text.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        Self { body: text, nesting, ticks: 0, at_line_start, is_sure: true }
    }

    /// Whether it is a call, even if it should never close.
    pub(super) fn is_sure(&self) -> bool {
        self.is_sure
    }

    /// Takes in one character.
    pub(super) fn push(&mut self, c: char) -> Inside {
        if !self.is_sure {
            match c {
                '{' if self.at_line_start => self.is_sure = true,
                c if c.is_whitespace() => {}
                _ => return Inside::Text,
            }
        }
        // No JSON has a backtick outside of its strings, and none has a line that begins in a string.
        if c == '`' && (self.at_line_start || !self.nesting.in_string()) {
            self.ticks += 1;
            return if self.ticks == 3 { Inside::Closed } else { Inside::Open };
        }
        for _ in 0..std::mem::take(&mut self.ticks) {
            self.keep('`');
        }
        self.keep(c);
        Inside::Open
    }

    fn keep(&mut self, c: char) {
        self.at_line_start = c == '\n' || (self.at_line_start && c.is_whitespace());
        self.body.push(c);
        self.nesting.push(c);
    }
}
