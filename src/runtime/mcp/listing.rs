//! The tools of a server as the loop knows tools: under safe names, in bounded words, with a schema that can be checked.

use std::collections::{BTreeMap, BTreeSet};

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, RequestMetaObject, Tool};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::checked::{Checks, aside};
use super::link::{Link, Trouble};
use super::page::{Offered, read, weight};
use super::server::McpServer;
use super::status::McpFound;
use crate::runtime::untrusted::{one_line, plain};
use crate::tool::{self, SideEffect, ToolKind, ToolSpec, check_schema};

/// Most tools of one server; a model that is shown more finds none of them.
const MOST_TOOLS: usize = 256;
const MOST_PAGES: usize = 64;
/// Most bytes of what is said of all tools together; all of it is kept until the last page has come.
const MOST_LISTED: usize = 32 << 20;
/// Most tools of which it is said why they are left out.
const MOST_SENTENCES: usize = 8;
/// Most characters of a description.
const MOST_DESCRIPTION: usize = 8_000;
/// Most bytes of a schema.
const MOST_SCHEMA: usize = 64 << 10;
/// Providers take no longer names.
const MOST_NAME: usize = 64;
/// Letters of the hash that stands for the rest of a name that is too long.
const HASH: usize = 8;

/// What a server brought when it was first asked; frozen.
pub(super) struct Offering {
    pub(super) standing: McpFound,
    /// What the server calls the tool of this name.
    pub(super) own_names: BTreeMap<String, String>,
    /// Checks the arguments of calls.
    pub(super) checks: Checks,
}

/// Asks a server for all it has.
///
/// # Errors
/// Why not; raw words of the server are in it.
pub(super) async fn list(server: &McpServer, link: &Link) -> Result<Offering, String> {
    let mut offered = Vec::new();
    let info = link.info();
    let has_tools = info.as_ref().is_some_and(|info| info.capabilities.tools.is_some());
    let (mut cursor, mut listed, mut is_cut) = (None, 0_usize, false);
    link.tasks().listen();
    for _ in 0..if has_tools { MOST_PAGES } else { 0 } {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let request = ClientRequest::ListToolsRequest(ListToolsRequest::with_param(params));
        let page = match link.ask(request, RequestMetaObject::new()).await {
            Ok(page) => page,
            Err(Trouble::Refused(refusal)) => {
                return Err(format!("it refused to list its tools: {}", refusal.message));
            }
            Err(Trouble::Ended(how)) => return Err(how),
        };
        let reading = aside(move || read(page).map(|(tools, next)| (weight(&tools), tools, next)));
        let page = reading.await.map_err(|why| format!("its tools cannot be read: {why}"))?;
        let (heavy, tools, next) = page.ok_or("its answer is not a list of tools")?;
        listed = listed.saturating_add(heavy);
        if listed > MOST_LISTED {
            is_cut = true;
            break;
        }
        offered.extend(tools);
        cursor = next;
        if cursor.is_none() || offered.len() > MOST_TOOLS {
            break;
        }
    }
    let said = info.as_ref().and_then(|info| info.server_info.as_ref());
    let title = said.map(|said| said.title.as_ref().unwrap_or(&said.name));
    // To measure and compile schemas of others is no work for a thread that others wait for.
    let (asked, tasks) = (server.clone(), link.tasks().heard());
    let sorting = aside(move || {
        let sorted = Sorting { offered, is_cut, tasks, ..Sorting::new(&asked) }.sort();
        let checks = Checks::new(sorted.0.clone());
        (sorted, checks)
    });
    let ((tools, left_out, own_names), checks) =
        sorting.await.map_err(|why| format!("its tools cannot be read: {why}"))?;
    let standing = McpFound {
        title: one_line(title.map_or("", String::as_str), 100),
        version: one_line(said.map_or("", |said| &said.version), 50),
        protocol: info.map(|info| info.protocol_version.to_string()).unwrap_or_default(),
        tools,
        left_out,
    };
    Ok(Offering { standing, own_names, checks })
}

