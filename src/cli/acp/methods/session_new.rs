//! `session/new`: a session in a folder, with the MCP servers of the client.

use serde::Deserialize;
use serde_json::Value;

use crate::cli::acp::rpc::{self, RpcError};
use crate::config::{ClientServer, ClientServerWay};

/// The method.
pub(in crate::cli::acp) const METHOD: &str = "session/new";
/// Most servers that a client can bring.
const MOST_SERVERS: usize = 32;

/// Where a session is opened, and with what: `session/load` and `session/resume` say it, too.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::cli::acp) struct Place {
    /// The folder: absolute.
    pub(in crate::cli::acp) cwd: String,
    #[serde(default)]
    mcp_servers: Vec<Value>,
    #[serde(default)]
    additional_directories: Vec<String>,
}

#[derive(Deserialize)]
struct ServerParams {
    name: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    env: Vec<Pair>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    headers: Vec<Pair>,
}

#[derive(Deserialize)]
struct Pair {
    name: String,
    value: String,
}

/// What is asked for.
///
/// # Errors
/// -32602, in words.
pub(in crate::cli::acp) fn read(params: Value) -> Result<Place, RpcError> {
    let place: Place = rpc::params(params)?;
    if place.additional_directories.is_empty() {
        Ok(place)
    } else {
        Err(RpcError::params("additionalDirectories are not supported: open a session in each folder"))
    }
}

impl Place {
    /// The servers.
    ///
    /// # Errors
    /// -32602: one that is written wrong, or of a kind that was not offered.
    pub(in crate::cli::acp) fn servers(&self) -> Result<Vec<ClientServer>, RpcError> {
        if self.mcp_servers.len() > MOST_SERVERS {
            return Err(RpcError::params(format!("a session takes at most {MOST_SERVERS} MCP servers")));
        }
        self.mcp_servers.iter().cloned().map(server).collect()
    }
}

fn server(value: Value) -> Result<ClientServer, RpcError> {
    let ServerParams { name, kind, command, args, env, url, headers } = rpc::params(value)?;
    let pairs = |all: Vec<Pair>| all.into_iter().map(|pair| (pair.name, pair.value)).collect();
    let way = match (kind.as_deref(), command, url) {
        (None | Some("stdio"), Some(command), None) => {
            ClientServerWay::Command { command, args, env: pairs(env) }
        }
        (Some("http"), None, Some(url)) => ClientServerWay::Http { url, headers: pairs(headers) },
        _ => {
            return Err(RpcError::params("an MCP server is a `command`, or of the type `http` with a `url`"));
        }
    };
    Ok(ClientServer { name, way })
}
