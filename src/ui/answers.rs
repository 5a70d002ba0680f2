//! What the terminal answers, taken out of the keys: crossterm reads `ESC ] 11 ; rgb:… ESC \` as alt-], letters and
//! alt-\, which would otherwise be typed into the composer.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::theme::ground::Ground;

/// Characters of an answer after which it is none that anybody sends.
const MOST: usize = 512;

/// Holds back keys that may be the beginning of an answer until it is clear what they are.
#[derive(Debug, Default)]
pub(super) struct Answers {
    held: Vec<KeyEvent>,
    /// What follows the beginning of the answer.
    said: String,
    /// The key before was Esc: reading may have been cut in the middle of a mark.
    after_escape: bool,
}

/// What became of a key.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heard {
    /// Keys that a person has pressed.
    pub(super) keys: Vec<KeyEvent>,
    /// What the background is, if that was just answered.
    pub(super) ground: Option<Ground>,
}

impl Answers {
    /// Whether keys are held back; then [`Self::give_up`] is due soon.
    #[must_use]
    pub(super) fn holds(&self) -> bool {
        !self.held.is_empty()
    }

    /// Takes a key in the order of arrival.
    pub(super) fn take(&mut self, key: KeyEvent) -> Heard {
        let after_escape = std::mem::replace(&mut self.after_escape, key.code == KeyCode::Esc);
        if self.held.is_empty() {
            let begins =
                is(key, ']', KeyModifiers::ALT) || (after_escape && is(key, ']', KeyModifiers::NONE));
            if begins {
                self.held.push(key);
                return Heard::default();
            }
            return Heard { keys: vec![key], ground: None };
        }
        let ends = is(key, '\\', KeyModifiers::ALT)
            || is(key, 'g', KeyModifiers::CONTROL)
            || (after_escape && is(key, '\\', KeyModifiers::NONE));
        match key.code {
            _ if ends && self.is_answer() => self.end(),
            KeyCode::Esc if self.is_answer() => {
                self.held.push(key);
                Heard::default()
            }
            KeyCode::Char(c) if !after_escape && (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                self.held.push(key);
                self.said.push(c);
                if self.may_be_answer() && self.said.len() <= MOST {
                    Heard::default()
                } else {
                    self.release()
                }
            }
            _ => {
                let mut heard = self.release();
                heard.keys.push(key);
                heard
            }
        }
    }

    /// Nothing has followed for a while: what cannot be an answer was typed, what is the beginning of one is dropped.
    pub(super) fn give_up(&mut self) -> Heard {
        self.after_escape = false;
        self.release()
    }

    fn end(&mut self) -> Heard {
        let ground = self.said.strip_prefix("11;").and_then(Ground::of_colour);
        self.held.clear();
        self.said.clear();
        Heard { keys: Vec::new(), ground }
    }

    /// An Esc is never swallowed with the answer that it seemed to end.
    fn release(&mut self) -> Heard {
        let was_answer = self.is_answer();
        let mut keys = std::mem::take(&mut self.held);
        self.said.clear();
        keys.retain(|key| !was_answer || key.code == KeyCode::Esc);
        Heard { keys, ground: None }
    }

    /// A number and a semicolon have come: no person types that right after alt-].
    fn is_answer(&self) -> bool {
        self.said.contains(';')
    }

    fn may_be_answer(&self) -> bool {
        let number = self.said.split(';').next().unwrap_or_default();
        (1..=4).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    }
}

fn is(key: KeyEvent, c: char, held: KeyModifiers) -> bool {
    key.code == KeyCode::Char(c) && key.modifiers == held
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys as crossterm makes them of bytes: `^x` is control, `~x` is alt, `!` is Esc.
    fn keys(written: &str) -> Vec<KeyEvent> {
        let mut letters = written.chars();
        let mut keys = Vec::new();
        while let Some(c) = letters.next() {
            let (code, held) = match c {
                '^' => (letters.next().map_or(KeyCode::Null, KeyCode::Char), KeyModifiers::CONTROL),
                '~' => (letters.next().map_or(KeyCode::Null, KeyCode::Char), KeyModifiers::ALT),
                '!' => (KeyCode::Esc, KeyModifiers::NONE),
                c if c.is_uppercase() => (KeyCode::Char(c), KeyModifiers::SHIFT),
                c => (KeyCode::Char(c), KeyModifiers::NONE),
            };
            keys.push(KeyEvent::new(code, held));
        }
        keys
    }

    #[test]
    fn answers_are_taken_out_and_keys_go_on() {
        for (arrives, goes_on, ground) in [
            ("hello", "hello", None),
            ("~]11;rgb:0000/0000/0000~\\", "", Some(Ground::Dark)),
            ("~]11;rgb:FFFF/ffff/ffff^g", "", Some(Ground::Light)),
            ("ab~]11;rgb:ff/ff/ff~\\cd", "abcd", Some(Ground::Light)),
            ("~]11;rgb:ff/ff/ff!\\x", "x", Some(Ground::Light)),
            ("!]11;rgb:ff/ff/ff~\\", "!", Some(Ground::Light)),
            ("~]11;no colour at all~\\x", "x", None),
            ("~]10;rgb:0/0/0~\\x", "x", None),
            ("~]52;c;aGVsbG8=^gx", "x", None),
            ("~]hello", "~]hello", None),
            ("~]1hello", "~]1hello", None),
            ("~]~\\x", "~]~\\x", None),
            ("~]11;rgb:ff!x", "!x", None),
            ("~]11;rgb:ff^c", "^c", None),
            ("]11;rgb:ff/ff/ff\\", "]11;rgb:ff/ff/ff\\", None),
        ] {
            let mut answers = Answers::default();
            let mut heard = Heard::default();
            for key in keys(arrives) {
                let more = answers.take(key);
                heard.keys.extend(more.keys);
                heard.ground = heard.ground.or(more.ground);
            }
            assert_eq!(heard, Heard { keys: keys(goes_on), ground }, "{arrives}");
            assert!(!answers.holds(), "{arrives}");
        }
    }

    #[test]
    fn what_is_held_is_settled_after_a_while() {
        for (arrives, goes_on) in [("~]", "~]"), ("~]1", "~]1"), ("~]11;rg", ""), ("~]11;rg!", "!")] {
            let mut answers = Answers::default();
            let early: Vec<_> = keys(arrives).into_iter().flat_map(|key| answers.take(key).keys).collect();
            assert!(early.is_empty() && answers.holds(), "{arrives}");
            assert_eq!(answers.give_up().keys, keys(goes_on), "{arrives}");
            assert_eq!(answers.take(keys("x")[0]).keys, keys("x"), "{arrives}");
        }
    }

    #[test]
    fn an_answer_without_an_end_does_not_swallow_for_ever() {
        let mut answers = Answers::default();
        let endless = format!("~]11;{}", "a".repeat(2 * MOST));
        let heard: Vec<_> = keys(&endless).into_iter().flat_map(|key| answers.take(key).keys).collect();
        assert!(heard.len() >= MOST && !answers.holds(), "{}", heard.len());
    }
}
