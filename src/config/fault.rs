//! What a person is told when it cannot go on: one line, what happened, what to do next.

use std::fmt;

use super::exit::Exit;
use crate::ui::text::sanitize;

/// An error at the edge of the program. Shown as one line, whatever its parts hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// What to do next.
    pub next: String,
    /// The exit code it causes.
    pub exit: Exit,
}

impl Fault {
    /// Wrong usage or configuration: exit 2.
    pub fn usage(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { message: message.into(), next: next.into(), exit: Exit::Usage }
    }

    /// An error of ours, of the machine or of the model: exit 1.
    pub fn failed(message: impl Into<String>, next: impl Into<String>) -> Self {
        Self { message: message.into(), next: next.into(), exit: Exit::Failed }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", one_line(&self.message))?;
        if self.next.is_empty() { Ok(()) } else { write!(f, "; next: {}", one_line(&self.next)) }
    }
}

impl std::error::Error for Fault {}

/// The text on one line, with control characters, bidirectional overrides and invisible characters written out: a file's
/// name or value cannot paint the screen.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect();
    let written = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.into() };
    let line: String = words.join(" ").chars().map(written).collect();
    sanitize(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_one_line_without_control_characters() {
        let fault = Fault::usage("no such\n  file: \u{1b}[31mred", "look\tfor it");
        assert_eq!(fault.to_string(), r"error: no such file: \u{1b}[31mred; next: look\tfor it");
        assert_eq!(one_line("a\u{202e}b\u{200b}c\u{9b}d"), r"a\u{202e}b\u{200b}c\u{9b}d");
    }

    #[test]
    fn a_fault_without_advice_says_only_what_happened() {
        assert_eq!(Fault::failed("it broke", "").to_string(), "error: it broke");
    }
}
