//! The tools that an agent's definition names: by our names, or by those of the programs whose agent files are read.

use crate::config::fault::one_line;
use crate::config::front_matter::items;
use crate::config::front_matter::map::{Node, node};
use crate::ledger::{HOSTED, WEB_FETCH, WEB_SEARCH};
use crate::tool::name::{
    ASK, DELEGATE_TO, EDIT, FETCH, GLOB, LIST, MCP, PLAN, READ, SEARCH, SHELL, SHELL_KILL, SHELL_OUTPUT,
    WRITE,
};

/// The tools that a sub-agent can be given.
pub(in crate::config) const TOOLS: [&str; 11] =
    [READ, LIST, GLOB, SEARCH, EDIT, WRITE, SHELL, SHELL_OUTPUT, SHELL_KILL, FETCH, PLAN];
/// Tools of other programs that have no counterpart here.
const ELSEWHERE: [&str; 36] = [
    "AgentOutputTool",
    "CronCreate",
    "CronDelete",
    "CronList",
    "EnterPlanMode",
    "EnterWorktree",
    "ExitPlanMode",
    "ExitWorktree",
    "ListMcpResourcesTool",
    "LSP",
    "Monitor",
    "PowerShell",
    "ReadMcpResourceTool",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoRead",
    "ToolSearch",
    "activate_skill",
    "codesearch",
    "complete_task",
    "get_internal_docs",
    "lsp",
    "save_memory",
    "skill",
    "todoread",
    "tracker_create_task",
    "plan_exit",
    "plan_enter",
    "batch",
];

/// What the names of a list mean here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::config) struct NamedTools {
    /// The tools, by our names.
    pub(in crate::config) tools: Vec<String>,
    /// Names that only other programs have.
    pub(in crate::config) elsewhere: Vec<String>,
    /// Names of nothing.
    pub(in crate::config) unknown: Vec<String>,
}

/// Reads names of tools. Whoever may edit may also write, as with the others.
pub(in crate::config) fn ours(named: &[String]) -> NamedTools {
    let mut all = NamedTools::default();
    for tool in named {
        let tool = without_rule(tool);
        let of = translated(tool);
        let is_brought = tool.starts_with(MCP) || tool.starts_with(DELEGATE_TO);
        if !of.is_empty() {
            all.tools.extend(of.iter().map(|&name| name.to_owned()));
        } else if is_brought || tool == ASK || tool == "*" || TOOLS.contains(&tool) || HOSTED.contains(&tool)
        {
            all.tools.push(tool.to_owned());
        } else if ELSEWHERE.contains(&tool) {
            all.elsewhere.push(tool.to_owned());
        } else if let Some(server) = tool.strip_suffix("_*") {
            // opencode names the tools of a server so.
            all.tools.push(format!("{MCP}{server}"));
        } else {
            all.unknown.push(tool.to_owned());
        }
    }
    all
}

/// The name alone. `Bash(git:*)` permits nothing here: rules are the configuration's.
fn without_rule(tool: &str) -> &str {
    tool.split('(').next().unwrap_or_default().trim()
}

/// What another program's name for a tool means here: that of Claude Code, opencode or Gemini.
fn translated(tool: &str) -> &'static [&'static str] {
    match tool {
        "Read" | "NotebookRead" | "read_file" | "read_many_files" => &[READ],
        "LS" | "list_directory" => &[LIST],
        "Glob" => &[GLOB],
        "Grep" | "grep" | "grep_search" | "search_file_content" => &[SEARCH],
        "Edit" | "MultiEdit" | "NotebookEdit" | "multiedit" | "patch" | "apply_patch" | "replace" => &[EDIT],
        "Write" | "write_file" => &[WRITE],
        "Bash" | "BashOutput" | "KillShell" | "KillBash" | "bash" | "run_shell_command" => {
            &[SHELL, SHELL_OUTPUT, SHELL_KILL]
        }
        // Who fetches it, this program or the provider, makes no difference to whoever wrote the file.
        "WebFetch" | "webfetch" | FETCH | WEB_FETCH => &[FETCH, WEB_FETCH],
        "WebSearch" | "websearch" | "google_web_search" => &[WEB_SEARCH],
        "TodoWrite" | "todowrite" | "write_todos" => &[PLAN],
        "AskUserQuestion" | "question" | "ask_user" => &[ASK],
        // All that start other agents.
        "Task" | "Agent" | "task" => &[DELEGATE_TO],
        _ => &[],
    }
}

/// The tools that a header gives and takes.
#[derive(Debug)]
pub(in crate::config) struct AgentTools {
    /// Those that it has; `None`: all that the session has.
    pub(in crate::config) tools: Option<Vec<String>>,
    /// Those that it does not have.
    pub(in crate::config) without: Vec<String>,
    /// Names that only other programs have.
    pub(in crate::config) elsewhere: Vec<String>,
    /// Names of nothing.
    pub(in crate::config) unknown: Vec<String>,
}

