//! `session/delete`: forgets a session for good, if it was listed or opened in this connection.

use std::path::Path;

use serde_json::{Value, json};

use crate::cli::acp::rpc::RpcError;
use crate::runtime::store::{find, remove};

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/delete";

/// Removes it.
///
/// # Errors
/// It is not there, or cannot be removed.
pub(in crate::cli::acp) fn delete(state: &Path, session: &str) -> Result<Value, RpcError> {
    let path = find(state, session).map_err(RpcError::params)?;
    remove(state, &path).map_err(RpcError::internal)?;
    Ok(json!({}))
}
