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
    let mut line = String::with_capacity(text.len());
    for words in text.split('\n').map(str::trim).filter(|words| !words.is_empty()) {
        if !line.is_empty() {
            line.push(' ');
        }
        for character in words.chars() {
            if character.is_control() {
                line.extend(character.escape_default());
            } else {
                line.push(character);
            }
        }
    }
    sanitize(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_one_line_without_control_characters() {
        let fault = Fault::usage("no such\n  file: \u{1b}[31mred", "look\tfor it");
        assert_eq!(fault.to_string(), r"error: no such file: \u{1b}[31mred; next: look\tfor it");
        assert_eq!(one_line("\n a\n\n \t\nb  c \n"), "a b  c");
        assert_eq!(one_line("a\u{202e}b\u{200b}c\u{9b}d"), r"a\u{202e}b\u{200b}c\u{9b}d");
    }

    #[test]
    fn a_fault_without_advice_says_only_what_happened() {
        assert_eq!(Fault::failed("it broke", "").to_string(), "error: it broke");
    }
}
