//! `session/load`: a session goes on; all that happened in it is told before the answer.

use serde::Deserialize;
use serde_json::Value;

use super::session_new::{self, Place};
use crate::cli::acp::rpc::{self, RpcError};
use crate::runtime::store::subagents::started_by;

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/load";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LoadParams {
    session_id: String,
}

/// What is asked for, and the id of the session.
///
/// # Errors
/// -32602: no id of a session, or as for a new one.
pub(in crate::cli::acp) fn read(params: Value) -> Result<(String, Place), RpcError> {
    let LoadParams { session_id } = rpc::params(params.clone())?;
    // Elsewhere a session can be named by the beginning of its id, or by a path. An editor names exactly one.
    if uuid::Uuid::parse_str(&session_id).is_err() {
        if let Some(above) = started_by(&session_id) {
            let words = format!(
                "{session_id} is the session of a sub-agent of {above}: load {above}; `countersign resume {session_id}` goes on in it"
            );
            return Err(RpcError::params(words));
        }
        return Err(RpcError::params("the sessionId is not that of a session"));
    }
    Ok((session_id, session_new::read(params)?))
}
