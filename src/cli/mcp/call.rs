//! `mcp call`: one call of one tool, by the word of the person who types it.

use serde_json::{Map, Value};
use uuid::Uuid;

use super::conversed::conversed;
use crate::budget::Bound;
use crate::cli::outcome::say;
use crate::config::Invocation;
use crate::config::exit::Exit;
use crate::config::fault::Fault;
use crate::config::nearest;
use crate::ledger::{Arguments, CallId, Outcome};
use crate::runtime::ToolPort;
use crate::runtime::mcp::{McpFound, McpTools};
use crate::session::external::mcp::server;
use crate::session::external::ready::named;
use crate::tool::{self, MCP, ToolReport};

/// Calls the tool, and prints what it says.
pub(super) fn run(
    invocation: &Invocation,
    name: &str,
    tool: &str,
    json: Option<&str>,
) -> Result<Exit, Fault> {
    let arguments = arguments(json.unwrap_or("{}"))?;
    let server = server(invocation, name, named(invocation, name)?)?;
    let call = ToolInvocation { server: name, tool, arguments, config: invocation };
    let called = conversed(invocation, vec![server], async |tools| call.made(tools).await)?;
    let Some(report) = called else { return Ok(Exit::Interrupted) };
    let report = report?;
    let images = match report.images.len() {
        0 => String::new(),
        1 => "(1 image, which cannot be shown here)\n".to_owned(),
        count => format!("({count} images, which cannot be shown here)\n"),
    };
    // What the server wrote, not what a model would read of it: who tries a tool by hand wants to see that.
    let said = report.written.as_ref().unwrap_or(&report.content);
    say(&format!("{}\n{images}", said.trim_end_matches('\n')))?;
    if report.outcome == Outcome::Ok {
        return Ok(Exit::Completed);
    }
    Err(Fault::failed(format!("{tool} of MCP server {name} failed"), "its output is on stdout"))
}

fn arguments(json: &str) -> Result<Map<String, Value>, Fault> {
    let next = "write a JSON object, as in '{\"path\": \"a.md\"}'";
    match serde_json::from_str(json) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(Fault::usage("the arguments are not an object", next)),
        Err(why) => Err(Fault::usage(format!("the arguments are not JSON: {why}"), next)),
    }
}

struct ToolInvocation<'a> {
    server: &'a str,
    tool: &'a str,
    arguments: Map<String, Value>,
    config: &'a Invocation,
}

impl ToolInvocation<'_> {
    async fn made(self, tools: &McpTools) -> Result<ToolReport, Fault> {
        let standing = tools.survey().await.into_iter().next();
        let found = match standing.map(|standing| standing.found) {
            Some(Ok(found)) => found,
            Some(Err(why)) => {
                return Err(Fault::failed(why, format!("try `countersign mcp test {}`", self.server)));
            }
            None => return Err(Fault::failed("the server was not called", "please report this")),
        };
        let config = &self.config.config;
        let name = self.tool_of(&found)?;
        let timeout = found.tools.iter().find(|tool| tool.name == name).and_then(|tool| tool.timeout_ms);
        let arguments = Arguments::Object(self.arguments.clone());
        let invocation = tool::Invocation {
            call: CallId(1),
            key: Uuid::now_v7().to_string(),
            name,
            arguments,
            timeout_ms: timeout.unwrap_or(config.tool_timeout_ms),
            max_chars: usize::try_from(config.limits.bound(Bound::ResultChars)).unwrap_or(usize::MAX),
            sandboxed: false,
            hosts: Vec::new(),
            is_shown: false,
            allowed_in: None,
        };
        if let Some(bad) = tools.prepare(invocation.clone()).await.invalid {
            let why = format!("{} does not take these arguments: {bad}", self.tool);
            return Err(Fault::usage(why, "correct the JSON"));
        }
        // Nobody looks at live output here: the result has all of it.
        let (output, unheard) = tokio::sync::mpsc::channel(1);
        drop(unheard);
        Ok(tools.run(invocation, output).await)
    }

    /// The tool's name here.
    fn tool_of(&self, found: &McpFound) -> Result<String, Fault> {
        let begin = format!("{MCP}{}__", self.server);
        let names: Vec<&str> = found.tools.iter().map(|tool| tool.name.as_str()).collect();
        let meant = |name: &&&str| **name == self.tool || name.strip_prefix(&begin) == Some(self.tool);
        if let Some(name) = names.iter().find(meant) {
            return Ok((*name).to_owned());
        }
        let short = names.iter().filter_map(|name| name.strip_prefix(&begin));
        let next = match nearest(self.tool, short) {
            Some(near) => format!("did you mean {near}? `countersign mcp test {}` lists all", self.server),
            None => format!("`countersign mcp test {}` lists its tools", self.server),
        };
        Err(Fault::usage(format!("MCP server {} has no tool called {}", self.server, self.tool), next))
    }
}
