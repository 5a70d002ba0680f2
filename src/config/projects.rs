//! What the files of a project say, put in force as far as it may be.

use super::{AgentEntry, Config, McpEntry, peers, setting::Setting, setting::Wrong, tighten};

/// Sets what tightens, and what the files are trusted with; leaves a warning for the rest. Returns all that is wrong, in its
/// order.
pub(super) fn set_all(config: &mut Config, settings: &[Setting]) -> Vec<Wrong> {
    let others = settings.iter().filter(|setting| !setting.row.is_of_a_peer());
    let mut wrongs: Vec<Wrong> = others.filter_map(|setting| tighten::set(config, setting).err()).collect();
    // A server or an agent is one thing, however many keys and files speak of it.
    wrongs.extend(peers::set_all::<McpEntry>(config, settings));
    wrongs.extend(peers::set_all::<AgentEntry>(config, settings));
    wrongs
}
