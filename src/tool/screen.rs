//! The terminal of a running command: what stands on it, what was typed into it, and which calls have one.

use std::fmt;

use crate::ledger::Arguments;

/// Most bytes that are typed at once; what is more is refused.
pub const MOST_TYPED: usize = 64 << 10;

/// What stands on the terminal of a running command, as plain text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Screen {
    /// Its rows from the first one on, without the empty ones at the end; not yet safe for a screen.
    pub rows: Vec<String>,
    /// Row and column of the cursor, in cells from 0; `None` while the program hides it.
    pub cursor: Option<(u16, u16)>,
    /// How keys are to be written for the program.
    pub keys: KeyModes,
}

/// What a program has asked its terminal for that changes how keys are written. It decides nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyModes {
    /// Cursor keys as in application mode (DECCKM).
    pub application_cursor: bool,
    /// Pasted text between marks (mode 2004).
    pub bracketed_paste: bool,
}

/// A piece of what a running tool shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// More text.
    Text(String),
    /// A screen, in the place of what was shown before.
    Screen(Screen),
}

impl From<&str> for Shown {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Shown {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Bytes that a person has typed, as a terminal sends them. They may be a password: nothing prints them.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Typed(pub Vec<u8>);

impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Typed({} bytes)", self.0.len())
    }
}

/// Whether a call of this tool with these arguments runs on a terminal that can be typed into.
pub fn has_terminal(tool: &str, arguments: &Arguments) -> bool {
    let is_set = |name| match arguments {
        Arguments::Object(members) => members.get(name).and_then(serde_json::Value::as_bool) == Some(true),
        Arguments::Unusable(_) => false,
    };
    tool == "shell" && is_set("pty") && !is_set("background")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_command_that_asks_for_one_has_a_terminal() {
        for (tool, arguments, has) in [
            ("shell", r#"{"command": "vi", "pty": true}"#, true),
            ("shell", r#"{"command": "vi", "pty": true, "background": false}"#, true),
            ("shell", r#"{"command": "vi", "pty": true, "background": true}"#, false),
            ("shell", r#"{"command": "vi", "pty": false}"#, false),
            ("shell", r#"{"command": "vi", "pty": "true"}"#, false),
            ("shell", r#"{"command": "vi"}"#, false),
            ("shell", "cut", false),
            ("mcp__x__shell", r#"{"pty": true}"#, false),
        ] {
            assert_eq!(has_terminal(tool, &Arguments::parse(arguments)), has, "{tool} {arguments}");
        }
    }

    #[test]
    fn what_was_typed_is_printed_nowhere() {
        assert_eq!(format!("{:?}", Typed(b"secret".to_vec())), "Typed(6 bytes)");
    }
}
