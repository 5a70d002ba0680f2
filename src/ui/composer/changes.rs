//! Changes of all that is typed: undone and made again, deleted and put back, a paste opened.

use std::sync::Arc;

use tui_textarea::CursorMove;

use super::super::mention::PastedImage;
use super::super::text;
use super::Composer;
use super::history::ComposerState;
use super::name_origin::NameOrigin;
use super::origin::TextOrigin;
use super::pastes::Paste;

impl Composer {
    /// Takes in images: each is shown by its name, sent as its mention, and stands apart from what is around it.
    pub fn attach(&mut self, images: &[PastedImage]) {
        self.leave_walk();
        if self.before_cursor().chars().next_back().is_some_and(|c| !c.is_whitespace()) {
            self.area.insert_char(' ');
        }
        for image in images {
            let same = self.pastes.iter().find(|paste| paste.is_image(&image.mention)).cloned();
            let paste = match same {
                Some(paste) => paste,
                None => {
                    let mention = Arc::from(image.mention.as_str());
                    let paste = Paste::image(mention, &image.measures, &self.shown(), &self.pastes);
                    self.pastes.push(paste.clone());
                    paste
                }
            };
            self.area.insert_str(format!("{} ", paste.name));
            if !self.images.contains(image) {
                self.images.push(image.clone());
            }
        }
    }

    /// A long text of which the first and the last line stay in sight: what was typed around a paste, and may have to be corrected.
    pub(super) fn paste_within(&mut self, text: &str) {
        let middle = text.split_once('\n').and_then(|(first, rest)| Some((first, rest.rsplit_once('\n')?)));
        match middle {
            Some((first, (middle, last))) => {
                self.paste(&format!("{first}\n"));
                self.paste(middle);
                self.paste(&format!("\n{last}"));
            }
            None => self.paste(text),
        }
    }

    /// Takes on what another one holds. It remembers what it held itself.
    pub(super) fn exchange_all(&mut self, Self { area, pastes, origin, .. }: Self) {
        self.note();
        (self.area, self.pastes, self.origin, self.browsing) = (area, pastes, origin, None);
    }

    /// Takes note of what it holds, so that a change after this can be undone. To be called after each key.
    pub fn note(&mut self) {
        let (text, cursor, pastes) = (self.shown(), self.position(), self.pastes.clone());
        self.history.note(ComposerState { text, cursor, pastes, origin: self.origin });
    }

    /// Undoes the last change, if there was one.
    pub fn undo(&mut self) {
        self.note();
        let held = self.history.undo().cloned();
        self.restore(held);
    }

    /// Makes the change again that was undone last.
    pub fn redo(&mut self) {
        self.note();
        let held = self.history.redo().cloned();
        self.restore(held);
    }

    fn restore(&mut self, held: Option<ComposerState>) {
        let Some(ComposerState { text, cursor: (row, col), pastes, origin }) = held else { return };
        let cell = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
        (self.area, self.pastes, self.browsing) = (Self::holding(&text).area, pastes, None);
        self.origin = origin;
        self.area.move_cursor(CursorMove::Jump(cell(row), cell(col)));
    }

    /// Deletes all of it, to be put back by [`Self::yank`].
    pub fn kill(&mut self) {
        if !self.is_empty() {
            self.killed = (self.shown(), self.pastes.clone(), self.origin);
            self.after_kill = None;
            self.clear();
        }
    }

    /// Keeps a text that was written for something else, to be put in by [`Self::yank`].
    pub fn set_aside(&mut self, text: String) {
        self.killed = (text, Vec::new(), TextOrigin { name: NameOrigin::Words, has_paste: true });
        self.after_kill = None;
    }

    /// Puts in what was deleted last.
    pub fn yank(&mut self) {
        self.leave_walk();
        let (mut text, killed, origin) = self.killed.clone();
        if !self.has_room(text.len()) {
            return;
        }
        self.origin = TextOrigin { has_paste: origin.has_paste || self.origin().has_paste, ..self.origin() };
        for paste in killed {
            if self.pastes.contains(&paste) || !text.contains(&paste.name) {
                continue;
            }
            let is_taken = self.pastes.iter().any(|other| other.name == paste.name);
            let named = if is_taken { paste.renamed(&self.shown(), &self.pastes) } else { paste.clone() };
            text = text.replace(&paste.name, &named.name);
            self.pastes.push(named);
        }
        self.area.insert_str(text);
    }

    /// Puts the paste at the cursor, else the last one, in the place of its name. False when there is none; an error when
    /// it is too large to be edited here.
    pub fn open_paste(&mut self) -> Result<bool, String> {
        let (shown, before) = (self.shown(), self.before_cursor());
        let is_here = |paste: &&Paste| before.ends_with(&paste.name);
        let last = || {
            let places = self.pastes.iter().filter_map(|paste| Some((shown.rfind(&paste.name)?, paste)));
            places.max_by_key(|(at, _)| *at).map(|(_, paste)| paste)
        };
        let Some(paste) = self.pastes.iter().find(is_here).or_else(last).cloned() else { return Ok(false) };
        if !self.has_room(paste.text.len()) {
            return Err("that paste is too large to edit here: ctrl-g opens it in your editor".to_owned());
        }
        let before = shown.find(&paste.name).and_then(|at| shown.get(..at)).unwrap_or_default();
        let begins = !before.trim_start().contains(char::is_whitespace);
        let name = if begins { NameOrigin::Words } else { self.origin.name };
        let text = shown.replacen(&paste.name, &text::sanitize(&paste.text), 1);
        let rest = self.pastes.iter().filter(|other| other.name != paste.name || text.contains(&paste.name));
        let pastes = rest.cloned().collect();
        let origin = TextOrigin { name, has_paste: true };
        self.exchange_all(Self { pastes, origin, ..Self::holding(&text) });
        Ok(true)
    }
}
