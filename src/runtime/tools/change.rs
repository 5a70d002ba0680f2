//! A change of one file, worked out before it is made: the same for the approval and for the act.

use crate::ledger::Preview;

use super::diff::{Difference, compare};
use super::file::replace;
use super::seen::Seen;
use super::stop::Stop;
use super::workspace::Place;

/// What a file is and what it is to become.
pub(super) struct Change {
    /// Which file.
    pub(super) place: Place,
    /// Its content now; `None` when it is new.
    pub(super) before: Option<Vec<u8>>,
    /// Its content to be.
    pub(super) after: String,
}

impl Change {
    /// What the approval shows. A change that cannot be made is shown as its reason, after `! `.
    pub(super) fn preview(planned: Result<Self, String>) -> Preview {
        Preview::Diff(match planned {
            Err(reason) => format!("! {reason}\n"),
            Ok(change) if change.before.as_deref() == Some(change.after.as_bytes()) => {
                "! the file has this content already; nothing would change\n".to_owned()
            }
            Ok(change) => change.difference().text,
        })
    }

    /// The lines that differ. What is no text is compared as far as it can be shown.
    pub(super) fn difference(&self) -> Difference {
        let before = self.before.as_deref().map(String::from_utf8_lossy);
        compare(&self.place.shown, before.as_deref(), &self.after)
    }

    /// Makes it, and remembers the new content as seen.
    ///
    /// # Errors
    /// A sentence; the file is then as it was.
    pub(super) fn make(&self, seen: &Seen, stop: &Stop) -> Result<(), String> {
        replace(&self.place, self.after.as_bytes(), || !stop.is_set())?;
        seen.note(&self.place.path, self.after.as_bytes());
        Ok(())
    }
}

/// Why a file that is not what the model saw is left alone.
pub(super) fn refuse_changed(place: &Place, before: &[u8], seen: &Seen) -> Result<(), String> {
    if seen.has_changed(&place.path, before) {
        return Err(format!(
            "`{}` has changed since it was read; read it again, then repeat the change on what it is now",
            place.shown
        ));
    }
    Ok(())
}
