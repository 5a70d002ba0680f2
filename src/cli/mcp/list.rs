//! `mcp list`: every server, how it is reached and held, and where it stands; nothing is started.

use crate::cli::Invocation;
use crate::cli::config::McpEntry;
use crate::cli::exit::Exit;
use crate::cli::fault::{Fault, one_line};
use crate::cli::outcome::say;

const NONE: &str = "There is no MCP server. Name one in [mcp_servers.NAME] of your configuration (`countersign config \
                    init` explains the keys), or in the .mcp.json of a project.\n";

/// Says what there is.
pub(super) fn run(invocation: &Invocation) -> Result<Exit, Fault> {
    let config = &invocation.config;
    let in_force = config.mcp_servers.iter().map(|(name, entry)| block(name, entry, &standing(entry)));
    let waiting = config
        .untrusted_mcp_servers
        .iter()
        .map(|(name, entry)| block(name, entry, "not trusted, so nothing starts it: `countersign trust`"));
    let text: String = in_force.chain(waiting).collect();
    say(if text.is_empty() { NONE } else { &text })
}

fn standing(entry: &McpEntry) -> String {
    let whose = if entry.is_of_a_project() { "trusted" } else { "yours" };
    if entry.enabled { whose.to_owned() } else { format!("{whose}, switched off") }
}

/// The name, and below it a line each for the way, the terms and the place.
fn block(name: &str, entry: &McpEntry, standing: &str) -> String {
    let verb = if entry.command.is_some() { "starts" } else { "reaches" };
    let way = if entry.command.is_some() || entry.url.is_some() {
        format!("{verb} {}", entry.way())
    } else {
        "nothing is said of it but this".to_owned()
    };
    let terms = entry.terms().into_iter().filter(|_| entry.enabled);
    let place = format!("{}: {standing}", entry.source.place());
    let lines = [way].into_iter().chain(terms).chain([place]);
    let lines: String = lines.map(|line| format!("  {}\n", one_line(&line))).collect();
    format!("{}\n{lines}", one_line(name))
}