/// Tools as they are taken in or left out.
struct Sorting<'s> {
    server: &'s McpServer,
    offered: Vec<Offered>,
    /// Whether more was said of tools than is kept.
    is_cut: bool,
    /// Those that are run as tasks alone.
    tasks: BTreeSet<String>,
    tools: Vec<ToolSpec>,
    left_out: Vec<String>,
    own_names: BTreeMap<String, String>,
}

impl<'s> Sorting<'s> {
    fn new(server: &'s McpServer) -> Self {
        Self {
            server,
            offered: Vec::new(),
            is_cut: false,
            tasks: BTreeSet::new(),
            tools: Vec::new(),
            left_out: Vec::new(),
            own_names: BTreeMap::new(),
        }
    }

    fn sort(mut self) -> (Vec<ToolSpec>, Vec<String>, BTreeMap<String, String>) {
        let mut offered = std::mem::take(&mut self.offered);
        let beyond = offered.len().saturating_sub(MOST_TOOLS);
        offered.truncate(MOST_TOOLS);
        // A tool whose own name is usable keeps it, whatever others would be called.
        let kept: BTreeSet<String> = offered
            .iter()
            .flatten()
            .filter_map(|tool| self.name(tool).filter(|name| self.keeps(tool, name)))
            .collect();
        for tool in offered {
            match tool {
                Ok(tool) => match self.take(&tool, &kept) {
                    Ok(spec) => {
                        self.own_names.insert(spec.name.clone(), tool.name.to_string());
                        self.tools.push(spec);
                    }
                    Err(why) => self.leave_out(&tool.name, &why),
                },
                Err(name) => self.leave_out(&name, "what the server says of it cannot be read"),
            }
        }
        let mut left_out = bounded(&self.server.name, self.left_out, beyond);
        if self.is_cut {
            left_out.push(format!(
                "What the MCP server `{}` says of its tools is larger than {} MB; the rest of its list is \
                 left out.",
                self.server.name,
                MOST_LISTED >> 20
            ));
        }
        (self.tools, left_out, self.own_names)
    }

    fn leave_out(&mut self, tool: &str, why: &str) {
        let (tool, server) = (one_line(tool, MOST_NAME), &self.server.name);
        let tool = if tool.is_empty() { "?" } else { &tool };
        self.left_out.push(format!("The tool `{tool}` of the MCP server `{server}` is left out: {why}."));
    }

    fn name(&self, tool: &Tool) -> Option<String> {
        name(&self.server.name, &tool.name)
    }

    /// Whether nothing of its own name had to be changed.
    fn keeps(&self, tool: &Tool, name: &str) -> bool {
        name == full_name(&self.server.name, &tool.name)
    }

    fn take(&self, tool: &Tool, kept: &BTreeSet<String>) -> Result<ToolSpec, String> {
        let name = self.name(tool).ok_or("its name cannot be used")?;
        if self.own_names.contains_key(&name) || kept.contains(&name) && !self.keeps(tool, &name) {
            return Err("another tool of the server has the same name".to_owned());
        }
        if self.tasks.contains(&*tool.name) {
            return Err("it runs only as a task (`taskSupport: required`), which countersign does not \
                support"
                .to_owned());
        }
        let is_read = self.server.reads.iter().any(|read| *read == tool.name);
        Ok(ToolSpec {
            name,
            description: self.describe(tool),
            schema: schema(&tool.input_schema)?,
            effect: if is_read { SideEffect::Reads } else { SideEffect::Sends },
            kind: ToolKind::Mcp,
            paths: Vec::new(),
            timeout_ms: self.server.call_ms,
            retrieves: false,
        })
    }

