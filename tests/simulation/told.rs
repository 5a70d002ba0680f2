//! What a model must have been told before it is asked again.

use crate::books::Log;

impl Log {
    /// A model that is asked to go on knows what was changed in its calls.
    pub fn edits_are_told(&self) -> Result<(), String> {
        let all_told = self.untold_edits.is_empty();
        all_told.then_some(()).ok_or_else(|| "a model was not told of a changed call".into())
    }

    /// A model that hears the user knows which of its files were put back before.
    pub fn undo_is_told(&self) -> Result<(), String> {
        let all_told = self.untold_undo != Some(true);
        all_told.then_some(()).ok_or_else(|| "a model was not told of files that were put back".into())
    }
}
