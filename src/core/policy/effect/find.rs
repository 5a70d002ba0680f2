//! What `find` does beside finding.

use super::super::shell::{Word, walk};
use crate::tool::SideEffect;

/// Deleting and writing actions; what `-exec` starts is a command of its own.
pub(super) fn effect(arguments: &[Word]) -> SideEffect {
    match walk(arguments) {
        Ok(walk) if walk.deletes => SideEffect::Deletes,
        Err(_) => SideEffect::Runs,
        Ok(walk) if walk.is_unknown => SideEffect::Runs,
        Ok(walk) if walk.writes => SideEffect::Writes,
        Ok(_) => SideEffect::Reads,
    }
}
