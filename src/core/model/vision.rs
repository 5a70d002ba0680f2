//! Whether a model can be shown images, and what to say when it cannot.

use crate::ledger::Image;

use super::ModelSpec;

impl ModelSpec {
    /// Whether images are sent to it: unless it is known to take none. A server that refuses them says so itself.
    pub fn sees(&self) -> bool {
        self.abilities.vision != Some(false)
    }

    /// Whether images that tools show are sent to it: only when it is known to take them. Nobody asked for those, and a
    /// server that refuses one refuses every request after it, too.
    pub fn is_known_to_see(&self) -> bool {
        self.abilities.vision == Some(true)
    }

    /// Why these images cannot be sent to it, and what to do next; `None` when they can.
    pub fn refusal_of(&self, images: &[Image]) -> Option<(String, String)> {
        let first = images.first().filter(|_| !self.sees())?;
        let what = format!("{} does not support images", self.model);
        Some((what, format!("choose another model (/model, or -m), or remove {}", first.name)))
    }
}
