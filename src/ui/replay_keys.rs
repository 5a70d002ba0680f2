//! A session that is played: where it stands, and the keys that move it. Nothing can be said to the past.

use std::sync::Arc;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::ledger::{Body, EndingKind, Entry, Millis};

/// What an entry is marked as on the time line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReplayMark {
    /// Somebody decided about a call.
    Decision,
    /// A message was withdrawn.
    Tombstone,
    /// Something failed.
    Error,
}

impl ReplayMark {
    /// The key that jumps to the next one, which is its sign on the time line.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Decision => "d",
            Self::Tombstone => "t",
            Self::Error => "e",
        }
    }

    fn of(body: &Body) -> Option<Self> {
        match body {
            Body::ApprovalDecided(_) => Some(Self::Decision),
            Body::Tombstone(_) => Some(Self::Tombstone),
            Body::Error { .. } => Some(Self::Error),
            Body::ToolResult(result) if result.outcome.is_error() => Some(Self::Error),
            Body::TurnEnded(ended) if ended.reason.kind() == EndingKind::Failed => Some(Self::Error),
            _ => None,
        }
    }
}

/// How a session is played, and how far. The keys change it, and whoever plays follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replay {
    /// When each entry was written, and what it is marked as.
    entries: Arc<[(Millis, Option<ReplayMark>)]>,
    /// How many entries are shown.
    pub shown: usize,
    /// Whether it stands still.
    pub paused: bool,
    /// How often the speed was doubled; below zero it was halved.
    pub doublings: i32,
    /// Whether it is recorded: then nobody presses keys.
    pub is_recorded: bool,
}

/// Most doublings, and most halvings.
const MOST: i32 = 4;

impl Replay {
    /// A session that is played from its beginning.
    pub fn of(entries: &[Arc<Entry>]) -> Self {
        let entries = entries.iter().map(|entry| (entry.at, ReplayMark::of(&entry.body))).collect();
        Self { entries, shown: 0, paused: false, doublings: 0, is_recorded: false }
    }

    /// How many entries there are.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// Whether all of it is shown.
    pub fn is_over(&self) -> bool {
        self.shown >= self.count()
    }

    /// Milliseconds from the first entry to the last one that is shown, and to the last of all.
    pub(super) fn times(&self) -> (u64, u64) {
        let at = |entry: Option<&(Millis, Option<ReplayMark>)>| entry.map_or(Millis(0), |(at, _)| *at);
        let first = at(self.entries.first());
        let shown = self.shown.checked_sub(1).and_then(|last| self.entries.get(last));
        (shown.map_or(0, |(at, _)| at.since(first)), at(self.entries.last()).since(first))
    }

    /// What stands out among some entries: the first of a kind that matters most.
    pub(super) fn mark(&self, entries: std::ops::Range<usize>) -> Option<ReplayMark> {
        self.entries.get(entries)?.iter().filter_map(|(_, mark)| *mark).max()
    }

    /// Goes to a part of the way, from 0 to `of`.
    pub(super) fn scrub(&mut self, part: usize, of: usize) {
        let last = self.count();
        self.shown = (last.saturating_mul(part.min(of)) / of.max(1)).clamp(last.min(1), last.max(1));
    }

    /// Beside the time line: what the keys do.
    pub(super) fn words(&self) -> String {
        if self.is_recorded {
            return "a recorded session".to_owned();
        }
        let speed = if self.doublings < 0 {
            format!("1/{}", 1 << -self.doublings)
        } else {
            (1 << self.doublings).to_string()
        };
        let state = if self.paused { "paused" } else { "replay" };
        if self.is_over() {
            return format!("{state} at {speed}x · the end of the session; q quits · ← back · home again");
        }
        let space = if self.paused { "plays" } else { "pauses" };
        format!("{state} at {speed}x · space {space} · q quits · ← → step · d e t 1-9 jump · + -")
    }

    fn step_back(&mut self) {
        self.paused = true;
        self.shown = self.shown.saturating_sub(1).max(self.count().min(1));
    }

    /// Goes to the next entry with this mark and stands still there; says so if there is none.
    fn seek(&mut self, wanted: ReplayMark, is_back: bool) -> Option<&'static str> {
        let is_one = |at: &usize| self.entries.get(*at).is_some_and(|(_, mark)| *mark == Some(wanted));
        let found = if is_back {
            // The one that is shown last is where it stands.
            (0..self.shown.saturating_sub(1)).rev().find(is_one)
        } else {
            (self.shown..self.count()).find(is_one)
        };
        let Some(at) = found else {
            return Some(match (wanted, is_back) {
                (ReplayMark::Decision, false) => "there is no later decision",
                (ReplayMark::Decision, true) => "there is no earlier decision",
                (ReplayMark::Error, false) => "there is no later error",
                (ReplayMark::Error, true) => "there is no earlier error",
                (ReplayMark::Tombstone, false) => "there is no later tombstone",
                (ReplayMark::Tombstone, true) => "there is no earlier tombstone",
            });
        };
        (self.shown, self.paused) = (at + 1, true);
        None
    }
}

