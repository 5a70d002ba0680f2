//! The terminal of a running command: what stands on it, what was typed into it, and which calls have one.

use std::fmt;

use crate::ledger::Arguments;

use super::Row;
use super::name::SHELL;

/// Most bytes that are typed at once; what is more is refused.
pub const MOST_TYPED: usize = 64 << 10;

/// What stands on the terminal of a running command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Screen {
    /// Its rows from the first one on, without those at the end on which nothing is to be seen; not yet safe for a screen.
    pub rows: Vec<Row>,
    /// Row and column of the cursor, in cells from 0; `None` while the program hides it.
    pub cursor: Option<(u16, u16)>,
    /// How keys are to be written for the program.
    pub keys: KeyModes,
}

impl Screen {
    /// Its rows down to the last one with text on it.
    pub fn written(&self) -> &[Row] {
        let last = self.rows.iter().rposition(|row| !row.text().trim_end().is_empty());
        self.rows.get(..last.map_or(0, |last| last + 1)).unwrap_or_default()
    }

    /// The same as plain text, without blanks at the ends of lines.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.written().iter().map(|row| row.text().trim_end())
    }
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
    /// What another agent calls the task that it was given.
    Task(String),
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
    tool == SHELL && is_set("pty") && !is_set("background")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::{CellStyle, Colour};

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
    fn plain_lines_have_no_blanks_that_only_colour_made_visible() {
        let bar = CellStyle { background: Colour::Palette(4), ..CellStyle::default() };
        let mut status = Row::from("two");
        status.push("   ", bar);
        let mut empty = Row::default();
        empty.push("      ", bar);
        let rows = vec![Row::default(), Row::from("one"), empty.clone(), status, empty];
        let screen = Screen { rows, ..Screen::default() };
        assert_eq!(screen.lines().collect::<Vec<_>>(), ["", "one", "", "two"]);
        assert_eq!(screen.lines().next_back(), Some("two"));
        assert_eq!(Screen::default().lines().count(), 0);
    }

    #[test]
    fn what_was_typed_is_printed_nowhere() {
        assert_eq!(format!("{:?}", Typed(b"secret".to_vec())), "Typed(6 bytes)");
    }
}
