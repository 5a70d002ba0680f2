//! Every key of the configuration: the rows of all subjects.

use super::KeyRow;
use super::{behaviour, budget, git, network, providers, runs, sessions, telemetry};
use crate::config::{agents, facts, mcp, tools};

/// All keys, in the order in which they are shown.
pub(in crate::config) fn rows() -> impl Iterator<Item = &'static KeyRow> {
    let tables = [
        behaviour::ROWS,
        budget::ROWS,
        runs::ROWS,
        network::ROWS,
        telemetry::ROWS,
        sessions::ROWS,
        git::ROWS,
        tools::ROWS,
        providers::ROWS,
        mcp::ROWS,
        agents::ROWS,
        agents::local::ROWS,
        facts::ROWS,
    ];
    tables.into_iter().flatten()
}
