//! `current_mode_update`: another mode is in force.

use serde_json::{Value, json};

use crate::policy::Mode;

/// This one.
pub(in crate::cli::acp) fn now(mode: Mode) -> Value {
    json!({ "sessionUpdate": "current_mode_update", "currentModeId": mode.as_str() })
}
