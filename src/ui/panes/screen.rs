//! Everything that a frame is made of. All panes lie above this file.

use crate::ledger::{Entry, Millis};
use crate::ui::local::Local;
use crate::ui::pages::PageFrame;
use crate::ui::text::highlight::Highlighter;
use crate::ui::theme::Theme;
use crate::view::View;

use super::layouts::Layouts;

/// Everything that a frame is made of.
pub struct Screen<'a> {
    /// What is to be seen.
    pub view: &'a View,
    /// What only the screen knows.
    pub local: &'a Local,
    /// What it looks like.
    pub theme: &'a Theme,
    /// What colours code.
    pub highlighter: &'a Highlighter,
    /// What was laid out by [`prepare`](super::prepare).
    pub layouts: &'a Layouts,
    /// The moment of the frame.
    pub now: Millis,
    /// The JSON of an entry, for the ledger.
    pub entry_json: fn(&Entry) -> String,
}

impl<'a> Screen<'a> {
    /// What a page may know of it.
    pub(super) fn page_frame(&self) -> PageFrame<'a> {
        PageFrame {
            view: self.view,
            keymap: &self.local.keymap,
            printed: &self.local.printed,
            theme: self.theme,
            highlighter: self.highlighter,
            now: self.now,
        }
    }
}
