//! What the files of a project say, put in force as far as it may be.

use super::{Config, mcp, setting::Setting, setting::Wrong, tighten};
use crate::cli::config::key::Key;

/// Sets what tightens, and what the files are trusted with; leaves a warning for the rest. Returns all that is wrong, in its
/// order.
pub(super) fn set_all(config: &mut Config, settings: &[Setting]) -> Vec<Wrong> {
    let others = settings.iter().filter(|setting| !matches!(setting.key, Key::Mcp(_)));
    let mut wrongs: Vec<Wrong> = others.filter_map(|setting| tighten::set(config, setting).err()).collect();
    // A server is one thing, however many keys and files speak of it.
    wrongs.extend(mcp::set_all(config, settings));
    wrongs
}
