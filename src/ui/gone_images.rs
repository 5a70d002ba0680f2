//! A message is taken up again whose pasted images are gone: that is said before it is sent.

use super::local::Local;
use super::short_hint::told;

/// Says which images of the composer's message are gone, if some are. In the session of a sub-agent nothing is known of it.
pub(super) fn say(local: &mut Local) {
    if !local.lineage.is_empty() {
        return;
    }
    let gone = local.composer.gone_images();
    let (words, short) = match gone.as_slice() {
        [] => return,
        [one] => (format!("the pasted image {one} is gone: paste it again"), "image gone: paste it again"),
        several => {
            let numbers: Vec<String> = several.iter().map(usize::to_string).collect();
            let numbers = numbers.join(", ");
            (
                format!("the pasted images {numbers} are gone: paste them again"),
                "images gone: paste them again",
            )
        }
    };
    (local.hint, local.short_hint) = told(words, short);
}
