//! A session that is played: the keys that pace it. Nothing can be said to the past.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// How a session is played. The screen changes it, and whoever plays follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Replay {
    /// Whether it stands still.
    pub paused: bool,
    /// How often the speed was doubled; below zero it was halved.
    pub doublings: i32,
    /// How often the next entry was asked for, without waiting.
    pub steps: u64,
}

/// Most doublings, and most halvings.
const MOST: i32 = 4;

impl Replay {
    /// Where words would be typed: what the keys do.
    pub(super) fn words(self) -> String {
        let speed = if self.doublings < 0 {
            format!("1/{}", 1 << -self.doublings)
        } else {
            (1 << self.doublings).to_string()
        };
        let (state, space) = if self.paused { ("paused", "plays") } else { ("replay", "pauses") };
        format!("{state} at {speed}x · space {space} · → next · + - speed · q quits")
    }
}

/// What a key was to a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paced {
    /// It was for the replay, or for nobody: nothing can be said to the past.
    Taken,
    /// It ends the replay.
    Quit,
    /// It scrolls, or opens what lies on top: as anywhere else.
    Elsewhere,
}

/// One key.
pub(super) fn pace(replay: &mut Replay, key: KeyEvent) -> Paced {
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'd') if ctrl => return Paced::Quit,
        KeyCode::Char(_) if ctrl => return Paced::Elsewhere,
        KeyCode::PageUp | KeyCode::PageDown | KeyCode::F(_) => return Paced::Elsewhere,
        KeyCode::Char('q') | KeyCode::Esc => return Paced::Quit,
        KeyCode::Char(' ') => replay.paused = !replay.paused,
        KeyCode::Right => replay.steps += 1,
        KeyCode::Char('+' | '=') => replay.doublings = (replay.doublings + 1).min(MOST),
        KeyCode::Char('-') => replay.doublings = (replay.doublings - 1).max(-MOST),
        _ => {}
    }
    Paced::Taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_tell_the_speed() {
        let words = |paused, doublings| Replay { paused, doublings, steps: 0 }.words();
        assert!(words(false, 0).starts_with("replay at 1x · space pauses"));
        assert!(words(true, 2).starts_with("paused at 4x · space plays"));
        assert!(words(false, -3).starts_with("replay at 1/8x"));
    }
}
