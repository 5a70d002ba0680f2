//! `config_option_update`: mode, model and effort, all that can be chosen and what is.

use serde_json::{Value, json};

use crate::cli::acp::methods::session_set_config_option::Options;

/// All of them.
pub(in crate::cli::acp) fn all(options: &Options) -> Value {
    json!({ "sessionUpdate": "config_option_update", "configOptions": options.all() })
}
