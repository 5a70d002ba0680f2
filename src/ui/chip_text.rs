//! A message in one row or in a list: as it was typed, with a name for each part that was pasted.

use crate::ledger::UserMessage;
use crate::view::ViewSettings;

use super::commands::typed;
use super::composer::{measures_in, named, plain};

/// A message as a person typed it. In the place of what was pasted stands its name, as in the transcript: the path of an image of
/// the clipboard says nothing to anyone.
pub(super) fn with_chips(message: &UserMessage, settings: &ViewSettings) -> String {
    let content = typed(message, settings);
    let pastes = message.pastes.carried(&message.content, &content);
    if pastes.is_empty() {
        return content;
    }
    let (shown, _) = named(&pastes.parts(&content), |mention| measures_in(message, mention));
    plain(&shown)
}
