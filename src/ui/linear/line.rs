//! A line as it was typed, and what a terminal has shown of it.

use std::time::Duration;

/// Where a line that was typed stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// Nowhere: nothing shows it.
    Unseen,
    /// A terminal has shown it behind what was written before, and begun the next line.
    Shown,
    /// Not behind the prompt that is open: the line of that is not ended.
    Elsewhere,
}

/// A line as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Its words.
    pub text: String,
    /// How many questions stood on the terminal before it was typed, as [`super::LinearSession::written`] counts them.
    pub typed: u64,
    /// Where it stands.
    pub echo: Echo,
    /// Whether no other line came with it, right before it or right after it: only such a line answers.
    pub alone: bool,
    /// When it was read, since the session began.
    pub at: Duration,
}
