//! `initialize`: which version is spoken, and what each side can do.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::acp::rpc::{self, RpcError};

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "initialize";
/// The version of the protocol that is spoken here, whichever the client asks for: it goes away if it cannot.
const VERSION: u16 = 1;

/// What the client can do, as far as it matters here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::cli::acp) struct ClientAbilities {
    /// It shows a form, for questions of the model.
    pub(in crate::cli::acp) has_forms: bool,
    /// It shows notices apart from what the model says.
    pub(in crate::cli::acp) has_notices: bool,
    /// It gives the texts of its buffers.
    pub(in crate::cli::acp) reads_files: bool,
    /// It takes texts over into its buffers.
    pub(in crate::cli::acp) writes_files: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InitializeParams {
    #[serde(rename = "protocolVersion")]
    _version: u16,
    #[serde(default)]
    client_capabilities: Value,
}

/// What the client says of itself.
///
/// # Errors
/// No version.
pub(in crate::cli::acp) fn read(params: Value) -> Result<ClientAbilities, RpcError> {
    let InitializeParams { client_capabilities: can, .. } = rpc::params(params)?;
    let has = |path: &str| can.pointer(path).is_some_and(Value::is_object);
    let is_set = |path: &str| can.pointer(path).and_then(Value::as_bool) == Some(true);
    Ok(ClientAbilities {
        has_forms: has("/elicitation/form"),
        has_notices: has("/session/notices"),
        reads_files: is_set("/fs/readTextFile"),
        writes_files: is_set("/fs/writeTextFile"),
    })
}

/// What we say of ourselves.
pub(in crate::cli::acp) fn result() -> Value {
    json!({
        "protocolVersion": VERSION,
        "agentCapabilities": {
            "loadSession": true,
            "promptCapabilities": { "image": true, "audio": false, "embeddedContext": true },
            "mcpCapabilities": { "http": true, "sse": false },
            "sessionCapabilities": { "list": {}, "resume": {}, "close": {}, "delete": {} },
        },
        "agentInfo": {
            "name": "countersign",
            "title": "countersign",
            "version": env!("CARGO_PKG_VERSION"),
        },
        "authMethods": [],
    })
}
