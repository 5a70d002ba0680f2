//! `mcp test`: starts servers, and says what each is and brings.

use super::{all, conversed, named, server};
use crate::cli::Invocation;
use crate::cli::exit::Exit;
use crate::cli::fault::{Fault, one_line};
use crate::cli::outcome::say;
use crate::runtime::mcp::{McpFound, McpStanding};

/// Tests the server of this name, or all that are not switched off. Exit 1 when one does not answer.
pub(super) fn run(invocation: &Invocation, name: Option<&str>) -> Result<Exit, Fault> {
    let (servers, faults) = match name {
        Some(name) => (vec![server(invocation, name, named(invocation, name)?)?], Vec::new()),
        None => {
            let ready = all(invocation);
            (ready.servers, ready.faults)
        }
    };
    if servers.is_empty() && faults.is_empty() {
        return say("There is no MCP server to test; `countersign mcp list` says what there is.\n");
    }
    let surveyed = conversed(invocation, servers, async |tools| tools.survey().await)?;
    let Some(standings) = surveyed else { return Ok(Exit::Interrupted) };
    let mut text: String = standings.iter().map(page).collect();
    for (name, fault) in &faults {
        text.push_str(&failed(name, &format!("{}; {}", fault.message, fault.next)));
    }
    say(&text)?;
    let fails = !faults.is_empty() || standings.iter().any(|standing| standing.found.is_err());
    Ok(if fails { Exit::Failed } else { Exit::Completed })
}

fn page(standing: &McpStanding) -> String {
    match &standing.found {
        Ok(found) => answers(&standing.name, found),
        Err(why) => failed(&standing.name, why),
    }
}

fn failed(name: &str, why: &str) -> String {
    format!("{}: does not answer\n  {}\n", one_line(name), one_line(why))
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