/// What a key was to a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paced {
    /// It was for the replay, or for nobody: nothing can be said to the past. With what to know of it.
    Taken(Option<&'static str>),
    /// It ends the replay.
    Quit,
    /// It scrolls, or opens what lies on top: as anywhere else.
    Elsewhere,
}

/// One key.
pub(super) fn pace(replay: &mut Replay, key: KeyEvent) -> Paced {
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let mut said = None;
    match key.code {
        KeyCode::Char('c' | 'd') if ctrl => return Paced::Quit,
        KeyCode::Char(_) if ctrl => return Paced::Elsewhere,
        KeyCode::PageUp | KeyCode::PageDown | KeyCode::F(_) => return Paced::Elsewhere,
        KeyCode::Char('q') | KeyCode::Esc => return Paced::Quit,
        KeyCode::Char(' ') => replay.paused = !replay.paused,
        KeyCode::Right => replay.shown = (replay.shown + 1).min(replay.count()),
        KeyCode::Left => replay.step_back(),
        KeyCode::Home => replay.shown = 1.min(replay.count()),
        KeyCode::End => replay.shown = replay.count(),
        KeyCode::Char('d') => said = replay.seek(ReplayMark::Decision, false),
        KeyCode::Char('D') => said = replay.seek(ReplayMark::Decision, true),
        KeyCode::Char('e') => said = replay.seek(ReplayMark::Error, false),
        KeyCode::Char('E') => said = replay.seek(ReplayMark::Error, true),
        KeyCode::Char('t') => said = replay.seek(ReplayMark::Tombstone, false),
        KeyCode::Char('T') => said = replay.seek(ReplayMark::Tombstone, true),
        KeyCode::Char(tenth @ '1'..='9') => {
            replay.scrub(tenth.to_digit(10).and_then(|tenth| usize::try_from(tenth).ok()).unwrap_or(1), 10);
        }
        KeyCode::Char('+' | '=') => replay.doublings = (replay.doublings + 1).min(MOST),
        KeyCode::Char('-') => replay.doublings = (replay.doublings - 1).max(-MOST),
        _ => {}
    }
    Paced::Taken(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replay(marks: &[Option<ReplayMark>]) -> Replay {
        let entries = marks.iter().enumerate().map(|(at, mark)| (Millis(at as u64 * 1_000), *mark)).collect();
        Replay { entries, ..Replay::of(&[]) }
    }

    fn press(replay: &mut Replay, keys: &str) -> Vec<Paced> {
        let key = |c| match c {
            '<' => KeyCode::Left,
            '>' => KeyCode::Right,
            'H' => KeyCode::Home,
            'N' => KeyCode::End,
            c => KeyCode::Char(c),
        };
        keys.chars().map(|c| pace(replay, KeyEvent::new(key(c), KeyModifiers::NONE))).collect()
    }

    #[test]
    fn the_words_tell_the_speed_and_the_end() {
        let words = |paused, doublings| Replay { paused, doublings, ..replay(&[None; 3]) }.words();
        assert!(words(false, 0).starts_with("replay at 1x · space pauses"));
        assert!(words(true, 2).starts_with("paused at 4x · space plays"));
        assert!(words(false, -3).starts_with("replay at 1/8x"));
        let over = Replay { shown: 3, ..replay(&[None; 3]) };
        assert!(over.words().starts_with("replay at 1x · the end of the session; q quits"));
    }

    #[test]
    fn keys_go_back_and_forth_between_the_ends() {
        let mut it = replay(&[None; 100]);
        for (keys, shown) in [
            ("<", 1),
            (">>", 3),
            ("<", 2),
            ("5", 50),
            ("9", 90),
            ("1", 10),
            ("N", 100),
            (">", 100),
            ("<", 99),
            ("H", 1),
            ("<", 1),
        ] {
            press(&mut it, keys);
            assert_eq!(it.shown, shown, "{keys}");
        }
        let mut none = replay(&[]);
        press(&mut none, "<>5HNdDeEtT");
        assert_eq!((none.shown, none.times(), none.is_over()), (0, (0, 0), true));
        let mut one = replay(&[None]);
        press(&mut one, "<1<");
        assert_eq!((one.shown, one.times()), (1, (0, 0)));
    }

    #[test]
    fn keys_find_what_stands_out() {
        let (d, e, t) = (Some(ReplayMark::Decision), Some(ReplayMark::Error), Some(ReplayMark::Tombstone));
        let mut it = replay(&[None, d, None, e, d, t, None]);
        for (keys, shown) in [("d", 2), ("d", 5), ("D", 2), ("e", 4), ("t", 6), ("E", 4), ("D", 2)] {
            assert_eq!(press(&mut it, keys), [Paced::Taken(None)]);
            assert_eq!((it.shown, it.paused), (shown, true), "{keys}");
        }
        assert_eq!(press(&mut it, "D"), [Paced::Taken(Some("there is no earlier decision"))]);
        assert_eq!(it.shown, 2);
        assert_eq!(it.mark(0..4), e, "an error matters more than a decision");
        assert_eq!(it.mark(6..9), None);
        assert_eq!(it.times(), (1_000, 6_000));
    }
}
