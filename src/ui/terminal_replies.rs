//! What the terminal says of itself, taken out of the keys: crossterm reads `ESC ] 11 ; rgb:… ESC \` as alt-], letters
//! and alt-\, which would otherwise be typed into the composer. And what the mouse does, where a read was cut after
//! its first byte: that is an Esc to crossterm, and the rest are letters.

use std::time::Duration;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tokio::time::Instant;

use super::theme::background::Background;

/// Characters of an answer after which it is none that anybody sends.
const MOST: usize = 512;
/// The same for what the mouse does.
const MOST_OF_MOUSE: usize = 20;
/// How long the beginning of an answer waits for the rest of it.
const ANSWER: Duration = Duration::from_millis(250);
/// How long an Esc in the middle of what the mouse does waits for what would make it none. Any other is a key at once.
const CUT: Duration = Duration::from_millis(25);
/// How long after the mouse was heard last an Esc may be the beginning of more of it.
const NEAR_MOUSE: Duration = Duration::from_millis(100);

/// Holds back keys that may be the beginning of an answer until it is clear what they are.
#[derive(Debug, Default)]
pub(super) struct TerminalReplies {
    held: Vec<KeyEvent>,
    /// What follows the beginning of the answer.
    said: String,
    /// What is held back began with an Esc near what the mouse did.
    is_cut: bool,
    /// The key before was Esc: reading may have been cut in the middle of a mark.
    after_escape: bool,
    /// When the last key was held back.
    since: Option<Instant>,
    /// When the mouse was heard last.
    mouse: Option<Instant>,
}

/// What became of a key.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct KeysAndReplies {
    /// Keys that a person has pressed.
    pub(super) keys: Vec<KeyEvent>,
    /// What the background is, if that was just answered.
    pub(super) ground: Option<Background>,
}

impl TerminalReplies {
    /// When [`Self::give_up`] is due, if keys are held back.
    #[must_use]
    pub(super) fn due(&self) -> Option<Instant> {
        let patience = if self.is_cut { CUT } else { ANSWER };
        self.since.filter(|_| !self.held.is_empty()).map(|since| since + patience)
    }

    /// The mouse was heard; what is held back was something else.
    pub(super) fn mouse_came(&mut self, now: Instant) -> KeysAndReplies {
        self.mouse = Some(now);
        if self.is_cut { self.give_up() } else { KeysAndReplies::default() }
    }

    /// Takes a key in the order of arrival.
    pub(super) fn take(&mut self, key: KeyEvent, now: Instant) -> KeysAndReplies {
        self.since = Some(now);
        let may_be_cut = key.code == KeyCode::Esc
            && key.modifiers.is_empty()
            && self.mouse.is_some_and(|heard| now < heard + NEAR_MOUSE);
        if self.held.is_empty() && may_be_cut {
            self.is_cut = true;
            self.held.push(key);
            return KeysAndReplies::default();
        }
        if self.is_cut { self.take_rest(key, now) } else { self.take_whole(key) }
    }

    /// What follows an Esc near what the mouse did: the rest of that, or keys.
    fn take_rest(&mut self, key: KeyEvent, now: Instant) -> KeysAndReplies {
        let is_plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
        let KeyCode::Char(c) = key.code else { return self.release_and_take(key, now) };
        let goes_on = match self.said.as_str() {
            "" => c == '[',
            "[" => c == '<',
            _ => c.is_ascii_digit() || matches!(c, ';' | 'M' | 'm'),
        };
        if !is_plain || !goes_on || self.said.len() > MOST_OF_MOUSE {
            return self.release_and_take(key, now);
        }
        self.held.push(key);
        self.said.push(c);
        if c.eq_ignore_ascii_case(&'m') {
            self.forget();
            self.mouse = Some(now);
        }
        KeysAndReplies::default()
    }

    fn release_and_take(&mut self, key: KeyEvent, now: Instant) -> KeysAndReplies {
        let mut heard = self.give_up();
        let more = self.take(key, now);
        heard.keys.extend(more.keys);
        KeysAndReplies { ground: more.ground, ..heard }
    }