    fn describe(&self, tool: &Tool) -> String {
        let said = [tool.description.as_deref(), tool.title.as_deref()].into_iter().flatten();
        let said = said.map(|said| plain(said.trim(), MOST_DESCRIPTION)).find(|said| !said.is_empty());
        said.unwrap_or_else(|| {
            format!("A tool of the MCP server `{}`, which does not describe it.", self.server.name)
        })
    }
}

/// These sentences, and one for all that are too many: each is told to the model.
fn bounded(server: &str, mut left_out: Vec<String>, beyond: usize) -> Vec<String> {
    let more = left_out.len().saturating_sub(MOST_SENTENCES);
    left_out.truncate(MOST_SENTENCES);
    if more > 0 {
        let tools = if more == 1 { "1 more tool" } else { &format!("{more} more tools") };
        let are = if more == 1 { "is" } else { "are" };
        left_out.push(format!("{tools} of the MCP server `{server}` {are} left out for reasons like these."));
    }
    if beyond > 0 {
        left_out.push(format!(
            "The MCP server `{server}` has more than {MOST_TOOLS} tools; {beyond} are left out."
        ));
    }
    left_out
}

fn full_name(server: &str, tool: &str) -> String {
    format!("{}{server}__{tool}", tool::MCP)
}

/// What a tool is called here: always the same for the same tool. What no provider takes in a name becomes `_`; of a name
/// that is too long the end becomes a hash of all of it. `None` when nothing is left of it.
fn name(server: &str, own: &str) -> Option<String> {
    let usable = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let tool: String = own.chars().map(|c| if usable(c) { c } else { '_' }).collect();
    let mut name = full_name(server, &tool);
    if name.len() > MOST_NAME {
        let hash: String =
            Sha256::digest(own).iter().map(|byte| format!("{byte:02x}")).take(HASH / 2).collect();
        name = format!("{}_{hash}", name.get(..MOST_NAME - HASH - 1)?);
    }
    // A call finds its server by this name alone.
    let leads_back = tool::mcp(&name).is_some_and(|(of, tool)| of == server && !tool.is_empty());
    (leads_back && own.chars().any(usable)).then_some(name)
}

/// The schema as a model gets it.
fn schema(said: &Map<String, Value>) -> Result<Value, String> {
    let mut schema = Value::Object(said.clone());
    clean(&mut schema);
    let Some(members) = schema.as_object_mut() else { return Err("it has no valid schema".to_owned()) };
    match members.get("type") {
        None => drop(members.insert("type".to_owned(), json!("object"))),
        Some(kind) if kind == "object" => {}
        Some(_) => return Err("its schema does not describe an object".to_owned()),
    }
    // Some providers refuse an object of which nothing is said.
    members.entry("properties").or_insert_with(|| json!({}));
    if schema.to_string().len() > MOST_SCHEMA {
        return Err(format!("its schema is larger than {} KB", MOST_SCHEMA >> 10));
    }
    check_schema(&schema).map_err(|why| format!("its schema {}", one_line(&why, 200)))?;
    Ok(schema)
}

