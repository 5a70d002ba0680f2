//! The screen of a session that is played: it follows the player, and forgets what named cards that are gone.

use tokio::time::Instant;

use crate::ledger::Millis;
use crate::ui::frame_pacing::Unseen;
use crate::ui::local::{Focus, Local};
use crate::ui::panes::Layouts;
use crate::ui::scroll::Scroll;

use super::player::{Moved, Player};
use super::screen_loop::ScreenLoop;

impl ScreenLoop {
    /// Plays on, or goes where the keys lead.
    pub(super) fn play(&mut self) {
        let (Some(player), Some(replay)) = (&mut self.player, &mut self.local.replay) else { return };
        match player.follow(replay, &mut self.view, Instant::now()) {
            Moved::Not => {}
            Moved::On => self.pace.hear(Unseen::News),
            Moved::Back => {
                // Cards have the same names as before and less in them.
                let pictures = std::mem::take(&mut self.layouts.pictures);
                self.layouts = Layouts::with(pictures);
                forget(&mut self.local);
                self.dirty = true;
            }
        }
    }

    /// The moment that the screen shows.
    pub(super) fn now(&self) -> Millis {
        self.player.as_ref().map_or_else(|| (self.app.now)(), Player::now)
    }
}

/// What named cards that are not there any more.
fn forget(local: &mut Local) {
    local.focus = Focus::Composer;
    local.scroll = Scroll::default();
    local.pointer.let_go();
    local.answered.clear();
    local.search = None;
    local.reading = None;
}
