//! Fields of one line that hold text only: the key that attaches an image is answered there, and does nothing.

use ratatui::crossterm::event::KeyEvent;

use super::keymap::{KeyAction, KeyContext, lookup};
use super::local::{Local, Overlay};
use super::picker_source::Source;

/// What is said where something is looked for, or a list is narrowed.
const SEARCH: &str = "a search is text only: no image is attached";
/// What is said of the reason of a denial.
const REASON: &str = "a reason is text only: no image is attached";
/// What is said of the words that answer a question.
const ANSWER: &str = "an answer is text only: no image is attached";

/// Answers the key that attaches an image, where it would go into such a field. Says whether it did.
pub(super) fn refuses_image(local: &mut Local, key: KeyEvent) -> bool {
    let attaches = local.keymap.lookup(KeyContext::Composer, key) == Some(KeyAction::PasteImage);
    // A key that a list has, too, keeps what it means there.
    if !attaches || lookup(KeyContext::Picker, key).is_some() {
        return false;
    }
    let answers = local.reason.as_ref().map(|reason| reason.answers);
    let is_searching = local.search.as_ref().is_some_and(|search| search.typing);
    let said = match (answers, &mut local.overlay) {
        (Some(true), _) => ANSWER,
        (Some(false), _) => REASON,
        (None, Some(Overlay::Picker(picker))) if picker.source != Source::Undo => {
            picker.said = Some(SEARCH);
            return true;
        }
        (None, Some(Overlay::Ledger(inspector))) if inspector.typing => SEARCH,
        (None, None) if is_searching => SEARCH,
        (None, _) => return false,
    };
    local.hint = Some(said.to_owned());
    true
}
