//! One MCP server: whether everything is there that starting or reaching it needs.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::obstacle::{check_headers, of_fault, problem};
use crate::cli::doctor::finding::Finding;
use crate::config::Invocation;
use crate::config::McpEntry;
use crate::runtime::mcp::McpWay;
use crate::runtime::sandbox::support;
use crate::session::external::mcp::server;

pub(super) fn look(invocation: &Invocation, name: &str, entry: &McpEntry) -> Result<(), Finding> {
    let ready = server(invocation, name, entry).map_err(|fault| of_fault::<McpEntry>(name, fault))?;
    match ready.way {
        McpWay::Command { program, sandboxed, .. } => {
            check_program(invocation, name, entry, &program, sandboxed)
        }
        McpWay::Http { url, headers } => check_headers(name, entry, &url, &headers),
    }
}

fn check_program(
    invocation: &Invocation,
    name: &str,
    entry: &McpEntry,
    program: &str,
    sandboxed: bool,
) -> Result<(), Finding> {
    let place = entry.source.place();
    if found(invocation, program).is_none() {
        let what = format!("{program:?} was not found in PATH");
        return Err(problem::<McpEntry>(
            name,
            &what,
            format!("install it, or correct the command ({place})"),
        ));
    }
    if let Some(why) = support().refuses(false).filter(|_| sandboxed) {
        let what = format!("it must run in the sandbox, which does not work here: {why}");
        let mend = format!("to start it with your permissions, set sandbox = false ({place})");
        return Err(problem::<McpEntry>(name, &what, mend));
    }
    Ok(())
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
