//! `mcp test`: starts servers, and says what each is and brings.

use super::conversed::conversed;
use crate::cli::outcome::say;
use crate::cli::peers::told;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::runtime::mcp::McpFound;
use crate::session::external::mcp::server;
use crate::session::external::ready::{ReadyPeers, meant};

/// Tests the server of this name, or all that are not switched off. Exit 1 when one does not answer.
pub(super) fn run(invocation: &Invocation, name: Option<&str>) -> Result<Exit, Fault> {
    let ReadyPeers { peers: servers, faults } = meant(invocation, name, server)?;
    if servers.is_empty() && faults.is_empty() {
        return say("There is no MCP server to test; `countersign mcp list` shows what is configured.\n");
    }
    let surveyed = conversed(invocation, servers, async |tools| tools.survey().await)?;
    let Some(standings) = surveyed else { return Ok(Exit::Interrupted) };
    let tried = standings.iter().map(|standing| (standing.name.as_str(), &standing.found));
    told(tried, &faults, answers)
}

fn answers(name: &str, found: &McpFound) -> String {
    let McpFound { title, version, protocol, tools, left_out } = found;
    let many = if tools.len() == 1 { "tool" } else { "tools" };
    let mut text = format!(
        "{}: answers as {} {}, protocol {}, with {} {many}\n",
        one_line(name),
        one_line(title),
        one_line(version),
        one_line(protocol),
        tools.len()
    );
    let width = tools.iter().map(|tool| tool.name.len()).max().unwrap_or_default();
    for tool in tools {
        text.push_str(&format!("  {:width$}  {}\n", one_line(&tool.name), tool.effect.as_str()));
    }
    text.extend(left_out.iter().map(|why| format!("  left out: {}\n", one_line(why))));
    text
}
