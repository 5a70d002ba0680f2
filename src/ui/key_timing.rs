//! How keys arrive: a person presses one after the other, a paste without brackets arrives as a burst, a held key
//! repeats. Pure: the time of each read is an argument.

use std::time::Duration;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Keys closer together than this were not pressed one after the other by a person.
pub const BURST: Duration = Duration::from_millis(30);
/// The same key again within this time may be a held key: terminals begin to repeat after 250 to 600 ms, and most do
/// not say that it is a repetition.
pub const HELD: Duration = Duration::from_millis(600);

/// A key, and how it arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Press {
    /// The key.
    pub key: KeyEvent,
    /// When it was read, since the screen began.
    pub at: Duration,
    /// No other key was read with it, and none within [`BURST`] before it.
    pub alone: bool,
    /// It is the key before once more, so soon that it may be held down.
    pub again: bool,
    /// The same read brought a letter after it.
    pub more: bool,
    /// A line ended before it in the same burst: what comes is a paste of several lines.
    pub after_line: bool,
    /// Which burst it belongs to: keys that a person presses one after the other have one each.
    pub burst: u64,
}

impl Press {
    /// A key that nobody has pressed, for what a click or a list does in its place. It never decides.
    pub(super) fn made(key: KeyEvent) -> Self {
        Self { key, at: Duration::ZERO, alone: false, again: false, more: false, after_line: false, burst: 0 }
    }
}

/// What was pressed last.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyTiming {
    last: Option<(KeyEvent, Duration)>,
    /// Whether Enter was one of the keys of this burst, with a letter behind it.
    line_ended: bool,
    /// The number of the last burst, from 1.
    burst: u64,
}

impl KeyTiming {
    /// The keys of one read, which was made at `at` since the screen began; `are_all`: it brought nothing else.
    pub fn take(&mut self, keys: &[KeyEvent], are_all: bool, at: Duration) -> Vec<Press> {
        let single = are_all && keys.len() == 1;
        let mut presses = Vec::with_capacity(keys.len());
        for (place, key) in keys.iter().enumerate() {
            let gap = self.last.map(|(before, when)| (before, at.saturating_sub(when)));
            let is_same = |before: KeyEvent| (before.code, before.modifiers) == (key.code, key.modifiers);
            // A paste consists of text.
            let is_text = types(*key) || matches!(key.code, KeyCode::Enter | KeyCode::Tab);
            let is_joined = place > 0 || gap.is_some_and(|(_, gap)| gap < BURST);
            self.line_ended &= is_text && is_joined;
            self.burst += u64::from(!is_joined);
            let more = keys.get(place + 1..).unwrap_or_default().iter().any(|key| types(*key));
            presses.push(Press {
                key: *key,
                at,
                alone: single && gap.is_none_or(|(_, gap)| gap >= BURST),
                again: key.kind == KeyEventKind::Repeat
                    || gap.is_some_and(|(before, gap)| is_same(before) && gap < HELD),
                more,
                after_line: self.line_ended,
                burst: self.burst,
            });
            self.line_ended |= more && key.code == KeyCode::Enter;
            self.last = Some((*key, at));
        }
        presses
    }

    /// Whether a key that is read at `at` would follow the last one as part of a burst.
    pub(super) fn is_burst(&self, at: Duration) -> bool {
        self.last.is_some_and(|(_, when)| at.saturating_sub(when) < BURST)
    }
}

impl Press {
    /// Whether Enter stands between the lines of a paste, and is not meant as a key.
    pub(super) fn breaks_pasted_line(self) -> bool {
        self.more || self.after_line
    }
}

/// Whether a key types a character.
pub(super) fn types(key: KeyEvent) -> bool {
    let held = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT);
    matches!(key.code, KeyCode::Char(_)) && held.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(c: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE)
    }

    #[test]
    fn what_comes_together_or_close_together_is_not_alone() {
        let mut rhythm = KeyTiming::default();
        let ms = Duration::from_millis;
        let mut at = |text: &str, at: u64| {
            let keys: Vec<KeyEvent> = text.chars().map(key).collect();
            let presses = rhythm.take(&keys, true, ms(at));
            presses.iter().map(|p| (p.alone, p.again, p.more)).collect::<Vec<_>>()
        };
        assert_eq!(at("y", 1_000), [(true, false, false)]);
        assert_eq!(at("n", 1_029), [(false, false, false)], "too close to the one before");
        assert_eq!(at("y", 1_059), [(true, false, false)]);
        assert_eq!(at("y", 1_559), [(true, true, false)], "a held key begins to repeat");
        assert_eq!(at("y", 2_159), [(true, false, false)]);
        assert_eq!(at("ab", 3_000), [(false, false, true), (false, false, false)]);
        let bursts: Vec<u64> = [("ab", 5_000), ("c", 5_010), ("d", 5_040), ("e", 5_500)]
            .into_iter()
            .flat_map(|(text, at)| rhythm.take(&text.chars().map(key).collect::<Vec<_>>(), true, ms(at)))
            .map(|press| press.burst)
            .collect();
        let first = bursts[0];
        assert_eq!(bursts, [first, first, first, first + 1, first + 2], "close together is one burst");
        let mut held = key('z');
        held.kind = KeyEventKind::Repeat;
        assert!(rhythm.take(&[held], true, ms(9_000))[0].again);
    }
}
