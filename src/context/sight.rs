//! What a model that cannot see is shown of images: a note in the place of each.

use std::sync::Arc;

use crate::ledger::Message;

/// Replaces the images of a history by words. The ledger keeps them: a model that sees is shown them again.
pub(super) fn take_images_out(messages: &mut [Message]) {
    for message in messages {
        if let Message::User(said) = message
            && !said.images.is_empty()
        {
            let said = Arc::make_mut(said);
            for image in std::mem::take(&mut said.images) {
                let between = if said.content.is_empty() { "" } else { "\n" };
                said.content.push_str(&format!(
                    "{between}[{}, left out: this model cannot see images]",
                    image.facts()
                ));
            }
        }
    }
}
