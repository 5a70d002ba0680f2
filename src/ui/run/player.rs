//! A session of the past, played: the entries up to where it stands are folded, and when it goes back, all of them anew.

use std::sync::Arc;

use tokio::time::Instant;

use crate::agent::Event;
use crate::ledger::{Entry, Millis};
use crate::ui::replay_keys::Replay;
use crate::ui::replay_pace::pause;
use crate::view::{View, ViewSettings};

/// The entries, and how many of them the view has.
pub(super) struct Player {
    entries: Vec<Arc<Entry>>,
    settings: ViewSettings,
    folded: usize,
    /// When the last one was shown, or the replay went on.
    since: Instant,
    was_paused: bool,
}

impl Player {
    pub(super) fn new(entries: Vec<Arc<Entry>>, settings: ViewSettings) -> Self {
        Self { entries, settings, folded: 0, since: Instant::now(), was_paused: false }
    }

    /// The moment that is shown: when the last entry was written.
    pub(super) fn now(&self) -> Millis {
        let last = self.folded.checked_sub(1).and_then(|last| self.entries.get(last));
        last.or(self.entries.first()).map_or(Millis(0), |entry| entry.at)
    }

    /// When the next entry is due by itself.
    pub(super) fn due(&self, replay: &Replay) -> Option<Instant> {
        let next = self.entries.get(replay.shown).filter(|_| !replay.paused)?;
        let before = replay.shown.checked_sub(1).and_then(|last| self.entries.get(last));
        Some(self.since + pause(before, next).div_f64(2_f64.powi(replay.doublings)))
    }

    /// Takes the view to where the replay stands. Tells whether anything changed.
    pub(super) fn follow(&mut self, replay: &mut Replay, view: &mut View, now: Instant) -> Moved {
        if self.was_paused && !replay.paused {
            self.since = now;
        }
        self.was_paused = replay.paused;
        let before = self.folded;
        while replay.shown == self.folded && self.due(replay).is_some_and(|due| due <= now) {
            replay.shown += 1;
            self.fold_to(replay.shown, view);
            self.since = now;
        }
        if replay.shown < self.folded {
            *view = View::new(self.settings.clone());
            self.folded = 0;
            self.fold_to(replay.shown, view);
            self.since = now;
            return Moved::Back;
        }
        if replay.shown > self.folded {
            self.fold_to(replay.shown, view);
            self.since = now;
        }
        if self.folded > before { Moved::On } else { Moved::Not }
    }

    fn fold_to(&mut self, shown: usize, view: &mut View) {
        for entry in self.entries.iter().take(shown).skip(self.folded) {
            view.tick(entry.at);
            view.fold(&Event::Appended(Arc::clone(entry)));
        }
        self.folded = shown.min(self.entries.len());
    }
}

/// What became of a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    Not,
    On,
    Back,
}
