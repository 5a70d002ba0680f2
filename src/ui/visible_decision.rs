//! What stands on the screen to be decided, and since when: a key decides only what a person can have seen.
//!
//! A frame says what it shows; the moment at which it was drawn is an argument. A key that was pressed before the same
//! thing stood there whole for `DECIDABLE_AFTER` was not meant for it.

use std::time::Duration;

use crate::ledger::{CallId, EntryId};

use super::key_timing::{BURST, Press};

/// How long something must have stood on the screen, whole, before a key can decide it.
pub const DECIDABLE_AFTER: Duration = Duration::from_millis(500);

/// Something that a key can decide, as a frame shows it. The same call in another dress is another thing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// The pane of a call or a question, by its request; the first line in sight, and how many that must be read have been.
    Pane(EntryId, usize, usize),
    /// The rule that "always" would take, in the pane of this request; its first line in sight, and how many have been.
    Rule(EntryId, usize, usize),
    /// All of a call on the whole screen, by its request; the same.
    Page(EntryId, u16, usize),
    /// A budget stop, by the end of the run.
    Stop(EntryId),
    /// The plan of an undo since this call.
    Plan(CallId),
    /// The name of a host that this call was not let through to, by its place among them.
    Host(CallId, usize),
}

/// Why a key decides nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The last frame did not show it with the focus.
    Unseen,
    /// It appeared too short a time ago, or the key may be held down.
    TooSoon,
}

impl Refusal {
    /// In words for the person, if there is something to say.
    pub(super) const fn words(self) -> Option<&'static str> {
        match self {
            Self::Unseen => None,
            Self::TooSoon => Some("too soon: press again"),
        }
    }
}

/// What the last frame showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VisibleDecision {
    shown: Option<(Shown, Duration)>,
    /// Since when something that waits has the keys, in sight or not.
    focused: Option<Duration>,
    /// What the next frame shows whole.
    next: Option<Shown>,
    /// Whether the next frame gives the keys to something that waits.
    next_has_keys: bool,
}

impl VisibleDecision {
    /// What the frame that is laid out shows whole, and whether something that waits has the keys.
    pub(super) fn lay(&mut self, next: Option<Shown>, has_keys: bool) {
        (self.next, self.next_has_keys) = (next, has_keys);
    }

    /// The frame that was laid out is on the screen, at this moment since the screen began.
    pub fn drawn(&mut self, at: Duration) {
        let before = self.shown.take();
        self.shown = self.next.as_ref().map(|now| match before {
            Some((shown, since)) if shown == *now => (shown, since),
            _ => (now.clone(), at),
        });
        self.focused = self.next_has_keys.then(|| self.focused.unwrap_or(at));
    }

    /// What was shown is decided, or is something else now: nothing is until the next frame.
    pub(super) fn clear(&mut self) {
        self.shown = None;
    }

    /// Nobody sees the last frame any more: whatever the next one shows has been there for no time, also the
    /// same.
    pub(super) fn out_of_sight(&mut self) {
        *self = Self::default();
    }

    /// Whether a key may decide this now.
    ///
    /// # Errors
    /// Why it may not.
    pub(super) fn allows(&self, what: &Shown, press: Press) -> Result<(), Refusal> {
        let since = match (&self.shown, self.focused) {
            (Some((shown, since)), Some(_)) if shown == what => *since,
            // A card has the focus then, and nothing that waits.
            (Some((shown @ Shown::Host(..), since)), None) if shown == what => *since,
            _ => return Err(Refusal::Unseen),
        };
        if press.again || press.at < since + DECIDABLE_AFTER {
            return Err(Refusal::TooSoon);
        }
        Ok(())
    }

    /// Whether a person pressed this key for what has the keys: by itself, after a frame has shown where they go.
    pub(super) fn is_meant(&self, press: Press) -> bool {
        press.alone && self.focused.is_some_and(|since| press.at >= since + BURST)
    }

    /// When keys can decide what is shown, if something is.
    #[must_use]
    pub fn ripe_at(&self) -> Option<Duration> {
        self.shown.as_ref().map(|(_, since)| *since + DECIDABLE_AFTER)
    }

    /// Whether keys can decide this already, at this moment.
    #[must_use]
    pub fn is_ripe(&self, what: &Shown, at: Duration) -> bool {
        self.shown.as_ref().is_some_and(|(shown, since)| shown == what && at >= *since + DECIDABLE_AFTER)
    }
}

#[cfg(test)]
mod tests {
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::*;

    #[test]
    fn what_was_out_of_sight_stands_anew() {
        let ms = Duration::from_millis;
        let press = |at| Press {
            at: ms(at),
            alone: true,
            ..Press::made(KeyEvent::new(KeyCode::Char('y'), KeyModifiers::NONE))
        };
        let pane = Shown::Pane(EntryId(3), 0, 4);
        let frame = |stand: &mut VisibleDecision, at| {
            stand.lay(Some(pane.clone()), true);
            stand.drawn(ms(at));
        };
        let mut stand = VisibleDecision::default();
        frame(&mut stand, 1_000);
        frame(&mut stand, 2_000);
        assert_eq!(stand.allows(&pane, press(2_100)), Ok(()));
        stand.out_of_sight();
        assert_eq!(stand.allows(&pane, press(9_000)), Err(Refusal::Unseen), "no frame has come since");
        assert_eq!((stand.is_meant(press(9_000)), stand.ripe_at()), (false, None));
        frame(&mut stand, 9_000);
        assert_eq!(stand.allows(&pane, press(9_100)), Err(Refusal::TooSoon));
        assert_eq!(stand.allows(&pane, press(9_500)), Ok(()));
    }
}