/// Takes out of the words for models what hides in them.
fn clean(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            for (member, value) in members {
                match value {
                    Value::String(words)
                        if matches!(member.as_str(), "description" | "title" | "$comment") =>
                    {
                        *words = plain(words, MOST_DESCRIPTION);
                    }
                    value => clean(value),
                }
            }
        }
        Value::Array(values) => values.iter_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::{CustomResult, ServerResult};

    use super::super::server::McpWay;
    use super::*;

    fn sorted(tools: Value) -> (Vec<ToolSpec>, Vec<String>) {
        let way = McpWay::Http { url: String::new(), headers: BTreeMap::new() };
        let server = McpServer {
            name: "s".to_owned(),
            way,
            reads: vec!["look".to_owned()],
            roots: false,
            secrets: Vec::new(),
            start_ms: 1,
            call_ms: Some(7),
        };
        let mut sorting = Sorting::new(&server);
        let page = ServerResult::CustomResult(CustomResult(json!({ "tools": tools })));
        sorting.offered = read(page).unwrap().0;
        let (tools, left_out, own) = sorting.sort();
        assert_eq!(own.len(), tools.len());
        (tools, left_out)
    }

    #[test]
    fn names_are_safe_stable_and_lead_back() {
        assert_eq!(name("s", "get-it_2").unwrap(), "mcp__s__get-it_2");
        assert_eq!(name("s", "a.b/c d\u{202e}").unwrap(), "mcp__s__a_b_c_d_");
        let long = name("s", &"x".repeat(90)).unwrap();
        assert_eq!((long.len(), name("s", &"x".repeat(90)).unwrap()), (64, long.clone()));
        assert_ne!(long, name("s", &"x".repeat(91)).unwrap());
        assert_eq!((name("s", ""), name("s", "\u{202e}"), name("s_", "a")), (None, None, None));
        assert_eq!(name(&"s".repeat(60), "a"), None);
    }

    #[test]
    fn a_tool_keeps_its_name_against_another_that_would_get_it() {
        let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
        let (tools, left_out) =
            sorted(json!([tool("a.b"), tool("a_b"), tool("a/b"), tool("a_b"), tool("look")]));
        let names: Vec<(&str, SideEffect)> = tools.iter().map(|t| (t.name.as_str(), t.effect)).collect();
        assert_eq!(names, [("mcp__s__a_b", SideEffect::Sends), ("mcp__s__look", SideEffect::Reads)]);
        assert_eq!(left_out.len(), 3, "{left_out:?}");
        assert!(left_out[0].starts_with("The tool `a.b` of the MCP server `s` is left out: another"));
        assert_eq!(tools[0].timeout_ms, Some(7));
    }

    #[test]
    fn what_is_left_out_is_said_in_a_few_sentences() {
        let none = json!({ "name": "\u{202e}", "inputSchema": { "type": "object" } });
        let (tools, left_out) = sorted(Value::Array(vec![none; 300]));
        assert!(tools.is_empty());
        assert_eq!(left_out.len(), 10, "{left_out:?}");
        assert_eq!(left_out[8], "248 more tools of the MCP server `s` are left out for reasons like these.");
        assert_eq!(left_out[9], "The MCP server `s` has more than 256 tools; 44 are left out.");
    }

    /// Definitions that each hold the next one twice.
    fn doubled(times: usize) -> Value {
        let part = |n: usize| json!({ "$ref": format!("#/$defs/a{n}") });
        let mut definitions: Map<String, Value> =
            (0..times).map(|n| (format!("a{n}"), json!({ "allOf": [part(n + 1), part(n + 1)] }))).collect();
        definitions.insert(format!("a{times}"), json!({ "type": "object" }));
        json!({ "type": "object", "$defs": definitions, "allOf": [part(0)] })
    }

    #[test]
    fn schemas_are_objects_that_can_be_checked() {
        let with = |schema: Value| json!([{ "name": "t", "inputSchema": schema }]);
        for (schema, why) in [
            (json!({ "type": "string" }), "does not describe an object"),
            (json!({ "type": "object", "properties": 3 }), "cannot be used"),
            (json!({ "properties": { "x": { "$ref": "https://example.test/x" } } }), "not in it"),
            (json!({ "properties": { "x": { "enum": ["y".repeat(70_000)] } } }), "larger than 64 KB"),
            (json!("none"), "cannot be read"),
            (doubled(32), "of the MCP server `s` is left out: its schema expands to more than 4096 parts"),
        ] {
            let (tools, left_out) = sorted(with(schema));
            assert!(tools.is_empty() && left_out[0].contains(why), "{left_out:?}");
        }
        let hidden = json!({ "properties": { "x": { "description": "a\u{202e}b\u{1b}[2J" } } });
        let (tools, _) = sorted(with(hidden));
        let expected = json!({ "properties": { "x": { "description": "ab[2J" } }, "type": "object" });
        assert_eq!(tools[0].schema, expected);
    }
}
