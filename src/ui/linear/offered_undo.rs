//! An undo that was said: a line does it that was typed after that.

use crate::ui::undo_preview::UndoPreview;

use super::moment::Moment;

/// What would be put back.
#[derive(Debug)]
pub(super) struct OfferedUndo {
    /// The plan as it was said.
    pub(super) plan: UndoPreview,
    /// When it stood on the terminal; `None` until it is written.
    since: Option<Moment>,
}

impl OfferedUndo {
    pub(super) fn new(plan: UndoPreview) -> Self {
        Self { plan, since: None }
    }

    /// Whether it is still to be written.
    pub(super) fn is_new(&self) -> bool {
        self.since.is_none()
    }

    /// It stands on the terminal.
    pub(super) fn written(&mut self, moment: Moment) {
        self.since.get_or_insert(moment);
    }

    /// Whether whoever typed a line at this moment can have read it.
    pub(super) fn was_said(&self, now: Moment) -> bool {
        self.since.is_some_and(|since| now.answers(since))
    }
}