    fn take_whole(&mut self, key: KeyEvent) -> KeysAndReplies {
        let after_escape = std::mem::replace(&mut self.after_escape, key.code == KeyCode::Esc);
        if self.held.is_empty() {
            let begins =
                is(key, ']', KeyModifiers::ALT) || (after_escape && is(key, ']', KeyModifiers::NONE));
            if begins {
                self.held.push(key);
                return KeysAndReplies::default();
            }
            return KeysAndReplies { keys: vec![key], ground: None };
        }
        let ends = is(key, '\\', KeyModifiers::ALT)
            || is(key, 'g', KeyModifiers::CONTROL)
            || (after_escape && is(key, '\\', KeyModifiers::NONE));
        match key.code {
            _ if ends && self.is_answer() => self.end(),
            KeyCode::Esc if self.is_answer() => {
                self.held.push(key);
                KeysAndReplies::default()
            }
            KeyCode::Char(c) if !after_escape && (key.modifiers - KeyModifiers::SHIFT).is_empty() => {
                self.held.push(key);
                self.said.push(c);
                if self.may_be_answer() && self.said.len() <= MOST {
                    KeysAndReplies::default()
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
    pub(super) fn give_up(&mut self) -> KeysAndReplies {
        self.after_escape = false;
        self.release()
    }

    fn end(&mut self) -> KeysAndReplies {
        let ground = self.said.strip_prefix("11;").and_then(Background::of_colour);
        self.forget();
        KeysAndReplies { keys: Vec::new(), ground }
    }

    fn forget(&mut self) {
        self.held.clear();
        self.said.clear();
        self.is_cut = false;
    }

    /// An Esc is never swallowed with the answer that it seemed to end.
    fn release(&mut self) -> KeysAndReplies {
        let was_answer = self.is_answer() || (self.is_cut && self.said.len() > 2);
        let mut keys = std::mem::take(&mut self.held);
        self.forget();
        keys.retain(|key| !was_answer || key.code == KeyCode::Esc);
        KeysAndReplies { keys, ground: None }
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
            ("~]11;rgb:0000/0000/0000~\\", "", Some(Background::Dark)),
            ("~]11;rgb:FFFF/ffff/ffff^g", "", Some(Background::Light)),
            ("ab~]11;rgb:ff/ff/ff~\\cd", "abcd", Some(Background::Light)),
            ("~]11;rgb:ff/ff/ff!\\x", "x", Some(Background::Light)),
            ("!]11;rgb:ff/ff/ff~\\", "!", Some(Background::Light)),
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
            let mut answers = TerminalReplies::default();
            let mut heard = KeysAndReplies::default();
            for key in keys(arrives) {
                let more = answers.take(key, Instant::now());
                heard.keys.extend(more.keys);
                heard.ground = heard.ground.or(more.ground);
            }
            assert_eq!(heard, KeysAndReplies { keys: keys(goes_on), ground }, "{arrives}");
            assert_eq!(answers.due(), None, "{arrives}");
        }
    }

    #[test]
    fn what_is_held_is_settled_after_a_while() {
        for (arrives, goes_on) in [("~]", "~]"), ("~]1", "~]1"), ("~]11;rg", ""), ("~]11;rg!", "!")] {
            let mut answers = TerminalReplies::default();
            let early: Vec<_> =
                keys(arrives).into_iter().flat_map(|key| answers.take(key, Instant::now()).keys).collect();
            assert!(early.is_empty() && answers.due().is_some(), "{arrives}");
            assert_eq!(answers.give_up().keys, keys(goes_on), "{arrives}");
            assert_eq!(answers.take(keys("x")[0], Instant::now()).keys, keys("x"), "{arrives}");
        }
    }

    #[test]
    fn an_answer_without_an_end_does_not_swallow_for_ever() {
        let mut answers = TerminalReplies::default();
        let endless = format!("~]11;{}", "a".repeat(2 * MOST));
        let heard: Vec<_> =
            keys(&endless).into_iter().flat_map(|key| answers.take(key, Instant::now()).keys).collect();
        assert!(heard.len() >= MOST && answers.due().is_none(), "{}", heard.len());
    }

    #[test]
    fn what_the_mouse_does_is_no_key_wherever_its_bytes_were_cut() {
        let now = Instant::now();
        for (arrives, goes_on) in [
            ("![<35;10;5M", ""),
            ("![<0;1;1mx", "x"),
            ("!x", "!x"),
            ("!![<35;10;5Mx", "!x"),
            ("![A", "![A"),
            ("![<35;x", "!x"),
            ("![<1111111111111111111111", "!111"),
        ] {
            let mut answers = TerminalReplies::default();
            assert!(answers.mouse_came(now).keys.is_empty());
            let heard: Vec<_> = keys(arrives)
                .into_iter()
                .flat_map(|key| answers.take(key, now + NEAR_MOUSE / 2).keys)
                .collect();
            assert_eq!((heard, answers.due()), (keys(goes_on), None), "{arrives}");
        }
    }

    #[test]
    fn an_esc_is_a_key_at_once_unless_the_mouse_moves_and_then_soon() {
        let now = Instant::now();
        let esc = keys("!");
        let mut answers = TerminalReplies::default();
        assert_eq!(answers.take(esc[0], now).keys, esc);
        answers.mouse_came(now);
        assert_eq!(answers.take(esc[0], now + NEAR_MOUSE).keys, esc, "long after");
        assert!(answers.take(esc[0], now).keys.is_empty());
        assert_eq!(answers.due(), Some(now + CUT));
        assert_eq!(answers.give_up().keys, esc);
        assert!(answers.take(esc[0], now).keys.is_empty());
        assert_eq!(answers.mouse_came(now).keys, esc, "the mouse began anew");
        assert_eq!(answers.due(), None);
    }
}