impl AgentTools {
    /// Reads them. A name of nothing in a list of tools gives nothing, which is safe. In a list of tools that are taken it would leave one in the
    /// agent's hands that its author did not want there.
    ///
    /// # Errors
    /// A tool that is taken is none.
    pub(in crate::config) fn read(head: &str) -> Result<Self, String> {
        // opencode's map: what is not switched off stays, unless all is.
        let off = switched_off(head)?;
        let is_map_of_all = !off.is_empty() && !off.iter().any(|tool| tool == "*");
        let named = given(head).filter(|_| !is_map_of_all);
        let starter = named.iter().flatten().find(|tool| translated(without_rule(tool)) == [DELEGATE_TO]);
        let starter = starter.map(|tool| without_rule(tool).to_owned());
        let given = named.map(|named| ours(&named));
        let mut taken: Vec<String> = items(head, "disallowedTools").unwrap_or_default();
        taken.extend(off.into_iter().filter(|tool| tool != "*"));
        let NamedTools { tools: without, elsewhere: mut ignored, unknown } = ours(&taken);
        if let Some(other) = unknown.first() {
            return Err(format!(
                "it excludes the tool `{}`, which does not exist; {}",
                one_line(other),
                tools_are()
            ));
        }
        let Some(NamedTools { mut tools, elsewhere, unknown }) = given else {
            return Ok(Self { tools: None, without, elsewhere: ignored, unknown: Vec::new() });
        };
        ignored.extend(elsewhere);
        // Whoever has a list of tools starts no other agents.
        let starts = tools.extract_if(.., |tool| tool.starts_with(DELEGATE_TO));
        // As the file names it.
        let as_named = |tool: String| starter.clone().filter(|_| tool == DELEGATE_TO).unwrap_or(tool);
        ignored.extend(starts.map(as_named));
        let tools = Some(tools).filter(|tools| !tools.iter().any(|tool| tool == "*"));
        Ok(Self { tools, without, elsewhere: ignored, unknown })
    }
}

/// The tools that a list names, or that a map switches on.
fn given(head: &str) -> Option<Vec<String>> {
    let Some(Ok(Node::Map(all))) = node(head, "tools") else { return items(head, "tools") };
    let on = all.into_iter().filter(|(_, said)| *said == Node::Text("true".to_owned()));
    Some(on.map(|(tool, _)| tool).collect())
}

/// The tools that a map switches off; none where there is a list.
fn switched_off(head: &str) -> Result<Vec<String>, String> {
    let Some(Ok(Node::Map(all))) = node(head, "tools") else { return Ok(Vec::new()) };
    let mut off = Vec::new();
    for (tool, said) in all {
        match said {
            Node::Text(said) if said == "true" => {}
            Node::Text(said) if said == "false" => off.push(tool),
            _ => {
                let why = "which is neither `true` nor `false`";
                return Err(format!("its `tools` says something of `{}`, {why}", one_line(&tool)));
            }
        }
    }
    Ok(off)
}

/// Which tools there are.
pub(in crate::config) fn tools_are() -> String {
    format!("the tools are {}, and those of MCP servers (`mcp__NAME`)", TOOLS.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str]) -> NamedTools {
        ours(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn names_of_other_programs_are_translated_and_those_of_nothing_are_told_apart() {
        for (name, tools) in [
            ("Read", &[READ][..]),
            ("Bash(git:*)", &[SHELL, SHELL_OUTPUT, SHELL_KILL]),
            ("bash", &[SHELL, SHELL_OUTPUT, SHELL_KILL]),
            ("grep", &[SEARCH]),
            ("run_shell_command", &[SHELL, SHELL_OUTPUT, SHELL_KILL]),
            ("mcp__github__get_issue", &["mcp__github__get_issue"]),
            ("github_*", &["mcp__github"]),
            ("Task", &[DELEGATE_TO]),
        ] {
            assert_eq!(named(&[name]).tools, tools, "{name}");
        }
        for tool in TOOLS.into_iter().chain(HOSTED).filter(|tool| ![FETCH, WEB_FETCH].contains(tool)) {
            assert_eq!(named(&[tool]).tools, [tool]);
        }
        for tool in ["WebFetch", FETCH, WEB_FETCH] {
            assert_eq!(named(&[tool]).tools, [FETCH, WEB_FETCH]);
        }
        for tool in ["WebSearch", "websearch", "google_web_search"] {
            assert_eq!(named(&[tool]).tools, [WEB_SEARCH]);
        }
        let mixed = named(&["Read", "Skill", "Raed"]);
        assert_eq!(
            (mixed.tools, mixed.elsewhere, mixed.unknown),
            (vec![READ.to_owned()], vec!["Skill".to_owned()], vec!["Raed".to_owned()])
        );
    }

    #[test]
    fn what_opencode_switches_off_is_taken_and_the_rest_stays() {
        let off =
            AgentTools::read("tools:\n  write: false\n  edit: false\n  bash: false\nsteps: 3\n").unwrap();
        assert_eq!(off.tools, None);
        assert_eq!(off.without, [WRITE, EDIT, SHELL, SHELL_OUTPUT, SHELL_KILL]);
        let only = AgentTools::read("tools:\n  \"*\": false\n  read: true\n").unwrap();
        assert_eq!((only.tools, only.without), (Some(vec![READ.to_owned()]), Vec::new()));
        let braces = AgentTools::read("tools: {write: false, bash: false}\n").unwrap();
        assert_eq!((braces.tools, braces.without.len()), (None, 4));
        assert!(AgentTools::read("tools:\n  bash: no\n").unwrap_err().contains("neither `true` nor `false`"));
        let listed = AgentTools::read("tools:\n  - Read\n  - Grep\n").unwrap();
        assert_eq!(listed.tools, Some(vec![READ.to_owned(), SEARCH.to_owned()]));
    }

    #[test]
    fn every_way_to_write_a_list_of_tools_that_are_taken_counts() {
        for head in [
            "disallowedTools: Bash, Write\n",
            "disallowedTools: \"Bash, Write\"\n",
            "\"disallowedTools\" : [Bash, Write] # those\n",
            "disallowedTools: [\n  Bash,\n  Write,\n]\n",
            "disallowedTools:\n  - Bash\n# and\n  - \"Write\"\n",
            "disallowedTools:\n- Bash # all\n\n- Write\n",
            "disallowedTools:\n  Bash(git: *), Write\n",
        ] {
            let read = AgentTools::read(head).unwrap();
            assert_eq!(read.without, [SHELL, SHELL_OUTPUT, SHELL_KILL, WRITE], "{head}");
        }
    }
}
