//! Which tools an agent file gives its sub-agent.

use crate::config::subagents::Subagent;
use crate::tool::name::MCP;
use crate::tool::{DELEGATE_TO, mcp};

/// Whether it has a tool of this name. A server of MCP can be named for all of its tools.
pub(super) fn has(subagent: &Subagent, tool: &str) -> bool {
    let server = mcp(tool).map(|(server, _)| format!("{MCP}{server}"));
    let is_named = |names: &Vec<String>| {
        names.iter().any(|name| {
            name == tool
                || name == DELEGATE_TO && tool.starts_with(DELEGATE_TO)
                || server.as_deref() == Some(name.strip_suffix("__*").unwrap_or(name.as_str()))
        })
    };
    subagent.tools.as_ref().is_none_or(is_named) && !is_named(&subagent.without)
}
