//! `session/set_mode`, and the modes that there are.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::acp::rpc::{self, RpcError};
use crate::policy::Mode;

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/set_mode";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SetModeParams {
    mode_id: String,
}

/// The mode that is asked for.
///
/// # Errors
/// -32602: none of this name.
pub(in crate::cli::acp) fn read(params: Value) -> Result<Mode, RpcError> {
    let SetModeParams { mode_id } = rpc::params(params)?;
    Mode::parse(&mode_id).map_err(RpcError::params)
}

/// All modes, and the one in force.
pub(in crate::cli::acp) fn modes(current: Mode) -> Value {
    let all = Mode::ALL
        .iter()
        .map(|mode| json!({ "id": mode.as_str(), "name": mode.as_str(), "description": mode.allows() }));
    json!({ "currentModeId": current.as_str(), "availableModes": all.collect::<Vec<_>>() })
}
