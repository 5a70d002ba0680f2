//! `agents test`: reads the cards of agents, and says what each is; no task is sent.

use crate::cli::outcome::say;
use crate::cli::peers::{conversed, told};
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::{Fault, one_line};
use crate::runtime::a2a::{A2aFound, A2aTools};
use crate::session::external::agents::{agent, tools};
use crate::session::external::ready::{ReadyPeers, meant};

/// Tests the agent of this name, or all that are not switched off. Exit 1 when one does not answer.
pub(super) fn run(invocation: &Invocation, name: Option<&str>) -> Result<Exit, Fault> {
    let ReadyPeers { peers: agents, faults } = meant(invocation, name, agent)?;
    if agents.is_empty() && faults.is_empty() {
        return say("There is no agent to test; `countersign agents list` shows what is configured.\n");
    }
    let around = |inner, _: &_| tools(inner, agents, invocation);
    let surveyed = conversed(invocation, around, async |tools: &A2aTools| tools.survey().await)?;
    let Some(standings) = surveyed else { return Ok(Exit::Interrupted) };
    let tried = standings.iter().map(|standing| (standing.name.as_str(), &standing.found));
    told(tried, &faults, answers)
}

fn answers(name: &str, found: &A2aFound) -> String {
    let A2aFound { title, version, protocol, address, named, streams, skills, tool } = found;
    let progress = if *streams { "reports its progress" } else { "is polled for progress" };
    let skills = if skills.is_empty() { "none is named".to_owned() } else { skills.join(", ") };
    let instead = named
        .as_ref()
        .map(|named| format!("its card names {named} for tasks; they go only to the configured server"));
    let lines = [
        format!("tasks go to {address}; it {progress}"),
        format!("skills: {skills}"),
        format!("tool: {}, {}", tool.name, tool.effect.as_str()),
    ];
    let first = one_line(&format!("{name}: answers as {title} {version}, protocol {protocol}"));
    lines
        .iter()
        .take(1)
        .chain(&instead)
        .chain(lines.iter().skip(1))
        .fold(format!("{first}\n"), |text, line| format!("{text}  {}\n", one_line(line)))
}
