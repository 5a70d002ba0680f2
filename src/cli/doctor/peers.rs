//! Peers: MCP servers, as far as can be seen without starting one; A2A agents, which this version does not know yet.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use url::{Host, Url};

use super::finding::{Finding, Subject};
use crate::cli::Invocation;
use crate::cli::config::McpEntry;
use crate::cli::mcp::server;
use crate::runtime::mcp::McpWay;
use crate::runtime::sandbox::support;

const SUBJECT: Subject = Subject::Peers;

pub(super) fn look(invocation: &Invocation) -> Vec<Finding> {
    let config = &invocation.config;
    let mut findings: Vec<Finding> =
        config.mcp_servers.iter().map(|(name, entry)| of_server(invocation, name, entry)).collect();
    findings.extend(config.untrusted_mcp_servers.iter().map(|(name, entry)| {
        Finding::warning(
            SUBJECT,
            format!(
                "MCP server {name}: is not started, since the folder of {} is not trusted",
                entry.source.place()
            ),
            "see what it would start, and decide, with `countersign trust`",
        )
    }));
    if findings.is_empty() {
        findings.push(Finding::ok(SUBJECT, "no MCP server is configured"));
    }
    findings.push(Finding::skipped(
        SUBJECT,
        "A2A agents: comes with a later version",
        "nothing to do; there is no key of the configuration for them yet",
    ));
    findings
}

/// One server: whether everything is there that starting or reaching it needs.
fn of_server(invocation: &Invocation, name: &str, entry: &McpEntry) -> Finding {
    let place = entry.source.place();
    let problem =
        |what: String, mend: String| Finding::problem(SUBJECT, format!("MCP server {name}: {what}"), mend);
    if !entry.enabled {
        let what = format!("MCP server {name}: is switched off");
        return Finding::skipped(SUBJECT, what, format!("enabled = true in {place} switches it on"));
    }
    let ready = match server(invocation, name, entry) {
        Ok(ready) => ready,
        Err(fault) => return problem(fault.message, fault.next),
    };
    match ready.way {
        McpWay::Command { program, sandboxed, .. } => {
            if found(invocation, &program).is_none() {
                let what = format!("there is no program {program:?} in PATH");
                return problem(what, format!("install it, or correct the command ({place})"));
            }
            if let Some(why) = support().refuses(false).filter(|_| sandboxed) {
                let what = format!("it must run in the sandbox, which does not hold here: {why}");
                return problem(what, format!("sandbox = false ({place}) starts it with your rights"));
            }
        }
        McpWay::Http { url, headers } => {
            if !headers.is_empty() && is_readable_on_the_way(&url) {
                return Finding::warning(
                    SUBJECT,
                    format!(
                        "MCP server {name}: its headers can be read on the way, since the address is no https://"
                    ),
                    format!("correct the url ({place})"),
                );
            }
        }
    }
    let way = if entry.command.is_some() { "starts" } else { "reaches" };
    let what = format!("MCP server {name}: {way} {}; `countersign mcp test {name}` tries it", entry.way());
    Finding::ok(SUBJECT, what)
}

/// Where a program is: in one of the folders of PATH, or where its own path leads from the session's folder.
fn found(invocation: &Invocation, program: &str) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        let found = std::fs::metadata(path);
        found.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return Some(invocation.cwd.join(program)).filter(is_program);
    }
    let path = invocation.environment.text("PATH").unwrap_or_default();
    std::env::split_paths(Path::new(path)).map(|folder| folder.join(program)).find(is_program)
}

/// Whether an address is neither secured nor on this machine.
fn is_readable_on_the_way(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return true };
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() != "https" && !is_here
}
