//! What comes from the terminal: keys that were there together, pastes, the mouse.

use std::io;

use ratatui::crossterm::event::{Event as Input, KeyCode, KeyEventKind, MouseEventKind};
use tokio::time::Instant;

use super::super::key_timing::types;
use super::super::local::Focus;
use super::super::outcome::UiOutcome;
use super::super::pointer::{Scene, mouse};
use super::super::terminal::ask_background;
use super::super::terminal_replies::KeysAndReplies;
use super::super::theme::Theme;
use super::super::theme::background::Background;
use super::super::update::{mention, paste, update};
use super::screen_loop::ScreenLoop;

impl ScreenLoop {
    /// What a person has typed, and what the terminal has said about itself.
    pub(super) fn keys(&mut self, heard: KeysAndReplies) {
        self.dirty = true;
        if let Some(ground) = heard.ground {
            self.stands_on(ground);
        }
        if self.pressed.is_empty() {
            self.read_at = self.began.elapsed();
        }
        self.pressed.extend(heard.keys);
    }

    /// The terminal has said what its background is.
    fn stands_on(&mut self, ground: Background) {
        self.ground = Some(ground);
        let chosen = self.follows_background.then(|| (self.errands.theme)(ground.theme()).ok()).flatten();
        self.wear(chosen.unwrap_or_else(|| self.worn.clone()));
    }

    /// The terminal has not said what its background is. Some never do: where a person chose the theme, and not the background, its words
    /// have to be readable until then. `is_asked`: the terminal will be asked.
    pub(super) fn stands_before_an_answer(&mut self, is_asked: bool) {
        if is_asked && !self.follows_background {
            self.ground = None;
            self.wear(self.worn.clone());
        }
    }

    /// Asks the terminal what its background is, if it is to be asked.
    pub(super) fn ask_background(&mut self, is_asked: bool) {
        if is_asked && ask_background().is_err() {
            self.outcome = Some(UiOutcome::TerminalGone);
        }
    }

    /// Draws with this theme from now on.
    pub(super) fn wear(&mut self, theme: Theme) {
        self.theme = theme.clone().standing_on(self.ground);
        self.worn = theme;
    }

    /// Whether what comes next decides what these keys mean: one letter was pressed where letters decide, or one key that
    /// gives the keys to what waits (a paste can consist of these two), or a burst ends with Enter (another line can follow).
    pub(super) fn waits_for_a_second_key(&self) -> bool {
        let [before @ .., key] = self.pressed.as_slice() else { return false };
        if key.code == KeyCode::Enter {
            let is_typed = self.local.overlay.is_none() && matches!(self.local.focus, Focus::Composer);
            return is_typed && (!before.is_empty() || self.rhythm.is_burst(self.read_at));
        }
        if !before.is_empty() {
            return false;
        }
        // Something to be decided has the keys: in its pane, on a page of its own, or as a plan.
        let is_shown = self.local.stand.ripe_at().is_some();
        let decides = is_shown || matches!(self.local.focus, Focus::Approval(_) | Focus::Stop);
        let gives = matches!(key.code, KeyCode::Tab | KeyCode::Down);
        let waits = || !self.local.waiting(&self.view).is_empty() || self.local.stop(&self.view).is_some();
        decides && types(*key) || gives && waits()
    }

    /// The keys that were there together, in their order: what decides must have come by itself. `are_all`: nothing else
    /// was read with them.
    pub(super) fn press(&mut self, are_all: bool) {
        let keys = std::mem::take(&mut self.pressed);
        if keys.is_empty() {
            return;
        }
        // When they were read, and not when it was known that no other follows: a key that comes right behind the frame that
        // gave it a meaning was not pressed for that.
        for press in self.rhythm.take(&keys, are_all, self.read_at) {
            #[cfg(debug_assertions)]
            break_on_purpose(press.key.code);
            for act in update(&mut self.local, &self.view, press) {
                self.act(act);
            }
            self.local.obeyed = None;
        }
    }

    pub(super) fn input(&mut self, input: Option<io::Result<Input>>) {
        self.dirty = true;
        let acts = match input {
            Some(Ok(Input::Key(key))) if key.kind == KeyEventKind::Release => Vec::new(),
            Some(Ok(Input::Key(key))) => {
                let heard = self.answers.take(key, Instant::now());
                self.keys(heard);
                Vec::new()
            }
            Some(Ok(Input::Paste(text))) => {
                self.press(false);
                // In a call that is being changed, a path is a path.
                let is_message = self.local.typing().is_none() && !self.local.is_editing();
                let images = if is_message { (self.mentions)(&text) } else { None };
                match images {
                    Some(images) => {
                        mention(&mut self.local, &self.view, &images);
                        Vec::new()
                    }
                    None => paste(&mut self.local, &self.view, &text),
                }
            }
            Some(Ok(Input::Mouse(event))) => {
                let heard = self.answers.mouse_came(Instant::now());
                self.keys(heard);
                if event.kind != MouseEventKind::Moved {
                    self.press(false);
                }
                let screen = self.terminal.get_frame().area();
                let scene = Scene { view: &self.view, layouts: &self.layouts, screen };
                mouse(&mut self.local, scene, event, (self.app.now)().0)
            }
            Some(Ok(seen @ (Input::FocusGained | Input::FocusLost))) => {
                self.outside.focus(seen == Input::FocusGained);
                Vec::new()
            }
            Some(Ok(Input::Resize(..))) => Vec::new(),
            Some(Err(_)) | None => {
                self.outcome = Some(UiOutcome::TerminalGone);
                Vec::new()
            }
        };
        for act in acts {
            self.act(act);
        }
    }
}

/// F12 breaks something if the environment says what: tests of debug builds look at what a panic leaves behind.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "this is what it is for")]
fn break_on_purpose(key: KeyCode) {
    if key != KeyCode::F(12) {
        return;
    }
    match std::env::var("COUNTERSIGN_BREAKS").as_deref() {
        Ok("screen") => panic!("the screen, on purpose"),
        Ok("task") => drop(tokio::spawn(async { panic!("a task, on purpose") })),
        _ => {}
    }
}
