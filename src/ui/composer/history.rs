//! What the composer held before each change, so that a change can be undone.

use super::origin::TextOrigin;
use super::pastes::Paste;

/// Most changes that can be undone.
const MOST: usize = 100;

/// What the composer held at one time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ComposerState {
    pub(super) text: String,
    pub(super) cursor: (usize, usize),
    pub(super) pastes: Vec<Paste>,
    pub(super) origin: TextOrigin,
}

/// The changes, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    now: ComposerState,
    before: Vec<ComposerState>,
    after: Vec<ComposerState>,
    /// Whether the last change typed part of a word, so that the next letter belongs to the same change.
    is_typing: bool,
}

impl History {
    /// Takes note of what is held after a key. A word is one change, however many keys typed it.
    pub(super) fn note(&mut self, held: ComposerState) {
        if held.text == self.now.text {
            self.is_typing &= held.cursor == self.now.cursor;
            self.now.cursor = held.cursor;
            return;
        }
        let typed = typed(&self.now, &held);
        let goes_on = self.is_typing && typed.is_some_and(|c| !c.is_whitespace());
        let before = std::mem::replace(&mut self.now, held);
        self.is_typing = typed.is_some();
        self.after.clear();
        if !goes_on {
            if self.before.len() == MOST {
                self.before.remove(0);
            }
            self.before.push(before);
        }
    }

    /// What was held before the last change, if there was one.
    pub(super) fn undo(&mut self) -> Option<&ComposerState> {
        let before = self.before.pop()?;
        self.after.push(std::mem::replace(&mut self.now, before));
        self.is_typing = false;
        Some(&self.now)
    }

    /// What was held before the last undo.
    pub(super) fn redo(&mut self) -> Option<&ComposerState> {
        let after = self.after.pop()?;
        self.before.push(std::mem::replace(&mut self.now, after));
        self.is_typing = false;
        Some(&self.now)
    }
}

/// The character by which a text is longer, if it was typed at the cursor.
fn typed(before: &ComposerState, after: &ComposerState) -> Option<char> {
    let (row, col) = after.cursor;
    let c = after.text.split('\n').nth(row)?.chars().nth(col.checked_sub(1)?)?;
    let is_one = after.text.len() == before.text.len() + c.len_utf8();
    (is_one && before.cursor == (row, col - 1)).then_some(c)
}
