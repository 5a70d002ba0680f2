//! A key with what is held down, as people write it: `ctrl-o`, `alt-enter`, `f1`, `?`.

use std::fmt;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with what is held down. However a terminal reports a key, its chord is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chord {
    pub(super) code: KeyCode,
    pub(super) held: KeyModifiers,
}

/// Keys that have a name; of two names for one key the first is shown.
const NAMED: &[(&str, KeyCode)] = &[
    ("enter", KeyCode::Enter),
    ("esc", KeyCode::Esc),
    ("tab", KeyCode::Tab),
    ("space", KeyCode::Char(' ')),
    ("minus", KeyCode::Char('-')),
    ("backspace", KeyCode::Backspace),
    ("delete", KeyCode::Delete),
    ("insert", KeyCode::Insert),
    ("up", KeyCode::Up),
    ("down", KeyCode::Down),
    ("left", KeyCode::Left),
    ("right", KeyCode::Right),
    ("home", KeyCode::Home),
    ("end", KeyCode::End),
    ("pgup", KeyCode::PageUp),
    ("pgdn", KeyCode::PageDown),
    ("pageup", KeyCode::PageUp),
    ("pagedown", KeyCode::PageDown),
    ("escape", KeyCode::Esc),
    ("return", KeyCode::Enter),
];

/// What can be held down, in the order in which it is shown.
const HELD: &[(&str, KeyModifiers)] =
    &[("ctrl", KeyModifiers::CONTROL), ("alt", KeyModifiers::ALT), ("shift", KeyModifiers::SHIFT)];

impl Chord {
    /// The chord of a key. Shift is left out for characters, which carry it; shift-tab has one form.
    #[must_use]
    pub fn new(code: KeyCode, modifiers: KeyModifiers) -> Self {
        let held = modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        match code {
            KeyCode::BackTab => Self { code: KeyCode::Tab, held: held | KeyModifiers::SHIFT },
            KeyCode::Char(_) => Self { code, held: held - KeyModifiers::SHIFT },
            _ => Self { code, held },
        }
    }

    /// The chord of a pressed key.
    #[must_use]
    pub fn of(key: KeyEvent) -> Self {
        Self::new(key.code, key.modifiers)
    }

    /// The key that it is, pressed.
    #[must_use]
    pub fn press(self) -> KeyEvent {
        KeyEvent::new(self.code, self.held)
    }

    /// Whether it types a character.
    #[must_use]
    pub fn types(self) -> bool {
        matches!(self.code, KeyCode::Char(_)) && self.held.is_empty()
    }

    /// Whether it is Esc, which always interrupts.
    #[must_use]
    pub fn is_escape(self) -> bool {
        self.code == KeyCode::Esc && self.held.is_empty()
    }

    /// Reads a chord.
    ///
    /// # Errors
    /// A sentence about what is no key, with the nearest that is one.
    pub fn parse(written: &str) -> Result<Self, String> {
        let mut held = KeyModifiers::NONE;
        let mut rest = written;
        while let Some((name, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty()) {
            let known = HELD.iter().find(|(known, _)| *known == name.to_ascii_lowercase());
            let (_, modifier) = known.ok_or_else(|| {
                format!("{written:?} is not a key: only ctrl, alt or shift can precede `-`, not {name:?}")
            })?;
            held |= *modifier;
            rest = after;
        }
        let mut letters = rest.chars();
        let code = match (letters.next(), letters.next()) {
            (Some(letter), None) => KeyCode::Char(letter),
            _ => named(rest).ok_or_else(|| {
                format!(
                    "{written:?} is not a key: write a character, f1 to f12, or one of {}, optionally after \
                    ctrl-, alt- or shift-",
                    NAMED.iter().take(16).map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
                )
            })?,
        };
        Ok(match code {
            KeyCode::Char(letter) if held.contains(KeyModifiers::SHIFT) => {
                Self::new(KeyCode::Char(letter.to_uppercase().next().unwrap_or(letter)), held)
            }
            KeyCode::Char(letter) if held.contains(KeyModifiers::CONTROL) => {
                Self::new(KeyCode::Char(letter.to_ascii_lowercase()), held)
            }
            code => Self::new(code, held),
        })
    }
}

fn named(name: &str) -> Option<KeyCode> {
    let name = name.to_ascii_lowercase();
    let function = name.strip_prefix('f').and_then(|digits| digits.parse().ok());
    if let Some(number @ 1..=12_u8) = function {
        return Some(KeyCode::F(number));
    }
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
}

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, modifier) in HELD {
            if self.held.contains(*modifier) {
                write!(f, "{name}-")?;
            }
        }
        match (NAMED.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(letter)) => write!(f, "{letter}"),
            (None, KeyCode::F(number)) => write!(f, "f{number}"),
            (None, other) => write!(f, "{other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read_and_shown() {
        for (written, shown) in [
            ("ctrl-o", "ctrl-o"),
            ("Ctrl-O", "ctrl-o"),
            ("alt-enter", "alt-enter"),
            ("shift-tab", "shift-tab"),
            ("alt-ctrl-x", "ctrl-alt-x"),
            ("F5", "f5"),
            ("?", "?"),
            ("-", "minus"),
            ("ctrl--", "ctrl-minus"),
            ("shift-g", "G"),
            ("G", "G"),
            ("pageup", "pgup"),
            ("ä", "ä"),
        ] {
            assert_eq!(Chord::parse(written).map(|c| c.to_string()), Ok(shown.to_owned()), "{written}");
        }
        for wrong in ["", "ctrl-", "hyper-x", "f13", "f0", "entr", "ctrl-alt"] {
            assert!(Chord::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn terminals_report_shift_tab_in_three_ways() {
        let wanted = Chord::parse("shift-tab").unwrap();
        for (code, held) in [
            (KeyCode::BackTab, KeyModifiers::NONE),
            (KeyCode::BackTab, KeyModifiers::SHIFT),
            (KeyCode::Tab, KeyModifiers::SHIFT),
        ] {
            assert_eq!(Chord::new(code, held), wanted);
        }
    }
}
