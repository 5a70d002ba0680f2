//! Any facts that a result can tell, for properties of the session file.

use countersign::ledger::{BackgroundStatus, CommandState, Facts, Summary};
use proptest::option;
use proptest::prelude::*;

use crate::entries::text;

pub(crate) fn facts() -> impl Strategy<Value = Facts> {
    let changed = any::<[u64; 2]>().prop_map(|[added, removed]| Summary::Changed { added, removed });
    let summary = option::of(prop_oneof![text().prop_map(Summary::Words), changed]);
    let background = (text(), any::<[bool; 2]>(), text()).prop_map(|(id, [is_running, is_lost], words)| {
        CommandState::Background(BackgroundStatus { id, is_running, is_lost, words })
    });
    let command = option::of(prop_oneof![text().prop_map(CommandState::Ended), background]);
    (summary, command, any::<bool>()).prop_map(|(summary, command, is_silent)| Facts {
        summary,
        command,
        is_silent,
    })
}
