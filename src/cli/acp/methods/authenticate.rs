//! `authenticate`: there is nothing to log in to; keys of models are in the configuration or the environment.

use serde_json::{Value, json};

use crate::cli::acp::rpc::RpcError;

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "authenticate";

/// The answer: `initialize` named no method, so each is one that is not there.
pub(in crate::cli::acp) fn answer(params: &Value) -> Result<Value, RpcError> {
    match params.get("methodId").and_then(Value::as_str) {
        None => Ok(json!({})),
        Some(_) => Err(RpcError::params(
            "no login is needed: keys of models are in the configuration or the environment; `countersign doctor` \
             checks them",
        )),
    }
}
