//! What `find` does beside finding.

use super::super::shell::Word;
use crate::tool::SideEffect;

/// Deleting and writing actions; what `-exec` starts is a command of its own.
pub(super) fn effect(arguments: &[Word]) -> SideEffect {
    let mut effect = SideEffect::Reads;
    for word in arguments {
        let found = match word.literal().as_deref() {
            Some("-delete") => SideEffect::Deletes,
            Some("-fprint" | "-fprint0" | "-fprintf" | "-fls") => SideEffect::Writes,
            // These follow links out of the folder, or read further places from a file.
            Some("-L" | "-H" | "-follow" | "-files0-from") => SideEffect::Runs,
            _ => SideEffect::Reads,
        };
        effect = effect.max(found);
    }
    effect
}
