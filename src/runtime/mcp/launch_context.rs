//! What servers are started and reached with, the same for all of a session.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::runtime::network::Network;
use crate::runtime::process::Groups;
use crate::runtime::sandbox::Sandbox;

/// What servers are started and reached with.
#[derive(Debug, Clone)]
pub struct McpMeans {
    /// Where they are started, and what they are told when they ask for roots; an absolute path.
    pub workspace: PathBuf,
    /// The environment of programs: filtered already.
    pub environment: Vec<(OsString, OsString)>,
    /// Where running programs are entered.
    pub groups: Groups,
    /// How a program is confined that must be; without one it is not started.
    pub sandbox: Option<Sandbox>,
    /// How addresses are reached.
    pub network: Network,
}
